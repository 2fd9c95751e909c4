//! The steps of one composition and the order in which they run (catalogue 2.3).

use std::collections::{BTreeMap, BTreeSet};

use pack::Node;
use pack::model::{Composition, Step};

use super::order::Order;

/// The steps of one composition, those inside a parallel included.
pub(super) struct Steps<'a> {
    pub(super) composition: Composition<'a>,
    all: Vec<PlacedStep<'a>>,
    by_id: BTreeMap<&'a str, usize>,
    targets: BTreeSet<&'a str>,
}

/// One step and what stands around it.
#[derive(Clone, Copy)]
pub(super) struct PlacedStep<'a> {
    pub(super) step: Step<'a>,
    /// Its position in [`Steps::all`].
    pub(super) index: usize,
    /// The parallel step that it stands in.
    pub(super) parallel: Option<usize>,
    /// The top-level step before it in the list.
    pub(super) before: Option<usize>,
}

/// Says that one step waits for another.
pub(super) struct Wait<'a> {
    /// The step that runs first.
    pub(super) first: usize,
    /// The step that waits for it.
    pub(super) then: usize,
    /// The text that says so; none where the list's order does.
    pub(super) node: Option<Node<'a>>,
}

impl<'a> Steps<'a> {
    pub(super) fn of(composition: Composition<'a>) -> Steps<'a> {
        let mut all: Vec<PlacedStep<'a>> = Vec::new();
        for step in composition.steps() {
            let index = all.len();
            all.push(PlacedStep { step, index, parallel: None, before: index.checked_sub(1) });
        }
        let mut next = 0;
        while next < all.len() {
            for step in all[next].step.branches() {
                all.push(PlacedStep { step, index: all.len(), parallel: Some(next), before: None });
            }
            next += 1;
        }
        let mut by_id = BTreeMap::new();
        for placed in &all {
            if let Some(id) = placed.step.id() {
                by_id.entry(id).or_insert(placed.index);
            }
        }
        let targets = all.iter().flat_map(|placed| targets(placed.step)).map(|(id, _)| id).collect();
        Steps { composition, all, by_id, targets }
    }

    /// All steps, outer ones first.
    pub(super) fn all(&self) -> &[PlacedStep<'a>] {
        &self.all
    }

    /// The position of the step with that id.
    pub(super) fn find(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The ids of all steps.
    pub(super) fn ids(&self) -> impl Iterator<Item = &'a str> {
        self.by_id.keys().copied()
    }

    /// The id of the step at that position.
    pub(super) fn id(&self, index: usize) -> &'a str {
        self.all[index].step.id().unwrap_or_default()
    }

    /// Whether a branch leads to the step.
    pub(super) fn is_target(&self, placed: &PlacedStep<'_>) -> bool {
        placed.step.id().is_some_and(|id| self.targets.contains(id))
    }

    /// Whether a name under `depends_on`, `then` or `else` is that of no step, so that the order is not known.
    pub(super) fn has_unknown_names(&self) -> bool {
        let listed = self.all.iter().flat_map(|placed| placed.step.texts("depends_on")).map(|(id, _)| id);
        listed.chain(self.targets.iter().copied()).any(|id| self.find(id).is_none())
    }

    /// The step that this one silently follows although it may be one of several ways: a join that says nothing.
    pub(super) fn unstated_join(&self, placed: &PlacedStep<'a>) -> Option<PlacedStep<'a>> {
        let before = self.all[self.follows(placed)?];
        let splits = matches!(before.step.kind(), Some("parallel" | "branch"));
        (splits || self.is_target(&before)).then_some(before)
    }

    /// The step before, where nothing else says what a top-level step follows.
    fn follows(&self, placed: &PlacedStep<'a>) -> Option<usize> {
        let stated = placed.step.get("depends_on").is_some() || self.is_target(placed);
        placed.before.filter(|_| !stated)
    }

    /// Everything that says which step waits for which.
    pub(super) fn waits(&self) -> Vec<Wait<'a>> {
        let mut waits = Vec::new();
        for placed in &self.all {
            let then = placed.index;
            if let Some(first) = self.follows(placed) {
                waits.push(Wait { first, then, node: None });
            }
            for (id, node) in placed.step.texts("depends_on") {
                waits.extend(self.find(id).map(|first| Wait { first, then, node: Some(node) }));
            }
            for (id, node) in targets(placed.step) {
                waits.extend(self.find(id).map(|target| Wait {
                    first: then,
                    then: target,
                    node: Some(node),
                }));
            }
        }
        waits
    }

    /// The order of the starts and ends of all steps. A step inside a parallel one runs between its start and end;
    /// without `joins`, nothing follows from the end of the parallel step for what stands inside.
    pub(super) fn order(&self, joins: bool) -> Order {
        let mut edges: Vec<(usize, usize)> =
            self.all.iter().map(|step| (start(step.index), end(step.index))).collect();
        for placed in &self.all {
            let Some(parallel) = placed.parallel else { continue };
            edges.push((start(parallel), start(placed.index)));
            if joins {
                edges.push((end(placed.index), end(parallel)));
            }
        }
        edges.extend(self.waits().iter().map(|wait| (end(wait.first), start(wait.then))));
        Order::new(2 * self.all.len(), &edges)
    }
}

/// The steps that a branch leads to, with the texts that name them.
fn targets<'a>(step: Step<'a>) -> impl Iterator<Item = (&'a str, Node<'a>)> {
    let fields: &[&str] = if step.kind() == Some("branch") { &["then", "else"] } else { &[] };
    fields.iter().filter_map(move |field| step.get(field)).filter_map(|node| Some((node.as_str()?, node)))
}

/// The node of [`Steps::order`] at which a step starts.
pub(super) fn start(step: usize) -> usize {
    2 * step
}

/// The node of [`Steps::order`] at which a step has run.
pub(super) fn end(step: usize) -> usize {
    2 * step + 1
}
