//! Notices that the refs of a source may have moved.
//!
//! A notice is only a hint: it carries no data, may come too often, and may be lost. Whoever gets one lists the refs
//! again. Waiting until a burst of hints is over is left to the receiver.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::{GitError, SourceRepository};

/// Watches the refs of any number of sources.
pub struct Watcher {
    watcher: RecommendedWatcher,
    watched: Arc<Mutex<Watched>>,
}

/// Which sources wait for which folder. Folders are shared by linked work trees of one repository.
#[derive(Default)]
struct Watched {
    folders: BTreeMap<PathBuf, BTreeSet<String>>,
}

impl Watcher {
    /// Starts watching nothing. `on_hint` is called with the key of a source, on a thread of its own; it should
    /// return at once.
    ///
    /// # Errors
    /// [`GitError::Watch`] when the operating system gives no watcher.
    pub fn new(on_hint: impl Fn(&str) + Send + 'static) -> Result<Watcher, GitError> {
        let watched = Arc::new(Mutex::new(Watched::default()));
        let known = Arc::clone(&watched);
        let handler = move |event: notify::Result<Event>| {
            let hinted = lock(&known).hinted(&event);
            hinted.iter().for_each(|key| on_hint(key));
        };
        let watcher = notify::recommended_watcher(handler)
            .map_err(|source| GitError::Watch { path: PathBuf::new(), source })?;
        Ok(Watcher { watcher, watched })
    }

    /// Watches the refs of `repository` for the source `key`, in place of what was watched for it before.
    ///
    /// # Errors
    /// [`GitError::Watch`] with the folder, for example when the system's limit is reached; then nothing is
    /// watched for `key`.
    pub fn watch(&mut self, key: &str, repository: &SourceRepository) -> Result<(), GitError> {
        self.unwatch(key);
        for (folder, mode) in folders(repository) {
            let is_first = lock(&self.watched).add(&folder, key);
            let outcome = if is_first { self.watcher.watch(&folder, mode) } else { Ok(()) };
            if let Err(source) = outcome {
                self.unwatch(key);
                return Err(GitError::Watch { path: folder, source });
            }
        }
        Ok(())
    }

    /// Stops watching for the source `key`.
    pub fn unwatch(&mut self, key: &str) {
        let orphaned = lock(&self.watched).remove(key);
        for folder in orphaned {
            // A folder that is gone is watched no longer, which is what was asked for.
            let _ = self.watcher.unwatch(&folder);
        }
    }
}

impl fmt::Debug for Watcher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Watcher")
            .field("folders", &lock(&self.watched).folders)
            .finish_non_exhaustive()
    }
}

impl Watched {
    /// Notes that `key` waits for `folder`; tells whether nobody did before.
    fn add(&mut self, folder: &Path, key: &str) -> bool {
        let keys = self.folders.entry(folder.to_owned()).or_default();
        keys.insert(key.to_owned());
        keys.len() == 1
    }

    /// Forgets `key`; tells for which folders nobody waits any more.
    fn remove(&mut self, key: &str) -> Vec<PathBuf> {
        let orphaned = |(folder, keys): (&PathBuf, &mut BTreeSet<String>)| {
            let was_waiting = keys.remove(key);
            (was_waiting && keys.is_empty()).then(|| folder.clone())
        };
        let orphaned: Vec<PathBuf> = self.folders.iter_mut().filter_map(orphaned).collect();
        for folder in &orphaned {
            self.folders.remove(folder);
        }
        orphaned
    }

    /// The sources that an event is a hint for: all of them when events were lost.
    fn hinted(&self, event: &notify::Result<Event>) -> BTreeSet<String> {
        let Ok(event) = event else { return self.all() };
        if event.need_rescan() {
            return self.all();
        }
        if matches!(event.kind, EventKind::Access(_)) {
            return BTreeSet::new();
        }
        let waiting = |path: &PathBuf| {
            let folders: Vec<&PathBuf> =
                self.folders.keys().filter(|folder| may_move(folder, path)).collect();
            folders.into_iter().flat_map(|folder| &self.folders[folder]).cloned().collect::<Vec<String>>()
        };
        event.paths.iter().flat_map(waiting).collect()
    }

    fn all(&self) -> BTreeSet<String> {
        self.folders.values().flatten().cloned().collect()
    }
}

/// Whether a change at `path` may mean that a ref below the watched `folder` moved. Lock files come and go without
/// meaning anything: what counts is the rename to the ref that follows.
fn may_move(folder: &Path, path: &Path) -> bool {
    let Ok(below) = path.strip_prefix(folder) else { return false };
    let is_refs = folder.ends_with("refs");
    let is_lock = path.extension().is_some_and(|extension| extension == "lock");
    let names_refs = is_refs || below == Path::new("HEAD") || below == Path::new("packed-refs");
    let is_folder_itself = below.as_os_str().is_empty();
    (names_refs && !is_lock) || is_folder_itself
}

fn folders(repository: &SourceRepository) -> Vec<(PathBuf, RecursiveMode)> {
    let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let (git_dir, common_dir) = (real(repository.git_dir()), real(repository.common_dir()));
    let refs = common_dir.join("refs");
    let mut folders = vec![(git_dir, RecursiveMode::NonRecursive), (common_dir, RecursiveMode::NonRecursive)];
    folders.dedup();
    folders.push((refs, RecursiveMode::Recursive));
    folders
}

fn lock(watched: &Mutex<Watched>) -> MutexGuard<'_, Watched> {
    // The map is whole between any two of its statements: a panic elsewhere cannot have spoiled it.
    watched.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
