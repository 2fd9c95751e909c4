//! Skills by package: looked up in another source, copied into the release.

use registry::release::Release;
use store::{Batch, SourceRecord};

use super::*;

const SOURCES: &str =
    "[[source]]\nname = \"packs\"\npath = \"packs\"\n\n[[source]]\nname = \"skills\"\npath = \"skills\"\n";
const MAPPED: &str = "[skills.packages]\n\"@acme/tone\" = { source = \"skills\", path = \"support\" }\n";

fn skill(words: &str) -> String {
    format!("---\nname: tone\ndescription: How to sound.\n---\n\n{words}\n")
}

fn with_skill(version: &str, reference: &str) -> String {
    pack("greeter", version, |pack| pack["skills"] = json!([reference]))
}

/// Two sources: a pack that names a package, and the skills, where `v1.0.0` says "Be warm." and main "Be brief.".
fn world(reference: &str) -> World {
    let world = World::of(SOURCES);
    world.write_in("skills", "support/SKILL.md", &skill("Be warm.")).write_in(
        "skills",
        "support/more/a.md",
        "a",
    );
    world.commit_in("skills").git_in("skills", &["tag", "v1.0.0"]);
    world.write_in("skills", "support/SKILL.md", &skill("Be brief.")).commit_in("skills");
    world
        .write("packhouse.toml", MAPPED)
        .write("p/greeter.pack.json", &with_skill("1.0.0", reference))
        .commit();
    world
}

fn release(world: &World, version: &str) -> Release {
    world.store().release(&world.row("greeter", version)).expect("a record")
}

fn resolved(world: &World, version: &str) -> String {
    let bytes = world.store().form(&world.row("greeter", version), registry::Form::Resolved);
    String::from_utf8(bytes.expect("a readable ledger").expect("a resolved form")).expect("text")
}

#[test]
fn a_package_is_read_at_its_ref_and_never_changes() {
    let mut world = world("@acme/tone@1.0.0");
    assert_eq!(world.scan(), 1, "{:?}", world.problems());
    let check = |world: &World| {
        assert!(resolved(world, "1.0.0").contains("Be warm."));
        let release = release(world, "1.0.0");
        let skill = &release.skills[0];
        assert_eq!(skill.reference.as_deref(), Some("@acme/tone@1.0.0"));
        assert_eq!(skill.commit.as_ref().map(String::len), Some(40));
        assert_ne!(skill.commit.as_ref(), Some(&release.commit));
        let paths: Vec<&str> = skill.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["SKILL.md", "more/a.md"]);
        let kept = world.store().read(&format!("{}/{}", release.folder(), skill.files[0].ledger_path));
        assert_eq!(kept.expect("the ledger").expect("a file"), self::skill("Be warm.").into_bytes());
    };
    check(&world);
    // The tag moves, the source goes, the pack is written anew: the release stays, and is no other content.
    world.git_in("skills", &["tag", "-f", "v1.0.0"]);
    let text: Value = serde_json::from_str(&with_skill("1.0.0", "@acme/tone@1.0.0")).expect("JSON");
    world.write("p/greeter.pack.json", &text.to_string()).commit();
    assert_eq!(world.scan(), 0);
    assert_eq!(world.problems(), [""; 0]);
    std::fs::remove_dir_all(world.folder.path().join("skills")).expect("a folder");
    world.lose_derived_state();
    assert_eq!(world.scan(), 0);
    assert_eq!(world.problems(), [""; 0]);
    check(&world);
}

#[test]
fn a_ref_is_a_tag_then_a_branch_then_a_commit() {
    let mut world = world("@acme/tone@stable");
    let say = |world: &World, words: &str| {
        world.write_in("skills", "support/SKILL.md", &skill(words)).commit_in("skills");
    };
    world.git_in("skills", &["branch", "stable"]);
    assert_eq!(world.scan(), 1, "{:?}", world.problems());
    assert!(resolved(&world, "1.0.0").contains("Be brief."));
    let mut version = 0;
    let mut check = |world: &mut World, reference: &str, words: &str| {
        version += 1;
        let version = format!("1.{version}.0");
        world.write("p/greeter.pack.json", &with_skill(&version, reference)).commit();
        assert_eq!(world.scan(), 1, "{reference}: {:?}", world.problems());
        assert!(resolved(world, &version).contains(words), "{reference}: {}", resolved(world, &version));
    };
    for (tag, words) in
        [("stable", "Four."), ("vstable", "Three."), ("tone-vstable", "Two."), ("tone@stable", "One.")]
    {
        say(&world, words);
        world.git_in("skills", &["tag", "-a", "-m", "x", tag]);
        check(&mut world, "@acme/tone@stable", words);
    }
    check(&mut world, "@acme/tone", "One.");
    let state = world.store().report(&world.row("greeter", "1.5.0")).expect("a report");
    assert!(state.findings.iter().any(|finding| finding.rule == "unpinned-skill"), "{:?}", state.findings);
    let commit = release(&world, "1.0.0").skills[0].commit.clone().expect("a commit");
    check(&mut world, &format!("@acme/tone@{commit}"), "Be brief.");
    check(&mut world, &format!("@acme/tone@{}", &commit[..10]), "Be brief.");
}

#[test]
fn what_is_missing_is_a_problem_until_its_source_moves() {
    let mut world = world("@acme/tone@2.0.0");
    assert_eq!(world.scan(), 0);
    assert_eq!(world.problems(), ["unresolved-skill p/greeter.pack.json"]);
    let state = world.store().source_state("packs");
    let message = "`@acme/tone@2.0.0`: the source `skills` has no tag, branch or commit `2.0.0`";
    assert_eq!(state.problems[0].message, message);
    assert_eq!(world.scan(), 0);
    assert_eq!(world.store().source_state("packs").problems[0].count, 1, "nothing moved, nothing is judged");
    world.git_in("skills", &["tag", "tone-v2.0.0"]);
    assert_eq!(world.scan(), 1, "{:?}", world.problems());
    assert_eq!(world.problems(), [""; 0]);
    assert!(resolved(&world, "1.0.0").contains("Be brief."));
}

#[test]
fn every_missing_piece_is_named() {
    let check = |settings: &str, reference: &str, expected: &str| {
        let mut world = world(reference);
        world.write("packhouse.toml", settings);
        world.git_in("packs", &["commit", "-q", "--amend", "--all", "--no-edit"]);
        world.scan();
        assert_eq!(world.problems(), ["unresolved-skill p/greeter.pack.json"], "{expected}");
        let message = world.store().source_state("packs").problems[0].message.clone();
        assert!(message.contains(expected), "{message}");
    };
    let mapped = |source: &str, path: &str| {
        format!("[skills.packages]\n\"@acme/tone\" = {{ source = \"{source}\", path = \"{path}\" }}\n")
    };
    check("", "@acme/tone@1", "does not name `@acme/tone`");
    check(&mapped("elsewhere", "support"), "@acme/tone@1", "no source `elsewhere` is watched");
    check(
        &mapped("skills", "gone"),
        "@acme/tone@1.0.0",
        "`gone` in the source `skills`: nothing stands there",
    );
    check(&mapped("skills", "../packs"), "@acme/tone@1.0.0", "leaves the source `skills`");
    check(MAPPED, "@acme/tone@HEAD~1", "no tag, branch or commit `HEAD~1`");
}

#[test]
fn links_in_a_package_are_left_out_and_never_followed() {
    let mut world = world("@acme/tone");
    let support = world.folder.path().join("skills/support");
    std::os::unix::fs::symlink("/etc/passwd", support.join("keys.md")).expect("a link");
    world.commit_in("skills");
    assert_eq!(world.scan(), 1, "{:?}", world.problems());
    let release = release(&world, "1.0.0");
    assert!(
        release.warnings.iter().any(|warning| warning.contains("support/keys.md")),
        "{:?}",
        release.warnings
    );
    assert!(release.skills[0].files.iter().all(|file| file.path != "keys.md"));
    std::fs::remove_dir_all(&support).expect("a folder");
    std::os::unix::fs::symlink("../packs", &support).expect("a link");
    world.commit_in("skills");
    world.write("p/greeter.pack.json", &with_skill("1.1.0", "@acme/tone")).commit();
    assert_eq!(world.scan(), 0);
    let problems = world.store().source_state("packs").problems;
    assert!(problems[0].message.contains("symbolic link"), "{}", problems[0].message);
}

#[test]
fn a_source_with_narrower_readers_lends_no_skill() {
    let mut world = world("@acme/tone");
    let record = |readers: &[&str]| SourceRecord {
        name: "skills".to_owned(),
        url: "skills".to_owned(),
        readers: readers.iter().map(|reader| (*reader).to_owned()).collect(),
        ids: Vec::new(),
        former_names: Vec::new(),
        first_head: None,
    };
    let narrow = Batch { sources: vec![record(&["payments"])], ..Batch::default() };
    world.store().publish(narrow, Timestamp::now()).expect("a record");
    assert_eq!(world.scan(), 0);
    assert_eq!(world.problems(), ["skill-source-restricted p/greeter.pack.json"]);
}

#[test]
fn readers_count_from_the_first_scan_on_and_a_change_of_theirs_is_news() {
    let narrow = SOURCES.replace("path = \"skills\"", "path = \"skills\"\nreaders = [\"payments\"]");
    let mut world = world("@acme/tone");
    world.settings = RegistrySettings::parse(&narrow).expect("settings");
    assert_eq!(world.scan(), 0);
    assert_eq!(world.problems(), ["skill-source-restricted p/greeter.pack.json"]);
    let said = world.store().source_state("packs").problems[0].message.clone();
    assert!(!said.contains("skills"), "{said}");
    world.scan_of("skills");
    let record = world.store().snapshot().record("skills").expect("a record").clone();
    assert_eq!(record.readers, ["payments"]);
    assert_eq!(world.scan(), 0);
    let readers = |groups: &[&str]| {
        let groups = groups.iter().map(|group| (*group).to_owned()).collect();
        std::collections::BTreeMap::from([("skills".to_owned(), groups)])
    };
    world.store().record_readers(&readers(&[]), Timestamp::now()).expect("a record");
    assert_eq!(world.scan(), 1, "{:?}", world.problems());
    assert_eq!(world.problems(), [""; 0]);
}

#[test]
fn those_who_share_their_readers_share_skills() {
    let readers = |path: &str| format!("path = \"{path}\"\nreaders = [\"payments\"]");
    let narrow = SOURCES.replace("path = \"packs\"", &readers("packs"));
    let narrow = narrow.replace("path = \"skills\"", &readers("skills"));
    let mut world = world("@acme/tone");
    world.settings = RegistrySettings::parse(&narrow).expect("settings");
    assert_eq!(world.scan(), 1, "{:?}", world.problems());
}

#[test]
fn paths_lead_to_a_file_a_folder_or_a_tree_of_several() {
    let mut world = World::new("branch");
    let named = |name: &str| skill("Be warm.").replace("name: tone", &format!("name: {name}"));
    world.write("p/tone.md", &named("alone")).write("p/one/SKILL.md", &named("one")).write("p/one/a.md", "a");
    world.write("many/left/SKILL.md", &named("left")).write("many/right/SKILL.md", &named("right"));
    let skills = json!(["tone.md", "./one", {"path": "../many", "preload": true}]);
    world.write("p/greeter.pack.json", &pack("greeter", "1.0.0", |pack| pack["skills"] = skills)).commit();
    assert_eq!(world.scan(), 1, "{:?}", world.store().source_state("packs").problems);
    let release = release(&world, "1.0.0");
    let found: Vec<(&str, usize)> =
        release.skills.iter().map(|skill| (skill.name.as_str(), skill.files.len())).collect();
    assert_eq!(found, [("alone", 1), ("one", 2), ("left", 1), ("right", 1)]);
    assert!(release.skills.iter().all(|skill| release.commit_of(skill) == Some(release.commit.as_str())));
}

#[test]
fn paths_that_leave_the_repository_and_links_are_refused() {
    let check = |reference: &str, link: Option<(&str, &str)>, expected: &str| {
        let mut world = World::new("branch");
        if let Some((target, place)) = link {
            world.write("p/skills/keep.md", "x");
            std::os::unix::fs::symlink(target, world.repository().join(place)).expect("a link");
        }
        world.write("p/greeter.pack.json", &with_skill("1.0.0", reference)).commit();
        assert_eq!(world.scan(), 0, "{reference}");
        let problems = world.store().source_state("packs").problems;
        let told: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
        assert!(told.iter().any(|message| message.contains(expected)), "{reference}: {told:?}");
    };
    check("../../etc", None, "../../etc");
    check("/etc", None, "/etc");
    check("skills/tone", Some(("/etc", "p/skills/tone")), "meets the link `p/skills/tone`");
    check("skills/tone/passwd", Some(("/etc", "p/skills/tone")), "meets the link `p/skills/tone`");
    check("skills/tone", Some(("keep.md", "p/skills/tone")), "symbolic link");
}

#[test]
fn files_of_a_skill_without_a_readable_name_are_left_out_with_a_word() {
    use std::os::unix::ffi::OsStrExt;
    let mut world = World::of(SOURCES);
    let odd = |source: &str, folder: &str| {
        let name = std::ffi::OsStr::from_bytes(b"w\xf6rter.md");
        std::fs::write(world.folder.path().join(source).join(folder).join(name), "words").expect("a file");
    };
    world.write_in("skills", "support/SKILL.md", &skill("Be warm."));
    odd("skills", "support");
    world.commit_in("skills").git_in("skills", &["tag", "v1.0.0"]);
    world.write("p/own/SKILL.md", &skill("Be brief.").replace("tone", "own"));
    odd("packs", "p/own");
    let text = pack("greeter", "1.0.0", |pack| pack["skills"] = json!(["@acme/tone@1.0.0", "./own"]));
    world.write("packhouse.toml", MAPPED).write("p/greeter.pack.json", &text).commit();
    assert_eq!(world.scan(), 1, "{:?}", world.problems());
    let warnings = release(&world, "1.0.0").warnings;
    let left_out =
        |path: &str| format!("`{path}` was left out: its name is not UTF-8, or is none that a file may have");
    assert_eq!(warnings, [left_out("support/w\u{fffd}rter.md"), left_out("p/own/w\u{fffd}rter.md")]);
}
