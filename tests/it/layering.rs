//! Who may depend on whom: the edges between the rooms are those of the architecture, and the core stays free of IO.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The rooms and what each may use.
const EDGES: &[(&str, &[&str])] = &[
    ("pack", &[]),
    ("rules", &["pack"]),
    ("registry", &["pack", "rules"]),
    ("git", &["pack"]),
    ("store", &["git", "pack", "registry", "rules"]),
    ("daemon", &["git", "pack", "registry", "rules", "store"]),
    ("client", &["registry"]),
    ("lsp", &["pack", "registry", "rules"]),
    ("cli", &["client", "daemon", "git", "lsp", "pack", "registry", "rules", "store"]),
];

/// Crates that the core never names: they do IO, or wait.
const BANNED: &[&str] = &[
    "axum",
    "git2",
    "ignore",
    "libgit2-sys",
    "notify",
    "rayon",
    "reqwest",
    "sled",
    "tantivy",
    "tempfile",
    "tokio",
    "tower",
    "tracing",
    "ureq",
];

/// The dependencies of a room by name, those for tests left out.
fn dependencies(room: &str) -> BTreeSet<String> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(room).join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let mut names = BTreeSet::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with('[') {
            inside = line == "[dependencies]";
        } else if inside && let Some((name, _)) = line.split_once(['.', ' ', '=']) {
            names.insert(name.to_owned());
        }
    }
    names
}

#[test]
fn rooms_depend_on_each_other_as_the_architecture_says() {
    let rooms: BTreeMap<&str, &[&str]> = EDGES.iter().copied().collect();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let there: BTreeSet<String> = std::fs::read_dir(crates)
        .expect("the rooms")
        .filter_map(|entry| entry.ok())
        .filter(|entry| entry.path().join("Cargo.toml").exists())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    assert_eq!(
        there.iter().map(String::as_str).collect::<Vec<_>>(),
        rooms.keys().copied().collect::<Vec<_>>()
    );
    for (room, allowed) in &rooms {
        let used: Vec<String> =
            dependencies(room).into_iter().filter(|name| rooms.contains_key(name.as_str())).collect();
        assert_eq!(used, *allowed, "the rooms that `{room}` uses");
    }
}

#[test]
fn the_core_names_no_crate_that_does_io() {
    for room in ["pack", "rules", "registry"] {
        for name in dependencies(room) {
            assert!(!BANNED.contains(&name.as_str()), "`{room}` depends on {name}");
        }
    }
}
