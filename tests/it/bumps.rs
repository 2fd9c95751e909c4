//! `packhouse bump`, and what `check` says of versions: one answer at both doors.

use super::support::{Folder, greeter, greeter_with};

const TIER: &str = r#"{ "name": "tier", "type": "string", "required": true, "description": "The plan.", "example": "gold" },
        "#;

/// A pack that breaks the callers of [`greeter`].
fn breaking(version: &str) -> String {
    greeter_with(version, TIER, " Mind the plan {{tier}}.")
}

/// A repository with these settings whose `main` holds `greeter` with that version, and `text` in the work tree.
fn changed(settings: &str, version: &str, text: String) -> Folder {
    let folder = Folder::repository();
    folder.write("packhouse.toml", settings);
    folder.write("greeter.pack.json", greeter(version)).commit("one");
    folder.write("greeter.pack.json", text);
    folder
}

#[test]
fn below_one_any_higher_version_will_do_where_changes_are_only_reported() {
    let folder = changed("[changes]\nzero-major = \"report-only\"\n", "0.2.3", breaking("0.2.3"));
    let check = folder.run(&["check", "--against", "HEAD"]);
    let help = "raise `version` to 0.2.4 (`packhouse bump --against HEAD --write` does it); below 1.0.0 any higher version will do \
                (`zero-major = \"report-only\"`)";
    assert!(check.stdout.contains(help), "{}", check.shown());
    assert!(!check.stdout.contains("[[allow]]"), "accepting helps nobody: {}", check.shown());
    let bump = folder.run(&["bump", "--against", "HEAD", "--prompts", "--write"]);
    assert_eq!(
        bump.stdout,
        "greeter 0.2.3 -> 0.2.4  (major, greeter.pack.json)\ngreeter, prompt hello 1.0.0 -> 2.0.0  (greeter.pack.json)\n"
    );
    let check = folder.run(&["check", "--against", "HEAD"]);
    assert_eq!(check.status, 0, "{}", check.shown());
}

#[test]
fn the_packs_version_counts_those_that_its_prompts_get() {
    let folder = changed("[changes]\nprompt-scope = \"independent\"\n", "1.0.0", breaking("1.0.0"));
    let bump = |more: &[&str]| folder.run(&[&["bump", "--against", "HEAD"], more].concat()).stdout;
    assert_eq!(bump(&[]), "greeter 1.0.0 -> 2.0.0  (major, greeter.pack.json)\n");
    let raised = "greeter 1.0.0 -> 1.1.0  (minor, greeter.pack.json)\ngreeter, prompt hello 1.0.0 -> 2.0.0  (greeter.pack.json)\n";
    assert_eq!(bump(&["--prompts"]), raised);
    assert_eq!(bump(&["--prompts", "--write"]), raised);
    assert_eq!(bump(&["--prompts"]), "every version is high enough\n");
    let check = folder.run(&["check", "--against", "HEAD"]);
    assert_eq!(check.status, 0, "{}", check.shown());
}

#[test]
fn the_advice_names_the_command_that_gives_the_same_answer() {
    let folder = changed("", "1.0.0", breaking("1.0.1"));
    folder.git(&["tag", "v1.0.0"]);
    for (arguments, written) in [
        (&["--against", "tag:v*"][..], "packhouse bump --against 'tag:v*'"),
        (&["--against", "HEAD", "--profile", "strict"], "packhouse bump --against HEAD --profile strict"),
    ] {
        let check = folder.run(&[&["check"], arguments].concat());
        for advice in
            [format!("`{written} --write` does it"), format!("`{written} --prompts --write` does it")]
        {
            assert!(check.stdout.contains(&advice), "{}", check.shown());
        }
    }
}

#[test]
fn what_accepting_does_to_the_version_is_one_sentence() {
    for (version, said) in [
        (
            "1.0.1",
            "instead of raising the version, you can accept what asks for more: add to packhouse.toml:",
        ),
        (
            "1.0.0",
            "instead of raising the version so far, you can accept what asks for more and raise it by a patch: add to \
             packhouse.toml:",
        ),
    ] {
        let folder = changed("", "1.0.0", breaking(version));
        let check = folder.run(&["check", "--against", "HEAD"]);
        assert!(check.stdout.contains(&format!("\n{said}\n\n[[allow]]\n")), "{}", check.shown());
    }
}
