//! Packs that moved to a place where other settings count.

use rules::{LINTS, Level};

use super::Draft;
use super::loosened::{changes, host_variables};
use crate::judge::Settings;
use crate::report::FindingView;
use crate::weigh::level_of;

/// A pack and the settings that count for it.
#[derive(Clone, Copy)]
pub struct Judging<'a> {
    /// Its path from the root of the repository.
    pub path: &'a str,
    /// The settings.
    pub settings: Settings<'a>,
    /// The path of the file that they come from; none where every default holds.
    pub file: Option<&'a str>,
}

/// The finding `policy-loosened` on a pack that moved from where other settings file counts; none where what counts
/// now asks no less.
pub fn moved_to_easier(pack: &str, old: Judging<'_>, new: Judging<'_>) -> Option<FindingView> {
    let level = |side: Judging<'_>, lint| level_of(lint, side.settings.relative(side.path), side.settings);
    let lowered = LINTS.iter().map(|lint| (lint.id, level(old, lint), level(new, lint)));
    let lints = lowered
        .filter(|(_, before, after)| after < before)
        .map(|(id, before, after)| format!("`{id}` is {after} and was {before}"));
    let (before, after) = (old.settings.repository, new.settings.repository);
    let others = changes(before, after).into_iter().chain(host_variables(before, after));
    let easier: Vec<String> = others.map(|loosening| loosening.message).chain(lints).collect();
    let first = easier.first()?;
    let rest = match easier.len() - 1 {
        0 => String::new(),
        1 => ", and one more thing".to_owned(),
        count => format!(", and {count} more things"),
    };
    let shown = |side: Judging<'_>| match side.file {
        Some(file) => format!("`{file}`"),
        None => "the defaults".to_owned(),
    };
    let draft = Draft {
        rule: "policy-loosened",
        default: Level::Warn,
        message: format!(
            "the pack moved from `{}`, and {} asks less of it than {} did: {first}{rest}",
            old.path,
            shown(new),
            shown(old)
        ),
        help: Some(
            "let somebody who owns the policy approve this, or move the settings with the pack".to_owned(),
        ),
        pack,
        pointer: String::new(),
        place: String::new(),
        value: old.path.to_owned(),
    };
    draft.finish(new.path, new.settings)
}
