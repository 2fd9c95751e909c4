//! Schemas in one normal form, each held once.
//!
//! Reading a schema turns every keyword into a form, and equal forms share one id. So most of two versions of a
//! schema is the same by identity, and a constraint that stands on both sides with opposite signs is a contradiction
//! that needs no reasoning. Order, repetition, nesting of `allOf`, `const` against `enum`, and references that do
//! not recur leave no trace.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use serde_json::Value;

use super::Reason;
use super::budget::Budget;
use super::decimal::Decimal;
use super::pattern::{MAX_STATES, NoAutomaton, Pattern, split_lookaheads};

/// The id of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Id(u32);

/// The accepting form: a conjunction of nothing.
pub(super) const TRUE: Id = Id(0);
/// The refusing form: a disjunction of nothing.
pub(super) const FALSE: Id = Id(1);

/// A set of JSON types, where numbers are split into integers and others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const NONE: Types = Types(0);
    pub(super) const NULL: Types = Types(1);
    pub(super) const BOOLEAN: Types = Types(2);
    pub(super) const INTEGER: Types = Types(4);
    pub(super) const FRACTION: Types = Types(8);
    pub(super) const NUMBER: Types = Types(12);
    pub(super) const STRING: Types = Types(16);
    pub(super) const ARRAY: Types = Types(32);
    pub(super) const OBJECT: Types = Types(64);
    pub(super) const ALL: Types = Types(127);

    /// The types that a name in `type` stands for.
    pub(super) fn named(name: &str) -> Option<Types> {
        Some(match name {
            "null" => Types::NULL,
            "boolean" => Types::BOOLEAN,
            "integer" => Types::INTEGER,
            "number" => Types::NUMBER,
            "string" => Types::STRING,
            "array" => Types::ARRAY,
            "object" => Types::OBJECT,
            _ => return None,
        })
    }

    /// The one type of a value.
    pub(super) fn of(value: &Value) -> Types {
        match value {
            Value::Null => Types::NULL,
            Value::Bool(_) => Types::BOOLEAN,
            Value::Number(number) => match Decimal::of(number) {
                Some(decimal) if decimal.is_integer() => Types::INTEGER,
                _ => Types::FRACTION,
            },
            Value::String(_) => Types::STRING,
            Value::Array(_) => Types::ARRAY,
            Value::Object(_) => Types::OBJECT,
        }
    }

    pub(super) fn and(self, other: Types) -> Types {
        Types(self.0 & other.0)
    }

    pub(super) fn or(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    pub(super) fn not(self) -> Types {
        Types(!self.0 & Types::ALL.0)
    }

    pub(super) fn meets(self, other: Types) -> bool {
        self.0 & other.0 != 0
    }
}

/// One constraint. A form that speaks of one type accepts every value of the others.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Form {
    And(Vec<Id>),
    Or(Vec<Id>),
    /// Exactly one holds.
    One(Vec<Id>),
    Not(Id),
    /// A schema that contains itself; the slot leads to its form.
    Recursive(usize),
    Types(Types),
    /// One of these constants.
    Values(Vec<u32>),
    Minimum {
        bound: Decimal,
        exclusive: bool,
    },
    Maximum {
        bound: Decimal,
        exclusive: bool,
    },
    MultipleOf(Decimal),
    MinLength(u64),
    MaxLength(u64),
    /// Matched by the automaton of this number.
    Pattern(usize),
    MinItems(u64),
    MaxItems(u64),
    Unique,
    Items {
        prefix: Vec<Id>,
        rest: Id,
    },
    Contains {
        form: Id,
        min: u64,
        max: Option<u64>,
    },
    MinMembers(u64),
    MaxMembers(u64),
    Required(Rc<str>),
    Members(Rc<Members>),
    /// Every name satisfies the form.
    Names(Id),
    /// Beyond reasoning: the same text is the same constraint, and nothing else is known.
    Opaque {
        reason: Reason,
        types: Types,
        text: Rc<str>,
    },
}

impl Form {
    /// The types that the form speaks of; values of all others satisfy it.
    pub(super) fn subject(&self) -> Types {
        match self {
            Form::Minimum { .. } | Form::Maximum { .. } | Form::MultipleOf(_) => Types::NUMBER,
            Form::MinLength(_) | Form::MaxLength(_) | Form::Pattern(_) => Types::STRING,
            Form::MinItems(_)
            | Form::MaxItems(_)
            | Form::Unique
            | Form::Items { .. }
            | Form::Contains { .. } => Types::ARRAY,
            Form::MinMembers(_)
            | Form::MaxMembers(_)
            | Form::Required(_)
            | Form::Members(_)
            | Form::Names(_) => Types::OBJECT,
            Form::Opaque { types, .. } => *types,
            _ => Types::ALL,
        }
    }
}

/// What the members of an object must satisfy, by name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Members {
    pub(super) named: BTreeMap<Rc<str>, Id>,
    /// Forms that the name must satisfy as a string, each with that of the value.
    pub(super) patterns: Vec<(Id, Id)>,
    /// All other members.
    pub(super) rest: Id,
    /// Whether all other names count as declared: `additionalProperties` is an object schema.
    pub(super) declares_rest: bool,
}

/// All forms of one comparison.
pub(super) struct Forms {
    forms: Vec<Rc<Form>>,
    ids: HashMap<Rc<Form>, Id>,
    constants: Vec<Value>,
    constant_ids: HashMap<String, u32>,
    pub(super) automata: Vec<Pattern>,
    /// What the run may still take.
    pub(super) budget: Budget,
    pattern_ids: HashMap<String, Id>,
    slots: Vec<Id>,
    masks: HashMap<(Id, bool), Types>,
}

impl Forms {
    pub(super) fn new(budget: &Budget) -> Forms {
        let mut forms = Forms {
            forms: Vec::new(),
            ids: HashMap::new(),
            constants: Vec::new(),
            constant_ids: HashMap::new(),
            automata: Vec::new(),
            budget: budget.clone(),
            pattern_ids: HashMap::new(),
            slots: Vec::new(),
            masks: HashMap::new(),
        };
        forms.intern(Form::And(Vec::new()));
        forms.intern(Form::Or(Vec::new()));
        forms
    }

    pub(super) fn get(&self, id: Id) -> Rc<Form> {
        Rc::clone(&self.forms[id.0 as usize])
    }

    /// The id of a form, the same for every equal form.
    pub(super) fn intern(&mut self, form: Form) -> Id {
        if let Some(id) = self.ids.get(&form) {
            return *id;
        }
        let id = Id(u32::try_from(self.forms.len()).unwrap_or(u32::MAX));
        let form = Rc::new(form);
        self.forms.push(Rc::clone(&form));
        self.ids.insert(form, id);
        id
    }

    pub(super) fn and(&mut self, parts: impl IntoIterator<Item = Id>) -> Id {
        let mut flat = Vec::new();
        for part in parts {
            match &*self.forms[part.0 as usize] {
                Form::And(inner) => flat.extend(inner),
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        match flat.as_slice() {
            [only] => *only,
            parts if parts.contains(&FALSE) => FALSE,
            _ => self.intern(Form::And(flat)),
        }
    }

    /// A disjunction. An accepting part is kept beside the others: they still declare names.
    pub(super) fn or(&mut self, parts: impl IntoIterator<Item = Id>) -> Id {
        let mut flat = Vec::new();
        for part in parts {
            match &*self.forms[part.0 as usize] {
                Form::Or(inner) => flat.extend(inner),
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        match flat.as_slice() {
            [only] => *only,
            _ => self.intern(Form::Or(flat)),
        }
    }

    pub(super) fn one(&mut self, mut parts: Vec<Id>) -> Id {
        parts.sort_unstable();
        match parts.as_slice() {
            [] => FALSE,
            [only] => *only,
            _ => self.intern(Form::One(parts)),
        }
    }

    pub(super) fn not(&mut self, part: Id) -> Id {
        match &*self.forms[part.0 as usize] {
            Form::Not(inner) => *inner,
            Form::Types(types) => {
                let types = types.not();
                self.types(types)
            }
            _ => self.intern(Form::Not(part)),
        }
    }

    pub(super) fn types(&mut self, types: Types) -> Id {
        match types {
            Types::ALL => TRUE,
            Types::NONE => FALSE,
            types => self.intern(Form::Types(types)),
        }
    }

    pub(super) fn values<'v>(&mut self, values: impl IntoIterator<Item = &'v Value>) -> Id {
        let mut ids: Vec<u32> = values.into_iter().map(|value| self.constant(value)).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() { FALSE } else { self.intern(Form::Values(ids)) }
    }

    /// The number of a constant; equal JSON values have one number.
    pub(super) fn constant(&mut self, value: &Value) -> u32 {
        let text = canonical(value);
        if let Some(id) = self.constant_ids.get(&text) {
            return *id;
        }
        let id = u32::try_from(self.constants.len()).unwrap_or(u32::MAX);
        self.constants.push(value.clone());
        self.constant_ids.insert(text, id);
        id
    }

    /// The number of a constant, if it is one.
    pub(super) fn find_constant(&self, value: &Value) -> Option<u32> {
        self.constant_ids.get(&canonical(value)).copied()
    }

    pub(super) fn constant_value(&self, id: u32) -> &Value {
        &self.constants[id as usize]
    }

    /// The form of a pattern: an automaton, a conjunction of them, or an opaque one that says why.
    pub(super) fn pattern(&mut self, pattern: &str) -> Id {
        if let Some(id) = self.pattern_ids.get(pattern) {
            return *id;
        }
        let id = match self.automaton(pattern) {
            Ok(id) => id,
            Err(trouble) => self.pattern_of_parts(pattern).unwrap_or_else(|| {
                let reason = match trouble {
                    NoAutomaton::NonRegular => Reason::NonRegularPattern,
                    NoAutomaton::TooLarge => Reason::Budget,
                };
                let text = Rc::from(format!("pattern {pattern}"));
                self.intern(Form::Opaque { reason, types: Types::STRING, text })
            }),
        };
        self.pattern_ids.insert(pattern.to_owned(), id);
        id
    }

    fn automaton(&mut self, pattern: &str) -> Result<Id, NoAutomaton> {
        let limit = MAX_STATES.min(self.budget.states());
        let automaton = Pattern::new(pattern, limit);
        let built = automaton.as_ref().map(Pattern::len);
        self.budget.take_states(built.unwrap_or(limit));
        self.automata.push(automaton?);
        Ok(self.intern(Form::Pattern(self.automata.len() - 1)))
    }

    fn pattern_of_parts(&mut self, pattern: &str) -> Option<Id> {
        let parts = split_lookaheads(pattern)?;
        let mut ids = Vec::new();
        for (part, holds) in parts {
            let id = self.automaton(&part).ok()?;
            // A pattern says nothing of values that are no strings, and neither may its negation.
            let refused = self.not(id);
            let other = self.types(Types::STRING.not());
            ids.push(if holds { id } else { self.or([refused, other]) });
        }
        Some(self.and(ids))
    }

    /// Types outside of which no value satisfies the form (or its negation): a cheap first look.
    pub(super) fn types_of(&mut self, id: Id, holds: bool) -> Types {
        if let Some(types) = self.masks.get(&(id, holds)) {
            return *types;
        }
        let form = self.get(id);
        let types = match (&*form, holds) {
            (Form::And(parts), true) | (Form::Or(parts), false) => {
                parts.iter().fold(Types::ALL, |types, part| types.and(self.types_of(*part, holds)))
            }
            (Form::And(parts), false) | (Form::Or(parts) | Form::One(parts), true) => {
                parts.iter().fold(Types::NONE, |types, part| types.or(self.types_of(*part, holds)))
            }
            (Form::Not(part), holds) => self.types_of(*part, !holds),
            (Form::Types(types), true) => *types,
            (Form::Types(types), false) => types.not(),
            (Form::Values(values), true) => values
                .iter()
                .fold(Types::NONE, |types, value| types.or(Types::of(&self.constants[*value as usize]))),
            (form, false) => form.subject(),
            _ => Types::ALL,
        };
        self.masks.insert((id, holds), types);
        types
    }

    /// A place for a form that is not known yet.
    pub(super) fn reserve(&mut self) -> usize {
        self.slots.push(TRUE);
        self.slots.len() - 1
    }

    pub(super) fn fill(&mut self, slot: usize, id: Id) {
        self.slots[slot] = id;
    }

    pub(super) fn slot(&self, slot: usize) -> Id {
        self.slots[slot]
    }

    /// The forms that speak of the same value as `id` does.
    pub(super) fn in_place(&self, id: Id) -> Vec<Id> {
        match &*self.forms[id.0 as usize] {
            Form::And(parts) | Form::Or(parts) | Form::One(parts) => parts.clone(),
            Form::Not(part) => vec![*part],
            Form::Recursive(slot) => vec![self.slots[*slot]],
            _ => Vec::new(),
        }
    }

    /// The forms that a form is made of, for members and items too.
    pub(super) fn parts(&self, id: Id) -> Vec<Id> {
        match &*self.forms[id.0 as usize] {
            Form::Items { prefix, rest } => prefix.iter().chain([rest]).copied().collect(),
            Form::Contains { form, .. } | Form::Names(form) => vec![*form],
            Form::Members(members) => {
                let patterns = members.patterns.iter().flat_map(|(name, form)| [*name, *form]);
                members.named.values().copied().chain(patterns).chain([members.rest]).collect()
            }
            _ => self.in_place(id),
        }
    }

    /// Whether a schema refers to itself for the same value, which means nothing.
    pub(super) fn is_circular(&self) -> bool {
        // Only a reference closes a circle, so it is enough to look for one that leads back to itself.
        (0..self.slots.len()).any(|slot| {
            let mut seen = vec![false; self.forms.len()];
            let mut open = vec![self.slots[slot]];
            while let Some(next) = open.pop() {
                if std::mem::replace(&mut seen[next.0 as usize], true) {
                    continue;
                }
                if matches!(&*self.forms[next.0 as usize], Form::Recursive(other) if *other == slot) {
                    return true;
                }
                open.extend(self.in_place(next));
            }
            false
        })
    }
}

/// The one text of all equal JSON values: sorted members, numbers by value.
pub(super) fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text
}

fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Number(number) => match Decimal::of(number) {
            Some(decimal) => text.push_str(&decimal.to_string()),
            None => text.push_str(&number.to_string()),
        },
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write_canonical(item, text);
                text.push(',');
            }
            text.push(']');
        }
        Value::Object(members) => {
            let sorted: BTreeMap<&String, &Value> = members.iter().collect();
            text.push('{');
            for (name, member) in sorted {
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write_canonical(member, text);
                text.push(',');
            }
            text.push('}');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}
