//! Flags keys of open objects that are close to a field of the format.

use std::collections::BTreeSet;

use pack::Node;
use pack::schema::Described;
use pack::similar::closest;

use crate::facts::Facts;
use crate::lint::{Check, Edit, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "misspelled-field",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "an unknown key that is close to a field of the format",
    why: "The object is open, so no schema refuses the key, and no runtime reads it.",
    fix: "Correct the spelling; put keys of your own under a prefix such as `x-` or `acme.`.",
    example: r#""metadata": { "Tags": ["support"] }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for described in pack.described().iter().filter(|described| described.is_open()) {
        for (key, member) in described.node.members() {
            if !described.knows(key) && !is_prefixed(key) {
                let known: BTreeSet<&str> = described.known_keys().collect();
                check_key(described, &known, key, member, findings);
            }
        }
    }
}

fn check_key(
    described: &Described<'_>,
    known: &BTreeSet<&str>,
    key: &str,
    member: Node<'_>,
    findings: &mut Findings<'_>,
) {
    // Where the field is required, its absence is reported already.
    let required: BTreeSet<&str> = described.required_keys().collect();
    let absent = known
        .iter()
        .copied()
        .filter(|known| described.node.get(known).is_none() && !required.contains(known));
    let same = absent.clone().find(|known| plain(known) == plain(key));
    let Some(meant) = same.or_else(|| closest(key, absent)) else { return };
    let draft = findings.report_key(member, format!("no runtime reads the key {}", quoted(key)));
    draft.suggest(Some(meant));
    if let Some(span) = member.key_span() {
        draft.suggested_fix(vec![Edit { span, replacement: format!("\"{meant}\"") }]);
    }
}

/// Whether a key is marked as an addition of another party.
fn is_prefixed(key: &str) -> bool {
    key.contains(['.', '/', ':']) || key.starts_with("x-") || key.starts_with("x_")
}

/// The letters of a key alone, in lower case.
fn plain(key: &str) -> String {
    key.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}
