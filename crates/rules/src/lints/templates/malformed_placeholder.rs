//! Flags text between delimiters that is no placeholder.

use pack::template::Form;

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "malformed-placeholder",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "double braces around something that is no name",
    why: "PromptKit takes every `{{` for a placeholder and fails to render the prompt; other clients leave the text as it stands.",
    fix: "Write a name between the delimiters, close them on the same line, or put a blank between braces meant as text.",
    example: r#""system_template": "Hello {{customer name}}""#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for place in pack.rendered().into_iter().filter(|place| place.placeholder.form == Form::Malformed) {
        let (body, close) = (place.placeholder.body, pack.syntax.close());
        let closes = place.text().ends_with(close);
        let (message, help) = match (body, closes) {
            ("", true) => (format!("{} names nothing", place.shown()), "write a name between the braces"),
            (_, true) => (
                format!("{} is no placeholder: a name has letters, digits, `_` and `-`", place.shown()),
                "correct the name, or put a blank between braces meant as text",
            ),
            (_, false) => (
                format!("{} does not close on its line", place.shown()),
                "close it, or put a blank between braces meant as text",
            ),
        };
        findings.report_placeholder(place.node, place.placeholder, message).help(help);
    }
}
