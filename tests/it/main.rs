//! Flows through the binary: files and repositories in, reports and exit status out.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests run the program on files")]

mod acceptance;
mod access;
mod bumps;
mod changes;
mod check;
mod clones;
mod commands;
mod daemon;
mod diff;
mod doors;
mod fetch;
mod histories;
mod kills;
mod layering;
mod ledger;
mod life;
mod lines;
mod lint;
#[path = "../support/patch.rs"]
mod patch;
mod remote;
mod standing;
#[path = "../support/mod.rs"]
mod support;
mod webhooks;

/// Compares with the file of that name below `snapshots/`; `UPDATE=1` rewrites it.
fn snapshot(name: &str, text: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/it/snapshots")
        .join(format!("{name}.txt"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, text).expect("a file");
        return;
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        stored == text,
        "{} is stale; look at the difference, then run `UPDATE=1 cargo test`\n--- stored\n{stored}--- now\n{text}",
        path.display()
    );
}
