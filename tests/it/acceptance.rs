//! What a check offers to accept, and what it says once that was done.

use serde_json::Value;

use super::support::{Folder, Ran, greeter, greeter_with};

const TIER: &str = "{ \"name\": \"tier\", \"type\": \"string\", \"required\": true, \"description\": \"The plan.\" },\n        ";

fn breaking(version: &str) -> String {
    greeter_with(version, TIER, " Mind the plan {{tier}}.")
}

/// A repository that has released a version, with another text in its place.
fn changed(released: &str, text: &str) -> Folder {
    let folder = Folder::repository();
    folder.write("greeter.pack.json", greeter(released)).commit("one");
    folder.write("greeter.pack.json", text);
    folder
}

fn check(folder: &Folder, format: &str) -> Ran {
    folder.run(&["check", "--against", "HEAD", "--format", format])
}

/// The entries that a report offers.
fn offered(text: &str) -> String {
    let end = |entry: &str| {
        entry.split(['`', '<']).next().unwrap_or_default().split("\n\n").next().map(str::to_owned)
    };
    let entries = text.split("[[allow]]\n").skip(1).filter_map(end);
    entries.map(|entry| format!("[[allow]]\n{entry}\n")).collect()
}

#[test]
fn what_needs_a_patch_only_is_not_offered() {
    let folder = changed("1.0.0", &greeter("1.0.0").replace("one person", "a person"));
    for format in ["text", "markdown"] {
        let ran = check(&folder, format);
        assert_eq!(ran.status, 1, "{}", ran.shown());
        assert!(!ran.stdout.contains("allow"), "accepting it would change nothing: {}", ran.stdout);
        assert!(ran.stdout.contains("raise `version` to 1.0.1"), "{}", ran.stdout);
    }
    folder.write(
        "packhouse.toml",
        "[changes]\n[changes.rules]\nprompt-description-changed = { level = \"error\" }\n",
    );
    folder.write("greeter.pack.json", greeter("1.0.1").replace("one person", "a person"));
    let ran = check(&folder, "text");
    assert!(
        ran.stdout.contains("to accept what fails, add to packhouse.toml:"),
        "the rule alone fails it: {}",
        ran.stdout
    );
}

#[test]
fn what_is_offered_has_the_effect_that_is_told() {
    for format in ["text", "markdown"] {
        let folder = changed("1.0.0", &breaking("1.0.0"));
        let ran = check(&folder, format);
        assert!(ran.stdout.contains("with `[[allow]]` and raise it to 1.0.1"), "{}", ran.stdout);
        let footer = match format {
            "text" => "you can accept what asks for more and raise it by a patch: add to packhouse.toml:",
            _ => "packhouse.toml, and raise the version by a patch",
        };
        assert!(ran.stdout.contains(footer), "{}", ran.stdout);
        let entries = offered(&ran.stdout);
        assert_eq!(
            entries.matches("fingerprint").count(),
            1,
            "the text needs a patch all the same: {entries}"
        );
        folder.write("packhouse.toml", &entries);
        let ran = check(&folder, "json");
        let message = ran.json()["packs"][0]["findings"][0]["message"].clone();
        assert_eq!(
            message,
            "the changes since 1.0.0 need a patch bump, accepted ones too, and the version is the same"
        );
        folder.write("greeter.pack.json", breaking("1.0.1"));
        assert_eq!(check(&folder, format).status, 0, "{}", check(&folder, format).shown());
        let ran = check(&folder, format);
        assert!(ran.stdout.contains("(accepted: say why this is accepted)"), "{}", ran.stdout);
    }
    let folder = changed("1.0.0", &breaking("1.0.1"));
    let ran = check(&folder, "text");
    let footer = "instead of raising the version, you can accept what asks for more: add to packhouse.toml:";
    assert!(ran.stdout.contains(footer), "{}", ran.stdout);
    assert!(!ran.stdout.contains("and raise it to"), "{}", ran.stdout);
}

#[test]
fn below_one_the_rule_is_told() {
    let folder = changed(
        "0.3.0",
        &breaking("0.3.0").replace(
            "\"required\": true, \"description\": \"The plan.\"",
            "\"required\": false, \"default\": \"a\", \"description\": \"The plan.\"",
        ),
    );
    let ran = check(&folder, "text");
    let rule = "below 1.0.0 a break raises the second number, and everything else the third";
    assert!(ran.stdout.contains("need a minor bump"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains(&format!(
            "raise `version` to 0.3.1 (`packhouse bump --against HEAD --write` does it); {rule}"
        )),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("[[allow]]"), "accepting it would change nothing: {}", ran.stdout);
    folder.write("greeter.pack.json", folder.read("greeter.pack.json").replace("0.3.0", "0.3.1"));
    let diff = folder.run(&["diff", "HEAD:greeter.pack.json", "greeter.pack.json"]);
    assert!(
        diff.stdout.contains("required minor (minor suggested)")
            || diff.stdout.contains("required minor, declared patch: sufficient"),
        "{}",
        diff.stdout
    );
    assert!(diff.stdout.contains(&format!("note: the version is enough: {rule}")), "{}", diff.stdout);
    let folder = changed("0.3.0", &breaking("0.3.0"));
    let ran = check(&folder, "text");
    assert!(ran.stdout.contains("raise `version` to 0.4.0"), "{}", ran.stdout);
    assert!(ran.stdout.contains("with `[[allow]]` and raise it to 0.3.1"), "{}", ran.stdout);
}

#[test]
fn a_removed_pack_is_told_at_its_own_file() {
    let folder = Folder::repository();
    folder
        .write("a/greeter.pack.json", greeter("1.0.0"))
        .write("b/other.pack.json", greeter("1.0.0").replace("greeter", "other"));
    folder.commit("two").remove("a/greeter.pack.json");
    let github = check(&folder, "github").stdout;
    assert!(github.contains("file=a/greeter.pack.json,line=1") && !github.contains("b/other"), "{github}");
    let gitlab = check(&folder, "gitlab").json();
    assert_eq!(gitlab[0]["location"]["path"], "a/greeter.pack.json");
    let sarif = check(&folder, "sarif").json();
    let location = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "a/greeter.pack.json");
    folder.write(
        "packhouse.toml",
        "[[allow]]\nrule = \"pack-removed\"\npack = \"greeter\"\nreason = \"nobody used it\"\n",
    );
    let ran = check(&folder, "text");
    assert_eq!(ran.status, 0, "{}", ran.shown());
    assert!(ran.stdout.contains("greeter 1.0.0 (a/greeter.pack.json): removed, passes"), "{}", ran.stdout);
    assert!(ran.stdout.contains("(accepted: nobody used it)"), "{}", ran.stdout);
}

#[test]
fn what_was_not_compared_is_not_new_and_no_report_of_it_is_green() {
    let folder = Folder::repository();
    folder.write("greeter.pack.json", greeter("1.0.0")).commit("one");
    let report = |format: &str| folder.run(&["check", "--against", "merge-base:nowhere", "--format", format]);
    let text = report("text").stdout;
    assert!(
        text.contains("greeter (greeter.pack.json): not compared, fails") && text.contains("1 not compared"),
        "{text}"
    );
    assert!(text.contains("note: nothing was compared: the branch `nowhere`"), "{text}");
    assert!(report("markdown").stdout.contains("| not compared |"), "{}", report("markdown").stdout);
    let gitlab: Value = report("gitlab").json();
    assert_eq!((&gitlab[0]["check_name"], &gitlab[0]["severity"]), (&"incomplete".into(), &"major".into()));
    assert!(gitlab[0]["description"].as_str().is_some_and(|text| text.contains("`nowhere`")), "{gitlab}");
    let invocation = report("sarif").json()["runs"][0]["invocations"][0].clone();
    assert_eq!(invocation["executionSuccessful"], false, "{invocation}");
    folder.write("greeter.pack.json", "{").commit("broken").write("greeter.pack.json", greeter("1.0.1"));
    let ran = folder.run(&["check", "--against", "HEAD", "--allow-broken-base"]);
    assert!(
        ran.stdout.contains("1 not compared")
            && ran.stdout.contains("greeter: nothing was compared: greeter.pack.json"),
        "{}",
        ran.shown()
    );
}
