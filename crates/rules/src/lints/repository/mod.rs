//! The Git tree and the configuration (catalogue 3.17).

use pack::Node;
use pack::model::Pack;

use crate::lint::Lint;

mod allow_expired;
mod allow_unused;
mod duplicate_pack;
mod escaping_path;
mod foreign_pack_id;
mod mismatched_version_tag;
mod missing_file;
mod unknown_pack;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[
    &duplicate_pack::LINT,
    &foreign_pack_id::LINT,
    &mismatched_version_tag::LINT,
    &missing_file::LINT,
    &escaping_path::LINT,
    &allow_unused::LINT,
    &allow_expired::LINT,
    &unknown_pack::LINT,
];

/// One text of a pack that names a file of its repository.
#[derive(Clone, Copy)]
struct FileReference<'a> {
    /// What it names, for messages.
    what: &'static str,
    path: &'a str,
    node: Node<'a>,
}

/// The media files of examples and the schema files of compositions.
fn data_files<'a>(pack: Pack<'a>) -> impl Iterator<Item = FileReference<'a>> {
    let media = pack.prompts().flat_map(|prompt| prompt.media_references());
    let media = media.filter_map(|media| {
        let node = media.get("file_path")?;
        Some(FileReference { what: "media file", path: node.as_str()?, node })
    });
    let schemas = pack.schema_references().into_iter().filter_map(|node| {
        let path = schema_file(node.as_str()?)?;
        Some(FileReference { what: "schema file", path, node })
    });
    media.chain(schemas)
}

/// The file that a schema reference names; none for URLs, places in the pack itself and bare names.
fn schema_file(reference: &str) -> Option<&str> {
    let path = reference.split(['#', '?']).next().unwrap_or_default();
    let named_as_file = [".json", ".yaml", ".yml"].iter().any(|ending| path.ends_with(ending));
    (!path.contains("://") && (path.contains(['/', '\\']) || named_as_file)).then_some(path)
}
