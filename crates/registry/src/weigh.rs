//! Which level and bump a rule has: the rule's own, the authors' word, the operator's floor.

use rules::change::RuleSetting;
use rules::{Level, Lint};

use crate::judge::Settings;

/// Where the level of a lint came from, for `--explain-config`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The rule itself.
    Default,
    /// `[lints]`, by the rule's id.
    Rule,
    /// `[lints]`, by the rule's group.
    Group,
    /// `[[lints.override]]` with these paths.
    Override(Vec<String>),
    /// The operator's `[policy.lints]`.
    Policy,
}

/// The level of a lint for the file at `path`.
pub fn level_of(lint: &Lint, path: &str, settings: Settings<'_>) -> Level {
    explain(lint, path, settings).0
}

/// The level of a lint for the file at `path`, and where it came from.
pub fn explain(lint: &Lint, path: &str, settings: Settings<'_>) -> (Level, Origin) {
    let repository = settings.repository;
    let (mut level, mut origin) = (lint.level, Origin::Default);
    if let Some(set) = repository.lints.level(lint) {
        level = set;
        origin = if repository.lints.names_rule(lint) { Origin::Rule } else { Origin::Group };
    }
    for entry in &repository.overrides {
        let Some(set) = entry.levels.level(lint) else { continue };
        if entry.patterns.matches(path) {
            level = set;
            origin = Origin::Override(entry.paths.clone());
        }
    }
    match settings.policy.floor(lint) {
        Some(floor) if floor > level => (floor, Origin::Policy),
        _ => (level, origin),
    }
}

/// What the authors say about a change rule, raised to what the operator demands.
pub fn options_of(rule: &str, settings: Settings<'_>) -> RuleSetting {
    let own = settings.repository.changes.rules.get(rule).copied().unwrap_or_default();
    let floor = settings.policy.changes.get(rule).copied().unwrap_or_default();
    RuleSetting { bump: own.bump.max(floor.bump), level: own.level.max(floor.level) }
}
