//! A remote repository becomes a source: fetched with credentials, rung by a webhook, served while its host is away.

use std::path::Path;

use serde_json::Value;

use crate::daemon::{Daemon, SERVE};
use crate::support::git_http::{GitHost, Mood};
use crate::support::{Folder, greeter, program};

const TOKEN: &str = "tok-3f9c1e";
const SECRET: &str = "hook-77aa01";

fn publish(folder: &Folder, version: &str) {
    folder.write("host/packs/greeter.pack.json", greeter(version));
    folder.git(&["-C", "host/packs", "add", "--all"]);
    folder.git(&["-C", "host/packs", "commit", "--quiet", "--message", version]);
}

/// A host with one repository, and a registry that watches it by two sources.
fn configured() -> (Folder, GitHost) {
    let folder = Folder::new();
    folder.git(&["init", "--quiet", "--initial-branch=main", "host/packs"]);
    publish(&folder, "1.0.0");
    let host = GitHost::start(&folder.path().join("host"));
    // `x-access-token:tok-3f9c1e`
    host.ask_for("Basic eC1hY2Nlc3MtdG9rZW46dG9rLTNmOWMxZQ==");
    let url = host.url("packs/.git");
    folder.write(
        "registry.toml",
        format!(
            "[[source]]\nname = \"packs\"\nurl = \"{url}\"\npoll = \"1h\"\n\
             credentials = {{ token_env = \"PACKS_TOKEN\" }}\nwebhook_secret_env = \"PACKS_SECRET\"\n\n\
             [[source]]\nname = \"drafts\"\nurl = \"{url}\"\npoll = \"1h\"\ninclude = [\"drafts/**\"]\n\
             credentials = {{ token_env = \"PACKS_TOKEN\" }}\n"
        ),
    );
    (folder, host)
}

/// The registry, with variables that hold secrets.
fn start(folder: &Folder, variables: &[(&str, &str)]) -> Daemon {
    let mut command = program(&SERVE, &folder.path());
    command.envs(variables.iter().copied());
    Daemon::spawn(command)
}

fn ring(daemon: &Daemon) {
    let header = format!("X-Gitlab-Token: {SECRET}");
    assert_eq!(daemon.post("/v1/hooks/packs", &header, "{}").status, 202);
}

fn is_served(daemon: &Daemon, version: &str) -> bool {
    daemon.get(&format!("/v1/packs/greeter/versions/{version}")).status == 200
}

fn unreachable(daemon: &Daemon) -> Vec<Value> {
    let state = daemon.json("/v1/sources/packs");
    let problems = state["problems"].as_array().expect("problems").clone();
    problems.into_iter().filter(|problem| problem["code"] == "unreachable").collect()
}

/// No file below the folder holds the text.
fn assert_nowhere(folder: &Path, text: &str) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            assert_nowhere(&path, text);
            continue;
        }
        let bytes = std::fs::read(&path).unwrap_or_default();
        let found = bytes.windows(text.len()).any(|window| window == text.as_bytes());
        assert!(!found, "{} holds a secret", path.display());
    }
}

#[test]
fn a_remote_source_is_fetched_rung_and_served_while_its_host_is_away() {
    let (folder, host) = configured();
    let daemon = start(&folder, &[("PACKS_TOKEN", TOKEN), ("PACKS_SECRET", SECRET)]);
    daemon.wait("the first fetch is through", |daemon| is_served(daemon, "1.0.0"));
    let mirrors = std::fs::read_dir(folder.path().join("state/mirrors")).expect("mirrors").count();
    assert_eq!(mirrors, 1, "one address has one mirror");

    publish(&folder, "1.0.1");
    ring(&daemon);
    daemon.wait("the hook brought the push", |daemon| is_served(daemon, "1.0.1"));

    host.mood(Mood::Status(500));
    publish(&folder, "1.0.2");
    ring(&daemon);
    daemon.wait("the failure is seen", |daemon| unreachable(daemon).len() == 1);
    ring(&daemon);
    daemon.wait("the failure is counted", |daemon| unreachable(daemon)[0]["count"] == 2);
    let state = daemon.json("/v1/sources/packs");
    assert_eq!(state["state"], "failing");
    let message = unreachable(&daemon)[0]["message"].as_str().expect("a message").to_owned();
    assert!(message.ends_with("the host answers with status 500"), "{message}");
    assert!(is_served(&daemon, "1.0.1"), "what was published stays served");
    let log = daemon.log();
    assert_eq!(log.matches("status 500").count(), 1, "a failure is told once: {log}");

    host.mood(Mood::Serving);
    ring(&daemon);
    daemon.wait("the host is back", |daemon| is_served(daemon, "1.0.2"));
    daemon.wait("the problem is over", |daemon| unreachable(daemon).is_empty());

    let metrics = String::from_utf8(daemon.get("/metrics").body).expect("text");
    for line in [
        "packhouse_source_fetches_total{source=\"packs\",result=\"failed\"} 2",
        "packhouse_source_hints_total{source=\"packs\"} 4",
        "packhouse_source_hints_total{source=\"drafts\"} 0",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{line}: {metrics}");
    }
    for secret in [TOKEN, SECRET] {
        assert!(!daemon.log().contains(secret), "{}", daemon.log());
        assert!(!daemon.json("/v1/sources").to_string().contains(secret));
        assert_nowhere(&folder.path().join("state"), secret);
    }
}

#[test]
fn a_host_that_asks_for_time_gets_it_and_a_missing_variable_is_named() {
    let (folder, host) = configured();
    let daemon = start(&folder, &[("PACKS_SECRET", SECRET)]);
    daemon.wait("the variable is missed", |daemon| unreachable(daemon).len() == 1);
    let message = unreachable(&daemon)[0]["message"].as_str().expect("a message").to_owned();
    assert!(message.contains("`PACKS_TOKEN` is not set"), "{message}");
    assert!(host.requests().is_empty(), "nobody is asked without the credentials");
    drop(daemon);

    host.mood(Mood::Busy(3600));
    let daemon = start(&folder, &[("PACKS_TOKEN", TOKEN), ("PACKS_SECRET", SECRET)]);
    let asked = |daemon: &Daemon| {
        let problems = unreachable(daemon);
        problems.first().is_some_and(|problem| problem["message"].to_string().contains("later (status 429)"))
    };
    daemon.wait("the host asks for time", asked);
    // Both sources have asked once; a hook changes nothing about that.
    daemon.wait("both have asked", |_| host.requests().len() == 2);
    ring(&daemon);
    let hinted = |daemon: &Daemon| {
        let metrics = String::from_utf8(daemon.get("/metrics").body).expect("text");
        metrics.contains("packhouse_source_hints_total{source=\"packs\"} 1")
    };
    daemon.wait("the hook came", hinted);
    assert_eq!(host.requests().len(), 2);
}

#[test]
fn another_machine_is_reached_through_the_proxy_and_this_one_is_not() {
    let (folder, host) = configured();
    let proxy = GitHost::start(&folder.path());
    proxy.mood(Mood::Status(502));
    let sources = folder.read("registry.toml");
    let far = "[[source]]\nname = \"far\"\nurl = \"https://git.invalid/packs.git\"\n";
    folder.write("registry.toml", format!("{far}{sources}"));
    let address = proxy.url("");
    let daemon = start(
        &folder,
        &[("PACKS_TOKEN", TOKEN), ("HTTPS_PROXY", address.as_str()), ("HTTP_PROXY", "http://127.0.0.1:1")],
    );
    daemon.wait("the near source is served", |daemon| is_served(daemon, "1.0.0"));
    daemon.wait("the far source has failed", |daemon| daemon.json("/v1/sources/far")["state"] == "failing");
    assert_eq!(proxy.requests(), ["CONNECT git.invalid:443"]);
    assert!(host.requests().iter().all(|request| !request.starts_with("CONNECT")), "{:?}", host.requests());
}

#[test]
fn config_check_names_where_secrets_come_from_and_never_what_they_are() {
    let folder = Folder::new();
    folder.write(
        "registry.toml",
        "[[source]]\nname = \"packs\"\nurl = \"https://git.example.org/packs.git\"\n\
         credentials = { token_env = \"PACKS_TOKEN\" }\nwebhook_secret_env = \"PACKS_SECRET\"\n\n\
         [[source]]\nname = \"keys\"\nurl = \"ssh://git@git.example.org/packs.git\"\n\
         credentials = { ssh_key = \"no-such-key\" }\n",
    );
    let ran = folder.run_with(&["config", "check"], &[("PACKS_TOKEN", TOKEN)], "");
    assert_eq!(ran.status, 1, "{}", ran.shown());
    assert!(ran.stdout.contains("credentials from PACKS_TOKEN (set)"), "{}", ran.shown());
    assert!(ran.stderr.contains("source packs: the variable `PACKS_SECRET` is not set"), "{}", ran.shown());
    assert!(ran.stderr.contains("source keys: the key file"), "{}", ran.shown());
    assert!(!ran.shown().contains(TOKEN), "{}", ran.shown());

    folder.write(
        "registry.toml",
        "[[source]]\nname = \"packs\"\nurl = \"https://ada:hunter2@host/packs.git\"\n",
    );
    let ran = folder.run(&["config", "check"]);
    assert_eq!(ran.status, 2, "{}", ran.shown());
    assert!(ran.stderr.contains("token_env") && !ran.stderr.contains("hunter2"), "{}", ran.shown());
    folder.write("registry.toml", "[server]\nlisten = \"7420\"\n");
    let ran = folder.run(&["config", "check"]);
    assert_eq!(ran.status, 2, "{}", ran.shown());
    assert!(ran.stderr.contains("127.0.0.1:7420"), "{}", ran.shown());
}
