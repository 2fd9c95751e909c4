//! Flags credentials that a binding carries into a prompt.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "secret-binding",
    group: Group::Security,
    level: Level::Warn,
    summary: "a credential of the environment or of a request becomes prompt text",
    why: "What stands in a prompt goes to the model's provider, into its logs and, with a clever question, to the user.",
    fix: "Let a tool use the credential; keep it out of templates.",
    example: r#"{ "name": "key", "type": "string", "required": true, "binding": { "kind": "env", "field": "API_KEY", "auto_populate": true } }"#,
    check: Check::Pack(check),
};

/// Words that name a credential by themselves.
const SECRETS: [&str; 9] = [
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "credential",
    "credentials",
    "authorization",
];

/// Words that make a key one.
const KEYS: [&str; 4] = ["api", "secret", "access", "private"];

/// Words after which the field measures or names a credential instead of holding it.
const HARMLESS: [&str; 10] =
    ["count", "limit", "budget", "usage", "length", "type", "name", "id", "policy", "expiry"];

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for prompt in pack.prompts() {
        let used = prompt.used_variables(pack);
        for variable in prompt.prompt.variables().filter(|variable| used.contains(variable.name())) {
            let Some(binding) = variable.get("binding") else { continue };
            let (Some(kind @ ("env" | "header")), Some(field)) = (binding.text("kind"), binding.get("field"))
            else {
                continue;
            };
            let Some(name) = field.as_str().filter(|name| names_credential(name)) else { continue };
            let message = format!(
                "variable {} puts {} {} into the prompt",
                quoted(variable.name()),
                if kind == "env" { "the environment's" } else { "the request header" },
                quoted(name)
            );
            findings.report(field, message).help("let a tool use the credential instead");
        }
    }
}

fn names_credential(field: &str) -> bool {
    let words = words(field);
    words.iter().enumerate().any(|(at, word)| {
        let is_key = word == "key" && at > 0 && KEYS.contains(&words[at - 1].as_str());
        let next = words.get(at + 1).map(String::as_str);
        (is_key || SECRETS.contains(&word.as_str())) && !next.is_some_and(|next| HARMLESS.contains(&next))
    })
}

/// The words of `API_KEY`, `X-Api-Key` or `apiKey`, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for character in name.chars() {
        let starts = !character.is_alphanumeric() || (after_lower && character.is_uppercase());
        if starts && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
        after_lower = character.is_lowercase();
    }
    words
}
