//! What uses a variable besides templates: parameters of checks, and the conditions of evals.

use std::collections::BTreeSet;

use pack::Node;
use pack::similar::Guesser;
use pack::template::{Class, RUNTIME_NAMES, Syntax, placeholders};

use crate::facts::{Facts, PromptFacts};

/// The names that the checks of a pack use, which hold for every prompt, and those of each prompt.
pub(crate) struct CheckUses<'a> {
    pack: BTreeSet<&'a str>,
}

impl<'a> CheckUses<'a> {
    /// Reads the pack's own evals.
    pub(crate) fn of(pack: &Facts<'a>) -> Self {
        CheckUses { pack: pack.pack.evals().flat_map(|eval| names_in(*eval, &pack.syntax)).collect() }
    }

    /// Names of the prompt's variables that a template, a reached fragment, an override or a check uses.
    pub(crate) fn used_variables(&self, pack: &Facts<'a>, prompt: &PromptFacts<'a>) -> BTreeSet<&'a str> {
        let mut used = prompt.used_variables(pack);
        let validators = prompt.prompt.validators().map(|validator| *validator);
        let checks = validators.chain(prompt.prompt.evals().map(|eval| *eval));
        let names = checks.flat_map(|check| names_in(check, &pack.syntax)).chain(self.pack.iter().copied());
        used.extend(names.filter(|name| prompt.names.variables.contains(name)));
        used
    }

    /// Every name that some check uses, whatever it refers to.
    pub(crate) fn every_name(&self, pack: &Facts<'a>) -> BTreeSet<&'a str> {
        let prompts = pack.pack.prompts();
        let validators = prompts.clone().flat_map(|prompt| prompt.validators()).map(|validator| *validator);
        let checks = validators.chain(prompts.flat_map(|prompt| prompt.evals()).map(|eval| *eval));
        checks.flat_map(|check| names_in(check, &pack.syntax)).chain(self.pack.iter().copied()).collect()
    }
}

/// The declared or runtime name that an undeclared one is close to.
pub(super) fn meant<'a>(guesser: &Guesser, prompt: &PromptFacts<'a>, undeclared: &str) -> Option<&'a str> {
    guesser.closest(undeclared, prompt.names.variables.iter().copied().chain(RUNTIME_NAMES))
}

/// Variables that a misspelled placeholder means: the misspelling is the defect, not that nothing uses them.
pub(super) fn meant_variables<'a>(
    guesser: &Guesser,
    pack: &Facts<'a>,
    prompt: &PromptFacts<'a>,
) -> BTreeSet<&'a str> {
    let undeclared: BTreeSet<&str> = prompt
        .all_uses(pack)
        .filter_map(|place| match place.class {
            Class::Undeclared(name) => Some(name),
            _ => None,
        })
        .collect();
    undeclared.into_iter().filter_map(|name| meant(guesser, prompt, name)).collect()
}

/// The names that one validator or eval uses.
fn names_in<'a>(check: Node<'a>, syntax: &Syntax) -> BTreeSet<&'a str> {
    let strings = check.get("params").into_iter().flat_map(Node::descendants).filter_map(Node::as_str);
    let mut names: BTreeSet<&str> = strings
        .flat_map(|text| placeholders(text, syntax))
        .flat_map(|placeholder| {
            placeholder
                .root()
                .into_iter()
                .chain(placeholder.fragment())
                .chain(placeholder.mentioned())
                .collect::<Vec<_>>()
        })
        .collect();
    names.extend(check.get("when").and_then(|when| when.text("has_variable")));
    names
}
