//! The `packhouse.toml` that counts for each pack, read once per folder.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;
use pack::SpecVersion;
use pack::tree::{Tree, folder};
use registry::Settings;
use registry::settings::{FoundSettings, Policy, SettingsError, find_settings};
use rules::Profile;

use crate::complaint::Complaint;
use crate::packs::PackFile;

/// What holds for a whole run besides the authors' settings.
#[derive(Debug, Clone)]
pub struct Conditions {
    /// Nothing is demanded of an author's own run but what the settings say.
    policy: Policy,
    /// The day that decides whether an `[[allow]]` entry has expired.
    pub today: Date,
    /// `--spec`
    pub spec: Option<SpecVersion>,
}

impl Conditions {
    /// The conditions of a run today.
    pub fn today(spec: Option<SpecVersion>) -> Conditions {
        let policy = Policy { profile: Profile::Wire, ..Policy::default() };
        Conditions { policy, today: Offset::UTC.to_datetime(Timestamp::now()).date(), spec }
    }

    /// Settings in the form that judging takes.
    pub fn settings<'a>(&'a self, found: &'a FoundSettings) -> Settings<'a> {
        Settings {
            repository: &found.settings,
            base: &found.base,
            policy: &self.policy,
            today: self.today,
            spec: self.spec,
        }
    }
}

/// Finds settings and remembers them.
#[derive(Debug, Default)]
pub struct Configuration {
    folders: BTreeMap<(Option<PathBuf>, String), Result<Arc<FoundSettings>, String>>,
}

impl Configuration {
    /// The settings of a pack on disk.
    ///
    /// # Errors
    /// Says what is wrong with the file; the same file is complained of once, then the error is [`None`].
    pub fn of(&mut self, file: &PackFile) -> Result<Arc<FoundSettings>, Option<Complaint>> {
        let Some(tree) = &file.tree else { return Ok(Arc::new(FoundSettings::default())) };
        let key = (Some(tree.root().to_owned()), folder(&file.path).to_owned());
        if let Some(known) = self.folders.get(&key) {
            return known.clone().map_err(|_| None);
        }
        let found = find_settings(tree.as_ref(), &file.path);
        let (kept, result) = match found {
            Ok(found) => {
                let found = Arc::new(found);
                (Ok(found.clone()), Ok(found))
            }
            Err((path, error)) => {
                let known = self.folders.values().any(|kept| kept.as_ref().err() == Some(&path));
                let shown = tree.root().join(&path).display().to_string();
                (Err(path), Err((!known).then(|| complaint_of(&shown, &error))))
            }
        };
        self.folders.insert(key, kept);
        result
    }
}

/// The settings that a tree holds for the file at `path`.
///
/// # Errors
/// Says what is wrong with the file, called by `shown`.
pub fn settings_in(tree: &dyn Tree, path: &str, shown: &str) -> Result<FoundSettings, Complaint> {
    find_settings(tree, path).map_err(|(path, error)| {
        let path = if shown.is_empty() { path } else { format!("{shown}{path}") };
        complaint_of(&path, &error)
    })
}

/// What is wrong with a settings file, in the form of every other complaint.
pub fn complaint_of(path: &str, error: &SettingsError) -> Complaint {
    let line = error.line.map(|line| format!(":{line}")).unwrap_or_default();
    let key = if error.key.is_empty() { String::new() } else { format!("`{}`: ", error.key) };
    let complaint = Complaint::new(format!("{path}{line}: {key}{}", error.message));
    match &error.help {
        Some(help) => complaint.help(help.clone()),
        None => complaint,
    }
}
