//! What a release holds, as its page shows it: prompts with their variables, tools with their parameters, the workflow.
//!
//! Texts and values come out of the pack as it is written: the record of a release does not repeat them.

use maud::{Markup, html};
use registry::release::PromptSummary;
use serde_json::Value;

use crate::web::views::Manifest;

/// The longest value that is shown, in characters.
const MOST_SHOWN: usize = 200;

/// The prompts.
pub(crate) fn prompts(manifest: &Manifest, source: &Value) -> Markup {
    html! {
        h2 { "Prompts" }
        @for prompt in &manifest.prompts { (one_prompt(prompt, &source["prompts"][&prompt.key])) }
    }
}

fn one_prompt(prompt: &PromptSummary, source: &Value) -> Markup {
    html! {
        section.card {
            h3 { (prompt.name) " " code.id { (prompt.key) } " " span.version { (prompt.version) } }
            @if let Some(description) = source["description"].as_str() { p { (description) } }
            @if !prompt.variables.is_empty() { (variables(prompt, &source["variables"])) }
            @if !prompt.tools.is_empty() {
                p { "Tools: " @for tool in &prompt.tools { code { (tool) } " " } }
            }
            @if let Some(template) = source["system_template"].as_str() {
                details { summary { "Template" } pre.text { (template) } }
            }
        }
    }
}

fn variables(prompt: &PromptSummary, source: &Value) -> Markup {
    html! {
        div.scroll { table {
            thead { tr { th { "Variable" } th { "Type" } th {} th { "Meaning" } } }
            tbody {
                @for (at, variable) in prompt.variables.iter().enumerate() {
                    tr {
                        td { code { (variable.name) } }
                        td { (variable.type_name) }
                        td { (obligation(variable.required)) }
                        (meaning(&source[at], &source[at]["validation"]))
                    }
                }
            }
        } }
    }
}

fn obligation(required: bool) -> Markup {
    html! { @if required { span.badge.required { "required" } } @else { span.muted { "optional" } } }
}

/// What a value means, what stands in for it, and what it may be.
fn meaning(of: &Value, limits: &Value) -> Markup {
    html! {
        td {
            (of["description"].as_str().unwrap_or_default())
            @if let Some(default) = of.get("default") { div.muted { "default " code { (shown(default)) } } }
            (allowed(limits))
        }
    }
}

/// What a value may be: one of some, and other limits that are plain values.
fn allowed(limits: &Value) -> Markup {
    const LIMITS: [(&str, &str, &str); 10] = [
        ("pattern", "pattern ", ""),
        ("format", "format ", ""),
        ("min_length", "at least ", " characters"),
        ("minLength", "at least ", " characters"),
        ("max_length", "at most ", " characters"),
        ("maxLength", "at most ", " characters"),
        ("minimum", "at least ", ""),
        ("maximum", "at most ", ""),
        ("exclusiveMinimum", "above ", ""),
        ("exclusiveMaximum", "below ", ""),
    ];
    let values = limits["enum"].as_array();
    html! {
        @if let Some(values) = values {
            div.muted { "one of " @for value in values { code { (shown(value)) } " " } }
        }
        @for (key, before, after) in LIMITS {
            @if let Some(limit) = limits.get(key).filter(|limit| !limit.is_object()) {
                @let after = if *limit == 1 { after.trim_end_matches('s') } else { after };
                div.muted { (before) code { (shown(limit)) } (after) }
            }
        }
    }
}

/// A value as JSON writes it, text without its quotes.
fn shown(value: &Value) -> String {
    let text =
        value.as_str().filter(|text| !text.is_empty()).map_or_else(|| value.to_string(), str::to_owned);
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The tools.
pub(crate) fn tools(manifest: &Manifest, source: &Value) -> Markup {
    html! {
        @if !manifest.tools.is_empty() {
            h2 { "Tools" }
            @for tool in &manifest.tools {
                section.card {
                    h3 { code { (tool.name) } }
                    p { (tool.description) }
                    (parameters(&source["tools"][&tool.name]["parameters"]))
                }
            }
        }
    }
}

fn parameters(schema: &Value) -> Markup {
    let is_required = |name: &str| {
        let required = schema["required"].as_array();
        required.is_some_and(|names| names.iter().any(|other| other == name))
    };
    let properties = schema["properties"].as_object().filter(|properties| !properties.is_empty());
    html! {
        @if let Some(properties) = properties {
            div.scroll { table {
                thead { tr { th { "Parameter" } th { "Type" } th {} th { "Meaning" } } }
                tbody {
                    @for (name, property) in properties {
                        tr {
                            td { code { (name) } }
                            td { (type_name(property)) }
                            td { (obligation(is_required(name))) }
                            (meaning(property, property))
                        }
                    }
                }
            } }
        }
        @if schema.is_object() {
            details { summary { "Schema" } pre { (serde_json::to_string_pretty(schema).unwrap_or_default()) } }
        }
    }
}

fn type_name(property: &Value) -> String {
    let of = |property: &Value| match &property["type"] {
        Value::String(name) => name.clone(),
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ => String::new(),
    };
    let (own, items) = (of(property), of(&property["items"]));
    if own == "array" && !items.is_empty() { format!("array of {items}") } else { own }
}

/// The workflow: its states, and where their events lead.
pub(crate) fn workflow(workflow: &Value) -> Markup {
    let entry = workflow["entry"].as_str();
    let mut states: Vec<(&String, &Value)> = workflow["states"].as_object().into_iter().flatten().collect();
    states.sort_by_key(|(name, _)| entry != Some(name.as_str()));
    html! {
        @if !states.is_empty() {
            h2 { "Workflow" }
            div.scroll { table {
                thead { tr { th { "State" } th { "Runs" } th { "Meaning" } th { "Events" } } }
                tbody {
                    @for (name, state) in states {
                        tr {
                            td {
                                code { (name) }
                                @if entry == Some(name.as_str()) { " " span.badge { "entry" } }
                                @if state["terminal"] == true { " " span.badge { "end" } }
                            }
                            td {
                                @for key in ["prompt_task", "composition"] {
                                    @if let Some(name) = state[key].as_str() { code { (name) } " " }
                                }
                            }
                            td { (state["description"].as_str().unwrap_or_default()) }
                            td { (events(state)) }
                        }
                    }
                }
            } }
        }
    }
}

fn events(state: &Value) -> Markup {
    let events = state["on_event"].as_object().into_iter().flatten();
    html! {
        @for (event, next) in events { div { code { (event) } " → " code { (shown(next)) } } }
        @if let Some(visits) = state.get("max_visits") {
            div.muted {
                "after " (shown(visits)) " visits"
                @if let Some(next) = state["on_max_visits"].as_str() { " → " code { (next) } }
            }
        }
    }
}
