//! Flags states that filter for skills the pack does not have.

use std::collections::BTreeSet;

use crate::facts::{Facts, SkillFacts};
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::model::SkillForm;
use pack::similar::Guesser;
use pack::tree::{folder, join};
use regex::Regex;

pub(super) const LINT: Lint = Lint {
    id: "undeclared-skill",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a state filters for skills that the pack does not have",
    why: "The filter leaves nothing: in that state the agent works without any skill.",
    fix: "Write the path of one of the pack's `skills`, a folder above several, or `none`.",
    example: r#""skills": ["./skills/billing"] … "states": { "pay": { "skills": "./skills/payment" } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    let Some(workflow) = pack.pack.workflow() else { return };
    let mut names = None;
    for state in workflow.states() {
        let Some(node) = state.get("skills") else { continue };
        let Some(filter) = node.as_str().filter(|filter| !filter.eq_ignore_ascii_case("none")) else {
            continue;
        };
        let names = names.get_or_insert_with(|| SkillNames::of(pack));
        if names.covers(filter) {
            continue;
        }
        let message =
            format!("state `{}` filters for `{filter}`, which covers no entry of `skills`", state.name_key());
        findings
            .report(node, message)
            .help("name a path of the pack's `skills`, a folder above several, or `none`")
            .suggest(guesser.closest(filter, names.written.iter().copied()));
    }
}

/// Everything by which a filter can name a skill of the pack.
struct SkillNames<'a> {
    /// Paths and names as the pack writes them.
    written: Vec<&'a str>,
    /// The same and the folders of the documents found there, without `./` and a last `/`.
    names: BTreeSet<String>,
    /// Sources whose content is not known: whatever lies below one may be there.
    unread: BTreeSet<String>,
}

impl<'a> SkillNames<'a> {
    fn of(pack: &Facts<'a>) -> SkillNames<'a> {
        let mut names = SkillNames { written: Vec::new(), names: BTreeSet::new(), unread: BTreeSet::new() };
        for skill in pack.skills() {
            names.add(pack, skill);
        }
        names
    }

    fn add(&mut self, pack: &Facts<'a>, skill: &SkillFacts<'a>) {
        let (written, inline) = match skill.form {
            Some(SkillForm::Path(text, _) | SkillForm::Package(text, _)) => (Some(text), false),
            Some(SkillForm::Inline) => (skill.skill.text("name"), true),
            None => (None, false),
        };
        let Some(written) = written else { return };
        self.written.push(written);
        self.names.insert(plain(written));
        if inline {
            return;
        }
        if let Some((package, _)) = written.strip_prefix('@').and_then(|rest| rest.split_once('@')) {
            self.names.insert(format!("@{package}"));
        }
        if skill.documents.is_empty() {
            self.unread.insert(plain(written));
        }
        for (path, document) in &skill.documents {
            self.add_found(folder(pack.path), path);
            self.names
                .extend(document.front_matter.iter().filter_map(|fields| fields.name()).map(str::to_owned));
        }
    }

    /// Adds a document that was found in the tree: its path and folder, from the root and from the pack's folder.
    fn add_found(&mut self, base: &str, path: &str) {
        let from_pack =
            path.strip_prefix(base).map(|rest| rest.trim_start_matches('/')).filter(|_| !base.is_empty());
        for path in [Some(path), from_pack].into_iter().flatten() {
            self.names.extend([path.to_owned(), folder(path).to_owned()]);
        }
    }

    /// Whether the filter names a skill, a folder above one, or a pattern that one matches.
    fn covers(&self, filter: &str) -> bool {
        let filter = plain(filter);
        if filter.contains(['*', '?', '[']) {
            return glob(&filter).is_none_or(|glob| self.names.iter().any(|name| glob.is_match(name)));
        }
        let below = format!("{filter}/");
        let is_above =
            || self.names.range(below.clone()..).next().is_some_and(|name| name.starts_with(&below));
        let is_inside = || ancestors(&filter).any(|folder| self.unread.contains(folder));
        filter.is_empty() && !self.names.is_empty()
            || self.names.contains(&filter)
            || is_above()
            || is_inside()
    }
}

/// A path without `./`, doubled and last slashes.
fn plain(path: &str) -> String {
    join("", path).unwrap_or_else(|| path.trim_end_matches('/').to_owned())
}

/// The folders above a path.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// A pattern as a regular expression: `*` and `?` inside one folder, `**` across several; also what lies below.
fn glob(pattern: &str) -> Option<Regex> {
    let escaped = regex::escape(pattern);
    let expression = escaped
        .replace(r"\*\*/", "(?:.*/)?")
        .replace(r"\*\*", ".*")
        .replace(r"\*", "[^/]*")
        .replace(r"\?", "[^/]")
        .replace(r"\[", "[")
        .replace(r"\]", "]");
    Regex::new(&format!("^{expression}(?:/.*)?$")).ok()
}
