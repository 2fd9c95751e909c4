//! Witnesses: the smallest input that OLD accepts and NEW fails, run on both.
//!
//! A proven break that has none is no break, and is left out. Where OLD accepts no input at all, nothing that worked
//! can fail, and the wire bump becomes patch.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use pack::model::{Agent, Pack};
use serde_json::{Value, json};

use super::comparison::{Comparison, PromptPair};
use super::report::{Changes, Draft};
use super::side::VariableSide;
use super::variables::{Constraints, Relation, relate, shortest_text};
use super::workflow;
use crate::change::{Bump, Bumps, Certainty, Profile, Witness};
use crate::subset::Budget;

mod events;
mod media;
mod render;
mod sample;

pub(crate) use events::Trace;
use events::Traces;
pub(crate) use media::MediaBreak;
use render::{Call, Failure, render};

/// What a break is about, so that a witness can be made for it.
#[derive(Debug, Clone)]
pub(crate) enum Focus<'a> {
    /// A call without the variable.
    Without(&'a str),
    /// A call in which the variable has a value that is refused now.
    With(&'a str),
    /// A placeholder that stays in the text, by its body.
    Left(String),
    /// Any call; a finding that is never left out for lack of a witness.
    AnyOf(Vec<&'a str>),
    /// A medium that is refused now.
    Media(MediaBreak),
    /// A name that somebody holds: what it names, and the name.
    Reference(Named, String),
    /// A call of one prompt, by its key in OLD, that now goes to another one.
    Switch(&'a str, &'a str),
    /// A trace of events.
    Trace(Trace<'a>),
    /// A media type that an agent, by its key in OLD, accepts or answers in.
    Mode {
        /// The agent.
        agent: &'a str,
        /// The mode, which may be `image/*`.
        mode: &'a str,
        /// Whether it is one of its inputs.
        is_input: bool,
    },
}

/// What a reference names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// A pack, by id.
    Pack,
    /// A prompt, by key.
    Prompt,
    /// A tool, by key.
    Tool,
    /// A tool, by the name that the model calls.
    ToolName,
    /// A state, by key.
    State,
    /// An artifact slot, by name.
    Artifact,
    /// An agent, by key.
    Agent,
    /// The agent that is asked first.
    EntryAgent,
    /// A provider that the pack requires, by key.
    Provider,
    /// A provider that a host which serves only what is required does not have, by key.
    OptionalProvider,
}

impl Named {
    /// Whether a pack has what is called that.
    pub(crate) fn is_in(self, pack: Pack<'_>, name: &str) -> bool {
        match self {
            Named::Pack => pack.id() == Some(name),
            Named::Prompt => pack.prompt(name).is_some(),
            Named::Tool => pack.tool(name).is_some(),
            Named::ToolName => pack.tools().any(|tool| tool.text("name") == Some(name)),
            Named::State => pack.workflow().is_some_and(|workflow| workflow.state(name).is_some()),
            Named::Artifact => pack.workflow().is_some_and(|workflow| {
                workflow
                    .states()
                    .any(|state| state.get("artifacts").is_some_and(|slots| slots.get(name).is_some()))
            }),
            Named::Agent => member(pack, name).is_some(),
            Named::EntryAgent => pack.agents().is_some_and(|agents| agents.text("entry") == Some(name)),
            Named::Provider => pack.providers().any(|provider| provider.name_key() == Some(name)),
            Named::OptionalProvider => !super::later::looks_up_optional(pack, name),
        }
    }
}

/// What looking for a witness gave.
enum Outcome {
    Found(Witness),
    /// Every input that OLD accepts works with NEW.
    None,
    /// OLD accepts no input.
    OldAcceptsNothing,
    /// It could not be decided within the budget.
    Undecided,
}

/// The most bytes of text that are rendered in one comparison.
const MAX_RENDERED: usize = 8 * 1024 * 1024;
/// The most values in all witnesses of one comparison together.
const MAX_SHOWN: usize = 200_000;
/// The most models that are tried for one finding.
const MAX_MODELS: usize = 8;
/// The most values that are tried for one finding.
const MAX_VALUES: usize = 8;

/// Adds a witness to every finding that names what it is about.
pub(super) fn attach<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let pairs: BTreeMap<&str, &PromptPair<'a>> =
        comparison.prompt_pairs.iter().map(|pair| (pair.key(), pair)).collect();
    let mut search = Search { comparison, rendered: 0, shown: 0, calls: BTreeMap::new() };
    let mut traces = Traces::new(comparison);
    for draft in changes.drafts_mut() {
        let Some(focus) = draft.focus.clone() else { continue };
        let is_reference = matches!(focus, Focus::Reference(..));
        let is_due = draft.certainty == Certainty::Proven
            && (is_reference || draft.bumps.wire == Bump::Major && !draft.scope.unreachable)
            && !matches!(focus, Focus::AnyOf(_));
        let pair = draft.scope.prompt.and_then(|key| pairs.get(key).copied());
        let outcome = match (&focus, pair) {
            (Focus::Reference(named, name), _) => reference(comparison, *named, name),
            (Focus::Trace(trace), _) => traces.outcome(*trace),
            (Focus::Mode { agent, mode, is_input }, _) => self::mode(comparison, agent, mode, *is_input),
            (Focus::Switch(old, new), _) => search.switch(old, new, &focus),
            (Focus::AnyOf(prompts), _) => {
                let found =
                    prompts.iter().filter_map(|key| pairs.get(key)).map(|pair| search.call(pair, &focus));
                found
                    .into_iter()
                    .find(|outcome| matches!(outcome, Outcome::Found(_)))
                    .unwrap_or(Outcome::None)
            }
            (Focus::Media(wanted), Some(pair)) => media::find(pair, wanted),
            (_, Some(pair)) => search.call(pair, &focus),
            (_, None) => Outcome::Undecided,
        };
        settle(draft, outcome, is_due);
    }
}

fn settle(draft: &mut Draft<'_>, outcome: Outcome, is_due: bool) {
    match outcome {
        Outcome::Found(witness) => {
            // A value that is refused now proves what the patterns alone could not.
            if draft.reason == Some("non-regular-pattern") {
                draft.reason = None;
                draft.proven();
            }
            draft.witness = Some(witness);
        }
        _ if !is_due => {}
        Outcome::None => draft.dropped = true,
        Outcome::OldAcceptsNothing => {
            let bumps: Bumps = draft.bumps;
            draft.bumps = bumps.with(Profile::Wire, Bump::Patch);
        }
        Outcome::Undecided => {
            draft.possible("no-witness");
        }
    }
}

fn reference(comparison: &Comparison<'_>, named: Named, name: &str) -> Outcome {
    if !named.is_in(comparison.old.pack, name) || named.is_in(comparison.new.pack, name) {
        return match named {
            // Where two tools have one name, or one has none, nobody can say whom a call reached.
            Named::ToolName => Outcome::Undecided,
            _ => Outcome::None,
        };
    }
    let kind = match named {
        Named::Pack => "pack",
        Named::Prompt => "prompt",
        Named::Tool | Named::ToolName => "tool",
        Named::State => "state",
        Named::Artifact => "artifact",
        Named::Agent => "agent",
        Named::EntryAgent => "entry",
        Named::Provider | Named::OptionalProvider => "provider",
    };
    let results = match named {
        Named::OptionalProvider => {
            ["nothing looks it up", "not found where a host serves only what is required"]
        }
        _ => ["found", "not found"],
    };
    let [old_result, new_result] = results.map(str::to_owned);
    Outcome::Found(Witness {
        kind: "reference".to_owned(),
        input: json!({ kind: name }),
        old_result,
        new_result,
    })
}

fn member<'a>(pack: Pack<'a>, key: &str) -> Option<Agent<'a>> {
    pack.agents()?.get("members")?.get(key).map(Agent)
}

/// A media type that OLD's list allows and NEW's does not.
fn mode(comparison: &Comparison<'_>, agent: &str, mode: &str, is_input: bool) -> Outcome {
    const KNOWN: [&str; 8] = [
        "text/plain",
        "text/html",
        "image/jpeg",
        "image/png",
        "audio/mpeg",
        "video/mp4",
        "application/json",
        "application/pdf",
    ];
    let renamed = comparison.renamed_prompts.get(agent).copied().unwrap_or(agent);
    let (Some(old), Some(new)) = (member(comparison.old.pack, agent), member(comparison.new.pack, renamed))
    else {
        return Outcome::Undecided;
    };
    let allows =
        |modes: &BTreeSet<&str>, wanted: &str| modes.iter().any(|listed| workflow::covers(listed, wanted));
    let (before, after) = (workflow::modes(old, is_input), workflow::modes(new, is_input));
    let made_up = mode.replace('*', "x");
    let candidates = KNOWN.iter().copied().filter(|known| mode != *known && workflow::covers(mode, known));
    let lone = [mode].into_iter().filter(|mode| !mode.contains('*'));
    let found = lone.chain(candidates).chain([made_up.as_str()]);
    let Some(found) = found.into_iter().find(|found| allows(&before, found) && !allows(&after, found)) else {
        return Outcome::None;
    };
    let results = if is_input { ["accepted", "refused"] } else { ["offered", "not offered"] };
    Outcome::Found(Witness {
        kind: if is_input { "media" } else { "reference" }.to_owned(),
        input: json!({ "agent": agent, "mime_type": found }),
        old_result: results[0].to_owned(),
        new_result: results[1].to_owned(),
    })
}

/// Calls that were made so far, so that findings of one prompt share them.
struct Search<'s, 'a> {
    comparison: &'s Comparison<'a>,
    /// Bytes of text rendered so far.
    rendered: usize,
    /// Values in the witnesses so far.
    shown: usize,
    calls: BTreeMap<(&'a str, &'a str, Option<&'a str>), Tried>,
}

/// The smallest call that OLD accepts, for one prompt and model.
#[derive(Clone)]
enum Tried {
    /// It renders.
    Accepted(Rc<Accepted>),
    /// OLD renders no call.
    Nothing,
    /// No value was found for a variable, or the budget is spent.
    Unknown,
}

/// A call that OLD renders, and what NEW says about it.
struct Accepted {
    call: Call,
    failures: Vec<Failure>,
    /// Positions of the first failure about a body or about the variable in it.
    about: BTreeMap<String, usize>,
}

impl Accepted {
    fn new(call: Call, failures: Vec<Failure>) -> Rc<Accepted> {
        let mut about = BTreeMap::new();
        for (at, failure) in failures.iter().enumerate() {
            about.entry(failure.subject.clone()).or_insert(at);
            about.entry(failure.root.clone()).or_insert(at);
        }
        Rc::new(Accepted { call, failures, about })
    }

    fn failure(&self, about: &str) -> Option<&Failure> {
        self.failures.get(*self.about.get(about)?)
    }
}

impl<'a> Search<'_, 'a> {
    /// Looks for a call of one prompt that fails where another prompt answers it.
    fn switch(&mut self, old: &str, new: &str, focus: &Focus<'a>) -> Outcome {
        let sides = (self.comparison.old, self.comparison.new);
        let (Some(old), Some(new)) = (sides.0.prompt(old), sides.1.prompt(new)) else {
            return Outcome::Undecided;
        };
        match self.call(&PromptPair::new(old, new, sides.0, sides.1), focus) {
            // The change itself is no guess, so it is never left out.
            Outcome::None => Outcome::Undecided,
            outcome => outcome,
        }
    }

    /// Looks for a call of one prompt.
    fn call(&mut self, pair: &PromptPair<'a>, focus: &Focus<'a>) -> Outcome {
        let overrides = pair.old.texts.overrides.keys().chain(pair.new.texts.overrides.keys());
        let mut models: Vec<Option<&'a str>> = overrides.map(|model| Some(*model)).collect();
        models.sort_unstable();
        models.dedup();
        models.insert(0, None);
        let mut result = Outcome::OldAcceptsNothing;
        for model in models.into_iter().take(MAX_MODELS) {
            let outcome = match self.smallest(pair, model) {
                Tried::Nothing => continue,
                Tried::Unknown => Outcome::Undecided,
                Tried::Accepted(accepted) => self.judge(pair, model, &accepted, focus),
            };
            match (&outcome, &result) {
                (Outcome::Found(_), _) => return outcome,
                (Outcome::None, Outcome::Undecided) => {}
                _ => result = outcome,
            }
        }
        result
    }

    fn judge(
        &mut self,
        pair: &PromptPair<'a>,
        model: Option<&'a str>,
        accepted: &Accepted,
        focus: &Focus<'a>,
    ) -> Outcome {
        let failure = match focus {
            Focus::With(name) => return self.with_value(pair, model, &accepted.call, name),
            Focus::Without(name) => accepted.failure(name),
            Focus::Left(body) => accepted.failure(body),
            _ => accepted.failures.first(),
        };
        failure.map_or(Outcome::None, |failure| self.found(pair, model, &accepted.call, failure))
    }

    fn found(
        &mut self,
        pair: &PromptPair<'_>,
        model: Option<&str>,
        call: &Call,
        failure: &Failure,
    ) -> Outcome {
        self.shown += 1 + call.len();
        if self.shown > MAX_SHOWN {
            return Outcome::Undecided;
        }
        Outcome::Found(witness(pair, model, call, failure))
    }

    /// Looks for a value of one variable that OLD allows and NEW refuses.
    fn with_value(
        &mut self,
        pair: &PromptPair<'a>,
        model: Option<&'a str>,
        call: &Call,
        name: &str,
    ) -> Outcome {
        if self.rendered > MAX_RENDERED {
            return Outcome::Undecided;
        }
        let find = |sides: &'a [VariableSide<'a>]| sides.iter().find(|side| side.name() == name);
        let (Some(old), Some(new)) = (find(&pair.old.variables), find(&pair.new.variables)) else {
            return Outcome::Undecided;
        };
        let (before, after) = (Constraints::of(old.variable), Constraints::of(new.variable));
        let paths = pair.old.usage.paths.get(name).into_iter().flatten();
        // What a sample does not hit, the reasoning over both declarations does.
        let refused = match relate(&before, &after, &self.comparison.budget) {
            Relation::Narrower(value) | Relation::Overlapping(value) => value,
            Relation::Equal | Relation::Wider | Relation::Unknown(_) => None,
        };
        let separates = |value: &Value| before.accept(value) && !after.accept(value);
        let with_parts = |value: Value| match value {
            Value::Object(_) | Value::Array(_) => sample::with_parts(value, paths.clone().cloned()),
            other => other,
        };
        let values = sample::values(old, &[&before, &after]).into_iter().map(with_parts).filter(separates);
        let values = sample::among(values.collect(), refused.map(with_parts).filter(separates));
        for value in values.into_iter().take(MAX_VALUES) {
            let mut call = call.clone();
            call.insert(name.to_owned(), value);
            match (self.run(pair, model, &call, false), self.run(pair, model, &call, true)) {
                (Some(Ok(_)), Some(Err(failures))) => {
                    if let Some(failure) = failures.iter().find(|failure| failure.root == name) {
                        return self.found(pair, model, &call, failure);
                    }
                }
                (None, _) | (_, None) => return Outcome::Undecided,
                _ => {}
            }
        }
        Outcome::Undecided
    }

    /// The smallest call that OLD accepts, tried once per prompt and model.
    fn smallest(&mut self, pair: &PromptPair<'a>, model: Option<&'a str>) -> Tried {
        if let Some(known) = self.calls.get(&(pair.old.key(), pair.key(), model)) {
            return known.clone();
        }
        let tried = self.try_smallest(pair, model);
        self.calls.insert((pair.old.key(), pair.key(), model), tried.clone());
        tried
    }

    fn try_smallest(&mut self, pair: &PromptPair<'a>, model: Option<&'a str>) -> Tried {
        let mut call = Call::new();
        let Some(first) = self.run(pair, model, &call, false) else { return Tried::Unknown };
        if let Err(failures) = first {
            let missing: BTreeSet<&str> = failures.iter().map(|failure| failure.root.as_str()).collect();
            for side in pair.old.variables.iter().filter(|side| missing.contains(side.name())) {
                let Some(value) = smallest_value(pair, side, &self.comparison.budget) else {
                    return Tried::Unknown;
                };
                call.insert(side.name().to_owned(), value);
            }
            match self.run(pair, model, &call, false) {
                Some(Ok(_)) => {}
                // Only what no value can fill shows that no call renders.
                Some(Err(failures)) if failures.iter().any(|failure| is_hopeless(pair, failure)) => {
                    return Tried::Nothing;
                }
                _ => return Tried::Unknown,
            }
        }
        match self.run(pair, model, &call, true) {
            Some(Ok(_)) => Tried::Accepted(Accepted::new(call, Vec::new())),
            Some(Err(failures)) => Tried::Accepted(Accepted::new(call, failures)),
            None => Tried::Unknown,
        }
    }

    fn run(
        &mut self,
        pair: &PromptPair<'a>,
        model: Option<&str>,
        call: &Call,
        is_new: bool,
    ) -> Option<Result<String, Vec<Failure>>> {
        let (prompt, side) = match is_new {
            true => (pair.new, self.comparison.new),
            false => (pair.old, self.comparison.old),
        };
        if self.rendered > MAX_RENDERED {
            return None;
        }
        let length = |text: &super::text::Text<'_>| text.expanded.as_ref().map_or(0, String::len);
        self.rendered += prompt.texts.all().map(length).sum::<usize>() + prompt.variables.len();
        render(prompt, side.syntax, model, call)
    }
}

fn is_hopeless(pair: &PromptPair<'_>, failure: &Failure) -> bool {
    pair.old.usage.unresolvable.contains(&failure.subject)
}

/// The smallest value that OLD allows, with the parts that its texts read.
fn smallest_value(pair: &PromptPair<'_>, side: &VariableSide<'_>, budget: &Budget) -> Option<Value> {
    let constraints = Constraints::of(side.variable);
    let paths: Vec<String> = pair.old.usage.paths.get(side.name()).into_iter().flatten().cloned().collect();
    let values = sample::values(side, &[&constraints]).into_iter();
    let values = values.map(|value| match (&value, paths.is_empty()) {
        (_, true) => value,
        _ => sample::with_parts(value, paths.iter().cloned()),
    });
    let is_allowed = |value: &Value| value.as_str() != Some("") && constraints.accept(value);
    let found = values.into_iter().find(is_allowed);
    // Only what a pattern says can be beyond the samples.
    let is_shortest = found.as_ref().is_some_and(|value| value.as_str().is_none_or(|text| text.len() == 1));
    if constraints.pattern.is_none() || is_shortest {
        return found;
    }
    let shortest = shortest_text(&constraints, budget).filter(is_allowed);
    sample::among(found.into_iter().collect(), shortest).into_iter().next()
}

fn witness(pair: &PromptPair<'_>, model: Option<&str>, call: &Call, failure: &Failure) -> Witness {
    let mut input = json!({ "prompt": pair.old.key(), "variables": call });
    if let (Some(model), Value::Object(members)) = (model, &mut input) {
        members.insert("model".to_owned(), Value::from(model));
    }
    Witness {
        kind: "variables".to_owned(),
        input,
        old_result: "renders".to_owned(),
        new_result: failure.message.clone(),
    }
}
