//! What the format says of each value of a document.

use serde_json::Value;

use super::compiled;
use crate::json::{Document, Node};
use crate::spec::SpecVersion;

/// A value that the format describes, and how.
#[derive(Debug, Clone)]
pub struct Described<'a> {
    /// The value.
    pub node: Node<'a>,
    /// The schemas that apply to it: references followed, the branch of a union that its `kind` names.
    schemas: Vec<&'static Value>,
    /// Branches of a union that its `kind` excludes.
    excluded: Vec<&'static Value>,
}

impl Described<'_> {
    /// Whether the format asks for a whole number here.
    pub fn is_integer(&self) -> bool {
        self.schemas.iter().any(|schema| match schema.get("type") {
            Some(Value::Array(types)) => types.iter().any(|name| name == "integer"),
            Some(name) => name == "integer",
            None => false,
        })
    }

    /// Whether the format lets other parties add keys to this object.
    pub fn is_open(&self) -> bool {
        let mut describing = self.schemas.iter().filter(|schema| schema.get("properties").is_some());
        describing.any(|schema| schema.get("additionalProperties").is_none())
    }

    /// The keys that the format knows in this object.
    pub fn known_keys(&self) -> impl Iterator<Item = &'static str> + Clone {
        keys(&self.schemas)
    }

    /// The keys that this object must have.
    pub fn required_keys(&self) -> impl Iterator<Item = &'static str> {
        let required = self.schemas.iter().filter_map(|schema| schema.get("required")?.as_array());
        required.flatten().filter_map(Value::as_str).collect::<Vec<_>>().into_iter()
    }

    /// The keys that the format knows in objects of another kind.
    pub fn foreign_keys(&self) -> impl Iterator<Item = &'static str> + Clone {
        keys(&self.excluded)
    }
}

fn keys(schemas: &[&'static Value]) -> impl Iterator<Item = &'static str> + Clone + use<> {
    let properties = schemas.iter().filter_map(|schema| schema.get("properties")?.as_object());
    let keys: Vec<&str> = properties.flatten().map(|(key, _)| key.as_str()).collect();
    keys.into_iter()
}

/// Every value of the document that the schema of `version` describes, in the order of the text.
pub fn described(document: &Document, version: SpecVersion) -> Vec<Described<'_>> {
    let root: &'static Value = &compiled(version).derived;
    let mut found = Vec::new();
    let mut open = vec![(document.root(), vec![root])];
    while let Some((node, schemas)) = open.pop() {
        let mut described = Described { node, schemas: Vec::new(), excluded: Vec::new() };
        for schema in schemas {
            flatten(root, schema, &mut described);
        }
        let inner = node.children().map(|child| (child, inner_schemas(&described.schemas, child)));
        open.extend(inner.filter(|(_, schemas)| !schemas.is_empty()).collect::<Vec<_>>().into_iter().rev());
        found.push(described);
    }
    found
}

/// Follows references and unions of one schema; both end, because no definition refers to itself directly.
fn flatten(root: &'static Value, schema: &'static Value, described: &mut Described<'_>) {
    let mut schema = schema;
    while let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let Some(target) = root.pointer(reference.trim_start_matches('#')) else { return };
        schema = target;
    }
    let kind = schema.pointer("/properties/kind/const").and_then(Value::as_str);
    if kind.is_some() && described.node.text("kind") != kind {
        return described.excluded.push(schema);
    }
    described.schemas.push(schema);
    for branch in schema.get("oneOf").and_then(Value::as_array).into_iter().flatten() {
        flatten(root, branch, described);
    }
}

fn inner_schemas(schemas: &[&'static Value], child: Node<'_>) -> Vec<&'static Value> {
    let inner = schemas.iter().filter_map(|schema| match child.key() {
        Some(key) => match schema.get("properties").and_then(|properties| properties.get(key)) {
            Some(property) => Some(property),
            None => schema.get("additionalProperties").filter(|schema| schema.is_object()),
        },
        None => schema.get("items"),
    });
    inner.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_described_by_the_branch_that_they_name() {
        let text =
            r#"{"compositions": {"c": {"version": 1, "steps": [{"id": "a", "kind": "tool", "tool": "t"}]}}}"#;
        let (document, _) = Document::parse(text.as_bytes());
        let document = document.expect("JSON");
        let all = described(&document, SpecVersion::NEWEST);
        let step = all.iter().find(|described| described.node.get("kind").is_some()).expect("the step");
        assert!(step.is_open() && step.known_keys().any(|key| key == "args"));
        assert!(step.known_keys().all(|key| key != "predicate"));
        assert!(step.foreign_keys().any(|key| key == "predicate"));
    }
}
