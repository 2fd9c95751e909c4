//! One provider requirement with its defaults filled in.

use std::collections::BTreeSet;

use pack::json::Node;
use pack::model::Pack;

use crate::changes::value::written;

/// The key of the primary model, which every pack requires without saying so.
const DEFAULT: &str = "default";
/// The role that counts where nothing is said.
const ROLE: &str = "llm";

/// One provider that the host has to supply, or may.
pub(super) struct Requirement<'a> {
    /// Its key.
    pub(super) key: &'a str,
    /// The kind of model.
    pub(super) role: &'a str,
    /// Whether the pack does not run without it.
    pub(super) required: bool,
    /// The entry; none for the primary model where nothing declares it.
    pub(super) node: Option<Node<'a>>,
}

impl<'a> Requirement<'a> {
    /// The requirements of a pack, the implied one included. Of several with one key the first counts.
    pub(super) fn all(pack: Pack<'a>) -> Vec<Requirement<'a>> {
        let mut seen = BTreeSet::new();
        let declared = pack.providers().filter_map(|provider| {
            let key = provider.name_key().filter(|key| seen.insert(*key))?;
            Some(Requirement {
                key,
                role: provider.text("role").unwrap_or(ROLE),
                required: provider.flag("required").unwrap_or(true),
                node: Some(*provider),
            })
        });
        let mut all: Vec<Requirement<'a>> = declared.collect();
        if !all.iter().any(|requirement| requirement.key == DEFAULT) {
            all.push(Requirement { key: DEFAULT, role: ROLE, required: true, node: None });
        }
        all
    }

    /// What it asks of the model that satisfies it.
    pub(super) fn capability(&self, name: &str) -> Option<Node<'a>> {
        self.capabilities()?.get(name).filter(|node| !node.is_null())
    }

    /// All that it asks of the model.
    pub(super) fn capabilities(&self) -> Option<Node<'a>> {
        self.node?.get("capabilities")
    }

    /// Everything that it says apart from its key, as one word.
    pub(super) fn content(&self) -> String {
        let part = |key| self.node.and_then(|node| written(node.get(key))).unwrap_or_default();
        let text =
            format!("{} {} {} {}", self.role, self.required, part("capabilities"), part("description"));
        pack::Digest::of(text.as_bytes()).hex()
    }
}
