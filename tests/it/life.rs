//! What happens to repositories reaches the API: problems with what to do, skills out of another source.

use crate::daemon::Daemon;
use crate::support::{Folder, greeter};

const REGISTRY: &str = r#"
[[source]]
name = "packs"
path = "packs"
versions = "tags"
poll = "1h"

[[source]]
name = "skills"
path = "skills"
poll = "1h"
"#;

/// A repository with these files, committed.
fn repository(folder: &Folder, name: &str, files: &[(&str, &str)]) {
    folder.git(&["init", "--quiet", "--initial-branch=main", name]);
    commit(folder, name, files);
}

fn commit(folder: &Folder, name: &str, files: &[(&str, &str)]) {
    for (path, text) in files {
        folder.write(&format!("{name}/{path}"), text);
    }
    folder.git(&["-C", name, "add", "--all"]);
    folder.git(&["-C", name, "commit", "--quiet", "--message", "change"]);
}

#[test]
fn a_pack_waits_for_its_skill_package_and_is_published_when_that_arrives() {
    let folder = Folder::new();
    let skill = "---\nname: tone\ndescription: How to sound.\n---\n\nBe brief and kind.\n";
    repository(&folder, "skills", &[("support/SKILL.md", skill), ("support/words.md", "Please.")]);
    let pack =
        greeter("1.0.0").replacen("\"prompts\"", "\"skills\": [\"@acme/tone@1.0.0\"],\n  \"prompts\"", 1);
    let mapped = "[skills.packages]\n\"@acme/tone\" = { source = \"skills\", path = \"support\" }\n";
    repository(&folder, "packs", &[("greeter.pack.json", &pack), ("packhouse.toml", mapped)]);
    folder.git(&["-C", "packs", "tag", "v1.0.0"]);
    folder.git(&["-C", "packs", "tag", "v2.0.0"]);
    folder.write("registry.toml", REGISTRY);

    let daemon = Daemon::start(&folder);
    let problems = |daemon: &Daemon| {
        let source = daemon.json("/v1/sources/packs");
        let problems = source["problems"].as_array().cloned().unwrap_or_default();
        let line = |problem: &serde_json::Value| {
            let help = problem["help"].as_str().is_some_and(|help| !help.is_empty());
            assert!(help, "every problem says what to do: {problem}");
            format!(
                "{} {}",
                problem["code"].as_str().unwrap_or_default(),
                problem["ref"].as_str().unwrap_or_default()
            )
        };
        problems.iter().map(line).collect::<Vec<String>>()
    };
    let told = ["unresolved-skill v1.0.0", "tag-mismatch v2.0.0"];
    daemon.wait("both problems are told", |daemon| problems(daemon) == told);

    daemon.wait("the other source is read", |daemon| {
        daemon.json("/v1/sources/skills")["last_success"].is_string()
    });

    // Only a hint from the other source can lead here: both are polled once an hour.
    folder.git(&["-C", "skills", "tag", "tone@1.0.0"]);
    daemon.wait("the pack is served", |daemon| daemon.get("/v1/fetch/greeter@1.0.0").status == 200);
    daemon.wait("the problem is gone", |daemon| problems(daemon) == told[1..]);
    let manifest = daemon.json("/v1/packs/greeter/versions/1.0.0");
    let skill = &manifest["skills"][0];
    assert_eq!(skill["reference"], "@acme/tone@1.0.0");
    assert_eq!(skill["commit"], folder.git(&["-C", "skills", "rev-parse", "HEAD"]).as_str());
    assert!(skill["digest"].as_str().is_some_and(|digest| digest.starts_with("sha256:")), "{skill}");
    assert_eq!(skill["files"][1]["path"], "words.md");
    let file = daemon.get("/v1/packs/greeter/versions/1.0.0/skills/tone/words.md");
    assert_eq!((file.status, file.body), (200, b"Please.".to_vec()));

    // The tag moves and the files change: what was copied stays.
    commit(&folder, "skills", &[("support/words.md", "Thanks.")]);
    folder.git(&["-C", "skills", "tag", "--force", "tone@1.0.0"]);
    let verified = folder.run(&["ledger", "verify", "--config", "registry.toml"]);
    assert_eq!(verified.status, 0, "{}", verified.shown());
    assert_eq!(daemon.get("/v1/packs/greeter/versions/1.0.0/skills/tone/words.md").body, b"Please.".to_vec());
}

#[test]
fn a_repository_in_the_place_of_another_is_listened_to_at_once() {
    let folder = Folder::new();
    repository(&folder, "packs", &[("greeter.pack.json", &greeter("1.0.0"))]);
    repository(&folder, "other", &[("greeter.pack.json", &greeter("1.1.0"))]);
    folder.write("registry.toml", "[[source]]\nname = \"packs\"\npath = \"packs\"\npoll = \"1h\"\n");
    let daemon = Daemon::start(&folder);
    let served = |version: &str| {
        let path = format!("/v1/packs/greeter/versions/{version}");
        daemon.wait(&format!("{version} is served"), |daemon| daemon.get(&path).status == 200);
    };
    served("1.0.0");
    for (from, to) in [("packs", "gone"), ("other", "packs")] {
        std::fs::rename(folder.path().join(from), folder.path().join(to)).expect("a folder to move");
    }
    // What moves in the old one is still a hint. It leads to the new one, and that has to be listened to from then on.
    commit(&folder, "gone", &[("greeter.pack.json", &greeter("9.0.0"))]);
    served("1.1.0");
    // Until no hint of that commit is left.
    std::thread::sleep(std::time::Duration::from_secs(1));
    commit(&folder, "packs", &[("greeter.pack.json", &greeter("1.2.0"))]);
    served("1.2.0");
    assert_eq!(daemon.get("/v1/packs/greeter/versions/9.0.0").status, 404);
}

#[test]
fn sources_that_do_not_answer_hold_nobody_up() {
    let folder = Folder::new();
    let silent: Vec<String> = (0..5).map(|number| format!("silent-{number}")).collect();
    repository(&folder, "packs", &[("greeter.pack.json", &greeter("1.0.0"))]);
    let mut registry = "[[source]]\nname = \"packs\"\npath = \"packs\"\n".to_owned();
    for name in &silent {
        repository(&folder, name, &[("readme.md", "nothing")]);
        registry += &format!("[[source]]\nname = \"{name}\"\npath = \"{name}\"\n");
    }
    folder.write("registry.toml", registry);
    let mut daemon = Daemon::start(&folder);
    for name in silent.iter().map(String::as_str).chain(["packs"]) {
        let path = format!("/v1/sources/{name}");
        daemon.wait("every source was scanned", |daemon| daemon.json(&path)["state"] == "ok");
    }
    assert_eq!(daemon.stop(), Some(0), "{}", daemon.log());

    for name in &silent {
        // Reading a pipe that nobody writes to ends as late as reading from a server that is gone.
        let refs = folder.path().join(name).join(".git/packed-refs");
        let made = std::process::Command::new("mkfifo").arg(&refs).status().expect("mkfifo starts");
        assert!(made.success());
    }
    let mut daemon = Daemon::start(&folder);
    for minor in 1..4 {
        let version = format!("1.{minor}.0");
        commit(&folder, "packs", &[("greeter.pack.json", &greeter(&version))]);
        let fetch = format!("/v1/fetch/greeter@{version}");
        daemon.wait("the next version is served", |daemon| daemon.get(&fetch).status == 200);
    }
    assert_eq!(daemon.stop(), Some(0), "{}", daemon.log());
}
