//! Finds an object: which members it has, and what each has to satisfy.
//!
//! What the target refuses becomes demands: some member must fail the form of its name, or some name must fail the
//! form of names. Each demand is tried on every name that is known, then on fresh names, one for each way in which
//! the patterns can match it. Members that are required are found first; the others only where a demand or
//! `minProperties` asks for them.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::{Map, Value};

use super::Reason;
use super::branches::Branch;
use super::forms::{Form, Id, Members, TRUE, Types, canonical};
use super::solver::{Best, Goal, Literal, Outcome, Solver};
use super::strings::lower;

/// The most members that are filled in to reach `minProperties`.
const MAX_FILLED: u64 = 2_000;

#[derive(Debug, Default)]
struct Wanted {
    required: BTreeSet<Rc<str>>,
    forbidden: BTreeSet<Rc<str>>,
    members: Vec<Rc<Members>>,
    demands: Vec<Demand>,
    /// Forms of every name.
    names: Vec<Id>,
    min: u64,
    max: Option<u64>,
    sources: Option<Vec<Id>>,
    /// Names that a form or the source mentions.
    known: BTreeSet<Rc<str>>,
    /// Forms of names that tell fresh names apart.
    patterns: Vec<Id>,
    excluded: BTreeSet<String>,
}

#[derive(Debug, Clone)]
enum Demand {
    /// A member fails what this says of its name.
    Member(Rc<Members>),
    /// A name fails this.
    Name(Id),
}

/// A member that was decided on.
#[derive(Debug, Clone)]
struct Chosen {
    literals: Vec<Literal>,
    /// None where it is too large to be built.
    value: Option<Value>,
    doubt: Option<Reason>,
}

type Choices = BTreeMap<Rc<str>, Chosen>;

impl Solver<'_> {
    /// Finds an object with few members that satisfies the branch.
    pub(super) fn object(&mut self, branch: &Branch, sources: Option<&Vec<Id>>, choices: usize) -> Outcome {
        let mut wanted = self.wanted_object(branch, sources);
        if wanted.max.is_some_and(|max| max < wanted.min.max(wanted.required.len() as u64)) {
            return Outcome::Empty;
        }
        // Seen before the demands are tried on every name: a required member that cannot be rules all of them out.
        for name in &wanted.required {
            if self.member(&wanted, name, &[]) == Outcome::Empty {
                return Outcome::Empty;
            }
        }
        if wanted.demands.len() > 1 && !self.sort_demands(&mut wanted) {
            return Outcome::Empty;
        }
        let outcome = self.meet_demands(&wanted, 0, &mut Choices::new());
        match &outcome {
            Outcome::Found(value, _) if wanted.excluded.contains(&canonical(value)) => {
                let value = value.clone();
                self.other_object(branch, sources, choices, &value)
            }
            // The object that is too large to be built may be the very constant that is taken.
            Outcome::Vast if !wanted.excluded.is_empty() => Outcome::Unknown(Reason::Budget),
            _ => outcome,
        }
    }

    fn wanted_object(&mut self, branch: &Branch, sources: Option<&Vec<Id>>) -> Wanted {
        let mut wanted = Wanted { sources: sources.cloned(), ..Wanted::default() };
        for (id, holds) in &branch.literals {
            match (&*self.forms.get(*id), holds) {
                (Form::Required(name), true) => {
                    wanted.required.insert(Rc::clone(name));
                }
                (Form::Required(name), false) => {
                    wanted.forbidden.insert(Rc::clone(name));
                }
                (Form::MinMembers(min), true) => wanted.min = wanted.min.max(*min),
                (Form::MinMembers(min), false) => wanted.max = lower(wanted.max, min.saturating_sub(1)),
                (Form::MaxMembers(max), true) => wanted.max = lower(wanted.max, *max),
                (Form::MaxMembers(max), false) => wanted.min = wanted.min.max(max.saturating_add(1)),
                (Form::Names(form), true) => wanted.names.push(*form),
                (Form::Names(form), false) => wanted.demands.push(Demand::Name(*form)),
                (Form::Members(members), true) => wanted.members.push(Rc::clone(members)),
                (Form::Members(members), false) => wanted.demands.push(Demand::Member(Rc::clone(members))),
                (Form::Values(values), false) => {
                    let constants = values.iter().map(|value| canonical(self.forms.constant_value(*value)));
                    wanted.excluded.extend(constants);
                }
                _ => {}
            }
        }
        self.gather_names(&mut wanted);
        wanted
    }

    fn gather_names(&mut self, wanted: &mut Wanted) {
        wanted.known.extend(wanted.required.iter().chain(&wanted.forbidden).cloned());
        let refused = wanted.demands.iter().filter_map(|demand| match demand {
            Demand::Member(members) => Some(members),
            Demand::Name(_) => None,
        });
        for members in wanted.members.iter().chain(refused) {
            wanted.known.extend(members.named.keys().cloned());
            wanted.patterns.extend(members.patterns.iter().map(|(pattern, _)| *pattern));
        }
        if let Some(sources) = &wanted.sources {
            let declared = self.declared(sources);
            wanted.known.extend(declared.names.iter().cloned());
            wanted.patterns.extend(declared.patterns.iter().copied());
        }
        wanted.patterns.sort_unstable();
        wanted.patterns.dedup();
        // A pattern that cannot be decided tells no names apart.
        let decidable = |id: &Id| !matches!(&*self.forms.get(*id), Form::Opaque { .. });
        wanted.patterns.retain(decidable);
    }

    /// A value for one member, under what the branch says of its name and what is asked for besides.
    fn member(&mut self, wanted: &Wanted, name: &str, besides: &[Literal]) -> Outcome {
        if wanted.forbidden.contains(name) {
            return Outcome::Empty;
        }
        let mut doubt = None;
        match self.declares(wanted.sources.as_ref(), name) {
            Some(true) => {}
            Some(false) => return Outcome::Empty,
            None => doubt = Some(Reason::NonRegularPattern),
        }
        let text = Value::from(name);
        for form in &wanted.names {
            match self.holds(*form, &text) {
                Some(true) => {}
                Some(false) => return Outcome::Empty,
                None => doubt = Some(Reason::NonRegularPattern),
            }
        }
        let mut literals = besides.to_vec();
        for members in &wanted.members {
            let applying = self.applying(members, name);
            literals.extend(applying.sure.iter().map(|form| (*form, true)));
            if !applying.maybe.is_empty() {
                doubt = Some(Reason::NonRegularPattern);
            }
        }
        let sources = self.member_sources(wanted.sources.as_ref(), name);
        self.solve(Goal { literals, sources }).doubted(doubt)
    }

    /// Drops demands that a required member meets anyway and puts those first that few names can meet; false when
    /// one cannot be met at all. Without this, many demands with two names each would be tried in all combinations.
    fn sort_demands(&mut self, wanted: &mut Wanted) -> bool {
        let mut sorted = Vec::new();
        for demand in std::mem::take(&mut wanted.demands) {
            let Demand::Member(members) = &demand else {
                sorted.push((usize::MAX, demand));
                continue;
            };
            if has_other_names(&demand) || !self.spend(members.named.len() as u64 / 64 + 1) {
                sorted.push((usize::MAX, demand));
                continue;
            }
            let (mut options, mut met) = (0, false);
            for (name, form) in &members.named {
                if *form == TRUE || self.member(wanted, name, &[(*form, false)]) == Outcome::Empty {
                    continue;
                }
                options += 1;
                let required = wanted.required.contains(name);
                met |= required && self.member(wanted, name, &[(*form, true)]) == Outcome::Empty;
            }
            if options == 0 {
                return false;
            }
            if !met {
                sorted.push((options, demand));
            }
        }
        sorted.sort_by_key(|(options, _)| *options);
        wanted.demands = sorted.into_iter().map(|(_, demand)| demand).collect();
        true
    }

    fn meet_demands(&mut self, wanted: &Wanted, at: usize, chosen: &mut Choices) -> Outcome {
        let Some(demand) = wanted.demands.get(at) else { return self.complete(wanted, chosen) };
        let mut best = Best::default();
        for name in candidates(wanted, demand) {
            let outcome = self.meet_with(wanted, at, demand, &name, chosen);
            if let Some(outcome) = best.take(outcome) {
                return outcome;
            }
        }
        if has_other_names(demand) {
            let extra = match demand {
                Demand::Name(form) => Some((*form, false)),
                Demand::Member(_) => None,
            };
            for fresh in self.fresh_names(wanted, extra, chosen) {
                let outcome = match fresh {
                    Ok(name) => self.meet_with(wanted, at, demand, &Rc::from(name), chosen),
                    Err(reason) => Outcome::Unknown(reason),
                };
                if let Some(outcome) = best.take(outcome) {
                    return outcome;
                }
            }
        }
        best.finish()
    }

    /// Meets one demand with the member of a name, then the others.
    fn meet_with(
        &mut self,
        wanted: &Wanted,
        at: usize,
        demand: &Demand,
        name: &Rc<str>,
        chosen: &mut Choices,
    ) -> Outcome {
        let mut doubt = None;
        let mut literals = chosen.get(name).map(|chosen| chosen.literals.clone()).unwrap_or_default();
        match demand {
            Demand::Member(members) => {
                let applying = self.applying(members, name);
                if !applying.maybe.is_empty() {
                    doubt = Some(Reason::NonRegularPattern);
                }
                let refused = self.forms.and(applying.sure.into_iter().chain(applying.maybe));
                if refused == TRUE {
                    return Outcome::Empty;
                }
                literals.push((refused, false));
            }
            Demand::Name(form) => match self.holds(*form, &Value::from(&**name)) {
                Some(true) => return Outcome::Empty,
                Some(false) => {}
                None => doubt = Some(Reason::NonRegularPattern),
            },
        }
        let (value, reason) = match self.member(wanted, name, &literals) {
            Outcome::Found(value, reason) => (Some(value), reason),
            Outcome::Vast => (None, None),
            other => return other,
        };
        let doubt = doubt.or(reason);
        let before = chosen.insert(Rc::clone(name), Chosen { literals, value, doubt });
        let outcome = self.meet_demands(wanted, at + 1, chosen);
        match before {
            Some(before) => chosen.insert(Rc::clone(name), before),
            None => chosen.remove(name),
        };
        outcome
    }

    /// The object of the chosen members, the required ones, and as many more as `minProperties` asks for.
    fn complete(&mut self, wanted: &Wanted, chosen: &Choices) -> Outcome {
        let count = wanted.required.iter().filter(|name| !chosen.contains_key(*name)).count() + chosen.len();
        if wanted.max.is_some_and(|max| max < count as u64) {
            // Two demands might have been met by one fresh name that was not thought of.
            let sure = wanted.demands.len() < 2 || wanted.patterns.is_empty();
            return if sure { Outcome::Empty } else { Outcome::Unknown(Reason::Budget) };
        }
        let mut doubt = None;
        let mut vast = false;
        let mut object = Map::new();
        for (name, chosen) in chosen {
            doubt = doubt.or(chosen.doubt);
            vast |= chosen.value.is_none();
            object.insert(name.to_string(), chosen.value.clone().unwrap_or_default());
        }
        for name in &wanted.required {
            if chosen.contains_key(name) {
                continue;
            }
            match self.member(wanted, name, &[]) {
                Outcome::Found(value, reason) => {
                    doubt = doubt.or(reason);
                    object.insert(name.to_string(), value);
                }
                Outcome::Vast => {
                    vast = true;
                    object.insert(name.to_string(), Value::Null);
                }
                other => return other,
            }
        }
        let outcome = match (object.len() as u64) < wanted.min {
            true => self.fill_up(wanted, object, chosen),
            false => Outcome::Found(Value::Object(object), None),
        };
        match outcome {
            Outcome::Found(_, None) if vast => Outcome::Vast.doubted(doubt),
            outcome => outcome.doubted(doubt),
        }
    }

    fn fill_up(&mut self, wanted: &Wanted, mut object: Map<String, Value>, chosen: &Choices) -> Outcome {
        let mut unknown = None;
        if wanted.min > MAX_FILLED {
            return self.endless_members(wanted, chosen);
        }
        for name in &wanted.known {
            if object.len() as u64 >= wanted.min {
                break;
            }
            if object.contains_key(&**name) {
                continue;
            }
            match self.member(wanted, name, &[]) {
                Outcome::Found(value, None) => {
                    object.insert(name.to_string(), value);
                }
                Outcome::Found(_, Some(reason)) | Outcome::Unknown(reason) => unknown = Some(reason),
                Outcome::Vast => unknown = Some(Reason::Budget),
                Outcome::Empty => {}
            }
        }
        let mut taken = chosen.clone();
        while (object.len() as u64) < wanted.min {
            let mut grown = false;
            for fresh in self.fresh_names(wanted, None, &taken) {
                let name = match fresh {
                    Ok(name) => name,
                    Err(reason) => {
                        unknown = Some(reason);
                        continue;
                    }
                };
                match self.member(wanted, &name, &[]) {
                    Outcome::Found(value, None) if (object.len() as u64) < wanted.min => {
                        let chosen = Chosen { literals: Vec::new(), value: None, doubt: None };
                        taken.insert(Rc::from(name.as_str()), chosen);
                        object.insert(name, value);
                        grown = true;
                    }
                    Outcome::Found(_, Some(reason)) | Outcome::Unknown(reason) => unknown = Some(reason),
                    Outcome::Vast => unknown = Some(Reason::Budget),
                    _ => {}
                }
            }
            if !grown {
                return unknown.map_or(Outcome::Empty, Outcome::Unknown);
            }
        }
        Outcome::Found(Value::Object(object), None)
    }

    /// More members than can be written down: there are, where one can have any of endlessly many names that nothing
    /// tells apart.
    fn endless_members(&mut self, wanted: &Wanted, chosen: &Choices) -> Outcome {
        let declared = wanted.sources.as_ref().map(|sources| self.declared(sources));
        let all_alike = wanted.patterns.is_empty() && wanted.names.is_empty();
        if !all_alike || declared.is_some_and(|declared| !declared.all) {
            return Outcome::Unknown(Reason::Budget);
        }
        match self.fresh_names(wanted, None, chosen).pop() {
            Some(Ok(name)) => match self.member(wanted, &name, &[]) {
                Outcome::Found(_, None) | Outcome::Vast => Outcome::Vast,
                _ => Outcome::Unknown(Reason::Budget),
            },
            _ => Outcome::Unknown(Reason::Budget),
        }
    }

    /// One name that nothing mentions for each way in which the patterns can match one.
    fn fresh_names(
        &mut self,
        wanted: &Wanted,
        extra: Option<Literal>,
        chosen: &Choices,
    ) -> Vec<Result<String, Reason>> {
        let declared = wanted.sources.as_ref().map(|sources| self.declared(sources));
        if declared.is_some_and(|declared| !declared.all && declared.patterns.is_empty()) {
            return Vec::new();
        }
        let taken: Vec<Value> =
            wanted.known.iter().chain(chosen.keys()).map(|name| Value::from(&**name)).collect();
        let mut literals = vec![(self.forms.types(Types::STRING), true)];
        literals.push((self.forms.values(&taken), false));
        literals.extend(wanted.names.iter().map(|form| (*form, true)));
        literals.extend(extra);
        let mut found = Vec::new();
        self.names_by_pattern(&wanted.patterns, literals, &mut found);
        found.retain(|name| match name {
            Ok(name) => self.declares(wanted.sources.as_ref(), name) != Some(false),
            Err(_) => true,
        });
        found
    }

    fn names_by_pattern(
        &mut self,
        patterns: &[Id],
        literals: Vec<Literal>,
        found: &mut Vec<Result<String, Reason>>,
    ) {
        let outcome = self.solve(Goal { literals: literals.clone(), sources: None });
        match (outcome, patterns.split_first()) {
            (Outcome::Empty, _) => {}
            (Outcome::Unknown(reason), _) => found.push(Err(reason)),
            (Outcome::Vast, _) => found.push(Err(Reason::Budget)),
            (Outcome::Found(..), Some((pattern, others))) => {
                for holds in [true, false] {
                    let mut literals = literals.clone();
                    literals.push((*pattern, holds));
                    self.names_by_pattern(others, literals, found);
                }
            }
            (Outcome::Found(Value::String(name), _), None) => {
                // The empty name is a name too, but one that reads is preferred.
                let mut longer = literals;
                longer.push((self.forms.intern(Form::MinLength(1)), true));
                match self.solve(Goal { literals: longer, sources: None }) {
                    Outcome::Found(Value::String(name), _) => found.push(Ok(name)),
                    _ => found.push(Ok(name)),
                }
            }
            (Outcome::Found(..), None) => {}
        }
    }

    /// Another object than one that may not be: without a member, with another value, or with a member more.
    fn other_object(
        &mut self,
        branch: &Branch,
        sources: Option<&Vec<Id>>,
        choices: usize,
        value: &Value,
    ) -> Outcome {
        let mut ways: Vec<Vec<Literal>> = Vec::new();
        let members = value.as_object().into_iter().flatten();
        for (name, member) in members {
            let name: Rc<str> = Rc::from(name.as_str());
            let present = self.forms.intern(Form::Required(Rc::clone(&name)));
            ways.push(vec![(present, false)]);
            let same = self.forms.values([member]);
            let other = self.forms.not(same);
            let named = BTreeMap::from([(name, other)]);
            let members = Members { named, patterns: Vec::new(), rest: TRUE, declares_rest: false };
            let differs = self.forms.intern(Form::Members(Rc::new(members)));
            ways.push(vec![(present, true), (differs, true)]);
        }
        let count = value.as_object().map_or(0, Map::len) as u64;
        let more = self.forms.intern(Form::MinMembers(count + 1));
        ways.push(vec![(more, true)]);
        self.first_way(branch, sources, choices, &ways)
    }
}

/// Names on which a demand could be met, those first that are there anyway.
fn candidates(wanted: &Wanted, demand: &Demand) -> Vec<Rc<str>> {
    let names: Box<dyn Iterator<Item = &Rc<str>>> = match demand {
        Demand::Member(members) if !has_other_names(demand) => Box::new(members.named.keys()),
        _ => Box::new(wanted.known.iter()),
    };
    let (there, others): (Vec<&Rc<str>>, Vec<&Rc<str>>) =
        names.partition(|name| wanted.required.contains(*name));
    there.into_iter().chain(others).cloned().collect()
}

/// Whether a demand can be met by names that it does not mention.
fn has_other_names(demand: &Demand) -> bool {
    match demand {
        Demand::Member(members) => members.rest != TRUE || !members.patterns.is_empty(),
        Demand::Name(_) => true,
    }
}
