//! One composition of both versions: its steps paired, and what each waits for.

use std::collections::{BTreeMap, BTreeSet};

use pack::json::Node;
use pack::model::{Composition, Step};

use super::normal::Renames;
use crate::changes::comparison::Comparison;
use crate::changes::pairing::{Content, Pairing};
use crate::changes::side::Side;
use crate::subset::Budget;

/// The packs around the compositions.
pub(super) struct Surroundings<'c, 'a> {
    /// The whole comparison.
    pub(super) comparison: &'c Comparison<'a>,
    /// New keys of renamed prompts, by old key.
    pub(super) renamed_prompts: BTreeMap<&'a str, &'a str>,
}

impl<'c, 'a> Surroundings<'c, 'a> {
    /// What compositions need to know of both packs.
    pub(super) fn of(comparison: &'c Comparison<'a>) -> Self {
        let renamed = comparison.prompts.renamed.iter();
        let renamed_prompts = renamed.map(|(old, new)| (old.key(), new.key())).collect();
        Surroundings { comparison, renamed_prompts }
    }
}

/// One composition of both versions.
pub(super) struct CompositionPair<'c, 'a> {
    /// Its earlier form.
    pub(super) old: Composition<'a>,
    /// Its later form.
    pub(super) new: Composition<'a>,
    /// The packs around it.
    pub(super) around: &'c Surroundings<'c, 'a>,
    /// Its steps by id, those inside a parallel one included.
    pub(super) steps: Pairing<Step<'a>>,
    /// New ids of renamed steps, by old id.
    pub(super) renamed: Renames<'a>,
    /// Ids of the steps that only one side has.
    pub(super) lone: BTreeSet<&'a str>,
    /// The step whose output is that of the composition, on the old and the new side.
    pub(super) outputs: (Option<Step<'a>>, Option<Step<'a>>),
}

/// What each step waits for, by id.
pub(super) type Waits<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

impl<'c, 'a> CompositionPair<'c, 'a> {
    /// Pairs the steps of a composition.
    pub(super) fn new(around: &'c Surroundings<'c, 'a>, old: Composition<'a>, new: Composition<'a>) -> Self {
        let mut steps = Pairing::by_name(old.all_steps(), new.all_steps(), id);
        steps.recognize(|step| Content::json(*step, &["id", "depends_on"]));
        let renamed = steps.renamed.iter().map(|(old, new)| (id(*old), id(*new))).collect();
        let lone = steps.added.iter().chain(&steps.removed).map(|step| id(*step)).collect();
        let outputs = (output_step(old), output_step(new));
        CompositionPair { old, new, around, steps, renamed, lone, outputs }
    }

    /// The earlier pack.
    pub(super) fn old_side(&self) -> &'a Side<'a> {
        self.around.comparison.old
    }

    /// The later pack.
    pub(super) fn new_side(&self) -> &'a Side<'a> {
        self.around.comparison.new
    }

    /// What comparing schemas may still take.
    pub(super) fn budget(&self) -> &'c Budget {
        &self.around.comparison.budget
    }

    /// A tool of OLD as NEW calls it.
    pub(super) fn tool_now(&self, name: &'a str) -> &'a str {
        self.around.comparison.renamed_tools.get(name).copied().unwrap_or(name)
    }

    /// Its name in NEW.
    pub(super) fn key(&self) -> &'a str {
        self.new.key().unwrap_or_default()
    }

    /// Its name in OLD.
    pub(super) fn old_key(&self) -> &'a str {
        self.old.key().unwrap_or_default()
    }

    /// An id of OLD as NEW calls the step.
    pub(super) fn now(&self, id: &'a str) -> &'a str {
        self.renamed.get(id).copied().unwrap_or(id)
    }

    /// What each step waits for, on both sides. A step that one side still names and no longer has hands on what it
    /// waits for on the other side.
    pub(super) fn waits(&self) -> (Waits<'a>, Waits<'a>) {
        let (mut old, mut new) = (waits(self.old), waits(self.new));
        let former: Renames<'a> = self.renamed.iter().map(|(old, new)| (*new, *old)).collect();
        let called = |waited: &BTreeSet<&'a str>, names: &Renames<'a>| {
            waited.iter().map(|id| names.get(id).copied().unwrap_or(*id)).collect::<BTreeSet<_>>()
        };
        let gone: Waits<'a> = lacking(&self.steps.removed, &old, |waited| called(waited, &self.renamed));
        old.extend(lacking(&self.steps.added, &new, |waited| called(waited, &former)));
        new.extend(gone);
        (old, new)
    }

    /// How messages call a step.
    pub(super) fn step(&self, step: Step<'_>) -> String {
        format!("step `{}` of composition `{}`", id(step), self.key())
    }
}

/// The id of a step; every step has one by the schema.
pub(super) fn id(step: Step<'_>) -> &str {
    step.id().unwrap_or_default()
}

/// The step that `output` names, else the last one.
fn output_step(composition: Composition<'_>) -> Option<Step<'_>> {
    match composition.text("output") {
        Some(name) => composition.all_steps().into_iter().find(|step| step.id() == Some(name)),
        None => composition.steps().last(),
    }
}

/// What each step waits for; the step before it where nothing is said. Steps inside a parallel one start together.
fn waits(composition: Composition<'_>) -> Waits<'_> {
    let mut waits = Waits::new();
    let mut before: Option<&str> = None;
    let top: BTreeSet<u32> = composition.steps().map(|step| step.span().start).collect();
    for step in composition.all_steps() {
        let is_top = top.contains(&step.span().start);
        let stated: BTreeSet<&str> = step.list("depends_on").filter_map(Node::as_str).collect();
        let waited = if stated.is_empty() { before.filter(|_| is_top).into_iter().collect() } else { stated };
        waits.entry(id(step)).or_insert(waited);
        if is_top {
            before = step.id();
        }
    }
    waits
}

/// What some steps wait for, by the names of the other side.
fn lacking<'a>(
    steps: &[Step<'a>],
    waits: &Waits<'a>,
    called: impl Fn(&BTreeSet<&'a str>) -> BTreeSet<&'a str>,
) -> Waits<'a> {
    steps.iter().filter_map(|step| Some((id(*step), called(waits.get(id(*step))?)))).collect()
}

/// What a step waits for among the steps that both sides have: a lone step hands on what it waits for itself.
pub(super) fn shared_waits<'a>(
    step: &str,
    waits: &Waits<'a>,
    is_lone: impl Fn(&str) -> bool,
) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut open: Vec<&'a str> = waits.get(step).into_iter().flatten().copied().collect();
    while let Some(waited) = open.pop() {
        if !is_lone(waited) {
            found.insert(waited);
        } else if seen.insert(waited) {
            open.extend(waits.get(waited).into_iter().flatten());
        }
    }
    found
}

/// The parallel step that a step stands in.
pub(super) fn parallel(step: Step<'_>) -> Option<Node<'_>> {
    let list = step.parent().filter(|list| list.key() == Some("branches"))?;
    list.parent()
}
