//! What `packhouse.toml` became easier in, against the base.

use std::collections::{BTreeMap, BTreeSet};

use registry::gate::{fresh_allows, policy_findings};
use registry::report::FindingView;
use registry::settings::find_settings;

use super::examine::Run;
use crate::configuration::file_of;
use crate::excerpt::SourceText;
use crate::judging::{AllowNotes, SettingsKey, settings_file_shown};
use crate::output::Texts;
use crate::worktree::WorkTree;

impl Run<'_> {
    /// What the settings became easier in, and which of their entries are new.
    pub fn settings_against_base(
        &self,
        keys: &BTreeSet<SettingsKey>,
        findings: &mut Vec<FindingView>,
        texts: &mut Texts,
    ) -> BTreeMap<SettingsKey, AllowNotes> {
        let mut notes = BTreeMap::new();
        let Some(base) = self.trees.first() else { return notes };
        for key in keys {
            let (root, folder) = key;
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
            let fresh = fresh_allows(&old.settings, &new.settings).map(|(at, _)| at).collect();
            notes.insert(key.clone(), AllowNotes { fresh: Some(fresh), ..AllowNotes::default() });
        }
        notes
    }
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
