//! What media callers may send: whether any, of which types and formats, how large, with what beside them.

use std::collections::{BTreeMap, BTreeSet};

use pack::json::Node;

use super::settings::{Limit, Settings};
use crate::change::{Affected, Bump, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::PromptPair;
use crate::changes::report::{At, Changes, Spot};
use crate::changes::value::{by_limit, written};
use crate::changes::witness::{Focus, MediaBreak};

/// A medium that was taken is refused.
const fn narrowed(
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
        why: "A caller that sends what the earlier version took gets an error instead of an answer.",
        fix,
        mirror: Mirror::Rule(mirror),
    }
}

/// A medium that was refused is taken.
const fn widened(id: &'static str, mirror: &'static str, summary: &'static str) -> ChangeRule {
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
        why: "Callers may send more than before; whatever they send already is still taken.",
        fix: "Nothing has to be done beyond a minor version; check that the models behind the prompt cope with it.",
        mirror: Mirror::Rule(mirror),
    }
}

pub(super) const DISABLED: ChangeRule = narrowed(
    "media-disabled",
    "media-enabled",
    "a prompt no longer takes media",
    "Keep media enabled, or offer a second prompt without them and remove the first in the next major version.",
);

pub(super) const TYPE_REMOVED: ChangeRule = narrowed(
    "media-type-removed",
    "media-type-added",
    "a prompt no longer takes a type of media",
    "Keep the type until the next major version, and announce its end before.",
);

pub(super) const FORMAT_REMOVED: ChangeRule = narrowed(
    "media-format-removed",
    "media-format-added",
    "a prompt no longer takes a format",
    "Keep the format; a runtime can convert it before the model sees it.",
);

pub(super) const LIMIT_ADDED: ChangeRule = narrowed(
    "media-limit-added",
    "media-limit-removed",
    "media of a prompt get a limit that they did not have",
    "Watch what callers send, and set the limit above it; a limit that nobody can reach is none.",
);

pub(super) const LIMIT_DECREASED: ChangeRule = narrowed(
    "media-limit-decreased",
    "media-limit-increased",
    "media of a prompt may be less large, long or many",
    "Keep the limit; a runtime can scale or split what is too large for a model.",
);

pub(super) const CAPTION_REQUIRED: ChangeRule = narrowed(
    "media-caption-required",
    "media-caption-optional",
    "media of a prompt now need a caption",
    "Ask for captions in the documentation, and require them in the next major version.",
);

pub(super) const METADATA_REQUIRED: ChangeRule = narrowed(
    "media-metadata-required",
    "media-metadata-optional",
    "media of a prompt now need metadata",
    "Ask for metadata in the documentation, and require them in the next major version.",
);

pub(super) const ENABLED: ChangeRule =
    widened("media-enabled", "media-disabled", "a prompt takes media that took none");

pub(super) const TYPE_ADDED: ChangeRule =
    widened("media-type-added", "media-type-removed", "a prompt takes another type of media");

pub(super) const FORMAT_ADDED: ChangeRule =
    widened("media-format-added", "media-format-removed", "a prompt takes another format");

pub(super) const LIMIT_REMOVED: ChangeRule =
    widened("media-limit-removed", "media-limit-added", "media of a prompt lose a limit");

pub(super) const LIMIT_INCREASED: ChangeRule = widened(
    "media-limit-increased",
    "media-limit-decreased",
    "media of a prompt may be larger, longer or more",
);

pub(super) const CAPTION_OPTIONAL: ChangeRule =
    widened("media-caption-optional", "media-caption-required", "media of a prompt no longer need a caption");

pub(super) const METADATA_OPTIONAL: ChangeRule = widened(
    "media-metadata-optional",
    "media-metadata-required",
    "media of a prompt no longer need metadata",
);

/// The settings of one prompt on both sides.
pub(super) struct Sides<'s, 'a> {
    /// The key of the prompt.
    pub(super) key: &'a str,
    /// The earlier settings.
    pub(super) old: &'s Settings<'a>,
    /// The later settings.
    pub(super) new: &'s Settings<'a>,
    /// Whether neither side takes media, so that nothing of this has an effect.
    pub(super) inert: bool,
}

impl<'a> Sides<'_, 'a> {
    /// Reports a change of what is taken.
    pub(super) fn report(
        &self,
        rule: &'static ChangeRule,
        at: At<'a>,
        message: String,
        focus: Option<MediaBreak>,
        changes: &mut Changes<'a>,
    ) {
        let draft = changes.report(rule, at, format!("prompt `{}` {message}", self.key));
        match focus {
            _ if self.inert => {
                draft.bumps(rule.bumps.capped(Bump::Patch));
            }
            Some(focus) => {
                draft.focus(Focus::Media(focus));
            }
            None => {}
        }
    }

    /// The settings of one type, or what holds them where the type has none.
    pub(super) fn spot(
        settings: &Settings<'a>,
        kind: &str,
        field: &'static str,
        default: impl Into<serde_json::Value>,
    ) -> Option<Spot<'a>> {
        settings.block(kind).map(|block| Spot::member(block, field, default))
    }

    /// The types that both sides take and one of them says something about.
    pub(super) fn kinds(&self) -> BTreeSet<&'a str> {
        let configured = self.old.configured().chain(self.new.configured());
        configured.filter(|kind| self.old.supports(kind) && self.new.supports(kind)).collect()
    }
}

/// States that a prompt takes media from now on, or no longer.
pub(super) fn compare_switch<'a>(
    pair: &PromptPair<'a>,
    old: &Settings<'a>,
    new: &Settings<'a>,
    changes: &mut Changes<'a>,
) {
    let (rule, does, focus) = match (old.enabled, new.enabled) {
        (true, false) => (&DISABLED, "no longer takes media", Some(MediaBreak::Any)),
        (false, true) => (&ENABLED, "takes media", None),
        _ => return,
    };
    let spot = |settings: &Settings<'a>| settings.media.map(|media| Spot::member(*media, "enabled", false));
    let at = match (spot(old), spot(new)) {
        (Some(old), Some(new)) => At::spots(old, new),
        _ => At::either(old.media.map(|media| *media), new.media.map(|media| *media)),
    };
    let sides = Sides { key: pair.key(), old, new, inert: false };
    sides.report(rule, at, does.to_owned(), focus, changes);
}

/// States what else moved in what a prompt takes.
pub(super) fn compare<'a>(sides: &Sides<'_, 'a>, changes: &mut Changes<'a>) {
    compare_types(sides, changes);
    for kind in sides.kinds() {
        compare_formats(sides, kind, changes);
        for limit in Limit::ALL.into_iter().filter(|limit| limit.is_of(kind)) {
            compare_limit(sides, kind, limit, changes);
        }
        let caption = ("require_caption", &CAPTION_REQUIRED, &CAPTION_OPTIONAL, MediaBreak::Caption as Break);
        let metadata =
            ("require_metadata", &METADATA_REQUIRED, &METADATA_OPTIONAL, MediaBreak::Metadata as Break);
        for flag in [caption, metadata] {
            compare_flag(sides, kind, flag, changes);
        }
    }
}

type Break = fn(String) -> MediaBreak;

fn compare_types<'a>(sides: &Sides<'_, 'a>, changes: &mut Changes<'a>) {
    let list = |settings: &Settings<'a>| settings.media.and_then(|media| media.get("supported_types"));
    match (&sides.old.types, &sides.new.types) {
        (None, Some(types)) => {
            let message = format!("only takes media of {} types from now on", types.len());
            let at = At::either(None, list(sides.new));
            sides.report(&TYPE_REMOVED, at, message, Some(MediaBreak::AnyType), changes);
        }
        (Some(_), None) => {
            let at = At::either(list(sides.old), None);
            sides.report(&TYPE_ADDED, at, "takes media of any type".to_owned(), None, changes);
        }
        (Some(old), Some(new)) => {
            for (kind, node) in missing(old, new) {
                let focus = MediaBreak::Type((*kind).to_owned());
                let message = format!("no longer takes media of type `{kind}`");
                sides.report(&TYPE_REMOVED, At::removed(*node), message, Some(focus), changes);
            }
            for (kind, node) in missing(new, old) {
                let message = format!("takes media of type `{kind}`");
                sides.report(&TYPE_ADDED, At::added(*node), message, None, changes);
            }
        }
        (None, None) => {}
    }
}

/// What the one list has and the other lacks.
fn missing<'m, 'a, K: Ord>(
    from: &'m BTreeMap<K, Node<'a>>,
    of: &'m BTreeMap<K, Node<'a>>,
) -> impl Iterator<Item = (&'m K, &'m Node<'a>)> {
    from.iter().filter(|(name, _)| !of.contains_key(*name))
}

fn compare_formats<'a>(sides: &Sides<'_, 'a>, kind: &'a str, changes: &mut Changes<'a>) {
    let list = |settings: &Settings<'a>| settings.block(kind).and_then(|block| block.get("allowed_formats"));
    match (sides.old.formats(kind), sides.new.formats(kind)) {
        (None, Some(formats)) => {
            let message = format!("only takes {} formats of `{kind}` from now on", formats.len());
            let focus = MediaBreak::AnyFormat(kind.to_owned());
            sides.report(&FORMAT_REMOVED, At::either(None, list(sides.new)), message, Some(focus), changes);
        }
        (Some(_), None) => {
            let message = format!("takes `{kind}` of any format");
            sides.report(&FORMAT_ADDED, At::either(list(sides.old), None), message, None, changes);
        }
        (Some(old), Some(new)) => {
            for (format, node) in missing(&old, &new) {
                let focus = MediaBreak::Format(kind.to_owned(), format.clone());
                let message = format!("no longer takes `{kind}` of format `{format}`");
                sides.report(&FORMAT_REMOVED, At::removed(*node), message, Some(focus), changes);
            }
            for (format, node) in missing(&new, &old) {
                let message = format!("takes `{kind}` of format `{format}`");
                sides.report(&FORMAT_ADDED, At::added(*node), message, None, changes);
            }
        }
        (None, None) => {}
    }
}

fn compare_limit<'a>(sides: &Sides<'_, 'a>, kind: &'a str, limit: Limit, changes: &mut Changes<'a>) {
    let field = limit.field();
    let (old, new) = (sides.old.written_limit(kind, limit), sides.new.written_limit(kind, limit));
    let at = At::either(old, new);
    let focus = Some(MediaBreak::Beyond(kind.to_owned(), limit));
    match (written(old), written(new)) {
        (None, Some(most)) => {
            let message = format!("limits `{kind}`: `{field}` is {most}");
            sides.report(&LIMIT_ADDED, at, message, focus, changes);
        }
        (Some(most), None) => {
            let message = format!("no longer limits `{kind}`: `{field}` was {most}");
            sides.report(&LIMIT_REMOVED, at, message, None, changes);
        }
        (Some(before), Some(after)) if by_limit(new, old).is_lt() => {
            let message = format!("takes less of `{kind}`: `{field}` is {after} instead of {before}");
            sides.report(&LIMIT_DECREASED, at, message, focus, changes);
        }
        (Some(before), Some(after)) if by_limit(new, old).is_gt() => {
            let message = format!("takes more of `{kind}`: `{field}` is {after} instead of {before}");
            sides.report(&LIMIT_INCREASED, at, message, None, changes);
        }
        _ => {}
    }
}

fn compare_flag<'a>(
    sides: &Sides<'_, 'a>,
    kind: &'a str,
    (field, required, optional, focus): (&'static str, &'static ChangeRule, &'static ChangeRule, Break),
    changes: &mut Changes<'a>,
) {
    let at =
        At::spots(Sides::spot(sides.old, kind, field, false), Sides::spot(sides.new, kind, field, false));
    let what = if field == "require_caption" { "a caption" } else { "metadata" };
    match (sides.old.requires(kind, field), sides.new.requires(kind, field)) {
        (false, true) => {
            let focus = Some(focus(kind.to_owned()));
            sides.report(required, at, format!("now needs {what} with `{kind}`"), focus, changes);
        }
        (true, false) => {
            sides.report(optional, at, format!("no longer needs {what} with `{kind}`"), None, changes);
        }
        _ => {}
    }
}
