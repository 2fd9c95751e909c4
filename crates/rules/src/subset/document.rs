//! One schema document: which draft it follows, and where its references lead.

use pack::schema_file::percent_decoded;
use serde_json::Value;

use super::exact::is_marked;

/// The draft that decides which keywords count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Draft {
    /// Drafts 4, 6 and 7: a reference stands alone.
    Seven,
    /// Draft 2019-09, and documents that name no draft but write lists of schemas in `items`.
    TwentyNineteen,
    /// Draft 2020-12, and documents that name no draft.
    TwentyTwenty,
    /// Another vocabulary.
    Unknown,
}

/// A document as references see it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Document<'v> {
    pub(super) root: &'v Value,
    pub(super) draft: Draft,
    /// Whether the document names its draft; one that does not may use the words of all of them.
    states_draft: bool,
    /// Whether a part of the document has an address of its own, which would move what references mean.
    pub(super) has_parts: bool,
    /// Whether a number stands in the document that generic JSON would round, so that no validator can be asked.
    pub(super) has_marks: bool,
}

/// Where a reference leads.
pub(super) enum Target<'v> {
    Local(&'v Value),
    Remote,
}

impl<'v> Document<'v> {
    pub(super) fn new(root: &'v Value) -> Document<'v> {
        let stated = root.get("$schema").and_then(Value::as_str);
        let mut seen = Seen::default();
        look(root, true, &mut seen);
        let draft = match stated.map(|url| url.trim_end_matches('#')) {
            None if seen.listed_items && seen.prefix_items => Draft::Unknown,
            None if seen.listed_items => Draft::TwentyNineteen,
            None => Draft::TwentyTwenty,
            Some(url) => draft_of(url),
        };
        let draft = if root.get("$vocabulary").is_some() { Draft::Unknown } else { draft };
        Document {
            root,
            draft,
            states_draft: stated.is_some(),
            has_parts: seen.parts,
            has_marks: is_marked(root),
        }
    }

    /// Whether the draft gives the keyword a meaning.
    pub(super) fn knows(&self, keyword: &str) -> bool {
        if !self.states_draft {
            return true;
        }
        match keyword {
            "dependentRequired"
            | "dependentSchemas"
            | "minContains"
            | "maxContains"
            | "$anchor"
            | "unevaluatedProperties"
            | "unevaluatedItems" => self.draft >= Draft::TwentyNineteen,
            "prefixItems" | "$dynamicRef" => self.draft >= Draft::TwentyTwenty,
            "$recursiveRef" => self.draft == Draft::TwentyNineteen,
            _ => true,
        }
    }

    /// Follows `$ref`.
    pub(super) fn resolve(&self, reference: &str) -> Target<'v> {
        let own = self.root.get("$id").and_then(Value::as_str).map(|id| id.trim_end_matches('#'));
        let fragment = match own {
            Some(own) if !own.is_empty() && reference.starts_with(own) => &reference[own.len()..],
            _ => reference,
        };
        let fragment = match fragment.strip_prefix('#') {
            Some(fragment) => fragment,
            None if fragment.is_empty() && !reference.is_empty() => fragment,
            None => return Target::Remote,
        };
        if self.has_parts {
            return Target::Remote;
        }
        let Some(fragment) = percent_decoded(fragment) else { return Target::Remote };
        let target = if fragment.is_empty() || fragment.starts_with('/') {
            self.root.pointer(&fragment)
        } else {
            anchored(self.root, &fragment)
        };
        target.map_or(Target::Remote, Target::Local)
    }
}

fn draft_of(url: &str) -> Draft {
    let name = url.trim_start_matches("https://").trim_start_matches("http://");
    match name {
        "json-schema.org/draft/2020-12/schema" => Draft::TwentyTwenty,
        "json-schema.org/draft/2019-09/schema" => Draft::TwentyNineteen,
        "json-schema.org/draft-07/schema"
        | "json-schema.org/draft-06/schema"
        | "json-schema.org/draft-04/schema" => Draft::Seven,
        _ => Draft::Unknown,
    }
}

#[derive(Default)]
struct Seen {
    listed_items: bool,
    prefix_items: bool,
    parts: bool,
}

/// Looks for words that tell drafts apart. Constants that look like schemas may mislead it to caution, never to
/// confidence.
fn look(value: &Value, is_root: bool, seen: &mut Seen) {
    match value {
        Value::Object(members) => {
            seen.listed_items |= members.get("items").is_some_and(Value::is_array);
            seen.prefix_items |= members.get("prefixItems").is_some_and(Value::is_array);
            seen.parts |= !is_root && members.get("$id").is_some_and(Value::is_string);
            members.values().for_each(|member| look(member, false, seen));
        }
        Value::Array(items) => items.iter().for_each(|item| look(item, false, seen)),
        _ => {}
    }
}

fn anchored<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Object(members) => {
            if members.get("$anchor").and_then(Value::as_str) == Some(name) {
                return Some(value);
            }
            members.values().find_map(|member| anchored(member, name))
        }
        Value::Array(items) => items.iter().find_map(|item| anchored(item, name)),
        _ => None,
    }
}
