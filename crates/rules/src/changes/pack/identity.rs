//! What a pack is called.

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes};

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
    let id = |pack: pack::Node<'a>| pack.text("id").unwrap_or_default();
    let messages = [
        (
            &ID_CHANGED,
            "id",
            format!("the pack is called `{}` instead of `{}`: its old id finds nothing", id(new), id(old)),
        ),
        (&NAME_CHANGED, "name", "the display name of the pack changed".to_owned()),
        (&DESCRIPTION_CHANGED, "description", "the description of the pack changed".to_owned()),
    ];
    for (rule, field, message) in messages {
        if old.text(field) != new.text(field) {
            changes.report(rule, At::member(old, new, field), message);
        }
    }
}
