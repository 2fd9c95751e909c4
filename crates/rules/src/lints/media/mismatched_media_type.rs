//! Flags media of another type than the part or the settings say.

use std::collections::{BTreeMap, BTreeSet};

use super::parts;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::Node;

pub(super) const LINT: Lint = Lint {
    id: "mismatched-media-type",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "the MIME type of a media example contradicts its part, or the allowed formats",
    why: "A runtime refuses the example by the rules of the pack itself, or sends it to a model as something else.",
    fix: "Correct `type` or `mime_type`, or allow the format.",
    example: r#"{ "type": "image", "media": { "mime_type": "audio/wav", "url": "https://example.com/a.wav" } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    // Per list of allowed formats, by its place, the names in it.
    let mut allowed_names: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    for part in parts(pack) {
        let Some((kind, place)) = part.kind.zip(part.media.and_then(|media| media.get("mime_type"))) else {
            continue;
        };
        let Some((mime, (family, subtype))) =
            place.as_str().and_then(|mime| Some((mime, mime.split_once('/')?)))
        else {
            continue;
        };
        let has_family = matches!(kind, "image" | "audio" | "video");
        if has_family && !family.eq_ignore_ascii_case(kind) {
            findings
                .report(place, format!("the part is of type `{kind}`, but its media is `{mime}`"))
                .help("correct one of the two");
        } else if let Some(allowed) = part.settings.get(kind).and_then(|block| block.get("allowed_formats"))
            && !is_allowed(
                subtype,
                allowed_names.entry(allowed.span().start).or_insert_with(|| names_of(allowed)),
            )
        {
            findings
                .report(place, format!("`{mime}` is not in `allowed_formats` of `{kind}`"))
                .help("allow the format, or show another example");
        }
    }
}

/// The names under which `allowed_formats` lets a format pass, lower case.
fn names_of(allowed: Node<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for format in allowed.items().filter_map(Node::as_str) {
        let name = format.rsplit(['/', '.']).next().unwrap_or_default().to_ascii_lowercase();
        names.extend(aliases(&name).iter().map(|alias| (*alias).to_owned()));
        names.insert(name);
    }
    names
}

fn aliases(name: &str) -> &'static [&'static str] {
    FORMATS.iter().find(|(known, _)| *known == name).map_or(&[], |(_, formats)| formats)
}

fn is_allowed(subtype: &str, names: &BTreeSet<String>) -> bool {
    let subtype = subtype.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let bare = subtype.strip_prefix("x-").unwrap_or(&subtype);
    let known = aliases(&subtype);
    // Nobody knows how the type of another vendor is written as a format.
    let is_foreign = known.is_empty() && (bare.contains(['.', '+', '*']) || bare == "octet-stream");
    is_foreign || names.is_empty() || [bare, &subtype].iter().chain(known).any(|name| names.contains(*name))
}

/// How the formats of MIME subtypes are written, besides the subtype itself.
const FORMATS: [(&str, &[&str]); 24] = [
    ("jpeg", &["jpg"]),
    ("pjpeg", &["jpeg", "jpg"]),
    ("tiff", &["tif"]),
    ("svg+xml", &["svg"]),
    ("mpeg", &["mp3", "mpg", "mpga"]),
    ("mpeg3", &["mp3", "mpeg"]),
    ("mp4", &["m4a", "m4v"]),
    ("ogg", &["oga", "ogv", "opus"]),
    ("webm", &["weba"]),
    ("vnd.wave", &["wav"]),
    ("wave", &["wav"]),
    ("x-wav", &["wav"]),
    ("quicktime", &["mov"]),
    ("x-matroska", &["mkv"]),
    ("x-msvideo", &["avi"]),
    ("plain", &["txt", "text"]),
    ("markdown", &["md"]),
    ("html", &["htm"]),
    ("msword", &["doc"]),
    ("vnd.ms-excel", &["xls"]),
    ("vnd.ms-powerpoint", &["ppt"]),
    ("vnd.openxmlformats-officedocument.wordprocessingml.document", &["docx"]),
    ("vnd.openxmlformats-officedocument.spreadsheetml.sheet", &["xlsx"]),
    ("vnd.openxmlformats-officedocument.presentationml.presentation", &["pptx"]),
];
