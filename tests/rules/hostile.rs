//! Packs that nobody writes by hand: large, deep, endless. Each is linted in time that grows with its size.
//!
//! A lint that compares everything with everything takes minutes on these inputs, and the run does not end.

use std::time::{Duration, Instant};

use rules::{Finding, Level, LintOptions, Subject, lint};
use serde_json::{Map, Value, json};

/// Far above what a debug build on a busy machine takes; work that grows as the square takes minutes.
const PATIENCE: Duration = Duration::from_secs(120);

/// What all lints say about a pack.
fn findings(pack: &Value) -> Vec<Finding> {
    let bytes = pack.to_string();
    let started = Instant::now();
    let subject = Subject { bytes: bytes.as_bytes(), path: "a.pack.json", tree: None };
    let level = |lint: &rules::Lint| lint.level.max(Level::Info);
    let findings = lint(subject, LintOptions { level: &level, ..LintOptions::default() }).findings;
    assert!(started.elapsed() < PATIENCE, "{:?} for {} bytes", started.elapsed(), bytes.len());
    findings
}

fn count(findings: &[Finding], rule: &str) -> usize {
    findings.iter().filter(|finding| finding.rule == rule).count()
}

fn pack(template: &str, prompt: &Value, rest: &Value) -> Value {
    let mut pack = json!({
        "id": "large", "name": "Large", "version": "1.0.0",
        "template_engine": {"version": "v1", "syntax": "{{variable}}"},
        "prompts": {"ask": {"id": "ask", "name": "Ask", "version": "1.0.0", "system_template": template}},
    });
    extend(&mut pack["prompts"]["ask"], prompt);
    extend(&mut pack, rest);
    pack
}

fn extend(target: &mut Value, members: &Value) {
    let target = target.as_object_mut().expect("an object");
    target.extend(members.as_object().into_iter().flatten().map(|(key, value)| (key.clone(), value.clone())));
}

fn names(stem: &str, count: usize) -> Vec<String> {
    (0..count).map(|index| format!("{stem}_{index:05}")).collect()
}

fn variable(name: &str) -> Value {
    json!({"name": name, "type": "string", "required": true})
}

fn tool(name: &str) -> Value {
    json!({"name": name, "description": "Does it."})
}

#[test]
fn ten_thousand_variables() {
    let names = names("variable", 10_000);
    let template: String = names.iter().map(|name| format!("{{{{{name}}}}} {{{{{name}x}}}}\n")).collect();
    let variables: Vec<Value> = names.iter().map(|name| variable(name)).collect();
    let findings = findings(&pack(&template, &json!({"variables": variables}), &json!({})));
    assert_eq!(count(&findings, "undeclared-variable"), 10_000);
}

#[test]
fn a_megabyte_of_placeholders_and_of_openers() {
    let declared = json!({"variables": [variable("a")]});
    let placeholders = findings(&pack(&"{{a}}".repeat((1 << 20) / 5), &declared, &json!({})));
    assert_eq!(count(&placeholders, "oversized-pack"), 1);
    let openers = findings(&pack(&"{{".repeat(1 << 19), &declared, &json!({})));
    assert!(count(&openers, "malformed-placeholder") > 0);
    findings(&pack(&"{{#".repeat(1 << 18), &declared, &json!({})));
    findings(&pack(&"{{ a ".repeat(1 << 17), &declared, &json!({})));
    findings(&pack(&"}}".repeat(1 << 19), &declared, &json!({})));
    let other = json!({"template_engine": {"version": "v1", "syntax": "<variable"}});
    findings(&pack(&"<a".repeat(1 << 19), &declared, &other));
}

#[test]
fn ten_thousand_fragments_in_a_chain() {
    let fragments: Map<String, Value> = (0..10_000)
        .map(|index| (format!("f{index}"), json!(format!("{{{{fragments.f{}}}}}", index + 1))))
        .chain([("f10000".to_owned(), json!("The end."))])
        .collect();
    let found = findings(&pack("{{fragments.f0}}", &json!({}), &json!({"fragments": fragments})));
    assert!(count(&found, "cyclic-fragment") > 0, "the chain is longer than any client follows");
    let mut ring = fragments;
    ring.insert("f10000".to_owned(), json!("{{fragments.f0}} {{fragments.f5000}}"));
    let found = findings(&pack("{{fragments.f0}}", &json!({}), &json!({"fragments": ring})));
    assert!(count(&found, "cyclic-fragment") > 0);
}

#[test]
fn undeclared_tools_and_fragments() {
    let (declared, wanted) = (names("lookup", 10_000), names("lookups", 10_000));
    let tools: Map<String, Value> = declared.iter().map(|name| (name.clone(), tool(name))).collect();
    let prompt = json!({"tools": wanted, "tool_policy": {"blocklist": names("blocked", 2_000)}});
    let found = findings(&pack("Hello.", &prompt, &json!({"tools": tools})));
    assert_eq!(count(&found, "undeclared-tool"), 10_000);
    assert_eq!(count(&found, "undeclared-blocked-tool"), 2_000);
    let fragments: Map<String, Value> = declared.iter().map(|name| (name.clone(), json!("text"))).collect();
    let template: String = wanted.iter().map(|name| format!("{{{{fragments.{name}}}}}\n")).collect();
    let found = findings(&pack(&template, &json!({}), &json!({"fragments": fragments})));
    assert_eq!(count(&found, "undeclared-fragment"), 10_000);
}

#[test]
fn undeclared_states_steps_and_prompts() {
    let states: Map<String, Value> = names("state", 3_000)
        .into_iter()
        .map(|name| {
            let state = json!({"prompt_task": format!("{name}s"), "on_event": {"Go": format!("{name}s")}});
            (name, state)
        })
        .collect();
    let steps: Vec<Value> = names("step", 3_000)
        .into_iter()
        .map(|id| {
            let input = json!({"a": format!("${{{id}s.output}}")});
            json!({"id": id, "kind": "prompt", "prompt_task": "ask", "depends_on": [format!("{id}s")], "input": input})
        })
        .collect();
    let rest = json!({
        "workflow": {"version": 1, "entry": "state_00000", "states": states},
        "compositions": {"one": {"version": 1, "steps": steps}},
    });
    let found = findings(&pack("Hello.", &json!({}), &rest));
    assert_eq!(count(&found, "undeclared-state"), 3_000);
    assert_eq!(count(&found, "undeclared-prompt"), 3_000);
    assert_eq!(count(&found, "undeclared-step"), 6_000);
}

#[test]
fn exploding_patterns() {
    let patterns = [
        "(a+)+$".to_owned(),
        "((a{1,100}){1,100}){1,100}".to_owned(),
        "(".repeat(10_000),
        "(a|aa)*".repeat(1_000),
        format!("{}a{}", "(".repeat(5_000), ")*".repeat(5_000)),
        "[\\w\\d\\s]{1000}".repeat(100),
        "(?=".repeat(2_000),
        "a{4294967295}".to_owned(),
        "\\p{L}{0,1000}".repeat(50),
        "[".repeat(20_000),
    ];
    let variables: Vec<Value> = patterns
        .iter()
        .enumerate()
        .map(|(index, pattern)| {
            let name = format!("v{index}");
            json!({"name": name, "type": "string", "required": false, "default": "a".repeat(5_000) + "!",
                "example": "a".repeat(5_000), "validation": {"pattern": pattern}})
        })
        .collect();
    let template: String = (0..patterns.len()).map(|index| format!("{{{{v{index}}}}}")).collect();
    let found = findings(&pack(&template, &json!({"variables": variables}), &json!({})));
    assert!(count(&found, "slow-pattern") > 0);
}

#[test]
fn predicates_a_hundred_deep() {
    let mut predicate = json!({"path": "${input.a}", "op": "equals", "value": 1});
    for depth in 0..58 {
        predicate = if depth % 2 == 0 { json!({"not": predicate}) } else { json!({"all_of": [predicate]}) };
    }
    let composition = |predicate: &Value| {
        let steps = json!([{"id": "fork", "kind": "branch", "predicate": predicate, "then": "last"},
            {"id": "last", "kind": "prompt", "prompt_task": "ask"}]);
        json!({"compositions": {"one": {"version": 1, "steps": steps}}})
    };
    let found = findings(&pack("Hello.", &json!({}), &composition(&predicate)));
    assert!(found.iter().all(|finding| finding.group != rules::Group::Schema), "{found:?}");
    // The innermost of all breaks the schema: only it is reported.
    let broken: Value =
        serde_json::from_str(&predicate.to_string().replace("equals", "equal")).expect("JSON");
    let found = findings(&pack("Hello.", &json!({}), &composition(&broken)));
    assert_eq!(count(&found, "schema-unlisted-value"), 1, "{found:?}");
    for _ in 0..100 {
        predicate = json!({"not": predicate});
    }
    let found = findings(&pack("Hello.", &json!({}), &composition(&predicate)));
    assert_eq!(count(&found, "invalid-json"), 1, "too deep for anybody");
}

#[test]
fn keys_of_a_megabyte() {
    let key = "k".repeat(1 << 20);
    let rest = json!({
        key.clone(): 1,
        "fragments": {key.clone(): "text", format!("{key}l"): "text"},
        "metadata": {format!("{key}m"): 1},
        "tools": {key.clone(): tool("a")},
    });
    let template = format!("{{{{fragments.{key}s}}}}");
    let found = findings(&pack(&template, &json!({"tools": [format!("{key}s")]}), &rest));
    assert_eq!(count(&found, "schema-unknown-field"), 1);
    assert_eq!(count(&found, "undeclared-tool"), 1);
}

#[test]
fn a_hundred_thousand_findings() {
    let unknown: Map<String, Value> = names("zz", 50_000).into_iter().map(|name| (name, json!(1))).collect();
    let tags: Vec<&str> = vec![" "; 50_000];
    let mut pack = pack("Hello.", &json!({}), &json!({"metadata": {"tags": tags}}));
    extend(&mut pack["prompts"]["ask"], &Value::Object(unknown));
    let found = findings(&pack);
    assert_eq!(count(&found, "schema-unknown-field"), 50_000);
    assert!(found.len() >= 100_000, "{}", found.len());
}
