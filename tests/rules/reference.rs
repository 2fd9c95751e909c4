//! `crates/rules/RULES.md` says of every rule what its constant says.

use std::fmt::Write as _;

use rules::change::Bumps;
use rules::lint::{Check, Lint};
use rules::lints::Section;
use rules::{CHANGES, ChangeRule, LINTS, Profile, SECTIONS, cases, verdict_level};

use crate::fixture::{compare, root};

const HEAD: &str = "\
# Rules

Written by `UPDATE=1 cargo test -p rules` from the constants under `src/lints`; do not edit.

Each lint has an id, the level that counts where no configuration says otherwise, and a group, by which configurations
set several lints at once. A lint that is `off` runs only where a configuration gives it a level.

A change rule speaks of two versions of a pack. It asks for a bump under each of the profiles `wire`, `contract` and
`strict`. Rules on versions, which `packhouse check` adds, have a level instead. The gate's two rules on settings,
`allow-invalid` and `policy-loosened`, are explained by `packhouse explain`.
";

fn rendered() -> String {
    let mut text = HEAD.to_owned();
    for section in &SECTIONS {
        write_section(section, &mut text);
    }
    text.push_str("\n## Changes\n");
    for rule in CHANGES.iter() {
        write_change(rule, &mut text);
    }
    text
}

fn write_change(rule: &ChangeRule, text: &mut String) {
    let ChangeRule { id, summary, why, fix, .. } = rule;
    let kind = match verdict_level(id, Profile::Contract) {
        Some(level) => format!("{level}, on versions"),
        None => bumps(rule.bumps),
    };
    let _ = write!(text, "\n### {id}\n\n{} ({kind})\n\n{why}\n\n{fix}\n", sentence(summary));
    for (at, case) in cases(id).enumerate() {
        let gap = if at == 0 { "\n" } else { "" };
        let _ = writeln!(text, "{gap}- {}, {}.", bumps(case.bumps), case.when);
    }
}

fn bumps(bumps: Bumps) -> String {
    format!("wire {}, contract {}, strict {}", bumps.wire, bumps.contract, bumps.strict)
}

fn write_section(section: &Section, text: &mut String) {
    let _ = write!(text, "\n## {}\n", section.title);
    for lint in section.lints {
        write_lint(lint, text);
    }
}

fn write_lint(lint: &Lint, text: &mut String) {
    let Lint { id, group, level, summary, why, fix, example, check } = lint;
    let summary = sentence(summary);
    let wider = if matches!(check, Check::Registry) { ", judged beyond one pack" } else { "" };
    let _ = write!(
        text,
        "\n### {id}\n\n{summary} ({level}, {group}{wider})\n\n{why}\n\n{fix}\n\n```text\n{example}\n```\n"
    );
}

/// A fragment with a capital and a full stop.
fn sentence(fragment: &str) -> String {
    let mut characters = fragment.chars();
    let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", characters.as_str())
}

#[test]
fn the_reference_is_complete() {
    let mistake = compare(&root().join("../../crates/rules/RULES.md"), &rendered());
    assert_eq!(mistake, None);
    assert_eq!(SECTIONS.iter().map(|section| section.lints.len()).sum::<usize>(), LINTS.len());
}
