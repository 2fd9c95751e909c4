//! Which level and bump a rule has: the rule's own, the authors' word, the operator's floor; and what a change asks of
//! a version in the end.

use std::collections::{BTreeMap, BTreeSet};

use pack::Node;
use pack::json::Document;
use pack::model::{Pack, parse_version};
use rules::change::RuleSetting;
use rules::{Bump, Change, Level, Lint};

use crate::judge::Settings;
use crate::settings::ZeroMajor;
use crate::version::is_sufficient;

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
    if sets_no_levels(settings) { lint.level } else { explain(lint, path, settings).0 }
}

/// Whether every lint has its own level, as in most repositories.
fn sets_no_levels(settings: Settings<'_>) -> bool {
    let repository = settings.repository;
    repository.lints.is_empty() && repository.overrides.is_empty() && settings.policy.lints.is_empty()
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

/// What a change asks of the version of its pack: one that is accepted still needs a patch, and a break that the
/// version of its prompt declares is a minor change of the pack.
pub(crate) fn pack_bump(change: &Change) -> Bump {
    let of_prompt = prompt_bump(change);
    if change.prompt_declared { of_prompt.min(Bump::Minor) } else { of_prompt }
}

/// What a change asks of the versions of the prompts that it counts for.
pub(crate) fn prompt_bump(change: &Change) -> Bump {
    if change.acknowledged { change.bump.min(Bump::Patch) } else { change.bump }
}

/// Marks the breaks that stay out of the pack's version under `prompt-scope = "independent"`.
///
/// They lie within one prompt, whose own version rose enough for everything that counts for it. A break that no
/// version declares is never passed over.
pub(crate) fn mark_declared(changes: &mut [Change], old: &Document, new: &Document, zero_major: ZeroMajor) {
    let mut required: BTreeMap<String, Bump> = BTreeMap::new();
    for change in changes.iter() {
        for prompt in &change.prompts {
            let known = required.entry(prompt.clone()).or_default();
            *known = prompt_bump(change).max(*known);
        }
    }
    let version = |document: &Document, key: &str| {
        let prompt: Node<'_> = Pack(document.root()).prompt(key)?.0;
        parse_version(prompt.text("version")?)
    };
    let declares = |key: &str, bump: Bump| {
        let both = version(old, key).zip(version(new, key));
        both.is_some_and(|(old, new)| is_sufficient(&old, &new, bump, zero_major))
    };
    let declared: BTreeSet<&str> =
        required.iter().filter(|(key, bump)| declares(key, **bump)).map(|(key, _)| key.as_str()).collect();
    for change in changes {
        let prompt = change.prompt.as_deref();
        change.prompt_declared =
            change.bump == Bump::Major && prompt.is_some_and(|prompt| declared.contains(prompt));
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use rules::Bump;

    use crate::judge::{Input, Settings, compare};
    use crate::settings::{Policy, RepositorySettings};

    /// A pack with a prompt that needs `variable`, and a tool that needs `argument`.
    fn pack(version: &str, prompt_version: &str, variable: &str, argument: &str) -> String {
        format!(
            r#"{{"id": "a", "name": "A", "version": "{version}",
            "template_engine": {{"version": "v1", "syntax": "{{{{variable}}}}"}},
            "prompts": {{"ask": {{"id": "ask", "name": "Ask", "version": "{prompt_version}", "system_template": "Ask.",
            "variables": [{{"name": "{variable}", "type": "string", "required": true}}], "tools": ["find"]}}}},
            "tools": {{"find": {{"name": "find", "description": "Finds.", "parameters": {{"type": "object",
            "properties": {{"{argument}": {{"type": "string"}}}}, "required": ["{argument}"]}}}}}}}}"#
        )
    }

    /// What the changes from `pack("1.0.0", "1.0.0", "x", "q")` ask of the pack, and whether 1.1.0 is enough.
    fn check(scope: &str, new: &str, required: Bump, sufficient: bool) {
        let repository = RepositorySettings::parse(&format!("[changes]\nprompt-scope = \"{scope}\"\n"));
        let (repository, policy) = (repository.expect("settings"), Policy::default());
        let today = date(2026, 1, 1);
        let settings = Settings { repository: &repository, base: "", policy: &policy, today, spec: None };
        let old = pack("1.0.0", "1.0.0", "x", "q");
        let side = |bytes| Input { bytes, path: "a.pack.json", tree: None };
        let report = compare(side(old.as_bytes()), side(new.as_bytes()), settings).expect("two packs");
        assert_eq!(
            (report.required_bump, report.sufficient),
            (required, sufficient),
            "{:#?}",
            report.changes
        );
        assert!(report.breaking, "a break stays a break, whoever declares it");
        let is_explained = report.notes.iter().any(|note| note.contains("`ask` count as minor"));
        assert_eq!(is_explained, required == Bump::Minor, "{:?}", report.notes);
    }

    #[test]
    fn a_break_that_its_prompt_declares_stays_out_of_the_version_of_an_independent_pack() {
        let declared = pack("1.1.0", "2.0.0", "y", "q");
        check("pack", &declared, Bump::Major, false);
        check("independent", &declared, Bump::Minor, true);
        // Nobody declares the break.
        check("independent", &pack("1.1.0", "1.1.0", "y", "q"), Bump::Major, false);
        // The tool belongs to the pack.
        check("independent", &pack("1.1.0", "2.0.0", "x", "r"), Bump::Major, false);
    }
}
