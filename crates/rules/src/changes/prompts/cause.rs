//! Where the text of a prompt changed, and through whom: its own words, or a fragment that several prompts share.

use std::collections::{BTreeMap, BTreeSet};

use pack::json::Node;
use pack::template::Names;

use crate::changes::comparison::{Comparison, PromptPair};
use crate::changes::side::{PromptSide, Side};
use crate::changes::text::{Budget, Expansion, Texts};

/// The position of the base text; the others are `model/field`.
pub(super) const BASE: &str = "";

/// Why the texts of one prompt read differently.
#[derive(Debug, Default)]
pub(super) struct Causes<'a> {
    /// Positions whose own wording changed.
    pub(super) own: BTreeSet<String>,
    /// New keys of the fragments whose text changed what is rendered.
    pub(super) fragments: BTreeSet<&'a str>,
}

type Positions = BTreeMap<String, String>;

/// Finds out why the texts of a pair differ.
///
/// Fragments alone are the cause where the old templates with the new fragments read like the new text, and the
/// new templates with the old fragments like the old one.
pub(super) fn causes<'a>(comparison: &Comparison<'a>, pair: &PromptPair<'a>) -> Causes<'a> {
    let old = positions(&pair.old.texts, comparison.old, &pair.renamed_variables);
    let new = positions(&pair.new.texts, comparison.new, &BTreeMap::new());
    let differing: Vec<&String> =
        new.keys().filter(|at| old.get(*at).is_some_and(|text| *text != new[*at])).collect();
    let mut causes = Causes::default();
    if differing.is_empty() {
        return causes;
    }
    let changed = changed_fragments(comparison, pair);
    if changed.is_empty() || comparison.old.syntax != comparison.new.syntax {
        causes.own.extend(differing.into_iter().cloned());
        return causes;
    }
    let forward = mixed(comparison, pair.old, comparison.new, &comparison.renamed_fragments);
    let forward = positions(&forward, comparison.old, &pair.renamed_variables);
    let backward: BTreeMap<&str, &str> =
        comparison.renamed_fragments.iter().map(|(old, new)| (*new, *old)).collect();
    let backward = mixed(comparison, pair.new, comparison.old, &backward);
    let backward = positions(&backward, comparison.new, &BTreeMap::new());
    for at in differing {
        let by_fragments = forward.get(at) == new.get(at) && backward.get(at) == old.get(at);
        if !by_fragments {
            causes.own.insert(at.clone());
        }
        if forward.get(at) != old.get(at) || backward.get(at) != new.get(at) {
            causes.fragments.extend(&changed);
        }
    }
    causes
}

fn positions(texts: &Texts<'_>, side: &Side<'_>, renamed: &BTreeMap<&str, &str>) -> Positions {
    texts.normal(side.syntax, renamed).into_iter().collect()
}

/// New keys of the fragments that both sides of the prompt reach and whose text differs.
fn changed_fragments<'a>(comparison: &Comparison<'a>, pair: &PromptPair<'a>) -> BTreeSet<&'a str> {
    let key = |node: Node<'a>| node.key().unwrap_or_default();
    let differing = comparison.fragments.pairs().filter(|(old, new)| old.as_str() != new.as_str());
    let reached = differing.filter(|(old, new)| {
        pair.old.fragments.contains(key(*old)) && pair.new.fragments.contains(key(*new))
    });
    reached.map(|(_, new)| key(new)).collect()
}

/// The templates of one side with the fragments of the other.
fn mixed<'a>(
    comparison: &Comparison<'a>,
    prompt: &PromptSide<'a>,
    other: &Side<'a>,
    renamed: &BTreeMap<&str, &str>,
) -> Texts<'a> {
    let sides = [comparison.old, comparison.new];
    let names = Names {
        fragments: sides.iter().flat_map(|side| side.fragments.keys().copied()).collect(),
        ..prompt.names.clone()
    };
    let fragment =
        |key: &str| other.pack.fragment(key).or_else(|| other.pack.fragment(renamed.get(key).copied()?));
    Expansion { syntax: other.syntax, names: &names, fragment: &fragment }
        .texts(prompt.prompt, &mut Budget::default())
}
