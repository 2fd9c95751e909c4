//! Media that OLD takes and NEW refuses, checked against the settings of both.

use serde_json::{Value, json};

use super::Outcome;
use crate::change::Witness;
use crate::changes::comparison::PromptPair;
use crate::changes::media::{Descriptor, Limit, Settings};
use crate::changes::value::EXACT;

/// Which medium is refused now.
#[derive(Debug, Clone)]
pub(crate) enum MediaBreak {
    /// Any that OLD takes.
    Any,
    /// One of any type that is no longer taken.
    AnyType,
    /// One of that type.
    Type(String),
    /// One of that type in any format that is no longer taken.
    AnyFormat(String),
    /// One of that type in that format.
    Format(String, String),
    /// One of that type beyond the new limit.
    Beyond(String, Limit),
    /// One of that type without a caption.
    Caption(String),
    /// One of that type without metadata.
    Metadata(String),
}

/// Types that are tried where nothing is listed.
const KINDS: [&str; 4] = ["image", "audio", "video", "document"];

/// Well-known formats of a type.
fn known_formats(kind: &str) -> &'static [&'static str] {
    match kind {
        "image" => &["png", "jpeg", "webp", "gif", "bmp"],
        "audio" => &["wav", "mp3", "ogg", "webm"],
        "video" => &["mp4", "webm", "mov"],
        "document" => &["pdf", "docx", "csv"],
        _ => &[],
    }
}

/// The known names, then one that is not listed: a list that restricts refuses at least that one.
fn names_beyond(known: &[&str], is_listed: impl Fn(&str) -> bool) -> Vec<String> {
    let unlisted = (0..).map(|number| format!("x{number}")).find(|name| !is_listed(name));
    known.iter().map(|name| (*name).to_owned()).chain(unlisted).collect()
}

/// Looks for the smallest such medium.
pub(super) fn find(pair: &PromptPair<'_>, wanted: &MediaBreak) -> Outcome {
    let (old, new) = (Settings::of(pair.old.prompt), Settings::of(pair.new.prompt));
    let mut is_taken = false;
    for medium in candidates(&old, &new, wanted) {
        if old.refusal(&medium).is_some() {
            continue;
        }
        is_taken = true;
        if let Some(refusal) = new.refusal(&medium) {
            return Outcome::Found(witness(pair.old.key(), &medium, refusal));
        }
    }
    match wanted {
        MediaBreak::Beyond(kind, limit) if !is_measurable(&old, &new, kind, *limit) => Outcome::Undecided,
        _ if is_taken => Outcome::None,
        // Everything of the kind that was looked for, OLD refused already.
        _ => Outcome::OldAcceptsNothing,
    }
}

/// Whether a double tells what is just beyond the limits from what is not.
fn is_measurable(old: &Settings<'_>, new: &Settings<'_>, kind: &str, limit: Limit) -> bool {
    [old, new].iter().filter_map(|side| side.limit(kind, limit)).all(|most| most.abs() < EXACT)
}

fn candidates(old: &Settings<'_>, new: &Settings<'_>, wanted: &MediaBreak) -> Vec<Descriptor> {
    let named = |kind: &str| shared(old, new, kind);
    match wanted {
        MediaBreak::Any | MediaBreak::AnyType => {
            let listed = new.mentioned();
            let mut kinds = names_beyond(&KINDS, |name| listed.contains(name));
            kinds.extend(old.mentioned().into_iter().map(str::to_owned));
            kinds.iter().map(|kind| named(kind)).collect()
        }
        MediaBreak::Type(kind) => vec![named(kind)],
        MediaBreak::AnyFormat(kind) => {
            let listed = new.formats(kind).unwrap_or_default();
            let formats = names_beyond(known_formats(kind), |name| listed.contains_key(name));
            formats.into_iter().map(|format| Descriptor { format: Some(format), ..named(kind) }).collect()
        }
        MediaBreak::Format(kind, format) => {
            vec![Descriptor { format: Some(format.clone()), ..named(kind) }]
        }
        MediaBreak::Beyond(kind, limit) => {
            let least = new.limit(kind, *limit).map(|most| most.floor() + 1.0);
            let measures = least.into_iter().chain(old.limit(kind, *limit)).map(|most| vec![(*limit, most)]);
            measures.map(|measures| Descriptor { measures, ..named(kind) }).collect()
        }
        MediaBreak::Caption(kind) => vec![Descriptor { caption: false, ..named(kind) }],
        MediaBreak::Metadata(kind) => vec![Descriptor { metadata: false, ..named(kind) }],
    }
}

/// The smallest medium of a type that OLD takes, where possible in a format that NEW takes too, and with what NEW
/// asks for: so that it fails for one reason alone.
fn shared(old: &Settings<'_>, new: &Settings<'_>, kind: &str) -> Descriptor {
    let (mine, theirs) = (old.smallest(kind), new.smallest(kind));
    let format = match (old.formats(kind), new.formats(kind)) {
        (Some(olds), Some(news)) => olds.into_keys().find(|format| news.contains_key(format)).or(mine.format),
        (None, Some(_)) => theirs.format,
        _ => mine.format,
    };
    let (caption, metadata) = (mine.caption || theirs.caption, mine.metadata || theirs.metadata);
    Descriptor { format, caption, metadata, ..Descriptor::of(kind) }
}

fn witness(prompt: &str, medium: &Descriptor, refusal: String) -> Witness {
    let input: Value = json!({ "prompt": prompt, "media": medium.to_value() });
    Witness { kind: "media".to_owned(), input, old_result: "taken".to_owned(), new_result: refusal }
}
