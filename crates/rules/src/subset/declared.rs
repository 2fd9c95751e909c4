//! Which names a source declares at a place.
//!
//! An open object accepts every name, but a caller who reads the schema sends those that it names. So the source
//! ranges over objects whose members it declares: in `properties` anywhere including branches, in
//! `patternProperties`, by a schema in `additionalProperties`, or because it requires them. Without this, adding an
//! optional property to an open object would count as narrowing it.

use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::Value;

use super::forms::{Form, Id, Members, TRUE};
use super::solver::Solver;

/// Everything that the source says of one place, in branches and under negations too.
#[derive(Debug, Default)]
pub(super) struct Declared {
    pub(super) names: BTreeSet<Rc<str>>,
    /// Forms of names, as `patternProperties` gives them.
    pub(super) patterns: Vec<Id>,
    /// Whether every name is declared.
    pub(super) all: bool,
    members: Vec<Rc<Members>>,
    items: Vec<(Vec<Id>, Id)>,
    contains: Vec<Id>,
    values: Vec<Id>,
}

impl Solver<'_> {
    /// What the schemas declare together.
    pub(super) fn declared(&mut self, sources: &[Id]) -> Rc<Declared> {
        if let Some(declared) = self.declared.get(sources) {
            return Rc::clone(declared);
        }
        let mut declared = Declared::default();
        let mut open = sources.to_vec();
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            open.extend(self.forms.in_place(id));
            match &*self.forms.get(id) {
                Form::Members(members) => {
                    declared.names.extend(members.named.keys().cloned());
                    declared.patterns.extend(members.patterns.iter().map(|(pattern, _)| *pattern));
                    declared.all |= members.declares_rest;
                    declared.members.push(Rc::clone(members));
                }
                Form::Required(name) => {
                    declared.names.insert(Rc::clone(name));
                }
                Form::Items { prefix, rest } => declared.items.push((prefix.clone(), *rest)),
                Form::Contains { form, .. } => declared.contains.push(*form),
                Form::Values(_) => declared.values.push(id),
                _ => {}
            }
        }
        declared.patterns.sort_unstable();
        declared.patterns.dedup();
        let declared = Rc::new(declared);
        self.declared.insert(sources.to_vec(), Rc::clone(&declared));
        declared
    }

    /// Whether the source declares a name; none where a pattern cannot be decided.
    pub(super) fn declares(&mut self, sources: Option<&Vec<Id>>, name: &str) -> Option<bool> {
        let Some(sources) = sources else { return Some(true) };
        let declared = self.declared(sources);
        if declared.all || declared.names.contains(name) {
            return Some(true);
        }
        let name = Value::from(name);
        let mut sure = true;
        for pattern in &declared.patterns {
            match self.holds(*pattern, &name) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => sure = false,
            }
        }
        sure.then_some(false)
    }

    /// The schemas of the source that speak of one member.
    pub(super) fn member_sources(&mut self, sources: Option<&Vec<Id>>, name: &str) -> Option<Vec<Id>> {
        let declared = self.declared(sources?);
        let mut inner = Vec::new();
        for members in &declared.members {
            let applying = self.applying(members, name);
            inner.extend(applying.sure);
            inner.extend(applying.maybe);
        }
        Some(tidy(inner))
    }

    /// The schemas of the source that speak of one item.
    pub(super) fn item_sources(&mut self, sources: Option<&Vec<Id>>, at: usize) -> Option<Vec<Id>> {
        let declared = self.declared(sources?);
        let items = declared.items.iter().map(|(prefix, rest)| prefix.get(at).copied().unwrap_or(*rest));
        Some(tidy(items.chain(declared.contains.iter().copied()).collect()))
    }

    /// Whether every member inside a value is declared where it stands, or the value is spelled out by the source.
    pub(super) fn is_declared(&mut self, sources: Option<&Vec<Id>>, value: &Value) -> bool {
        let Some(given) = sources else { return true };
        match value {
            Value::Array(items) => {
                self.spells_out(given, value)
                    || items.iter().enumerate().all(|(at, item)| {
                        let inner = self.item_sources(sources, at);
                        self.is_declared(inner.as_ref(), item)
                    })
            }
            Value::Object(members) => {
                self.spells_out(given, value)
                    || members.iter().all(|(name, member)| {
                        let inner = self.member_sources(sources, name);
                        self.declares(sources, name) != Some(false)
                            && self.is_declared(inner.as_ref(), member)
                    })
            }
            _ => true,
        }
    }

    fn spells_out(&mut self, sources: &[Id], value: &Value) -> bool {
        let declared = self.declared(sources);
        declared.values.iter().any(|values| self.holds(*values, value) == Some(true))
    }

    /// The forms that one constraint on members puts on the member of a name.
    pub(super) fn applying(&mut self, members: &Members, name: &str) -> Applying {
        let mut applying = Applying::default();
        let named = members.named.get(name).copied();
        applying.sure.extend(named);
        let text = Value::from(name);
        let mut matched = named.is_some();
        for (pattern, form) in &members.patterns {
            match self.holds(*pattern, &text) {
                Some(true) => {
                    matched = true;
                    applying.sure.push(*form);
                }
                Some(false) => {}
                None => applying.maybe.push(*form),
            }
        }
        if !matched && applying.maybe.is_empty() {
            applying.sure.push(members.rest);
        } else if !matched {
            applying.maybe.push(members.rest);
        }
        applying.sure.retain(|form| *form != TRUE);
        applying.maybe.retain(|form| *form != TRUE);
        applying
    }
}

/// Forms that apply to a member, and those of which that is not known.
#[derive(Debug, Default)]
pub(super) struct Applying {
    pub(super) sure: Vec<Id>,
    pub(super) maybe: Vec<Id>,
}

fn tidy(mut ids: Vec<Id>) -> Vec<Id> {
    ids.retain(|id| *id != TRUE);
    ids.sort_unstable();
    ids.dedup();
    ids
}
