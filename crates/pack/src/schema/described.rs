//! What the format says of each value of a document.

use super::shape::{Shape, Shapes};
use super::shapes;
use crate::json::{Document, Node};
use crate::spec::SpecVersion;

/// A value that the format describes, and how.
#[derive(Debug, Clone)]
pub struct Described<'a> {
    /// The value.
    pub node: Node<'a>,
    /// The shapes that apply to it: references followed, the branch of a union that its `kind` names.
    shapes: Vec<&'static Shape>,
    /// Branches of a union that its `kind` excludes.
    excluded: Vec<&'static Shape>,
}

impl Described<'_> {
    /// Whether the format asks for a whole number here.
    pub fn is_integer(&self) -> bool {
        self.shapes.iter().any(|shape| shape.is_integer())
    }

    /// Whether the format lets other parties add keys to this object.
    pub fn is_open(&self) -> bool {
        self.shapes.iter().any(|shape| shape.has_properties() && shape.is_open())
    }

    /// Whether the format knows a key in this object, or in one of another kind.
    pub fn knows(&self, key: &str) -> bool {
        self.shapes.iter().chain(&self.excluded).any(|shape| shape.has_property(key))
    }

    /// The keys that the format knows in this object.
    pub fn known_keys(&self) -> impl Iterator<Item = &'static str> + Clone {
        keys(&self.shapes)
    }

    /// The keys that this object must have.
    pub fn required_keys(&self) -> impl Iterator<Item = &'static str> {
        self.shapes.iter().flat_map(|shape| shape.required())
    }
}

fn keys(shapes: &[&'static Shape]) -> impl Iterator<Item = &'static str> + Clone {
    shapes.iter().flat_map(|shape| shape.keys())
}

/// Every value of the document that the schema of `version` describes, in the order of the text.
pub fn described(document: &Document, version: SpecVersion) -> Vec<Described<'_>> {
    let shapes = shapes(version);
    let mut found = Vec::new();
    let mut root = Described { node: document.root(), shapes: Vec::new(), excluded: Vec::new() };
    flatten(shapes, shapes.root(), &mut root);
    let mut open = vec![root];
    while let Some(described) = open.pop() {
        for child in described.node.children().rev() {
            let mut inner = Described { node: child, shapes: Vec::new(), excluded: Vec::new() };
            for shape in &described.shapes {
                if let Some(shape) = shapes.of_child(shape, child) {
                    flatten(shapes, shape, &mut inner);
                }
            }
            if !inner.shapes.is_empty() || !inner.excluded.is_empty() {
                open.push(inner);
            }
        }
        found.push(described);
    }
    found
}

/// Follows references and unions of one shape; both end, because no definition refers to itself directly.
fn flatten(shapes: &'static Shapes, shape: &'static Shape, described: &mut Described<'_>) {
    let shape = shapes.target(shape);
    if shape.kind().is_some() && described.node.text("kind") != shape.kind() {
        return described.excluded.push(shape);
    }
    described.shapes.push(shape);
    for branch in shapes.branches(shape) {
        flatten(shapes, branch, described);
    }
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
        assert!(step.knows("predicate") && !step.known_keys().any(|key| key == "predicate"));
    }
}
