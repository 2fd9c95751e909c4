//! Which compositions a run can get to, and the way there.

use std::collections::{BTreeMap, VecDeque};

use pack::model::{Pack, State};
use serde_json::json;

use crate::change::Witness;
use crate::changes::report::Scope;

/// Compositions that a run can get to, each with the shortest way there.
pub(super) type Reached<'a> = BTreeMap<&'a str, Way<'a>>;

/// A way to a state: where the run starts, and the events since.
#[derive(Debug, Clone)]
pub(super) struct Way<'a> {
    start: &'a str,
    events: Vec<&'a str>,
}

/// Walks the workflow from its entry and from the states of agents, nearest states first.
pub(super) fn compositions(pack: Pack<'_>) -> Reached<'_> {
    let mut found = Reached::new();
    let Some(workflow) = pack.workflow() else { return found };
    let agents = pack.agents().into_iter().flat_map(|agents| agents.members());
    let starts = workflow.text("entry").into_iter().chain(agents.filter_map(|agent| agent.text("state")));
    // Each state remembers the one before it; ways are written out only for compositions.
    let mut before: BTreeMap<&str, Option<(&str, &str)>> = BTreeMap::new();
    let mut open: VecDeque<State<'_>> = VecDeque::new();
    for start in starts.filter_map(|name| workflow.state(name)) {
        if !before.contains_key(start.name_key()) {
            before.insert(start.name_key(), None);
            open.push_back(start);
        }
    }
    while let Some(state) = open.pop_front() {
        if let Some(name) = state.text("composition") {
            found.entry(name).or_insert_with(|| way(state.name_key(), &before));
        }
        let overflow = state.text("on_max_visits").map(|target| ("on_max_visits", target));
        let targets = state.events().map(|(event, target, _)| (event, target)).chain(overflow);
        for (event, target) in targets {
            if let Some(next) = workflow.state(target).filter(|next| !before.contains_key(next.name_key())) {
                before.insert(next.name_key(), Some((state.name_key(), event)));
                open.push_back(next);
            }
        }
    }
    found
}

fn way<'a>(state: &'a str, before: &BTreeMap<&'a str, Option<(&'a str, &'a str)>>) -> Way<'a> {
    let mut way = Way { start: state, events: Vec::new() };
    while let Some(Some((previous, event))) = before.get(way.start) {
        way.start = previous;
        way.events.push(event);
    }
    way.events.reverse();
    way
}

/// What a change inside a composition counts for: capped where no run of either side gets to it.
pub(super) fn scope<'a>(reached: &(Reached<'_>, Reached<'_>), old: &str, new: &str) -> Scope<'a> {
    let unreachable = !reached.0.contains_key(old) && !reached.1.contains_key(new);
    Scope { unreachable, ..Scope::default() }
}

/// The run that OLD leads into the composition, and where NEW leads it.
pub(super) fn witness(old: Pack<'_>, new: Pack<'_>, composition: &str) -> Option<Witness> {
    let way = compositions(old).remove(composition)?;
    Some(Witness {
        kind: "events".to_owned(),
        input: json!({ "start": way.start, "events": way.events }),
        old_result: format!("runs composition `{composition}`"),
        new_result: result(new, &way),
    })
}

fn result(pack: Pack<'_>, way: &Way<'_>) -> String {
    let Some(workflow) = pack.workflow() else { return "there is no workflow".to_owned() };
    let Some(mut state) = workflow.state(way.start) else {
        return format!("state `{}` is unknown", way.start);
    };
    for event in &way.events {
        let target = match *event {
            "on_max_visits" => state.text(event),
            event => state.get("on_event").and_then(|events| events.text(event)),
        };
        let Some(target) = target else {
            return format!("event `{event}` is unknown in state `{}`", state.name_key());
        };
        let Some(next) = workflow.state(target) else { return format!("state `{target}` is unknown") };
        state = next;
    }
    let name = state.name_key();
    match state.text("composition") {
        Some(other) if pack.get("compositions").and_then(|all| all.get(other)).is_none() => {
            format!("state `{name}` runs composition `{other}`, which is not there")
        }
        Some(other) => format!("state `{name}` runs composition `{other}`"),
        None => format!("state `{name}` runs no composition"),
    }
}
