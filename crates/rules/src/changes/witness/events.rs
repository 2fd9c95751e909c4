//! Traces of events: run on the workflows of both versions until they differ.

use std::cell::OnceCell;
use std::collections::{BTreeMap, VecDeque};

use pack::model::State;
use serde_json::{Value, json};

use super::Outcome;
use crate::change::Witness;
use crate::changes::comparison::Comparison;
use crate::changes::workflow::{Machine, Position, Run, is_terminal};

/// What a trace has to come to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Trace<'a> {
    /// The start of the workflow.
    Entry,
    /// The start of an agent, by its key in OLD.
    Agent(&'a str),
    /// A state, by its name in OLD.
    State(&'a str),
    /// An event in a state.
    Event(&'a str, &'a str),
    /// One more entrance into a state than these.
    Visits(&'a str, i64),
    /// One more entrance into any state than these.
    Total(i64),
    /// Into a state, by its name in OLD, that NEW never leaves.
    Loop(&'a str),
}

/// The longest trace.
const MAX_EVENTS: usize = 1000;
/// The most states from which a long trace is tried.
const MAX_CANDIDATES: usize = 64;
/// The most events in all traces of one comparison together.
const MAX_STEPS: usize = 200_000;

/// Looks for traces in one comparison.
pub(super) struct Traces<'s, 'a> {
    comparison: &'s Comparison<'a>,
    paths: OnceCell<[Paths<'a>; 2]>,
    steps: usize,
}

/// The shortest way to each state: its start, or the state before it and the event.
type Paths<'a> = BTreeMap<&'a str, Arrival<'a>>;

#[derive(Debug, Clone, Copy)]
enum Arrival<'a> {
    Start(Option<&'a str>),
    By(&'a str, &'a str),
}

impl<'s, 'a> Traces<'s, 'a> {
    pub(super) fn new(comparison: &'s Comparison<'a>) -> Traces<'s, 'a> {
        Traces { comparison, paths: OnceCell::new(), steps: 0 }
    }

    /// Runs the shortest trace on both versions.
    pub(super) fn outcome(&mut self, trace: Trace<'a>) -> Outcome {
        let (start, events) = match trace {
            Trace::Entry => (None, Vec::new()),
            Trace::Agent(agent) => (Some(agent), Vec::new()),
            Trace::State(state) => match self.path(state) {
                Some(path) => path,
                None => return Outcome::OldAcceptsNothing,
            },
            Trace::Loop(state) => return self.looping(state),
            Trace::Event(state, event) => match self.path(state) {
                Some((start, mut events)) => {
                    events.push(event);
                    (start, events)
                }
                None => return Outcome::OldAcceptsNothing,
            },
            Trace::Visits(state, most) => match self.rounds(state, most) {
                Some(path) => path,
                None => return Outcome::Undecided,
            },
            Trace::Total(most) => match self.long(most) {
                Some(path) => path,
                None => return Outcome::Undecided,
            },
        };
        self.steps += events.len() + 1;
        if self.steps > MAX_STEPS || events.len() > MAX_EVENTS {
            return Outcome::Undecided;
        }
        self.run(start, &events)
    }

    /// The way into a state after which NEW never comes back to the user.
    fn looping(&mut self, state: &'a str) -> Outcome {
        let machines = [&self.comparison.old.machine, &self.comparison.new.machine];
        let Some((agent, events)) = self.path(state) else { return Outcome::OldAcceptsNothing };
        self.steps += events.len();
        if self.steps > MAX_STEPS {
            return Outcome::Undecided;
        }
        let mut runs = machines.map(|machine| machine.start(agent));
        let start = runs[0].position;
        for run in &mut runs {
            events.iter().for_each(|event| run.fire(event));
        }
        let [Position::In(old), Position::In(new)] = runs.map(|run| run.position) else {
            return Outcome::Undecided;
        };
        Outcome::Found(Witness {
            kind: "events".to_owned(),
            input: input(agent, start, &events),
            old_result: format!("state `{}` leads back to the user, to an end or to a limit", old.name_key()),
            new_result: format!(
                "state `{}` leads nowhere but round among states of the agent",
                new.name_key()
            ),
        })
    }

    fn run(&self, agent: Option<&'a str>, events: &[&'a str]) -> Outcome {
        let prompts = &self.comparison.renamed_prompts;
        let new_agent = agent.map(|agent| prompts.get(agent).copied().unwrap_or(agent));
        let mut old = self.comparison.old.machine.start(agent);
        let mut new = self.comparison.new.machine.start(new_agent);
        let start = old.position;
        let mut fired = Vec::new();
        for event in std::iter::once(None).chain(events.iter().map(Some)) {
            if let Some(event) = event {
                old.fire(event);
                new.fire(event);
                fired.push(*event);
            }
            if !matches!(old.position, Position::In(_) | Position::Prompt(_)) {
                return Outcome::Undecided;
            }
            if !self.agree(&old, &new) {
                return Outcome::Found(Witness {
                    kind: "events".to_owned(),
                    input: input(agent, start, &fired),
                    old_result: say(old.position, new.position),
                    new_result: say(new.position, old.position),
                });
            }
        }
        Outcome::None
    }

    /// Whether both runs stand in the same state, which looks the same to a caller.
    fn agree(&self, old: &Run<'_, 'a>, new: &Run<'_, 'a>) -> bool {
        match (old.position, new.position) {
            (Position::In(old), Position::In(new)) => self.look_alike(old, new),
            (Position::Prompt(_), Position::Prompt(_)) => true,
            _ => false,
        }
    }

    fn look_alike(&self, old: State<'a>, new: State<'a>) -> bool {
        let follow =
            |names: &BTreeMap<&'a str, &'a str>, name: &'a str| names.get(name).copied().unwrap_or(name);
        let comparison = self.comparison;
        follow(&comparison.renamed_states, old.name_key()) == new.name_key()
            && old.text("prompt_task").map(|name| follow(&comparison.renamed_prompts, name))
                == new.text("prompt_task")
            && old.text("composition").map(|name| follow(&comparison.renamed_compositions, name))
                == new.text("composition")
            && old.orchestration() == new.orchestration()
            && is_terminal(old) == is_terminal(new)
    }

    /// The shortest way to a state of OLD; where there is one on which NEW goes along, that one.
    fn path(&self, state: &'a str) -> Option<(Option<&'a str>, Vec<&'a str>)> {
        let paths = self.paths.get_or_init(|| {
            let machine = &self.comparison.old.machine;
            [shortest(machine, |state| self.is_kept(state)), shortest(machine, |_| true)]
        });
        paths.iter().find_map(|paths| walk_back(paths, state))
    }

    /// Whether NEW has the state as OLD has it.
    fn is_kept(&self, state: State<'a>) -> bool {
        let name = state.name_key();
        let name = self.comparison.renamed_states.get(name).copied().unwrap_or(name);
        self.comparison.new.machine.state(name).is_some_and(|new| self.look_alike(state, new))
    }

    /// A trace that enters a state once more than `most` times.
    fn rounds(&self, state: &'a str, most: i64) -> Option<(Option<&'a str>, Vec<&'a str>)> {
        let (start, mut events) = self.path(state)?;
        let round = round(&self.comparison.old.machine, state)?;
        let rounds = usize::try_from(most).ok()?;
        if events.len() + round.len().checked_mul(rounds)? > MAX_EVENTS {
            return None;
        }
        for _ in 0..rounds {
            events.extend(&round);
        }
        Some((start, events))
    }

    /// A trace that enters one more state than `most`: straight on, or round and round where there is a way back.
    fn long(&self, most: i64) -> Option<(Option<&'a str>, Vec<&'a str>)> {
        let needed = usize::try_from(most).ok().filter(|needed| *needed <= MAX_EVENTS)?;
        let machine = &self.comparison.old.machine;
        let traces = machine.states().take(MAX_CANDIDATES).filter_map(|state| {
            let (start, mut events) = self.path(state.name_key())?;
            if events.len() < needed {
                let round = round(machine, state.name_key())?;
                let missing = needed - events.len();
                events.extend(round.iter().cycle().take(missing));
            }
            events.truncate(needed);
            Some((start, events))
        });
        let mut accepted = traces.filter(|(start, events)| {
            let mut run = machine.start(*start);
            events.iter().for_each(|event| run.fire(event));
            matches!(run.position, Position::In(_))
        });
        accepted.next()
    }
}

/// The transitions of a state in the order of the events; none out of an end.
fn transitions<'a>(state: State<'a>) -> BTreeMap<&'a str, &'a str> {
    if is_terminal(state) {
        return BTreeMap::new();
    }
    state.events().map(|(event, target, _)| (event, target)).collect()
}

fn shortest<'a>(machine: &Machine<'a>, may_pass: impl Fn(State<'a>) -> bool) -> Paths<'a> {
    let mut paths = Paths::new();
    let mut open = VecDeque::new();
    let starts = machine.entry().map(|state| (None, state)).into_iter();
    for (agent, state) in starts.chain(machine.agents().map(|(agent, state)| (Some(agent), state))) {
        if machine.state(state).is_some() && !paths.contains_key(state) {
            paths.insert(state, Arrival::Start(agent));
            open.push_back(state);
        }
    }
    while let Some(name) = open.pop_front() {
        let Some(state) = machine.state(name).filter(|state| may_pass(*state)) else { continue };
        for (event, target) in transitions(state) {
            if machine.state(target).is_some() && !paths.contains_key(target) {
                paths.insert(target, Arrival::By(name, event));
                open.push_back(target);
            }
        }
    }
    paths
}

fn walk_back<'a>(paths: &Paths<'a>, state: &'a str) -> Option<(Option<&'a str>, Vec<&'a str>)> {
    let mut events = Vec::new();
    let mut here = state;
    loop {
        match paths.get(here)? {
            Arrival::Start(agent) => {
                events.reverse();
                return Some((*agent, events));
            }
            Arrival::By(before, event) => {
                events.push(*event);
                here = before;
            }
        }
    }
}

/// The shortest way from a state back into it.
fn round<'a>(machine: &Machine<'a>, state: &'a str) -> Option<Vec<&'a str>> {
    let mut paths: BTreeMap<&'a str, (Option<&'a str>, &'a str)> = BTreeMap::new();
    let mut open = VecDeque::from([state]);
    while let Some(name) = open.pop_front() {
        for (event, target) in machine.state(name).map(transitions).unwrap_or_default() {
            let before = (name != state).then_some(name);
            if !paths.contains_key(target) {
                paths.insert(target, (before, event));
                open.push_back(target);
            }
        }
        if paths.contains_key(state) {
            break;
        }
    }
    let mut events = Vec::new();
    let mut here = Some(state);
    while let Some(name) = here {
        let (before, event) = *paths.get(name)?;
        events.push(event);
        here = before;
    }
    events.reverse();
    Some(events)
}

fn input(agent: Option<&str>, start: Position<'_>, events: &[&str]) -> Value {
    let mut input = json!({ "events": events });
    if let Value::Object(members) = &mut input {
        if let Some(agent) = agent {
            members.insert("agent".to_owned(), Value::from(agent));
        }
        if let Position::In(state) = start {
            members.insert("start".to_owned(), Value::from(state.name_key()));
        }
    }
    input
}

/// Who moves a state on.
fn driven(orchestration: &str) -> &str {
    match orchestration {
        "internal" => "internal: the runtime alone moves on",
        "external" => "external: the caller alone moves on",
        "hybrid" => "hybrid: runtime or caller moves on",
        other => other,
    }
}

/// Where a run stands; beside a run in the same state also what differs in who drives it.
fn say(position: Position<'_>, beside: Position<'_>) -> String {
    match position {
        Position::In(state) => {
            let work = match (state.text("composition"), state.text("prompt_task")) {
                (Some(name), _) if state.orchestration() == "composition" => {
                    format!("composition `{name}`, ")
                }
                (_, Some(name)) => format!("prompt `{name}`, "),
                _ => String::new(),
            };
            let end = if is_terminal(state) { ", completed" } else { "" };
            let is_driven_otherwise = matches!(beside, Position::In(other)
                if other.name_key() == state.name_key() && other.orchestration() != state.orchestration());
            let drives = state.orchestration();
            let drives = if is_driven_otherwise { driven(drives) } else { drives };
            format!("in state `{}` ({work}{drives}{end})", state.name_key())
        }
        Position::Prompt(agent) => format!("prompt `{agent}` answers alone"),
        Position::Refused(event, state) => {
            format!("event `{event}` is unknown in state `{}`", state.name_key())
        }
        Position::Undeclared(name) => format!("state `{name}` is not declared"),
        Position::Exhausted(name) => format!("the run ends: state `{name}` may not be entered again"),
        Position::Spent(most) => format!("the run ends: its {most} state visits are spent"),
        Position::Nothing => "there is nothing to start".to_owned(),
    }
}
