//! Settles the process-wide options of libgit2, once, before anything is opened.

use std::ffi::c_int;
use std::sync::Once;
use std::time::Duration;

use git2::ConfigLevel;

/// How long libgit2 waits for a connection of its own transports, SSH and Git's protocol.
const CONNECT_PATIENCE: Duration = Duration::from_secs(30);
/// How long libgit2 waits for the next bytes of these.
pub(crate) const SERVER_PATIENCE: Duration = Duration::from_secs(60);

/// Makes libgit2 fit for a server: nothing of the user's or the machine's configuration counts, repositories of other
/// owners may be read, what is written is flushed, hosts are not waited for without end, and HTTP is spoken by the
/// client of `remote::http`.
///
/// Reading other owners' repositories is safe here because no hook, filter or command of theirs is ever run. Flushing
/// is switched on here rather than by a configuration key, which would make git clients print warnings.
#[allow(unsafe_code, reason = "libgit2's options are global, and the flush option has no safe wrapper")]
pub(crate) fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Git does not hash what it reads either: checksums of the compression and of packs show damage, what is
        // fetched is hashed as it comes, and `ledger verify` hashes everything itself.
        git2::opts::strict_hash_verification(false);
        let flush_switched_on: c_int = 1;
        // SAFETY: these calls change global state without a lock. `Once` lets a single thread through and makes every
        // other caller wait, and whatever opens a repository or a configuration, without which nothing reads these, calls
        // `prepare` first. The variadic call gets the one `int` that GIT_OPT_ENABLE_FSYNC_GITDIR reads.
        let flush = unsafe {
            git2::opts::set_verify_owner_validation(false).expect("the option takes any value");
            for level in
                [ConfigLevel::ProgramData, ConfigLevel::System, ConfigLevel::XDG, ConfigLevel::Global]
            {
                git2::opts::set_search_path(level, "").expect("the level is one of the four with a path");
            }
            git2::opts::set_server_connect_timeout_in_milliseconds(milliseconds(CONNECT_PATIENCE))
                .expect("the option takes any value");
            git2::opts::set_server_timeout_in_milliseconds(milliseconds(SERVER_PATIENCE))
                .expect("the option takes any value");
            for scheme in ["http", "https"] {
                git2::transport::register(scheme, crate::remote::http::transport)
                    .expect("no scheme is registered twice");
            }
            libgit2_sys::git_libgit2_opts(
                libgit2_sys::GIT_OPT_ENABLE_FSYNC_GITDIR as c_int,
                flush_switched_on,
            )
        };
        assert_eq!(flush, 0, "libgit2 knows the flush option");
    });
}

fn milliseconds(duration: Duration) -> c_int {
    c_int::try_from(duration.as_millis()).unwrap_or(c_int::MAX)
}
