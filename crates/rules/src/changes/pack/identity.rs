//! What a pack is called.

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes};
use crate::changes::witness::{Focus, Named};

pub(super) const ID_CHANGED: ChangeRule = ChangeRule {
    id: "pack-id-changed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller, Affected::Runtime],
    safety: false,
    governance: false,
    summary: "a pack has another `id`",
    why: "Packs are loaded, locked and cached by their id: whoever asks for the old one finds nothing.",
    fix: "Keep the id and change the display name instead; where the id must move, publish the old pack once more with a deprecation.",
    mirror: Mirror::Itself,
};

pub(super) const NAME_CHANGED: ChangeRule = ChangeRule {
    id: "pack-name-changed",
    bumps: Bumps::table("ppp"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "the pack's display name changed",
    why: "People read the name; programs go by the id.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Itself,
};

pub(super) const DESCRIPTION_CHANGED: ChangeRule = ChangeRule {
    id: "pack-description-changed",
    bumps: Bumps::table("ppp"),
    suggest: None,
    class: Class::Docs,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "the pack's description changed",
    why: "People and searches read the description; nothing else does.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Itself,
};

/// States that the pack is called otherwise.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let (old, new) = (*comparison.old.pack, *comparison.new.pack);
    let (old_id, new_id) = (old.text("id").unwrap_or_default(), new.text("id").unwrap_or_default());
    if old_id != new_id {
        let message =
            format!("the pack is called `{new_id}` instead of `{old_id}`: its old id finds nothing");
        let held = Focus::Reference(Named::Pack, old_id.to_owned());
        changes.report(&ID_CHANGED, At::member(old, new, "id"), message).focus(held);
    }
    for (rule, field, what) in
        [(&NAME_CHANGED, "name", "display name"), (&DESCRIPTION_CHANGED, "description", "description")]
    {
        if old.text(field) != new.text(field) {
            changes.report(rule, At::member(old, new, field), format!("the {what} of the pack changed"));
        }
    }
}
