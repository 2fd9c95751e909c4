//! Reads `registry.toml` and the files that it includes.

use std::path::{Path, PathBuf};

use anyhow::Context;
use registry::RegistrySettings;
use registry::pattern::Patterns;
use registry::settings::IncludeFile;

use crate::complaint::Complaint;

/// The configuration of a registry, and the folder that its relative paths count from.
pub struct RegistryFile {
    /// What it says.
    pub settings: RegistrySettings,
    /// The folder of the file.
    pub base: PathBuf,
    /// Files whose sources were added.
    pub included: Vec<PathBuf>,
}

/// Where the configuration is looked for when no file is named.
const DEFAULT: &str = "registry.toml";

/// Reads the file, `registry.toml` in the current folder where none is named.
///
/// # Errors
/// Names the file, the key and, where it can, the line.
pub fn read(file: Option<&Path>) -> anyhow::Result<RegistryFile> {
    let path = file.unwrap_or(Path::new(DEFAULT));
    let text = std::fs::read_to_string(path).map_err(|error| {
        let complaint = Complaint::new(format!("cannot read {}: {error}", path.display()));
        match file {
            Some(_) => complaint.help("name a registry configuration with `--config FILE`"),
            None => complaint.help("name the configuration with `--config FILE`, or try `packhouse demo`"),
        }
    })?;
    let settings = RegistrySettings::parse(&text).map_err(|error| mistake(path, &error))?;
    let base =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned();
    let mut read = RegistryFile { settings, base, included: Vec::new() };
    for pattern in read.settings.include.clone() {
        read.include(&pattern)?;
    }
    Ok(read)
}

/// One line: the file, the key, what is wrong; the help of the error below it.
fn mistake(path: &Path, error: &registry::SettingsError) -> Complaint {
    let line = error.line.map(|line| format!(":{line}")).unwrap_or_default();
    let key = if error.key.is_empty() { String::new() } else { format!("`{}`: ", error.key) };
    let complaint = Complaint::new(format!("{}{line}: {key}{}", path.display(), error.message));
    match &error.help {
        Some(help) => complaint.help(help),
        None => complaint,
    }
}

impl RegistryFile {
    /// Adds the sources of the files that a pattern names; only its last part may hold `*`.
    fn include(&mut self, pattern: &str) -> anyhow::Result<()> {
        let (folder, name) = pattern.rsplit_once('/').unwrap_or(("", pattern));
        let names = Patterns::new(&[name.to_owned()])
            .map_err(|why| Complaint::new(format!("`include`: the pattern cannot be read: {why}")))?;
        let folder = self.base.join(folder);
        let Ok(entries) = std::fs::read_dir(&folder) else { return Ok(()) };
        let mut paths: Vec<PathBuf> = entries
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .filter(|path| path.file_name().is_some_and(|name| names.matches(&name.to_string_lossy())))
            .collect();
        paths.sort();
        for path in paths {
            let text =
                std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let sources = IncludeFile::parse(&text).map_err(|error| mistake(&path, &error))?;
            self.settings.add_sources(sources).map_err(|error| mistake(&path, &error))?;
            self.included.push(path);
        }
        Ok(())
    }

    /// The folder of the state.
    pub fn state(&self) -> PathBuf {
        self.base.join(&self.settings.server.state)
    }
}
