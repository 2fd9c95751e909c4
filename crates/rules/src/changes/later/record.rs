//! Fields of a governance declaration that people read and no runtime acts on.

use super::effective::Subject;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::report::{At, Changes};
use crate::changes::value::{sorted, written};

/// A field of the record that changed.
const fn changed(id: &'static str, summary: &'static str, why: &'static str) -> ChangeRule {
    ChangeRule {
        id,
        bumps: Bumps::table("ppm"),
        suggest: None,
        class: Class::Docs,
        certainty: Certainty::Proven,
        affected: &[Affected::Operator],
        safety: false,
        governance: true,
        summary,
        why,
        fix: "Tell operators what moved; they may have to review their approval before they upgrade.",
        mirror: Mirror::Itself,
    }
}

pub(super) const PURPOSE_CHANGED: ChangeRule = changed(
    "governance-purpose-changed",
    "the intended purpose changed",
    "Approvals are given for a purpose: an operator who approved the old one has not approved the new one. No run is affected.",
);

pub(super) const OWNER_CHANGED: ChangeRule = changed(
    "governance-owner-changed",
    "another party answers for the pack",
    "Operators report incidents to the owner that is declared. No run is affected.",
);

pub(super) const OPERATOR_ROLE_CHANGED: ChangeRule = changed(
    "governance-operator-role-changed",
    "the role of the operator changed",
    "The role decides which duties of the law fall on the operator. No run is affected.",
);

pub(super) const RISK_CHANGED: ChangeRule = changed(
    "governance-risk-changed",
    "the risk classification changed",
    "The class decides which checks an operator owes before and after deployment. No run is affected.",
);

pub(super) const CONTEXTS_CHANGED: ChangeRule = changed(
    "governance-contexts-changed",
    "the intended deployment contexts changed",
    "Approvals are given for contexts: an operator in one that is no longer named acts outside the declaration. No run is affected.",
);

pub(super) const CAPABILITIES_CHANGED: ChangeRule = changed(
    "governance-capabilities-changed",
    "the declared capabilities changed",
    "Operators judge from the capabilities which rules apply to the pack. No run is affected.",
);

/// The rules with their fields, and how a message names them.
const FIELDS: [(&ChangeRule, &str, &str); 6] = [
    (&PURPOSE_CHANGED, "intended_purpose", "intended purpose"),
    (&OWNER_CHANGED, "accountable_owner", "accountable owner"),
    (&OPERATOR_ROLE_CHANGED, "operator_role", "operator role"),
    (&RISK_CHANGED, "risk_classification", "risk classification"),
    (&CONTEXTS_CHANGED, "intended_deployment_contexts", "intended deployment contexts"),
    (&CAPABILITIES_CHANGED, "capabilities", "declared capabilities"),
];

/// States which fields of the record moved.
pub(super) fn compare<'a>(subject: &Subject<'a>, changes: &mut Changes<'a>) {
    for (rule, field, what) in FIELDS {
        let [old, new] = subject.field(field);
        let is_list = [old, new].into_iter().flatten().all(|node| node.is_array());
        let same = if is_list { sorted(old) == sorted(new) } else { written(old) == written(new) };
        if !same {
            let verb = match (old, new) {
                (None, _) => "is declared",
                (_, None) => "is no longer declared",
                _ => "changed",
            };
            let verb = if what.ends_with('s') { verb.replace("is ", "are ") } else { verb.to_owned() };
            let message = format!("the {what} of {} {verb}", subject.of);
            changes.report(rule, At::either(old, new), message);
        }
    }
}
