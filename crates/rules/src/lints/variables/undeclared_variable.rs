//! Flags placeholders that a prompt with variables does not declare.

use pack::similar::Guesser;
use pack::template::Class;

use super::uses::meant;
use crate::facts::{Facts, PromptFacts, Rendered};
use crate::lint::{Check, Edit, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "undeclared-variable",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a placeholder that its prompt does not declare",
    why: "A prompt that declares variables renders only those: the Python client drops any other value, and the reference runtime sends the raw template when a placeholder stays.",
    fix: "Declare the variable under `variables`, correct its name, or list it as a host variable when the runtime supplies it.",
    example: r#""system_template": "Hi {{custmer}}", "variables": [{ "name": "customer", "type": "string", "required": true }]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let undeclared = |prompt: &PromptFacts<'_>, class: Class<'_>| {
        matches!(class, Class::Undeclared(_)) && !prompt.names.variables.is_empty()
    };
    let guesser = Guesser::default();
    for place in pack.rendered() {
        if let Some(place) = place.only(undeclared) {
            report(&place, &guesser, findings);
        }
    }
}

fn report(place: &Rendered<'_, '_>, guesser: &Guesser, findings: &mut Findings<'_>) {
    let Some((prompt, Class::Undeclared(name))) = place.readings.first() else { return };
    let verb = if place.readings.len() == 1 { "does" } else { "do" };
    let message =
        format!("{} uses {}, which {} {verb} not declare", place.holder(), place.shown(), place.users());
    let of_fragment = fragment_meant(prompt, place.placeholder.body);
    let of_variable = || meant(guesser, prompt, name).map(|near| (near, near.to_owned()));
    let near = of_fragment.map(|key| ("fragments", format!("fragments.{key}"))).or_else(of_variable);
    let draft = findings.report_placeholder(place.node, place.placeholder, message);
    let Some((near, shown)) = near else {
        draft.help("declare it under `variables`, or in `host-variables` if every runtime fills it");
        return;
    };
    draft.help(format!("declare it under `variables`, or did you mean `{shown}`?"));
    if let Some(span) = place.span_of(name) {
        draft.suggested_fix(vec![Edit { span, replacement: near.to_owned() }]);
    }
}

/// The fragment of the pack that `fragment.x` means.
fn fragment_meant<'b>(prompt: &PromptFacts<'_>, body: &'b str) -> Option<&'b str> {
    body.trim().strip_prefix("fragment.").filter(|key| prompt.names.fragments.contains(key))
}
