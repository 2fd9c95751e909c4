//! How a release stands, told alike by pages, API and commands: accepted breaks, yanks, deprecations, comparisons.

use serde_json::Value;

use crate::daemon::Daemon;
use crate::ledger::commit;
use crate::support::{Folder, greeter, greeter_with};

const TIER: &str = r#"{ "name": "tier", "type": "string", "required": true, "description": "The plan.", "example": "gold" },
        "#;

/// A registry of 1.0.0, which is deprecated, and 1.0.1 with a break that was accepted after it was published.
fn registry() -> (Folder, Daemon) {
    let folder = Folder::new();
    folder.write("registry.toml", "[[source]]\nname = \"packs\"\npath = \"packs\"\n");
    folder.git(&["init", "--quiet", "--initial-branch=main", "packs"]);
    folder.write("packs/greeter.pack.json", greeter("1.0.0"));
    commit(&folder, "first");
    folder.write("packs/greeter.pack.json", greeter_with("1.0.1", TIER, " Mind the plan {{tier}}."));
    commit(&folder, "second");
    let daemon = Daemon::start(&folder);
    let flagged = |daemon: &Daemon| daemon.get("/v1/packs/greeter/versions/1.0.1").json()["flagged"].clone();
    daemon.wait("1.0.1 is flagged", |daemon| flagged(daemon) == true);
    let settings = "[[allow]]\nrule = \"variable-required-added\"\npack = \"greeter\"\nreason = \"nobody calls it yet\"\n\
                    [[deprecate]]\npack = \"greeter\"\nversions = \"=1.0.0\"\nreason = \"it knows no plans\"\n";
    folder.write("packs/packhouse.toml", settings);
    commit(&folder, "third");
    daemon.wait("the break is accepted", |daemon| flagged(daemon) == false);
    (folder, daemon)
}

fn page(daemon: &Daemon, path: &str) -> String {
    String::from_utf8(daemon.get(path).body).expect("UTF-8")
}

#[test]
fn every_door_tells_how_a_release_stands() {
    let (folder, daemon) = registry();
    let url = format!("http://{}", daemon.address);
    let run = |arguments: &[&str]| folder.run(&[arguments, &["--registry", &url]].concat());

    let manifest = daemon.get("/v1/packs/greeter/versions/1.0.1").json();
    let today = manifest["flag_lifted"].as_str().and_then(|at| at.get(..10)).expect("since when").to_owned();
    let versions = daemon.get("/v1/packs/greeter").json()["versions"].clone();
    assert_eq!(versions[0]["flag_lifted"], manifest["flag_lifted"]);
    assert_eq!(daemon.get("/v1/packs/greeter/versions/1.0.0").json()["deprecated"], "it knows no plans");
    let accepted = format!("accepted since {today}");
    for id in ["greeter", "greeter@1.0.1"] {
        let info = run(&["info", id]);
        assert!(info.stdout.contains(&accepted), "{}", info.shown());
    }
    let info = run(&["info", "greeter@1.0.0"]);
    assert!(info.stdout.contains("deprecated: it knows no plans"), "{}", info.shown());
    let report = page(&daemon, "/packs/greeter/1.0.1/report");
    assert!(report.contains("<span class=\"badge\">accepted</span> since"), "{report}");
    let page = page(&daemon, "/packs/greeter/1.0.1");
    assert!(page.contains(">accepted</span>") && !page.contains("flagged: "), "{page}");

    let fetched = run(&["fetch", "greeter@1.0.0"]);
    let warning = "greeter@1.0.0 is deprecated; `packhouse info greeter@1.0.0` says why";
    assert!(fetched.stderr.contains(warning), "{}", fetched.shown());
}

#[test]
fn two_releases_compare_alike_at_every_door() {
    let (folder, daemon) = registry();
    let url = format!("http://{}", daemon.address);
    let diff = |more: &[&str]| {
        let arguments = ["diff", "greeter@1.0.0", "greeter@latest", "--registry", &url];
        folder.run(&[&arguments[..], more].concat())
    };
    let asked: Value = daemon.get("/v1/packs/greeter/compare/1.0.0...1.0.1").json();
    assert_eq!(diff(&["--format", "json"]).json(), asked);
    assert_eq!(asked["sufficient"], true);
    let accepted: Vec<&Value> = asked["accepted"].as_object().expect("reasons").values().collect();
    assert_eq!(accepted, ["nobody calls it yet"]);
    let text = diff(&[]);
    assert!(text.stdout.contains("accepted: nobody calls it yet"), "{}", text.shown());
    let page = page(&daemon, "/packs/greeter/compare/1.0.0...1.0.1");
    assert!(page.contains("nobody calls it yet"), "{page}");
}
