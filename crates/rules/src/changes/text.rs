//! The effective text of prompts: fragments written out, placeholders told from wording.

use std::collections::{BTreeMap, BTreeSet};

use pack::json::Node;
use pack::model::Prompt;
use pack::template::{Class, Form, Names, Placeholder, Syntax, expand, placeholders};

/// The most bytes of one expanded text.
pub(crate) const MAX_TEXT: usize = 4 * 1024 * 1024;
/// The most bytes of all expanded texts of one pack.
const MAX_TEXTS: usize = 32 * 1024 * 1024;

/// One template with its fragments written out.
#[derive(Debug, Clone)]
pub(crate) struct Text<'a> {
    /// The string in the pack.
    pub(crate) node: Node<'a>,
    /// The expanded text; none where it is beyond the budget.
    pub(crate) expanded: Option<String>,
    /// Keys of the fragments that lie deeper than clients look, and stay as placeholders.
    pub(crate) too_deep: BTreeSet<String>,
}

/// The texts of one prompt.
#[derive(Debug, Clone, Default)]
pub(crate) struct Texts<'a> {
    /// The base template.
    pub(crate) base: Option<Text<'a>>,
    /// What each model override says, by model.
    pub(crate) overrides: BTreeMap<&'a str, OverrideText<'a>>,
}

/// The pieces of the text for one model.
#[derive(Debug, Clone)]
pub(crate) struct OverrideText<'a> {
    /// The override.
    pub(crate) node: Node<'a>,
    /// What stands before the text.
    pub(crate) prefix: Option<Text<'a>>,
    /// What replaces the base template.
    pub(crate) replacement: Option<Text<'a>>,
    /// What stands behind the text.
    pub(crate) suffix: Option<Text<'a>>,
}

impl<'a> OverrideText<'a> {
    /// The pieces that are there.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &Text<'a>> {
        self.prefix.iter().chain(&self.replacement).chain(&self.suffix)
    }
}

/// What expanding needs: the names of the prompt, the delimiters, the fragments.
#[derive(Clone, Copy)]
pub(crate) struct Expansion<'e, 'a> {
    /// The delimiters.
    pub(crate) syntax: &'e Syntax,
    /// The names that decide what a placeholder refers to.
    pub(crate) names: &'e Names<'a>,
    /// The text of a fragment by its key.
    pub(crate) fragment: &'e dyn Fn(&str) -> Option<&'a str>,
}

/// How many bytes the texts of a pack may still take.
pub(crate) struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Budget(MAX_TEXTS)
    }
}

impl Expansion<'_, '_> {
    fn text<'t>(&self, node: Node<'t>, budget: &mut Budget) -> Option<Text<'t>> {
        let template = node.as_str()?;
        let limit = MAX_TEXT.min(budget.0);
        let expansion = expand(template, self.syntax, self.names, self.fragment, limit).ok();
        budget.0 -= expansion.as_ref().map_or(0, |expansion| expansion.text.len()).min(budget.0);
        let (expanded, too_deep) = match expansion {
            Some(expansion) => (Some(expansion.text), expansion.too_deep),
            None => (None, BTreeSet::new()),
        };
        Some(Text { node, expanded, too_deep })
    }

    /// Expands every template of a prompt.
    pub(crate) fn texts<'t>(&self, prompt: Prompt<'t>, budget: &mut Budget) -> Texts<'t> {
        let base = prompt.get("system_template").and_then(|node| self.text(node, budget));
        let mut texts = Texts { base, overrides: BTreeMap::new() };
        for model in prompt.model_overrides() {
            let mut piece = |key| model.get(key).and_then(|node| self.text(node, budget));
            let prefix = piece("system_template_prefix");
            let replacement = piece("system_template");
            let suffix = piece("system_template_suffix");
            let text = OverrideText { node: *model, prefix, replacement, suffix };
            texts.overrides.insert(model.key().unwrap_or_default(), text);
        }
        texts
    }
}

impl<'a> Texts<'a> {
    /// Every text: the base one, then the pieces of the overrides.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Text<'a>> {
        self.base.iter().chain(self.overrides.values().flat_map(OverrideText::pieces))
    }

    /// Whether a text is beyond the budget.
    pub(crate) fn too_long(&self) -> bool {
        self.all().any(|text| text.expanded.is_none())
    }

    /// Every text in normal form, by the place in the prompt: equal where only spelling differs.
    pub(crate) fn normal(&self, syntax: &Syntax, renamed: &BTreeMap<&str, &str>) -> Vec<(String, String)> {
        let form = |name: String, text: &Text<'_>| {
            (name, normal(text.expanded.as_deref().unwrap_or_default(), syntax, renamed))
        };
        let base = self.base.iter().map(|text| form(String::new(), text));
        let pieces = self.overrides.iter().flat_map(|(model, text)| {
            text.pieces()
                .map(move |piece| form(format!("{model}/{}", piece.node.key().unwrap_or_default()), piece))
        });
        base.chain(pieces).collect()
    }
}

/// The mark around a placeholder in normal form.
const MARK: char = '\0';

/// Writes a text so that equal meaning gives equal texts: placeholders without delimiters, variables by new names.
pub(crate) fn normal(text: &str, syntax: &Syntax, renamed: &BTreeMap<&str, &str>) -> String {
    let mut normal = String::with_capacity(text.len());
    let mut at = 0;
    for placeholder in read(text, syntax, None) {
        normal.push_str(&text[at..placeholder.span.start as usize]);
        at = placeholder.span.end as usize;
        normal.push(MARK);
        let blank = if is_badly_spaced(&placeholder, syntax) { " " } else { "" };
        normal.push_str(blank);
        normal.push_str(&normal_body(&placeholder, renamed));
        normal.push_str(blank);
        normal.push(MARK);
    }
    normal.push_str(&text[at..]);
    normal
}

/// The placeholders of an expanded text as clients meet them: what stands in additional braces is filled like any other.
pub(super) fn read<'t>(text: &'t str, syntax: &Syntax, names: Option<&Names<'_>>) -> Vec<Placeholder<'t>> {
    placeholders(text, syntax).into_iter().map(|placeholder| met(placeholder, text, names)).collect()
}

/// One placeholder of `text` as clients meet it.
pub(super) fn met<'t>(
    placeholder: Placeholder<'t>,
    text: &'t str,
    names: Option<&Names<'_>>,
) -> Placeholder<'t> {
    let is_fragment = |inner: &Placeholder<'t>| {
        names.is_some_and(|names| matches!(names.classify(inner), Class::Fragment(_)))
    };
    placeholder.braced(text).filter(|inner| !is_fragment(inner)).unwrap_or(placeholder)
}

pub(super) fn normal_body(placeholder: &Placeholder<'_>, renamed: &BTreeMap<&str, &str>) -> String {
    match &placeholder.form {
        Form::Path(path) if placeholder.fragment().is_none() && placeholder.artifact().is_none() => {
            let first = renamed.get(path.first).copied().unwrap_or(path.first);
            std::iter::once(first).chain(path.rest.iter().copied()).collect::<Vec<_>>().join(".")
        }
        Form::Logic => renamed_words(placeholder.body, renamed),
        _ => placeholder.body.to_owned(),
    }
}

/// Replaces names in logic, which mentions variables as bare words.
fn renamed_words(body: &str, renamed: &BTreeMap<&str, &str>) -> String {
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let mut text = String::new();
    let mut rest = body;
    while let Some(start) = rest.find(is_word) {
        let end = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |length| start + length);
        let word = &rest[start..end];
        text.push_str(&rest[..start]);
        text.push_str(renamed.get(word).copied().unwrap_or(word));
        rest = &rest[end..];
    }
    text.push_str(rest);
    text
}

/// Whether blanks inside the delimiters keep clients from filling the placeholder.
pub(super) fn is_badly_spaced(placeholder: &Placeholder<'_>, syntax: &Syntax) -> bool {
    placeholder.spaced && !syntax.is_spaced() && !matches!(placeholder.form, Form::Logic | Form::Malformed)
}

/// What the texts of a prompt refer to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Declared variables.
    pub(crate) variables: BTreeSet<String>,
    /// Paths into declared variables, as `name.key`.
    pub(crate) paths: BTreeMap<String, BTreeSet<String>>,
    /// Artifacts of the workflow.
    pub(crate) artifacts: BTreeSet<String>,
    /// Names that the runtime or the host supplies.
    pub(crate) supplied: BTreeSet<String>,
    /// Bodies that nothing fills.
    pub(crate) unresolvable: BTreeSet<String>,
    /// Names that nothing declares; their bodies are unresolvable.
    pub(crate) undeclared: BTreeSet<String>,
    /// What the texts use of the template engine, in the spec's words.
    pub(crate) features: BTreeSet<&'static str>,
}

impl Usage {
    /// Gathers what expanded texts refer to. `takes_paths` says of a variable whether values have parts.
    pub(crate) fn of(
        texts: &Texts<'_>,
        syntax: &Syntax,
        names: &Names<'_>,
        takes_paths: impl Fn(&str) -> bool,
    ) -> Usage {
        let mut usage = Usage::default();
        for text in texts.all().filter_map(|text| text.expanded.as_deref()) {
            for placeholder in read(text, syntax, Some(names)) {
                usage.add(&placeholder, syntax, names, &takes_paths);
            }
        }
        usage
    }

    fn add(
        &mut self,
        placeholder: &Placeholder<'_>,
        syntax: &Syntax,
        names: &Names<'_>,
        takes_paths: &impl Fn(&str) -> bool,
    ) {
        if is_badly_spaced(placeholder, syntax) {
            self.unresolvable.insert(format!(" {} ", placeholder.body));
            return;
        }
        let path = normal_body(placeholder, &BTreeMap::new());
        match (names.classify(placeholder), &placeholder.form) {
            (Class::Variable(name), Form::Path(parts)) if parts.rest.is_empty() => {
                self.variables.insert(name.to_owned());
            }
            (Class::Variable(name), _) if takes_paths(name) => {
                self.variables.insert(name.to_owned());
                self.paths.entry(name.to_owned()).or_default().insert(path);
            }
            (Class::Variable(name), _) => {
                self.variables.insert(name.to_owned());
                self.unresolvable.insert(path);
            }
            (Class::Artifact(name), _) => {
                self.artifacts.insert(name.to_owned());
            }
            (Class::Runtime(name), _) => {
                self.supplied.insert(name.to_owned());
            }
            (Class::Undeclared(name), _) => {
                self.unresolvable.insert(path);
                self.undeclared.insert(name.to_owned());
            }
            (Class::Fragment(_), _) | (Class::None, Form::Malformed) => {
                self.unresolvable.insert(placeholder.body.to_owned());
            }
            (Class::None, _) => {
                let known = placeholder.mentioned().filter(|name| names.variables.contains(name));
                self.variables.extend(known.map(str::to_owned));
                self.features.insert(feature(placeholder.body));
            }
        }
    }
}

/// The feature that a piece of logic belongs to.
fn feature(body: &str) -> &'static str {
    let is_loop = ["#each", "#for", "/each", "/for", "for "].iter().any(|start| body.starts_with(start));
    match body {
        _ if is_loop => "loops",
        _ if body.contains('|') => "filters",
        _ => "conditionals",
    }
}
