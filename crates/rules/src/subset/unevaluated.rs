//! `unevaluatedProperties` and `unevaluatedItems`, where what they leave over does not depend on the value.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::Reason;
use super::document::Target;
use super::forms::{Form, Id, TRUE};
use super::reading::{Node, Reader};

impl<'v> Reader<'_, 'v> {
    /// `unevaluatedProperties` and `unevaluatedItems`: decided where the schema and what it includes by `allOf` and
    /// `$ref` say statically what is evaluated, opaque beside other combinators.
    pub(super) fn unevaluated(&mut self, node: Node<'v>, known: Id, parts: &mut Vec<Id>) {
        for keyword in ["unevaluatedProperties", "unevaluatedItems"] {
            let Some(rest) = self.keyword(node, keyword) else { continue };
            let form = self.schema(rest);
            if form == TRUE && rest.value.is_boolean() {
                continue;
            }
            let mut evaluated = Evaluated::default();
            if !self.evaluated(node, keyword, true, &mut evaluated) {
                // The ids of equal parts are equal, and so is the text; conditions leave no form of their own.
                let conditions =
                    if node.value.get("if").is_some() { self.whole(node) } else { String::new() };
                parts.push(
                    self.opaque(Reason::Unevaluated, format!("{keyword} {known:?} {form:?} {conditions}")),
                );
            } else if !evaluated.all && keyword == "unevaluatedProperties" {
                let named = evaluated.names.iter().map(|name| (Rc::from(*name), TRUE)).collect();
                let mut patterns = Vec::new();
                for pattern in evaluated.patterns {
                    patterns.push((self.forms.pattern(pattern), TRUE));
                }
                parts.push(self.member_form(named, patterns, form, rest.value.is_object()));
            } else if !evaluated.all {
                let prefix = vec![TRUE; evaluated.prefix];
                parts.push(self.forms.intern(Form::Items { prefix, rest: form }));
            }
        }
    }

    /// Gathers what a schema evaluates; false where that depends on the value.
    fn evaluated(&self, node: Node<'v>, keyword: &str, own: bool, evaluated: &mut Evaluated<'v>) -> bool {
        const BRANCHES: [&str; 7] =
            ["anyOf", "oneOf", "if", "dependentSchemas", "dependencies", "$dynamicRef", "$recursiveRef"];
        let branches = BRANCHES.iter().any(|keyword| self.keyword(node, keyword).is_some());
        let counted = keyword == "unevaluatedItems" && self.keyword(node, "contains").is_some();
        evaluated.depth += 1;
        if branches || counted || evaluated.depth > 200 {
            return false;
        }
        let swallowing: &[&str] = match (keyword, own) {
            ("unevaluatedProperties", true) => &["additionalProperties"],
            ("unevaluatedProperties", false) => &["additionalProperties", "unevaluatedProperties"],
            (_, true) => &["additionalItems"],
            (_, false) => &["additionalItems", "unevaluatedItems"],
        };
        let items = self.keyword(node, "items");
        evaluated.all |= swallowing.iter().any(|keyword| self.keyword(node, keyword).is_some());
        evaluated.all |= keyword == "unevaluatedItems" && items.is_some_and(|items| !items.value.is_array());
        evaluated.names.extend(self.properties(node).into_keys());
        let patterns = self.keyword(node, "patternProperties").and_then(|listed| listed.value.as_object());
        evaluated.patterns.extend(patterns.into_iter().flatten().map(|(pattern, _)| pattern.as_str()));
        let prefix = self.keyword(node, "prefixItems").or(items).and_then(|listed| listed.value.as_array());
        evaluated.prefix = evaluated.prefix.max(prefix.map_or(0, Vec::len));
        self.included(node).is_some_and(|included| {
            included.into_iter().all(|included| self.evaluated(included, keyword, false, evaluated))
        })
    }

    /// The schemas that `allOf` and `$ref` include; none when one cannot be reached.
    fn included(&self, node: Node<'v>) -> Option<Vec<Node<'v>>> {
        let mut included = Vec::new();
        if let Some(all) = self.keyword(node, "allOf") {
            let schemas = all.value.as_array()?;
            included.extend(schemas.iter().map(|value| Node { value, side: all.side }));
        }
        if let Some(reference) = self.keyword(node, "$ref") {
            match self.documents[reference.side].resolve(reference.value.as_str()?) {
                Target::Local(value) => included.push(Node { value, side: reference.side }),
                Target::Remote => return None,
            }
        }
        Some(included)
    }
}

/// What a schema evaluates whatever the value.
#[derive(Default)]
struct Evaluated<'v> {
    names: BTreeSet<&'v str>,
    patterns: BTreeSet<&'v str>,
    prefix: usize,
    all: bool,
    depth: usize,
}
