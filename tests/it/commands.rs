//! The smaller commands, the output formats, and what every command has in common.

use serde_json::Value;

use super::snapshot;
use super::support::{Folder, greeter, greeter_with};

const TIER: &str = r#"{ "name": "tier", "type": "string", "required": true, "description": "The plan.", "example": "gold" },
        "#;

fn breaking(version: &str) -> String {
    greeter_with(version, TIER, " Mind the plan {{tier}}.")
}

/// A repository with a break under a patch version, a misspelled variable and a pack that is gone.
fn trouble() -> Folder {
    let folder = Folder::repository();
    folder.write("packs/greeter.pack.json", greeter("1.0.0"));
    folder.write("packs/gone.pack.json", greeter("1.0.0").replace("greeter", "gone")).commit("one");
    folder.git(&["switch", "--quiet", "--create", "topic"]);
    folder.write(
        "packs/greeter.pack.json",
        breaking("1.0.1").replace("Greet {{name}}", "Greet {{nmae}}, {{name}}"),
    );
    folder.remove("packs/gone.pack.json").commit("two");
    folder
}

#[test]
fn every_format_shows_the_same_findings() {
    let folder = trouble();
    let check = ["check", "packs", "--against", "merge-base:main", "--format"];
    for format in ["concise", "jsonl", "sarif", "github", "gitlab", "junit", "markdown"] {
        let ran = folder.run(&[&check[..], &[format]].concat());
        assert_eq!((ran.status, ran.stderr.as_str()), (1, ""), "{format}: {}", ran.shown());
        snapshot(&format!("format_{format}"), &ran.stdout);
        let again = folder.run(&[&check[..], &[format]].concat());
        assert_eq!(ran.stdout, again.stdout, "{format} is the same between runs");
    }
    for format in ["text", "concise", "jsonl", "sarif", "github", "gitlab", "junit", "markdown"] {
        let ran = folder.run(&[&check[..], &[format]].concat());
        // A witness of `variable-required-added` ends so.
        assert!(ran.stdout.contains("`tier` is missing"), "{format}: {}", ran.shown());
    }
    let sarif: Value = folder.run(&[&check[..], &["sarif"]].concat()).json();
    for result in sarif["runs"][0]["results"].as_array().expect("results") {
        let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        let pack = result["properties"]["pack"].as_str().expect("a pack");
        assert_eq!(uri, &format!("packs/{pack}.pack.json"), "{result}");
    }
}

#[test]
#[cfg(unix)]
fn what_breaks_or_reorders_lines_is_escaped_in_every_format_for_people() {
    let folder = Folder::new();
    let name = "ti\\u001b[31mm\\n\\u202e\\u2066e";
    let text = greeter_with("1.0.0", &TIER.replace("tier", name), "");
    let path = "a\n::error::\u{202e}\u{1b}[31m.pack.json";
    folder.write(path, text).write("old.json", greeter("1.0.0"));
    let bidirectional = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    for format in ["text", "concise", "github", "junit", "markdown"] {
        let ran = folder.run(&["diff", "old.json", path, "--format", format]);
        let shown = ran.stdout.replace('\n', "");
        // An annotation names the very file, with line breaks and colons in percent-encoding.
        let shown = shown.replace("file=a%0A%3A%3Aerror%3A%3A\u{202e}.pack.json,", "");
        assert!(!shown.contains(|c: char| c.is_control() || bidirectional(c)), "{format}: {}", ran.shown());
        assert!(ran.stdout.contains("\\u{202e}\\u{2066}e"), "{format}: {}", ran.shown());
        assert!(ran.stdout.lines().all(|line| !line.starts_with("::error::")), "{format}: {}", ran.shown());
    }
    let concise = folder.run(&["diff", "old.json", path, "--format", "concise"]).stdout;
    assert!(
        concise.lines().all(|line| line.starts_with("a\\n::error::\\u{202e}\\u{1b}[31m.pack.json:19:")),
        "{concise}"
    );
    let report = folder.run(&["lint", "--format", "json"]).json();
    assert_eq!(report["findings"][0]["path"], path);
    let gone = folder.run(&["lint", "gone\n\u{202e}.json"]);
    assert!(gone.stderr.starts_with("error: gone\\n\\u{202e}.json: "), "{}", gone.shown());
}

#[test]
fn outputs_go_to_files_too_and_github_gets_a_summary() {
    let folder = trouble();
    let arguments = [
        "lint",
        "packs",
        "--format",
        "github",
        "--output",
        "sarif=a.sarif",
        "--output",
        "text=a.txt",
        "--color",
        "always",
    ];
    let ran = folder.run_with(&arguments, &[("GITHUB_STEP_SUMMARY", "summary.md")], "");
    assert!(ran.stdout.starts_with("::error file=packs/greeter.pack.json,line="), "{}", ran.shown());
    assert!(folder.read("summary.md").starts_with("### packhouse: 1 pack"));
    assert!(folder.read("a.sarif").contains("\"2.1.0\"") && !folder.read("a.txt").contains('\u{1b}'));
    let ran = folder.run(&["lint", "packs", "--output", "yaml=x"]);
    assert!(ran.status == 2 && ran.stderr.contains("there is no format `yaml`"), "{}", ran.shown());
}

#[test]
fn real_outputs_fit_the_schemas_that_the_program_prints() {
    let folder = trouble();
    let schema = |name: &str| {
        let schema = folder.run(&["schema", "--output", name]).json();
        jsonschema::draft202012::new(&schema).expect("a schema")
    };
    let old = "main:packs/greeter.pack.json";
    let runs: [(&str, &[&str]); 4] = [
        ("lint", &["lint", "packs"]),
        ("diff", &["diff", old, "packs/greeter.pack.json"]),
        ("check", &["check", "packs", "--against", "merge-base:main"]),
        ("check", &["check", "packs", "--against", "none"]),
    ];
    for (name, arguments) in runs {
        let report = folder.run(&[arguments, &["--format", "json"]].concat()).json();
        let errors: Vec<String> = schema(name).iter_errors(&report).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{name}");
    }
    assert_eq!(
        folder.run(&["schema", "1.5"]).json()["$id"],
        "https://promptpack.org/schema/v1.5.1/promptpack.schema.json"
    );
}

#[test]
fn a_bump_changes_the_number_alone() {
    let folder = Folder::repository();
    folder.write("packs/greeter.pack.json", greeter("v1.0.0")).commit("one");
    folder.git(&["switch", "--quiet", "--create", "topic"]);
    let text = breaking("v1.0.1").replace("  \"name\": \"Greeter\",", "  \"name\":    \"Greeter\",");
    folder.write("packs/greeter.pack.json", &text).commit("two");
    let arguments = ["bump", "--against", "merge-base:main"];
    let ran = folder.run(&arguments);
    assert_eq!(ran.stdout, "greeter v1.0.1 -> v2.0.0  (major, packs/greeter.pack.json)\n", "{}", ran.shown());
    assert_eq!(folder.read("packs/greeter.pack.json"), text);
    assert_eq!(folder.run(&[&arguments[..], &["--write"]].concat()).status, 0);
    assert_eq!(folder.read("packs/greeter.pack.json"), text.replace("v1.0.1", "v2.0.0"));
    assert_eq!(folder.run(&arguments).stdout, "every version is high enough\n");
    assert_eq!(folder.run(&["check", "--against", "merge-base:main"]).status, 0);
}

#[test]
fn a_bump_of_prompts_raises_what_changed() {
    let folder = Folder::repository();
    let path = "packs/greeter.pack.json";
    folder.write(path, greeter("1.0.0")).commit("one");
    folder.git(&["switch", "--quiet", "--create", "topic"]);
    let text = breaking("1.0.0");
    folder.write(path, &text).commit("two");
    let arguments = ["bump", "--prompts", "--against", "merge-base:main"];
    let ran = folder.run(&arguments);
    let expected =
        format!("greeter 1.0.0 -> 2.0.0  (major, {path})\ngreeter, prompt hello 1.0.0 -> 2.0.0  ({path})\n");
    assert_eq!(ran.stdout, expected, "{}", ran.shown());
    let ran = folder.run(&[&arguments[..], &["--write", "--format", "json"]].concat()).json();
    assert_eq!(
        ran["packs"][0]["prompts"],
        serde_json::json!([{ "prompt": "hello", "old": "1.0.0", "new": "2.0.0" }])
    );
    let written = text.replace("\"version\": \"1.0.0\"", "\"version\": \"2.0.0\"");
    assert_eq!(folder.read(path), written);
    let ran = folder.run(&["check", "--against", "merge-base:main"]);
    assert!(ran.status == 0 && !ran.stdout.contains("prompt-version"), "{}", ran.shown());
    // A version of the pack that will do is left alone.
    folder.write(path, breaking("2.0.0"));
    assert_eq!(folder.run(&arguments).stdout, format!("greeter, prompt hello 1.0.0 -> 2.0.0  ({path})\n"));
}

#[test]
fn a_prerelease_is_followed_by_the_next_one() {
    let (arguments, path) = (["bump", "--against", "merge-base:main", "--write"], "packs/greeter.pack.json");
    let changed = |released: &[&str], version: &str, next: &str| {
        let folder = Folder::repository();
        for release in released {
            folder.write(path, greeter(release)).commit(release);
        }
        folder.git(&["switch", "--quiet", "--create", "topic"]);
        folder.write(path, breaking(version)).commit("a break");
        let ran = folder.run(&arguments);
        assert_eq!((ran.status, folder.read(path)), (0, breaking(next)), "{version}: {}", ran.shown());
        let ran = folder.run(&arguments);
        assert_eq!(ran.stdout, "every version is high enough\n", "{version}: {}", ran.shown());
        assert_eq!(folder.run(&["check", "--against", "merge-base:main"]).status, 0, "{version}");
    };
    changed(&["1.0.0-rc.1"], "1.0.0-rc.1", "1.0.0-rc.2");
    changed(&["1.0.0-rc.1", "1.0.0-rc.2"], "1.0.0-rc.1", "1.0.0-rc.3");
    changed(&["1.0.0"], "1.1.0-beta.4", "2.0.0-beta.1");
    changed(&["1.0.0", "2.0.0-rc.1"], "2.0.0-rc.1", "2.0.0-rc.2");
    changed(&["1.0.0-rc.1", "1.0.0"], "1.0.0", "2.0.0");
}

#[test]
fn a_version_that_cannot_be_read_is_no_version_that_is_high_enough() {
    let folder = Folder::repository();
    folder.write("packs/greeter.pack.json", greeter("1.0.0")).commit("one");
    folder.git(&["switch", "--quiet", "--create", "topic"]);
    for (text, complaint) in [
        (breaking("one"), "packs/greeter.pack.json: the version `one` is not semantic"),
        (breaking("1.0.0").replace("\"version\": \"1.0.0\",\n  \"desc", "\"desc"), "there is no version"),
        ("{".to_owned(), "there is no version"),
    ] {
        folder.write("packs/greeter.pack.json", &text).write("other.pack.json", greeter("1.0.0"));
        let ran = folder.run(&["bump", "packs", "--against", "merge-base:main", "--write"]);
        assert_eq!((ran.status, ran.stdout.as_str()), (1, ""), "{}", ran.shown());
        assert!(ran.stderr.contains(complaint) && ran.stderr.contains("help: "), "{}", ran.shown());
        assert_eq!(folder.read("packs/greeter.pack.json"), text);
        assert_eq!(folder.run(&["check", "packs", "--against", "merge-base:main"]).status, 1);
    }
    folder.write("packs/greeter.pack.json", breaking("one")).commit("two");
    folder.write("packs/greeter.pack.json", breaking("2.0.0"));
    let ran = folder.run(&["bump", "packs", "--against", "HEAD"]);
    assert!(ran.status == 1 && ran.stderr.contains("`one` of the base"), "{}", ran.shown());
}

#[test]
fn rules_are_listed_and_explained() {
    let folder = Folder::new();
    let rules = folder.run(&["rules", "--format", "json"]).json();
    let ids: Vec<&str> =
        rules["rules"].as_array().expect("rules").iter().filter_map(|rule| rule["id"].as_str()).collect();
    assert!(ids.contains(&"undeclared-variable") && ids.contains(&"version-not-bumped"), "{ids:?}");
    for id in ["undeclared-variable", "version-not-bumped"] {
        assert!(folder.run(&["explain", id]).stdout.contains("fix: "), "{id}");
    }
    let explained = folder.run(&["explain", "idle-setting"]).stdout;
    assert!(explained.contains("problem of a source in a registry, level warn"), "{explained}");
    let ran = folder.run(&["explain", "undeclared-varible"]);
    assert!(ran.status == 1 && ran.stderr.contains("did you mean `undeclared-variable`?"), "{}", ran.shown());
}

#[test]
fn a_repository_is_set_up_and_passes_its_own_gate() {
    let folder = Folder::repository();
    folder.write("greeter.pack.json", greeter("1.0.0"));
    let ran = folder.run(&["init"]);
    assert_eq!(
        ran.stderr,
        "packhouse.toml: written\n.github/workflows/packhouse.yml: written\n",
        "{}",
        ran.shown()
    );
    assert_eq!(folder.run(&["lint"]).status, 0);
    assert!(
        folder.run(&["init", "--ci", "gitlab"]).stderr.starts_with("packhouse.toml: left as it is\n.gitlab/")
    );
    assert_eq!(folder.read(".gitlab-ci.yml"), "include:\n  - local: .gitlab/packhouse.yml\n");
    let again = folder.run(&["init", "--ci", "gitlab"]).stderr;
    assert!(!again.contains("add to it"), "it is included already: {again}");
    folder.write(".gitlab-ci.yml", "stages: [test]\n");
    let ran = folder.run(&["init", "--ci", "gitlab"]);
    let advice =
        ".gitlab-ci.yml: left as it is; add to it:\n  include:\n    - local: .gitlab/packhouse.yml\n";
    assert!(ran.stderr.contains(advice), "{}", ran.shown());
}

#[test]
fn the_workflow_is_for_the_repository_and_its_default_branch() {
    let folder = Folder::new();
    folder.git(&["init", "--quiet", "--initial-branch=trunk", "packs"]);
    folder.write("packs/team/support/greeter.pack.json", greeter("1.0.0"));
    let ran = folder.run_in("packs/team/support", &["init", "--ci", "github"], &[], "");
    let said = "packhouse.toml: written\n../../.github/workflows/packhouse.yml: written\n";
    assert_eq!(ran.stderr, said, "{}", ran.shown());
    assert!(folder.read("packs/.github/workflows/packhouse.yml").contains("branches: [trunk]\n"));
}

#[test]
fn every_command_helps_with_an_example() {
    let folder = Folder::new();
    let help = folder.run(&["--help"]);
    assert_eq!(help.status, 0);
    let commands: Vec<&str> = help
        .stdout
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help")
        .collect();
    assert!(commands.len() > 14, "{commands:?}");
    for command in commands {
        let ran = folder.run(&[command, "--help"]);
        // What has commands of its own gives the examples there.
        let has_example = ran.stdout.contains("Example") || ran.stdout.contains("Commands:");
        assert!(ran.status == 0 && has_example, "{command}: {}", ran.shown());
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(folder.run(&["completions", shell]).stdout.contains("packhouse"));
    }
    assert!(folder.run(&["man"]).stdout.contains(".TH packhouse"));
    assert_eq!(folder.run(&["man", "--dir", "man"]).status, 0);
    assert!(folder.read("man/packhouse-lint.1").contains("packhouse-lint"));
    assert_eq!(folder.run(&["lnt"]).status, 2);
}

#[test]
fn a_rule_says_what_it_asks_for_in_every_case() {
    let folder = Folder::new();
    let explained = |rule: &str| folder.run(&["explain", rule]).stdout;
    let event = explained("event-removed");
    assert!(event.contains("bump: wire major, contract major, strict major\n"), "{event}");
    assert!(event.contains("\n      wire patch, contract minor, strict major, where the runtime"), "{event}");
    let version = explained("version-not-bumped");
    assert!(version.contains("rule of `packhouse check` on versions, level error\n"), "{version}");
    assert!(!version.contains("bump: wire none"), "{version}");
    let prompt = explained("prompt-version-not-bumped");
    assert!(prompt.contains("level warn, under the profile strict error\n"), "{prompt}");
}
