//! Media (catalogue 3.9).

use pack::Node;
use pack::model::Media;

use crate::facts::Facts;
use crate::lint::Lint;

mod ambiguous_media_config;
mod invalid_content_part;
mod invalid_mime_type;
mod mismatched_media_config;
mod mismatched_media_type;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[
    &mismatched_media_config::LINT,
    &ambiguous_media_config::LINT,
    &invalid_content_part::LINT,
    &mismatched_media_type::LINT,
    &invalid_mime_type::LINT,
];

/// One part of a media example.
struct Part<'a> {
    /// The part.
    node: Node<'a>,
    /// Its type.
    kind: Option<&'a str>,
    /// What it refers to.
    media: Option<Node<'a>>,
    /// The media settings that it stands in.
    settings: Media<'a>,
}

/// The parts of all media examples.
fn parts<'a>(pack: &Facts<'a>) -> Vec<Part<'a>> {
    let mut found = Vec::new();
    for settings in pack.prompts().iter().filter_map(|prompt| prompt.prompt.media()) {
        let parts = settings.list("examples").flat_map(|example| example.list("parts"));
        found.extend(parts.filter(|part| part.is_object()).map(|node| Part {
            node,
            kind: node.text("type"),
            media: node.get("media").filter(|media| media.is_object()),
            settings,
        }));
    }
    found
}
