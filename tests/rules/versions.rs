//! What came with which version and which objects are closed, written down a second time by hand.

use pack::SpecVersion;
use pack::schema::SchemaProblemKind as Kind;
use serde_json::{Value, json};

use crate::everything::{everything, newest, problems, refused, said, valid, with};

const NEWEST: SpecVersion = SpecVersion::NEWEST;

/// Fields and the version that brought them; below closed objects only.
const SINCE: [(&str, SpecVersion); 42] = [
    ("/prompts/greet/media", SpecVersion::V1_1),
    ("/prompts/greet/variables/0/binding", SpecVersion::V1_1),
    ("/prompts/greet/validators/0/message", SpecVersion::V1_1),
    ("/evals", SpecVersion::V1_2),
    ("/prompts/greet/evals", SpecVersion::V1_2),
    ("/workflow", SpecVersion::V1_3),
    ("/agents", SpecVersion::V1_3),
    ("/evals/0/threshold", SpecVersion::V1_3),
    ("/evals/0/message", SpecVersion::V1_3),
    ("/evals/0/when", SpecVersion::V1_3),
    ("/evals/0/groups", SpecVersion::V1_3),
    ("/skills", SpecVersion::V1_3_1),
    ("/workflow/states/open/skills", SpecVersion::V1_3_1),
    ("/workflow/states/open/terminal", SpecVersion::V1_4),
    ("/workflow/states/open/max_visits", SpecVersion::V1_4),
    ("/workflow/states/open/on_max_visits", SpecVersion::V1_4),
    ("/workflow/states/open/artifacts", SpecVersion::V1_4),
    ("/agents/members/greet/state", SpecVersion::V1_4_1),
    ("/compositions", SpecVersion::V1_5),
    ("/workflow/states/work/composition", SpecVersion::V1_5),
    ("/requires", SpecVersion::V1_5_1),
    ("/agents/members/greet/governance", SpecVersion::V1_6),
    ("/tools/ring/action_scope", SpecVersion::V1_6),
    ("/tools/ring/extensions", SpecVersion::V1_6),
    ("/workflow/states/open/control", SpecVersion::V1_7),
    ("/metadata/governance/independent_of", SpecVersion::V1_8),
    ("/metadata/governance/obligations", SpecVersion::V1_8),
    ("/metadata/governance/reviews", SpecVersion::V1_8),
    ("/agents/members/greet/governance/independent_of", SpecVersion::V1_8),
    ("/agents/members/greet/governance/obligations", SpecVersion::V1_8),
    ("/agents/members/greet/governance/reviews", SpecVersion::V1_8),
    ("/prompts/greet/validators/0/id", SpecVersion::V1_8),
    ("/prompts/greet/validators/0/extensions", SpecVersion::V1_8),
    ("/prompts/greet/extensions", SpecVersion::V1_8),
    ("/prompts/greet/evals/0/extensions", SpecVersion::V1_8),
    ("/evals/0/extensions", SpecVersion::V1_8),
    ("/agents/members/greet/extensions", SpecVersion::V1_8),
    ("/workflow/states/open/extensions", SpecVersion::V1_8),
    ("/compositions/visit/extensions", SpecVersion::V1_8),
    ("/prompts/greet/provider", SpecVersion::V1_9),
    ("/compositions/visit/steps/0/provider", SpecVersion::V1_9),
    ("/compositions/visit/steps/1/provider", SpecVersion::V1_9),
];

/// Objects that refuse keys that they do not know.
const CLOSED: [&str; 43] = [
    "",
    "/template_engine",
    "/prompts/greet",
    "/prompts/greet/variables/0",
    "/prompts/greet/variables/0/validation",
    "/prompts/greet/variables/0/binding",
    "/prompts/greet/tool_policy",
    "/prompts/greet/pipeline",
    "/prompts/greet/pipeline/middleware/0",
    "/prompts/greet/parameters",
    "/prompts/greet/validators/0",
    "/prompts/greet/tested_models/0",
    "/prompts/greet/model_overrides/m",
    "/prompts/greet/model_overrides/m/parameters",
    "/prompts/greet/media/image",
    "/prompts/greet/media/audio",
    "/prompts/greet/media/video",
    "/prompts/greet/media/document",
    "/prompts/greet/media/examples/0",
    "/prompts/greet/media/examples/0/parts/0",
    "/prompts/greet/media/examples/0/parts/1/media",
    "/prompts/greet/evals/0",
    "/evals/0/threshold",
    "/tools/ring",
    "/tools/ring/action_scope",
    "/metadata/governance",
    "/metadata/governance/independent_of",
    "/metadata/governance/obligations/0",
    "/metadata/governance/obligations/0/controls/0",
    "/metadata/governance/obligations/0/applies_to",
    "/metadata/governance/reviews/0",
    "/agents/members/greet/governance",
    "/workflow",
    "/workflow/states/open",
    "/workflow/states/open/artifacts/note",
    "/workflow/engine/budget",
    "/agents",
    "/agents/members/greet",
    "/skills/1",
    "/skills/2",
    "/compositions/visit",
    "/requires",
    "/requires/providers/1",
];

/// Objects that others may add to.
const OPEN: [&str; 25] = [
    "/metadata",
    "/metadata/cost_estimate",
    "/metadata/governance/extensions",
    "/compilation",
    "/tools/ring/parameters",
    "/tools/ring/parameters/properties/times",
    "/tools/ring/extensions",
    "/tools/ring/action_scope/extensions",
    "/prompts/greet/pipeline/middleware/0/config",
    "/prompts/greet/validators/0/params",
    "/prompts/greet/media/scan_3d",
    "/prompts/greet/extensions",
    "/evals/0/params",
    "/evals/0/when",
    "/evals/0/metric",
    "/evals/0/metric/range",
    "/workflow/engine",
    "/requires/providers/1/capabilities",
    "/compositions/visit/engine",
    "/compositions/visit/steps/0",
    "/compositions/visit/steps/0/modifiers",
    "/compositions/visit/steps/0/modifiers/retry",
    "/compositions/visit/steps/1/termination",
    "/compositions/visit/steps/3/predicate",
    "/compositions/visit/steps/4/reduce",
];

#[test]
fn every_field_came_with_its_version() {
    let newest = newest();
    for (pointer, since) in SINCE {
        let value = newest.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}"));
        let (parent, key) = pointer.rsplit_once('/').expect("a place below the root");
        for version in SpecVersion::ALL {
            let pack = everything(version);
            let is_step = parent.contains("/steps/");
            let Some(owner) = pack.pointer(parent) else { continue };
            if parent == "/metadata/governance" && version < SpecVersion::V1_6 {
                continue;
            }
            let value = owner.get(key).unwrap_or(value);
            if !is_step {
                assert_eq!(owner.get(key).is_some(), version >= since, "{pointer} in {version}");
            }
            let problems = problems(&with(version, pointer, Some(value.clone())), version);
            if version >= since || is_step {
                assert_eq!(problems, [], "{pointer} in {version}");
            } else {
                assert_eq!(said(&problems), [(Kind::NewerField, pointer)], "{pointer} in {version}");
                let named = problems[0].message.contains(&format!("came with spec {since}"));
                assert!(named, "{}", problems[0].message);
            }
        }
    }
}

#[test]
fn objects_are_closed_or_open() {
    for pointer in CLOSED {
        refused(NEWEST, &format!("{pointer}/x-zz"), json!(1), Kind::UnknownField);
    }
    for pointer in OPEN {
        valid(NEWEST, &format!("{pointer}/x-zz"), json!({"a": [1]}));
    }
}

#[test]
fn narrowings_bind_from_their_version_on() {
    use SpecVersion as V;
    let cases = [
        ("/workflow/engine/budget", json!("much"), V::V1_4, "/workflow/engine/budget"),
        (
            "/workflow/states/open/orchestration",
            json!("swarm"),
            V::V1_5,
            "/workflow/states/open/orchestration",
        ),
        ("/metadata/governance", json!("see the wiki"), V::V1_6, "/metadata/governance"),
        ("/compositions/visit/steps/0/provider", json!(3), V::V1_9, "/compositions/visit/steps/0/provider"),
        ("/compositions/visit/steps/1/provider", json!(3), V::V1_9, "/compositions/visit/steps/1/provider"),
    ];
    for (pointer, value, since, at) in cases {
        let parent = pointer.rsplit_once('/').expect("a place below the root").0;
        for version in V::ALL.into_iter().filter(|version| everything(*version).pointer(parent).is_some()) {
            let problems = problems(&with(version, pointer, Some(value.clone())), version);
            let pointers: Vec<&str> = problems.iter().map(|problem| problem.pointer.as_str()).collect();
            let expected: &[&str] = if version >= since { &[at] } else { &[] };
            assert_eq!(pointers, expected, "{pointer} in {version}");
        }
    }
}

#[test]
fn the_first_version_closes_lists_that_later_ones_open() {
    let (kind, validator) = ("/prompts/greet/variables/0/type", "/prompts/greet/validators/0/type");
    for word in ["string", "number", "boolean", "object", "array"] {
        valid(SpecVersion::V1_0, kind, json!(word));
    }
    refused(SpecVersion::V1_0, kind, json!("integer"), Kind::UnlistedValue);
    valid(SpecVersion::V1_1, kind, json!("integer"));
    valid(SpecVersion::V1_1, kind, json!(""));
    let words =
        "banned_words max_length min_length regex_match json_schema sentiment toxicity pii_detection custom";
    for word in words.split(' ') {
        valid(SpecVersion::V1_0, validator, json!(word));
    }
    refused(SpecVersion::V1_0, validator, json!("length"), Kind::UnlistedValue);
    valid(SpecVersion::V1_1, validator, json!("length"));
    refused(SpecVersion::V1_1, validator, json!(""), Kind::OutOfBounds);
    let enabled = "/prompts/greet/validators/0/enabled";
    let without = |version| problems(&with(version, enabled, None), version);
    assert_eq!(said(&without(SpecVersion::V1_0)), [(Kind::MissingField, "/prompts/greet/validators/0")]);
    assert_eq!(without(SpecVersion::V1_1), []);
}

#[test]
fn what_a_state_needs_depends_on_who_runs_it() {
    let state = "/workflow/states/open";
    let missing = |version, value: Value| refused(version, state, value, Kind::MissingField);
    for version in [SpecVersion::V1_3, SpecVersion::V1_4_1] {
        missing(version, json!({}));
        missing(version, json!({"orchestration": "composition"}));
        valid(version, state, json!({"prompt_task": "greet", "orchestration": "composition"}));
    }
    for version in [SpecVersion::V1_5, NEWEST] {
        missing(version, json!({}));
        missing(version, json!({"orchestration": "external"}));
        missing(version, json!({"orchestration": "composition", "prompt_task": "greet"}));
        valid(version, state, json!({"orchestration": "composition", "composition": "visit"}));
        valid(
            version,
            state,
            json!({"orchestration": "composition", "composition": "visit", "prompt_task": "a"}),
        );
        valid(version, state, json!({"prompt_task": "greet", "composition": "visit"}));
    }
}
