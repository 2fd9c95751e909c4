//! Flags front matter that only some loaders read.

use super::front_matters;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::skill::{FrontMatter, SkillDocument};
use serde_json::Value;

pub(super) const LINT: Lint = Lint {
    id: "unportable-frontmatter",
    group: Group::Portability,
    level: Level::Warn,
    summary: "front matter of a skill that only some loaders read",
    why: "PromptKit fails on `allowed-tools` written as one string, some loaders look for `---` and a bare line feed \
          as the first bytes, and others refuse fields beyond the limits of the skill format.",
    fix: "Write `allowed-tools` as a YAML list, save the file with LF and without BOM, and keep the fields within \
          their limits.",
    example: "allowed-tools: Read, lookup_order",
    check: Check::Pack(check),
};

/// The longest `compatibility`, in characters.
const MAX_COMPATIBILITY: usize = 500;

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for (found, front_matter) in front_matters(pack) {
        let mut problems = spelling_problems(found.document);
        problems.extend(field_problems(front_matter));
        if !problems.is_empty() {
            let message = format!("skill `{}`: {}", found.path, problems.join(", and "));
            findings.report(found.node, message).help(
                "write `allowed-tools` as a list, keep to the limits, and save with LF and without BOM",
            );
        }
    }
}

fn spelling_problems(document: &SkillDocument) -> Vec<String> {
    let mut problems = Vec::new();
    if document.byte_order_mark {
        problems.push("some loaders fail on the byte order mark at its start".to_owned());
    }
    if document.carriage_returns {
        problems.push("some loaders fail on the CRLF line ends of its front matter".to_owned());
    }
    problems
}

fn field_problems(front_matter: &FrontMatter) -> Vec<String> {
    let mut problems = Vec::new();
    match &front_matter.allowed_tools {
        None | Some(Value::Null) => {}
        Some(Value::Array(tools)) if tools.iter().all(Value::is_string) => {}
        Some(Value::String(_)) => {
            problems.push("PromptKit fails on `allowed-tools` as one string".to_owned())
        }
        Some(_) => problems.push("`allowed-tools` is no list of texts".to_owned()),
    }
    match &front_matter.compatibility {
        None | Some(Value::Null) => {}
        Some(Value::String(text)) if text.chars().count() <= MAX_COMPATIBILITY => {}
        Some(Value::String(_)) => {
            problems.push(format!("`compatibility` has more than {MAX_COMPATIBILITY} characters"));
        }
        Some(_) => problems.push("`compatibility` is no text".to_owned()),
    }
    match &front_matter.metadata {
        None | Some(Value::Null) => {}
        Some(Value::Object(members)) if members.values().all(Value::is_string) => {}
        Some(_) => problems.push("`metadata` is no mapping of texts to texts".to_owned()),
    }
    problems
}
