//! The workflow as the reference runtime runs it: a state machine that events move.

use std::collections::{BTreeMap, BTreeSet};

use pack::model::{Pack, State};

use crate::changes::side::is_effective;
use crate::changes::value::whole;

/// The workflow of one version; without states where there is none.
pub(crate) struct Machine<'a> {
    states: BTreeMap<&'a str, State<'a>>,
    entry: Option<&'a str>,
    agents: BTreeMap<&'a str, Option<&'a str>>,
    reachable: BTreeSet<&'a str>,
    max_total_visits: Option<i64>,
}

/// Where a run stands.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Position<'a> {
    /// In a state, which may be an end.
    In(State<'a>),
    /// An agent answers with its prompt alone, without a workflow.
    Prompt(&'a str),
    /// The event means nothing in the state.
    Refused(&'a str, State<'a>),
    /// The name of no state.
    Undeclared(&'a str),
    /// The state may not be entered again, and says nothing about where to go instead.
    Exhausted(&'a str),
    /// The budget of the whole run is spent.
    Spent(i64),
    /// There is nothing to start.
    Nothing,
}

/// A run that events move on.
pub(crate) struct Run<'m, 'a> {
    machine: &'m Machine<'a>,
    visits: BTreeMap<&'a str, i64>,
    total: i64,
    /// Where it stands.
    pub(crate) position: Position<'a>,
}

impl<'a> Machine<'a> {
    /// The machine of a pack.
    pub(crate) fn of(pack: Pack<'a>) -> Machine<'a> {
        let workflow = pack.workflow();
        let states = workflow.into_iter().flat_map(|workflow| workflow.states());
        let states: BTreeMap<&str, State<'a>> =
            states.filter(|state| is_effective(**state)).map(|state| (state.name_key(), state)).collect();
        let members = pack.agents().into_iter().flat_map(|agents| agents.members());
        let agents: BTreeMap<&str, Option<&str>> = members
            .filter(|member| is_effective(**member))
            .map(|member| (member.key().unwrap_or_default(), member.text("state")))
            .collect();
        let entry = workflow.and_then(|workflow| workflow.text("entry"));
        let budget = workflow.and_then(|workflow| workflow.get("engine")?.get("budget"));
        let max_total_visits = whole(budget.and_then(|budget| budget.get("max_total_visits")));
        let reachable = reachable(&states, entry.into_iter().chain(agents.values().copied().flatten()));
        Machine { states, entry, agents, reachable, max_total_visits }
    }

    /// The states by key.
    pub(crate) fn states(&self) -> impl Iterator<Item = State<'a>> + '_ {
        self.states.values().copied()
    }

    /// The state of that key.
    pub(crate) fn state(&self, name: &str) -> Option<State<'a>> {
        self.states.get(name).copied()
    }

    /// The state in which the workflow starts.
    pub(crate) fn entry(&self) -> Option<&'a str> {
        self.entry
    }

    /// The agents that start the workflow, with the states in which they do.
    pub(crate) fn agents(&self) -> impl Iterator<Item = (&'a str, &'a str)> + '_ {
        self.agents.iter().filter_map(|(agent, state)| Some((*agent, (*state)?)))
    }

    /// Whether a run can come to the state, from the entry or from an agent.
    pub(crate) fn reaches(&self, name: &str) -> bool {
        self.reachable.contains(name)
    }

    /// Starts a run: the workflow's own, or that of an agent.
    pub(crate) fn start(&self, agent: Option<&str>) -> Run<'_, 'a> {
        let mut run = Run { machine: self, visits: BTreeMap::new(), total: 0, position: Position::Nothing };
        match agent {
            None => {
                if let Some(entry) = self.entry.filter(|_| !self.states.is_empty()) {
                    run.enter(entry);
                }
            }
            Some(agent) => match self.agents.get_key_value(agent) {
                Some((_, Some(state))) => run.enter(state),
                Some((agent, None)) => run.position = Position::Prompt(agent),
                None => {}
            },
        }
        run
    }
}

impl<'a> Run<'_, 'a> {
    /// Fires an event.
    pub(crate) fn fire(&mut self, event: &'a str) {
        let Position::In(state) = self.position else { return };
        let target = if is_terminal(state) { None } else { target(state, event) };
        match target {
            Some(target) => self.enter(target),
            None => self.position = Position::Refused(event, state),
        }
    }

    fn enter(&mut self, name: &'a str) {
        let mut name = name;
        let mut passed = BTreeSet::new();
        loop {
            let Some(state) = self.machine.state(name) else {
                self.position = Position::Undeclared(name);
                return;
            };
            if let Some(most) = self.machine.max_total_visits.filter(|most| self.total >= *most) {
                self.position = Position::Spent(most);
                return;
            }
            let visits = self.visits.entry(state.name_key()).or_default();
            if max_visits(state).is_none_or(|most| *visits < most) {
                *visits += 1;
                self.total += 1;
                self.position = Position::In(state);
                return;
            }
            // States that are all full may send the run round among themselves.
            let next = state.text("on_max_visits").filter(|_| passed.insert(state.name_key()));
            let Some(next) = next else {
                self.position = Position::Exhausted(state.name_key());
                return;
            };
            name = next;
        }
    }
}

/// Whether the workflow completes in the state.
pub(crate) fn is_terminal(state: State<'_>) -> bool {
    state.flag("terminal").unwrap_or(false)
}

/// How often the state may be entered.
pub(crate) fn max_visits(state: State<'_>) -> Option<i64> {
    whole(state.get("max_visits"))
}

/// Where the event leads.
pub(crate) fn target<'a>(state: State<'a>, event: &str) -> Option<&'a str> {
    state.get("on_event")?.text(event)
}

/// Every state to which a chain of transitions leads.
fn reachable<'a>(
    states: &BTreeMap<&'a str, State<'a>>,
    starts: impl Iterator<Item = &'a str>,
) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = starts.collect();
    while let Some(name) = open.pop() {
        let Some(state) = states.get(name) else { continue };
        if reached.insert(state.name_key()) {
            open.extend(state.events().map(|(_, target, _)| target).chain(state.text("on_max_visits")));
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use pack::Document;
    use serde_json::json;

    use super::*;

    /// Runs `events` and says where each leads.
    fn check(events: &[&'static str], expected: &str) {
        let text = json!({
            "workflow": {
                "entry": "ask",
                "engine": { "budget": { "max_total_visits": 6 } },
                "states": {
                    "ask": { "on_event": { "Again": "retry", "Done": "end", "Lost": "nowhere" } },
                    "retry": { "max_visits": 1, "on_max_visits": "end", "on_event": { "Back": "ask" } },
                    "end": { "terminal": true, "on_event": { "Back": "ask" } }
                }
            }
        });
        let document = Document::parse(text.to_string().as_bytes()).0.expect("JSON");
        let machine = Machine::of(Pack(document.root()));
        let mut run = machine.start(None);
        for event in events {
            run.fire(event);
        }
        let position = match run.position {
            Position::In(state) => state.name_key().to_owned(),
            Position::Refused(event, state) => format!("no {event} in {}", state.name_key()),
            other => format!("{other:?}"),
        };
        assert_eq!(position, expected, "{events:?}");
    }

    #[test]
    fn events_move_a_run() {
        check(&[], "ask");
        check(&["Again", "Back"], "ask");
        check(&["Again", "Back", "Again"], "end");
        check(&["Done", "Back"], "no Back in end");
        check(&["Other"], "no Other in ask");
        check(&["Lost"], "Undeclared(\"nowhere\")");
    }

    #[test]
    fn the_reachable_states_are_those_a_run_can_come_to() {
        let text =
            r#"{"workflow": {"entry": "a", "states": {"a": {"on_max_visits": "b"}, "b": {}, "c": {}}}}"#;
        let document = Document::parse(text.as_bytes()).0.expect("JSON");
        let machine = Machine::of(Pack(document.root()));
        assert_eq!(["a", "b", "c"].map(|state| machine.reaches(state)), [true, true, false]);
    }
}
