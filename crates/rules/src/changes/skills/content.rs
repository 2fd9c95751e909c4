//! What skills say: the files that a path leads to in the tree of each side, and the texts of inline skills.

use pack::model::SkillForm;
use serde_json::Value;

use super::entry::{Entry, Files};
use crate::change::{Affected, Bump, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::report::{At, Changes, Spot};

pub(super) const CONTENT_CHANGED: ChangeRule = ChangeRule {
    id: "skill-content-changed",
    bumps: Bumps::table("ppm"),
    suggest: Some(Bump::Minor),
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "files of a skill changed",
    why: "The pack itself is unchanged, but the model reads or runs other files once it loads the skill.",
    fix: "Run the evals with the skill; a minor version tells consumers that behaviour moved.",
    mirror: Mirror::Itself,
};

pub(super) const INSTRUCTIONS_CHANGED: ChangeRule = ChangeRule {
    id: "skill-instructions-changed",
    summary: "the instructions of an inline skill changed",
    why: "The model follows other instructions once it loads the skill, so answers on its subject differ.",
    ..CONTENT_CHANGED
};

pub(super) const DESCRIPTION_CHANGED: ChangeRule = ChangeRule {
    id: "skill-description-changed",
    summary: "the description of a skill changed",
    why: "The model decides by the description whether to load the skill, so it may load it at other times.",
    ..CONTENT_CHANGED
};

pub(super) const UNRESOLVED: ChangeRule = ChangeRule {
    id: "skill-content-unresolved",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Possible,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "the files of a skill can be read in one version only",
    why: "Whether the skill changed cannot be said, and a runtime that loads the pack from its repository may find nothing.",
    fix: "Make sure that the files are part of both versions, or remove the entry.",
    mirror: Mirror::Itself,
};

/// States how the content of a skill moved that both versions have.
pub(super) fn compare<'a>(old: &Entry<'a>, new: &Entry<'a>, changes: &mut Changes<'a>) {
    match (old.form, new.form) {
        (SkillForm::Path(old_path, old_node), SkillForm::Path(new_path, new_node)) => {
            let files = (old.files(old_path), new.files(new_path));
            // The path alone would look the same whatever changed behind it.
            let spot = |node, files: Option<&Files>| {
                Spot::of(node).value(files.map_or(Value::Null, |files| Value::from(files.digest())))
            };
            let at = At::spots(spot(old_node, files.0), spot(new_node, files.1));
            compare_files(new.name(), files, at, changes);
        }
        (SkillForm::Inline, SkillForm::Inline) => compare_inline(old, new, changes),
        _ => {}
    }
}

fn compare_files<'a>(
    name: &str,
    files: (Option<&Files>, Option<&Files>),
    at: At<'a>,
    changes: &mut Changes<'a>,
) {
    let (old, new) = match files {
        (Some(old), Some(new)) => (old, new),
        (None, None) => {
            return changes.note(format!(
                "skill `{name}` can be read in neither version: its content was not compared"
            ));
        }
        (None, Some(_)) => return unresolved(name, "earlier", at, changes),
        (Some(_), None) => return unresolved(name, "later", at, changes),
    };
    let moved: Vec<&String> = old
        .entries
        .keys()
        .chain(new.entries.keys().filter(|path| !old.entries.contains_key(*path)))
        .filter(|path| old.entries.get(*path) != new.entries.get(*path))
        .collect();
    let only_redescribes = |path: &&&String| {
        let files = old.entries.get(**path).zip(new.entries.get(**path));
        files.is_some_and(|(old, new)| old.only_redescribes(new))
    };
    match &moved[..] {
        [] => {}
        all if all.iter().filter(only_redescribes).count() == all.len() => {
            changes.report(&DESCRIPTION_CHANGED, at, format!("the description of skill `{name}` changed"));
        }
        [only] => {
            changes.report(&CONTENT_CHANGED, at, format!("file `{only}` of skill `{name}` changed"));
        }
        [first, rest @ ..] => {
            let message = format!("file `{first}` and {} more of skill `{name}` changed", rest.len());
            changes.report(&CONTENT_CHANGED, at, message);
        }
    }
}

fn unresolved<'a>(name: &str, side: &str, at: At<'a>, changes: &mut Changes<'a>) {
    let message = format!("skill `{name}` cannot be read in the {side} version");
    changes.report(&UNRESOLVED, at, message).possible("unreadable");
}

fn compare_inline<'a>(old: &Entry<'a>, new: &Entry<'a>, changes: &mut Changes<'a>) {
    let fields = [(&INSTRUCTIONS_CHANGED, "instructions"), (&DESCRIPTION_CHANGED, "description")];
    for (rule, field) in fields {
        if old.skill.text(field) != new.skill.text(field) {
            let message = format!("the {field} of skill `{}` changed", new.name());
            changes.report(rule, At::member(*old.skill, *new.skill, field), message);
        }
    }
}
