//! What `packhouse.toml` became easier in, against the base.

use std::collections::{BTreeMap, BTreeSet};

use pack::tree::{Tree, folder};
use registry::gate::{Judging, fresh_allows, moved_to_easier, policy_findings};
use registry::report::FindingView;
use registry::settings::{find_settings, settings_file};

use super::examine::Run;
use super::sides::BaseSide;
use crate::excerpt::SourceText;
use crate::judging::{AllowNotes, JudgedFile, SettingsKey, settings_file_shown};
use crate::output::Texts;
use crate::worktree::WorkTree;

impl Run<'_> {
    /// What the settings became easier in, and which of their entries are new.
    pub fn settings_against_base(
        &mut self,
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
            let file = settings_file(folder);
            // What is wrong with the settings of HEAD, linting said.
            let Ok(new) = find_settings(&WorkTree::around(root), &file) else { continue };
            let old = match find_settings(base.tree.as_ref(), &file) {
                Ok(old) => old,
                Err((path, error)) => {
                    self.notes.push(format!(
                        "{path}: what became easier is not known, since the settings of the base cannot be used: {error}"
                    ));
                    continue;
                }
            };
            let shown = settings_file_shown(root, folder);
            for mut finding in policy_findings(&old.settings, self.conditions.settings(&new), &file) {
                finding.path.clone_from(&shown);
                if self.request.policy_from_base {
                    let help = "the settings of the base judged this run; let somebody who owns the policy approve this";
                    finding.help = Some(help.to_owned());
                }
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

    /// What became easier for a pack by moving away from the settings that counted for it.
    pub fn settings_left_behind(&self, file: &JudgedFile, base: &BaseSide) -> Option<FindingView> {
        let path = file.file.path.as_str();
        if folder(&base.path) == folder(path) {
            return None;
        }
        let find = |path: &str| find_settings(base.tree.as_ref(), path).ok();
        let (old, stayed) = (find(&base.path)?, find(path)?);
        // A settings file that counts for both places is compared by itself.
        if old.base == stayed.base {
            return None;
        }
        let [old_file, new_file] =
            [(base.tree.as_ref(), &old.base), (file.input().tree?, &file.settings.base)]
                .map(|(tree, base)| (settings_file(base), tree));
        let exists = |(file, tree): &(String, &dyn Tree)| tree.read(file).is_ok();
        let judging = |path, settings, file| Judging { path, settings, file };
        let (was, is) = (self.conditions.settings(&old), self.conditions.settings(&file.settings));
        moved_to_easier(
            file.evaluated.id.as_deref().unwrap_or_default(),
            judging(&base.path, was, exists(&old_file).then_some(old_file.0.as_str())),
            judging(path, is, exists(&new_file).then_some(new_file.0.as_str())),
        )
    }
}

/// The settings files that counted for the packs in the base: one may be gone since.
fn settings_of_base(judged: &[JudgedFile], base: &dyn Tree) -> BTreeSet<SettingsKey> {
    let places = judged.iter().filter_map(|file| {
        Some((file.file.tree.as_ref()?.root().to_owned(), folder(&file.file.path).to_owned()))
    });
    let folders: BTreeSet<SettingsKey> = places.collect();
    let found = |(root, at): SettingsKey| match find_settings(base, &settings_file(&at)) {
        Ok(found) => (root, found.base),
        // A file that cannot be used counted, all the same.
        Err((path, _)) => (root, folder(&path).to_owned()),
    };
    folders.into_iter().map(found).collect()
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
