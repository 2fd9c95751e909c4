//! Flags references to fragments that the pack does not have.

use pack::similar::Guesser;

use crate::facts::{Facts, Rendered};
use crate::lint::{Check, Edit, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "undeclared-fragment",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a template names a fragment that the pack does not have",
    why: "The placeholder stays in the prompt that the model reads, or the client refuses to render it.",
    fix: "Add the fragment under `fragments`, or correct the name.",
    example: r#""system_template": "{{fragments.greeting}}", "fragments": { "greetings": "Hello!" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    for place in pack.rendered() {
        let Some(key) = place.placeholder.fragment() else { continue };
        if !pack.declares("fragments", key) {
            let near = guesser.closest(key, pack.fragments().keys().copied());
            report(&place, key, near, findings);
        }
    }
}

fn report(place: &Rendered<'_, '_>, key: &str, near: Option<&str>, findings: &mut Findings<'_>) {
    let whose = place.fragment.map_or(String::new(), |_| format!(" (in {})", place.users()));
    let message =
        format!("{} uses {}{whose}, and the pack has no fragment `{key}`", place.holder(), place.shown());
    let draft = findings.report_placeholder(place.node, place.placeholder, message);
    let Some(near) = near else {
        draft.help("add it under `fragments`");
        return;
    };
    draft.suggest(Some(near));
    if let Some(span) = place.span_of(key) {
        draft.suggested_fix(vec![Edit { span, replacement: near.to_owned() }]);
    }
}
