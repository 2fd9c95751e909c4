//! Settles the process-wide options of libgit2, once, before anything is opened.

use std::ffi::c_int;
use std::sync::Once;

use git2::ConfigLevel;

/// Makes libgit2 fit for a server: nothing of the user's or the machine's configuration counts, repositories of other
/// owners may be read, and what is written is flushed.
///
/// Reading other owners' repositories is safe here because no hook, filter or command of theirs is ever run. Flushing
/// is switched on here rather than by a configuration key, which would make git clients print warnings.
#[allow(unsafe_code, reason = "libgit2's options are global, and the flush option has no safe wrapper")]
pub(crate) fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let flush_switched_on: c_int = 1;
        // SAFETY: these calls change global state without a lock. `Once` lets a single thread through and makes every
        // other caller wait, and whatever opens a repository or a configuration, which alone read these options, calls
        // `prepare` first. The variadic call gets the one `int` that GIT_OPT_ENABLE_FSYNC_GITDIR reads.
        let flush = unsafe {
            git2::opts::set_verify_owner_validation(false).expect("the option takes any value");
            for level in
                [ConfigLevel::ProgramData, ConfigLevel::System, ConfigLevel::XDG, ConfigLevel::Global]
            {
                git2::opts::set_search_path(level, "").expect("the level is one of the four with a path");
            }
            libgit2_sys::git_libgit2_opts(
                libgit2_sys::GIT_OPT_ENABLE_FSYNC_GITDIR as c_int,
                flush_switched_on,
            )
        };
        assert_eq!(flush, 0, "libgit2 knows the flush option");
    });
}
