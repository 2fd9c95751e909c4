//! Flags blanks inside the delimiters of a placeholder.

use pack::Span;
use pack::template::{Class, Form};

use super::artifact_names;
use crate::facts::{Facts, Rendered};
use crate::lint::{Check, Edit, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "spaced-placeholder",
    group: Group::Portability,
    level: Level::Warn,
    summary: "blanks inside the delimiters of a placeholder",
    why: "No client renders `{{ name }}` unless the syntax is declared with the blanks: the text reaches the model as it stands.",
    fix: "Drop the blanks; `--fix` does it where the name is known.",
    example: r#""system_template": "Hello {{ name }}""#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    if pack.syntax.is_spaced() {
        return;
    }
    let artifacts = artifact_names(pack);
    let resolves = |class: Class<'_>| match class {
        Class::Variable(_) | Class::Runtime(_) => true,
        Class::Fragment(key) => pack.fragments().contains_key(key),
        Class::Artifact(name) => artifacts.contains(name),
        Class::Undeclared(_) | Class::None => false,
    };
    for place in pack.rendered() {
        let is_plain = matches!(place.placeholder.form, Form::Path(_) | Form::Fragment(_));
        if !place.placeholder.spaced || !is_plain {
            continue;
        }
        let message = format!("no client renders {}: blanks stand inside its delimiters", place.shown());
        let draft = findings.report_placeholder(place.node, place.placeholder, message);
        draft.help(format!("write `{}`", pack.syntax.write(place.placeholder.body)));
        if place.readings.iter().all(|(_, class)| resolves(*class)) {
            draft.safe_fix(blanks(pack, &place));
        }
    }
}

/// Edits that drop the blanks before and behind the body.
fn blanks(pack: &Facts<'_>, place: &Rendered<'_, '_>) -> Vec<Edit> {
    let Some(body) = place.span_of(place.placeholder.body) else { return Vec::new() };
    let inside = |offset: usize| place.placeholder.span.start as usize + offset;
    let start = place.node.span_within(Span::new(inside(0), inside(pack.syntax.open().len()))).end;
    let close = place.placeholder.span.end as usize - pack.syntax.close().len();
    let end = place.node.span_within(Span::new(close, place.placeholder.span.end as usize)).start;
    [Span { start, end: body.start }, Span { start: body.end, end }]
        .into_iter()
        .filter(|span| !span.is_empty())
        .map(|span| Edit { span, replacement: String::new() })
        .collect()
}
