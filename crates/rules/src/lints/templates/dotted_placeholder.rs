//! Flags paths into a variable.

use pack::template::{Class, Form};

use crate::facts::{Facts, PromptFacts};
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "dotted-placeholder",
    group: Group::Portability,
    level: Level::Warn,
    summary: "a placeholder that reaches into a variable",
    why: "Clients substitute whole variables only: the path stays in the prompt as it is written.",
    fix: "Declare a variable for the inner value, and let callers send it.",
    example: r#""system_template": "Hello {{user.name}}""#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let is_variable = |_: &PromptFacts<'_>, class: Class<'_>| matches!(class, Class::Variable(_));
    for place in pack.rendered() {
        let Form::Path(path) = &place.placeholder.form else { continue };
        if path.rest.is_empty() {
            continue;
        }
        let flat = format!("{}_{}", path.first, path.rest.join("_")).replace('-', "_");
        let Some(place) = place.only(is_variable) else { continue };
        let message = format!("no client renders {}: it reaches into a variable", place.shown());
        let draft = findings.report_placeholder(place.node, place.placeholder, message);
        draft.help(format!("declare a variable of its own, such as `{flat}`"));
    }
}
