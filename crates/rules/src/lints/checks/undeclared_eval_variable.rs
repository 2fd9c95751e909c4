//! Flags evals that wait for a variable nobody declares.

use std::collections::BTreeSet;

use crate::facts::Facts;
use crate::facts::PromptFacts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::model::Eval;
use pack::similar::Guesser;
use pack::template::{Class, RUNTIME_NAMES};

pub(super) const LINT: Lint = Lint {
    id: "undeclared-eval-variable",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "`has_variable` names a variable that no prompt of the eval declares",
    why: "The condition is never met, so the eval never runs.",
    fix: "Declare the variable, or correct its name.",
    example: r#""when": { "has_variable": "custmer_tier" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    let mut all = Known::default();
    for prompt in pack.prompts() {
        let mut known = Known::default();
        known.add(prompt, pack);
        for eval in prompt.prompt.evals() {
            require(eval, &known, "the prompt declares no variable", &guesser, findings);
        }
        all.add(prompt, pack);
    }
    for eval in pack.pack.evals() {
        require(eval, &all, "no prompt declares the variable", &guesser, findings);
    }
}

fn require(eval: Eval<'_>, known: &Known<'_>, what: &str, guesser: &Guesser, findings: &mut Findings<'_>) {
    let Some(node) = eval.get("when").and_then(|when| when.get("has_variable")) else { return };
    let Some(name) = node.as_str() else { return };
    if !known.has_any_name && !known.names.contains(name) && !RUNTIME_NAMES.contains(&name) {
        findings
            .report(node, format!("{what} `{name}`, so the eval never runs"))
            .help("declare it under `variables`")
            .suggest_for(node, guesser.closest(name, known.names.iter().copied()));
    }
}

/// The names that one prompt knows, or all of them.
#[derive(Default)]
struct Known<'a> {
    names: BTreeSet<&'a str>,
    has_any_name: bool,
}

impl<'a> Known<'a> {
    /// Adds what a prompt declares, what hosts provide, and what its templates use undeclared: that has a finding
    /// where it is used.
    fn add(&mut self, prompt: &PromptFacts<'a>, pack: &Facts<'a>) {
        self.has_any_name |= prompt.names.any_host_name;
        self.names.extend(prompt.names.variables.iter().chain(&prompt.names.host));
        self.names.extend(prompt.all_uses(pack).filter_map(|place| match place.class {
            Class::Undeclared(name) => Some(name),
            _ => None,
        }));
    }
}
