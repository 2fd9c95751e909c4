//! The states of a workflow and the transitions between them as a graph.
//!
//! States are called by their position in the order of names, so that the order in the file changes nothing. Nothing
//! here recurses, so the depth of a workflow does not matter.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use pack::model::{State, Workflow};

use super::is_of_agent;
use crate::facts::Facts;

/// States and transitions.
pub(super) struct Graph<'a> {
    states: Vec<State<'a>>,
    positions: BTreeMap<&'a str, usize>,
    targets: Vec<BTreeSet<usize>>,
    leads_nowhere: Vec<bool>,
    entry: Option<&'a str>,
}

impl<'a> Graph<'a> {
    /// The graph of all transitions, those of `on_max_visits` included.
    pub(super) fn of(workflow: Workflow<'a>) -> Graph<'a> {
        Graph::new(workflow, |state| {
            state.events().map(|(_, target, _)| target).chain(state.text("on_max_visits")).collect()
        })
    }

    /// The graph of the `on_max_visits` transitions alone.
    pub(super) fn of_overflows(workflow: Workflow<'a>) -> Graph<'a> {
        Graph::new(workflow, |state| state.text("on_max_visits").into_iter().collect())
    }

    fn new(workflow: Workflow<'a>, targets_of: impl Fn(State<'a>) -> Vec<&'a str>) -> Graph<'a> {
        let mut states: Vec<State<'a>> = workflow.states().collect();
        states.sort_by_key(|state| state.name_key());
        let positions: BTreeMap<&str, usize> =
            states.iter().enumerate().map(|(position, state)| (state.name_key(), position)).collect();
        let mut targets = Vec::with_capacity(states.len());
        let mut leads_nowhere = Vec::with_capacity(states.len());
        for state in &states {
            let named = targets_of(*state);
            leads_nowhere.push(named.iter().any(|name| !positions.contains_key(name)));
            targets.push(named.iter().filter_map(|name| positions.get(name).copied()).collect());
        }
        Graph { states, positions, targets, leads_nowhere, entry: workflow.text("entry") }
    }

    /// The states, sorted by name.
    pub(super) fn states(&self) -> &[State<'a>] {
        &self.states
    }

    /// The state of that name.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.positions.get(name).copied()
    }

    /// Per state: whether one of its transitions names a state that does not exist.
    pub(super) fn leads_nowhere(&self) -> &[bool] {
        &self.leads_nowhere
    }

    /// Where a run can start: the entry, and the states of agents.
    pub(super) fn entrances(&self, pack: &Facts<'_>) -> BTreeSet<usize> {
        let agents = pack.pack.agents().into_iter().flat_map(|agents| agents.members());
        let names = agents.filter_map(|agent| agent.text("state")).chain(self.entry);
        names.filter_map(|name| self.position(name)).collect()
    }

    /// Per state: the states with a transition to it.
    pub(super) fn sources(&self) -> Vec<BTreeSet<usize>> {
        let mut sources = vec![BTreeSet::new(); self.states.len()];
        for (source, targets) in self.targets.iter().enumerate() {
            for target in targets {
                sources[*target].insert(source);
            }
        }
        sources
    }

    /// Per state: whether a path leads there from one of `starts`.
    pub(super) fn reachable(&self, starts: &BTreeSet<usize>) -> Vec<bool> {
        reach(&self.targets, starts.iter().copied())
    }

    /// Per state: whether a path leads from it to the user, to another party or to an end. A transition that names
    /// no state may lead anywhere.
    pub(super) fn can_yield(&self) -> Vec<bool> {
        let yields = |position: &usize| {
            let state = self.states[*position];
            let ends = self.targets[*position].is_empty() || state.flag("terminal") == Some(true);
            !is_of_agent(state)
                || ends
                || state.orchestration() == "external"
                || self.leads_nowhere[*position]
        };
        reach(&self.sources(), (0..self.states.len()).filter(yields))
    }

    /// The states that `from` reaches with the number of transitions to each, nearest first.
    pub(super) fn by_distance(&self, from: usize) -> Vec<(usize, usize)> {
        let mut seen = vec![false; self.states.len()];
        let mut order = Vec::new();
        let mut open = VecDeque::from([(from, 0)]);
        seen[from] = true;
        while let Some((position, distance)) = open.pop_front() {
            order.push((position, distance));
            for target in &self.targets[position] {
                if !seen[*target] {
                    seen[*target] = true;
                    open.push_back((*target, distance + 1));
                }
            }
        }
        order
    }

    /// The groups of states that can reach each other over states that `counts` accepts; each in order, and a lone
    /// state only where it follows itself.
    pub(super) fn cycles(&self, counts: impl Fn(State<'a>) -> bool) -> Vec<Vec<usize>> {
        let counted: Vec<bool> = self.states.iter().map(|state| counts(*state)).collect();
        let keep = |edges: &[BTreeSet<usize>]| -> Vec<Vec<usize>> {
            let kept = |(from, to): (usize, &BTreeSet<usize>)| -> Vec<usize> {
                to.iter().copied().filter(|to| counted[from] && counted[*to]).collect()
            };
            edges.iter().enumerate().map(kept).collect()
        };
        let (forward, backward) = (keep(&self.targets), keep(&self.sources()));
        let mut group = vec![usize::MAX; self.states.len()];
        let mut groups: Vec<Vec<usize>> = Vec::new();
        // Kosaraju: in the reverse order of leaving, everything that leads to a state belongs to its group.
        for start in leaving_order(&forward).into_iter().rev() {
            if group[start] != usize::MAX {
                continue;
            }
            let number = groups.len();
            let mut members = Vec::new();
            let mut open = vec![start];
            group[start] = number;
            while let Some(position) = open.pop() {
                members.push(position);
                for source in &backward[position] {
                    if group[*source] == usize::MAX {
                        group[*source] = number;
                        open.push(*source);
                    }
                }
            }
            members.sort_unstable();
            groups.push(members);
        }
        groups.retain(|members| members.len() > 1 || forward[members[0]].contains(&members[0]));
        groups.sort_unstable();
        groups
    }

    /// The names of states as a message shows them.
    pub(super) fn names(&self, positions: &[usize]) -> String {
        const SHOWN: usize = 6;
        let names = positions.iter().map(|position| format!("`{}`", self.states[*position].name_key()));
        let mut shown = names.take(SHOWN).collect::<Vec<_>>().join(", ");
        if positions.len() > SHOWN {
            shown.push_str(&format!(" and {} more", positions.len() - SHOWN));
        }
        shown
    }
}

fn reach(edges: &[BTreeSet<usize>], starts: impl Iterator<Item = usize>) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    let mut open: Vec<usize> = starts.collect();
    while let Some(position) = open.pop() {
        if !std::mem::replace(&mut reached[position], true) {
            open.extend(edges[position].iter().copied().filter(|next| !reached[*next]));
        }
    }
    reached
}

/// The order in which a depth-first walk leaves the states.
fn leaving_order(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut entered = vec![false; edges.len()];
    let mut order = Vec::with_capacity(edges.len());
    for start in 0..edges.len() {
        let mut open = vec![(start, 0)];
        while let Some((position, next)) = open.pop() {
            if next == 0 && std::mem::replace(&mut entered[position], true) {
                continue;
            }
            match edges[position].get(next) {
                Some(target) => {
                    open.push((position, next + 1));
                    if !entered[*target] {
                        open.push((*target, 0));
                    }
                }
                None => order.push(position),
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use pack::Document;
    use pack::model::Pack;

    /// `transitions` are pairs of states, `from>to`.
    fn check(transitions: &str, cycles: &[&str]) {
        let mut states: BTreeMap<&str, BTreeMap<String, &str>> = BTreeMap::new();
        for (from, to) in transitions.split(' ').filter_map(|pair| pair.split_once('>')) {
            states.entry(to).or_default();
            states.entry(from).or_default().insert(format!("To{to}"), to);
        }
        let states: BTreeMap<_, _> =
            states.into_iter().map(|(name, to)| (name, serde_json::json!({ "on_event": to }))).collect();
        let text = serde_json::json!({ "workflow": { "states": states } }).to_string();
        let (document, _) = Document::parse(text.as_bytes());
        let document = document.expect("JSON");
        let graph = Graph::of(Pack(document.root()).workflow().expect("a workflow"));
        let found: Vec<String> = graph.cycles(|_| true).iter().map(|cycle| graph.names(cycle)).collect();
        assert_eq!(found, cycles, "{transitions}");
    }

    #[test]
    fn cycles_are_groups_of_states_that_reach_each_other() {
        check("a>b b>c", &[]);
        check("a>a a>b", &["`a`"]);
        check("a>b b>a b>c c>d d>e e>c f>a", &["`a`, `b`", "`c`, `d`, `e`"]);
        check("d>a a>b b>c c>a c>d", &["`a`, `b`, `c`, `d`"]);
        check("a>b a>c b>d c>d", &[]);
    }
}
