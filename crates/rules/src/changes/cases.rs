//! Where a change asks for another bump than its rule does in general, in the words of the documentation.
//!
//! The rules themselves decide that; a test holds this list against every change of every fixture.

use crate::change::Bumps;

/// Other bumps that a rule may give, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    /// The bumps of that case.
    pub bumps: Bumps,
    /// When it applies: the end of a sentence that begins with the bumps.
    pub when: &'static str,
}

/// Rules with the bumps that they share in one case.
type Row = (&'static [&'static str], &'static str, &'static str);

const ROWS: &[Row] = &[
    (
        &["event-removed", "event-renamed", "event-target-changed"],
        "pmM",
        "where the runtime or a composition fires the event (`orchestration` is `internal`, the default, or \
         `composition`): no caller is refused",
    ),
    (
        &[
            "composition-added",
            "composition-removed",
            "event-added",
            "event-removed",
            "event-renamed",
            "event-target-changed",
            "state-added",
            "state-removed",
            "step-added",
            "step-removed",
            "step-renamed",
            "tool-added",
            "tool-removed",
        ],
        "ppp",
        "where no run could reach it",
    ),
    (&["composition-input-schema-added"], "ppp", "where the schema takes everything"),
    (&["composition-output-step-changed"], "pmm", "where both steps give values of one schema"),
    (&["composition-output-step-changed"], "ppp", "where no run could reach it"),
    (&["fragment-changed"], "ppp", "where no template uses the fragment"),
    (&["media-type-added", "media-type-removed"], "ppp", "where the prompt takes no media in either version"),
    (&["prompt-description-changed", "prompt-name-changed"], "pmm", "where the prompt's agent card shows it"),
    (
        &["prompt-template-changed"],
        "MMM",
        "where the text is too long or its fragments lie too deep to be compared: nothing can be excluded",
    ),
    (&["provider-renamed", "provider-role-changed"], "pmm", "where the provider is optional"),
    (&["state-composition-changed"], "pmm", "where both compositions take and give the same"),
    (&["state-on-max-visits-changed"], "ppp", "where the state has no `max_visits`"),
    (
        &[
            "prompt-provider-changed",
            "state-prompt-changed",
            "step-branch-target-changed",
            "step-provider-changed",
            "step-target-changed",
        ],
        "MMM",
        "where the pack declares nothing of the new name",
    ),
    (&["state-prompt-changed"], "MMM", "where the other prompt needs variables that the first one does not"),
    (&["step-reducer-changed"], "MMM", "where the step's results are the composition's output"),
    (&["tool-description-changed"], "ppp", "where no prompt lists the tool"),
    (
        &["tool-param-removed", "tool-param-renamed"],
        "MMM",
        "where arguments that were valid are refused: the parameter is required, or no other one is allowed",
    ),
    (
        &["validator-id-added", "validator-id-changed", "validator-id-removed"],
        "pmM",
        "where an obligation names the validator",
    ),
    (
        &["variable-became-required"],
        "pMM",
        "where the text needed the variable already, so that no call without it was whole",
    ),
    (&["variable-binding-removed"], "pmm", "where no call needs the variable"),
    (&["variable-binding-source-changed"], "ppp", "where nothing fills the variable in by its binding"),
    (&["variable-binding-source-changed"], "pmm", "where the variable is optional"),
    (&["variable-default-removed"], "pmm", "where the runtime fills the variable in"),
    (&["variable-renamed"], "mMM", "where calls are whole without the variable"),
    (&["variable-required-added"], "pMM", "where no call of the older version rendered"),
];

/// The other bumps that a rule may give.
pub fn cases(rule: &str) -> impl Iterator<Item = Case> {
    let of_rule = ROWS.iter().filter(move |(rules, ..)| rules.contains(&rule));
    of_rule.map(|(_, table, when)| Case { bumps: Bumps::table(table), when })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_belongs_to_rules_that_give_other_bumps_in_general() {
        for (rules, table, when) in ROWS {
            for id in *rules {
                let rule = crate::find_change(id).unwrap_or_else(|| panic!("no rule `{id}`"));
                assert_ne!(rule.bumps, Bumps::table(table), "{id}: {when}");
            }
        }
    }
}
