//! Rules on the version number itself (catalogue 2), and the pack that is gone.
//!
//! They look at two version numbers, at releases or at a whole repository, so the room `registry` reports them.

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror, Profile};
use crate::lint::Level;

/// The rules of this section, in the order of the catalogue.
pub(super) const CHANGES: &[&ChangeRule] = &[
    &PACK_REMOVED,
    &VERSION_NOT_BUMPED,
    &VERSION_BUMP_TOO_SMALL,
    &VERSION_DECREASED,
    &VERSION_REUSED,
    &VERSION_BUILD_ONLY,
    &VERSION_UNREADABLE,
    &VERSION_BUMP_LARGER,
    &PROMPT_VERSION_NOT_BUMPED,
    &PROMPT_VERSION_BUMP_TOO_SMALL,
    &PROMPT_VERSION_DECREASED,
    &PROMPT_VERSION_BUMPED_WITHOUT_CHANGE,
    &REMOVED_BEFORE_SUNSET,
];

const GATE: Mirror = Mirror::Waived("a rule of the gate judges one direction only");

/// What the rules on version numbers have in common: they ask for no bump themselves.
const fn gate(id: &'static str, summary: &'static str, why: &'static str, fix: &'static str) -> ChangeRule {
    ChangeRule {
        id,
        bumps: Bumps::table("---"),
        suggest: None,
        class: Class::Contract,
        certainty: Certainty::Proven,
        affected: &[Affected::Caller],
        safety: false,
        governance: false,
        summary,
        why,
        fix,
        mirror: GATE,
    }
}

const PACK_REMOVED: ChangeRule = ChangeRule {
    id: "pack-removed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller, Affected::Runtime],
    safety: false,
    governance: false,
    summary: "a pack is gone",
    why: "Whoever loads the pack by its id finds nothing any more.",
    fix: "Keep the pack and deprecate it first; a file that only moves is no removal, packs are paired by `id`.",
    mirror: Mirror::Waived("a new pack is a note on the run, not a change"),
};

const VERSION_NOT_BUMPED: ChangeRule = gate(
    "version-not-bumped",
    "the pack changed under an unchanged version",
    "Two different packs would carry one version, so consumers cannot tell which one they have.",
    "Raise `version` to the lowest sufficient one that the report names.",
);

const VERSION_BUMP_TOO_SMALL: ChangeRule = gate(
    "version-bump-too-small",
    "the version rose by less than the changes need",
    "Consumers that accept the version by their range receive changes that the range promised to keep out.",
    "Raise `version` to the lowest sufficient one, or undo the change that needs it, or acknowledge that change.",
);

const VERSION_DECREASED: ChangeRule = gate(
    "version-decreased",
    "the version is lower than that of the base",
    "Newer content under a lower version is never picked up by anybody who asks for the newest.",
    "Give the pack a version above that of its base.",
);

const VERSION_REUSED: ChangeRule = gate(
    "version-reused",
    "the version is already published with other content",
    "Releases are immutable: the same version must always mean the same bytes.",
    "Publish the new content under a new version.",
);

const VERSION_BUILD_ONLY: ChangeRule = gate(
    "version-build-only",
    "the content differs, only build metadata moved",
    "Versions that differ in build metadata only have one precedence: no range can tell them apart.",
    "Raise the patch number at least.",
);

const VERSION_UNREADABLE: ChangeRule = gate(
    "version-unreadable",
    "a version is not semantic",
    "Without a readable version nothing can be ordered, and no bump can be judged.",
    "Write `version` as MAJOR.MINOR.PATCH, with one optional leading `v`.",
);

const VERSION_BUMP_LARGER: ChangeRule = gate(
    "version-bump-larger",
    "the version rose by more than the changes need",
    "That is allowed; consumers with a narrow range have to act although nothing forces them to.",
    "Nothing has to be done; the report names the lowest sufficient version.",
);

const PROMPT_VERSION_NOT_BUMPED: ChangeRule = gate(
    "prompt-version-not-bumped",
    "a prompt changed under an unchanged prompt version",
    "Prompts carry versions of their own, and logs and evals name them: one version has to mean one prompt.",
    "Raise the `version` of the prompt along with the change.",
);

const PROMPT_VERSION_BUMP_TOO_SMALL: ChangeRule = gate(
    "prompt-version-bump-too-small",
    "a prompt's version rose by less than its changes need",
    "Readers of the prompt's version expect the rules of semantic versioning there too.",
    "Raise the `version` of the prompt to the lowest sufficient one.",
);

const PROMPT_VERSION_DECREASED: ChangeRule = gate(
    "prompt-version-decreased",
    "a prompt's version is lower than before",
    "Newer content under a lower version looks like an old prompt in every log.",
    "Give the prompt a version above the earlier one.",
);

const PROMPT_VERSION_BUMPED_WITHOUT_CHANGE: ChangeRule = gate(
    "prompt-version-bumped-without-change",
    "a prompt's version rose although nothing in it changed",
    "Readers look for a difference that is not there.",
    "Leave the version of an unchanged prompt alone.",
);

const REMOVED_BEFORE_SUNSET: ChangeRule = gate(
    "removed-before-sunset",
    "a deprecated thing is gone before its sunset",
    "The deprecation promised consumers time until that date or version.",
    "Keep the thing until its sunset, or move the sunset in the policy first.",
);

/// The level of a rule that judges versions instead of asking for one; none for every other rule.
///
/// Those on the versions of prompts are errors under the profile `strict`.
pub fn verdict_level(rule: &str, profile: Profile) -> Option<Level> {
    let of_prompt = if profile == Profile::Strict { Level::Error } else { Level::Warn };
    Some(match rule {
        "version-bump-larger" | "prompt-version-bumped-without-change" => Level::Info,
        "prompt-version-not-bumped" | "prompt-version-bump-too-small" | "prompt-version-decreased" => {
            of_prompt
        }
        "removed-before-sunset" => Level::Error,
        rule if rule.starts_with("version-") => Level::Error,
        _ => return None,
    })
}
