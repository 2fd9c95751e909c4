//! Flags values of open lists that are close to a well-known one.

use pack::Node;
use pack::similar::closest;

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "misspelled-value",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a value that is close to a well-known one",
    why: "The schema takes any word here, so a slip of the pen turns the check, the binding or the format off without a word.",
    fix: "Correct the spelling.",
    example: r#""type": "pii_leakge""#,
    check: Check::Pack(check),
};

/// Types of validators and evals that runtimes commonly register.
const CHECKS: &str = "banned_words length max_length min_length max_sentences sentence_count required_fields \
    field_presence regex regex_match contains contains_any content_includes content_excludes json_valid is_valid_json \
    valid_json json_schema json_path sentiment toxicity bias pii_detection pii_leakage role_violation hallucination \
    faithfulness answer_relevancy llm_judge llm_judge_session cosine_similarity tool_called tools_called \
    tools_not_called latency_budget cost_budget custom";
const BINDINGS: &str = "context session env header";
const ROLES: &str = "llm embedding tts stt image inference";
const IMAGES: &str = "jpeg jpg png webp gif bmp";
const VIDEOS: &str = "mp4 webm mov avi mkv";

/// Formats outside the guide's lists that are close to one of them and meant as they stand.
const OTHER_FORMATS: &str = "apng avif tif tiff heic heif svg ico jxl jfif jpe m4v mpg mpeg wmv flv ogv 3gp";

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for eval in pack.pack.evals() {
        report_if_close("check type", eval.get("type"), CHECKS, findings);
    }
    for prompt in pack.pack.prompts() {
        let checks = prompt.validators().map(|validator| *validator).chain(prompt.evals().map(|eval| *eval));
        for check in checks {
            report_if_close("check type", check.get("type"), CHECKS, findings);
        }
        for variable in prompt.variables() {
            let kind = variable.get("binding").and_then(|binding| binding.get("kind"));
            report_if_close("binding kind", kind, BINDINGS, findings);
        }
        for (block, known) in [("image", IMAGES), ("video", VIDEOS)] {
            let block = prompt.media().and_then(|media| media.get(block));
            for format in block.into_iter().flat_map(|block| block.list("allowed_formats")) {
                report_if_close("format", Some(format), known, findings);
            }
        }
    }
    for provider in pack.pack.providers() {
        report_if_close("role", provider.get("role"), ROLES, findings);
    }
}

fn report_if_close(what: &str, node: Option<Node<'_>>, known: &str, findings: &mut Findings<'_>) {
    let Some((node, value)) = node.and_then(|node| Some((node, node.as_str()?))) else { return };
    let mut familiar = known.split_ascii_whitespace().chain(OTHER_FORMATS.split_ascii_whitespace());
    if familiar.any(|word| word == value) {
        return;
    }
    if let Some(near) = closest(value, known.split_ascii_whitespace()) {
        let message = format!("no runtime is known for the {what} {}", quoted(value));
        findings.report(node, message).suggest_for(node, Some(near));
    }
}
