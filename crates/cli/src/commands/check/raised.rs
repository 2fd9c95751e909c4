//! Packs with other version numbers: what `bump` writes, and what a pack needs once its prompts have their versions.

use pack::model::Pack;
use pack::{Document, Node};
use registry::gate::PromptVersion;
use semver::Version;
use serde_json::json;

use crate::configuration::Conditions;
use crate::judging::{self, JudgedFile};
use crate::packs::PackFile;

/// A number to write: that of a prompt, or of the pack itself.
pub type Raise<'r> = (Option<&'r str>, String);

/// Where the version of a pack, or of one of its prompts, stands.
pub fn version_node<'d>(document: &'d Document, prompt: Option<&str>) -> Option<Node<'d>> {
    match prompt {
        Some(key) => Pack(document.root()).prompt(key)?.get("version"),
        None => document.root().get("version"),
    }
}

/// A version with a leading `v` where the pack writes one.
pub fn written_like(old: &str, new: &Version) -> String {
    if old.starts_with('v') { format!("v{new}") } else { new.to_string() }
}

/// The text of a pack with other numbers, and nothing else changed.
pub fn with_versions(bytes: &[u8], document: &Document, raises: &[Raise<'_>]) -> Vec<u8> {
    let place = |(prompt, new): &Raise<'_>| {
        Some((version_node(document, *prompt)?.span().range(), json!(new).to_string()))
    };
    let mut edits: Vec<_> = raises.iter().filter_map(place).collect();
    edits.sort_by_key(|(range, _)| range.start);
    let (mut text, mut done) = (Vec::new(), 0);
    for (range, new) in edits {
        text.extend_from_slice(bytes.get(done..range.start).unwrap_or_default());
        text.extend_from_slice(new.as_bytes());
        done = range.end;
    }
    text.extend_from_slice(bytes.get(done..).unwrap_or_default());
    text
}

/// The pack with the versions that its prompts need; none where they have them.
pub fn with_prompts(
    file: &JudgedFile,
    prompts: &[PromptVersion],
    conditions: &Conditions,
) -> Option<JudgedFile> {
    let document = file.evaluated.document.as_ref()?;
    let raise = |verdict: &PromptVersion| {
        let old = version_node(document, Some(&verdict.prompt))?;
        Some((verdict.prompt.clone(), written_like(old.as_str()?, verdict.enough.as_ref()?)))
    };
    let raised: Vec<(String, String)> = prompts.iter().filter_map(raise).collect();
    if raised.is_empty() {
        return None;
    }
    let raises: Vec<Raise<'_>> =
        raised.iter().map(|(prompt, new)| (Some(prompt.as_str()), new.clone())).collect();
    let PackFile { shown, path, tree, bytes } = &file.file;
    let bytes = with_versions(bytes, document, &raises);
    let raised = PackFile { shown: shown.clone(), path: path.clone(), tree: tree.clone(), bytes };
    Some(judging::judge(raised, file.settings.clone(), conditions))
}
