//! Draws values that a schema may well allow, for questions that reasoning leaves open.
//!
//! The draw follows the schema loosely: types, constants, declared members, lengths near the limits, and every
//! constant and example that either document spells out. The seed is fixed, so that each run tries the same values.

use serde_json::{Map, Value, json};

use super::document::{Document, Target};

/// How deep values are drawn.
const MAX_DEPTH: usize = 6;

/// Draws values for the first of two documents.
pub(super) struct Sampler<'d, 'v> {
    document: &'d Document<'v>,
    /// Scalars that the documents mention, and texts that their patterns match.
    pool: Vec<Value>,
    state: u64,
}

impl<'d, 'v> Sampler<'d, 'v> {
    pub(super) fn new(documents: &'d [Document<'v>; 2]) -> Sampler<'d, 'v> {
        let mut pool = vec![json!(null), json!(true), json!(0), json!(-1), json!(1.5), json!(""), json!("a")];
        for document in documents {
            gather(document.root, &mut pool);
        }
        pool.truncate(500);
        Sampler { document: &documents[0], pool, state: 0x9e37_79b9_7f4a_7c15 }
    }

    /// That many values, and the constants of the documents before them.
    pub(super) fn values(mut self, count: usize) -> Vec<Value> {
        let mut values = self.pool.clone();
        for _ in 0..count {
            values.push(self.draw(self.document.root, 0));
        }
        values
    }

    fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state % (bound.max(1) as u64)).unwrap_or_default()
    }

    fn pick(&mut self, values: &[Value]) -> Value {
        let at = self.below(values.len());
        values.get(at).cloned().unwrap_or_default()
    }

    fn draw(&mut self, schema: &'v Value, depth: usize) -> Value {
        let members = match schema {
            Value::Object(members) if depth < MAX_DEPTH => members,
            _ => return self.scalar(),
        };
        if let Some(value) = members.get("const") {
            return value.clone();
        }
        if let Some(values) = members.get("enum").and_then(Value::as_array) {
            return self.pick(values);
        }
        if let Some(reference) = members.get("$ref").and_then(Value::as_str)
            && let Target::Local(target) = self.document.resolve(reference)
        {
            return self.draw(target, depth + 1);
        }
        let mut value = self.draw_typed(members, depth);
        for combinator in ["allOf", "anyOf", "oneOf"] {
            let Some(branches) = members.get(combinator).and_then(Value::as_array) else { continue };
            let all = combinator == "allOf";
            let chosen = self.below(branches.len());
            for (at, branch) in branches.iter().enumerate() {
                if all || at == chosen {
                    value = merged(value, self.draw(branch, depth + 1));
                }
            }
        }
        value
    }

    fn draw_typed(&mut self, members: &'v Map<String, Value>, depth: usize) -> Value {
        let named = match members.get("type") {
            Some(Value::Array(names)) => self.pick(names),
            Some(name) => name.clone(),
            None if members.contains_key("properties") => json!("object"),
            None if members.contains_key("items") || members.contains_key("prefixItems") => json!("array"),
            None => Value::Null,
        };
        match named.as_str() {
            Some("object") => self.object(members, depth),
            Some("array") => self.array(members, depth),
            Some("string") => self.text(members),
            Some("integer" | "number") => self.number(members),
            Some("boolean") => json!(self.below(2) == 0),
            Some("null") => Value::Null,
            _ => self.scalar(),
        }
    }

    fn scalar(&mut self) -> Value {
        let at = self.below(self.pool.len());
        self.pool.get(at).cloned().unwrap_or_default()
    }

    fn object(&mut self, members: &'v Map<String, Value>, depth: usize) -> Value {
        let required = members.get("required").and_then(Value::as_array);
        let is_required = |name: &str| {
            required.is_some_and(|required| required.iter().any(|other| other.as_str() == Some(name)))
        };
        let mut object = Map::new();
        let properties = members.get("properties").and_then(Value::as_object);
        for (name, schema) in properties.into_iter().flatten().take(40) {
            if is_required(name) || self.below(2) == 0 {
                object.insert(name.clone(), self.draw(schema, depth + 1));
            }
        }
        for name in required.into_iter().flatten().filter_map(Value::as_str).take(40) {
            if !object.contains_key(name) {
                object.insert(name.to_owned(), self.scalar());
            }
        }
        Value::Object(object)
    }

    fn array(&mut self, members: &'v Map<String, Value>, depth: usize) -> Value {
        let prefix = members.get("prefixItems").or(members.get("items")).and_then(Value::as_array);
        let rest = members.get("items").filter(|items| !items.is_array());
        let least = members.get("minItems").and_then(Value::as_u64).unwrap_or_default().min(8);
        let count = usize::try_from(least).unwrap_or_default() + self.below(3);
        let items = (0..count).map(|at| {
            let schema = prefix.and_then(|prefix| prefix.get(at)).or(rest);
            match schema {
                Some(schema) => self.draw(schema, depth + 1),
                None => self.scalar(),
            }
        });
        Value::Array(items.collect())
    }

    fn text(&mut self, members: &'v Map<String, Value>) -> Value {
        let pattern = members.get("pattern").and_then(Value::as_str);
        if let Some(witness) = pattern.and_then(jsonschema_regex::pattern_witness)
            && self.below(2) == 0
        {
            return Value::from(witness);
        }
        let texts: Vec<Value> = self.pool.iter().filter(|value| value.is_string()).cloned().collect();
        if self.below(2) == 0 {
            return self.pick(&texts);
        }
        let least = members.get("minLength").and_then(Value::as_u64).unwrap_or_default().min(64);
        let count = usize::try_from(least).unwrap_or_default() + self.below(4);
        Value::String(
            (0..count).map(|_| char::from(b'a' + u8::try_from(self.below(3)).unwrap_or(0))).collect(),
        )
    }

    fn number(&mut self, members: &'v Map<String, Value>) -> Value {
        let bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
        let known: Vec<i64> = bounds.iter().filter_map(|name| members.get(*name)?.as_i64()).collect();
        let near = self.below(known.len());
        let base = known.get(near).copied().unwrap_or_default();
        let offset = i64::try_from(self.below(7)).unwrap_or_default() - 3;
        json!(base.saturating_add(offset))
    }
}

/// The members of both objects; else the second value.
fn merged(first: Value, second: Value) -> Value {
    match (first, second) {
        (Value::Object(mut first), Value::Object(second)) => {
            first.extend(second);
            Value::Object(first)
        }
        (first @ Value::Object(_), _) => first,
        (_, second) => second,
    }
}

fn gather(value: &Value, pool: &mut Vec<Value>) {
    match value {
        Value::Object(members) => {
            let pattern = members.get("pattern").and_then(Value::as_str);
            pool.extend(pattern.and_then(jsonschema_regex::pattern_witness).map(Value::from));
            for name in ["const", "default", "enum", "examples"] {
                match members.get(name) {
                    Some(Value::Array(values)) => pool.extend(values.iter().take(50).cloned()),
                    Some(value) => pool.push(value.clone()),
                    None => {}
                }
            }
            members.values().for_each(|member| gather(member, pool));
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, pool)),
        _ => {}
    }
}
