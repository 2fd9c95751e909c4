//! JSON Schemas of the main answers.

use serde_json::{Value, json};

/// Every schema, by name.
pub(super) fn all() -> Value {
    let mut schemas = json!({
        "Problem": object(&[("type", text()), ("title", text()), ("status", number()), ("detail", text()), ("errors", list(any()))], &["type", "title", "status", "detail"]),
        "Form": strict(&[("digest", digest()), ("size", number()), ("url", text())]),
        "Accepted": strict(&[("source", text())]),
    });
    for part in [packs(), releases(), searches(), reports(), operations()] {
        if let (Value::Object(schemas), Value::Object(part)) = (&mut schemas, part) {
            schemas.extend(part);
        }
    }
    schemas
}

/// The body that a path takes.
pub(super) fn body_of(path: &str) -> Option<Value> {
    match path {
        "/v1/resolve" => Some(strict(&[("refs", list(text()))])),
        "/v1/check" => Some(json!({"type": "object", "description": "a PromptPack pack"})),
        _ => None,
    }
}

fn packs() -> Value {
    json!({
        "PackList": strict(&[("packs", list(reference("PackSummary"))), ("next_cursor", maybe(text()))]),
        "PackSummary": strict(&[("id", text()), ("name", text()), ("description", maybe(text())), ("latest", maybe(text())), ("tags", list(text())), ("updated_at", maybe(time()))]),
        "Pack": strict(&[("id", text()), ("name", text()), ("description", maybe(text())), ("source", text()), ("latest", maybe(text())), ("channels", map(text())), ("versions", list(reference("Version")))]),
        "Version": strict(&[("version", text()), ("digest", digest()), ("published_at", time()), ("bump", maybe(bump())), ("required_bump", maybe(bump())), ("breaking", boolean()), ("flagged", boolean()), ("flags", list(flag())), ("yanked", maybe(text())), ("deprecated", maybe(text())), ("findings", strict(&[("error", number()), ("warn", number()), ("info", number())]))]),
    })
}

fn releases() -> Value {
    json!({
        "Manifest": strict(&[("id", text()), ("version", text()), ("digest", digest()), ("forms", map(reference("Form"))), ("source", text()), ("path", text()), ("commit", text()), ("tag", maybe(text())), ("published_at", time()), ("spec_version", text()), ("bump", maybe(bump())), ("required_bump", maybe(bump())), ("breaking", boolean()), ("flagged", boolean()), ("flags", list(flag())), ("prompts", list(reference("Prompt"))), ("tools", list(strict(&[("name", text()), ("description", text())]))), ("skills", list(reference("Skill"))), ("warnings", list(text()))]),
        "Prompt": strict(&[("key", text()), ("name", text()), ("version", text()), ("variables", list(strict(&[("name", text()), ("type", text()), ("required", boolean())]))), ("tools", list(text()))]),
        "Skill": strict(&[("name", text()), ("description", text()), ("reference", maybe(text())), ("preload", boolean()), ("digest", digest()), ("commit", maybe(text())), ("files", list(strict(&[("path", text()), ("size", number()), ("digest", digest()), ("url", text())])))]),
        "Resolved": strict(&[("results", list(object(&[("ref", text()), ("id", text()), ("version", text()), ("forms", map(reference("Form"))), ("problem", reference("Problem"))], &["ref"])))]),
    })
}

fn searches() -> Value {
    let facet = || list(strict(&[("value", text()), ("count", number())]));
    json!({
        "Hits": strict(&[("hits", list(reference("Hit"))), ("facets", strict(&[("tag", facet()), ("tool", facet()), ("domain", facet()), ("language", facet())])), ("total", number()), ("next_cursor", maybe(text()))]),
        "Hit": strict(&[("id", text()), ("name", text()), ("version", text()), ("description", maybe(text())), ("tags", list(text())), ("tools", list(text())), ("score", json!({"type": "number"})), ("highlights", map(text()))]),
        "Suggestions": strict(&[("suggestions", list(strict(&[("id", text()), ("name", text())])))]),
    })
}

fn reports() -> Value {
    let side =
        || maybe(strict(&[("pointer", text()), ("line", number()), ("column", number()), ("value", any())]));
    json!({
        "Finding": strict(&[("rule", text()), ("level", level()), ("group", text()), ("message", text()), ("help", maybe(text())), ("path", text()), ("pack", text()), ("pointer", text()), ("line", number()), ("column", number()), ("end_line", number()), ("end_column", number()), ("place", text()), ("fingerprint", text()), ("acknowledged", boolean())]),
        "Change": object(&[("rule", text()), ("bump", bump()), ("bumps", strict(&[("wire", bump()), ("contract", bump()), ("strict", bump())])), ("suggest", maybe(bump())), ("level", level()), ("class", text()), ("certainty", text()), ("affected", list(text())), ("message", text()), ("prompt", maybe(text())), ("safety", boolean()), ("acknowledged", boolean()), ("place", text()), ("old", side()), ("new", side()), ("witness", maybe(any())), ("fingerprint", text())], &["rule", "bump", "message", "place"]),
        "Diff": object(&[("version", number()), ("pack", text()), ("profile", text()), ("old", reference("DiffSide")), ("new", reference("DiffSide")), ("required_bump", bump()), ("suggested_bump", bump()), ("declared_bump", bump()), ("sufficient", boolean()), ("breaking", boolean()), ("changes", list(reference("Change"))), ("notes", list(text()))], &["version", "pack", "old", "new", "required_bump", "changes"]),
        "DiffSide": strict(&[("version", text()), ("digest", digest())]),
        "Baseline": strict(&[("version", text()), ("digest", digest()), ("required_bump", bump())]),
        "Report": strict(&[("baseline", maybe(reference("Baseline"))), ("rule_set", text()), ("findings", list(reference("Finding"))), ("diff", maybe(reference("Diff")))]),
        "Check": object(&[("version", number()), ("against", text()), ("passed", boolean()), ("findings", list(reference("Finding"))), ("packs", list(reference("CheckedPack"))), ("notes", list(text()))], &["version", "against", "passed", "findings", "packs"]),
        "CheckedPack": strict(&[("pack", text()), ("path", text()), ("status", words(&["new", "changed", "unchanged", "removed"])), ("passed", boolean()), ("findings", list(reference("Finding"))), ("diff", maybe(reference("Diff"))), ("baseline", maybe(reference("Baseline")))]),
    })
}

fn operations() -> Value {
    let scan = strict(&[
        ("started_at", time()),
        ("duration_ms", number()),
        ("commits", number()),
        ("candidates", number()),
        ("published", number()),
    ]);
    json!({
        "SourceList": strict(&[("sources", list(reference("Source")))]),
        "Source": strict(&[("name", text()), ("state", words(&["ok", "failing", "never"])), ("head", maybe(text())), ("last_attempt", maybe(time())), ("last_success", maybe(time())), ("error", maybe(text())), ("last_scan", maybe(scan)), ("packs", number()), ("releases", number()), ("problems", list(reference("SourceProblem")))]),
        "SourceProblem": strict(&[("code", text()), ("level", level()), ("pack", maybe(text())), ("version", maybe(text())), ("path", maybe(text())), ("ref", maybe(text())), ("commit", maybe(text())), ("message", text()), ("help", text()), ("first", time()), ("last", time()), ("count", number()), ("current", boolean())]),
        "Events": strict(&[("events", list(reference("Event"))), ("next_after", number())]),
        "Event": strict(&[("number", number()), ("at", time()), ("type", text()), ("pack", text()), ("version", maybe(text())), ("source", text()), ("detail", maybe(text()))]),
        "RuleList": strict(&[("rules", list(reference("Rule")))]),
        "Rule": object(&[("id", text()), ("kind", words(&["lint", "change"])), ("group", text()), ("level", level()), ("bumps", strict(&[("wire", bump()), ("contract", bump()), ("strict", bump())])), ("summary", text()), ("why", text()), ("fix", text()), ("example", text())], &["id", "kind", "summary", "why", "fix"]),
    })
}

fn object(members: &[(&str, Value)], required: &[&str]) -> Value {
    let properties: serde_json::Map<String, Value> =
        members.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

/// An object of which every member is always there.
fn strict(members: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    object(members, &names)
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn maybe(schema: Value) -> Value {
    json!({"anyOf": [schema, {"type": "null"}]})
}

fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

fn map(values: Value) -> Value {
    json!({"type": "object", "additionalProperties": values})
}

fn words(words: &[&str]) -> Value {
    json!({"type": "string", "enum": words})
}

fn bump() -> Value {
    words(&["none", "patch", "minor", "major"])
}

fn level() -> Value {
    words(&["off", "info", "warn", "error"])
}

fn flag() -> Value {
    words(&["insufficient-bump", "error-findings"])
}

fn digest() -> Value {
    json!({"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"})
}

fn time() -> Value {
    json!({"type": "string", "format": "date-time"})
}

fn text() -> Value {
    json!({"type": "string"})
}

fn number() -> Value {
    json!({"type": "integer"})
}

fn boolean() -> Value {
    json!({"type": "boolean"})
}

fn any() -> Value {
    json!({})
}
