//! Entries of the root settings file that name a pack which the repository does not hold.

use std::collections::{BTreeMap, BTreeSet};

use pack::similar::closest;
use rules::Level;
use serde::Deserialize;
use serde::de::IgnoredAny;
use toml::Spanned;

use super::Draft;
use crate::judge::Settings;
use crate::report::FindingView;

/// The tables of a settings file that name packs.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Tables {
    channels: BTreeMap<String, IgnoredAny>,
    yank: Vec<Spanned<Entry>>,
    deprecate: Vec<Spanned<Entry>>,
    sunset: Vec<Spanned<Entry>>,
    renamed: Vec<Spanned<Entry>>,
}

/// What names a pack in an entry: `pack`, or where one got another id, `to`.
#[derive(Deserialize)]
struct Entry {
    #[serde(alias = "to")]
    pack: String,
}

/// A pack as a settings file names it.
struct Named {
    pointer: String,
    heading: String,
    pack: String,
    line: u32,
}

/// The findings on entries about packs that are not among `held`, all packs of the repository, in the order of the
/// file. `text` is that of the root settings file `file`; entries elsewhere do not count.
pub fn unknown_packs(
    text: &str,
    file: &str,
    held: &BTreeSet<&str>,
    settings: Settings<'_>,
) -> Vec<FindingView> {
    let mut named = named(text);
    named.retain(|named| !held.contains(named.pack.as_str()));
    named.sort_by_key(|named| named.line);
    named.into_iter().filter_map(|named| finding(named, file, held, settings)).collect()
}

fn named(text: &str) -> Vec<Named> {
    // What cannot be read is told where the settings are.
    let tables: Tables = toml::from_str(text).unwrap_or_default();
    let lists = [
        ("yank", tables.yank),
        ("deprecate", tables.deprecate),
        ("sunset", tables.sunset),
        ("renamed", tables.renamed),
    ];
    let mut all = Vec::new();
    for (key, entries) in lists {
        all.extend(entries.into_iter().enumerate().map(|(at, entry)| Named {
            pointer: format!("/{key}/{at}"),
            heading: format!("[[{key}]]"),
            line: text[..entry.span().start.min(text.len())].matches('\n').count() as u32 + 1,
            pack: entry.into_inner().pack,
        }));
    }
    all.extend(tables.channels.into_keys().map(|pack| {
        let is_there = |line: &str| line.trim_start().starts_with("[channels") && line.contains(&pack);
        Named {
            pointer: format!("/channels/{pack}"),
            heading: format!("[channels.{pack}]"),
            line: text.lines().position(is_there).map_or(1, |line| line as u32 + 1),
            pack,
        }
    }));
    all
}

fn finding(named: Named, file: &str, held: &BTreeSet<&str>, settings: Settings<'_>) -> Option<FindingView> {
    let Named { pointer, heading, pack, line } = named;
    let help = match closest(&pack, held.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "correct the id, or remove the entry".to_owned(),
    };
    let draft = Draft {
        rule: "unknown-pack",
        default: Level::Warn,
        message: format!("`{heading}` speaks of the pack `{pack}`, which the repository does not hold"),
        help: Some(help),
        pack: &pack,
        pointer: pointer.clone(),
        place: pointer,
        value: String::new(),
    };
    let mut finding = draft.finish(file, settings)?;
    (finding.line, finding.end_line) = (line, line);
    (finding.column, finding.end_column) = (1, heading.len() as u32 + 1);
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Policy, RepositorySettings};

    #[test]
    fn every_entry_that_names_no_pack_of_the_repository_is_told() {
        let text = "[[yank]]\npack = \"suport\"\nversions = \"=1.3.0\"\nreason = \"wrong\"\n\
                    [[deprecate]]\npack = \"support\"\nversions = \"<1\"\nreason = \"old\"\n\
                    [[sunset]]\npack = \"other\"\nplace = \"/prompts/x\"\nuntil = \"2.0.0\"\n\
                    [[renamed]]\nfrom = \"help\"\nto = \"suppport\"\n\
                    [channels.suporrt]\nstable = \"1.0.0\"\n";
        let repository = RepositorySettings::parse(text).expect("settings");
        let (policy, today) = (Policy::default(), jiff::civil::date(2027, 3, 1));
        let settings = Settings { repository: &repository, base: "", policy: &policy, today, spec: None };
        let findings = unknown_packs(text, "packhouse.toml", &BTreeSet::from(["support"]), settings);
        let told = |found: &FindingView| format!("{} {} {}", found.line, found.pointer, found.pack);
        assert_eq!(
            findings.iter().map(told).collect::<Vec<_>>(),
            [
                "1 /yank/0 suport",
                "9 /sunset/0 other",
                "13 /renamed/0 suppport",
                "16 /channels/suporrt suporrt"
            ]
        );
        assert_eq!(findings[0].help.as_deref(), Some("did you mean `support`?"));
    }
}
