//! What a governance declaration demands of every run: how far the pack may act alone, and that users know.

use super::effective::Subject;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::report::{At, Changes};
use crate::changes::value::written;

pub(super) const AUTONOMY_RAISED: ChangeRule = ChangeRule {
    id: "governance-autonomy-raised",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator, Affected::User],
    safety: true,
    governance: false,
    summary: "the pack is declared to act more by itself",
    why: "People approved less than what the pack may now do without them.",
    fix: "Ask for the approval anew before operators upgrade, and publish a minor version.",
    mirror: Mirror::Rule("governance-autonomy-lowered"),
};

pub(super) const AUTONOMY_LOWERED: ChangeRule = ChangeRule {
    id: "governance-autonomy-lowered",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Operator, Affected::User],
    safety: false,
    governance: false,
    summary: "the pack is declared to act less by itself",
    why: "A host that honours the level holds actions back for approval or oversight; whether somebody is there to give it is not visible in the pack.",
    fix: "Tell operators whom the pack will wait for.",
    mirror: Mirror::Rule("governance-autonomy-raised"),
};

pub(super) const DISCLOSURE_REQUIRED: ChangeRule = ChangeRule {
    id: "governance-disclosure-required",
    bumps: Bumps::table("mMM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Operator, Affected::User],
    safety: false,
    governance: false,
    summary: "users have to be told that they talk to an AI",
    why: "A host that does not tell users may no longer run the pack; whether it does is not visible in the pack.",
    fix: "Tell operators before you publish, so that their interface says it in time.",
    mirror: Mirror::Rule("governance-disclosure-dropped"),
};

pub(super) const DISCLOSURE_DROPPED: ChangeRule = ChangeRule {
    id: "governance-disclosure-dropped",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator, Affected::User],
    safety: true,
    governance: false,
    summary: "users need no longer be told that they talk to an AI",
    why: "Hosts that only tell users where they have to will stop.",
    fix: "Keep the requirement unless nobody talks to the pack.",
    mirror: Mirror::Rule("governance-disclosure-required"),
};

/// The levels, from the one under which people decide everything.
const LEVELS: [&str; 4] = ["suggests", "acts_with_approval", "acts_with_oversight", "acts_autonomously"];

/// States what a run owes now.
pub(super) fn compare<'a>(subject: &Subject<'a>, changes: &mut Changes<'a>) {
    let [old, new] = subject.field("autonomy_level");
    if written(old) != written(new) {
        // A level that nobody knows may be the highest.
        let rank = |level: Option<&str>| {
            level.map(|level| LEVELS.iter().position(|known| *known == level).unwrap_or(LEVELS.len()))
        };
        let levels = [old, new].map(|node| node.and_then(|node| node.as_str()));
        let rule = if rank(levels[1]) >= rank(levels[0]) { &AUTONOMY_RAISED } else { &AUTONOMY_LOWERED };
        let shown = |level: Option<&str>| level.map_or("undeclared".to_owned(), |level| format!("`{level}`"));
        let message =
            format!("the autonomy of {} is {} instead of {}", subject.of, shown(levels[1]), shown(levels[0]));
        let draft = changes.report(rule, At::either(old, new), message);
        if rank(levels[1]) == rank(levels[0]) {
            draft.possible(None);
        }
    }
    let lists = subject.field("requires_ai_disclosure");
    let [old, new] = lists.map(|node| node.and_then(|node| node.as_bool()).unwrap_or(false));
    let at = At::either(lists[0], lists[1]);
    let of = &subject.of;
    match (old, new) {
        (false, true) => {
            changes.report(
                &DISCLOSURE_REQUIRED,
                at,
                format!("users of {of} have to be told that it is an AI"),
            );
        }
        (true, false) => {
            let message = format!("users of {of} need no longer be told that it is an AI");
            changes.report(&DISCLOSURE_DROPPED, at, message);
        }
        _ => {}
    }
}
