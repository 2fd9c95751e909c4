//! Flags references that no runtime can resolve as they are written.

use super::references::{Reference, Site, SiteKind, ValuePath, references, sites};
use super::steps::Steps;
use super::{called, compositions};
use crate::facts::Facts;
use crate::lint::{Check, Edit, Findings, Group, Level, Lint};
use crate::wording::quoted;
use pack::model::Step;

pub(super) const LINT: Lint = Lint {
    id: "malformed-reference",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a reference is not written as `${input.field}` or `${step.output.field}`",
    why: "Runtimes know dotted names alone: no indexes, no expressions. They refuse the composition or pass the \
          text on as it stands.",
    fix: "Write `${`, then `input` or a step id and `output`, then names with dots between them, then `}`.",
    example: r#""input": { "first": "${search.output.items[0]}" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for steps in compositions(pack) {
        for placed in steps.all() {
            for site in sites(placed.step) {
                check_site(&steps, placed.step, site, findings);
            }
        }
    }
}

fn check_site(steps: &Steps<'_>, step: Step<'_>, site: Site<'_>, findings: &mut Findings<'_>) {
    let found = references(site.text);
    let mut fine = true;
    for reference in &found {
        fine &= check_reference(steps, step, site, reference, findings);
    }
    let whole = found.len() == 1 && found[0].text.len() == site.text.trim().len();
    match site.kind {
        SiteKind::PredicatePath if fine && !whole => report_bare(steps, step, site, findings),
        SiteKind::Input if found.is_empty() && names_value(steps, site.text) => {
            report_bare(steps, step, site, findings);
        }
        _ => {}
    }
}

/// Whether the text is the path of a value, only without `${` and `}`.
fn names_value(steps: &Steps<'_>, text: &str) -> bool {
    ValuePath::parse(text.trim()).is_some_and(|path| {
        let is_output = |(id, _): (&str, &[&str])| steps.find(id).is_some();
        path.root == "input" || path.step_output().is_some_and(is_output)
    })
}

/// Reports one reference; whether it was fine.
fn check_reference(
    steps: &Steps<'_>,
    step: Step<'_>,
    site: Site<'_>,
    reference: &Reference<'_>,
    findings: &mut Findings<'_>,
) -> bool {
    let (step, text) = (called(step), reference.text);
    let Some(path) = &reference.path else {
        findings
            .report_part(
                site.node,
                reference.span,
                format!("step `{step}` holds {}, which is no reference", quoted(text)),
            )
            .help(repair(text));
        return false;
    };
    if path.root == "input" || path.step_output().is_some() || steps.find(path.root).is_none() {
        return true;
    }
    let fields: String = path.parts.iter().map(|part| format!(".{part}")).collect();
    let meant = format!("${{{}.output{fields}}}", path.root);
    let edit = Edit { span: site.node.span_within(reference.span), replacement: meant.clone() };
    findings
        .report_part(
            site.node,
            reference.span,
            format!("`{text}` lacks `output` after the step `{}`", path.root),
        )
        .suggest(Some(&meant))
        .suggested_fix(vec![edit]);
    false
}

/// What to write instead, by what the reference holds.
fn repair(text: &str) -> &'static str {
    match text {
        _ if !text.ends_with('}') => "close the reference with `}` on the same line",
        _ if text.contains('[') => "there are no indexes: let a step give the single item, and read that",
        _ if text.contains('-') => "names hold letters, digits and `_`, no hyphen",
        _ => "write `${input.field}` or `${step.output.field}`, without expressions",
    }
}

fn report_bare(steps: &Steps<'_>, step: Step<'_>, site: Site<'_>, findings: &mut Findings<'_>) {
    let (step, text) = (called(step), site.text.trim());
    let what = if site.kind == SiteKind::Input { "input" } else { "predicate path" };
    let draft = findings
        .report(site.node, format!("{what} {} of step `{step}` is not one whole reference", quoted(text)));
    draft.help("write one reference and nothing around it: `${step.output.field}`");
    if names_value(steps, text) {
        let meant = format!("${{{text}}}");
        let edit = Edit { span: site.node.span(), replacement: format!("\"{meant}\"") };
        draft.suggest(Some(&meant)).suggested_fix(vec![edit]);
    }
}
