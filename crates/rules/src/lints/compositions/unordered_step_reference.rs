//! Flags references to steps that may not have run.

use super::steps::{Steps, end, start};
use super::{OutputRead, called, compositions, output_reads};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "unordered-step-reference",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a step reads the output of a step that may not have run",
    why: "Steps inside a parallel run at the same time, and of a branch only one side runs: the output is there on \
          some runs and missing on others.",
    fix: "List the step under `depends_on`, or read the merged output of the parallel step.",
    example: r#""branches": [{ "id": "a" }, { "id": "b", "input": "${a.output}" }]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for steps in compositions(pack) {
        let order = steps.order(true);
        if order.is_cyclic() || steps.has_unknown_names() {
            continue;
        }
        // What runs later has a lint of its own, and so has a join that says nothing.
        let reads = output_reads(&steps);
        let backward: Vec<_> = reads.iter().map(|read| (start(read.reader.index), end(read.read))).collect();
        let forward: Vec<_> = reads.iter().map(|read| (end(read.read), start(read.reader.index))).collect();
        let later = order.leads(&backward);
        let earlier = steps.order(false).leads(&forward);
        for (index, read) in reads.iter().enumerate() {
            let inside = steps.all()[read.read].parallel.is_some();
            let explained = !inside && steps.unstated_join(&read.reader).is_some();
            if !later[index] && !earlier[index] && !explained {
                report(&steps, read, findings);
            }
        }
    }
}

fn report(steps: &Steps<'_>, read: &OutputRead<'_>, findings: &mut Findings<'_>) {
    let (step, text, id) = (called(read.reader.step), read.reference.text, steps.id(read.read));
    let parallel = steps.all()[read.read].parallel;
    let (why, help) = match parallel {
        Some(outer) if read.reader.parallel == Some(outer) => (
            format!("but `{id}` runs beside it, in the same parallel step"),
            format!("list `{id}` under `depends_on`, or take one of the two out of the parallel step"),
        ),
        Some(outer) => {
            let (outer, into) = (steps.id(outer), merged_field(steps, outer));
            (
                format!("which runs inside the parallel step `{outer}`"),
                format!("read the merged value, `${{{outer}.output.{into}}}`"),
            )
        }
        None => (
            format!("but `{id}` may not have run before it"),
            format!("list `{id}` under `depends_on`; of a branch, each side reads its own steps only"),
        ),
    };
    findings
        .report_part(read.site.node, read.reference.span, format!("step `{step}` reads `{text}`, {why}"))
        .help(help);
}

/// The field under which a parallel step gives its merged value.
fn merged_field<'a>(steps: &Steps<'a>, parallel: usize) -> &'a str {
    steps.all()[parallel].step.get("reduce").and_then(|reduce| reduce.text("into")).unwrap_or("field")
}
