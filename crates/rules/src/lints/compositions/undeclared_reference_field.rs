//! Flags references to fields that the value they read does not have.

use super::input_fields::{InputFields, input_fields};
use super::references::ValuePath;
use super::steps::Steps;
use super::{all_references, compositions};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::similar::Guesser;

pub(super) const LINT: Lint = Lint {
    id: "undeclared-reference-field",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a reference to a field that its value does not have",
    why: "A branch gives no output, a parallel step gives one field alone, and a closed input schema lists what the \
          input has: the reference finds nothing.",
    fix: "Read a field that exists: of a parallel step the one that its `reduce.into` names.",
    example: r#""reduce": { "strategy": "append", "into": "found" } … "${gather.output.results}""#,
    check: Check::Pack(check),
};

/// What is wrong with a reference, what to do, and the whole text that was probably meant.
struct Defect {
    message: String,
    help: String,
    meant: Option<String>,
}

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    for steps in compositions(pack) {
        let fields = input_fields(pack, steps.composition);
        for (_, site, reference) in all_references(&steps) {
            let Some(path) = &reference.path else { continue };
            let defect = match path.step_output() {
                Some((id, rest)) => output_defect(&steps, reference.text, id, rest),
                None => {
                    fields.as_ref().and_then(|fields| input_defect(fields, reference.text, path, &guesser))
                }
            };
            if let Some(Defect { message, help, meant }) = defect {
                findings.report_part(site.node, reference.span, message).help(help).suggest(meant.as_deref());
            }
        }
    }
}

fn output_defect(steps: &Steps<'_>, text: &str, id: &str, rest: &[&str]) -> Option<Defect> {
    let step = steps.all()[steps.find(id)?].step;
    match step.kind()? {
        "branch" => Some(Defect {
            message: format!("`{text}` reads the branch `{id}`, which gives no output"),
            help: "read the output of a step that the branch leads to".to_owned(),
            meant: None,
        }),
        "parallel" => {
            let into = step.get("reduce")?.text("into")?;
            let field = rest.first().filter(|field| **field != into)?;
            Some(Defect {
                message: format!(
                    "`{text}` reads the field `{field}`, but the parallel step `{id}` gives only `{into}`"
                ),
                help: format!("read `${{{id}.output.{into}}}`"),
                meant: None,
            })
        }
        _ => None,
    }
}

fn input_defect(fields: &InputFields, text: &str, path: &ValuePath<'_>, guesser: &Guesser) -> Option<Defect> {
    let field = path.parts.first().filter(|_| path.root == "input")?;
    if fields.names.contains(*field) {
        return None;
    }
    let near = guesser.closest(field, fields.names.iter().map(String::as_str));
    Some(Defect {
        message: format!("`{text}` reads the field `{field}`, which `{}` does not have", fields.file),
        help: "add the property to the schema, or read another one".to_owned(),
        meant: near.map(|name| text.replacen(field, name, 1)),
    })
}
