//! Names of rules in settings: what is no rule, and what stands in the wrong table.

use pack::similar::closest;
use rules::{CHANGES, Group, LINTS, find_change, find_lint};

use super::error::SettingsError;

/// Refuses ids that no rule has.
pub(super) fn check_rule_names(names: &[String], key: &str) -> Result<(), SettingsError> {
    let is_rule = |name: &str| find_lint(name).is_some() || find_change(name).is_some();
    match names.iter().find(|name| !is_rule(name)) {
        Some(name) => Err(unknown_rule(key, name)),
        None => Ok(()),
    }
}

/// The complaint about a name below `table` that is no lint and no group.
pub(super) fn no_lint(table: &str, name: &str) -> SettingsError {
    let key = format!("{table}.{name}");
    if find_change(name).is_none() {
        return unknown_rule(&key, name);
    }
    let policy = policy_of(table);
    SettingsError::new(key, format!("`{name}` is a change rule, and `[{table}]` sets lints"))
        .help(format!("write `{name} = {{ level = \"…\" }}` under `[{policy}changes.rules]`"))
}

/// The complaint about a name below `table` that is no change rule.
pub(super) fn no_change_rule(table: &str, name: &str) -> SettingsError {
    let key = format!("{table}.{name}");
    let is_group = Group::ALL.iter().any(|group| group.as_str() == name);
    if find_lint(name).is_none() && !is_group {
        return unknown_rule(&key, name);
    }
    let (policy, what) = (policy_of(table), if is_group { "a group of lints" } else { "a lint" });
    SettingsError::new(key, format!("`{name}` is {what}, and `[{table}]` sets change rules"))
        .help(format!("write `{name} = \"…\"` with a level under `[{policy}lints]`"))
}

/// The operator's tables stand below `policy`.
fn policy_of(table: &str) -> &'static str {
    if table.starts_with("policy.") { "policy." } else { "" }
}

fn unknown_rule(key: &str, name: &str) -> SettingsError {
    let known = LINTS.iter().map(|lint| lint.id).chain(CHANGES.iter().map(|rule| rule.id));
    let groups = Group::ALL.iter().map(|group| group.as_str());
    let error = SettingsError::new(key, format!("there is no rule `{name}`"));
    match closest(name, known.chain(groups)) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help("`packhouse rules` lists them"),
    }
}

#[cfg(test)]
mod tests {
    use crate::settings::RepositorySettings;

    /// What is said of settings with one line below one table.
    fn check(table: &str, line: &str, message: &str, help: &str) {
        let text = format!("[{table}]\n{line}\n");
        let error = RepositorySettings::parse(&text).expect_err("settings that cannot be used");
        assert_eq!(
            (error.line, error.message.as_str(), error.help.as_deref()),
            (Some(2), message, Some(help))
        );
    }

    #[test]
    fn a_rule_in_the_wrong_table_is_sent_to_the_right_one() {
        check(
            "lints",
            "prompt-version-not-bumped = \"off\"",
            "`prompt-version-not-bumped` is a change rule, and `[lints]` sets lints",
            "write `prompt-version-not-bumped = { level = \"…\" }` under `[changes.rules]`",
        );
        check(
            "changes.rules",
            "unused-variable = \"off\"",
            "`unused-variable` is a lint, and `[changes.rules]` sets change rules",
            "write `unused-variable = \"…\"` with a level under `[lints]`",
        );
        check(
            "changes.rules",
            "style = \"off\"",
            "`style` is a group of lints, and `[changes.rules]` sets change rules",
            "write `style = \"…\"` with a level under `[lints]`",
        );
        check(
            "lints",
            "unused-varable = \"off\"",
            "there is no rule `unused-varable`",
            "did you mean `unused-variable`?",
        );
        check("changes.rules", "zzz = \"off\"", "there is no rule `zzz`", "`packhouse rules` lists them");
    }
}
