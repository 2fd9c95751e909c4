//! What a tool may do in the world, as its action scope declares it.

use std::collections::BTreeSet;

use pack::json::Node;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes};
use crate::changes::tools::tool_scope;

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "action-scope-added",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Implementer, Affected::Operator],
    safety: false,
    governance: false,
    summary: "a tool declares what it may do",
    why: "Hosts and operators learn what they could only guess; no run is affected.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Rule("action-scope-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "action-scope-removed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Implementer, Affected::Operator],
    safety: true,
    governance: false,
    summary: "a tool no longer declares what it may do",
    why: "Hosts that ask for approval by the declared effect no longer know when to ask.",
    fix: "Keep the declaration, and change the parts that no longer hold.",
    mirror: Mirror::Rule("action-scope-added"),
};

pub(super) const RAISED: ChangeRule = ChangeRule {
    id: "action-scope-raised",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Implementer, Affected::Operator],
    safety: true,
    governance: false,
    summary: "a tool is declared to do more, or something that is harder to undo",
    why: "What operators approved was less than what the tool may do now. Where one part rose and another fell, the tool counts as raised.",
    fix: "Ask for the approval anew before operators upgrade, or put the wider action into a tool of its own.",
    mirror: Mirror::Rule("action-scope-lowered"),
};

pub(super) const LOWERED: ChangeRule = ChangeRule {
    id: "action-scope-lowered",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Implementer, Affected::Operator],
    safety: true,
    governance: false,
    summary: "a tool is declared to do less, or something that is easier to undo",
    why: "Hosts ask for less approval than before: if the declaration is wrong, an action slips through.",
    fix: "Make sure that the handler really does less before you publish.",
    mirror: Mirror::Rule("action-scope-raised"),
};

const EFFECTS: [&str; 3] = ["read", "write", "external"];
const REVERSIBILITIES: [&str; 3] = ["reversible", "compensable", "irreversible"];

/// States which tools are declared to do more or less.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let scope = |tool: Node<'a>| tool.get("action_scope").filter(|scope| !scope.is_empty());
    for (old, new) in comparison.tools.pairs() {
        let key = new.name_key();
        changes.scope(tool_scope(comparison, old.name_key(), key));
        match (scope(*old), scope(*new)) {
            (None, Some(node)) => {
                changes.report(&ADDED, At::added(node), format!("tool `{key}` declares what it may do"));
            }
            (Some(node), None) => {
                let message = format!("tool `{key}` no longer declares what it may do");
                changes.report(&REMOVED, At::removed(node), message);
            }
            (Some(old), Some(new)) => compare_parts(old, new, key, changes),
            (None, None) => {}
        }
    }
}

fn compare_parts<'a>(old: Node<'a>, new: Node<'a>, tool: &str, changes: &mut Changes<'a>) {
    let (raised, lowered) = moves(old, new);
    let (rule, parts) = match (raised.is_empty(), lowered.is_empty()) {
        (true, true) => return,
        (true, false) => (&LOWERED, lowered),
        (false, _) => (&RAISED, raised),
    };
    let verb = if rule.id == RAISED.id { "more" } else { "less" };
    let message = format!("tool `{tool}` is declared to do {verb}: {}", parts.join(", "));
    changes.report(rule, At::both(old, new), message);
}

/// What rose, and what fell.
fn moves(old: Node<'_>, new: Node<'_>) -> (Vec<String>, Vec<String>) {
    let (mut raised, mut lowered) = (Vec::new(), Vec::new());
    for (field, order) in [("effect", EFFECTS), ("reversibility", REVERSIBILITIES)] {
        let (before, after) = (old.text(field), new.text(field));
        // What nobody knows may be the worst; what is not declared is the least that is declared.
        let rank = |word: Option<&str>| {
            word.map(|word| order.iter().position(|known| *known == word).unwrap_or(order.len()))
        };
        if before != after {
            let shown = |word: Option<&str>| word.map_or("undeclared".to_owned(), |word| format!("`{word}`"));
            let text = format!("{field} {} instead of {}", shown(after), shown(before));
            let list = if rank(after) >= rank(before) { &mut raised } else { &mut lowered };
            list.push(text);
        }
    }
    let classes =
        |scope| -> BTreeSet<&str> { Node::texts(scope, "data_classes").map(|(name, _)| name).collect() };
    let (before, after) = (classes(old), classes(new));
    raised.extend(after.difference(&before).map(|class| format!("data of class `{class}`")));
    lowered.extend(before.difference(&after).map(|class| format!("no data of class `{class}`")));
    (raised, lowered)
}

#[cfg(test)]
mod tests {
    use pack::Document;

    use super::*;

    #[test]
    fn a_mixed_move_counts_as_raised() {
        let parse = |text: &str| Document::parse(text.as_bytes()).0.expect("JSON");
        let old = parse(r#"{"effect": "write", "data_classes": ["a"]}"#);
        let new = parse(r#"{"effect": "read", "data_classes": ["b", "a"]}"#);
        for (old, new) in [(&old, &new), (&new, &old)] {
            let mut changes = Changes::default();
            compare_parts(old.root(), new.root(), "t", &mut changes);
            let rules: Vec<&str> = changes.drafts_mut().iter().map(|draft| draft.rule.id).collect();
            assert_eq!(rules, ["action-scope-raised"]);
        }
    }
}
