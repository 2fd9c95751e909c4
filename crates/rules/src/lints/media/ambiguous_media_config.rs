//! Flags settings of custom media types that fit several shapes.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::schema::SchemaProblemKind;

pub(super) const LINT: Lint = Lint {
    id: "ambiguous-media-config",
    group: Group::Portability,
    level: Level::Warn,
    summary: "the settings of a custom media type fit several shapes",
    why: "The schemas ask for exactly one of five shapes, so validators refuse a block that only has what they share.",
    fix: "Add a `validation_params` object, which only the generic shape has.",
    example: r#""media": { "enabled": true, "hologram": { "max_size_mb": 5 } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for problem in &pack.schema_problems {
        if problem.kind == SchemaProblemKind::AmbiguousMedia {
            let draft = findings.report_at(&problem.pointer, problem.message.clone());
            if let Some(help) = &problem.help {
                draft.help(help.clone());
            }
        }
    }
}
