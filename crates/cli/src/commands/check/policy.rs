//! What `packhouse.toml` became easier in, against the base.

use std::collections::{BTreeMap, BTreeSet};

use pack::tree::{Tree, folder};
use registry::gate::{fresh_allows, policy_findings};
use registry::report::FindingView;
use registry::settings::find_settings;

use super::examine::Run;
use crate::configuration::file_of;
use crate::excerpt::SourceText;
use crate::judging::{AllowNotes, JudgedFile, SettingsKey, settings_file_shown};
use crate::output::Texts;
use crate::worktree::WorkTree;

impl Run<'_> {
    /// What the settings became easier in, and which of their entries are new.
    pub fn settings_against_base(
        &self,
        judged: &[JudgedFile],
        findings: &mut Vec<FindingView>,
        texts: &mut Texts,
    ) -> BTreeMap<SettingsKey, AllowNotes> {
        let mut notes = BTreeMap::new();
        let Some(base) = self.trees.first() else { return notes };
        let lost = settings_of_base(judged, base.tree.as_ref());
        let keys: BTreeSet<SettingsKey> =
            judged.iter().filter_map(JudgedFile::settings_key).chain(lost).collect();
        for key in keys {
            let (root, folder) = &key;
            let file = file_of(folder);
            let (Ok(new), Ok(old)) =
                (find_settings(&WorkTree::around(root), &file), find_settings(base.tree.as_ref(), &file))
            else {
                continue;
            };
            let shown = settings_file_shown(root, folder);
            for mut finding in policy_findings(&old.settings, self.conditions.settings(&new), &file) {
                finding.path.clone_from(&shown);
                if let Ok(text) = std::fs::read_to_string(root.join(&file)) {
                    locate(&mut finding, &text);
                    texts.insert(&shown, &file, SourceText::new(None, text.as_bytes()));
                }
                findings.push(finding);
            }
            if new.base == *folder {
                let fresh = fresh_allows(&old.settings, &new.settings).map(|(at, _)| at).collect();
                notes.insert(key, AllowNotes { fresh: Some(fresh), ..AllowNotes::default() });
            }
        }
        notes
    }
}

/// The settings files that counted for the packs in the base: one may be gone since.
fn settings_of_base(judged: &[JudgedFile], base: &dyn Tree) -> BTreeSet<SettingsKey> {
    let places = judged.iter().filter_map(|file| {
        Some((file.file.tree.as_ref()?.root().to_owned(), folder(&file.file.path).to_owned()))
    });
    let folders: BTreeSet<SettingsKey> = places.collect();
    let found = |(root, folder): SettingsKey| Some((root, find_settings(base, &file_of(&folder)).ok()?.base));
    folders.into_iter().filter_map(found).collect()
}

/// Finds the line of a place in a settings file.
fn locate(finding: &mut FindingView, text: &str) {
    let Ok(document) = toml_edit::Document::parse(text) else { return };
    let mut item = document.as_item();
    let mut span = None;
    for token in finding.pointer.split('/').skip(1) {
        let next = match token.parse::<usize>() {
            Ok(at) => item.get(at),
            Err(_) => item.get(token),
        };
        let Some(next) = next else { break };
        item = next;
        span = item.span().or(span);
    }
    let Some(span) = span else { return };
    let source = SourceText::new(None, text.as_bytes());
    let (start, end) = (source.position(span.start as u32), source.position(span.end as u32));
    (finding.line, finding.column) = (start.line, start.column);
    (finding.end_line, finding.end_column) = (end.line, end.column);
}
