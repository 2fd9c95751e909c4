//! Flags fragments that no template reaches.

use std::collections::BTreeSet;

use pack::similar::Guesser;
use pack::template::Class;

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::lints::variables::uses::CheckUses;
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "unused-fragment",
    group: Group::Style,
    level: Level::Info,
    summary: "a fragment that no template reaches",
    why: "Dead text misleads reviewers, and every client downloads it.",
    fix: "Remove the fragment, or refer to it as `{{fragments.name}}`.",
    example: r#""fragments": { "closing": "Goodbye!" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let unused = pack.fragments().iter().filter(|(_, fragment)| fragment.users.is_empty());
    let unused: Vec<_> = unused.collect();
    if unused.is_empty() {
        return;
    }
    let named = named_elsewhere(pack);
    for (key, fragment) in unused {
        if !named.contains(key) {
            let message = format!("no template reaches fragment {}", quoted(key));
            findings.report_key(fragment.node, message).help("remove it, or refer to it");
        }
    }
}

/// Fragments that another lint speaks of, or that something names outside a plain placeholder.
fn named_elsewhere<'a>(pack: &Facts<'a>) -> BTreeSet<&'a str> {
    let mut named = CheckUses::of(pack).every_name(pack);
    let mut undeclared = BTreeSet::new();
    for place in pack.rendered() {
        named.extend(place.placeholder.mentioned());
        for (_, class) in &place.readings {
            match class {
                Class::Variable(name) => named.insert(name),
                Class::Fragment(key) if !pack.fragments().contains_key(key) => undeclared.insert(*key),
                _ => false,
            };
        }
    }
    let guesser = Guesser::default();
    let keys = pack.fragments().keys().copied();
    named.extend(undeclared.into_iter().filter_map(|key| guesser.closest(key, keys.clone())));
    named
}
