//! What is exported is what the API answers for ever, and nothing else.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use store::Reader;

use super::{ExportError, Exported, export, files_below};
use crate::web::segment;
use crate::web::tests::support::{World, composition, greeter};

const INNER: &str = "[[source]]\nname = \"packs\"\npath = \"packs\"\n\
                     [[source]]\nname = \"inner\"\npath = \"inner\"\nreaders = [\"payments\"]\n";

fn world() -> World {
    let mut pack = greeter("1.0.0");
    pack["skills"] = json!(["skills/wave", "skills/nod"]);
    pack["compositions"] = composition("schemas/input.txt");
    let mut hidden = greeter("1.0.0");
    hidden["id"] = "hidden".into();
    World::configured(INNER)
        .in_source("packs")
        .file("skills/wave/SKILL.md", "---\nname: wave\ndescription: Waves.\n---\nWave.\n")
        .file("skills/wave/more/a b.md", "more")
        .file("skills/wave/.htaccess", "AddHandler cgi-script .md")
        .file("skills/nod/SKILL.md", "---\nname: wave\ndescription: Nods.\n---\nNod.\n")
        .file("schemas/input.txt", r#"{"type": "object"}"#)
        .publish(&pack)
        .greeter("1.0.1-beta+linux")
        .in_source("inner")
        .publish(&hidden)
}

/// Exports for groups; gives the result and the addresses of the files.
fn exported(world: &World, target: &Path, groups: &[&str]) -> (Exported, BTreeSet<String>) {
    let groups = groups.iter().map(|group| (*group).to_owned()).collect();
    let exported = export(world.state(), target, &Reader::of_groups(groups)).expect("an export");
    let files = files_below(&target.join("v1")).expect("a folder");
    let address = |path: &Path| {
        let below = path.strip_prefix(target).expect("below").to_string_lossy().into_owned();
        below.split('/').map(segment).fold(String::new(), |path, part| format!("{path}/{part}"))
    };
    (exported, files.iter().map(|path| address(path)).collect())
}

/// Every address of a manifest.
fn addresses(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("url").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|member| addresses(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| addresses(item, found)),
        _ => {}
    }
}

#[test]
fn every_file_is_what_the_api_answers_for_ever_and_every_such_answer_is_a_file() {
    let (world, folder) = (world(), tempfile::tempdir().expect("a folder"));
    let (done, files) = exported(&world, folder.path(), &[]);
    assert_eq!((done.releases, done.files, done.written, done.removed), (2, files.len(), files.len(), 0));
    for address in &files {
        let reply = world.get(address);
        assert_eq!(reply.status, 200, "{address}");
        assert!(reply.header("cache-control").ends_with("immutable"), "{address}");
        let decoded = address.replace("%20", " ").replace("%2B", "+");
        let bytes = std::fs::read(folder.path().join(&decoded[1..])).expect("a file");
        assert_eq!(bytes, reply.bytes, "{address}");
    }
    let mut promised = BTreeSet::new();
    for version in ["1.0.0", "1.0.1-beta+linux"] {
        addresses(&world.get(&format!("/v1/packs/greeter/versions/{version}")).json(), &mut promised);
    }
    let encoded: BTreeSet<String> = promised.iter().map(|address| address.replace('+', "%2B")).collect();
    let left_out = "/v1/packs/greeter/versions/1.0.0/skills/wave/.htaccess";
    assert_eq!(done.left_out, [left_out]);
    let missing: Vec<&String> = encoded.difference(&files).collect();
    assert_eq!(missing, [left_out]);
}

#[test]
fn what_is_gone_or_for_others_is_taken_out() {
    let (world, folder) = (world(), tempfile::tempdir().expect("a folder"));
    let (all, files) = exported(&world, folder.path(), &["payments"]);
    assert_eq!(all.releases, 3);
    assert!(files.contains("/v1/packs/hidden/versions/1.0.0/pack.json"));
    let (again, _) = exported(&world, folder.path(), &["payments"]);
    assert_eq!((again.files, again.written, again.removed), (all.files, 0, 0));
    let (open, files) = exported(&world, folder.path(), &[]);
    assert!(open.removed > 0 && !files.iter().any(|path| path.contains("hidden")), "{files:?}");
    let version = semver::Version::new(1, 0, 0);
    let now = jiff::Timestamp::now();
    world.app.store.remove("greeter", &version, "a secret", "ada", now).expect("a removal");
    let (_, files) = exported(&world, folder.path(), &[]);
    assert!(!files.iter().any(|path| path.contains("/versions/1.0.0/")), "{files:?}");
    assert!(!folder.path().join("v1/packs/greeter/versions/1.0.0").exists(), "no empty folder stays");
}

#[test]
fn a_folder_that_holds_something_else_is_left_alone() {
    let (world, folder) = (world(), tempfile::tempdir().expect("a folder"));
    std::fs::create_dir(folder.path().join("v1")).expect("a folder");
    std::fs::write(folder.path().join("v1/mine"), "mine").expect("a file");
    let refused = export(world.state(), folder.path(), &Reader::everybody());
    assert!(matches!(refused, Err(ExportError::Foreign { .. })), "{refused:?}");
    assert!(folder.path().join("v1/mine").exists());
}
