//! Flags what the declared version accepts and the newest one refuses.

use pack::{Pointer, SpecVersion};

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "newer-spec-mismatch",
    group: Group::Portability,
    level: Level::Warn,
    summary: "valid by the declared version, refused by the newest",
    why: "Runtimes judge packs by the version they know, and few look at `$schema`: one that follows the newest version refuses this pack.",
    fix: "Write the value in the form that the newest version asks for.",
    example: r#""$schema": "https://promptpack.org/schema/v1.3.0/promptpack.schema.json", … "orchestration": "by hand""#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let newest = SpecVersion::NEWEST;
    if pack.spec() >= newest {
        return;
    }
    let refused: Vec<&Pointer> = pack.schema_problems.iter().map(|problem| &problem.pointer).collect();
    let is_refused =
        |pointer: &Pointer| refused.iter().any(|known| pointer.is_within(known) || known.is_within(pointer));
    for problem in pack::schema::check(pack.pack.document(), newest) {
        if is_refused(&problem.pointer) {
            continue;
        }
        let message = format!("valid by spec {}, refused by {newest}: {}", pack.spec(), problem.message);
        let draft = findings.report_at(&problem.pointer, message);
        if let Some(help) = problem.help {
            draft.help(help);
        }
    }
}
