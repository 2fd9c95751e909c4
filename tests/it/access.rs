//! Tokens from the command that makes them to the registry that knows them.

use crate::daemon::Daemon;
use crate::support::{Folder, Ran, greeter};

/// Makes a token; gives it and the lines for the configuration.
fn new_token(folder: &Folder, arguments: &[&str]) -> (String, String) {
    let ran = folder.run(&[&["token", "new"], arguments].concat());
    assert_eq!(ran.status, 0, "{}", ran.shown());
    let (token, table) = ran.stdout.split_once("\n\n").expect("a token and a table");
    assert!(!table.contains(token) && !ran.stderr.contains(token), "{}", ran.shown());
    (token.to_owned(), table.to_owned())
}

#[test]
fn a_new_token_opens_a_registry_that_knows_its_hash() {
    let folder = Folder::repository();
    folder.write("greeter.pack.json", greeter("1.0.0")).commit("one");
    let (token, table) = new_token(&folder, &["--name", "ci", "--scope", "read", "--scope", "check"]);
    assert_ne!(new_token(&folder, &["--name", "ci", "--scope", "read"]).0, token);
    let sources = "[[source]]\nname = \"packs\"\npath = \".\"\n";
    folder.write("registry.toml", format!("[auth]\nanonymous_read = false\n{table}{sources}"));
    let checked = folder.run(&["config", "check"]);
    assert_eq!(checked.status, 0, "{}", checked.shown());
    assert!(
        checked.stdout.contains("nobody read without a token\ntoken ci: read, check\n"),
        "{}",
        checked.shown()
    );
    let daemon = Daemon::start(&folder);
    let url = format!("http://{}", daemon.address);
    let run = |arguments: &[&str], token: &str| -> Ran {
        let variables = [("PACKHOUSE_TOKEN", token), ("PACKHOUSE_REGISTRY", url.as_str())];
        folder.run_with(arguments, &variables, "")
    };
    let head = format!("GET /v1/packs/greeter HTTP/1.1\r\nAuthorization: Bearer {token}");
    daemon.wait("the first release", |daemon| daemon.request(&head).status == 200);
    for command in [
        &["info", "greeter"][..],
        &["search", "greet"],
        &["fetch", "greeter@1.0.0"],
        &["check", "greeter.pack.json", "--against", "registry"],
    ] {
        for wrong in ["", "wrong"] {
            let without = run(command, wrong);
            assert_eq!(without.status, 2, "{command:?}: {}", without.shown());
            assert!(without.stderr.contains("PACKHOUSE_TOKEN"), "{command:?}: {}", without.shown());
        }
        let with = run(command, &token);
        assert_eq!(with.status, 0, "{command:?}: {}", with.shown());
    }
    let given = run(&["info", "greeter", "--token", &token], "wrong");
    assert_eq!(given.status, 0, "{}", given.shown());
}

#[test]
fn a_source_is_for_its_readers_as_soon_as_the_configuration_says_so() {
    let folder = Folder::repository();
    folder.write("greeter.pack.json", greeter("1.0.0")).commit("one");
    let (member, table) = new_token(&folder, &["--name", "ada", "--scope", "read", "--group", "payments"]);
    let (other, table_of_other) = new_token(&folder, &["--name", "ci", "--scope", "admin"]);
    let open = format!("{table}{table_of_other}[[source]]\nname = \"packs\"\npath = \".\"\n");
    let narrow = format!("{open}readers = [\"payments\"]\n");
    let status = |daemon: &Daemon, path: &str, token: &str| {
        daemon.request(&format!("GET {path} HTTP/1.1\r\nAuthorization: Bearer {token}")).status
    };
    let pack = "/v1/packs/greeter";
    let mut ledgers = Vec::new();
    // A first start with readers, and every change of them without a commit in between.
    for (configuration, is_open) in [(&narrow, false), (&open, true), (&narrow, false)] {
        folder.write("registry.toml", configuration);
        let mut daemon = Daemon::start(&folder);
        daemon.wait("the release is served", |daemon| status(daemon, pack, &member) == 200);
        let expected = if is_open { 200 } else { 404 };
        for path in [pack, "/v1/sources/packs", "/v1/packs/greeter/versions/1.0.0/pack.json"] {
            let own =
                (daemon.get(path).status, status(&daemon, path, &other), status(&daemon, path, &member));
            assert_eq!(own, (expected, expected, 200), "{path}: {configuration}");
        }
        daemon.stop();
        ledgers.push(folder.git(&["--git-dir=state/ledger.git", "rev-parse", "ledger"]));
    }
    assert!(ledgers[0] != ledgers[1] && ledgers[1] != ledgers[2], "each change is in the ledger");
    let verified = folder.run(&["ledger", "verify"]);
    assert_eq!(verified.status, 0, "{}", verified.shown());
    let checked = folder.run(&["config", "check"]);
    assert!(checked.stdout.contains("\n  seen by the groups payments only\n"), "{}", checked.shown());
    assert_eq!((checked.status, checked.stderr.as_str()), (0, ""), "{}", checked.shown());
    folder.write("registry.toml", narrow.replace("readers = [\"payments\"]", "readers = [\"paymnets\"]"));
    let doubtful = folder.run(&["config", "check"]);
    let said = "warning: source packs: no token is in the group `paymnets` of its `readers`: did you mean `payments`?\n";
    assert_eq!((doubtful.status, doubtful.stderr.as_str()), (0, said), "{}", doubtful.shown());
}

#[test]
fn a_proxy_is_believed_where_it_is_trusted() {
    let folder = Folder::repository();
    folder.write("greeter.pack.json", greeter("1.0.0")).commit("one");
    let source = "[[source]]\nname = \"packs\"\npath = \".\"\nreaders = [\"payments\"]\n";
    let headers = "user_header = \"X-Forwarded-User\"\ngroups_header = \"X-Forwarded-Groups\"";
    let seen = |trusted: &str| {
        let proxy = format!("[auth.proxy]\n{headers}\ntrusted = [\"{trusted}\"]\n");
        folder.write("registry.toml", format!("[auth]\nanonymous_read = false\n{proxy}{source}"));
        let mut daemon = Daemon::start(&folder);
        let head =
            "GET /v1/packs/greeter HTTP/1.1\r\nX-Forwarded-User: ada\r\nX-Forwarded-Groups: ops, payments";
        let status = |daemon: &Daemon| daemon.request(head).status;
        daemon.wait("it answers", |daemon| trusted.starts_with("10.") || status(daemon) == 200);
        let status = status(&daemon);
        daemon.stop();
        status
    };
    assert_eq!(seen("127.0.0.0/8"), 200);
    assert_eq!(seen("10.0.0.0/8"), 401);
    let checked = folder.run(&["config", "check"]);
    let said = "\nbelieves x-forwarded-user and x-forwarded-groups of 10.0.0.0/8\n";
    assert!(checked.stdout.contains(said), "{}", checked.shown());
}

#[test]
fn names_that_no_configuration_takes_make_no_token() {
    let folder = Folder::new();
    let check = |arguments: &[&str], said: &str| {
        let ran = folder.run(&[&["token", "new"], arguments].concat());
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{}", ran.shown());
        assert!(ran.stderr.contains(said), "{}", ran.shown());
    };
    check(&["--name", "ci bot", "--scope", "read"], "may not name a token");
    check(&["--name", "ci", "--scope", "reed"], "did you mean `read`?");
    check(&["--name", "ci", "--scope", "read", "--group", "a,b"], "name of a group");
}
