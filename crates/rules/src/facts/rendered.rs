//! Placeholders as renders meet them: one entry per place, however many prompts reach it.

use std::collections::BTreeMap;

use pack::template::{Class, Placeholder};
use pack::{Node, Span};

use super::{Facts, PromptFacts};
use crate::wording::{listed, quoted};

/// A placeholder of a template, or of a fragment that some template reaches.
pub struct Rendered<'f, 'a> {
    /// The string that holds it.
    pub node: Node<'a>,
    /// The placeholder.
    pub placeholder: &'f Placeholder<'a>,
    /// The key of the fragment that holds it; none in a prompt's own template.
    pub fragment: Option<&'a str>,
    /// The prompts that render it and what it refers to in each, in order.
    pub readings: Vec<(&'f PromptFacts<'a>, Class<'a>)>,
}

impl<'a> Facts<'a> {
    /// Every placeholder that some prompt renders: those of the prompts in order, then those of the fragments.
    pub fn rendered(&self) -> Vec<Rendered<'_, 'a>> {
        let mut rendered = Vec::new();
        let mut users: BTreeMap<&str, Vec<&PromptFacts<'a>>> = BTreeMap::new();
        for prompt in self.prompts() {
            for place in &prompt.placeholders {
                let readings = vec![(prompt, place.class)];
                let placeholder = &place.placeholder;
                rendered.push(Rendered { node: place.node, placeholder, fragment: None, readings });
            }
            prompt.fragments.iter().for_each(|key| users.entry(key).or_default().push(prompt));
        }
        for (&key, fragment) in self.fragments() {
            let Some(users) = users.get(key) else { continue };
            for placeholder in &fragment.placeholders {
                let readings =
                    users.iter().map(|prompt| (*prompt, prompt.names.classify(placeholder))).collect();
                rendered.push(Rendered { node: fragment.node, placeholder, fragment: Some(key), readings });
            }
        }
        rendered
    }
}

impl<'a> Rendered<'_, 'a> {
    /// The placeholder as it is written.
    pub fn text(&self) -> &'a str {
        self.node.as_str().and_then(|text| text.get(self.placeholder.span.range())).unwrap_or_default()
    }

    /// The placeholder as it is written, in backticks.
    pub fn shown(&self) -> String {
        quoted(self.text())
    }

    /// The text that holds it: "template" or "fragment `x`".
    pub fn holder(&self) -> String {
        match self.fragment {
            Some(key) => format!("fragment {}", quoted(key)),
            None => "template".to_owned(),
        }
    }

    /// Those who render it: "prompt `a`" or "the prompts `a` and `b`".
    pub fn users(&self) -> String {
        let prompts = listed(self.readings.iter().map(|(prompt, _)| prompt.prompt.name_key()));
        if self.readings.len() == 1 { format!("prompt {prompts}") } else { format!("the prompts {prompts}") }
    }

    /// Leaves only the readings that `keep` accepts; none where no reading is left.
    #[must_use]
    pub fn only(mut self, keep: impl Fn(&PromptFacts<'a>, Class<'a>) -> bool) -> Option<Self> {
        self.readings.retain(|(prompt, class)| keep(prompt, *class));
        (!self.readings.is_empty()).then_some(self)
    }

    /// Where `part`, a piece of the placeholder's body, stands in the document.
    pub fn span_of(&self, part: &str) -> Option<Span> {
        let text = self.node.as_str()?;
        let start = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
        let inside = self.placeholder.span.range();
        let end = start + part.len();
        (inside.start <= start && end <= inside.end).then(|| self.node.span_within(Span::new(start, end)))
    }
}
