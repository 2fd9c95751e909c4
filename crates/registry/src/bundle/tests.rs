use std::io::Read;

use flate2::read::GzDecoder;
use pack::json::Document;
use pack::tree::{EntryKind, MemoryTree};

use super::*;
use crate::package::{NoPackage, Package, Packages as Source};
use crate::release::StoredFile;
use crate::resolve::{Place, Resolution, resolve};
use crate::settings::Limits;

/// `@acme/tone` at two refs, with another text each.
struct Acme;

impl Source for Acme {
    fn package(&self, reference: &str) -> Result<Package, NoPackage> {
        let mut tree = MemoryTree::default();
        tree.insert(
            "tone/SKILL.md",
            format!("---\nname: tone\ndescription: Tone.\n---\nAs of {reference}.\n"),
        );
        Ok(Package { tree: Box::new(tree), path: "tone".to_owned(), commit: "beef".to_owned() })
    }
}

/// A release of a pack at `path` that names `skills`, and the files of its folder.
fn release(path: &str, skills: &str) -> (Release, BTreeMap<String, StoredFile>) {
    let text = format!("{{\"id\": \"support\", \"skills\": {skills}}}");
    let mut tree = MemoryTree::default();
    tree.insert(
        "team/skills/refunds/SKILL.md",
        "---\nname: refunds\ndescription: Refunds.\n---\nWithin 30 days.\n",
    );
    let script = EntryKind::File { executable: true };
    tree.insert_as("team/skills/refunds/check.sh".to_owned(), script, "#!/bin/sh\n".to_owned().into_bytes());
    let (document, _) = Document::parse(text.as_bytes());
    let place = Place { tree: &tree, commit: "c0ffee" };
    let Resolution { skills, mut files, warnings, unresolved, .. } =
        resolve(&document.expect("JSON"), path, place, &Acme, Limits::default());
    assert_eq!(unresolved, [""; 0]);
    files.insert("pack.json".to_owned(), StoredFile::plain(text.clone().into_bytes()));
    files.insert("files/team/order.json".to_owned(), StoredFile::plain(b"{}".to_vec()));
    let record = serde_json::json!({
        "id": "support", "version": "1.2.0", "digest": Digest::of(text.as_bytes()), "content": Digest::of(b""),
        "forms": {}, "source": "packs", "path": path, "commit": "c0ffee", "tag": "v1.2.0",
        "published_at": "2026-01-01T00:00:00Z", "spec_version": "1.5.1", "bump": "minor", "required_bump": "patch",
        "breaking": false, "flags": ["insufficient-bump"], "findings": {"error": 0, "warn": 0, "info": 0},
        "summary": {"name": "", "description": null, "domain": null, "language": null, "tags": [], "prompts": [], "tools": []},
        "skills": skills, "files": ["team/order.json"], "warnings": warnings, "resolver": 1,
    });
    (serde_json::from_value(record).expect("a record"), files)
}

fn made(path: &str, skills: &str) -> Result<Vec<u8>, NoBundle> {
    let (release, files) = release(path, skills);
    bundle(&release, &|path| files.get(path).map(|file| file.bytes.clone()))
}

/// Path, mode and text of every file.
fn contents(bundle: &[u8]) -> Vec<(String, u32, String)> {
    let mut bytes = Vec::new();
    GzDecoder::new(bundle).read_to_end(&mut bytes).expect("gzip with the right sums");
    let mut archive = tar::Archive::new(bytes.as_slice());
    let entries = archive.entries().expect("an archive").map(|entry| {
        let mut entry = entry.expect("an entry");
        let (mode, time) = (entry.header().mode().expect("a mode"), entry.header().mtime().expect("a time"));
        assert_eq!(time, 0);
        let path = entry.path().expect("a path").to_str().expect("text").to_owned();
        let mut text = String::new();
        entry.read_to_string(&mut text).expect("text");
        (path, mode, text)
    });
    entries.collect()
}

#[test]
fn everything_stands_at_its_place_in_the_repository() {
    let bundle = made("team/support.pack.json", r#"["skills/refunds", "@acme/tone@1", "@acme/tone@2"]"#)
        .expect("a bundle");
    let contents = contents(&bundle);
    let places: Vec<(&str, u32)> = contents.iter().map(|(path, mode, _)| (path.as_str(), *mode)).collect();
    let expected = [
        ("manifest.json", 0o644),
        ("skills/@acme/tone/SKILL.md", 0o644),
        ("skills/@acme/tone~2/SKILL.md", 0o644),
        ("team/order.json", 0o644),
        ("team/skills/refunds/SKILL.md", 0o644),
        ("team/skills/refunds/check.sh", 0o755),
        ("team/support.pack.json", 0o644),
    ];
    assert_eq!(places, expected);
    assert!(
        contents[1].2.ends_with("As of @acme/tone@1.\n") && contents[2].2.ends_with("As of @acme/tone@2.\n")
    );
    let manifest: serde_json::Value = serde_json::from_str(&contents[0].2).expect("JSON");
    assert_eq!(manifest["pack"], "team/support.pack.json");
    assert_eq!(manifest["skills"][1]["files"][0]["path"], "skills/@acme/tone/SKILL.md");
    for absent in ["published_at", "url", "forms", "flags", "flagged", "bump", "source"] {
        assert!(manifest.get(absent).is_none(), "{absent}");
    }
}

#[test]
fn the_bytes_are_the_same_for_ever() {
    let bundle = made("team/support.pack.json", r#"["skills/refunds"]"#).expect("a bundle");
    // Another digest here would be another digest of every bundle that was ever published.
    assert_eq!(
        Digest::of(&bundle).to_string(),
        "sha256:11a8aca3b583d6acb34116557a38837b275b9a697070211e5135472971ace63c"
    );
    let long = format!("{}/support.pack.json", "deep".repeat(80));
    let files =
        BTreeMap::from([(long.clone(), archive::File { bytes: vec![7; 200_000], executable: false })]);
    let bytes = archive::write(&files).expect("an archive");
    assert_eq!(contents(&bytes)[0].0, long);
    assert_eq!(
        Digest::of(&bytes).to_string(),
        "sha256:0f1b631157403678f1003875736d6b1222667018e5264659e9ada73ae5cc5edd"
    );
}

#[test]
fn a_place_that_is_taken_is_no_place() {
    assert_eq!(made("manifest.json", "[]"), Err(NoBundle::Taken("manifest.json".to_owned())));
    assert_eq!(made("manifest.json/a.json", "[]"), Err(NoBundle::Taken("manifest.json".to_owned())));
    assert_eq!(
        made("skills/@acme/tone", r#"["@acme/tone"]"#),
        Err(NoBundle::Taken("skills/@acme/tone".to_owned()))
    );
    let (release, _) = release("a.json", "[]");
    assert_eq!(bundle(&release, &|_| None), Err(NoBundle::Missing("pack.json".to_owned())));
}
