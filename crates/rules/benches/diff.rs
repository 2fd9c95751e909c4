//! How long comparing two versions takes in process, from parsed documents to sorted changes.
//!
//! `cargo bench -p rules --bench diff`. The wide packs come in three sizes: time has to grow with the size.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pack::Document;
use rules::{Diff, DiffOptions, Version, diff};
use serde_json::{Map, Value, json};

/// As in the binary that users run.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The least bytes of a large pack.
const LARGE: usize = 100 << 10;

fn object(count: usize, entry: impl Fn(usize) -> (String, Value)) -> Value {
    Value::Object((0..count).map(entry).collect::<Map<String, Value>>())
}

fn tool(index: usize, note: &str) -> Value {
    json!({
        "name": format!("tool_{index}"),
        "description": format!("Looks up record number {index} of the customer{note}."),
        "parameters": {
            "type": "object",
            "properties": {
                "customer": {"type": "string", "minLength": 3, "description": "The number on the contract."},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100},
                "order": {"type": "string", "enum": ["newest", "oldest", "amount"]},
            },
            "required": ["customer"],
        },
    })
}

fn state(index: usize, count: usize) -> Value {
    let next = format!("state_{}", (index + 1) % count);
    json!({
        "prompt_task": format!("prompt_{}", index % 10),
        "description": format!("Step {index} of the conversation."),
        "on_event": {"next": next, "again": format!("state_{index}")},
    })
}

fn variables(count: usize, note: &str) -> Vec<Value> {
    let variable = |index| {
        json!({
            "name": format!("variable_{index}"), "type": "string", "required": index % 3 == 0,
            "description": format!("What the caller knows about item {index}{note}."),
            "validation": {"max_length": 200},
        })
    };
    (0..count).map(variable).collect()
}

/// A prompt with a text of `paragraphs` that uses its first variables.
fn prompt(index: usize, paragraphs: usize, variable_count: usize, tools: usize, note: &str) -> Value {
    let used: Vec<String> = (0..variable_count.min(8)).map(|at| format!("{{{{variable_{at}}}}}")).collect();
    let paragraph = |at: usize| {
        format!(
            "Rule {at} of part {index}: answer with care{note}, name the source of every figure, and ask before \
             anything is changed that the customer did not mention. Known so far: {}.\n",
            used.join(", ")
        )
    };
    let offered: Vec<String> = (0..tools).map(|at| format!("tool_{at}")).collect();
    json!({
        "id": format!("prompt_{index}"), "name": format!("Part {index}"), "version": "1.0.0",
        "system_template": (0..paragraphs).map(paragraph).collect::<String>(),
        "variables": variables(variable_count, note),
        "tools": offered,
        "parameters": {"temperature": 0.2, "max_tokens": 800},
        "validators": [{"type": "banned_words", "enabled": true, "params": {"words": ["guarantee"]}}],
    })
}

/// The numbers that make a pack.
struct Shape {
    prompts: usize,
    paragraphs: usize,
    variables: usize,
    tools: usize,
    states: usize,
}

/// The text of a pack; `note` stands in every fifth prompt and tool, so that two notes give two versions.
fn pack(shape: &Shape, note: &str) -> String {
    let noted = |index: usize| if index.is_multiple_of(5) { note } else { "" };
    let prompts = object(shape.prompts, |index| {
        let of = prompt(index, shape.paragraphs, shape.variables, shape.tools.min(20), noted(index));
        (format!("prompt_{index}"), of)
    });
    let tools = object(shape.tools, |index| (format!("tool_{index}"), tool(index, noted(index))));
    let states = object(shape.states, |index| (format!("state_{index}"), state(index, shape.states)));
    let pack = json!({
        "id": "large", "name": "Large", "version": "1.0.0",
        "template_engine": {"version": "v1", "syntax": "{{variable}}"},
        "prompts": prompts, "tools": tools,
        "workflow": {"version": 1, "entry": "state_0", "states": states},
    });
    serde_json::to_string_pretty(&pack).expect("a value is JSON")
}

fn document(text: &str) -> Document {
    Document::parse(text.as_bytes()).0.expect("the pack is JSON")
}

fn compare(old: &Document, new: &Document) -> Diff {
    let side = |document| Version { document, path: "large.pack.json", tree: None };
    diff(side(old), side(new), DiffOptions::default())
}

fn large(criterion: &mut Criterion) {
    let shape = Shape { prompts: 20, paragraphs: 5, variables: 10, tools: 40, states: 20 };
    let texts = [pack(&shape, ""), pack(&shape, " and thought")];
    assert!(texts.iter().all(|text| text.len() >= LARGE), "{} bytes", texts[0].len());
    let [old, new] = texts.each_ref().map(|text| document(text));
    assert!(!compare(&old, &new).changes.is_empty());
    let mut group = criterion.benchmark_group("two packs of 100 KiB");
    group.bench_function("every fifth part differs", |bench| bench.iter(|| compare(black_box(&old), &new)));
    group.bench_function("nothing differs", |bench| bench.iter(|| compare(black_box(&old), &old)));
    group.bench_function("parsing both, then comparing", |bench| {
        bench.iter(|| compare(&document(black_box(&texts[0])), &document(&texts[1])));
    });
    group.finish();
}

fn wide(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("20,000 variables, 1,000 states, 1,000 tools");
    group.sample_size(20);
    for (name, parts) in [("a quarter of it", 4), ("half of it", 2), ("all of it", 1)] {
        let shape = Shape {
            prompts: 10,
            paragraphs: 10,
            variables: 2_000 / parts,
            tools: 1_000 / parts,
            states: 1_000 / parts,
        };
        let [old, new] = ["", " and thought"].map(|note| document(&pack(&shape, note)));
        group.throughput(Throughput::Bytes(new.text().len() as u64));
        group.bench_function(name, |bench| bench.iter(|| compare(black_box(&old), &new)));
    }
    group.finish();
}

criterion_group!(benches, large, wide);
criterion_main!(benches);
