//! Yanks, deprecations, channels and removals: from the command to the ledger.

use crate::daemon::Daemon;
use crate::ledger::commit;
use crate::support::{Folder, Ran, greeter};

/// A registry of 1.0.0 and 1.1.0 that knows the tokens `ops` (yank) and `root` (admin).
struct Registry {
    folder: Folder,
    daemon: Daemon,
    ops: String,
    root: String,
}

impl Registry {
    fn start() -> Registry {
        let folder = Folder::new();
        let token = |name: &str, scope: &str| {
            let ran = folder.run(&["token", "new", "--name", name, "--scope", scope]);
            let (token, table) = ran.stdout.split_once("\n\n").expect("a token and a table");
            (token.to_owned(), table.to_owned())
        };
        let ((ops, first), (root, second)) = (token("ops", "yank"), token("root", "admin"));
        let source = "[[source]]\nname = \"packs\"\npath = \"packs\"\n";
        folder.write("registry.toml", format!("{first}{second}{source}"));
        folder.write("packs/greeter.pack.json", greeter("1.0.0"));
        folder.git(&["init", "--quiet", "--initial-branch=main", "packs"]);
        commit(&folder, "first");
        folder.write("packs/greeter.pack.json", greeter("1.1.0").replace("one person", "a person"));
        commit(&folder, "second");
        let daemon = Daemon::start(&folder);
        daemon.wait("both versions are served", |daemon| {
            daemon.get("/v1/packs/greeter/versions/1.1.0").status == 200
        });
        Registry { folder, daemon, ops, root }
    }

    fn run(&self, token: &str, arguments: &[&str]) -> Ran {
        let url = format!("http://{}", self.daemon.address);
        let variables = [("PACKHOUSE_TOKEN", token), ("PACKHOUSE_REGISTRY", url.as_str())];
        self.folder.run_with(arguments, &variables, "")
    }

    /// Runs a command that has to go well; gives what it prints.
    #[track_caller]
    fn done(&self, token: &str, arguments: &[&str]) -> String {
        let ran = self.run(token, arguments);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{}", ran.shown());
        ran.stdout
    }

    /// Runs a command that has to fail with that status, and say that.
    #[track_caller]
    fn refused(&self, token: &str, arguments: &[&str], status: i32, said: &[&str]) {
        let ran = self.run(token, arguments);
        assert_eq!((ran.status, ran.stdout.as_str()), (status, ""), "{}", ran.shown());
        for said in said {
            assert!(ran.stderr.contains(said), "`{said}` is not in {}", ran.shown());
        }
        assert!(token.is_empty() || !ran.stderr.contains(token), "the token is not repeated");
    }
}

#[test]
fn what_is_changed_is_served_and_recorded_with_who_and_why() {
    let registry = Registry::start();
    let ops = |arguments: &[&str]| registry.done(&registry.ops, arguments);
    let yanked = ops(&["yank", "greeter@1.1.0", "--reason", "wrong limit"]);
    assert_eq!(yanked, "greeter@1.1.0 is yanked\n  latest 1.0.0\n");
    let unyanked = ops(&["unyank", "greeter@v1.1.0", "--reason", "it was right"]);
    assert_eq!(unyanked, "greeter@1.1.0 is not yanked\n  latest 1.1.0\n");
    let deprecated = ops(&["deprecate", "greeter@1.0.0", "--reason", "old", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&deprecated).expect("JSON");
    assert_eq!(document["versions"][1]["deprecated"], "old");
    assert_eq!(ops(&["undeprecate", "greeter@1.0.0"]), "greeter@1.0.0 is not deprecated\n  latest 1.1.0\n");
    let channel = ops(&["channel", "set", "greeter", "stable", "1.0.0"]);
    assert_eq!(channel, "greeter@stable is 1.0.0\n  latest 1.1.0\n");
    assert_eq!(registry.daemon.get("/v1/fetch/greeter@stable").status, 200);
    assert_eq!(
        ops(&["channel", "delete", "greeter", "stable"]),
        "greeter@stable is deleted\n  latest 1.1.0\n"
    );
    assert_eq!(registry.daemon.get("/v1/fetch/greeter@stable").status, 404);
    let removed = registry.done(&registry.root, &["remove", "greeter@1.1.0", "--reason", "a secret"]);
    assert_eq!(removed, "greeter@1.1.0 is removed\n  latest 1.0.0\n");
    assert_eq!(registry.daemon.get("/v1/packs/greeter/versions/1.1.0/pack.json").status, 410);
    let log = registry.folder.git(&[
        "--git-dir=state/ledger.git",
        "log",
        "--format=%(trailers:key=Actor,key=Event)",
        "ledger",
    ]);
    let recorded: Vec<&str> = log.lines().filter(|line| !line.is_empty()).take(14).collect();
    assert_eq!(
        recorded,
        [
            "Actor: root",
            "Event: 9 removed greeter@1.1.0 a secret",
            "Actor: ops",
            "Event: 8 channel-deleted greeter@1.0.0 stable",
            "Actor: ops",
            "Event: 7 channel-moved greeter@1.0.0 stable",
            "Actor: ops",
            "Event: 6 undeprecated greeter@1.0.0",
            "Actor: ops",
            "Event: 5 deprecated greeter@1.0.0 old",
            "Actor: ops",
            "Event: 4 unyanked greeter@1.1.0 it was right",
            "Actor: ops",
            "Event: 3 yanked greeter@1.1.0 wrong limit",
        ]
    );
    let Registry { folder, daemon, .. } = registry;
    drop(daemon);
    let verified = folder.run(&["ledger", "verify"]);
    assert_eq!(verified.status, 0, "{}", verified.shown());
}

#[test]
fn what_cannot_be_changed_is_said_with_what_to_do() {
    let registry = Registry::start();
    let toml = "[channels.greeter]\nstable = \"1.0.0\"\n[[yank]]\npack = \"greeter\"\nversions = \"=1.1.0\"\nreason = \"wrong\"\n";
    registry.folder.write("packs/packhouse.toml", toml);
    commit(&registry.folder, "third");
    registry.daemon.wait("the yank counts", |daemon| daemon.json("/v1/packs/greeter")["latest"] == "1.0.0");
    let head = registry.folder.git(&["-C", "packs", "rev-parse", "HEAD"]);
    let ops = registry.ops.as_str();
    let declared = format!("in packhouse.toml at commit {head} of the source packs: change it there");
    registry.refused(
        ops,
        &["unyank", "greeter@1.1.0"],
        2,
        &["answered 409", "1.1.0 is yanked by the repository", &declared, "help: "],
    );
    registry.refused(
        ops,
        &["channel", "set", "greeter", "stable", "1.1.0"],
        2,
        &["`stable` is set by the repository", &declared],
    );
    registry.refused(
        ops,
        &["channel", "delete", "greeter", "stable"],
        2,
        &["`stable` is set by the repository", &declared],
    );
    registry.refused(ops, &["channel", "delete", "greeter", "beta"], 1, &["`greeter` has no channel `beta`"]);
    registry.refused(
        ops,
        &["channel", "delete", "greeter", "latest"],
        2,
        &["`latest` may not name a channel"],
    );
    let why = ["--reason", "x"];
    let with = |arguments: &[&'static str]| [arguments, &why].concat();
    registry.refused(
        ops,
        &with(&["remove", "greeter@1.0.0"]),
        2,
        &["answered 403", "`ops` has yank", "PACKHOUSE_TOKEN"],
    );
    registry.refused("", &with(&["yank", "greeter@1.0.0"]), 2, &["answered 401", "PACKHOUSE_TOKEN"]);
    registry.refused(
        ops,
        &with(&["yank", "nobody@1.0.0"]),
        1,
        &["nobody@1.0.0: no pack `nobody`", "packhouse search"],
    );
    registry.refused(ops, &with(&["yank", "greeter@9.0.0"]), 1, &["`greeter` has no release `9.0.0`"]);
    registry.refused(
        ops,
        &with(&["yank", "greeter"]),
        2,
        &["`greeter` names no single version", "packhouse info greeter"],
    );
    registry.refused(ops, &with(&["yank", "greeter@^1"]), 2, &["names no single version"]);
    registry.refused(ops, &with(&["yank", "Greeter@1.0.0"]), 2, &["`Greeter@1.0.0` is no release"]);
    registry.refused(ops, &["yank", "greeter@1.0.0"], 2, &["--reason <TEXT>"]);
    registry.refused(ops, &["yank", "greeter@1.0.0", "--reason", " "], 2, &["answered 400", "`reason`"]);
    registry.refused(
        ops,
        &["channel", "set", "greeter", "latest", "1.0.0"],
        2,
        &["`latest` may not name a channel"],
    );
    registry.refused(ops, &["channel", "set", "greeter", "beta", "^1"], 2, &["`^1` is no version"]);
}
