//! Flags skill documents whose front matter no loader accepts.

use super::{documents, is_skill_name};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;
use pack::skill::{FrontMatter, FrontMatterProblem};
use serde_json::Value;

pub(super) const LINT: Lint = Lint {
    id: "invalid-frontmatter",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a skill document without a usable front matter",
    why: "Runtimes read the name and the description of a skill from there, before they load its text; without them \
          the skill is not offered to the model.",
    fix: "Start the file with a line `---`, then `name` and `description` as YAML, then a line `---`.",
    example: "# Billing\n\nAnswer questions about invoices.",
    check: Check::Pack(check),
};

/// The longest description, in bytes.
const MAX_DESCRIPTION: usize = 1024;

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for found in documents(pack) {
        let (problem, help) = match &found.document.front_matter {
            Ok(front_matter) => match field_problems(front_matter) {
                problems if problems.is_empty() => continue,
                problems => (problems.join(", and "), "correct the fields between the two `---` lines"),
            },
            Err(FrontMatterProblem::NotText) => ("the file is not UTF-8".to_owned(), "save it as UTF-8"),
            Err(FrontMatterProblem::Absent) => (
                "the file does not start with a line `---`".to_owned(),
                "start it with `---`, then `name` and `description`, then `---`",
            ),
            Err(FrontMatterProblem::Unclosed) => {
                ("the second line `---` is missing".to_owned(), "close the front matter with a line `---`")
            }
            Err(FrontMatterProblem::NoMapping(reason)) => {
                (format!("the front matter is no YAML mapping: {reason}"), "write one `key: value` per line")
            }
        };
        findings.report(found.node, format!("skill `{}`: {problem}", found.path)).help(help);
    }
}

fn field_problems(front_matter: &FrontMatter) -> Vec<String> {
    let name = match &front_matter.name {
        None | Some(Value::Null) => Some("`name` is missing".to_owned()),
        Some(Value::String(name)) if is_skill_name(name) => None,
        Some(Value::String(name)) => Some(format!(
            "`name` is {}, not 1 to 64 lower-case letters, digits and single hyphens between them",
            quoted(name)
        )),
        Some(_) => Some("`name` is no text".to_owned()),
    };
    let description = match &front_matter.description {
        None | Some(Value::Null) => Some("`description` is missing".to_owned()),
        Some(Value::String(text)) if text.trim().is_empty() => Some("`description` is empty".to_owned()),
        Some(Value::String(text)) if text.len() > MAX_DESCRIPTION => {
            Some(format!("`description` has {} bytes, more than {MAX_DESCRIPTION}", text.len()))
        }
        Some(Value::String(_)) => None,
        Some(_) => Some("`description` is no text".to_owned()),
    };
    name.into_iter().chain(description).collect()
}
