//! Flags skills of one name from two sources.

use std::collections::BTreeMap;

use crate::facts::{Facts, SkillFacts};
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::model::SkillForm;

pub(super) const LINT: Lint = Lint {
    id: "duplicate-skill-name",
    group: Group::Portability,
    level: Level::Warn,
    summary: "two sources give skills of one name",
    why: "PromptKit keeps the first, the text of the specification the last: runtimes load different instructions \
          under the same name.",
    fix: "Rename one of the two, or remove its source.",
    example: r#""skills": ["./skills/billing", { "name": "billing", "description": "…", "instructions": "…" }]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let mut first: BTreeMap<&str, String> = BTreeMap::new();
    for (index, skill) in pack.skills().iter().enumerate() {
        for (name, origin) in names(index, skill) {
            match first.get(name) {
                // The same folder again, to preload it.
                Some(known) if *known == origin => {}
                Some(known) => {
                    findings
                        .report(
                            skill.skill.0,
                            format!("skill `{name}` comes from {known} and again from {origin}"),
                        )
                        .help("rename one of the two: runtimes differ on which one wins");
                }
                None => {
                    first.insert(name, origin);
                }
            }
        }
    }
}

/// The names that an entry gives, each with where it comes from.
fn names<'f>(index: usize, skill: &'f SkillFacts<'_>) -> Vec<(&'f str, String)> {
    if skill.form == Some(SkillForm::Inline) {
        let origin = format!("the inline skill at `/skills/{index}`");
        return skill.skill.text("name").map(|name| (name, origin)).into_iter().collect();
    }
    let documents = skill.documents.iter().filter_map(|(path, document)| {
        let name = document.front_matter.as_ref().ok()?.name()?;
        Some((name, format!("`{path}`")))
    });
    documents.collect()
}
