//! Brings combinators into branches: each is a set of plain constraints that one value has to satisfy.
//!
//! Disjunctions wait until everything that is certain has been taken in, because most of their alternatives then
//! turn out to be refuted or to hold already. Where several wait, each alternative is probed against what is certain
//! before any choice is made; otherwise comparing two long `anyOf` lists would try all combinations.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Reason;
use super::forms::{Form, Forms, Id, Types};
use super::solver::{Best, Goal, Literal, Outcome, Solver};

/// The longest `oneOf` whose branches are compared with each other.
const MAX_ONE_OF: usize = 150;

/// The most branches of a refused `oneOf` of which two could hold, after all others are ruled out.
const MAX_PAIRED: usize = 40;

/// The most choices that are open at once.
const MAX_CHOICES: usize = 60;

/// Sets of literals of which one must hold.
#[derive(Debug, Clone)]
struct Choice {
    alternatives: Vec<Vec<Literal>>,
    /// Whether it comes from a combinator that must hold. Such a choice says what the value is and is made first;
    /// those that come from refused conjunctions are then mostly settled.
    leads: bool,
}

/// One conjunction on the way to plain constraints.
#[derive(Debug, Clone)]
pub(super) struct Branch {
    pub(super) types: Types,
    pub(super) literals: BTreeSet<Literal>,
    pending: Vec<Choice>,
    /// Lists of forms of which not exactly one may hold.
    not_one: Vec<Vec<Id>>,
    /// Set where the branch would grow too large.
    cut: bool,
}

impl Branch {
    pub(super) fn new() -> Branch {
        Branch {
            types: Types::ALL,
            literals: BTreeSet::new(),
            pending: Vec::new(),
            not_one: Vec::new(),
            cut: false,
        }
    }

    /// Takes literals in; false when they contradict what is there.
    pub(super) fn add_all(&mut self, forms: &mut Forms, literals: &[Literal]) -> bool {
        let mut open: Vec<Literal> = literals.iter().rev().copied().collect();
        while let Some((id, holds)) = open.pop() {
            if self.literals.contains(&(id, !holds)) {
                return false;
            }
            self.types = self.types.and(forms.types_of(id, holds));
            if self.types == Types::NONE {
                return false;
            }
            if self.literals.insert((id, holds)) {
                self.unfold(forms, id, holds, &mut open);
            }
        }
        true
    }

    fn unfold(&mut self, forms: &mut Forms, id: Id, holds: bool, open: &mut Vec<Literal>) {
        match (&*forms.get(id), holds) {
            (Form::And(parts), true) | (Form::Or(parts), false) => {
                open.extend(parts.iter().rev().map(|part| (*part, holds)));
            }
            (Form::And(parts), false) | (Form::Or(parts), true) => {
                let alternatives = parts.iter().map(|part| vec![(*part, holds)]).collect();
                self.pending.push(Choice { alternatives, leads: holds });
            }
            (Form::Not(part), holds) => open.push((*part, !holds)),
            (Form::Recursive(slot), holds) => open.push((forms.slot(*slot), holds)),
            (Form::One(parts), _) if parts.len() > MAX_ONE_OF => self.cut = true,
            (Form::One(parts), true) => {
                self.pending.push(Choice { alternatives: exactly_one(parts), leads: true });
            }
            (Form::One(parts), false) => self.not_one.push(parts.clone()),
            (Form::Contains { form, min, max }, false) => {
                let mut count =
                    |min, max| vec![(forms.intern(Form::Contains { form: *form, min, max }), true)];
                let fewer = min.checked_sub(1).map(|max| count(0, Some(max)));
                let more = max.map(|max| count(max + 1, None));
                let alternatives = fewer.into_iter().chain(more).collect();
                self.pending.push(Choice { alternatives, leads: false });
            }
            _ => {}
        }
    }

    /// The steps that looking at the branch once takes.
    fn cost(&self) -> u64 {
        1 + self.literals.len() as u64 / 16
    }

    /// Whether the literals contradict the branch at first sight.
    fn refutes(&self, forms: &mut Forms, literals: &[Literal]) -> bool {
        literals.iter().any(|(id, holds)| {
            self.literals.contains(&(*id, !holds)) || !self.types.meets(forms.types_of(*id, *holds))
        })
    }
}

fn exactly_one(parts: &[Id]) -> Vec<Vec<Literal>> {
    let others = |at: usize| parts.iter().enumerate().map(move |(other, part)| (*part, other == at));
    (0..parts.len()).map(|at| others(at).collect()).collect()
}

fn two_of(parts: &[Id]) -> Vec<Vec<Literal>> {
    let pairs = parts
        .iter()
        .enumerate()
        .flat_map(|(at, first)| parts[at + 1..].iter().map(|second| vec![(*first, true), (*second, true)]));
    pairs.collect()
}

impl Solver<'_> {
    pub(super) fn search_goal(&mut self, goal: &Goal) -> Outcome {
        let mut branch = Branch::new();
        if !branch.add_all(self.forms, &goal.literals) {
            return Outcome::Empty;
        }
        self.search(branch, goal.sources.as_ref(), 0)
    }

    /// Finds a value for the branch with more literals.
    pub(super) fn search_with(
        &mut self,
        branch: &Branch,
        literals: &[Literal],
        sources: Option<&Vec<Id>>,
        choices: usize,
    ) -> Outcome {
        let mut extended = branch.clone();
        if !extended.add_all(self.forms, literals) {
            return Outcome::Empty;
        }
        self.search(extended, sources, choices + 1)
    }

    fn search(&mut self, mut branch: Branch, sources: Option<&Vec<Id>>, choices: usize) -> Outcome {
        if choices > MAX_CHOICES || !self.spend(branch.cost()) {
            return Outcome::Unknown(Reason::Budget);
        }
        if !self.settle(&mut branch) {
            return Outcome::Empty;
        }
        let size = |at: &usize| branch.pending[*at].alternatives.len();
        let leading = (0..branch.pending.len()).filter(|at| branch.pending[*at].leads).min_by_key(size);
        if leading.is_none() && branch.pending.len() > 1 && !self.probe(&mut branch, sources) {
            return Outcome::Empty;
        }
        let cut = branch.cut.then_some(Reason::Budget);
        let size = |at: &usize| branch.pending[*at].alternatives.len();
        let smallest = leading.or_else(|| (0..branch.pending.len()).min_by_key(size));
        let Some(smallest) = smallest else {
            return match branch.not_one.pop() {
                Some(parts) => self.search_not_one(branch, &parts, sources, choices),
                None => self.satisfy(&branch, sources, choices),
            }
            .doubted(cut);
        };
        let mut best = Best::default();
        for alternative in branch.pending.swap_remove(smallest).alternatives {
            let outcome = self.search_with(&branch, &alternative, sources, choices).doubted(cut);
            if let Some(outcome) = best.take(outcome) {
                return outcome;
            }
        }
        best.finish()
    }

    /// A value for which none of the forms holds, or two of those that can.
    fn search_not_one(
        &mut self,
        branch: Branch,
        parts: &[Id],
        sources: Option<&Vec<Id>>,
        choices: usize,
    ) -> Outcome {
        let mut possible = Vec::new();
        for part in parts {
            if !self.is_refuted(&branch, &[(*part, true)], sources) {
                possible.push(*part);
            }
        }
        let none: Vec<Literal> = possible.iter().map(|part| (*part, false)).collect();
        let mut best = Best::default();
        if possible.len() > MAX_PAIRED {
            best.take(Outcome::Unknown(Reason::Budget));
            possible.clear();
        }
        for way in std::iter::once(none).chain(two_of(&possible)) {
            let outcome = self.search_with(&branch, &way, sources, choices);
            if let Some(outcome) = best.take(outcome) {
                return outcome;
            }
        }
        best.finish()
    }

    /// Drops alternatives that contradict the branch and choices that are made already, until nothing moves.
    fn settle(&mut self, branch: &mut Branch) -> bool {
        loop {
            let mut single = None;
            let mut at = 0;
            while at < branch.pending.len() {
                let mut choice = std::mem::take(&mut branch.pending[at].alternatives);
                let held = choice
                    .iter()
                    .any(|literals| literals.iter().all(|literal| branch.literals.contains(literal)));
                choice.retain(|literals| !branch.refutes(self.forms, literals));
                match choice.as_slice() {
                    _ if held => {
                        branch.pending.swap_remove(at);
                        continue;
                    }
                    [] => return false,
                    [_] => {
                        branch.pending.swap_remove(at);
                        single = choice.pop();
                        break;
                    }
                    _ => branch.pending[at].alternatives = choice,
                }
                at += 1;
            }
            let Some(single) = single else { return true };
            if !branch.add_all(self.forms, &single) {
                return false;
            }
        }
    }

    /// Tests each alternative against what is certain. Emptiness found without the other choices stays true with
    /// them, so a refuted alternative goes, and a choice of which one alternative must hold is made.
    fn probe(&mut self, branch: &mut Branch, sources: Option<&Vec<Id>>) -> bool {
        let certain = Branch { pending: Vec::new(), not_one: Vec::new(), ..branch.clone() };
        let mut at = 0;
        while at < branch.pending.len() {
            let choice = std::mem::take(&mut branch.pending[at].alternatives);
            let mut kept = Vec::new();
            let mut must_hold = false;
            for literals in choice {
                if self.is_refuted(&certain, &literals, sources) {
                    continue;
                }
                if let [(id, holds)] = literals.as_slice() {
                    must_hold |= self.is_refuted(&certain, &[(*id, !holds)], sources);
                }
                kept.push(literals);
            }
            if kept.is_empty() {
                return false;
            }
            if must_hold {
                branch.pending.swap_remove(at);
                continue;
            }
            branch.pending[at].alternatives = kept;
            at += 1;
        }
        self.settle(branch)
    }

    fn is_refuted(&mut self, certain: &Branch, literals: &[Literal], sources: Option<&Vec<Id>>) -> bool {
        if !self.spend(certain.cost()) {
            return false;
        }
        let mut probe = certain.clone();
        if !probe.add_all(self.forms, literals) {
            return true;
        }
        probe.pending.clear();
        probe.not_one.clear();
        self.satisfy(&probe, sources, MAX_CHOICES) == Outcome::Empty
    }

    /// Finds a value for a branch without choices, the simplest type first.
    fn satisfy(&mut self, branch: &Branch, sources: Option<&Vec<Id>>, choices: usize) -> Outcome {
        let mut best = Best::default();
        if branch.literals.iter().any(|(id, holds)| *holds && matches!(*self.forms.get(*id), Form::Values(_)))
        {
            return self.constants(branch, sources);
        }
        const ORDER: [Types; 7] = [
            Types::NULL,
            Types::BOOLEAN,
            Types::INTEGER,
            Types::FRACTION,
            Types::STRING,
            Types::ARRAY,
            Types::OBJECT,
        ];
        for types in ORDER {
            if !branch.types.meets(types) {
                continue;
            }
            let outcome = match types {
                Types::NULL => self.first_of(branch, sources, &[Value::Null]),
                Types::BOOLEAN => self.first_of(branch, sources, &[Value::Bool(false), Value::Bool(true)]),
                Types::INTEGER | Types::FRACTION => self.number(branch, types == Types::INTEGER),
                Types::STRING => self.text(branch),
                Types::ARRAY => self.array(branch, sources, choices),
                _ => self.object(branch, sources, choices),
            };
            let outcome = outcome.doubted(self.doubt(branch, types));
            if let Some(outcome) = best.take(outcome) {
                return outcome;
            }
        }
        best.finish()
    }

    /// Why a value of this type that satisfies the plain constraints may still fail.
    fn doubt(&self, branch: &Branch, types: Types) -> Option<Reason> {
        branch.literals.iter().find_map(|(id, _)| match &*self.forms.get(*id) {
            Form::Opaque { reason, types: subject, .. } if subject.meets(types) => Some(*reason),
            _ => None,
        })
    }

    /// Finds a value among the constants that all `enum` and `const` of the branch allow.
    fn constants(&mut self, branch: &Branch, sources: Option<&Vec<Id>>) -> Outcome {
        let mut allowed: Option<Vec<u32>> = None;
        for (id, holds) in &branch.literals {
            if let (Form::Values(values), true) = (&*self.forms.get(*id), holds) {
                allowed = Some(match allowed {
                    None => values.clone(),
                    Some(allowed) => {
                        allowed.into_iter().filter(|v| values.binary_search(v).is_ok()).collect()
                    }
                });
            }
        }
        let candidates: Vec<Value> =
            allowed.unwrap_or_default().iter().map(|id| self.forms.constant_value(*id).clone()).collect();
        self.first_of(branch, sources, &candidates)
    }

    fn first_of(&mut self, branch: &Branch, sources: Option<&Vec<Id>>, candidates: &[Value]) -> Outcome {
        let mut best = Best::default();
        for value in candidates {
            if !branch.types.meets(Types::of(value)) || !self.is_declared(sources, value) {
                continue;
            }
            let mut doubt = None;
            let mut refused = false;
            for (id, holds) in &branch.literals {
                match self.holds(*id, value) {
                    Some(held) => refused |= held != *holds,
                    None => doubt = Some(self.reason_of(*id)),
                }
                if refused {
                    break;
                }
            }
            if !refused && let Some(outcome) = best.take(Outcome::Found(value.clone(), doubt)) {
                return outcome;
            }
        }
        best.finish()
    }

    /// Why a form could not be decided: for the first opaque part of it.
    fn reason_of(&self, id: Id) -> Reason {
        let mut seen = BTreeSet::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            if let Form::Opaque { reason, .. } = &*self.forms.get(id) {
                return *reason;
            }
            open.extend(self.forms.parts(id));
        }
        Reason::Budget
    }
}
