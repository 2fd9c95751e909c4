//! The gate: what follows from versions, from the settings and from the packs of a run taken together.
//!
//! The functions here are what `check` adds to linting and comparing (change rules sections 2 and 6). They are pure:
//! which commit is the base and which releases are known is found out elsewhere.

mod allow;
mod catalogue;
mod duplicates;
mod line;
mod loosened;
mod moved;
mod named;
mod prompts;
mod versions;
mod weighed;

use std::collections::BTreeSet;

use pack::Digest;
use rules::{Group, Level, find_change, find_lint};

use semver::Version;

use crate::acknowledge::Holder;
use crate::judge::Settings;
use crate::report::FindingView;
use crate::weigh::{level_of, options_of};

pub use allow::{AllowRun, JudgedPack, allow_findings};
pub use catalogue::{GATE_RULES, GateRule, find_gate_rule};
pub use duplicates::{Claim, duplicate_packs};
pub use line::Line;
pub use loosened::{Loosening, findings as policy_findings, fresh_allows, loosened};
pub use moved::{Judging, moved_to_easier};
pub use named::unknown_packs;
pub use prompts::PromptVersion;
pub use versions::{
    BUMP, Judged, as_prerelease, lowest_free, pack_removed, pairing_ambiguous, version_findings,
};
pub use weighed::{
    Sides, Weighed, is_silent, judged, judging_release, line_release, next_judging_release, not_compared,
    passes, remarks, weigh,
};

/// A finding of the gate before it knows its level.
struct Draft<'a> {
    rule: &'a str,
    default: Level,
    message: String,
    help: Option<String>,
    pack: &'a str,
    pointer: String,
    place: String,
    value: String,
}

impl Draft<'_> {
    /// The finding at lines and columns that the caller fills in; none where the rule is off.
    fn finish(self, path: &str, settings: Settings<'_>) -> Option<FindingView> {
        let level = gate_level(self.rule, self.default, path, settings);
        if level == Level::Off {
            return None;
        }
        let identity = [self.pack, self.rule, &self.place, &self.value];
        let fingerprint = Digest::of_parts(identity.map(str::as_bytes)).hex()[..16].to_owned();
        let group = find_lint(self.rule).map_or(Group::Correctness, |lint| lint.group);
        Some(FindingView {
            rule: self.rule.to_owned(),
            level,
            group,
            message: self.message,
            help: self.help,
            path: path.to_owned(),
            pack: self.pack.to_owned(),
            pointer: self.pointer,
            line: 1,
            column: 1,
            end_line: 1,
            end_column: 1,
            place: self.place,
            fingerprint,
            acknowledged: false,
        })
    }
}

/// The level of a rule of the gate: what the settings say, else the catalogue's.
fn gate_level(rule: &str, default: Level, path: &str, settings: Settings<'_>) -> Level {
    match find_lint(rule) {
        Some(lint) => level_of(lint, settings.relative(path), settings),
        None if find_change(rule).is_some() => options_of(rule, settings).level.unwrap_or(default),
        None => default,
    }
}

/// Marks the findings of one pack that an `[[allow]]` entry accepts; gives the entries, by position.
///
/// `path` is the pack's path from the root of the repository.
pub fn acknowledge(
    findings: &mut [FindingView],
    path: &str,
    version: Option<&Version>,
    settings: Settings<'_>,
) -> BTreeSet<usize> {
    let mut matched = BTreeSet::new();
    for finding in findings {
        let holder = Holder { path: settings.relative(path), pack: &finding.pack, version };
        let FindingView { rule, fingerprint, place, .. } = &*finding;
        if let Some(entry) = holder.accept(rule, fingerprint, place, settings) {
            finding.acknowledged = true;
            matched.insert(entry);
        }
    }
    matched
}
