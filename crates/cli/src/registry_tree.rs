//! A release of a registry with the files that it names (skills, schemas), as the repository held them.

use client::{Client, ClientError, Fetched, Form, Manifest};
use pack::Document;
use pack::tree::{EntryKind, MemoryTree, NoTree};
use registry::discover::named_files;

/// The source bytes of a release, the path of its file, and the files that it names.
pub struct RegistryRelease {
    /// What was fetched.
    pub fetched: Fetched,
    /// Where the pack stands in its repository.
    pub path: String,
    /// The files that it names, where they stand there.
    pub tree: MemoryTree,
}

/// Fetches a release. Only a pack that names files costs more than one request.
///
/// # Errors
/// As [`Client::fetch`]. A registry that knows no manifest, or whose manifest names no files, gives a release without.
pub fn release(client: &Client, reference: &str) -> Result<RegistryRelease, ClientError> {
    let fetched = client.fetch(reference, Form::Source)?;
    let path = format!("{}.pack.json", fetched.id);
    let alone = |fetched, path| RegistryRelease { fetched, path, tree: MemoryTree::default() };
    let names_files = Document::parse(&fetched.bytes).0.is_some_and(|document| {
        document.root().is_object() && !named_files(&document, &path, &NoTree).is_empty()
    });
    if !names_files {
        return Ok(alone(fetched, path));
    }
    let manifest = match client.manifest(&fetched.id, &fetched.version.to_string()) {
        Ok(manifest) => manifest,
        Err(ClientError::NotFound { .. }) => return Ok(alone(fetched, path)),
        Err(error) => return Err(error),
    };
    let tree = tree_of(client, &manifest)?;
    let path = manifest.path.unwrap_or(path);
    Ok(RegistryRelease { fetched, path, tree })
}

fn tree_of(client: &Client, manifest: &Manifest) -> Result<MemoryTree, ClientError> {
    let mut tree = MemoryTree::default();
    for file in manifest.skills.iter().flat_map(|skill| &skill.files) {
        if let Some(place) = &file.place {
            let kind = EntryKind::File { executable: file.executable };
            tree.insert_as(place.as_str(), kind, client.file(file)?);
        }
    }
    for file in &manifest.files {
        tree.insert(file.path.as_str(), client.file(file)?);
    }
    Ok(tree)
}
