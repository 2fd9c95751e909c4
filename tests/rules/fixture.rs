//! Reads fixtures from disk, and compares what a run says with the text stored beside them.

use std::fs;
use std::path::{Path, PathBuf};

use pack::tree::{EntryKind, MemoryTree};

/// The folder `tests/rules` of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/rules")
}

/// Does `work` on every item, on as many threads as there are processors; the results stand in the order of the items.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let part = items.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let work = &work;
        let running: Vec<_> = items
            .chunks(part)
            .map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<R>>()))
            .collect();
        running.into_iter().flat_map(|thread| thread.join().expect("the work of a thread")).collect()
    })
}

/// Whether this run rewrites what is generated.
pub fn updating() -> bool {
    std::env::var_os("UPDATE").is_some()
}

/// The entries of a folder, sorted by name; nothing where there is no folder.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.sort();
    paths
}

/// The name of the last part of a path.
pub fn name(path: &Path) -> String {
    path.file_name().expect("a path with a name").to_string_lossy().into_owned()
}

/// Everything below `folder` as a tree; a link is a link.
pub fn tree(folder: &Path) -> MemoryTree {
    let mut tree = MemoryTree::default();
    add(&mut tree, folder, folder);
    tree
}

fn add(tree: &mut MemoryTree, root: &Path, folder: &Path) {
    for path in entries(folder) {
        let relative = relative(root, &path);
        let kind = fs::symlink_metadata(&path).expect("an entry that exists").file_type();
        if kind.is_symlink() {
            let target = fs::read_link(&path).expect("a readable link").to_string_lossy().into_owned();
            tree.insert_as(relative, EntryKind::Link, target);
        } else if kind.is_dir() {
            add(tree, root, &path);
        } else {
            tree.insert(relative, fs::read(&path).expect("a readable file"));
        }
    }
}

/// `path` below `root`, with `/` between its parts.
pub fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).expect("a path below the root").to_string_lossy().replace('\\', "/")
}

/// Compares `actual` with the stored text, or stores it when the run rewrites what is generated.
///
/// Gives a message when they differ.
pub fn compare(stored: &Path, actual: &str) -> Option<String> {
    let expected = fs::read_to_string(stored).unwrap_or_default();
    if expected == actual {
        return None;
    }
    if updating() {
        fs::write(stored, actual).expect("a writable fixture folder");
        return None;
    }
    Some(format!(
        "{} is stale; look at the difference, then run `UPDATE=1 cargo test`\n--- stored\n{expected}--- now\n{actual}",
        stored.display()
    ))
}
