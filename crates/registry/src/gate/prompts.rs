//! The versions of a pack's prompts, judged by what changed for each (change rules section 2).

use pack::Node;
use pack::model::{Pack, parse_version};
use rules::{Bump, Change};
use semver::Version;

use super::versions::{Judged, at_node, level_of_verdict, with_zero_rule};
use crate::report::{DiffReport, FindingView};
use crate::version::{declared_bump, is_sufficient, lowest_sufficient};
use crate::weigh::prompt_bump;

/// What is said of the version of one prompt.
#[derive(Debug, Clone)]
pub struct PromptVersion {
    /// The key of the prompt.
    pub prompt: String,
    /// The lowest version that it may have; none where its own will do.
    pub enough: Option<Version>,
    /// The finding on it; its path is that of the pack.
    pub finding: FindingView,
}

/// Judges the version of every prompt that stands on both sides.
pub(super) fn prompt_verdicts(judged: Judged<'_>) -> Vec<PromptVersion> {
    let Some((old, diff)) = judged.baseline.or(judged.base) else { return Vec::new() };
    let (old, new) = (Pack(old.root()), Pack(judged.new.root()));
    let both = new.prompts().filter_map(|prompt| Some((old.prompt(prompt.name_key())?, prompt)));
    both.filter_map(|(before, after)| prompt_version(judged, diff, before.0, after.0, after.name_key()))
        .collect()
}

fn prompt_version(
    judged: Judged<'_>,
    diff: &DiffReport,
    before: Node<'_>,
    after: Node<'_>,
    key: &str,
) -> Option<PromptVersion> {
    let node = after.get("version")?;
    let old = parse_version(before.text("version")?)?;
    let new = parse_version(node.as_str()?)?;
    let changes: Vec<&Change> =
        diff.changes.iter().filter(|change| change.prompts.iter().any(|prompt| prompt == key)).collect();
    let required = changes.iter().map(|change| prompt_bump(change)).max().unwrap_or_default();
    let zero_major = judged.settings.repository.changes.zero_major;
    let order = new.cmp_precedence(&old);
    // What fell has to rise even where nothing changed.
    let least = if order.is_lt() { required.max(Bump::Patch) } else { required };
    let enough = lowest_sufficient(&old, least, zero_major);
    let writes_it = format!("`{} --prompts --write` does it", judged.bump);
    let help = format!("raise the prompt's `version` to {enough} ({writes_it})");
    let help = with_zero_rule(help, &old, zero_major);
    let (rule, message, help) = if order.is_lt() {
        let message = format!("the version {new} of the prompt `{key}` is lower than {old}, which it had");
        ("prompt-version-decreased", message, format!("give the prompt a version above {old} ({writes_it})"))
    } else if order.is_eq() && required >= Bump::Patch {
        let message = format!("the prompt `{key}` changed ({required}) under the unchanged version {old}");
        ("prompt-version-not-bumped", message, help)
    } else if order.is_gt() && !is_sufficient(&old, &new, required, zero_major) {
        let declared = declared_bump(&old, &new);
        let message = format!(
            "{new} is a {declared} bump of the prompt `{key}` since {old}, and it needs a {required} one"
        );
        ("prompt-version-bump-too-small", message, help)
    } else if order.is_gt() && changes.is_empty() {
        let message =
            format!("the version of the prompt `{key}` rose from {old} to {new}, and nothing in it changed");
        ("prompt-version-bumped-without-change", message, format!("leave it at {old}"))
    } else {
        return None;
    };
    let level = level_of_verdict(rule, diff.profile);
    let place = node.pointer();
    let finding = at_node(judged, rule, level, message, Some(help), node, place.as_str())?;
    let enough = (rule != "prompt-version-bumped-without-change").then_some(enough);
    Some(PromptVersion { prompt: key.to_owned(), enough, finding })
}
