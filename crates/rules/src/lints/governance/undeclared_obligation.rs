//! Flags reviews that satisfy obligations nobody declares.

use std::collections::BTreeSet;

use super::Effective;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::similar::Guesser;

pub(super) const LINT: Lint = Lint {
    id: "undeclared-obligation",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a review satisfies an obligation that the governance does not declare",
    why: "The claim cannot be checked: nothing says what the review is for.",
    fix: "Declare the obligation, or correct its id. The governance of an agent replaces the fields of the pack one by one.",
    example: r#""reviews": [{ "id": "yearly", "satisfies": ["oversigt"] }]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    let mut of_pack = BTreeSet::new();
    for effective in Effective::all(pack) {
        let ids: BTreeSet<&str> =
            effective.list("obligations").filter_map(|obligation| obligation.text("id")).collect();
        for (id, node) in effective.own.list("reviews").flat_map(|review| review.texts("satisfies")) {
            if !ids.contains(id) {
                findings
                    .report(node, format!("the governance has no obligation `{id}`"))
                    .help("name the `id` of an obligation")
                    .suggest_for(node, guesser.closest(id, ids.iter().copied()));
            }
        }
        if effective.is_of_pack {
            of_pack = ids;
        } else {
            check_inherited(&effective, &ids, &of_pack, findings);
        }
    }
}

/// An agent that replaces the obligations but keeps the reviews of the pack.
fn check_inherited(
    effective: &Effective<'_>,
    ids: &BTreeSet<&str>,
    of_pack: &BTreeSet<&str>,
    findings: &mut Findings<'_>,
) {
    let Some(obligations) = effective.own.get("obligations") else { return };
    if effective.own.get("reviews").is_some() {
        return;
    }
    let named = effective.list("reviews").flat_map(|review| review.texts("satisfies"));
    let lost: BTreeSet<&str> =
        named.map(|(id, _)| id).filter(|id| !ids.contains(id) && of_pack.contains(id)).collect();
    if let Some(first) = lost.first() {
        findings
            .report_key(
                obligations,
                format!("these replace the obligations of the pack, whose reviews still satisfy `{first}`"),
            )
            .help("repeat the obligation, or give the agent `reviews` of its own");
    }
}
