//! Flags fragments that include each other in a cycle, or nest deeper than clients go.

use std::collections::{BTreeMap, BTreeSet};

use pack::template::{Class, Names, Placeholder};

use crate::facts::{Facts, FragmentFacts, PromptFacts};
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "cyclic-fragment",
    group: Group::Correctness,
    level: Level::Error,
    summary: "fragments that include each other without end, or over ten deep",
    why: "No client can write such a fragment out: the JS client stops after ten rounds with an error, others leave the placeholder in the prompt.",
    fix: "Take one of the references out, or join fragments that only include each other.",
    example: r#""fragments": { "rules": "{{fragments.tone}}", "tone": "{{fragments.rules}}" }"#,
    check: Check::Pack(check),
};

/// How many rounds of expansion the JS client makes.
const MAX_DEPTH: usize = 10;

/// Which fragments a fragment includes, and where it first does.
type Edges<'f, 'a> = BTreeMap<&'a str, Vec<(&'a str, &'f Placeholder<'a>)>>;

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for prompts in alike(pack) {
        let reached: BTreeSet<&str> =
            prompts.iter().flat_map(|prompt| prompt.fragments.iter().copied()).collect();
        let edges = edges(pack, &prompts[0].names, &reached);
        let walk = Walk::over(&edges);
        for (from, placeholder, cycle) in &walk.cycles {
            let Some(fragment) = pack.fragments().get(from) else { continue };
            let message = format!("fragment {} includes itself: {cycle}", quoted(from));
            findings.report_placeholder(fragment.node, placeholder, message);
        }
        if walk.cycles.is_empty() {
            report_deep(pack, &prompts, &walk, findings);
        }
    }
}

/// Prompts in groups whose templates read every fragment alike: a bare name is a fragment unless a variable has it.
fn alike<'f, 'a>(pack: &'f Facts<'a>) -> Vec<Vec<&'f PromptFacts<'a>>> {
    let mut groups: BTreeMap<Vec<&str>, Vec<&PromptFacts<'a>>> = BTreeMap::new();
    for prompt in pack.prompts().iter().filter(|prompt| !prompt.fragments.is_empty()) {
        let variables = prompt.names.variables.iter().copied();
        let hidden = variables.filter(|name| pack.fragments().contains_key(name)).collect();
        groups.entry(hidden).or_default().push(prompt);
    }
    groups.into_values().collect()
}

fn edges<'f, 'a>(pack: &'f Facts<'a>, names: &Names<'a>, reached: &BTreeSet<&'a str>) -> Edges<'f, 'a> {
    let included = |fragment: &'f FragmentFacts<'a>| {
        let mut seen = BTreeSet::new();
        let keys = fragment.placeholders.iter().filter_map(|placeholder| match names.classify(placeholder) {
            Class::Fragment(key) => Some((*reached.get(key)?, placeholder)),
            _ => None,
        });
        keys.filter(|(key, _)| seen.insert(*key)).collect()
    };
    reached.iter().filter_map(|key| Some((*key, included(pack.fragments().get(key)?)))).collect()
}

fn report_deep(
    pack: &Facts<'_>,
    prompts: &[&PromptFacts<'_>],
    walk: &Walk<'_, '_>,
    findings: &mut Findings<'_>,
) {
    let used = prompts.iter().flat_map(|prompt| &prompt.placeholders);
    let keys: BTreeSet<&str> = used
        .filter_map(|place| match place.class {
            Class::Fragment(key) => Some(key),
            _ => None,
        })
        .collect();
    for key in keys {
        let (Some(depth), Some(fragment)) = (walk.depths.get(key), pack.fragments().get(key)) else {
            continue;
        };
        if *depth > MAX_DEPTH {
            let message =
                format!("fragment {} nests {depth} deep, and clients stop after {MAX_DEPTH}", quoted(key));
            findings.report_key(fragment.node, message);
        }
    }
}

/// A walk over the graph of fragments, without recursion.
struct Walk<'f, 'a> {
    /// The fragment and placeholder that close a cycle, and the cycle in words.
    cycles: Vec<(&'a str, &'f Placeholder<'a>, String)>,
    /// How deep each finished fragment nests, itself included.
    depths: BTreeMap<&'a str, usize>,
}

impl<'f, 'a> Walk<'f, 'a> {
    fn over(edges: &Edges<'f, 'a>) -> Self {
        let mut walk = Walk { cycles: Vec::new(), depths: BTreeMap::new() };
        for start in edges.keys() {
            if !walk.depths.contains_key(start) {
                walk.from(start, edges);
            }
        }
        walk
    }

    fn from(&mut self, start: &'a str, edges: &Edges<'f, 'a>) {
        let mut path: Vec<(&'a str, usize)> = vec![(start, 0)];
        let mut open = BTreeMap::from([(start, 0)]);
        while let Some((key, next)) = path.last_mut() {
            let key = *key;
            let included = edges.get(key).map(Vec::as_slice).unwrap_or_default();
            let Some((inner, placeholder)) = included.get(*next).copied() else {
                let deepest = included.iter().filter_map(|(inner, _)| self.depths.get(inner)).max();
                self.depths.insert(key, 1 + deepest.copied().unwrap_or_default());
                open.remove(key);
                path.pop();
                continue;
            };
            *next += 1;
            if let Some(at) = open.get(inner) {
                let cycle = in_words(&path[*at..]);
                self.cycles.push((key, placeholder, cycle));
            } else if !self.depths.contains_key(inner) {
                open.insert(inner, path.len());
                path.push((inner, 0));
            }
        }
    }
}

/// The cycle as a chain that ends where it starts, shortened in the middle.
fn in_words(cycle: &[(&str, usize)]) -> String {
    const SHOWN: usize = 5;
    let mut names: Vec<String> = cycle.iter().take(SHOWN).map(|(key, _)| quoted(key)).collect();
    if cycle.len() > SHOWN {
        names.push(format!("{} more", cycle.len() - SHOWN));
    }
    names.extend(cycle.first().map(|(key, _)| quoted(key)));
    names.join(" → ")
}
