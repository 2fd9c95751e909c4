//! Flags conditions, loops, filters and calls in templates.

use std::collections::BTreeSet;

use pack::template::{Class, Form};

use crate::facts::{Facts, PromptFacts};
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "logic-placeholder",
    group: Group::Portability,
    level: Level::Warn,
    summary: "logic in a template",
    why: "No client evaluates conditions, loops, filters or calls, whatever `features` lists: the model reads them as text.",
    fix: "Compute the text before the call and send it as a variable, or write one prompt per case.",
    example: r#""system_template": "{{#if vip}}Be quick.{{/if}}""#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    // The parts of a block are one defect: what goes on or ends it is silent behind what starts it.
    let mut started = BTreeSet::new();
    let is_logic = |_: &PromptFacts<'_>, class: Class<'_>| class == Class::None;
    let logic = pack.rendered().into_iter().filter(|place| place.placeholder.form == Form::Logic);
    for place in logic.filter_map(|place| place.only(is_logic)) {
        if continues(place.placeholder.body) && started.contains(&place.node.span()) {
            continue;
        }
        started.insert(place.node.span());
        let message = format!("{} is logic, which no client evaluates", place.shown());
        findings
            .report_placeholder(place.node, place.placeholder, message)
            .help("send the text as a variable");
    }
}

/// Whether a body goes on with a block or ends it: `else`, `/if`, `endfor`.
fn continues(body: &str) -> bool {
    let word = body.split(|c: char| !(c.is_ascii_alphanumeric() || c == '/')).next().unwrap_or_default();
    word.starts_with('/') || word.starts_with("end") || matches!(word, "else" | "elif" | "elsif")
}
