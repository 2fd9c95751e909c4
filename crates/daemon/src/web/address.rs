//! Addresses: where each thing is found on this host.
//!
//! Every address is a path from the root, so that it stays right behind a proxy that changes the host.

use registry::release::{Form, SkillRecord};
use semver::Version;

/// The manifest of a release.
pub(crate) fn release(id: &str, version: &Version) -> String {
    format!("/v1/packs/{id}/versions/{version}")
}

/// The bytes of a form.
pub(crate) fn form(id: &str, version: &Version, form: Form) -> String {
    format!("{}/{}", release(id, version), form.file_name())
}

/// One file of a skill; `key` is one of [`skill_keys`].
pub(crate) fn skill_file(id: &str, version: &Version, key: &str, file: &str) -> String {
    format!("{}/skills/{}/{}", release(id, version), segment(key), segments(file))
}

/// A schema file, by its path in the repository.
pub(crate) fn schema_file(id: &str, version: &Version, path: &str) -> String {
    format!("{}/files/{}", release(id, version), segments(path))
}

/// What addresses call the skills of a release: the second one of a name is `name~2`.
pub(crate) fn skill_keys(skills: &[SkillRecord]) -> Vec<String> {
    let key = |(position, skill): (usize, &SkillRecord)| match skills[..position]
        .iter()
        .filter(|earlier| earlier.name == skill.name)
        .count()
    {
        0 => skill.name.clone(),
        earlier => format!("{}~{}", skill.name, earlier + 1),
    };
    skills.iter().enumerate().map(key).collect()
}

/// A text as one part of a path: everything but unreserved characters is percent-encoded.
pub(crate) fn segment(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(byte.into()),
            byte => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// Each part of a path as [`segment`] gives it.
fn segments(path: &str) -> String {
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

/// A query string of pairs, with its `?`; empty where there are none.
pub(crate) fn query<'p>(pairs: impl IntoIterator<Item = (&'p str, &'p str)>) -> String {
    let pairs: Vec<String> =
        pairs.into_iter().map(|(name, value)| format!("{name}={}", segment(value))).collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}
