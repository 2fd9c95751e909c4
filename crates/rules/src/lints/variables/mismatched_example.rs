//! Flags examples and listed values that their own variable refuses.

use pack::Node;
use pack::model::Variable;

use super::constraints::Constraints;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "mismatched-example",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "an example or a listed value that its own variable refuses",
    why: "Callers copy examples, and a listed value that breaks the type can never be sent.",
    fix: "Correct the example or the listed value, or the type or the constraint that refuses it.",
    example: r#"{ "name": "count", "type": "number", "required": true, "example": "three" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for variable in pack.pack.prompts().flat_map(|prompt| prompt.variables()) {
        let example = variable.get("example");
        let members = members(variable);
        if example.is_none() && members.is_empty() {
            continue;
        }
        let constraints = Constraints::of(variable);
        let name = quoted(variable.name());
        if let Some((example, reason)) = example.and_then(|node| Some((node, constraints.refuse(node)?))) {
            findings.report(example, format!("the example of variable {name} {reason}"));
        }
        for member in members {
            if let Some(reason) = constraints.refuse_member(member) {
                findings.report(
                    member,
                    format!("{} in the `enum` of variable {name} {reason}", quoted(member.source())),
                );
            }
        }
    }
}

fn members(variable: Variable<'_>) -> Vec<Node<'_>> {
    variable.get("validation").into_iter().flat_map(|validation| validation.list("enum")).collect()
}
