//! `packhouse check`: the gate over real repositories.

use serde_json::Value;

use super::snapshot;
use super::support::{Folder, Ran, greeter, greeter_with};

const TIER: &str = r#"{ "name": "tier", "type": "string", "required": true, "description": "The plan.", "example": "gold" },
        "#;

/// A pack that breaks the callers of [`greeter`].
fn breaking(version: &str) -> String {
    greeter_with(version, TIER, " Mind the plan {{tier}}.")
}

/// A repository whose `main` has released 1.0.0, with a branch checked out.
fn on_branch() -> Folder {
    let folder = Folder::repository();
    folder.write("packs/greeter.pack.json", greeter("1.0.0")).commit("one");
    folder.git(&["switch", "--quiet", "--create", "topic"]);
    folder
}

fn against_main(folder: &Folder) -> Ran {
    folder.run(&["check", "--against", "merge-base:main", "--format", "json"])
}

/// The rules of the findings at a level, of packs and run.
fn rules(report: &Value, level: &str) -> Vec<String> {
    let packs =
        report["packs"].as_array().expect("packs").iter().flat_map(|pack| pack["findings"].as_array());
    let of_run = report["findings"].as_array();
    let findings = packs.chain(of_run).flatten().filter(|finding| finding["level"] == level);
    findings.map(|finding| finding["rule"].as_str().expect("a rule").to_owned()).collect()
}

#[test]
fn an_unchanged_and_a_new_pack_pass() {
    let folder = on_branch();
    folder.write("packs/other.pack.json", greeter("0.1.0").replace("greeter", "other")).commit("other");
    let report = against_main(&folder).json();
    assert_eq!(report["passed"], true);
    let of = |at: usize| (report["packs"][at]["pack"].as_str(), report["packs"][at]["status"].as_str());
    assert_eq!(of(0), (Some("greeter"), Some("unchanged")));
    assert_eq!(of(1), (Some("other"), Some("new")));
    assert!(report["against"].as_str().is_some_and(|text| text.starts_with("merge-base:main (")), "{report}");
}

#[test]
fn a_break_under_a_small_bump_fails_and_says_what_to_do() {
    let folder = on_branch();
    folder.write("packs/greeter.pack.json", breaking("1.0.1")).commit("two");
    let ran = folder.run(&["check", "packs", "--against", "merge-base:main"]);
    // Object ids depend on the texts alone: names and times are fixed.
    snapshot("check_text", &ran.shown());
    let ran = against_main(&folder);
    let report = ran.json();
    assert_eq!((ran.status, report["passed"].as_bool()), (1, Some(false)));
    let pack = &report["packs"][0];
    assert_eq!(
        (pack["status"].as_str(), pack["baseline"]["version"].as_str()),
        (Some("changed"), Some("1.0.0"))
    );
    assert_eq!(pack["baseline"]["required_bump"], "major");
    assert_eq!(pack["diff"]["changes"][0]["level"], "error");
    assert_eq!(rules(&report, "error"), ["version-bump-too-small"]);
    for (version, status, rule) in [
        ("1.0.0", 1, "version-not-bumped"),
        ("0.9.0", 1, "version-decreased"),
        ("1.0.0+b", 1, "version-build-only"),
    ] {
        folder.write("packs/greeter.pack.json", breaking(version));
        let ran = against_main(&folder);
        assert_eq!((ran.status, rules(&ran.json(), "error")), (status, vec![rule.to_owned()]), "{version}");
    }
    folder.write("packs/greeter.pack.json", breaking("2.0.0"));
    let ran = against_main(&folder);
    assert_eq!(
        (ran.status, ran.json()["packs"][0]["diff"]["changes"][0]["level"].as_str()),
        (0, Some("info"))
    );
}

#[test]
fn a_flagged_release_is_no_baseline() {
    let folder = Folder::repository();
    folder.write("greeter.pack.json", greeter("1.1.0")).commit("one");
    folder.write("greeter.pack.json", breaking("1.2.0")).commit("a break that nobody judged");
    folder.git(&["switch", "--quiet", "--create", "topic"]);
    folder.write("greeter.pack.json", breaking("1.2.1").replace("one person", "a person")).commit("laundry");
    let report = against_main(&folder).json();
    assert_eq!(report["packs"][0]["diff"]["required_bump"], "patch");
    assert_eq!(report["packs"][0]["baseline"]["version"], "1.1.0");
    assert_eq!(rules(&report, "error"), ["version-bump-too-small"]);
    let fingerprint =
        folder.run(&["diff", "main~1:greeter.pack.json", "greeter.pack.json", "--format", "json"]).json();
    let fingerprint = fingerprint["changes"][0]["fingerprint"].as_str().expect("a fingerprint").to_owned();
    folder.write(
        "packhouse.toml",
        format!("[[allow]]\nfingerprint = \"{fingerprint}\"\nreason = \"told everybody\"\n"),
    );
    let ran = against_main(&folder);
    assert_eq!(ran.status, 0, "{}", ran.shown());
    assert_eq!(rules(&ran.json(), "warn"), ["prompt-version-not-bumped", "policy-loosened"]);
    let strict = ["check", "--against", "merge-base:main", "--policy-from", "base"];
    assert_eq!(folder.run(&strict).status, 1, "the base does not accept it");
}

#[test]
fn settings_that_became_easier_are_told() {
    let folder = Folder::repository();
    let error = "[changes.rules]\nvariable-required-added = { level = \"error\" }\n";
    folder.write("packhouse.toml", error).write("packs/greeter.pack.json", greeter("1.0.0")).commit("one");
    folder.git(&["switch", "--quiet", "--create", "topic"]);
    folder.write("packhouse.toml", "[lints]\nhost-variables = [\"tenant\"]\n").commit("easier");
    let report = against_main(&folder).json();
    assert_eq!(rules(&report, "warn"), ["policy-loosened", "policy-loosened"]);
    let told = |at: usize| report["findings"][at]["message"].as_str().expect("a message");
    assert_eq!(
        told(0),
        "`variable-required-added` is now error under a version that is too low, and was error"
    );
    assert_eq!(told(1), "`tenant` counts as provided by the runtimes now, and did not before");
    assert_eq!(report["findings"][1]["line"], 2);
}

#[test]
fn what_is_switched_off_is_counted_and_leaves_no_pack_unchanged() {
    let folder = Folder::repository();
    let rules = ["variable-required-added", "prompt-template-changed"];
    let off: String = rules.iter().map(|rule| format!("{rule} = \"off\"\n")).collect();
    folder
        .write("packhouse.toml", format!("[changes.rules]\n{off}"))
        .write("packs/greeter.pack.json", greeter("1.0.0"))
        .commit("one");
    folder.git(&["switch", "--quiet", "--create", "topic"]);
    folder.write("packs/greeter.pack.json", breaking("1.0.0")).commit("two");
    let report = against_main(&folder).json();
    assert_eq!(report["packs"][0]["status"], "changed");
    assert_eq!(report["notes"][0], "greeter: 2 changes are switched off");
}

#[test]
fn settings_that_newly_speak_of_no_release_are_told() {
    let folder = Folder::repository();
    let settings = |stable: &str, yanked: &str| {
        format!(
            "[channels.greeter]\nstable = \"{stable}\"\nbeta = \"7.0.0\"\n\
             [[yank]]\npack = \"greeter\"\nversions = \"{yanked}\"\nreason = \"wrong\"\n"
        )
    };
    folder.write("packs/greeter.pack.json", greeter("1.0.0")).commit("one");
    let told = |folder: &Folder| -> Vec<String> {
        let report = against_main(folder).json();
        let notes = report["notes"].as_array().into_iter().flatten().filter_map(Value::as_str);
        notes.filter(|note| note.starts_with("packhouse.toml")).map(str::to_owned).collect()
    };
    folder.git(&["switch", "--quiet", "--create", "topic"]);
    folder.write("packhouse.toml", settings("1.0.1", "=1.9.0")).commit("two");
    assert_eq!(
        told(&folder),
        [
            "packhouse.toml: `[channels.greeter]` sets `beta` to 7.0.0, which is not released; `[channels.greeter]` sets \
          `stable` to 1.0.1, which is not released; `[[yank]]` names the versions `=1.9.0`, and no release is among them"
        ]
    );
    // A version that this branch brings counts, and so does one that was released before.
    folder.write("packhouse.toml", settings("1.0.1", "=1.0.0").replace("beta = \"7.0.0\"\n", ""));
    folder.write("packs/greeter.pack.json", greeter("1.0.1")).commit("three");
    assert_eq!(told(&folder), [""; 0]);
    // What the base says already is nobody's news.
    folder.write("packhouse.toml", settings("1.0.1", "=1.9.0")).commit("four");
    folder.git(&["switch", "--quiet", "main"]);
    folder.git(&["merge", "--quiet", "topic"]);
    folder.git(&["switch", "--quiet", "--create", "later"]);
    folder.write("packs/greeter.pack.json", greeter("1.0.2")).commit("five");
    assert_eq!(told(&folder), [""; 0]);
}

#[test]
fn a_pack_that_leaves_strict_settings_behind_is_told() {
    let folder = Folder::repository();
    let error = "[lints]\nstyle = \"error\"\n[changes]\nprofile = \"strict\"\n";
    folder
        .write("ours/packhouse.toml", error)
        .write("theirs/packhouse.toml", "[lints]\n")
        .write("ours/greeter.pack.json", greeter("1.0.0"))
        .commit("one");
    folder.git(&["switch", "--quiet", "--create", "topic"]);
    folder.git(&["mv", "ours/greeter.pack.json", "theirs/greeter.pack.json"]);
    folder.commit("elsewhere");
    let report = against_main(&folder).json();
    assert_eq!(rules(&report, "warn"), ["policy-loosened"]);
    let finding = &report["packs"][0]["findings"][0];
    assert_eq!(finding["path"], "theirs/greeter.pack.json");
    let told = finding["message"].as_str().expect("a message");
    let start = "the pack moved from `ours/greeter.pack.json`, and `theirs/packhouse.toml` asks less of it than \
                 `ours/packhouse.toml` did: `profile` is now contract, and was strict, and ";
    assert!(told.starts_with(start), "{told}");
    // Settings that move with the pack ask for as much as they did.
    folder.git(&["mv", "--force", "ours/packhouse.toml", "theirs/packhouse.toml"]);
    folder.commit("with its settings");
    assert_eq!(rules(&against_main(&folder).json(), "warn"), [""; 0]);
}

#[test]
fn settings_of_the_base_that_cannot_be_used_are_told() {
    let folder = Folder::repository();
    folder.write("packhouse.toml", "lints = [").write("greeter.pack.json", greeter("1.0.0")).commit("one");
    folder.git(&["switch", "--quiet", "--create", "topic"]);
    folder.write("packhouse.toml", "[lints]\n").commit("mended");
    for gone in [false, true] {
        if gone {
            folder.remove("packhouse.toml").commit("gone");
        }
        let notes = against_main(&folder).json()["notes"].to_string();
        assert!(notes.contains("packhouse.toml: what became easier is not known"), "{gone}: {notes}");
    }
}

#[test]
fn settings_of_a_folder_that_are_gone_are_told() {
    let folder = Folder::repository();
    let error = "[changes.rules]\nvariable-required-added = { level = \"error\" }\n";
    folder
        .write("packs/packhouse.toml", error)
        .write("packs/greeter.pack.json", greeter("1.0.0"))
        .commit("one");
    folder.git(&["switch", "--quiet", "--create", "topic"]);
    folder.git(&["rm", "--quiet", "packs/packhouse.toml"]);
    folder.commit("easier");
    let report = against_main(&folder).json();
    assert_eq!(rules(&report, "warn"), ["policy-loosened"]);
    assert_eq!(report["findings"][0]["path"], "packs/packhouse.toml");
}

#[test]
fn a_pack_that_was_deleted_but_not_committed_is_gone() {
    let folder = Folder::repository();
    folder.write("greeter.pack.json", greeter("1.0.0")).commit("one");
    folder.write("other.pack.json", greeter("1.0.0").replace("\"greeter\"", "\"other\"")).commit("two");
    std::fs::remove_file(folder.path().join("other.pack.json")).expect("the pack");
    let ran = against_main(&folder);
    assert_eq!(ran.status, 1, "{}", ran.shown());
    assert_eq!(ran.json()["packs"][1]["status"], "removed");
    std::fs::remove_file(folder.path().join("greeter.pack.json")).expect("the pack");
    let ran = against_main(&folder);
    assert_eq!(ran.status, 1, "{}", ran.shown());
    assert_eq!(ran.json()["packs"].as_array().map(Vec::len), Some(2));
}

#[test]
fn no_report_is_green_where_nothing_could_be_compared() {
    let folder = Folder::repository();
    folder.write("greeter.pack.json", greeter("1.0.0")).commit("one");
    let report = |format: &str| {
        let ran = folder.run(&["check", "--against", "merge-base:nowhere", "--format", format]);
        assert_eq!(ran.status, 2, "{}", ran.shown());
        ran
    };
    let json = report("json").json();
    assert_eq!((&json["passed"], &json["packs"][0]["passed"]), (&false.into(), &false.into()));
    assert_eq!(json["against"], "merge-base:nowhere (not found)");
    let note = json["notes"][0].as_str().expect("a note");
    assert!(note.starts_with("nothing was compared: ") && note.contains("nowhere"), "{note}");
    let junit = report("junit").stdout;
    assert!(junit.contains("failures=\"0\" errors=\"1\"") && junit.contains("nowhere"), "{junit}");
    assert!(report("github").stdout.starts_with("::error::not everything could be checked"));
    assert!(report("concise").stdout.starts_with("error: not everything could be checked"));
    assert!(!report("markdown").stdout.contains('✅'));
}

#[test]
fn a_version_that_went_down_is_bumped_to_what_is_enough_at_once() {
    let folder = Folder::repository();
    folder.write("greeter.pack.json", greeter("1.0.0")).commit("one");
    folder.write("greeter.pack.json", breaking("1.2.0")).commit("a break that nobody judged");
    folder.write("greeter.pack.json", breaking("1.1.0").replace("one person", "a person"));
    let bump = ["bump", "--against", "HEAD", "--write"];
    let ran = folder.run(&bump);
    assert_eq!(ran.stdout, "greeter 1.1.0 -> 2.0.0  (major, greeter.pack.json)\n", "{}", ran.shown());
    assert_eq!(folder.run(&bump).stdout, "every version is high enough\n");
}

#[test]
fn an_entry_that_ends_with_the_version_written_is_counted_as_ended() {
    let folder = Folder::repository();
    folder.write("greeter.pack.json", greeter("1.0.0")).commit("one");
    let entry = "[[allow]]\nrule = \"*\"\nuntil = \"1.0.1\"\nreason = \"soon\"\n";
    let rules: Vec<String> = {
        folder.write("greeter.pack.json", breaking("1.0.0"));
        let report = folder.run(&["check", "--against", "HEAD", "--format", "json"]).json();
        let changes = report["packs"][0]["diff"]["changes"].as_array().expect("changes").clone();
        changes.iter().map(|change| change["rule"].as_str().expect("a rule").to_owned()).collect()
    };
    let entries = rules.iter().map(|rule| entry.replace('*', rule));
    folder.write("packhouse.toml", entries.collect::<String>());
    let bump = ["bump", "--against", "HEAD", "--write"];
    let ran = folder.run(&bump);
    assert_eq!(ran.stdout, "greeter 1.0.0 -> 2.0.0  (major, greeter.pack.json)\n", "{}", ran.shown());
    assert_eq!(folder.run(&bump).stdout, "every version is high enough\n");
}

#[test]
fn the_last_of_all_versions_has_an_end() {
    let folder = Folder::repository();
    let most = u64::MAX;
    let next = most - 1;
    folder.write("packhouse.toml", "[releases]\nfrom = \"tags\"\n");
    for (version, words) in [(format!("1.0.{most}"), "one person"), (format!("1.0.{next}"), "a person")] {
        let text = greeter(&version).replace("one person", words);
        folder.write("greeter.pack.json", text).commit("a version");
        folder.git(&["tag", &format!("greeter-v{version}")]);
    }
    folder.write("greeter.pack.json", greeter(&format!("1.0.{next}")).replace("one person", "everybody"));
    let ran = folder.run(&["bump", "--against", "HEAD"]);
    assert_eq!(
        ran.stdout,
        format!("greeter 1.0.{next} -> 1.1.0  (patch, greeter.pack.json)\n"),
        "{}",
        ran.shown()
    );
}

#[test]
fn a_device_is_no_base() {
    let folder = Folder::repository();
    folder.write("greeter.pack.json", greeter("1.0.0"));
    let ran = folder.run(&["check", "--against", "/dev/null"]);
    assert_eq!(ran.status, 2, "{}", ran.shown());
    assert!(ran.stderr.contains("/dev/null: the base is no pack"), "{}", ran.shown());
}

#[test]
fn under_a_published_prerelease_one_bump_is_enough() {
    let folder = Folder::repository();
    folder.write("greeter.pack.json", greeter("1.0.0")).commit("one");
    folder.git(&["tag", "greeter-v1.0.0"]);
    folder.write("greeter.pack.json", greeter("1.1.0-rc.1").replace("one person", "a person")).commit("next");
    folder.git(&["tag", "greeter-v1.1.0-rc.1"]);
    folder.write("greeter.pack.json", breaking("1.1.0-rc.1"));
    let report = folder.run(&["check", "--against", "HEAD", "--format", "json"]).json();
    assert_eq!(rules(&report, "error"), ["version-not-bumped"]);
    let help = report["packs"][0]["findings"].to_string();
    assert!(help.contains("raise `version` to 2.0.0-rc.1"), "{help}");
    let bump = ["bump", "--against", "HEAD", "--write"];
    assert_eq!(folder.run(&bump).stdout, "greeter 1.1.0-rc.1 -> 2.0.0-rc.1  (major, greeter.pack.json)\n");
    assert_eq!(folder.run(&bump).stdout, "every version is high enough\n");
}

#[test]
fn a_break_that_a_prompt_declares_itself_can_stay_out_of_the_packs_version() {
    let folder = Folder::repository();
    folder.write("packhouse.toml", "[changes]\nprompt-scope = \"independent\"\n");
    folder.write("packs/greeter.pack.json", greeter("1.0.0")).commit("one");
    folder.git(&["switch", "--quiet", "--create", "topic"]);
    let (own, raised) = ("\"version\": \"1.0.0\"", "\"version\": \"2.0.0\"");
    folder.write("packs/greeter.pack.json", breaking("1.1.0").replace(own, raised)).commit("two");
    let ran = against_main(&folder);
    assert_eq!(ran.status, 0, "{}", ran.shown());
    let report = ran.json();
    let change = &report["packs"][0]["diff"]["changes"][0];
    assert_eq!((change["bump"].as_str(), change["prompt_declared"].as_bool()), (Some("major"), Some(true)));
    folder.write("packs/greeter.pack.json", breaking("1.1.0")).commit("three");
    assert_eq!(rules(&against_main(&folder).json(), "error"), ["version-bump-too-small"]);
}

#[test]
fn a_second_change_under_a_raised_version_is_not_red() {
    let folder = Folder::repository();
    folder.write("packhouse.toml", "[releases]\nfrom = \"tags\"\n");
    folder.write("greeter.pack.json", greeter("1.0.0")).commit("one").git(&["tag", "v1.0.0"]);
    folder.write("greeter.pack.json", breaking("2.0.0")).commit("raised, not released");
    folder.git(&["switch", "--quiet", "--create", "topic"]);
    folder.write("greeter.pack.json", breaking("2.0.0").replace("one person", "a person")).commit("more");
    let report = against_main(&folder).json();
    assert_eq!(
        (report["passed"].as_bool(), report["packs"][0]["baseline"]["version"].as_str()),
        (Some(true), Some("1.0.0"))
    );
    folder.git(&["tag", "v2.0.0", "main"]);
    let report = against_main(&folder).json();
    assert_eq!(rules(&report, "error"), ["version-not-bumped"]);
    let tags = folder.run(&["check", "--against", "tag:v*", "--format", "json"]).json();
    assert_eq!(tags["packs"][0]["diff"]["old"]["version"], "1.0.0");
}

#[test]
fn on_the_target_branch_the_last_release_stands_in() {
    let folder = Folder::repository();
    folder.write("greeter.pack.json", greeter("1.0.0")).commit("one");
    folder.write("notes.txt", "x").commit("nothing of ours");
    folder.write("greeter.pack.json", breaking("1.1.0")).commit("two");
    let ran = against_main(&folder);
    let report = ran.json();
    assert_eq!(
        (ran.status, report["packs"][0]["baseline"]["version"].as_str()),
        (1, Some("1.0.0")),
        "{}",
        ran.shown()
    );
    assert!(
        report["against"].as_str().is_some_and(|text| text.starts_with("the last release before ")),
        "{report}"
    );
    folder.write("greeter.pack.json", breaking("2.0.0"));
    let report = against_main(&folder).json();
    assert!(report["against"].as_str().is_some_and(|text| text.starts_with("HEAD (")), "{report}");
}

#[test]
fn packs_are_paired_by_id_and_removals_are_told() {
    let folder = on_branch();
    folder.write("other.pack.json", greeter("1.0.0").replace("greeter", "other")).commit("other");
    folder.git(&["branch", "--force", "main"]);
    folder.git(&["mv", "packs/greeter.pack.json", "moved.pack.json"]);
    let report = folder.commit("moved").run(&["check", "--against", "HEAD~1", "--format", "json"]).json();
    assert_eq!(
        (report["packs"][0]["status"].as_str(), report["passed"].as_bool()),
        (Some("unchanged"), Some(true))
    );
    folder.remove("moved.pack.json").commit("gone");
    let ran = against_main(&folder);
    let report = ran.json();
    assert_eq!((ran.status, report["packs"][0]["status"].as_str()), (1, Some("removed")), "{}", ran.shown());
    assert_eq!(report["packs"][0]["diff"]["changes"][0]["rule"], "pack-removed");
    let ran = folder.run(&["check", "--against", "merge-base:main"]);
    assert!(ran.stdout.ends_with(" (1 unchanged, 1 removed): 1 failing change\n"), "{}", ran.shown());
    folder.write(
        "packhouse.toml",
        "[[allow]]\nrule = \"pack-removed\"\npack = \"greeter\"\nreason = \"nobody used it\"\n",
    );
    assert_eq!(against_main(&folder).status, 0);
    folder.write("packhouse.toml", "[[renamed]]\nfrom = \"greeter\"\nto = \"welcomer\"\n");
    folder.write("welcomer.pack.json", greeter("2.0.0").replace("\"greeter\"", "\"welcomer\""));
    let report = against_main(&folder).json();
    assert_eq!(report["packs"].as_array().map(Vec::len), Some(2), "{report}");
    assert_eq!(report["packs"][1]["status"], "changed");
}

#[test]
fn what_cannot_be_checked_is_never_green() {
    let folder = on_branch();
    for (against, complaint, help) in [
        ("merge-base:nowhere", "the branch `nowhere` is not in this clone", "name a revision"),
        (
            "merge-base:origin/main",
            "the branch `origin/main` is not in this clone",
            "write `merge-base:main`",
        ),
        ("nowhere", "`nowhere` is no file, folder or revision", "name a revision"),
        ("tag:v*", "no tag of this clone fits", "git fetch --tags"),
        ("packs", "", ""),
        ("registry", "no registry is named", "PACKHOUSE_REGISTRY"),
    ] {
        let ran = folder.run(&["check", "--against", against]);
        let status = if complaint.is_empty() { 0 } else { 2 };
        assert_eq!(ran.status, status, "{against}: {}", ran.shown());
        assert!(ran.stderr.contains(complaint) && ran.stderr.contains(help), "{against}: {}", ran.shown());
    }
    folder.git(&["branch", "packs"]);
    let ran = folder.run(&["check", "--against", "packs"]);
    assert!(ran.status == 2 && ran.stderr.contains("both a path and a revision"), "{}", ran.shown());
    let ran = folder.run(&["check"]);
    assert!(ran.status == 2 && ran.stderr.contains("--against merge-base:main"), "{}", ran.shown());
    let none = folder.run(&["check", "--against", "none"]);
    assert!(none.status == 0 && none.stdout.contains("nothing was compared"), "{}", none.shown());
    folder.write("packs/greeter.pack.json", "{").commit("broken");
    folder.write("packs/greeter.pack.json", greeter("1.0.1"));
    let ran = folder.run(&["check", "--against", "HEAD"]);
    assert!(ran.status == 2 && ran.stderr.contains("--allow-broken-base"), "{}", ran.shown());
    assert!(ran.stdout.ends_with("not everything could be checked\n"), "{}", ran.shown());
    let markdown = folder.run(&["check", "--against", "HEAD", "--format", "markdown"]);
    assert!(markdown.stdout.contains("\nnot everything could be checked\n"), "{}", markdown.shown());
    assert_eq!(folder.run(&["check", "--against", "HEAD", "--allow-broken-base"]).status, 0);
}

#[test]
fn the_target_branch_comes_from_the_ci_or_the_remote() {
    let origin = on_branch();
    origin.git(&["switch", "--quiet", "main"]);
    origin.write("packs/greeter.pack.json", breaking("2.0.0")).commit("two");
    origin.git(&["switch", "--quiet", "topic"]);
    origin
        .write("packs/greeter.pack.json", greeter("1.0.1").replace("one person", "a person"))
        .commit("topic");
    let url = format!("file://{}", origin.path().display());
    let clone = Folder::new();
    clone.git(&["clone", "--quiet", "--branch", "topic", &url, "."]);
    for (name, value) in [
        ("GITHUB_BASE_REF", "main"),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
        ("BITBUCKET_PR_DESTINATION_BRANCH", "main"),
        ("SYSTEM_PULLREQUEST_TARGETBRANCH", "refs/heads/main"),
        ("CHANGE_TARGET", "main"),
    ] {
        let ran = clone.run_with(&["check", "--format", "json"], &[(name, value)], "");
        assert_eq!(ran.status, 0, "{name}: {}", ran.shown());
        let report = ran.json();
        assert!(
            report["against"].as_str().is_some_and(|text| text.starts_with("merge-base:origin/main")),
            "{report}"
        );
        assert_eq!(report["packs"][0]["baseline"]["version"], "1.0.0");
    }
    clone.git(&["remote", "set-head", "origin", "main"]);
    assert_eq!(clone.run(&["check"]).status, 0);
    let shallow = Folder::new();
    shallow.git(&["clone", "--quiet", "--depth", "1", "--branch", "topic", &url, "."]);
    let variables = [("GITHUB_BASE_REF", "main")];
    let ran = shallow.run_with(&["check"], &variables, "");
    assert!(
        ran.status == 2 && ran.stderr.contains("git fetch --no-tags --unshallow origin main"),
        "{}",
        ran.shown()
    );
    let ran = shallow.run_with(&["check", "--fetch"], &variables, "");
    assert_eq!(ran.status, 0, "{}", ran.shown());
}

#[test]
fn every_release_of_a_line_counts_when_asked() {
    let folder = Folder::repository();
    folder.write("greeter.pack.json", greeter("1.0.0")).commit("one");
    folder.write(
        "packhouse.toml",
        "[[allow]]\nrule = \"variable-required-added\"\nreason = \"told everybody\"\n",
    );
    folder.write("greeter.pack.json", breaking("1.1.0")).commit("two, accepted");
    folder.write("packhouse.toml", "").commit("no longer");
    folder.git(&["switch", "--quiet", "--create", "topic"]);
    folder.write("greeter.pack.json", breaking("1.1.1").replace("one person", "a person")).commit("more");
    let neighbour = against_main(&folder);
    assert_eq!(neighbour.status, 0, "{}", neighbour.shown());
    let ran = folder.run(&["check", "--against", "merge-base:main", "--transitive", "--format", "json"]);
    let report = ran.json();
    assert_eq!(
        (ran.status, rules(&report, "error")),
        (1, vec!["version-bump-too-small".to_owned()]),
        "{}",
        ran.shown()
    );
    let changes = report["packs"][0]["diff"]["changes"].as_array().expect("changes");
    let told = changes.iter().filter_map(|change| change["message"].as_str());
    assert!(told.into_iter().any(|message| message.ends_with("(since 1.0.0)")), "{report}");
}

#[test]
fn a_rename_in_the_settings_hides_no_pack_of_the_base() {
    // The settings of the base know nothing of the new name.
    let folder = on_branch();
    folder.write("packs/greeter.pack.json", breaking("1.0.0").replace("\"greeter\"", "\"welcomer\""));
    folder.write("packhouse.toml", "[[renamed]]\nfrom = \"greeter\"\nto = \"welcomer\"\n").commit("two");
    let ran =
        folder.run(&["check", "--against", "merge-base:main", "--policy-from", "base", "--format", "json"]);
    let report = ran.json();
    assert_eq!((ran.status, &report["packs"][0]["status"]), (1, &"removed".into()), "{report:#}");
    let help = report["findings"][0]["help"].as_str().expect("help");
    assert!(help.starts_with("the settings of the base judged this run"), "{help}");
    // A pack that stood there all along is not the one that is gone.
    let folder = Folder::repository();
    folder.write("packs/other.pack.json", greeter("1.0.0").replace("greeter", "other"));
    folder.write("packs/greeter.pack.json", greeter("1.0.0")).commit("one");
    folder.git(&["switch", "--quiet", "--create", "topic"]);
    folder.git(&["rm", "--quiet", "packs/greeter.pack.json"]);
    folder.write("packhouse.toml", "[[renamed]]\nfrom = \"greeter\"\nto = \"other\"\n").commit("two");
    let ran = against_main(&folder);
    assert_eq!(ran.status, 1, "{}", ran.shown());
    assert_eq!(ran.json()["packs"][0]["diff"]["changes"][0]["rule"], "pack-removed", "{}", ran.shown());
}

#[test]
fn a_pack_that_leaves_the_checked_folder_is_not_passed_over() {
    let folder = Folder::repository();
    folder.write("packs/other.pack.json", greeter("1.0.0").replace("greeter", "other"));
    folder.write("packs/greeter.pack.json", greeter("1.0.0")).commit("one");
    folder.git(&["switch", "--quiet", "--create", "topic"]);
    folder.git(&["rm", "--quiet", "packs/greeter.pack.json"]);
    folder.write("elsewhere/greeter.pack.json", breaking("1.0.0")).commit("two");
    let ran = folder.run(&["check", "packs", "--against", "merge-base:main"]);
    assert_eq!(ran.status, 2, "{}", ran.shown());
    assert!(ran.stderr.contains("the pack `greeter` moved from packs/greeter.pack.json"), "{}", ran.shown());
    let ran = folder.run(&["check", "packs", "elsewhere", "--against", "merge-base:main"]);
    assert_eq!(ran.status, 1, "{}", ran.shown());
}

#[test]
fn a_file_or_folder_as_the_base_shows_what_is_gone() {
    let folder = Folder::repository();
    folder.write("packs/other.pack.json", greeter("1.0.0").replace("greeter", "other")).commit("one");
    folder.write("base/other.pack.json", greeter("1.0.0").replace("greeter", "other"));
    folder.write("base/greeter.pack.json", greeter("1.0.0"));
    folder.write(".git/info/exclude", "base\n");
    let apart = Folder::new();
    apart.write("greeter.pack.json", greeter("1.0.0"));
    apart.write("other.pack.json", greeter("1.0.0").replace("greeter", "other"));
    let base = apart.path().display().to_string();
    let ran = folder.run(&["check", "packs", "--against", &base, "--format", "json"]);
    assert_eq!((ran.status, &ran.json()["packs"][0]["status"]), (1, &"removed".into()), "{}", ran.shown());
    let file = format!("{base}/greeter.pack.json");
    let ran = folder.run(&["check", "packs/other.pack.json", "--against", &file]);
    assert!(ran.status == 1 && ran.stdout.contains("pack-removed"), "{}", ran.shown());
}

#[test]
fn a_version_that_nobody_could_read_can_be_repaired() {
    let folder = Folder::repository();
    folder.write("greeter.pack.json", greeter("1.0")).commit("one");
    folder.git(&["switch", "--quiet", "--create", "topic"]);
    folder.write("greeter.pack.json", greeter("1.0.0")).commit("two");
    let ran = against_main(&folder);
    assert_eq!(
        (ran.status, rules(&ran.json(), "warn")),
        (0, vec!["version-unreadable".to_owned()]),
        "{}",
        ran.shown()
    );
}

#[test]
fn other_versions_of_prompts_are_other_content() {
    let folder = Folder::repository();
    folder.write("greeter.pack.json", greeter("1.0.0")).commit("one");
    let other = greeter("1.0.0").replace(
        "\"name\": \"Hello\",\n      \"version\": \"1.0.0\"",
        "\"name\": \"Hello\",\n      \"version\": \"1.0.1\"",
    );
    folder.write("greeter.pack.json", other);
    let ran = folder.run(&["check", "--against", "HEAD", "--format", "json"]);
    assert_eq!(ran.status, 1, "{}", ran.shown());
    assert_eq!(rules(&ran.json(), "error"), ["version-reused"], "{}", ran.shown());
}
