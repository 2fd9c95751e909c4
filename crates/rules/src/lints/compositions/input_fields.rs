//! The fields that the closed input schema of a composition lists.

use std::collections::BTreeSet;

use pack::model::Composition;
use pack::tree::{Tree, folder, join};
use serde_json::Value;

use crate::facts::Facts;

/// The fields of an input to which nothing may be added.
pub(super) struct InputFields {
    /// The schema file that lists them.
    pub(super) file: String,
    pub(super) names: BTreeSet<String>,
}

/// Keywords by which a schema takes more fields than its own `properties`, or hands the question on.
const OPENING: [&str; 9] =
    ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "patternProperties", "not"];

/// Reads the composition's `input_schema` out of the tree; none where it is not there, not readable or not closed.
pub(super) fn input_fields(pack: &Facts<'_>, composition: Composition<'_>) -> Option<InputFields> {
    let (path, place) =
        composition.text("input_schema").map(|text| text.split_once('#').unwrap_or((text, "")))?;
    let (file, bytes) = read(pack.tree?, folder(pack.path), path)?;
    let root: Value = serde_json::from_slice(&bytes).ok()?;
    let schema = root.pointer(place)?;
    let closed =
        ["additionalProperties", "unevaluatedProperties"].iter().any(|key| schema[key] == Value::Bool(false));
    let open = OPENING.iter().any(|keyword| schema.get(keyword).is_some());
    let properties = schema.get("properties")?.as_object()?;
    (closed && !open).then(|| InputFields { file, names: properties.keys().cloned().collect() })
}

/// The file at `path`, seen from the pack's folder or else from the root.
fn read(tree: &dyn Tree, base: &str, path: &str) -> Option<(String, Vec<u8>)> {
    [join(base, path), join("", path)]
        .into_iter()
        .flatten()
        .find_map(|path| Some((path.clone(), tree.read(&path).ok()?)))
}
