//! Mirrors of a real smart-HTTP server, well and unwell.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::git_http::{GitHost, Mood};
use super::support::Sandbox;
use crate::{
    Credentials, FetchFailure, FetchLimits, Fetched, GitError, Maintenance, Mirror, RefSnapshot, Remote,
    SourceRepository,
};

/// A repository, a host that serves it and a mirror of it.
struct Mirrored {
    sandbox: Sandbox,
    host: GitHost,
    mirror: Mirror,
    remote: Remote,
}

impl Mirrored {
    fn new() -> Mirrored {
        let sandbox = Sandbox::new();
        let host = GitHost::start(sandbox.root());
        let remote = Remote {
            url: host.url("repo/.git"),
            port: None,
            credentials: Credentials::None,
            known_hosts: Vec::new(),
            authorities: None,
            limits: FetchLimits { bytes: 1 << 20, refs: 100, patience: Duration::from_secs(20) },
        };
        let mirror = Mirror::at(sandbox.root().join("mirrors").join("one.git"));
        Mirrored { sandbox, host, mirror, remote }
    }

    fn try_fetch(&self) -> Result<Fetched, GitError> {
        self.mirror.fetch(&self.remote, &Arc::new(AtomicBool::new(false)))
    }

    #[track_caller]
    fn fetch(&self) -> Fetched {
        self.try_fetch().unwrap_or_else(|error| panic!("{error:?}"))
    }

    #[track_caller]
    fn fails(&self) -> FetchFailure {
        match self.try_fetch() {
            Err(GitError::Fetch { url, failure }) => {
                assert_eq!(url, self.remote.url);
                *failure
            }
            other => panic!("{other:?}"),
        }
    }

    fn refs(&self) -> RefSnapshot {
        SourceRepository::open(self.mirror.path()).unwrap().refs(1000).unwrap()
    }

    /// The mirror has what the repository has, and every object of it.
    #[track_caller]
    fn is_in_step(&self) {
        assert_eq!(self.refs(), self.sandbox.open().refs(1000).unwrap());
        self.sandbox.git_in(self.mirror.path(), ["fsck", "--strict", "--no-dangling"]);
    }
}

#[test]
fn a_mirror_follows_branches_tags_and_the_default_branch() {
    let mirrored = Mirrored::new();
    let sandbox = &mirrored.sandbox;
    assert!(!mirrored.fetch().moved, "an empty repository has nothing to bring");
    let first = sandbox.commit_file("a.json", "1");
    sandbox.git(["tag", "-a", "-m", "one", "v1.0.0"]);
    let fetched = mirrored.fetch();
    assert!(fetched.moved && fetched.bytes > 0 && fetched.objects >= 3, "{fetched:?}");
    mirrored.is_in_step();
    assert_eq!(mirrored.refs().tag("v1.0.0").unwrap().commit, Some(first));
    assert_eq!(mirrored.fetch(), Fetched::default(), "nothing moved");

    sandbox.commit_file("a.json", "2");
    sandbox.git(["tag", "v2.0.0"]);
    sandbox.git(["branch", "topic"]);
    assert!(mirrored.fetch().moved);
    mirrored.is_in_step();

    // A forced branch, a moved and a deleted tag, and a branch that becomes a folder of branches.
    sandbox.git(["reset", "-q", "--hard", "HEAD~1"]);
    sandbox.commit_file("a.json", "3");
    sandbox.git(["tag", "-f", "v2.0.0"]);
    sandbox.git(["tag", "-d", "v1.0.0"]);
    sandbox.git(["branch", "-D", "topic"]);
    sandbox.git(["branch", "topic/one"]);
    assert!(mirrored.fetch().moved);
    mirrored.is_in_step();

    sandbox.git(["branch", "-m", "main", "trunk"]);
    assert!(mirrored.fetch().moved);
    mirrored.is_in_step();
    assert_eq!(mirrored.refs().head.branch.as_deref(), Some("trunk"));

    sandbox.git(["checkout", "-q", "--detach"]);
    mirrored.fetch();
    mirrored.is_in_step();
}

#[test]
fn what_many_fetches_brought_is_merged_while_a_reader_reads() {
    let mirrored = Mirrored::new();
    let commits: Vec<_> = (0..4)
        .map(|number| {
            let commit = mirrored.sandbox.commit_file("a.json", &number.to_string());
            mirrored.fetch();
            commit
        })
        .collect();
    let reader = SourceRepository::open(mirrored.mirror.path()).unwrap();
    reader.commit(commits[3]).unwrap();
    let merged = mirrored.mirror.maintain_above(3).unwrap();
    assert_eq!(merged, Maintenance::Done { packs_before: 4, packs_after: 1 });
    for commit in commits {
        reader.commit(commit).unwrap();
    }
    mirrored.is_in_step();
    assert_eq!(mirrored.mirror.maintain().unwrap(), Maintenance::NotNeeded);
}

#[test]
fn a_mirror_may_be_deleted_or_spoiled_at_any_time() {
    let mirrored = Mirrored::new();
    mirrored.sandbox.commit_file("a.json", "1");
    mirrored.fetch();
    std::fs::write(mirrored.mirror.path().join("HEAD"), "noise").unwrap();
    std::fs::write(mirrored.mirror.path().join("objects/pack/pack_git2_left"), "cut off").unwrap();
    mirrored.fetch();
    mirrored.is_in_step();
    assert!(!mirrored.mirror.path().join("objects/pack/pack_git2_left").exists());
    mirrored.mirror.delete().unwrap();
    mirrored.mirror.delete().unwrap();
    assert!(mirrored.fetch().moved);
    mirrored.is_in_step();
}

#[test]
fn credentials_open_a_host_and_wrong_ones_are_told_once() {
    let mut mirrored = Mirrored::new();
    mirrored.sandbox.commit_file("a.json", "1");
    // `ada:hunter2`
    mirrored.host.ask_for("Basic YWRhOmh1bnRlcjI=");
    assert_eq!(mirrored.fails(), FetchFailure::CredentialsNeeded);
    let password =
        |password: &str| Credentials::Password { username: "ada".to_owned(), password: password.to_owned() };
    mirrored.remote.credentials = password("wrong");
    let before = mirrored.host.requests().len();
    assert_eq!(mirrored.fails(), FetchFailure::CredentialsRefused);
    assert_eq!(mirrored.host.requests().len(), before + 1, "the same credentials are not tried again");
    assert!(!format!("{:?}", mirrored.remote).contains("wrong"), "credentials are never shown");
    mirrored.remote.credentials = password("hunter2");
    assert!(mirrored.fetch().moved);
    mirrored.is_in_step();
    let config = std::fs::read_to_string(mirrored.mirror.path().join("config")).unwrap();
    assert!(!config.contains("hunter2"), "{config}");
}

#[test]
fn a_host_in_a_bad_mood_is_told_apart() {
    let mut mirrored = Mirrored::new();
    mirrored.sandbox.commit_file("a.json", "1");
    mirrored.host.mood(Mood::Busy(120));
    let busy = FetchFailure::Busy { status: 429, retry_after: Some("120".to_owned()) };
    assert_eq!(mirrored.fails(), busy);
    mirrored.host.mood(Mood::Status(500));
    assert_eq!(mirrored.fails(), FetchFailure::Status { status: 500 });
    mirrored.host.mood(Mood::Status(404));
    assert_eq!(mirrored.fails(), FetchFailure::NotFound);
    mirrored.host.mood(Mood::Moved("http://127.0.0.2:1".to_owned()));
    assert_eq!(mirrored.fails(), FetchFailure::Redirected { origin: "http://127.0.0.2:1".to_owned() });
    mirrored.host.mood(Mood::Serving);
    mirrored.remote.limits.refs = 0;
    assert!(matches!(mirrored.try_fetch(), Err(GitError::TooManyRefs { limit: 0 })));
    mirrored.remote.url = mirrored.host.url("no-such-repository.git");
    assert_eq!(mirrored.fails(), FetchFailure::NotFound);
}

#[test]
fn silence_and_excess_end_a_transfer() {
    let mut mirrored = Mirrored::new();
    // Noise does not compress: 256 KiB stay what they are.
    let mut state = 1_u32;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    })
    .take(256 << 10)
    .collect();
    mirrored.sandbox.write("noise", noise);
    mirrored.sandbox.commit("noise");
    mirrored.remote.limits.bytes = 100_000;
    assert_eq!(mirrored.fails(), FetchFailure::TooLarge { limit: 100_000 });
    mirrored.remote.limits = FetchLimits { bytes: 1 << 20, refs: 100, patience: Duration::from_millis(300) };
    for mood in [Mood::Silent, Mood::Stalling] {
        mirrored.host.mood(mood);
        assert_eq!(mirrored.fails(), FetchFailure::Stalled { seconds: 0 });
    }
    mirrored.host.mood(Mood::Serving);
    mirrored.remote.limits.patience = Duration::from_secs(20);
    assert!(mirrored.mirror.fetch(&mirrored.remote, &Arc::new(AtomicBool::new(true))).is_err(), "called off");
    assert!(mirrored.fetch().moved);
    mirrored.is_in_step();
}

#[test]
fn names_that_are_not_utf8_are_left_out_and_counted() {
    let mirrored = Mirrored::new();
    let id = mirrored.sandbox.commit_file("a.json", "1").to_string();
    let packed = mirrored.sandbox.path().join(".git/packed-refs");
    let mut lines = format!("# pack-refs with: sorted \n{id} refs/heads/caf").into_bytes();
    lines.extend(b"\xe9\n");
    std::fs::write(packed, lines).unwrap();
    let fetched = mirrored.fetch();
    assert_eq!((fetched.moved, fetched.unreadable), (true, 1));
    assert_eq!(mirrored.refs().branches.len(), 1);
}

#[test]
fn a_host_that_is_not_there_is_unreachable() {
    let mut mirrored = Mirrored::new();
    mirrored.remote.url = "http://127.0.0.1:1/packs.git".to_owned();
    assert_eq!(mirrored.fails(), FetchFailure::Refused);
    mirrored.remote.url = mirrored.host.url("repo/.git").replacen("http", "https", 1);
    assert!(matches!(mirrored.fails(), FetchFailure::Other { .. }), "a host without TLS");
}

#[test]
fn objects_of_another_format_are_named() {
    let mut mirrored = Mirrored::new();
    let root = mirrored.sandbox.root().to_owned();
    mirrored.sandbox.git_in(&root, ["init", "-q", "--object-format=sha256", "new"]);
    mirrored.sandbox.git_in(&root.join("new"), ["commit", "-q", "--allow-empty", "-m", "one"]);
    mirrored.remote.url = mirrored.host.url("new/.git");
    assert_eq!(mirrored.fails(), FetchFailure::ObjectFormat);
}

/// Waits until a server listens; false when it ends instead.
fn listens(server: &mut std::process::Child, port: u16) -> bool {
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        if server.try_wait().unwrap().is_some() || std::time::Instant::now() > deadline {
            return false;
        }
        std::thread::yield_now();
    }
    true
}

/// A port that was free a moment ago; nobody else on the machine is told of it.
fn free_port() -> u16 {
    std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

#[test]
fn the_protocol_of_git_is_spoken_too() {
    let mut mirrored = Mirrored::new();
    mirrored.sandbox.commit_file("a.json", "1");
    let folder = mirrored.sandbox.git(["--exec-path"]);
    let port = free_port();
    // The server itself and not `git daemon`, which would leave it behind when it is ended.
    let mut command = std::process::Command::new(std::path::Path::new(&folder).join("git-daemon"));
    let base = format!("--base-path={}", mirrored.sandbox.root().display());
    let port_option = format!("--port={port}");
    command.args(["--listen=127.0.0.1", &port_option, "--export-all", "--reuseaddr", &base]);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let Ok(child) = command.spawn() else {
        eprintln!("skipped: this machine has no git-daemon in `{folder}`");
        return;
    };
    let mut server = Ending(child);
    assert!(listens(&mut server.0, port), "git-daemon listens");
    mirrored.remote.url = format!("git://127.0.0.1:{port}/repo/.git");
    assert!(mirrored.fetch().moved);
    mirrored.is_in_step();
    mirrored.remote.url = format!("git://127.0.0.1:{port}/no-such-repository");
    assert_eq!(mirrored.fails(), FetchFailure::NotFound);
}

/// A process that ends with the test.
struct Ending(std::process::Child);

impl Drop for Ending {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The folder of an `sshd` with one host key and one key that opens it; none where the machine has no `sshd`.
struct SshHost {
    port: u16,
    folder: PathBuf,
    child: Ending,
}

impl SshHost {
    fn start(folder: PathBuf) -> Option<SshHost> {
        use std::process::{Command, Stdio};
        let sshd = ["/usr/sbin/sshd", "/usr/bin/sshd"]
            .into_iter()
            .find(|path| std::path::Path::new(path).exists())?;
        std::fs::create_dir_all(&folder).unwrap();
        // What `sshd` of Debian wants to exist, and only root may make.
        let _ = std::fs::create_dir_all("/run/sshd");
        for name in ["host", "user", "stranger"] {
            let mut command = Command::new("ssh-keygen");
            command.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(folder.join(name));
            assert!(command.status().unwrap().success());
        }
        std::fs::copy(folder.join("user.pub"), folder.join("authorized")).unwrap();
        let port = free_port();
        let mut command = Command::new(sshd);
        command.args(["-D", "-e", "-f", "/dev/null", "-h"]).arg(folder.join("host"));
        let authorized = format!("AuthorizedKeysFile={}", folder.join("authorized").display());
        for option in [
            &format!("ListenAddress=127.0.0.1:{port}"),
            &authorized,
            "StrictModes=no",
            "PermitRootLogin=prohibit-password",
            "PasswordAuthentication=no",
            "UsePAM=no",
            "PidFile=none",
        ] {
            command.arg("-o").arg(option);
        }
        let log = std::fs::File::create(folder.join("log")).unwrap();
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap();
        let mut host = SshHost { port, folder, child: Ending(child) };
        if !listens(&mut host.child.0, port) {
            let log = std::fs::read_to_string(host.folder.join("log")).unwrap_or_default();
            eprintln!("skipped: sshd does not start here: {log}");
            return None;
        }
        Some(host)
    }

    fn known(&self, name: &str) -> PathBuf {
        let public = std::fs::read_to_string(self.folder.join(format!("{name}.pub"))).unwrap();
        let path = self.folder.join(format!("known-{name}"));
        std::fs::write(&path, format!("[127.0.0.1]:{} {public}", self.port)).unwrap();
        path
    }
}

#[test]
fn ssh_opens_with_a_key_and_only_to_a_known_host() {
    let mut mirrored = Mirrored::new();
    mirrored.sandbox.commit_file("a.json", "1");
    let Some(host) = SshHost::start(mirrored.sandbox.root().join("ssh")) else {
        eprintln!("skipped: this machine has no sshd that starts (Debian package openssh-server)");
        return;
    };
    let user =
        String::from_utf8(std::process::Command::new("id").arg("-un").output().unwrap().stdout).unwrap();
    mirrored.remote.url =
        format!("ssh://{}@127.0.0.1:{}{}", user.trim(), host.port, mirrored.sandbox.path().display());
    mirrored.remote.port = Some(host.port);
    mirrored.remote.credentials = Credentials::SshKey(host.folder.join("user"));
    assert!(matches!(mirrored.fails(), FetchFailure::UnknownHost { kind, .. } if kind == "ssh-ed25519"));
    mirrored.remote.known_hosts = vec![host.known("stranger")];
    assert!(matches!(mirrored.fails(), FetchFailure::ChangedHostKey { .. }));
    mirrored.remote.known_hosts = vec![host.folder.join("no-such-file"), host.known("host")];
    assert!(mirrored.fetch().moved);
    mirrored.is_in_step();
    mirrored.remote.credentials = Credentials::SshKey(host.folder.join("stranger"));
    assert_eq!(mirrored.fails(), FetchFailure::CredentialsRefused);
    mirrored.remote.credentials = Credentials::SshKey(host.folder.join("no-such-key"));
    assert!(matches!(mirrored.fails(), FetchFailure::KeyFile { .. }));
    mirrored.remote.credentials = Credentials::None;
    assert_eq!(mirrored.fails(), FetchFailure::CredentialsNeeded);
    mirrored.remote.credentials = Credentials::SshKey(host.folder.join("user"));
    mirrored.remote.url.push_str("-no-such-repository");
    assert_eq!(mirrored.fails(), FetchFailure::NotFound);
}
