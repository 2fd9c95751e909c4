//! Flags a declared template syntax that clients do not follow.

use crate::facts::Facts;
use crate::lint::{Check, Edit, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "unportable-template-syntax",
    group: Group::Portability,
    level: Level::Warn,
    summary: "a template syntax other than `{{variable}}`",
    why: "PromptKit and the Python client always read `{{name}}`, whatever is declared; the JS client builds its matcher from the word `variable` and matches nothing without it.",
    fix: "Declare `{{variable}}`, and write the templates so.",
    example: r#""template_engine": { "version": "v1", "syntax": "${variable}" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let Some(node) = pack.pack.get("template_engine").and_then(|engine| engine.get("syntax")) else { return };
    let Some(declared) = node.as_str() else { return };
    if pack.syntax.is_standard() && pack.syntax.names_variable() {
        return;
    }
    let message = if pack.syntax.names_variable() {
        format!("only the JS client follows the syntax {}; others read `{{{{variable}}}}`", quoted(declared))
    } else {
        format!("the syntax {} does not show where the word `variable` stands", quoted(declared))
    };
    let draft = findings.report(node, message);
    draft.help("declare `{{variable}}`, and write the templates so");
    if !pack.syntax.names_variable() {
        let edit = Edit { span: node.span(), replacement: "\"{{variable}}\"".to_owned() };
        draft.suggested_fix(vec![edit]);
    }
}
