//! Lints many packs at once, and what is said of them together: duplicates, `[[allow]]` entries.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pack::SpecVersion;
use rayon::prelude::*;
use registry::acknowledge::Accepted;
use registry::gate::{AllowRun, Claim, JudgedPack, allow_findings, duplicate_packs, unknown_packs};
use registry::report::FindingView;
use registry::settings::{FoundSettings, settings_file};
use registry::{Evaluated, Input, Settings, evaluate};

use crate::complaint::{self, Complaint};
use crate::configuration::{Conditions, Configuration};
use crate::excerpt::SourceText;
use crate::output::Texts;
use crate::packs::{PackFile, place_of, shown};
use crate::worktree::WorkTree;

/// A pack that was linted.
pub struct JudgedFile {
    /// The file.
    pub file: PackFile,
    /// The settings that counted.
    pub settings: Arc<FoundSettings>,
    /// What is said of it. Paths in it count from the root of the repository.
    pub evaluated: Evaluated,
}

/// A settings file: the root of its tree, and its folder in it.
pub type SettingsKey = (PathBuf, String);

impl JudgedFile {
    /// Its findings with the path as it was named.
    pub fn findings(&self) -> impl Iterator<Item = FindingView> {
        let shown = &self.file.shown;
        self.evaluated.report.findings.iter().map(|finding| {
            let mut finding = finding.clone();
            finding.path.clone_from(shown);
            finding
        })
    }

    /// The file in the form that judging takes.
    pub fn input(&self) -> Input<'_> {
        let tree = self.file.tree.as_deref().map(|tree| tree as &dyn pack::tree::Tree);
        Input { bytes: &self.file.bytes, path: &self.file.path, tree }
    }

    /// Adds its text to those that can be quoted.
    pub fn add_text(&self, texts: &mut Texts) {
        let text = SourceText::new(self.evaluated.document.as_ref(), &self.file.bytes);
        texts.insert(&self.file.shown, &self.uri(), text);
    }

    /// Its path for services that know the repository only.
    pub fn uri(&self) -> String {
        match &self.file.tree {
            Some(tree) if tree.in_repository() => self.file.path.clone(),
            _ if Path::new(&self.file.shown).is_absolute() => self.file.path.clone(),
            _ => self.file.shown.clone(),
        }
    }

    /// The settings file that counted; none for a pack that came alone.
    pub fn settings_key(&self) -> Option<SettingsKey> {
        let tree = self.file.tree.as_ref()?;
        Some((tree.root().to_owned(), self.settings.base.clone()))
    }
}

/// Lints packs in parallel; gives also whether all could be linted. What could not was already said. Packs without a
/// finding keep no document: in a large run the memory of one serves the next.
pub fn lint(files: Vec<PackFile>, conditions: &Conditions) -> (Vec<JudgedFile>, bool) {
    let mut configuration = Configuration::default();
    lint_all(files, conditions, &mut |file| configuration.of(file), &|judged| {
        if judged.evaluated.findings.is_empty() {
            judged.evaluated.document = None;
        }
    })
}

/// Finds the settings of a pack, or says what is wrong with them; `None` where that was said already.
pub type SettingsOf<'s> = dyn FnMut(&PackFile) -> Result<Arc<FoundSettings>, Option<Complaint>> + 's;

/// As [`lint`], under settings from elsewhere.
pub fn lint_under(
    files: Vec<PackFile>,
    conditions: &Conditions,
    settings: &mut SettingsOf<'_>,
) -> (Vec<JudgedFile>, bool) {
    lint_all(files, conditions, settings, &|_| ())
}

fn lint_all(
    files: Vec<PackFile>,
    conditions: &Conditions,
    settings: &mut SettingsOf<'_>,
    finish: &(dyn Fn(&mut JudgedFile) + Sync),
) -> (Vec<JudgedFile>, bool) {
    let mut complete = true;
    let mut configured: Vec<(PackFile, Arc<FoundSettings>)> = Vec::new();
    for file in files {
        match settings(&file) {
            Ok(settings) => configured.push((file, settings)),
            Err(said) => {
                complete = false;
                said.into_iter().for_each(|said| complaint::print(&said.into()));
            }
        }
    }
    let judge = |(file, settings)| {
        let mut judged = judge(file, settings, conditions);
        finish(&mut judged);
        judged
    };
    (configured.into_par_iter().map(judge).collect(), complete)
}

/// Prepares on another thread what every pack is judged with (schemas, patterns), while packs are still looked for.
pub fn warm_up() {
    rayon::spawn(|| {
        let conditions = Conditions::today(None);
        let settings = FoundSettings::default();
        let input = Input { bytes: SMALL_PACK.as_bytes(), path: "small.pack.json", tree: None };
        evaluate(input, None, conditions.settings(&settings));
    });
}

/// A pack that every kind of preparation is needed for.
const SMALL_PACK: &str = r#"{"id": "small", "name": "Small", "version": "1.0.0", "description": "Small.",
    "template_engine": {"version": "v1", "syntax": "{{variable}}"}, "prompts": {"ask": {"id": "ask", "name": "Ask",
    "version": "1.0.0", "description": "Asks.", "system_template": "Ask {{name}}.",
    "variables": [{"name": "name", "type": "string", "required": true, "description": "A name."}]}}}"#;

/// Lints one pack.
pub fn judge(file: PackFile, settings: Arc<FoundSettings>, conditions: &Conditions) -> JudgedFile {
    let tree = file.tree.as_deref().map(|tree| tree as &dyn pack::tree::Tree);
    let input = Input { bytes: &file.bytes, path: &file.path, tree };
    let evaluated = evaluate(input, None, conditions.settings(&settings));
    JudgedFile { file, settings, evaluated }
}

/// Reads `--spec`.
///
/// # Errors
/// Names the versions that there are.
pub fn spec_version(text: &str) -> Result<SpecVersion, String> {
    SpecVersion::parse(text).ok_or_else(|| {
        let known: Vec<String> = SpecVersion::ALL.iter().map(ToString::to_string).collect();
        format!("there is no such spec version; there are {}", known.join(", "))
    })
}

/// Files of one tree that claim one identity with different contents.
pub fn duplicates(judged: &[JudgedFile], conditions: &Conditions) -> Vec<FindingView> {
    let mut roots: BTreeMap<&Path, Vec<&JudgedFile>> = BTreeMap::new();
    for file in judged {
        if let Some(tree) = &file.file.tree {
            roots.entry(tree.root()).or_default().push(file);
        }
    }
    let mut findings = Vec::new();
    for files in roots.values() {
        let claims: Vec<Claim<'_>> = files
            .iter()
            .filter_map(|file| {
                let (id, version) = (file.evaluated.id.as_deref()?, file.evaluated.version.as_ref()?);
                let settings = conditions.settings(&file.settings);
                Some(Claim { path: &file.file.path, bytes: &file.file.bytes, id, version, settings })
            })
            .collect();
        for mut finding in duplicate_packs(&claims) {
            if let Some(file) = files.iter().find(|file| file.file.path == finding.path) {
                finding.path.clone_from(&file.file.shown);
            }
            findings.push(finding);
        }
    }
    findings
}

/// What is known of the `[[allow]]` entries of one settings file besides what linting tells.
#[derive(Debug, Default)]
pub struct AllowNotes {
    /// Entries that accepted a change.
    pub matched: BTreeSet<usize>,
    /// Entries that are new against the base; none where nothing was compared.
    pub fresh: Option<BTreeSet<usize>>,
    /// Fingerprint, rule and place of changes, with the pack's path and id.
    pub changes: Vec<FoundChange>,
}

/// A change as an `[[allow]]` entry may speak of it.
#[derive(Debug)]
pub struct FoundChange {
    /// The rule.
    pub rule: String,
    /// The fingerprint.
    pub fingerprint: String,
    /// The path of the pack from the root of the repository.
    pub path: String,
    /// The pack's id.
    pub pack: String,
    /// The place.
    pub place: String,
}

/// Findings on the entries of every settings file that counted in the run: those that accept nothing, and those of the
/// root file about packs that the repository does not hold.
pub fn settings_entries(
    judged: &[JudgedFile],
    folders: &[(Arc<WorkTree>, String)],
    notes: &BTreeMap<SettingsKey, AllowNotes>,
    conditions: &Conditions,
    texts: &mut Texts,
) -> Vec<FindingView> {
    let mut files: BTreeMap<SettingsKey, Vec<&JudgedFile>> = BTreeMap::new();
    for file in judged {
        if let Some(key) = file.settings_key() {
            files.entry(key).or_default().push(file);
        }
    }
    let nothing = AllowNotes::default();
    let mut findings = Vec::new();
    for (key, files) in &files {
        let (root, base) = key;
        let Some(settings) = files.first().map(|file| &file.settings) else { continue };
        let notes = notes.get(key).unwrap_or(&nothing);
        let packs: Vec<JudgedPack<'_>> = files.iter().map(|file| judged_pack(file)).collect();
        let found = found_in(files, &notes.changes);
        let mut matched = notes.matched.clone();
        matched.extend(files.iter().flat_map(|file| &file.evaluated.allowed));
        let complete = folders.iter().any(|(tree, folder)| tree.root() == root && contains(folder, base));
        let path = settings_file(base);
        let run = AllowRun {
            settings: conditions.settings(settings),
            file: &path,
            packs: &packs,
            found: &found,
            matched: &matched,
            complete,
            fresh: notes.fresh.as_ref(),
        };
        let mut of_file = allow_findings(run);
        let Ok(text) = std::fs::read(root.join(&path)) else { continue };
        if complete && base.is_empty() {
            of_file.extend(unknown_packs_in(judged, root, &text, run.settings));
        }
        let shown = settings_file_shown(root, base);
        of_file.iter_mut().for_each(|finding| finding.path.clone_from(&shown));
        if !of_file.is_empty() {
            texts.insert(&shown, &path, SourceText::new(None, &text));
        }
        findings.append(&mut of_file);
    }
    findings
}

/// What the root settings say of packs that are not there; nothing where a pack hides its id.
fn unknown_packs_in(
    judged: &[JudgedFile],
    root: &Path,
    text: &[u8],
    settings: Settings<'_>,
) -> Vec<FindingView> {
    let is_here = |file: &&JudgedFile| file.file.tree.as_ref().is_some_and(|tree| tree.root() == root);
    let ids: Option<BTreeSet<&str>> =
        judged.iter().filter(is_here).map(|file| file.evaluated.id.as_deref()).collect();
    let text = String::from_utf8_lossy(text);
    ids.map_or_else(Vec::new, |ids| unknown_packs(&text, &settings_file(""), &ids, settings))
}

fn judged_pack(file: &JudgedFile) -> JudgedPack<'_> {
    JudgedPack {
        id: file.evaluated.id.as_deref().unwrap_or_default(),
        path: &file.file.path,
        version: file.evaluated.version.as_ref(),
    }
}

fn found_in<'a>(files: &[&'a JudgedFile], changes: &'a [FoundChange]) -> Vec<Accepted<'a>> {
    let mut found: Vec<Accepted<'_>> = files
        .iter()
        .flat_map(|file| {
            file.evaluated.report.findings.iter().map(|finding| Accepted {
                rule: &finding.rule,
                fingerprint: &finding.fingerprint,
                path: &file.file.path,
                pack: &finding.pack,
                place: &finding.place,
                version: file.evaluated.version.as_ref(),
            })
        })
        .collect();
    found.extend(changes.iter().map(|change| Accepted {
        rule: &change.rule,
        fingerprint: &change.fingerprint,
        path: &change.path,
        pack: &change.pack,
        place: &change.place,
        version: None,
    }));
    found
}

/// Whether the folder `inner` is `outer` or lies below it.
fn contains(outer: &str, inner: &str) -> bool {
    outer.is_empty() || inner == outer || inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
}

/// The path of a settings file as the current folder sees it.
pub fn settings_file_shown(root: &Path, base: &str) -> String {
    let place = root.join(settings_file(base));
    let Ok(current) = place_of(Path::new(".")) else { return place.display().to_string() };
    let up = current.ancestors().position(|folder| folder == root);
    match (place.strip_prefix(&current), up) {
        (Ok(below), _) => shown(below),
        (Err(_), Some(up)) => format!("{}{}", "../".repeat(up), settings_file(base)),
        (Err(_), None) => place.display().to_string(),
    }
}
