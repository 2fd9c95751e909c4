//! Reads JSON Schemas into forms.
//!
//! Annotations leave no form. What cannot be reasoned about becomes an opaque form that carries its reason, so that
//! it only stands in the way where an answer depends on it.
//!
//! A reader can be told to read OLD *as if* some of its nodes were those of NEW: that is how the comparison asks
//! what one difference changes, without ever building the schema that results.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use serde_json::{Map, Value};

use super::Reason;
use super::decimal::Decimal;
use super::document::{Document, Draft, Target};
use super::exact::is_marked;
use super::forms::{FALSE, Form, Forms, Id, Members, TRUE, Types, canonical};

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 100;

/// A schema in one of the two documents.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'v> {
    pub(super) value: &'v Value,
    pub(super) side: usize,
}

/// Parts of one schema object that are read from the other document instead.
#[derive(Debug, Clone, Default)]
pub(super) struct Edit<'v> {
    /// The schema that the parts come from.
    pub(super) from: Option<Node<'v>>,
    /// The whole schema.
    pub(super) whole: bool,
    /// Keywords.
    pub(super) keywords: BTreeSet<String>,
    /// Entries of `properties`.
    pub(super) members: BTreeSet<String>,
    /// Entries of `required`.
    pub(super) required: BTreeSet<String>,
}

/// Edits by the address of the schema whose parts are replaced.
pub(super) type Edits<'v> = HashMap<usize, Edit<'v>>;

/// Where a value lies in memory: the identity of a node, since both documents stay where they are.
pub(super) fn address(value: &Value) -> usize {
    std::ptr::from_ref(value) as usize
}

/// Reads the schemas of two documents into one set of forms.
pub(super) struct Reader<'a, 'v> {
    pub(super) forms: &'a mut Forms,
    pub(super) documents: &'a [Document<'v>; 2],
    edits: &'a Edits<'v>,
    read: HashMap<usize, Id>,
    /// The schemas being read, each with the slot that leads back to it once one was asked for.
    open: Vec<(usize, Option<usize>)>,
}

impl<'a, 'v> Reader<'a, 'v> {
    pub(super) fn new(
        forms: &'a mut Forms,
        documents: &'a [Document<'v>; 2],
        edits: &'a Edits<'v>,
    ) -> Reader<'a, 'v> {
        Reader { forms, documents, edits, read: HashMap::new(), open: Vec::new() }
    }

    /// The form of a schema.
    pub(super) fn schema(&mut self, node: Node<'v>) -> Id {
        let address = address(node.value);
        let edit = self.edits.get(&address).filter(|edit| edit.whole);
        if let Some(from) = edit.and_then(|edit| edit.from) {
            return self.schema(from);
        }
        match node.value {
            Value::Bool(true) => return TRUE,
            Value::Bool(false) => return FALSE,
            Value::Object(_) => {}
            other => return self.opaque(Reason::Dialect, format!("schema {}", canonical(other))),
        }
        if let Some(id) = self.read.get(&address) {
            return *id;
        }
        if let Some(open) = self.open.iter().position(|(open, _)| *open == address) {
            let slot = *self.open[open].1.get_or_insert_with(|| self.forms.reserve());
            return self.forms.intern(Form::Recursive(slot));
        }
        if self.open.len() >= MAX_DEPTH {
            return self.opaque(Reason::Budget, format!("depth {}", canonical(node.value)));
        }
        self.open.push((address, None));
        let id = self.object(node);
        if let Some((_, Some(slot))) = self.open.pop() {
            self.forms.fill(slot, id);
        }
        self.read.insert(address, id);
        id
    }

    fn object(&mut self, node: Node<'v>) -> Id {
        let mut parts = Vec::new();
        if let Some(reference) = self.keyword(node, "$ref") {
            parts.push(self.reference(reference));
            if self.documents[reference.side].draft == Draft::Seven {
                return self.forms.and(parts);
            }
        }
        for keyword in ["$dynamicRef", "$recursiveRef"] {
            if let Some(reference) = self.keyword(node, keyword) {
                let text = format!("{keyword} {} {}", canonical(reference.value), self.whole(reference));
                parts.push(self.opaque(Reason::DynamicRef, text));
            }
        }
        self.types_and_values(node, &mut parts);
        self.numbers(node, &mut parts);
        self.strings(node, &mut parts);
        self.arrays(node, &mut parts);
        self.objects(node, &mut parts);
        self.dependencies(node, &mut parts);
        self.logic(node, &mut parts);
        let known = self.forms.and(parts.iter().copied());
        self.unevaluated(node, known, &mut parts);
        self.forms.and(parts)
    }

    /// A keyword, from NEW where an edit says so.
    pub(super) fn keyword(&self, node: Node<'v>, name: &str) -> Option<Node<'v>> {
        let edit = self.edits.get(&address(node.value));
        let node = match edit.filter(|edit| edit.keywords.contains(name)).and_then(|edit| edit.from) {
            Some(from) => from,
            None => node,
        };
        let value = node.value.get(name).filter(|_| self.documents[node.side].knows(name))?;
        Some(Node { value, side: node.side })
    }

    fn reference(&mut self, reference: Node<'v>) -> Id {
        let document = self.documents[reference.side];
        let Some(text) = reference.value.as_str() else { return self.misshapen("$ref", reference) };
        match document.resolve(text) {
            Target::Local(value) => self.schema(Node { value, side: reference.side }),
            Target::Remote if text.starts_with('#') || document.has_parts => {
                let text = format!("$ref {text} {}", self.whole(reference));
                self.opaque(Reason::RemoteRef, text)
            }
            Target::Remote => self.opaque(Reason::RemoteRef, format!("$ref {text}")),
        }
    }

    /// The text of the whole document: what cannot be resolved is only equal where everything is.
    pub(super) fn whole(&self, node: Node<'v>) -> String {
        canonical(self.documents[node.side].root)
    }

    pub(super) fn opaque(&mut self, reason: Reason, text: String) -> Id {
        self.forms.intern(Form::Opaque { reason, types: Types::ALL, text: Rc::from(text) })
    }

    fn misshapen(&mut self, keyword: &str, node: Node<'v>) -> Id {
        let reason = if is_marked(node.value) { Reason::NumberRange } else { Reason::Dialect };
        self.opaque(reason, format!("{keyword} {}", canonical(node.value)))
    }

    fn types_and_values(&mut self, node: Node<'v>, parts: &mut Vec<Id>) {
        if let Some(names) = self.keyword(node, "type") {
            let types = match names.value {
                Value::String(name) => Types::named(name),
                Value::Array(names) => names.iter().try_fold(Types::NONE, |types, name| {
                    name.as_str().and_then(Types::named).map(|named| types.or(named))
                }),
                _ => None,
            };
            parts.push(match types {
                Some(types) => self.forms.types(types),
                None => self.misshapen("type", names),
            });
        }
        if let Some(values) = self.keyword(node, "enum") {
            parts.push(match values.value {
                Value::Array(listed) if !is_marked(values.value) => self.forms.values(listed),
                _ => self.misshapen("enum", values),
            });
        }
        if let Some(value) = self.keyword(node, "const") {
            parts.push(match is_marked(value.value) {
                true => self.misshapen("const", value),
                false => self.forms.values([value.value]),
            });
        }
    }

    fn numbers(&mut self, node: Node<'v>, parts: &mut Vec<Id>) {
        for keyword in ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"] {
            let Some(number) = self.keyword(node, keyword) else { continue };
            let Value::Number(spelled) = number.value else {
                parts.push(self.misshapen(keyword, number));
                continue;
            };
            let Some(bound) = Decimal::of(spelled) else {
                parts.push(self.opaque(Reason::NumberRange, format!("{keyword} {spelled}")));
                continue;
            };
            let exclusive = keyword.starts_with("exclusive");
            let form = match keyword {
                "minimum" | "exclusiveMinimum" => Form::Minimum { bound, exclusive },
                "maximum" | "exclusiveMaximum" => Form::Maximum { bound, exclusive },
                _ if bound.is_positive() => Form::MultipleOf(bound),
                _ => {
                    parts.push(self.misshapen(keyword, number));
                    continue;
                }
            };
            parts.push(self.forms.intern(form));
        }
    }

    /// A count, which may be spelled `3.0`.
    fn count(&mut self, node: Node<'v>, keyword: &str, parts: &mut Vec<Id>) -> Option<u64> {
        let number = self.keyword(node, keyword)?;
        let count = number.value.as_number().and_then(Decimal::of).and_then(Decimal::to_number);
        let count = count.and_then(|count| count.as_u64());
        if count.is_none() {
            parts.push(self.misshapen(keyword, number));
        }
        count
    }

    fn strings(&mut self, node: Node<'v>, parts: &mut Vec<Id>) {
        if let Some(min) = self.count(node, "minLength", parts).filter(|min| *min > 0) {
            parts.push(self.forms.intern(Form::MinLength(min)));
        }
        if let Some(max) = self.count(node, "maxLength", parts) {
            parts.push(self.forms.intern(Form::MaxLength(max)));
        }
        if let Some(pattern) = self.keyword(node, "pattern") {
            parts.push(match pattern.value.as_str() {
                Some(text) => self.forms.pattern(text),
                None => self.misshapen("pattern", pattern),
            });
        }
    }

    fn arrays(&mut self, node: Node<'v>, parts: &mut Vec<Id>) {
        if let Some(min) = self.count(node, "minItems", parts).filter(|min| *min > 0) {
            parts.push(self.forms.intern(Form::MinItems(min)));
        }
        if let Some(max) = self.count(node, "maxItems", parts) {
            parts.push(self.forms.intern(Form::MaxItems(max)));
        }
        if self.keyword(node, "uniqueItems").is_some_and(|unique| unique.value == &Value::Bool(true)) {
            parts.push(self.forms.intern(Form::Unique));
        }
        let items = self.keyword(node, "items");
        let listed = items.filter(|items| items.value.is_array());
        let prefix = self.keyword(node, "prefixItems").or(listed);
        let rest = if listed.is_some() { self.keyword(node, "additionalItems") } else { items };
        let prefix = prefix.map(|prefix| self.list(prefix)).unwrap_or_default();
        let rest = rest.map_or(TRUE, |rest| self.schema(rest));
        if !prefix.is_empty() || rest != TRUE {
            parts.push(self.forms.intern(Form::Items { prefix, rest }));
        }
        if let Some(contains) = self.keyword(node, "contains") {
            let form = self.schema(contains);
            let min = self.count(node, "minContains", parts).unwrap_or(1);
            let max = self.count(node, "maxContains", parts);
            parts.push(self.forms.intern(Form::Contains { form, min, max }));
        }
    }

    /// The forms of a list of schemas.
    fn list(&mut self, node: Node<'v>) -> Vec<Id> {
        let Some(items) = node.value.as_array() else { return vec![self.misshapen("list", node)] };
        items.iter().map(|value| self.schema(Node { value, side: node.side })).collect()
    }

    /// Keywords whose parts are read one by one say nothing where they are nothing of the kind; what was meant is not
    /// known then.
    fn shapes(&mut self, node: Node<'v>, parts: &mut Vec<Id>) {
        let maps =
            ["properties", "patternProperties", "dependentRequired", "dependentSchemas", "dependencies"];
        let is_map = |value: &Value| value.is_object();
        let is_list =
            |value: &Value| value.as_array().is_some_and(|names| names.iter().all(Value::is_string));
        for keyword in maps.into_iter().chain(["required"]) {
            let Some(found) = self.keyword(node, keyword) else { continue };
            let fits = if keyword == "required" { is_list(found.value) } else { is_map(found.value) };
            if !fits {
                parts.push(self.misshapen(keyword, found));
            }
        }
    }

    fn objects(&mut self, node: Node<'v>, parts: &mut Vec<Id>) {
        self.shapes(node, parts);
        if let Some(min) = self.count(node, "minProperties", parts).filter(|min| *min > 0) {
            parts.push(self.forms.intern(Form::MinMembers(min)));
        }
        if let Some(max) = self.count(node, "maxProperties", parts) {
            parts.push(self.forms.intern(Form::MaxMembers(max)));
        }
        for name in self.required(node) {
            parts.push(self.forms.intern(Form::Required(Rc::from(name))));
        }
        if let Some(names) = self.keyword(node, "propertyNames") {
            let form = self.schema(names);
            if form != TRUE {
                parts.push(self.forms.intern(Form::Names(form)));
            }
        }
        self.members(node, parts);
    }

    /// Each of `properties`, an entry of `patternProperties`, and `additionalProperties` is a form of its own, so
    /// that a change to one leaves the others the same.
    fn members(&mut self, node: Node<'v>, parts: &mut Vec<Id>) {
        let mut named = BTreeMap::new();
        for (name, member) in self.properties(node) {
            named.insert(Rc::from(name), self.schema(member));
        }
        let mut patterns = Vec::new();
        if let Some(listed) = self.keyword(node, "patternProperties") {
            for (pattern, value) in listed.value.as_object().into_iter().flatten() {
                let name = self.forms.pattern(pattern);
                patterns.push((name, self.schema(Node { value, side: listed.side })));
            }
        }
        if let Some(rest) = self.keyword(node, "additionalProperties") {
            let form = self.schema(rest);
            if form != TRUE || rest.value.is_object() {
                let named = named.keys().map(|name| (Rc::clone(name), TRUE)).collect();
                let patterns = patterns.iter().map(|(pattern, _)| (*pattern, TRUE)).collect();
                parts.push(self.member_form(named, patterns, form, rest.value.is_object()));
            }
        }
        for (pattern, form) in patterns {
            parts.push(self.member_form(BTreeMap::new(), vec![(pattern, form)], TRUE, false));
        }
        if !named.is_empty() {
            parts.push(self.member_form(named, Vec::new(), TRUE, false));
        }
    }

    pub(super) fn member_form(
        &mut self,
        named: BTreeMap<Rc<str>, Id>,
        mut patterns: Vec<(Id, Id)>,
        rest: Id,
        declares_rest: bool,
    ) -> Id {
        patterns.sort_unstable();
        patterns.dedup();
        self.forms.intern(Form::Members(Rc::new(Members { named, patterns, rest, declares_rest })))
    }

    /// The entries of `properties`, those of NEW where an edit says so.
    pub(super) fn properties(&self, node: Node<'v>) -> BTreeMap<&'v str, Node<'v>> {
        let entries = |node: Node<'v>| {
            let members: Option<&'v Map<String, Value>> =
                node.value.get("properties").and_then(Value::as_object);
            members
                .into_iter()
                .flatten()
                .map(move |(name, value)| (name.as_str(), Node { value, side: node.side }))
        };
        let Some(edit) = self.edits.get(&address(node.value)) else { return entries(node).collect() };
        let mut properties: BTreeMap<&'v str, Node<'v>> =
            entries(node).filter(|(name, _)| !edit.members.contains(*name)).collect();
        if let Some(from) = edit.from {
            properties.extend(entries(from).filter(|(name, _)| edit.members.contains(*name)));
        }
        properties
    }

    fn required(&self, node: Node<'v>) -> BTreeSet<&'v str> {
        let names = |node: Node<'v>| {
            let names: Option<&'v Vec<Value>> = node.value.get("required").and_then(Value::as_array);
            names.into_iter().flatten().filter_map(Value::as_str)
        };
        let Some(edit) = self.edits.get(&address(node.value)) else { return names(node).collect() };
        let mut required: BTreeSet<&'v str> =
            names(node).filter(|name| !edit.required.contains(*name)).collect();
        if let Some(from) = edit.from {
            required.extend(names(from).filter(|name| edit.required.contains(*name)));
        }
        required
    }

    fn dependencies(&mut self, node: Node<'v>, parts: &mut Vec<Id>) {
        for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
            let Some(listed) = self.keyword(node, keyword) else { continue };
            for (name, value) in listed.value.as_object().into_iter().flatten() {
                let demanded = match value {
                    Value::Array(names) => {
                        let names: Vec<Id> = names
                            .iter()
                            .filter_map(Value::as_str)
                            .map(|name| self.forms.intern(Form::Required(Rc::from(name))))
                            .collect();
                        self.forms.and(names)
                    }
                    _ => self.schema(Node { value, side: listed.side }),
                };
                let present = self.forms.intern(Form::Required(Rc::from(name.as_str())));
                let absent = self.forms.not(present);
                let other = self.forms.types(Types::OBJECT.not());
                parts.push(self.forms.or([other, absent, demanded]));
            }
        }
    }

    fn logic(&mut self, node: Node<'v>, parts: &mut Vec<Id>) {
        if let Some(all) = self.keyword(node, "allOf") {
            parts.extend(self.list(all));
        }
        if let Some(any) = self.keyword(node, "anyOf") {
            let any = self.list(any);
            parts.push(self.forms.or(any));
        }
        if let Some(one) = self.keyword(node, "oneOf") {
            let one = self.list(one);
            parts.push(self.forms.one(one));
        }
        if let Some(not) = self.keyword(node, "not") {
            let not = self.schema(not);
            parts.push(self.forms.not(not));
        }
        let (then, other) = (self.keyword(node, "then"), self.keyword(node, "else"));
        if let Some(condition) = self.keyword(node, "if").filter(|_| then.is_some() || other.is_some()) {
            let condition = self.schema(condition);
            if let Some(then) = then {
                let (refused, then) = (self.forms.not(condition), self.schema(then));
                parts.push(self.forms.or([refused, then]));
            }
            if let Some(other) = other {
                let other = self.schema(other);
                parts.push(self.forms.or([condition, other]));
            }
        }
    }
}
