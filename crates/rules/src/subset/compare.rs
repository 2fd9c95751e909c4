//! Compares two versions of a schema: first whether they allow the same, then where they differ.
//!
//! The verdict comes from both inclusions. A difference in spelling is kept only if OLD with just that node replaced
//! is no longer equal to OLD; what the kept differences do not explain belongs to combinators, at the deepest node
//! that holds all of it. Names are told apart from values: a parameter that is added to an open object, or that
//! leaves it, is a difference although no value is newly allowed or refused.

use pack::Pointer;
use serde_json::Value;

use super::budget::Budget;
use super::candidate::{About, Candidate, Place, replacing};
use super::declared::Declared;
use super::difference::{Comparison, Difference, Kind, Verdict};
use super::document::Document;
use super::effect::{Effect, Found, deepest, joined, kinds};
use super::forms::{Form, Forms, Id, Types};
use super::question::{ask, is_deeper};
use super::reading::{Edits, Node, Reader};
use super::shrink::shrink;
use super::solver::{Fuel, Goal, Outcome, Solver};
use super::validate::Validators;
use super::walk::Walker;
use super::{Inclusion, Names, Reason};

/// How many nodes may be read again to judge candidates one by one; the others are kept unjudged.
const MAX_READ: usize = 600_000;

/// What one question about a single candidate may cost.
const FUEL: Fuel = Fuel { steps: 30_000, words: 2_000_000 };

/// Compares the schemas of two versions of one thing; a side without a schema allows any object.
pub fn compare(old: Option<&Value>, new: Option<&Value>) -> Comparison {
    compare_within(old, new, &Budget::default())
}

/// Compares as [`compare`] does, with what the run has left.
pub(super) fn compare_within(old: Option<&Value>, new: Option<&Value>, budget: &Budget) -> Comparison {
    let object = serde_json::json!({"type": "object"});
    match (old, new) {
        (None, None) => Comparison { verdict: Verdict::Equal, differences: Vec::new(), witness: None },
        (Some(old), Some(new)) => Comparer::run(old, new, budget),
        (None, Some(new)) => appeared(&object, new, true, budget),
        (Some(old), None) => appeared(old, &object, false, budget),
    }
}

/// One side has no schema. Where the other accepts any object, only the names that it declares differ.
fn appeared(old: &Value, new: &Value, added: bool, budget: &Budget) -> Comparison {
    let (free, schema) = if added { (old, new) } else { (new, old) };
    let (reason, witness) = match budget.includes(free, schema, Names::Any) {
        Inclusion::Holds => {
            let mut comparison = Comparer::run(old, new, budget);
            comparison.differences.retain(|difference| {
                matches!(difference.kind, Kind::OptionalAdded | Kind::Removed | Kind::Renamed)
            });
            comparison.verdict = joined(Verdict::Equal, &comparison.differences);
            return comparison;
        }
        Inclusion::Fails(value) => (None, Some(value)),
        Inclusion::Vast => (None, None),
        Inclusion::Undecided(reason) => (Some(reason), None),
    };
    let root = Some(Pointer::root());
    let difference = Difference {
        kind: if added { Kind::ParamsAdded } else { Kind::ParamsRemoved },
        name: String::new(),
        old: root.clone().filter(|_| !added),
        new: root.filter(|_| added),
        witness: witness.clone().filter(|_| added),
        reason,
    };
    let verdict = if added { Verdict::Narrowed } else { Verdict::Widened };
    Comparison { verdict, differences: vec![difference], witness: witness.filter(|_| added) }
}

/// Whether a target accepts all of a source.
enum Within {
    All,
    /// It refuses this value, or one that is too large to be built.
    Not(Option<Value>),
}

struct Comparer<'a, 'v> {
    documents: &'a [Document<'v>; 2],
    solver: Solver<'a>,
    budget: &'a Budget,
    /// The judge of witnesses; the reason where a schema cannot be compiled.
    validators: Result<Validators, Reason>,
    old: Id,
    new: Id,
    /// Whether OLD lies within NEW, and NEW within OLD.
    forth: Inclusion,
    back: Inclusion,
    /// The same over all objects; asked when something about undeclared members differs.
    equal_for_any: Option<bool>,
    left_to_read: usize,
    size: usize,
    /// Whether there are several candidates: a value may then be refused because of another one.
    is_one_of_several: bool,
}

impl<'a, 'v> Comparer<'a, 'v> {
    fn run(old: &'v Value, new: &'v Value, budget: &Budget) -> Comparison {
        if old == new {
            return Comparison { verdict: Verdict::Equal, differences: Vec::new(), witness: None };
        }
        if is_deeper(old, super::question::MAX_DEPTH) || is_deeper(new, super::question::MAX_DEPTH) {
            return undecidable(Reason::Budget);
        }
        let documents = [Document::new(old), Document::new(new)];
        let mut forms = Forms::new(budget);
        let (edits, none) = (Edits::new(), Edits::new());
        let mut reader = Reader::new(&mut forms, &documents, &edits);
        let ids = [
            reader.schema(Node { value: old, side: 0 }),
            Reader::new(&mut forms, &documents, &none).schema(Node { value: new, side: 1 }),
        ];
        if forms.is_circular() {
            return undecidable(Reason::Budget);
        }
        let mut walker = Walker::new(&documents);
        walker.run();
        let candidates = walker.candidates;
        let mut comparer = Comparer {
            documents: &documents,
            solver: Solver::new(&mut forms),
            budget,
            validators: Validators::new(&documents),
            old: ids[0],
            new: ids[1],
            forth: budget.includes(old, new, Names::Declared),
            back: budget.includes(new, old, Names::Declared),
            equal_for_any: None,
            left_to_read: MAX_READ,
            is_one_of_several: candidates.len() > 1,
            size: nodes(old).max(nodes(new)),
        };
        comparer.judge(candidates)
    }

    fn judge(&mut self, candidates: Vec<Candidate<'v>>) -> Comparison {
        let mut differences = Vec::new();
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        for candidate in candidates {
            let found = self.candidate(&candidate, 0);
            if found.is_empty() { &mut dropped } else { &mut kept }.push(candidate);
            differences.extend(found);
        }
        if let Some(rest) = self.unexplained(&kept) {
            differences.extend(self.masked(&mut kept, dropped).unwrap_or_else(|| vec![rest]));
        }
        differences.extend(self.unsaid(&differences));
        differences.sort_by(|left, right| {
            let at = |difference: &Difference| difference.new.clone().or(difference.old.clone());
            (at(left), left.kind).cmp(&(at(right), right.kind))
        });
        differences.dedup();
        let verdict = joined(self.base_verdict(), &differences);
        let witness = match &self.forth {
            Inclusion::Fails(value) => Some(value.clone()),
            _ => differences.iter().find_map(|difference| difference.witness.clone()),
        };
        Comparison { verdict, differences, witness }
    }

    fn base_verdict(&self) -> Verdict {
        match (&self.forth, &self.back) {
            (Inclusion::Holds, Inclusion::Holds) => Verdict::Equal,
            // What is left open can only be whether NEW allows more.
            (Inclusion::Holds, _) => Verdict::Widened,
            (Inclusion::Fails(_) | Inclusion::Vast, Inclusion::Holds) => Verdict::Narrowed,
            (Inclusion::Fails(_) | Inclusion::Vast, _) => Verdict::Changed,
            (Inclusion::Undecided(reason), _) => Verdict::Undecidable(*reason),
        }
    }

    fn is_equal(&self) -> bool {
        self.base_verdict() == Verdict::Equal
    }

    fn is_equal_for_any(&mut self) -> bool {
        let (old, new, budget) = (self.documents[0].root, self.documents[1].root, self.budget);
        *self.equal_for_any.get_or_insert_with(|| {
            budget.includes(old, new, Names::Any) == Inclusion::Holds
                && budget.includes(new, old, Names::Any) == Inclusion::Holds
        })
    }

    /// That NEW refuses something, or that it may, where every difference alone is harmless.
    fn unsaid(&self, differences: &[Difference]) -> Option<Difference> {
        let (kind, witness, reason) = match &self.forth {
            Inclusion::Holds => return None,
            Inclusion::Fails(value) => (Kind::CombinatorNarrowed, Some(value.clone()), None),
            Inclusion::Vast => (Kind::CombinatorNarrowed, None, None),
            Inclusion::Undecided(reason) => (Kind::Undecidable, None, Some(*reason)),
        };
        let is_said = |kind: Kind| {
            kind == Kind::Undecidable || !matches!(kind.direction(), None | Some(Verdict::Widened))
        };
        let said = differences.iter().any(|difference| is_said(difference.kind));
        (!said).then(|| self.whole(kind, witness, reason))
    }

    /// A difference at the deepest node that holds all of them.
    fn whole(&self, kind: Kind, witness: Option<Value>, reason: Option<Reason>) -> Difference {
        let at = deepest(self.documents[0].root, self.documents[1].root);
        let name = at.tokens().last().map(|token| token.into_owned()).unwrap_or_default();
        Difference { kind, name, old: Some(at.clone()), new: Some(at), witness, reason }
    }

    /// Differences that mask each other in OLD: replaced one by one they change nothing there, but do in NEW. Only
    /// if they explain all that is left.
    fn masked(
        &mut self,
        kept: &mut Vec<Candidate<'v>>,
        dropped: Vec<Candidate<'v>>,
    ) -> Option<Vec<Difference>> {
        let mut differences = Vec::new();
        for candidate in dropped {
            let about_name = matches!(candidate.about, About::Added { .. } | About::Removed | About::Renamed);
            let found = if about_name { Vec::new() } else { self.candidate(&candidate, 1) };
            if !found.is_empty() {
                differences.extend(found);
                kept.push(candidate);
            }
        }
        self.unexplained(kept).is_none().then_some(differences)
    }

    /// What a candidate says, judged by replacing its nodes on one side.
    fn candidate(&mut self, candidate: &Candidate<'v>, side: usize) -> Vec<Difference> {
        let found = match &candidate.about {
            About::Annotation(kind) => vec![(*kind, None, None)],
            About::Added { .. } | About::Removed | About::Renamed => self.name(candidate),
            _ if candidate.names == Names::Declared && self.is_equal() => Vec::new(),
            _ if candidate.names == Names::Any && self.is_equal() && self.is_equal_for_any() => Vec::new(),
            About::Rest { closed } => self.rest(candidate, *closed, side),
            about => {
                let effect = self.effect(candidate, Names::Declared, side);
                kinds(about, candidate, self.within_verdict(effect))
            }
        };
        let mut differences = Vec::new();
        for (kind, witness, reason) in found {
            let witness = witness.and_then(|value| self.verified(value, candidate));
            let (kind, reason) = self.cautious(kind, witness.is_some(), reason);
            let (name, old, new) = (candidate.name.clone(), candidate.old.clone(), candidate.new.clone());
            differences.push(Difference { kind, name, old, new, witness, reason });
        }
        differences
    }

    /// What may be said without a witness: what a schema of another dialect means is not known, and nothing counts
    /// as wider as long as it is not known whether it is narrower.
    fn cautious(&self, kind: Kind, shown: bool, reason: Option<Reason>) -> (Kind, Option<Reason>) {
        let open = matches!(self.forth, Inclusion::Undecided(_));
        match (kind.direction(), reason, self.validators.as_ref().err().copied()) {
            (None, ..) => (kind, reason),
            (_, _, Some(Reason::Dialect)) => (Kind::Undecidable, Some(Reason::Dialect)),
            (Some(Verdict::Widened), Some(reason), _) if open => (Kind::Undecidable, Some(reason)),
            (Some(Verdict::Widened), ..) => (kind, reason),
            (_, None, unreadable) if !shown => (kind, unreadable),
            _ => (kind, reason),
        }
    }

    /// A parameter that came, went, or changed its name: only where the other version declares it nowhere in the
    /// same object, and where it can be sent at all.
    fn name(&mut self, candidate: &Candidate<'v>) -> Vec<Found> {
        let Some(place) = &candidate.place else { return Vec::new() };
        let last = |pointer: &Option<Pointer>| -> Option<String> {
            pointer.as_ref().and_then(|pointer| pointer.tokens().last().map(|token| token.into_owned()))
        };
        let mut is_known = false;
        for (name, sends, lacks) in [(last(&candidate.old), 0, 1), (last(&candidate.new), 1, 0)] {
            let Some(name) = name else { continue };
            is_known |= self.is_declared(place, lacks, &name);
            if (is_known && !place.by_pattern) || !self.is_sendable(place, sends, &name) {
                return Vec::new();
            }
        }
        let effect = self.effect(candidate, Names::Declared, 0);
        let widens = matches!(effect, Effect::Widened);
        let (narrows, witness, reason) = match effect {
            Effect::Narrowed(value) | Effect::Changed(value) => (true, value, None),
            // That NEW accepts all of OLD is known already.
            Effect::Unknown(_) if self.forth == Inclusion::Holds => (false, None, None),
            Effect::Unknown(reason) => (true, None, Some(reason)),
            Effect::Equal | Effect::Widened => (false, None, None),
        };
        let kind = match candidate.about {
            About::Added { required } if narrows && required => Kind::RequiredAdded,
            About::Added { .. } if reason.is_some() => Kind::Undecidable,
            // A pattern of names also limits names that were declared all along.
            About::Added { .. } if narrows && place.by_pattern => Kind::ConstraintTightened,
            About::Removed if widens && place.by_pattern => Kind::ConstraintRelaxed,
            _ if is_known => return Vec::new(),
            About::Added { .. } if narrows => Kind::CombinatorNarrowed,
            About::Added { .. } => Kind::OptionalAdded,
            About::Renamed => Kind::Renamed,
            _ => Kind::Removed,
        };
        vec![(kind, witness, reason)]
    }

    fn place_form(&mut self, place: &Place<'v>, side: usize) -> Id {
        let edits = Edits::new();
        let node = if side == 0 { place.old } else { place.new };
        Reader::new(self.solver.forms, self.documents, &edits).schema(node)
    }

    fn is_declared(&mut self, place: &Place<'v>, side: usize, name: &str) -> bool {
        let form = self.place_form(place, side);
        let declared = self.solver.declared(&[form]);
        if place.by_pattern {
            return declared.all || self.declares_pattern(&declared, name);
        }
        self.solver.declares(Some(&vec![form]), name) != Some(false)
    }

    /// Whether each name that a pattern matches is declared in one way or another.
    fn declares_pattern(&mut self, declared: &Declared, pattern: &str) -> bool {
        let forms = &mut self.solver.forms;
        let pattern = forms.pattern(pattern);
        if declared.patterns.contains(&pattern) {
            return true;
        }
        let names: Vec<Value> = declared.names.iter().map(|name| Value::from(&**name)).collect();
        let mut literals = vec![(forms.types(Types::STRING), true), (pattern, true)];
        literals.push((forms.values(&names), false));
        literals.extend(declared.patterns.iter().map(|pattern| (*pattern, false)));
        self.solver.fuel = Fuel::default();
        self.solver.solve(Goal { literals, sources: None }) == Outcome::Empty
    }

    fn is_sendable(&mut self, place: &Place<'v>, side: usize, name: &str) -> bool {
        if place.by_pattern {
            return true;
        }
        let form = self.place_form(place, side);
        let forms = &mut self.solver.forms;
        let present = forms.intern(Form::Required(name.into()));
        let object = forms.types(Types::OBJECT);
        self.solver.fuel = Fuel::default();
        let literals = vec![(form, true), (present, true), (object, true)];
        self.solver.solve(Goal { literals, sources: Some(vec![form]) }) != Outcome::Empty
    }

    /// What replacing the candidate's nodes alone does: in OLD by those of NEW, or in NEW by those of OLD.
    fn effect(&mut self, candidate: &Candidate<'v>, names: Names, side: usize) -> Effect {
        let left = self.left_to_read.checked_sub(self.size).filter(|_| self.budget.take_nodes(self.size));
        let Some(left) = left else { return Effect::Unknown(Reason::Budget) };
        self.left_to_read = left;
        let edited = self.read(side, &replacing(side, [candidate]));
        let (before, after) = if side == 0 { (self.old, edited) } else { (edited, self.new) };
        if before == after {
            return Effect::Equal;
        }
        let forth = self.ask(before, after, names);
        let back = self.ask(after, before, names);
        match (forth, back) {
            (Ok(Within::All), Ok(Within::All)) => Effect::Equal,
            (Ok(Within::All), _) => Effect::Widened,
            (Ok(Within::Not(value)), Ok(Within::All)) => Effect::Narrowed(value),
            (Ok(Within::Not(value)), _) => Effect::Changed(value),
            (Err(reason), _) => Effect::Unknown(reason),
        }
    }

    fn read(&mut self, side: usize, edits: &Edits<'v>) -> Id {
        let root = Node { value: self.documents[side].root, side };
        Reader::new(self.solver.forms, self.documents, edits).schema(root)
    }

    /// Whether `target` accepts all of `source`. A doubtful value counts if the validator says so of both versions.
    fn ask(&mut self, source: Id, target: Id, names: Names) -> Result<Within, Reason> {
        if self.solver.forms.is_circular() {
            return Err(Reason::Budget);
        }
        self.solver.fuel = FUEL;
        match ask(&mut self.solver, source, target, names) {
            Outcome::Empty => Ok(Within::All),
            Outcome::Vast => Ok(Within::Not(None)),
            Outcome::Found(value, None) => Ok(Within::Not(Some(value))),
            Outcome::Found(value, Some(_)) if self.separates(&value) => Ok(Within::Not(Some(value))),
            Outcome::Found(_, Some(reason)) | Outcome::Unknown(reason) => Err(reason),
        }
    }

    fn separates(&self, value: &Value) -> bool {
        self.validators.as_ref().is_ok_and(|validators| validators.separate(value))
    }

    /// A value that OLD accepts and NEW refuses, made small: if there is one, because of this candidate alone, else
    /// because of this one too; else the one that was found for the whole.
    fn verified(&mut self, value: Value, candidate: &Candidate<'v>) -> Option<Value> {
        if let Some(alone) = self.refused_alone(candidate) {
            return Some(alone);
        }
        if self.separates(&value) {
            return Some(shrink(value, &mut |smaller| self.separates(smaller)));
        }
        match &self.forth {
            Inclusion::Fails(value) => Some(value.clone()),
            _ => None,
        }
    }

    /// A value that NEW refuses, and would accept if this candidate had stayed as it was. Where nothing else differs,
    /// any value is one, and nothing is asked.
    fn refused_alone(&mut self, candidate: &Candidate<'v>) -> Option<Value> {
        if !self.is_one_of_several || !self.budget.take_nodes(self.size) {
            return None;
        }
        let stayed = self.read(1, &replacing(1, [candidate]));
        if stayed == self.old || stayed == self.new || self.solver.forms.is_circular() {
            return None;
        }
        self.solver.fuel = FUEL;
        let literals = vec![(self.old, true), (stayed, true), (self.new, false)];
        let Outcome::Found(value, _) = self.solver.solve(Goal { literals, sources: Some(vec![self.old]) })
        else {
            return None;
        };
        let shows = |comparer: &mut Self, value: &Value| {
            comparer.separates(value) && comparer.solver.holds(stayed, value) == Some(true)
        };
        shows(self, &value).then(|| shrink(value, &mut |smaller| shows(self, smaller)))
    }

    /// The effect as far as the verdict agrees: where NEW allows nothing more, no difference alone can be said to
    /// allow more, and likewise for less. Others undo what it does.
    fn within_verdict(&self, effect: Effect) -> Effect {
        let (nothing_less, nothing_more) = (self.forth == Inclusion::Holds, self.back == Inclusion::Holds);
        match effect {
            Effect::Narrowed(_) if nothing_less => Effect::Equal,
            Effect::Widened if nothing_more => Effect::Equal,
            Effect::Changed(_) if nothing_less => Effect::Widened,
            Effect::Changed(value) if nothing_more => Effect::Narrowed(value),
            effect => effect,
        }
    }

    /// Something about undeclared members: what it does to declared ones comes first.
    fn rest(&mut self, candidate: &Candidate<'v>, closed: Option<bool>, side: usize) -> Vec<Found> {
        if closed.is_none() && !self.is_equal() {
            let effect = self.effect(candidate, Names::Declared, side);
            let effect = self.within_verdict(effect);
            let found = kinds(&About::Limit, candidate, effect);
            if !found.is_empty() {
                return found;
            }
        }
        match self.effect(candidate, Names::Any, side) {
            Effect::Equal => Vec::new(),
            Effect::Widened => vec![(Kind::Opened, None, None)],
            Effect::Narrowed(value) | Effect::Changed(value) => vec![(Kind::Closed, value, None)],
            Effect::Unknown(reason) => match closed {
                Some(true) => vec![(Kind::Closed, None, Some(reason))],
                Some(false) => vec![(Kind::Opened, None, Some(reason))],
                None => vec![(Kind::Undecidable, None, Some(reason))],
            },
        }
    }

    /// What the kept differences together do not explain.
    fn unexplained(&mut self, kept: &[Candidate<'v>]) -> Option<Difference> {
        if self.is_equal() {
            return None;
        }
        let edited = self.read(0, &replacing(0, kept));
        if edited == self.new {
            return None;
        }
        let new = self.new;
        let forth = match self.forth {
            Inclusion::Holds => Ok(Within::All),
            _ => self.ask(edited, new, Names::Declared),
        };
        let back = match self.back {
            Inclusion::Holds => Ok(Within::All),
            _ => self.ask(new, edited, Names::Declared),
        };
        let (kind, reason) = match (forth, back) {
            (Ok(Within::All), Ok(Within::All)) => return None,
            (Ok(Within::Not(_)), _) => (Kind::CombinatorNarrowed, None),
            (Err(reason), _) => (Kind::Undecidable, Some(reason)),
            (Ok(Within::All), Ok(Within::Not(_))) => (Kind::CombinatorWidened, None),
            // OLD lies within NEW; that NEW may allow more is not known, and said as if it did.
            (Ok(Within::All), Err(reason)) => (Kind::CombinatorWidened, Some(reason)),
        };
        let witness = match &self.forth {
            Inclusion::Fails(value) if kind == Kind::CombinatorNarrowed => Some(value.clone()),
            _ => None,
        };
        Some(self.whole(kind, witness, reason))
    }
}

fn undecidable(reason: Reason) -> Comparison {
    let root = Some(Pointer::root());
    let difference = Difference {
        kind: Kind::Undecidable,
        name: String::new(),
        old: root.clone(),
        new: root,
        witness: None,
        reason: Some(reason),
    };
    Comparison { verdict: Verdict::Undecidable(reason), differences: vec![difference], witness: None }
}

fn nodes(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(nodes).sum::<usize>(),
        Value::Object(members) => members.values().map(nodes).sum(),
        _ => 0,
    }
}
