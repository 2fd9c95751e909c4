//! Flags references to steps that run later.

use super::steps::{Steps, end, start};
use super::{OutputRead, called, compositions, output_reads};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "later-step-reference",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a step reads the output of itself or of a step that runs after it",
    why: "When the step starts, that output does not exist yet, on any run.",
    fix: "Read the output of a step before this one, or move the step.",
    example: r#"{ "id": "draft", "kind": "prompt", "prompt_task": "draft", "input": "${review.output}" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for steps in compositions(pack) {
        let reads = output_reads(&steps);
        let later = run_later(&steps, &reads);
        for (read, _) in reads.iter().zip(later).filter(|(_, later)| *later) {
            report(&steps, read, findings);
        }
    }
}

/// For each read, whether the step that is read starts or ends only after the reading one has begun.
fn run_later(steps: &Steps<'_>, reads: &[OutputRead<'_>]) -> Vec<bool> {
    let order = steps.order(true);
    if order.is_cyclic() {
        // Said by `cyclic-step`; only what reads itself is certain.
        return reads.iter().map(|read| read.reader.index == read.read).collect();
    }
    // A reader inside a parallel step leads to the end of that step, which is not its start.
    let pairs: Vec<_> = reads.iter().map(|read| (start(read.reader.index), end(read.read))).collect();
    order.leads(&pairs)
}

fn report(steps: &Steps<'_>, read: &OutputRead<'_>, findings: &mut Findings<'_>) {
    let (step, text, id) = (called(read.reader.step), read.reference.text, steps.id(read.read));
    let why = match () {
        () if read.reader.index == read.read => "which is its own output".to_owned(),
        () if read.reader.parallel == Some(read.read) => format!("but runs inside `{id}`"),
        () => format!("but `{id}` runs after it"),
    };
    findings
        .report_part(read.site.node, read.reference.span, format!("step `{step}` reads `{text}`, {why}"))
        .help("read the output of a step before this one, or move the step");
}
