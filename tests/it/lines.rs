//! What the gate makes of a change by the release that its version is judged by, not by the commit before.

use super::support::{Folder, Ran, greeter, greeter_with};

const TIER: &str = "{ \"name\": \"tier\", \"type\": \"string\", \"required\": false, \"default\": \"gold\", \
    \"description\": \"The plan.\" },\n        ";

fn with_tier(version: &str) -> String {
    greeter_with(version, TIER, " Mind {{tier}}.")
}

fn repository(texts: &[String]) -> Folder {
    let folder = Folder::repository();
    for text in texts {
        folder.write("a.pack.json", text).commit("next");
    }
    folder
}

/// Checks a new text against the commit before it.
fn check(folder: &Folder, text: &str, more: &[&str]) -> Ran {
    folder.git(&["switch", "--quiet", "--create", "topic"]);
    folder.write("a.pack.json", text).commit("topic");
    folder.run(&[&["check", "--against", "merge-base:main"], more].concat())
}

#[test]
fn what_was_never_released_breaks_nobody() {
    let texts = [greeter("1.0.0"), with_tier("1.1.0-rc.1")];
    for version in ["1.1.0-rc.2", "1.1.0"] {
        let ran = check(&repository(&texts), &greeter(version), &[]);
        assert_eq!(ran.status, 0, "{version}: {}", ran.shown());
        assert!(ran.stdout.contains("variable-removed"), "it is told all the same: {}", ran.shown());
    }
    let by_tags = repository(&[greeter("1.0.0")]);
    by_tags.write("packhouse.toml", "[releases]\nfrom = \"tags\"\n").commit("tags");
    by_tags.git(&["tag", "v1.0.0"]);
    by_tags.write("a.pack.json", with_tier("1.1.0")).commit("unreleased");
    let ran = check(&by_tags, &greeter("1.1.0"), &[]);
    assert_eq!(ran.status, 0, "{}", ran.shown());
}

#[test]
fn the_repair_of_a_release_that_is_held_back_passes() {
    let break_under_patch = greeter_with("1.0.1", &TIER.replace("false", "true"), " Mind {{tier}}.");
    let texts = [greeter("1.0.0"), break_under_patch];
    let ran = check(&repository(&texts), &greeter("1.0.2").replace("one person", "a person"), &[]);
    assert_eq!(ran.status, 0, "{}", ran.shown());
}

#[test]
fn a_rule_that_is_set_to_error_stays_one() {
    let texts = [greeter("1.0.0"), with_tier("1.1.0-rc.1")];
    let folder = repository(&texts);
    folder
        .write("packhouse.toml", "[changes.rules]\nvariable-removed = { level = \"error\" }\n")
        .commit("strict");
    let ran = check(&folder, &greeter("1.1.0-rc.2"), &[]);
    assert_eq!(ran.status, 1, "{}", ran.shown());
}

/// The break stands in the release before: it is named, with its proof and the entry that accepts it.
#[test]
fn a_version_that_does_not_cover_an_older_break_names_it() {
    let required = TIER.replace("\"required\": false, \"default\": \"gold\"", "\"required\": true");
    let broken = |version: &str| greeter_with(version, &required, " Mind {{tier}}.");
    let folder = repository(&[greeter("1.0.0"), broken("1.0.1")]);
    let ran = check(&folder, &broken("1.0.2"), &["--output", "markdown=said.md"]);
    assert_eq!(ran.status, 1, "{}", ran.shown());
    for text in [&ran.stdout, &folder.read("said.md")] {
        for part in ["version-bump-too-small", "variable-required-added", "(since 1.0.0)", "fingerprint = "] {
            assert!(text.contains(part), "no {part}: {text}");
        }
    }
}

/// A line number of an older release is never shown beside the text of another one.
#[test]
fn what_is_gone_since_an_older_release_is_shown_where_it_is_missing() {
    let folder = repository(&[greeter("1.0.0"), with_tier("1.1.0")]);
    folder.write("packhouse.toml", "[[allow]]\nrule = \"variable-removed\"\nreason = \"told everybody\"\n");
    folder.write(
        "a.pack.json",
        greeter("1.2.0").replace("  \"description\": \"Greets people by their name.\",\n", ""),
    );
    folder.commit("accepted");
    folder.write("packhouse.toml", "").commit("no longer");
    let ran = check(&folder, &greeter("1.2.1"), &["--transitive"]);
    assert!(ran.status == 1 && ran.stdout.contains("(since 1.1.0)"), "{}", ran.shown());
    assert!(!ran.stdout.contains("(base)"), "{}", ran.shown());
}
