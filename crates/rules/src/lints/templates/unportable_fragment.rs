//! Flags fragments in a spelling that only one client knows.

use pack::template::{Class, Form};

use crate::facts::{Facts, Rendered};
use crate::lint::{Check, Edit, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "unportable-fragment",
    group: Group::Portability,
    level: Level::Info,
    summary: "a fragment in a spelling that only one client knows",
    why: "The specification writes `{{fragments.x}}`; the Python client reads `{{fragment:x}}`, the JS client the bare name, and neither reads the other's.",
    fix: "Write `{{fragments.x}}` where all your runtimes follow the specification; keep the client's spelling where only that client runs the pack.",
    example: r#""system_template": "{{fragment:greeting}} How can I help?""#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for place in pack.rendered() {
        let key = place.readings.iter().find_map(|(_, class)| match class {
            Class::Fragment(key) if pack.fragments().contains_key(key) => Some(*key),
            _ => None,
        });
        let Some(key) = key else { continue };
        match place.placeholder.form {
            Form::Fragment(_) => report(&place, key, "the Python client", findings),
            Form::Path(_) if place.placeholder.fragment().is_none() => {
                report(&place, key, "the JS client", findings);
            }
            _ => {}
        }
    }
}

fn report(place: &Rendered<'_, '_>, key: &str, client: &str, findings: &mut Findings<'_>) {
    let message = format!("{} names a fragment in the spelling of {client} only", place.shown());
    let draft = findings.report_placeholder(place.node, place.placeholder, message);
    draft.help(format!("the specification writes `{{{{fragments.{key}}}}}`"));
    if let Some(span) = place.span_of(place.placeholder.body) {
        draft.suggested_fix(vec![Edit { span, replacement: format!("fragments.{key}") }]);
    }
}
