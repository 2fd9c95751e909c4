//! Groups that lead nowhere: nothing stops a registry with them, and most are misspelt.

use std::collections::BTreeSet;

use pack::similar::closest;
use registry::RegistrySettings;
use registry::settings::AuthSettings;

/// What is doubtful about the groups that sources and webhooks name.
pub(super) fn doubts(settings: &RegistrySettings) -> Vec<String> {
    let mut doubts = Vec::new();
    // Without `[auth]` nobody is in any group.
    let held = settings.auth.as_ref().map_or(Some(BTreeSet::new()), AuthSettings::groups);
    for source in &settings.sources {
        for (group, near) in held.iter().flat_map(|held| strangers(&source.readers, held)) {
            let what = near.unwrap_or_else(|| "name it in the `groups` of an `[[auth.token]]`".to_owned());
            doubts.push(format!(
                "source {}: no token is in the group `{group}` of its `readers`: {what}",
                source.name
            ));
        }
    }
    let readers: BTreeSet<&str> =
        settings.sources.iter().flat_map(|source| &source.readers).map(String::as_str).collect();
    for (webhook, number) in settings.webhooks.iter().zip(1..) {
        for (group, near) in strangers(&webhook.groups, &readers) {
            let what = near.unwrap_or_else(|| "it shows the webhook nothing more".to_owned());
            doubts.push(format!("webhook {number}: no source has readers of the group `{group}`: {what}"));
        }
    }
    doubts
}

/// The groups that are not among those that are there, each with the one that may be meant.
fn strangers<'g>(named: &'g [String], there: &BTreeSet<&str>) -> Vec<(&'g str, Option<String>)> {
    let strange = named.iter().map(String::as_str).filter(|group| !there.contains(group));
    let meant = |group| closest(group, there.iter().copied()).map(|near| format!("did you mean `{near}`?"));
    strange.map(|group| (group, meant(group))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(doubts(&RegistrySettings::parse(text).expect("settings")), expected, "{text}");
    }

    const HEX: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

    #[test]
    fn a_group_that_nobody_has_is_doubtful() {
        let source =
            |readers: &str| format!("[[source]]\nname = \"packs\"\npath = \"p\"\nreaders = [{readers}]\n");
        let token = format!(
            "[[auth.token]]\nname = \"ci\"\nsha256 = \"{HEX}\"\nscopes = [\"read\"]\ngroups = [\"payments\"]\n"
        );
        check(&(token.clone() + &source("\"payments\"")), &[]);
        check(
            &(token.clone() + &source("\"paymnets\", \"risk\"")),
            &[
                "source packs: no token is in the group `paymnets` of its `readers`: did you mean `payments`?",
                "source packs: no token is in the group `risk` of its `readers`: name it in the `groups` of an \
                 `[[auth.token]]`",
            ],
        );
        let nobody = "source packs: no token is in the group `risk` of its `readers`: name it in the `groups` of an `[[auth.token]]`";
        check(&source("\"risk\""), &[nobody]);
        let proxy = "[auth.proxy]\nuser_header = \"X-User\"\ntrusted = [\"127.0.0.1\"]\n";
        check(&format!("{proxy}{}", source("\"risk\"")), &[nobody]);
        check(&format!("{proxy}groups_header = \"X-Groups\"\n{}", source("\"risk\"")), &[]);
        let hook = "[[webhook]]\nurl = \"https://chat.example.org/\"\nsecret_env = \"HOOK\"\ngroups = [\"payment\"]\n";
        check(
            &(token + hook + &source("\"payments\"")),
            &["webhook 1: no source has readers of the group `payment`: did you mean `payments`?"],
        );
    }
}
