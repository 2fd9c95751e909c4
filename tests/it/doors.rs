//! One pack, asked at two doors: `check --against registry…` and `POST /v1/check` say the same.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::daemon::Daemon;
use crate::support::{Folder, greeter, greeter_with};

const TIER: &str = "{ \"name\": \"tier\", \"type\": \"string\", \"required\": false, \"default\": \"gold\", \
    \"description\": \"The plan.\" },\n        ";

/// The pack with an optional variable more.
fn with_tier(version: &str) -> String {
    greeter_with(version, TIER, " Mind {{tier}}.")
}

/// A registry of 1.0.0, 1.1.0 with a variable more, 1.2.0 and 1.2.1 without it, both held back.
fn registry() -> (Folder, Daemon) {
    let folder = Folder::new();
    folder.write("registry.toml", "[[source]]\nname = \"packs\"\npath = \"packs\"\n");
    folder.write("packs/greeter.pack.json", greeter("1.0.0"));
    folder.git(&["init", "--quiet", "--initial-branch=main", "packs"]);
    let commit = || {
        folder.git(&["-C", "packs", "add", "--all"]);
        folder.git(&["-C", "packs", "commit", "--quiet", "--message", "next"]);
    };
    commit();
    for text in [with_tier("1.1.0"), greeter("1.2.0"), greeter("1.2.1").replace("one person", "a person")] {
        folder.write("packs/greeter.pack.json", text);
        commit();
    }
    let daemon = Daemon::start(&folder);
    daemon.wait("the last version is served", |daemon| {
        daemon.get("/v1/packs/greeter/versions/1.2.1").status == 200
    });
    (folder, daemon)
}

fn post(daemon: &Daemon, path: &str, body: &str) -> Value {
    let mut stream = TcpStream::connect(&daemon.address).expect("a connection");
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
    );
    write!(stream, "{head}Content-Length: {length}\r\n\r\n{body}").expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

/// What a report says, without what the doors know by different names.
fn said(report: &Value) -> String {
    let pack = &report["packs"][0];
    let rules = |list: &Value| -> Vec<String> {
        let entries = list.as_array().into_iter().flatten();
        let mut rules: Vec<String> =
            entries.map(|entry| format!("{}[{}]", entry["level"], entry["rule"])).collect();
        rules.sort();
        rules
    };
    format!(
        "{} {} findings {:?} changes {:?} against {} judged by {}",
        pack["status"],
        pack["passed"],
        rules(&pack["findings"]),
        rules(&pack["diff"]["changes"]),
        pack["diff"]["old"]["version"],
        pack["baseline"]["version"],
    )
}

#[test]
fn both_doors_say_the_same_of_a_pack() {
    let (folder, daemon) = registry();
    let address = format!("http://{}", daemon.address);
    let texts = [
        ("published", with_tier("1.1.0")),
        ("published with other content", greeter("1.1.0")),
        ("published and held back", greeter("1.2.0")),
        ("held back with other content", with_tier("1.2.1").replace("one person", "people")),
        ("a new patch", with_tier("1.1.1").replace("one person", "people")),
        ("a break under a patch", greeter("1.2.2")),
        ("a break under a major", greeter("2.0.0")),
        ("the first content again", greeter("1.0.5")),
        ("lower than everything", greeter("0.9.0")),
        ("not semantic", greeter("one")),
        ("unknown", greeter("1.0.0").replace("greeter", "other")),
    ];
    let forms = [
        ("registry", ""),
        ("registry:latest", "?against=latest"),
        ("registry:1.1.0", "?against=1.1.0"),
        ("none", "?against=none"),
    ];
    for (what, text) in texts {
        folder.write("mine/greeter.pack.json", &text);
        for (against, query) in forms {
            if what == "unknown" && against == "registry:1.1.0" {
                continue;
            }
            let arguments =
                ["check", "mine", "--against", against, "--registry", &address, "--format", "json"];
            let checked = folder.run(&arguments);
            let posted = post(&daemon, &format!("/v1/check{query}"), &text);
            assert_eq!(
                said(&checked.json()),
                said(&posted),
                "{what}, against {against}: {}",
                checked.shown()
            );
            assert_eq!(checked.status == 0, posted["passed"] == true, "{what}, against {against}");
        }
    }
}

/// What stands in the repository beside the pack of [`surrounded`].
const SETTINGS: &str = "[lints]
host-variables = [\"tenant\"]
[[lints.override]]
paths = [\"packs/**\"]
rules = { unused-variable = \"error\" }
[[allow]]
rule = \"unused-variable\"
pack = \"greeter\"
place = \"/prompts/hello/variables/{old}\"
reason = \"callers still send it\"
[[allow]]
rule = \"variable-removed\"
path = \"packs/greeter.pack.json\"
reason = \"nobody sends it\"
[[allow]]
rule = \"unused-tool\"
pack = \"greeter\"
reason = \"there is none\"
[changes.rules]
\"variable-optional-added\" = { bump = \"patch\", level = \"warn\" }
";

const SKILL: &str = "---\nname: refunds\ndescription: Handles refunds.\n---\nGive it back.\n";

/// A pack with skills, with variables that callers send and more text.
fn surrounded(version: &str, variables: &[&str], skills: &str, text: &str) -> String {
    let variable = |name: &&str| {
        format!(
            "{{ \"name\": \"{name}\", \"type\": \"string\", \"required\": false, \"description\": \"One.\" }},"
        )
    };
    let variables: String = variables.iter().map(variable).collect();
    let plain = greeter_with(version, &variables, text);
    plain.replacen("\"prompts\"", &format!("\"skills\": [{skills}],\n  \"prompts\""), 1)
}

/// A report without the remarks of the run, which differ where a door knows less.
fn without_notes(mut report: Value) -> Value {
    report.as_object_mut().expect("a report").remove("notes");
    report
}

#[test]
fn the_settings_and_files_around_a_pack_count_at_both_doors() {
    let folder = Folder::new();
    folder.write(
        "registry.toml",
        "[policy]\nprofile = \"wire\"\n[[source]]\nname = \"packs\"\npath = \"repo\"\n",
    );
    folder.write("repo/packhouse.toml", SETTINGS).write("repo/packs/skills/refunds/SKILL.md", SKILL);
    let first = surrounded("1.0.0", &["old", "gone"], "\"./skills/refunds\"", " {{tenant}} {{gone}}");
    folder.write("repo/packs/greeter.pack.json", &first);
    folder.git(&["init", "--quiet", "--initial-branch=main", "repo"]);
    folder.git(&["-C", "repo", "add", "--all"]);
    folder.git(&["-C", "repo", "commit", "--quiet", "--message", "first"]);
    let daemon = Daemon::start(&folder);
    daemon.wait("it is served", |daemon| daemon.get("/v1/packs/greeter/versions/1.0.0").status == 200);
    let address = format!("http://{}", daemon.address);
    let skill = "\"./skills/refunds\"";
    let texts = [
        ("as published", first.clone()),
        ("an accepted break", surrounded("1.0.1", &["old"], skill, " {{tenant}}")),
        ("an accepted break under the same version", surrounded("1.0.0", &["old"], skill, " {{tenant}}")),
        (
            "a lowered rule",
            surrounded("1.0.1", &["old", "gone", "tier"], skill, " {{tenant}} {{gone}} {{tier}}"),
        ),
        ("an unused variable", surrounded("1.1.0", &["old", "gone", "tier"], skill, " {{tenant}} {{gone}}")),
        (
            "a skill twice",
            surrounded("1.1.0", &["old"], "\"./skills/refunds\", \"./skills/refunds/\"", " Hi."),
        ),
        ("no skill", surrounded("2.0.0", &["old"], "", " {{tenant}}")),
    ];
    for (what, text) in &texts {
        folder.write("repo/packs/greeter.pack.json", text);
        for (against, query) in
            [("registry", ""), ("registry:latest", "?against=latest"), ("none", "?against=none")]
        {
            let arguments = [
                "check",
                "packs/greeter.pack.json",
                "--against",
                against,
                "--registry",
                &address,
                "--format",
                "json",
            ];
            let checked = folder.run_in("repo", &arguments, &[], "");
            let posted = post(&daemon, &format!("/v1/check{query}"), text);
            assert_eq!(without_notes(checked.json()), without_notes(posted), "{what}, against {against}");
        }
    }
    let unseen = surrounded(
        "1.1.0",
        &["old", "gone"],
        "\"./skills/refunds\", \"./skills/new\"",
        " {{tenant}} {{gone}}",
    );
    let posted = post(&daemon, "/v1/check", &unseen);
    assert_eq!(posted["passed"], true, "what nobody can see is no error: {posted:#}");
    let notes = posted["notes"].to_string();
    assert!(notes.contains("`./skills/new` was not looked at"), "{notes}");
    assert!(notes.contains("as they stand in 1.0.0"), "{notes}");
}

#[test]
fn a_comparison_of_releases_knows_what_their_source_accepts() {
    let folder = Folder::new();
    folder.write("registry.toml", "[[source]]\nname = \"packs\"\npath = \"repo\"\n");
    folder.write("repo/packhouse.toml", SETTINGS).write("repo/packs/skills/refunds/SKILL.md", SKILL);
    folder.git(&["init", "--quiet", "--initial-branch=main", "repo"]);
    for (version, variables, text) in
        [("1.0.0", &["old", "gone"][..], " {{tenant}} {{gone}}"), ("1.0.1", &["old"], " {{tenant}}")]
    {
        let pack = surrounded(version, variables, "\"./skills/refunds\"", text);
        folder.write("repo/packs/greeter.pack.json", &pack);
        folder.git(&["-C", "repo", "add", "--all"]);
        folder.git(&["-C", "repo", "commit", "--quiet", "--message", version]);
    }
    let daemon = Daemon::start(&folder);
    daemon.wait("it is served", |daemon| daemon.get("/v1/packs/greeter/versions/1.0.1").status == 200);
    let compared = daemon.json("/v1/packs/greeter/compare/1.0.0...1.0.1");
    let file = "packs/greeter.pack.json";
    let arguments = ["diff", &format!("HEAD~1:{file}"), file, "--format", "json"];
    assert_eq!(compared, folder.run_in("repo", &arguments, &[], "").json());
    let accepted = compared["changes"].as_array().expect("changes").iter();
    assert!(accepted.clone().any(|change| change["acknowledged"] == true), "{compared:#}");
    let page = |pair: &str| {
        String::from_utf8(daemon.get(&format!("/packs/greeter/compare/{pair}")).body).expect("a page")
    };
    let (page, back) = (page("1.0.0...1.0.1"), page("1.0.1...1.0.0"));
    assert!(page.contains("accepted") && page.contains("What to do:"), "{page}");
    assert!(back.contains("This is the way back") && !back.contains("Accept it in"), "{back}");
}

#[test]
fn a_release_that_is_held_back_says_why() {
    let (_folder, daemon) = registry();
    let report = daemon.json("/v1/packs/greeter/versions/1.2.0/report");
    let rules: Vec<&str> =
        report["findings"].as_array().expect("findings").iter().filter_map(|f| f["rule"].as_str()).collect();
    assert!(rules.contains(&"version-bump-too-small"), "{report}");
    let versions = daemon.json("/v1/packs/greeter")["versions"].clone();
    let errors: Vec<u64> = versions
        .as_array()
        .expect("versions")
        .iter()
        .filter_map(|version| version["findings"]["error"].as_u64())
        .collect();
    assert_eq!(errors, [1, 1, 0, 0], "{versions}");
}
