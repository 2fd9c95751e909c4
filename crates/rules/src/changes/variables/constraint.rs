//! Compares what two declarations say about the values of one variable, keyword by keyword.
//!
//! The sets of values decide, not the keywords: a keyword is reported only where it moves the set.

use pack::json::Node;

use super::relation::{Relation, relate};
use super::values::{Constraints, Keyword, Kind};
use super::{bound, enumeration, kind, pattern};
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::report::{At, Changes, Draft};
use crate::changes::side::VariableSide;
use crate::changes::witness::Focus;
use crate::subset::Budget;

pub(super) const RESPELLED: ChangeRule = ChangeRule {
    id: "variable-constraint-respelled",
    bumps: Bumps::table("-pp"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "the rules for a variable are written otherwise, but allow the same values",
    why: "No value is newly refused or newly allowed; only readers of the declaration notice.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Itself,
};

/// One variable whose rules moved.
pub(super) struct Moved<'v, 'a> {
    /// Its earlier form.
    pub(super) old: &'v VariableSide<'a>,
    /// Its later form.
    pub(super) new: &'v VariableSide<'a>,
    /// What its earlier form allows.
    pub(super) before: Constraints<'a>,
    /// What its later form allows.
    pub(super) after: Constraints<'a>,
    /// What comparing values may still take.
    pub(super) budget: &'v Budget,
}

impl<'a> Moved<'_, 'a> {
    /// Where a keyword stands on both sides.
    pub(super) fn at(&self, keyword: Keyword) -> At<'a> {
        let [old, new] = self.nodes(keyword);
        At::either(old, new)
    }

    fn nodes(&self, keyword: Keyword) -> [Option<Node<'a>>; 2] {
        [self.old, self.new].map(|side| match keyword {
            Keyword::Type => side.variable.get("type"),
            other => side.variable.get("validation").and_then(|rules| rules.get(other.key())),
        })
    }

    /// Whether either side gives the keyword a value of a type that it cannot have.
    fn is_odd(&self, keyword: Keyword) -> bool {
        let fits = |node: Node<'a>| match keyword {
            Keyword::Enum => node.is_array(),
            Keyword::Type | Keyword::Pattern => node.as_str().is_some(),
            Keyword::MinLength | Keyword::MaxLength | Keyword::Minimum | Keyword::Maximum => {
                node.as_exact().is_some()
            }
        };
        self.nodes(keyword).into_iter().flatten().any(|node| !fits(node))
    }

    /// Says that the finding, where it is a break, is about a value that is refused now.
    pub(super) fn break_of(&self, draft: &mut Draft<'a>) {
        if self.old.name() == self.new.name() {
            draft.focus(Focus::With(self.name()));
        }
    }

    /// The name of the variable in NEW.
    pub(super) fn name(&self) -> &'a str {
        self.new.name()
    }
}

/// States how the values that a variable allows moved.
pub(super) fn compare<'a>(
    (old, new): (&VariableSide<'a>, &VariableSide<'a>),
    budget: &Budget,
    changes: &mut Changes<'a>,
) {
    // Where callers must send it on both sides, the empty string is no value on either.
    let nonempty = old.is_must() && new.is_must();
    let constraints = |side: &VariableSide<'a>| Constraints { nonempty, ..Constraints::of(side.variable) };
    let moved = Moved { old, new, before: constraints(old), after: constraints(new), budget };
    let (before, after) = (&moved.before, &moved.after);
    let differing: Vec<Keyword> =
        Keyword::ALL.into_iter().filter(|keyword| !before.agrees(after, *keyword)).collect();
    if differing.is_empty() {
        return;
    }
    if relate(before, after, budget) == Relation::Equal {
        // Values of a type that the format does not know there are not written otherwise, they say nothing.
        if differing.iter().any(|keyword| moved.is_odd(*keyword)) {
            return;
        }
        let at = if differing == [Keyword::Type] {
            moved.at(Keyword::Type)
        } else {
            At::member(*old.variable, *new.variable, "validation")
        };
        let message =
            format!("the rules for `{}` are written otherwise and allow the same values", moved.name());
        changes.report(&RESPELLED, at, message);
        return;
    }
    if differing[0] == Keyword::Type
        && !kind::is_within(before.kind, after.kind)
        && !kind::is_within(after.kind, before.kind)
    {
        kind::compare(&moved, changes);
        return;
    }
    for keyword in effective(&moved, differing) {
        match keyword {
            Keyword::Type => kind::compare(&moved, changes),
            Keyword::Enum => enumeration::compare(&moved, changes),
            Keyword::Pattern => pattern::compare(&moved, changes),
            Keyword::MinLength | Keyword::MaxLength | Keyword::Minimum | Keyword::Maximum => {
                bound::compare(&moved, keyword, changes);
            }
        }
    }
}

/// The keywords that move the set of values. What the other rules imply anyway on one side is left out; where that
/// would leave nothing, what moves the set on either side counts.
fn effective(moved: &Moved<'_, '_>, differing: Vec<Keyword>) -> Vec<Keyword> {
    let (before, after) = (&moved.before, &moved.after);
    let differ = |before: &Constraints<'_>, after: &Constraints<'_>| {
        relate(before, after, moved.budget) != Relation::Equal
    };
    let moves_old = |keyword: &Keyword| differ(before, &before.with(*keyword, after));
    let moves_new = |keyword: &Keyword| differ(&after.with(*keyword, before), after);
    let both: Vec<Keyword> =
        differing.iter().copied().filter(|keyword| moves_old(keyword) && moves_new(keyword)).collect();
    if !both.is_empty() {
        return both;
    }
    let either: Vec<Keyword> =
        differing.iter().copied().filter(|keyword| moves_old(keyword) || moves_new(keyword)).collect();
    if either.is_empty() { differing } else { either }
}

/// What the rules that refuse old values have in common.
pub(super) const fn narrowing(
    id: &'static str,
    mirror: &'static str,
    summary: &'static str,
    fix: &'static str,
) -> ChangeRule {
    ChangeRule {
        id,
        bumps: Bumps::table("MMM"),
        suggest: None,
        class: Class::Contract,
        certainty: Certainty::Proven,
        affected: &[Affected::Caller],
        safety: false,
        governance: false,
        summary,
        why: "Callers may still send values that were fine before and are refused now.",
        fix,
        mirror: Mirror::Rule(mirror),
    }
}

/// What the rules that allow more values have in common.
pub(super) const fn widening(id: &'static str, mirror: &'static str, summary: &'static str) -> ChangeRule {
    ChangeRule {
        id,
        bumps: Bumps::table("pmm"),
        suggest: None,
        class: Class::Contract,
        certainty: Certainty::Proven,
        affected: &[Affected::Caller],
        safety: false,
        governance: false,
        summary,
        why: "Every value that was allowed still is; callers gain values that were refused before.",
        fix: "Nothing has to be done beyond a minor version; check that the text reads well with the new values.",
        mirror: Mirror::Rule(mirror),
    }
}

/// A kind of values as messages name it.
pub(super) fn shown(kind: Kind<'_>) -> &str {
    match kind {
        Kind::String => "string",
        Kind::Number => "number",
        Kind::Integer => "integer",
        Kind::Boolean => "boolean",
        Kind::Object => "object",
        Kind::Array => "array",
        Kind::Unknown(name) => name,
    }
}
