//! Whether a value fits a shape: yes, no, or not certain.

use serde_json::Value;

use super::{Additional, Condition, Id, Shape, Shapes, Types};
use crate::json::{JsonType, Node};

/// Whole numbers up to here are the same in every reading.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Whether a value fits; none where another validator has to decide.
type Fits = Option<bool>;

impl Shapes {
    /// Whether the document is valid beyond doubt. `false` means that a validator has to look at it.
    pub(in crate::schema) fn accepts(&self, root: Node<'_>) -> bool {
        self.verdict(root) == Some(true)
    }

    /// Whether the document is valid; none where it is not certain.
    pub(in crate::schema) fn verdict(&self, root: Node<'_>) -> Option<bool> {
        self.fits(self.root(), root)
    }

    fn fits(&self, shape: &Shape, node: Node<'_>) -> Fits {
        if shape.is_partial {
            return None;
        }
        all([
            shape.reference.map_or(Some(true), |id| self.fits_at(id, node)),
            shape.types.map_or(Some(true), |types| fits_types(types, node)),
            shape.constant.as_ref().map_or(Some(true), |constant| equals(constant, node)),
            shape
                .enumeration
                .as_ref()
                .map_or(Some(true), |values| any(values.iter().map(|v| equals(v, node)))),
        ])
        .and_then(|fits| if fits { self.fits_content(shape, node) } else { Some(false) })
    }

    fn fits_at(&self, id: Id, node: Node<'_>) -> Fits {
        self.fits(self.at(id), node)
    }

    fn fits_content(&self, shape: &Shape, node: Node<'_>) -> Fits {
        let content = match node.json_type() {
            JsonType::String => self.fits_text(shape, node.as_str().unwrap_or_default()),
            JsonType::Number => fits_number(shape, node),
            JsonType::Array => self.fits_items(shape, node),
            JsonType::Object => self.fits_members(shape, node),
            JsonType::Null | JsonType::Boolean => Some(true),
        };
        if content == Some(false) {
            return content;
        }
        all([content, self.fits_unions(shape, node)])
    }

    fn fits_text(&self, shape: &Shape, text: &str) -> Fits {
        // A text has at most as many characters as bytes, and at least a quarter as many.
        let too_short =
            shape.min_length.is_some_and(|least| text.len() < least * 4 && text.chars().count() < least);
        let too_long = shape.max_length.is_some_and(|most| text.len() > most && text.chars().count() > most);
        if too_short || too_long {
            return Some(false);
        }
        let Some(pattern) = shape.pattern else { return Some(true) };
        let (pattern, compiled) = &self.patterns[pattern as usize];
        let compiled = compiled.get_or_init(|| regex::Regex::new(pattern).ok());
        compiled.as_ref().map(|compiled| compiled.is_match(text))
    }

    fn fits_items(&self, shape: &Shape, node: Node<'_>) -> Fits {
        if node.len() < shape.min_items {
            return Some(false);
        }
        if shape.unique_items && !are_distinct(node) {
            return None;
        }
        let Some(items) = shape.items else { return Some(true) };
        all(node.children().map(|item| self.fits_at(items, item)))
    }

    fn fits_members(&self, shape: &Shape, node: Node<'_>) -> Fits {
        if shape.required.iter().any(|key| node.get(key).is_none()) {
            return Some(false);
        }
        // A repeated key counts once.
        if node.len() < shape.min_properties {
            return Some(false);
        }
        if shape.min_properties > 1 {
            return None;
        }
        all(node.members().map(|(key, member)| match (shape.property(key), shape.additional) {
            (Some(property), _) => self.fits_at(property, member),
            (None, Additional::Open) => Some(true),
            (None, Additional::Closed) => Some(false),
            (None, Additional::Shaped(id)) => self.fits_at(id, member),
        }))
    }

    fn fits_unions(&self, shape: &Shape, node: Node<'_>) -> Fits {
        let one = if shape.one_of.is_empty() { Some(true) } else { self.fits_one(&shape.one_of, node) };
        let any_of = if shape.any_of.is_empty() {
            Some(true)
        } else {
            any(shape.any_of.iter().map(|id| self.fits_at(*id, node)))
        };
        let condition =
            shape.condition.as_ref().map_or(Some(true), |condition| self.fits_condition(condition, node));
        all([one, any_of, condition])
    }

    fn fits_one(&self, branches: &[Id], node: Node<'_>) -> Fits {
        let mut fitting = 0;
        for branch in branches {
            fitting += usize::from(self.fits_at(*branch, node)?);
        }
        Some(fitting == 1)
    }

    fn fits_condition(&self, condition: &Condition, node: Node<'_>) -> Fits {
        let branch =
            if self.fits_at(condition.condition, node)? { condition.then } else { condition.otherwise };
        branch.map_or(Some(true), |id| self.fits_at(id, node))
    }
}

/// Whether all fit: one that does not settles it.
fn all(fits: impl IntoIterator<Item = Fits>) -> Fits {
    let mut result = Some(true);
    for fit in fits {
        match fit {
            Some(true) => {}
            Some(false) => return Some(false),
            None => result = None,
        }
    }
    result
}

/// Whether one fits: the first that does settles it.
fn any(fits: impl IntoIterator<Item = Fits>) -> Fits {
    let mut result = Some(false);
    for fit in fits {
        match fit {
            Some(true) => return Some(true),
            Some(false) => {}
            None => result = None,
        }
    }
    result
}

fn fits_types(types: Types, node: Node<'_>) -> Fits {
    let json_type = node.json_type();
    if types.listed & Types::bit(json_type) != 0 {
        return Some(true);
    }
    if !types.integer || json_type != JsonType::Number {
        return Some(false);
    }
    // `5.0` and `1e3` are whole numbers too; what they are called is left to the validator.
    let is_plain = node.source().bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    is_plain.then_some(true)
}

fn fits_number(shape: &Shape, node: Node<'_>) -> Fits {
    if shape.minimum.is_none() && shape.maximum.is_none() {
        return Some(true);
    }
    let number = node.as_f64().filter(|number| number.abs() < EXACT)?;
    let fits =
        shape.minimum.is_none_or(|least| number >= least) && shape.maximum.is_none_or(|most| number <= most);
    Some(fits)
}

fn equals(value: &Value, node: Node<'_>) -> Fits {
    match (value, node.json_type()) {
        (Value::String(text), JsonType::String) => Some(node.as_str() == Some(text)),
        (Value::Bool(expected), JsonType::Boolean) => Some(node.as_bool() == Some(*expected)),
        (Value::Null, JsonType::Null) => Some(true),
        (Value::Number(expected), JsonType::Number) => {
            let number = node.as_f64().filter(|number| number.abs() < EXACT)?;
            Some(expected.as_f64() == Some(number))
        }
        (Value::Array(_), JsonType::Array) | (Value::Object(_), JsonType::Object) => None,
        _ => Some(false),
    }
}

/// Whether the items of a list are certainly different: texts only.
fn are_distinct(node: Node<'_>) -> bool {
    let mut texts: Vec<&str> = node.children().filter_map(Node::as_str).collect();
    texts.sort_unstable();
    texts.len() == node.len() && texts.windows(2).all(|pair| pair[0] != pair[1])
}
