//! What no guide says of the format in words: bounds, patterns, unions, empty values.

use pack::SpecVersion;
use pack::schema::SchemaProblemKind as Kind;
use serde_json::{Value, json};

use crate::everything::{refused, refused_at, valid};

const NEWEST: SpecVersion = SpecVersion::NEWEST;

#[test]
fn a_custom_media_block_fits_exactly_one_shape() {
    let block = "/prompts/greet/media/scan_3d";
    for value in
        [json!({}), json!({"max_size_mb": 1}), json!({"max_pages": 1}), json!({"require_caption": true})]
    {
        refused(NEWEST, block, value, Kind::AmbiguousMedia);
    }
    valid(NEWEST, block, json!({"validation_params": {}}));
    valid(NEWEST, block, json!({"max_pages": 0, "validation_params": {}}));
    valid(NEWEST, block, json!({"points": 3}));
    refused_at(
        NEWEST,
        block,
        json!({"max_size_mb": 0}),
        Kind::OutOfBounds,
        "/prompts/greet/media/scan_3d/max_size_mb",
    );
    refused(NEWEST, block, json!("big"), Kind::WrongType);
    valid(NEWEST, "/prompts/greet/media/image", json!({}));
    refused(NEWEST, "/prompts/greet/media/supported_types/0", json!("Scan-3D"), Kind::PatternMismatch);
}

#[test]
fn numbers_are_compared_by_value_and_text_by_code_points() {
    let tokens = "/prompts/greet/parameters/max_tokens";
    valid(NEWEST, tokens, json!(5.0));
    valid(NEWEST, tokens, json!(1e3));
    refused(NEWEST, tokens, json!(5.5), Kind::WrongType);
    refused(NEWEST, tokens, json!(true), Kind::WrongType);
    refused(NEWEST, "/prompts/greet/parameters/temperature", json!(false), Kind::WrongType);
    valid(NEWEST, "/prompts/greet/parameters/top_k", json!(null));
    valid(NEWEST, "/name", json!("😀".repeat(200)));
    refused(NEWEST, "/name", json!("😀".repeat(201)), Kind::OutOfBounds);
    valid(NEWEST, "/description", json!("é".repeat(5000)));
    refused(NEWEST, "/description", json!("é".repeat(5001)), Kind::OutOfBounds);
}

#[test]
fn patterns_take_ascii_digits_and_the_whole_text() {
    for (pointer, good) in [
        ("/id", "a-1"),
        ("/version", "1.2.3"),
        ("/prompts/greet/id", "a_1"),
        ("/prompts/greet/variables/0/name", "a1"),
        ("/tools/ring/name", "a1"),
        ("/metadata/language", "de"),
        ("/evals/0/metric/name", "a:1"),
        ("/requires/providers/1/key", "A-1"),
        ("/prompts/greet/validators/0/id", "a-1"),
        ("/metadata/governance/reviews/0/cadence", "P3M"),
        ("/compositions/visit/steps/0/id", "a1"),
    ] {
        valid(NEWEST, pointer, json!(good));
        for bad in [format!("{good}\n"), format!("{good}٣"), format!(" {good}"), format!("{good}\n{good}")] {
            refused(NEWEST, pointer, json!(bad), Kind::PatternMismatch);
        }
    }
    let cadence = "/metadata/governance/reviews/0/cadence";
    for good in ["P1Y", "P1Y2M3W4DT5H6M7S", "PT1S", "P2W", "P0D", "P1YT1S"] {
        valid(NEWEST, cadence, json!(good));
    }
    for bad in ["P", "PT", "P1YT", "1Y", "P1.5D", "P1D1Y", "p1d", "-P1D", "PT1D"] {
        refused(NEWEST, cadence, json!(bad), Kind::PatternMismatch);
    }
}

#[test]
fn only_the_branch_that_the_author_meant_is_reported() {
    let step = "/compositions/visit/steps/0";
    let id = |extra: Value| {
        let mut step = json!({"id": "read"});
        step.as_object_mut().expect("an object").extend(extra.as_object().expect("an object").clone());
        step
    };
    refused(NEWEST, step, id(json!({"kind": "agent", "prompt_task": "greet"})), Kind::MissingField);
    refused(NEWEST, step, id(json!({"kind": "tool"})), Kind::MissingField);
    let kind = format!("{step}/kind");
    refused_at(NEWEST, step, id(json!({"kind": "loop"})), Kind::UnlistedValue, &kind);
    valid(NEWEST, step, id(json!({"kind": "acme.loop_2.x", "anything": 1})));
    refused_at(NEWEST, step, id(json!({"kind": "Acme.loop"})), Kind::PatternMismatch, &kind);
    refused_at(SpecVersion::V1_7, step, id(json!({"kind": "acme.loop"})), Kind::UnlistedValue, &kind);
    let own = json!({"id": 1, "kind": "acme.loop"});
    refused_at(NEWEST, step, own, Kind::WrongType, &format!("{step}/id"));
    let predicate = "/compositions/visit/steps/3/predicate";
    valid(NEWEST, predicate, json!({"all_of": []}));
    valid(NEWEST, predicate, json!({"any_of": []}));
    refused(NEWEST, predicate, json!({}), Kind::FormMismatch);
    refused(
        NEWEST,
        predicate,
        json!({"path": "a", "op": "in", "value": 1, "exists": true}),
        Kind::FormMismatch,
    );
    refused(NEWEST, predicate, json!({"path": "a", "op": "in"}), Kind::MissingField);
    let deep = json!({"not": {"all_of": [{"path": 1, "exists": true}]}});
    refused_at(NEWEST, predicate, deep, Kind::WrongType, &format!("{predicate}/not/all_of/0/path"));
    refused(NEWEST, "/compositions/visit/steps/1/termination", json!({}), Kind::FormMismatch);
    let control = "/metadata/governance/obligations/0/controls/0";
    refused(NEWEST, control, json!({"field": "a", "eval": "b"}), Kind::FormMismatch);
    refused(NEWEST, control, json!({}), Kind::FormMismatch);
    refused(NEWEST, "/skills/0", json!({"path": "a", "name": "b"}), Kind::FormMismatch);
    refused(NEWEST, "/requires/providers/0", json!(1), Kind::WrongType);
    valid(NEWEST, "/requires/providers/0", json!("any text?"));
}

#[test]
fn some_objects_and_lists_may_be_empty_and_others_not() {
    for pointer in [
        "/prompts/greet/parameters",
        "/prompts/greet/variables/0/validation",
        "/prompts/greet/variables/0/binding",
        "/evals/0/threshold",
        "/agents/members/greet",
        "/metadata/governance/obligations/0/applies_to",
        "/requires",
    ] {
        valid(NEWEST, pointer, json!({}));
    }
    valid(NEWEST, "/requires/providers", json!([]));
    for pointer in ["/prompts", "/workflow/states", "/agents/members"] {
        refused(NEWEST, pointer, json!({}), Kind::OutOfBounds);
    }
    for pointer in [
        "/compositions/visit/steps",
        "/prompts/greet/media/examples/0/parts",
        "/metadata/governance/obligations/0/controls",
        "/metadata/governance/independent_of/axes",
    ] {
        refused(NEWEST, pointer, json!([]), Kind::OutOfBounds);
    }
    for pointer in [
        "/prompts/greet/name",
        "/prompts/greet/system_template",
        "/prompts/greet/validators/0/type",
        "/tools/ring/description",
        "/evals/0/id",
        "/evals/0/type",
        "/skills/2/name",
        "/skills/2/description",
        "/skills/2/instructions",
    ] {
        refused(NEWEST, pointer, json!(""), Kind::OutOfBounds);
    }
}

#[test]
fn numbers_have_these_bounds() {
    const AT_LEAST_ONE: &str = "/prompts/greet/media/image/max_size_mb /prompts/greet/media/audio/max_size_mb \
        /prompts/greet/media/video/max_size_mb /prompts/greet/media/document/max_size_mb \
        /prompts/greet/media/scan_3d/max_size_mb /prompts/greet/media/image/max_images_per_msg \
        /prompts/greet/media/audio/max_duration_sec /prompts/greet/media/video/max_duration_sec \
        /prompts/greet/media/document/max_pages /workflow/version /workflow/states/open/max_visits \
        /workflow/engine/budget/max_total_visits /workflow/engine/budget/max_tool_calls \
        /workflow/engine/budget/max_wall_time_sec /prompts/greet/tool_policy/max_rounds \
        /prompts/greet/tool_policy/max_tool_calls_per_turn /prompts/greet/parameters/max_tokens \
        /prompts/greet/parameters/top_k /prompts/greet/variables/0/validation/max_length \
        /compositions/visit/steps/1/termination/max_steps /compositions/visit/steps/0/modifiers/retry/max_attempts \
        /requires/providers/1/capabilities/min_context_tokens \
        /requires/providers/1/capabilities/embedding_dimensions";
    const AT_LEAST_ZERO: &str = "/metadata/cost_estimate/min_cost_usd /metadata/cost_estimate/max_cost_usd \
        /metadata/cost_estimate/avg_cost_usd /prompts/greet/tested_models/0/avg_tokens \
        /prompts/greet/tested_models/0/avg_cost /prompts/greet/tested_models/0/avg_latency_ms \
        /prompts/greet/tested_models/0/success_rate /prompts/greet/variables/0/validation/min_length \
        /prompts/greet/parameters/temperature /prompts/greet/parameters/top_p /evals/0/sample_percentage";
    for (pointers, least) in [(AT_LEAST_ONE, 1), (AT_LEAST_ZERO, 0)] {
        for pointer in pointers.split_ascii_whitespace() {
            valid(NEWEST, pointer, json!(least));
            refused(NEWEST, pointer, json!(least - 1), Kind::OutOfBounds);
        }
    }
    let highest =
        [("temperature", 2.0), ("top_p", 1.0), ("frequency_penalty", 2.0), ("presence_penalty", 2.0)];
    for (key, most) in highest {
        let pointer = format!("/prompts/greet/parameters/{key}");
        valid(NEWEST, &pointer, json!(most));
        refused(NEWEST, &pointer, json!(most + 0.001), Kind::OutOfBounds);
    }
    refused(NEWEST, "/prompts/greet/parameters/frequency_penalty", json!(-2.001), Kind::OutOfBounds);
    refused(NEWEST, "/prompts/greet/tested_models/0/success_rate", json!(1.01), Kind::OutOfBounds);
    refused(NEWEST, "/evals/0/sample_percentage", json!(100.5), Kind::OutOfBounds);
    valid(NEWEST, "/prompts/greet/variables/0/validation/minimum", json!(-1e9));
}

#[test]
fn formats_never_decide_and_tool_parameters_are_objects() {
    for pointer in [
        "/metadata/governance/vocabularies/acme",
        "/prompts/greet/media/examples/0/parts/1/media/url",
        "/prompts/greet/tested_models/0/date",
        "/compilation/created_at",
        "/prompts/greet/media/image/default_detail",
        "/prompts/greet/media/image/allowed_formats/0",
        "/evals/0/trigger",
        "/workflow/states/open/persistence",
    ] {
        valid(NEWEST, pointer, json!("no such thing"));
    }
    let parameters = "/tools/ring/parameters";
    refused_at(
        NEWEST,
        "/tools/ring/parameters/type",
        json!("array"),
        Kind::UnlistedValue,
        "/tools/ring/parameters/type",
    );
    refused(NEWEST, parameters, json!({"type": "object"}), Kind::MissingField);
    refused(NEWEST, "/tools/ring/parameters/properties/times", json!(true), Kind::WrongType);
    refused(NEWEST, "/compositions/visit/version", json!(2), Kind::UnlistedValue);
}

#[test]
fn a_later_field_is_told_from_an_unknown_one() {
    refused(SpecVersion::V1_3, "/skills", json!([]), Kind::NewerField);
    refused(SpecVersion::V1_3, "/skill", json!([]), Kind::UnknownField);
    valid(SpecVersion::V1_5_1, "/metadata/governance", json!(1));
}

#[test]
fn the_published_schemas_are_schemas() {
    for version in SpecVersion::ALL {
        let schema = pack::schema::schema(version);
        assert!(jsonschema::draft202012::meta::is_valid(&schema), "{version}");
        let text = schema.to_string();
        for annotation in ["x-since", "x-before", "x-from", "x-union"] {
            assert!(!text.contains(annotation), "{version} holds {annotation}");
        }
        let unused = schema["$defs"].as_object().expect("definitions").keys();
        let unused: Vec<&String> =
            unused.filter(|name| !text.contains(&format!("\"#/$defs/{name}\""))).collect();
        assert_eq!(unused, Vec::<&String>::new(), "{version} defines what nothing refers to");
        for reference in text.split("\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(schema.pointer(reference).is_some(), "{version} refers to {reference}");
        }
    }
}
