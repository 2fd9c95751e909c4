//! The walk of a push, without the web: real Git repositories in, releases and problems out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use registry::settings::{RegistrySettings, SourceSettings};
use registry::{ProblemCode, Reference};
use serde_json::{Value, json};
use store::{Options, Reader, Store, StoreError};

use super::{Memory, Scanner, SourcePaths};

mod hostile;
mod life;
mod packages;
mod refusals;
mod settings;

/// A registry in a temporary folder; its first source is `packs`.
struct World {
    folder: tempfile::TempDir,
    settings: RegistrySettings,
    store: Option<Store>,
    memories: BTreeMap<String, Memory>,
    /// Whether the next scan judges everything again.
    anew: bool,
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    for (key, value) in [("NAME", "Ada"), ("EMAIL", "ada@example.org")] {
        command.env(format!("GIT_AUTHOR_{key}"), value).env(format!("GIT_COMMITTER_{key}"), value);
    }
    let output = command.output().expect("git is installed");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

impl World {
    fn new(versions: &str) -> World {
        World::of(&format!("[[source]]\nname = \"packs\"\npath = \"packs\"\nversions = \"{versions}\"\n"))
    }

    /// A registry with these settings; every source is a new repository in the folder of its name.
    fn of(text: &str) -> World {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let settings = RegistrySettings::parse(text).expect("valid settings");
        for source in &settings.sources {
            let repository = folder.path().join(&source.name);
            std::fs::create_dir(&repository).expect("a new folder");
            git(&repository, &["init", "-q", "-b", "main"]);
        }
        let store = Store::open(&folder.path().join("state"), Options::default()).expect("a new store");
        World { folder, settings, store: Some(store), memories: BTreeMap::new(), anew: false }
    }

    fn repository(&self) -> PathBuf {
        self.folder.path().join("packs")
    }

    /// Writes a file into the repository of another source.
    fn write_in(&self, source: &str, path: &str, text: &str) -> &World {
        self.write(&format!("../{source}/{path}"), text)
    }

    /// Runs Git in the repository of a source.
    fn git_in(&self, source: &str, arguments: &[&str]) -> &World {
        git(&self.folder.path().join(source), arguments);
        self
    }

    /// Commits everything in the repository of a source.
    fn commit_in(&self, source: &str) -> &World {
        self.git_in(source, &["add", "-A"]).git_in(source, &["commit", "-q", "-m", "change"])
    }

    fn write(&self, path: &str, text: &str) -> &World {
        let path = self.repository().join(path);
        std::fs::create_dir_all(path.parent().expect("a path with a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
        self
    }

    fn commit(&self) -> &World {
        git(&self.repository(), &["add", "-A"]);
        git(&self.repository(), &["commit", "-q", "-m", "change"]);
        self
    }

    fn tag(&self, name: &str) -> &World {
        git(&self.repository(), &["tag", "-f", name]);
        self
    }

    fn store(&self) -> &Store {
        self.store.as_ref().expect("an open store")
    }

    fn scan(&mut self) -> usize {
        self.scan_of("packs")
    }

    /// Scans a source; gives how many releases that published.
    fn scan_of(&mut self, name: &str) -> usize {
        let folder = self.folder.path();
        let paths: SourcePaths = self
            .settings
            .sources
            .iter()
            .map(|source| (source.name.clone(), folder.join(&source.name)))
            .collect();
        let source: Option<&SourceSettings> = self.settings.sources.iter().find(|source| source.name == name);
        let scanner = Scanner {
            store: self.store.as_ref().expect("an open store"),
            settings: &self.settings,
            source: source.expect("a source of this name"),
            path: &paths[name],
            paths: &paths,
            budget: Duration::from_secs(60),
            anew: std::mem::take(&mut self.anew),
        };
        let memory = self.memories.entry(name.to_owned()).or_default();
        scanner.scan(memory, Timestamp::now()).published
    }

    /// The row of a release.
    fn row(&self, id: &str, version: &str) -> std::sync::Arc<store::ReleaseRow> {
        let snapshot = self.store().snapshot();
        let version = version.parse().expect("a version");
        snapshot.release(&Reader::everybody(), id, &version).expect("a release").release
    }

    /// What a reference leads to: version and flags.
    fn resolve(&self, reference: &str) -> String {
        let reference = Reference::parse(reference).expect("a reference");
        match self.store().snapshot().resolve(&Reader::everybody(), &reference) {
            Ok(found) => {
                let flags = found.pack.active_flags(&found.release);
                let flags: Vec<&str> = flags.iter().map(|flag| flag.as_str()).collect();
                format!("{} {}", found.release.version, flags.join(",")).trim_end().to_owned()
            }
            Err(why) => format!("{why:?}"),
        }
    }

    fn problems(&self) -> Vec<String> {
        self.problems_of("packs")
    }

    /// Code and place of what is current in a source.
    fn problems_of(&self, source: &str) -> Vec<String> {
        let state = self.store().source_state(source);
        let current = state.problems.iter().filter(|problem| problem.current);
        current
            .map(|problem| {
                let place = problem.path.as_deref().or(problem.reference.as_deref()).unwrap_or_default();
                format!("{} {place}", problem.code)
            })
            .collect()
    }

    /// Deletes the derived state and opens the store again.
    fn lose_derived_state(&mut self) {
        self.store = None;
        self.memories.clear();
        for derived in ["index", "search"] {
            std::fs::remove_dir_all(self.folder.path().join("state").join(derived)).expect("derived state");
        }
        self.store = Some(reopened(&self.folder.path().join("state")));
    }
}

/// Opens a store that was just closed. A command that another test starts at that moment holds the lock on until it
/// runs, since it is a copy of this process until then.
pub(super) fn reopened(state: &Path) -> Store {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        match Store::open(state, Options::default()) {
            Err(StoreError::Locked { .. }) if Instant::now() < deadline => std::thread::yield_now(),
            opened => return opened.expect("the store again"),
        }
    }
}

/// A pack with one prompt; `edit` changes it.
fn pack(id: &str, version: &str, edit: impl FnOnce(&mut Value)) -> String {
    let mut pack = json!({
        "$schema": "https://promptpack.org/schema/latest/promptpack.schema.json",
        "id": id, "name": "Greeter", "version": version, "description": "Greets people.",
        "template_engine": {"version": "v1", "syntax": "{{variable}}"},
        "prompts": {"hello": {
            "id": "hello", "name": "Hello", "version": version,
            "system_template": "Greet {{name}}.",
            "variables": [{"name": "name", "type": "string", "required": true}]
        }},
        "metadata": {"tags": ["greeting"]}
    });
    edit(&mut pack);
    serde_json::to_string_pretty(&pack).expect("JSON")
}

fn optional(pack: &mut Value) {
    pack["prompts"]["hello"]["system_template"] = "Greet {{name}} in {{language}}.".into();
    let variable = json!({"name": "language", "type": "string", "required": false, "default": "English"});
    pack["prompts"]["hello"]["variables"].as_array_mut().expect("a list").push(variable);
}

fn required(pack: &mut Value) {
    optional(pack);
    pack["prompts"]["hello"]["system_template"] = "Greet {{name}} in {{language}} for {{tier}}.".into();
    let variable = json!({"name": "tier", "type": "string", "required": true});
    pack["prompts"]["hello"]["variables"].as_array_mut().expect("a list").push(variable);
}

#[test]
fn a_break_with_too_small_a_bump_is_held_back_and_never_laundered() {
    let mut world = World::new("branch");
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    world.write("greeter.pack.json", &pack("greeter", "1.1.0", optional)).commit();
    world.write("greeter.pack.json", &pack("greeter", "1.2.0", required)).commit();
    let reworded = pack("greeter", "1.2.1", required).replace("Greet {{name}}", "Warmly greet {{name}}");
    world.write("greeter.pack.json", &reworded).write("package.json", "{\"name\": \"x\"}").commit();
    world.write("broken.pack.json", "{ \"id\": ").commit();
    assert_eq!(world.scan(), 4);
    let check = |world: &World| {
        assert_eq!(world.resolve("greeter@^1"), "1.1.0");
        assert_eq!(world.resolve("greeter"), "1.1.0");
        assert_eq!(world.resolve("greeter@1.2.0"), "1.2.0 insufficient-bump");
        assert_eq!(world.resolve("greeter@1.2.1"), "1.2.1 insufficient-bump");
        assert_eq!(world.problems(), ["not-json broken.pack.json", "insufficient-bump greeter.pack.json"]);
    };
    check(&world);
    let found = world.store().snapshot();
    let release = found.pack(&Reader::everybody(), "greeter").expect("published").releases[3].clone();
    let report = world.store().report(&release).expect("a report");
    assert_eq!(report.baseline.expect("a baseline").version, "1.1.0");
    world.write("greeter.pack.json", &pack("greeter", "2.0.0", required)).commit();
    assert_eq!(world.scan(), 1);
    assert_eq!(world.resolve("greeter"), "2.0.0");
    // With a version that is enough nothing is left to do.
    assert_eq!(world.problems(), ["not-json broken.pack.json"]);
    world.lose_derived_state();
    assert_eq!(world.resolve("greeter"), "2.0.0");
    assert_eq!(world.scan(), 0);
    assert_eq!(world.resolve("greeter@^1"), "1.1.0");
    assert_eq!(world.problems(), ["not-json broken.pack.json"]);
    world.write("broken.pack.json", &pack("mended", "1.0.0", |_| ())).commit();
    assert_eq!(world.scan(), 1);
    assert_eq!(world.problems(), [""; 0]);
}

/// An entry that accepts the break of `required`.
const ACCEPTED: &str = "[[allow]]\nrule = \"variable-required-added\"\nreason = \"all callers send it\"\n";

#[test]
fn an_entry_at_the_head_lifts_the_flag_and_takes_its_end_with_it() {
    for scans in ["each", "last"] {
        let mut world = World::new("branch");
        let look = |world: &mut World| {
            if scans == "each" {
                world.scan();
            }
        };
        world.write("greeter.pack.json", &pack("greeter", "1.1.0", |_| ())).commit();
        look(&mut world);
        world.write("greeter.pack.json", &pack("greeter", "1.2.0", required)).commit();
        look(&mut world);
        world.write("packhouse.toml", ACCEPTED).commit();
        look(&mut world);
        // Judged by 1.2.0, which counts from there on, a new variable asks for more than a patch.
        let more = |pack: &mut Value| {
            required(pack);
            let variable = json!({"name": "tone", "type": "string", "required": false, "default": "kind"});
            pack["prompts"]["hello"]["variables"].as_array_mut().expect("a list").push(variable);
            pack["prompts"]["hello"]["system_template"] = "{{tone}} {{name}} {{language}} {{tier}}".into();
        };
        world.write("greeter.pack.json", &pack("greeter", "1.2.1", more)).commit();
        world.scan();
        assert_eq!(world.resolve("greeter@^1"), "1.2.0", "{scans}");
        assert_eq!(world.resolve("greeter@1.2.1"), "1.2.1 insufficient-bump", "{scans}");
        let events = world.store().events_after(0, 10);
        let lifted: Vec<_> =
            events.iter().filter(|event| event.kind == registry::EventType::FlagLifted).collect();
        assert_eq!(lifted.len(), 1, "{scans}: {events:?}");
        assert_eq!(lifted[0].version.as_deref(), Some("1.2.0"));
        world.lose_derived_state();
        assert_eq!(world.scan(), 0);
        assert_eq!(world.resolve("greeter@^1"), "1.2.0", "{scans}");
        world.write("packhouse.toml", "").commit();
        world.scan();
        assert_eq!(world.resolve("greeter@^1"), "1.1.0", "{scans}: it went with the entry");
    }
}

#[test]
fn an_entry_lifts_no_flag_that_it_does_not_cover() {
    let mut world = World::new("branch");
    world.write("greeter.pack.json", &pack("greeter", "1.1.0", |_| ())).commit();
    world.write("greeter.pack.json", &pack("greeter", "1.2.0", required)).commit();
    world.write("packhouse.toml", &ACCEPTED.replace("variable-required-added", "variable-removed")).commit();
    world.scan();
    assert_eq!(world.resolve("greeter@^1"), "1.1.0");
    // Who only judges less strictly accepts nothing.
    world
        .write("packhouse.toml", "[changes.rules]\nvariable-required-added = { bump = \"patch\" }\n")
        .commit();
    world.scan();
    assert_eq!(world.resolve("greeter@^1"), "1.1.0");
}

#[test]
fn the_head_lifts_flags_of_tags() {
    let mut world = World::new("tags");
    world.write("greeter.pack.json", &pack("greeter", "1.1.0", |_| ())).commit().tag("v1.1.0");
    world.write("greeter.pack.json", &pack("greeter", "1.2.0", required)).commit().tag("v1.2.0");
    world.write("packhouse.toml", ACCEPTED).commit();
    world.scan();
    assert_eq!(world.resolve("greeter@^1"), "1.2.0");
    world.write("packhouse.toml", "").commit();
    world.scan();
    assert_eq!(world.resolve("greeter@^1"), "1.1.0");
}

#[test]
fn the_first_content_of_a_version_stays() {
    let mut world = World::new("branch");
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    world.scan();
    let reformatted: Value = serde_json::from_str(&pack("greeter", "1.0.0", |_| ())).expect("JSON");
    world.write("greeter.pack.json", &reformatted.to_string()).commit();
    assert_eq!(world.scan(), 0);
    assert_eq!(world.problems(), [""; 0]);
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", optional)).commit();
    assert_eq!(world.scan(), 0);
    assert_eq!(world.problems(), ["version-reused greeter.pack.json"]);
    world.write("greeter.pack.json", &pack("greeter", "0.9.0", optional)).commit();
    assert_eq!(world.scan(), 1);
    assert_eq!(world.problems(), ["version-decreased greeter.pack.json"]);
}

#[test]
fn skills_belong_to_the_content() {
    let mut world = World::new("branch");
    let with_skill = |version: &str| pack("greeter", version, |pack| pack["skills"] = json!(["skills/tone"]));
    world.write("p/greeter.pack.json", &with_skill("1.0.0")).commit();
    assert_eq!(world.scan(), 0);
    assert_eq!(world.problems(), ["unresolved-skill p/greeter.pack.json"]);
    let skill = "---\nname: tone\ndescription: How to sound.\n---\n\nBe warm.\n";
    world.write("p/skills/tone/SKILL.md", skill).commit();
    assert_eq!(world.scan(), 1, "{:?}", world.problems());
    world.write("p/skills/tone/SKILL.md", &skill.replace("warm", "brief")).commit();
    assert_eq!(world.scan(), 0);
    assert_eq!(world.problems(), ["version-reused p/greeter.pack.json"]);
    world.write("p/greeter.pack.json", &with_skill("1.0.1")).commit();
    assert_eq!(world.scan(), 1, "{:?}", world.problems());
    let snapshot = world.store().snapshot();
    let row = snapshot.pack(&Reader::everybody(), "greeter").expect("published").releases[1].clone();
    let resolved = world
        .store()
        .form(&row, registry::Form::Resolved)
        .expect("a readable ledger")
        .expect("a resolved form");
    assert!(String::from_utf8_lossy(&resolved).contains("Be brief."));
}

#[test]
fn tags_name_versions_and_moving_one_changes_nothing() {
    let mut world = World::new("tags");
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit().tag("v1.0.0");
    world.write("greeter.pack.json", &pack("greeter", "1.1.0", optional)).commit().tag("greeter-v1.1.0");
    world.tag("v9.9.9").tag("nightly").tag("release-3.0.0");
    assert_eq!(world.scan(), 2);
    let mut problems = world.problems();
    problems.sort();
    assert_eq!(problems, ["tag-mismatch greeter.pack.json", "tag-mismatch release-3.0.0"]);
    assert_eq!(world.resolve("greeter"), "1.1.0");
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", optional)).commit().tag("v1.0.0");
    assert_eq!(world.scan(), 0);
    assert!(world.problems().contains(&"tag-moved greeter.pack.json".to_owned()), "{:?}", world.problems());
    git(&world.repository(), &["tag", "-d", "v1.0.0"]);
    assert_eq!(world.scan(), 0);
    assert!(world.problems().contains(&"tag-deleted v1.0.0".to_owned()), "{:?}", world.problems());
}

#[test]
fn hostile_files_are_problems_and_the_scan_goes_on() {
    let mut world = World::new("branch");
    let large = pack("large", "1.0.0", |pack| pack["description"] = "x".repeat(3 << 20).into());
    let deep = format!("{{\"id\": \"deep\", \"prompts\": {}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    let twice = pack("twice", "1.0.0", |_| ()).replacen("\"name\"", "\"name\": \"x\", \"name\"", 1);
    world.write("large.pack.json", &large).write("deep.json", &deep).write("twice.json", &twice);
    std::fs::write(world.repository().join("latin.json"), b"{\"id\": \"caf\xe9\", \"prompts\": {}}")
        .expect("a file");
    world.write("good.json", &pack("good", "1.0.0", |_| ())).commit();
    assert_eq!(world.scan(), 1);
    let expected =
        ["not-json deep.json", "too-large large.pack.json", "not-json latin.json", "invalid-pack twice.json"];
    assert_eq!(world.problems(), expected);
}

#[test]
fn a_source_that_vanishes_is_its_own_problem() {
    let mut world = World::new("branch");
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    world.scan();
    let away = world.folder.path().join("away");
    std::fs::rename(world.repository(), &away).expect("a rename");
    world.scan();
    world.scan();
    let state = world.store().source_state("packs");
    let unreachable: Vec<u64> = state
        .problems
        .iter()
        .filter(|p| p.code == ProblemCode::Unreachable)
        .map(|problem| problem.count)
        .collect();
    assert_eq!(unreachable, [2]);
    assert_eq!(world.resolve("greeter"), "1.0.0");
    std::fs::rename(&away, world.repository()).expect("a rename");
    world.scan();
    assert_eq!(world.problems(), [""; 0]);
}

#[test]
fn yanks_and_channels_of_the_root_settings_count() {
    let mut world = World::new("branch");
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    world.write("greeter.pack.json", &pack("greeter", "1.1.0", optional)).commit();
    let settings = "[channels.greeter]\nstable = \"1.0.0\"\n[[yank]]\npack = \"greeter\"\nversions = \"=1.1.0\"\nreason = \"wrong\"\n";
    world.write("packhouse.toml", settings).commit();
    world.scan();
    assert_eq!(world.resolve("greeter"), "1.0.0");
    assert_eq!(world.resolve("greeter@stable"), "1.0.0");
    assert_eq!(world.resolve("greeter@1.1.0"), "1.1.0");
    world.write("packhouse.toml", "").commit();
    world.scan();
    assert_eq!(world.resolve("greeter"), "1.1.0");
    let kinds: Vec<String> =
        world.store().events_after(0, 100).iter().map(|event| event.kind.as_str().to_owned()).collect();
    assert_eq!(kinds, ["published", "published", "yanked", "channel-moved", "unyanked", "channel-deleted"]);
}
