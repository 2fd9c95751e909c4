//! What the gate itself says of settings, as it documents itself.

use rules::Level;
use serde::Serialize;

/// A rule that looks neither at one pack nor at two versions of it, but at the settings they are judged by.
///
/// As JSON it has the form that rules have everywhere, of the kind `gate`.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename = "gate")]
pub struct GateRule {
    /// Its name.
    pub id: &'static str,
    /// Its level.
    pub level: Level,
    /// What it flags, in a few words.
    pub summary: &'static str,
    /// Why that matters.
    pub why: &'static str,
    /// What to do.
    pub fix: &'static str,
}

/// Every rule of the gate that is neither a lint nor a change rule.
pub const GATE_RULES: [GateRule; 2] = [
    GateRule {
        id: "allow-invalid",
        level: Level::Error,
        summary: "an `[[allow]]` entry names a rule or a place that its fingerprint does not have",
        why: "The entry accepts something else than it says, so whoever reads it approves the wrong thing.",
        fix: "Copy rule, place and fingerprint from one finding, or leave rule and place out.",
    },
    GateRule {
        id: "policy-loosened",
        level: Level::Warn,
        summary: "`packhouse.toml` asks for less than it does in the base, or a pack moved to where less is asked",
        why: "A change that loosens the gate beside what the gate would have refused must not pass unseen.",
        fix: "Let somebody who owns the policy approve it, or judge by the settings of the base: `--policy-from base`.",
    },
];

/// The rule of that name.
pub fn find_gate_rule(id: &str) -> Option<&'static GateRule> {
    GATE_RULES.iter().find(|rule| rule.id == id)
}
