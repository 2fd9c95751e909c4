//! The one template parser: placeholders, the three spellings of a fragment, expansion.
//!
//! Lints, change rules and resolving all read templates through [`placeholders`]. The grammar (schema guide
//! "Template Engine", "Fragments"):
//!
//! ```text
//! placeholder = open ws* body ws* close      body = "fragment:" key | path
//! path = first ("." key | "[" digits "]")*   first = [A-Za-z_][A-Za-z0-9_-]*   key = [A-Za-z0-9_-]+
//! ```

use std::collections::BTreeSet;

use crate::span::Span;

mod expand;

pub use expand::{Expansion, TooLong, expand};

/// The delimiters of a template, out of `template_engine.syntax`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Syntax {
    open: String,
    close: String,
    spaced: bool,
    names_variable: bool,
}

impl Default for Syntax {
    fn default() -> Self {
        Syntax::of("{{variable}}")
    }
}

impl Syntax {
    /// Reads what precedes and follows the word `variable`; `{{` and `}}` when the word is absent.
    pub fn of(declared: &str) -> Syntax {
        let Some((before, after)) = declared.split_once("variable") else {
            return Syntax { names_variable: false, ..Syntax::default() };
        };
        let open = before.trim();
        if open.is_empty() {
            return Syntax { names_variable: false, ..Syntax::default() };
        }
        let spaced = before.ends_with(char::is_whitespace) || after.starts_with(char::is_whitespace);
        Syntax { open: open.to_owned(), close: after.trim().to_owned(), spaced, names_variable: true }
    }

    /// What starts a placeholder.
    pub fn open(&self) -> &str {
        &self.open
    }

    /// What ends a placeholder; may be empty.
    pub fn close(&self) -> &str {
        &self.close
    }

    /// Whether the syntax is declared with blanks inside the delimiters.
    pub fn is_spaced(&self) -> bool {
        self.spaced
    }

    /// Whether the declared syntax shows where the variable stands.
    pub fn names_variable(&self) -> bool {
        self.names_variable
    }

    /// Whether the delimiters are `{{` and `}}`, which every client knows.
    pub fn is_standard(&self) -> bool {
        self.open == "{{" && self.close == "}}"
    }

    /// How the name is written in this syntax.
    pub fn write(&self, name: &str) -> String {
        let blank = if self.spaced { " " } else { "" };
        format!("{}{blank}{name}{blank}{}", self.open, self.close)
    }
}

/// One placeholder of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placeholder<'t> {
    /// Where it stands in the template text, delimiters included.
    pub span: Span,
    /// What stands between the delimiters, blanks trimmed.
    pub body: &'t str,
    /// What that means.
    pub form: Form<'t>,
    /// Whether blanks stand inside the delimiters.
    pub spaced: bool,
}

/// What stands in a placeholder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form<'t> {
    /// `fragment:key`
    Fragment(&'t str),
    /// A name, perhaps with a path into it: `a`, `a.b`, `a[0]`; `fragments.x` and `artifacts.x` included.
    Path(Path<'t>),
    /// Conditions, loops, filters, calls: nobody renders them.
    Logic,
    /// Anything else between the delimiters, or delimiters that do not close.
    Malformed,
}

/// A name and the keys behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path<'t> {
    /// The first name.
    pub first: &'t str,
    /// The keys and indexes behind it.
    pub rest: Vec<&'t str>,
}

impl<'t> Placeholder<'t> {
    /// The fragment that the spelling itself names: `fragments.x` or `fragment:x`.
    pub fn fragment(&self) -> Option<&'t str> {
        match &self.form {
            Form::Fragment(key) => Some(key),
            Form::Path(Path { first: "fragments", rest }) if rest.len() == 1 => Some(rest[0]),
            _ => None,
        }
    }

    /// The artifact that is named: `artifacts.x`.
    pub fn artifact(&self) -> Option<&'t str> {
        match &self.form {
            Form::Path(Path { first: "artifacts", rest }) => rest.first().copied(),
            _ => None,
        }
    }

    /// The bare name, where the body is nothing else.
    pub fn name(&self) -> Option<&'t str> {
        match &self.form {
            Form::Path(Path { first, rest }) if rest.is_empty() => Some(first),
            _ => None,
        }
    }

    /// The first name of a path that is neither a fragment nor an artifact.
    pub fn root(&self) -> Option<&'t str> {
        match &self.form {
            Form::Path(path) if self.fragment().is_none() && self.artifact().is_none() => Some(path.first),
            _ => None,
        }
    }

    /// What clients find inside more braces than two: `{{x}}` in `{{{x}}}` and its misspellings, where it names
    /// anything but a fragment. `text` is the template that holds the placeholder.
    pub fn braced(&self, text: &'t str) -> Option<Placeholder<'t>> {
        let (start, end) = (self.span.start as usize, self.span.end as usize);
        let braces = text[start..end].bytes().take_while(|byte| *byte == b'{').count();
        if self.form != Form::Logic || braces < 3 {
            return None;
        }
        let start = start + braces - 2;
        let inner = placeholders(&text[start..end], &Syntax::default()).into_iter().next()?;
        let span = Span::new(start, start + inner.span.end as usize);
        (inner.span.start == 0 && inner.root().or(inner.artifact()).is_some())
            .then_some(Placeholder { span, ..inner })
    }

    /// Names that logic mentions: a use of a variable, though no client renders it.
    pub fn mentioned(&self) -> impl Iterator<Item = &'t str> {
        let body = if self.form == Form::Logic { self.body } else { "" };
        body.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
    }
}

/// Finds the placeholders of `text`, in order.
pub fn placeholders<'t>(text: &'t str, syntax: &Syntax) -> Vec<Placeholder<'t>> {
    let mut found = Vec::new();
    let mut ahead = Ahead::new(text, syntax);
    let mut at = 0;
    while let Some(start) = next_open(text, at, syntax) {
        let inner = start + syntax.open.len();
        let placeholder = if syntax.is_standard() && text[start..].starts_with(TAG_OPEN) {
            tag(text, start, &mut ahead)
        } else if syntax.close.is_empty() {
            unclosed_path(text, start, inner)
        } else {
            delimited(text, start, syntax, &mut ahead)
        };
        at = match placeholder {
            Some(placeholder) => {
                let end = placeholder.span.end as usize;
                found.push(placeholder);
                end
            }
            None => inner,
        };
    }
    found
}

/// Where the next closing delimiters and the next line break stand; each text is searched once, whatever opens.
struct Ahead<'t, 's> {
    close: Next<'t, 's>,
    tag_close: Next<'t, 's>,
    line_end: Next<'t, 's>,
}

impl<'t, 's> Ahead<'t, 's> {
    fn new(text: &'t str, syntax: &'s Syntax) -> Self {
        let next = |needle| Next { text, needle, found: None };
        Ahead { close: next(&syntax.close), tag_close: next(TAG_CLOSE), line_end: next("\n") }
    }
}

/// The first `needle` at or after the place last asked for.
struct Next<'t, 's> {
    text: &'t str,
    needle: &'s str,
    found: Option<usize>,
}

impl Next<'_, '_> {
    /// Where the first one stands at or after `at`, the end of the text where there is none. Places only grow.
    fn from(&mut self, at: usize) -> usize {
        if let Some(found) = self.found.filter(|found| *found >= at) {
            return found;
        }
        let found = self.text[at..].find(self.needle).map_or(self.text.len(), |offset| at + offset);
        self.found = Some(found);
        found
    }
}

/// What starts a tag of other template languages, which counts as logic beside the standard delimiters.
const TAG_OPEN: &str = "{%";
const TAG_CLOSE: &str = "%}";

/// Where the next placeholder or tag may start.
fn next_open(text: &str, at: usize, syntax: &Syntax) -> Option<usize> {
    let rest = &text[at..];
    let offset = if syntax.is_standard() {
        let mut braces = rest.match_indices('{').map(|(offset, _)| offset);
        braces
            .find(|offset| rest[*offset..].starts_with(&syntax.open) || rest[*offset..].starts_with(TAG_OPEN))
    } else {
        rest.find(syntax.open.as_str())
    };
    offset.map(|offset| at + offset)
}

/// A tag `{% … %}` on one line.
fn tag<'t>(text: &'t str, start: usize, ahead: &mut Ahead<'t, '_>) -> Option<Placeholder<'t>> {
    let inner = start + TAG_OPEN.len();
    let close = ahead.tag_close.from(inner);
    if close == text.len() || close > ahead.line_end.from(inner) {
        return None;
    }
    let body = text[inner..close].trim_matches('-').trim();
    let span = Span::new(start, close + TAG_CLOSE.len());
    Some(Placeholder { span, body, form: Form::Logic, spaced: false })
}

/// A placeholder of a syntax without closing delimiter: the path ends where it cannot go on.
fn unclosed_path(text: &str, start: usize, inner: usize) -> Option<Placeholder<'_>> {
    let (form, length) = parse_body(&text[inner..])?;
    let body = &text[inner..inner + length];
    Some(Placeholder { span: Span::new(start, inner + length), body, form, spaced: false })
}

fn delimited<'t>(
    text: &'t str,
    start: usize,
    syntax: &Syntax,
    ahead: &mut Ahead<'t, '_>,
) -> Option<Placeholder<'t>> {
    let inner = start + syntax.open.len();
    let (close, line_end) = (ahead.close.from(inner), ahead.line_end.from(inner));
    let closes = close < text.len() && close < line_end;
    if !syntax.is_standard() {
        return closes.then(|| custom(text, start, inner, close, syntax)).flatten();
    }
    if !closes {
        let body = text[inner..line_end].trim();
        let span = Span::new(start, inner + text[inner..line_end].trim_end().len());
        return Some(Placeholder { span, body, form: Form::Malformed, spaced: false });
    }
    let raw = &text[inner..close];
    // `{{{x}}}` closes with the last of its three braces.
    let triple = raw.starts_with('{') && text[close + syntax.close.len()..].starts_with('}');
    let end = close + syntax.close.len() + usize::from(triple);
    let body = raw.trim();
    let form = match parse_body(body) {
        _ if matches!(body, "else" | "end") || is_logic(body) => Form::Logic,
        Some((form, length)) if length == body.len() => form,
        _ => Form::Malformed,
    };
    Some(Placeholder { span: Span::new(start, end), body, form, spaced: raw.len() != body.len() })
}

/// A placeholder of a declared syntax: a path and blanks between the delimiters, else it is text.
fn custom<'t>(
    text: &'t str,
    start: usize,
    inner: usize,
    close: usize,
    syntax: &Syntax,
) -> Option<Placeholder<'t>> {
    let raw = &text[inner..close];
    let (form, length) = parse_body(raw.trim_start())?;
    let (body, behind) = raw.trim_start().split_at(length);
    let span = Span::new(start, close + syntax.close.len());
    let spaced = raw.len() != body.len();
    behind.trim().is_empty().then_some(Placeholder { span, body, form, spaced })
}

fn is_logic(body: &str) -> bool {
    body.starts_with(['#', '/', '>', '!', '^', '&', '{', '-']) || body.contains(['|', '('])
}

/// Reads a body from the start of `text`; gives its form and how many bytes it took.
fn parse_body(text: &str) -> Option<(Form<'_>, usize)> {
    if let Some(rest) = text.strip_prefix("fragment:") {
        let length = key_length(rest);
        return (length > 0).then(|| (Form::Fragment(&rest[..length]), "fragment:".len() + length));
    }
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return None;
    }
    let mut at = key_length(text);
    let first = &text[..at];
    let mut rest = Vec::new();
    while let Some((key, length)) = step(&text[at..]) {
        rest.push(key);
        at += length;
    }
    Some((Form::Path(Path { first, rest }), at))
}

/// One `.key` or `[digits]`.
fn step(text: &str) -> Option<(&str, usize)> {
    if let Some(rest) = text.strip_prefix('.') {
        let length = key_length(rest);
        return (length > 0).then(|| (&rest[..length], length + 1));
    }
    let rest = text.strip_prefix('[')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && rest[digits..].starts_with(']')).then(|| (&rest[..digits], digits + 2))
}

fn key_length(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count()
}

/// Names that the reference runtime supplies; they are never undeclared.
pub const RUNTIME_NAMES: [&str; 8] = [
    "input",
    "workflow_context",
    "current_time",
    "current_date",
    "current_year",
    "current_month",
    "current_weekday",
    "current_hour",
];

/// What a placeholder refers to, inside one prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class<'t> {
    /// A fragment of that key, which may be missing when the spelling names fragments explicitly.
    Fragment(&'t str),
    /// An artifact of the workflow.
    Artifact(&'t str),
    /// A variable of the prompt.
    Variable(&'t str),
    /// A name that the runtime or the host supplies.
    Runtime(&'t str),
    /// A name that nothing declares.
    Undeclared(&'t str),
    /// Logic or malformed text.
    None,
}

/// The names around a template that decide what a placeholder refers to.
#[derive(Debug, Clone, Default)]
pub struct Names<'n> {
    /// Variables that the prompt declares.
    pub variables: BTreeSet<&'n str>,
    /// Keys of the pack's fragments.
    pub fragments: BTreeSet<&'n str>,
    /// Names that the host supplies, besides [`RUNTIME_NAMES`].
    pub host: BTreeSet<&'n str>,
    /// Whether the host may supply any name at all.
    pub any_host_name: bool,
}

impl Names<'_> {
    /// Classifies a placeholder; the first match wins.
    pub fn classify<'t>(&self, placeholder: &Placeholder<'t>) -> Class<'t> {
        if let Some(key) = placeholder.fragment() {
            return Class::Fragment(key);
        }
        if let Some(name) = placeholder.artifact() {
            return Class::Artifact(name);
        }
        // `else` and `end` are logic unless the prompt declares them.
        if placeholder.form == Form::Logic && self.variables.contains(placeholder.body) {
            return Class::Variable(placeholder.body);
        }
        let Some(root) = placeholder.root() else { return Class::None };
        if self.variables.contains(root) {
            return Class::Variable(root);
        }
        match placeholder.name() {
            Some(name) if self.fragments.contains(name) => Class::Fragment(name),
            _ if RUNTIME_NAMES.contains(&root) || self.any_host_name || self.host.contains(root) => {
                Class::Runtime(root)
            }
            _ => Class::Undeclared(root),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(syntax: &str, text: &str, expected: &[&str]) {
        let found: Vec<String> = placeholders(text, &Syntax::of(syntax))
            .iter()
            .map(|placeholder| {
                let form = match &placeholder.form {
                    Form::Fragment(key) => format!("fragment {key}"),
                    Form::Path(path) => {
                        format!("path {} {}", path.first, path.rest.join(" ")).trim_end().to_owned()
                    }
                    Form::Logic => "logic".to_owned(),
                    Form::Malformed => "malformed".to_owned(),
                };
                let spaced = if placeholder.spaced { " spaced" } else { "" };
                format!("{}={form}{spaced}", &text[placeholder.span.range()])
            })
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn placeholders_of_the_standard_syntax() {
        let standard = "{{variable}}";
        check(standard, "Hi {{name}}, {{ plan }}", &["{{name}}=path name", "{{ plan }}=path plan spaced"]);
        check(
            standard,
            "{{fragments.x}}{{fragment:y-z}}",
            &["{{fragments.x}}=path fragments x", "{{fragment:y-z}}=fragment y-z"],
        );
        check(standard, "{{a.b[0].c}}", &["{{a.b[0].c}}=path a b 0 c"]);
        check(standard, "{{#if x}}y{{/if}}{{else}}", &["{{#if x}}=logic", "{{/if}}=logic", "{{else}}=logic"]);
        check(
            standard,
            "{{x | upper}}{{f(x)}}{{{raw}}}",
            &["{{x | upper}}=logic", "{{f(x)}}=logic", "{{{raw}}}=logic"],
        );
        check(standard, "{{}} {{a b}} {{open", &["{{}}=malformed", "{{a b}}=malformed", "{{open=malformed"]);
        check(standard, "{\"a\": {\"b\": 1}} }}", &[]);
        check(standard, "{% if x %}y{%- endif -%} {%", &["{% if x %}=logic", "{%- endif -%}=logic"]);
        check(standard, "{{a\nb}}", &["{{a=malformed"]);
    }

    #[test]
    fn placeholders_of_other_syntaxes() {
        check("${variable}", "${name} costs $5 ${a b} {{x}}", &["${name}=path name"]);
        check("{{ variable }}", "{{ name }}", &["{{ name }}=path name spaced"]);
        check("$variable", "$name, $5 $a.b.", &["$name=path name", "$a.b=path a b"]);
        check("[[variable]]", "[[name]] [[#x]] {% if x %}", &["[[name]]=path name"]);
        check("handlebars", "{{name}}", &["{{name}}=path name"]);
    }

    #[test]
    fn clients_find_placeholders_in_additional_braces() {
        let braced = |text: &'static str| {
            let found = placeholders(text, &Syntax::default());
            found[0]
                .braced(text)
                .map(|inner| (&text[inner.span.start as usize..inner.span.end as usize], inner.body))
        };
        assert_eq!(braced("{{{x}}}"), Some(("{{x}}", "x")));
        assert_eq!(braced("{{{x}}"), Some(("{{x}}", "x")));
        assert_eq!(braced("é{{{{x.y}}}}"), Some(("{{x.y}}", "x.y")));
        assert_eq!(braced("{{{ x }}}"), Some(("{{ x }}", "x")));
        assert_eq!(braced("{{{artifacts.x}}}"), Some(("{{artifacts.x}}", "artifacts.x")));
        for text in
            ["{{x}}", "{{ {x} }}", "{{{#if x}}}", "{{{fragments.x}}}", "{{{fragment:x}}}", "{{{1}}}", "{{{"]
        {
            assert_eq!(braced(text), None, "{text}");
        }
    }
}
