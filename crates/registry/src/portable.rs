//! The portable form: the resolved form with every fragment written out, for runtimes that know none.
//!
//! Nothing is re-serialized: the span of each template that uses a fragment, in whatever spelling, is replaced by the
//! expanded text. Everything else, `fragments` included, stays as it is in the resolved form.

use pack::json::Document;
use pack::model::{Pack, Prompt};
use pack::span::{Span, splice};
use pack::template::{Class, Form, Names, Syntax, expand, placeholders};

/// How many bytes the expanded templates of one pack may take together.
const MOST_EXPANDED: usize = 4 << 20;

/// What became of a resolved form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Portable {
    /// The bytes; none where they equal the resolved form.
    pub bytes: Option<Vec<u8>>,
    /// Templates that still hold a fragment's placeholder, and why.
    pub warnings: Vec<String>,
}

/// Writes the fragments of a resolved form out.
pub fn portable(resolved: &[u8]) -> Portable {
    let Some(document) = Document::parse(resolved).0 else { return Portable::default() };
    let pack = Pack(document.root());
    let mut writer = Writer {
        pack,
        syntax: pack.syntax(),
        left: MOST_EXPANDED,
        edits: Vec::new(),
        portable: Portable::default(),
    };
    for prompt in pack.prompts() {
        writer.prompt(prompt);
    }
    let Writer { mut edits, mut portable, .. } = writer;
    if !edits.is_empty() {
        edits.sort_by_key(|(span, _)| span.start);
        let edits = edits.iter().map(|(span, text)| (*span, text.as_str()));
        portable.bytes = Some(splice(document.text(), edits).into_bytes());
    }
    portable
}

struct Writer<'a> {
    pack: Pack<'a>,
    syntax: Syntax,
    /// How many bytes may still be written.
    left: usize,
    edits: Vec<(Span, String)>,
    portable: Portable,
}

impl Writer<'_> {
    /// Whether a written text still asks for fragments: by keys that no placeholder can hold, or by placeholders that
    /// came together out of pieces.
    fn holds_fragments(&self, text: &str, names: &Names<'_>) -> bool {
        placeholders(text, &self.syntax).iter().any(|placeholder| {
            let is_odd = placeholder.form == Form::Malformed
                && ["fragments.", "fragment:"].iter().any(|start| placeholder.body.starts_with(start));
            is_odd || matches!(names.classify(placeholder), Class::Fragment(_))
        })
    }

    fn prompt(&mut self, prompt: Prompt<'_>) {
        // What a host supplies is no matter here: a name that no variable has is the fragment's.
        let names = Names {
            variables: prompt.variables().map(|variable| variable.name()).collect(),
            fragments: self.pack.fragments().map(|(key, ..)| key).collect(),
            ..Names::default()
        };
        let pack = self.pack;
        let fragment = |key: &str| pack.fragment(key);
        for node in prompt.templates() {
            let text = node.as_str().unwrap_or_default();
            let key = prompt.name_key();
            let Ok(expansion) = expand(text, &self.syntax, &names, &fragment, self.left) else {
                self.portable.warnings.push(format!(
                    "portable form: the fragments of the prompt `{key}` are too long to be written out, and stay as \
                     placeholders"
                ));
                continue;
            };
            if expansion.unresolved || self.holds_fragments(&expansion.text, &names) {
                let warning = format!(
                    "portable form: a fragment that the prompt `{key}` uses is missing, includes itself, lies too deep \
                     or has a name that no placeholder can hold, and stays as its placeholder"
                );
                if !self.portable.warnings.contains(&warning) {
                    self.portable.warnings.push(warning);
                }
            }
            if expansion.text != text {
                self.left -= expansion.text.len();
                self.edits.push((node.span(), serde_json::Value::from(expansion.text).to_string()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(prompt: &str, rest: &str) -> String {
        format!("{{ \"prompts\": {{\"p\": {prompt}}}, {rest} \"id\": \"x\" }}")
    }

    const FRAGMENTS: &str = r#""fragments": {"hi": "Hello \"{{name}}\",\n{{fragments.close}}", "close": "bye", "loop": "{{loop}}", "name": "no"},"#;

    fn check(template: &str, expected: &str, warnings: usize) {
        let prompt = |template: &str| {
            format!(
                "{{\"variables\": [{{\"name\": \"name\"}}],  \"system_template\" : {template}, \"model_overrides\": \
                 {{\"m\": {{\"system_template_suffix\": {template}}}}}}}"
            )
        };
        let source = pack(&prompt(template), FRAGMENTS);
        let made = portable(source.as_bytes());
        let bytes = made.bytes.clone().unwrap_or_else(|| source.clone().into_bytes());
        assert_eq!(String::from_utf8(bytes).expect("text"), pack(&prompt(expected), FRAGMENTS));
        assert_eq!((made.bytes.is_some(), made.warnings.len()), (template != expected, warnings), "{made:?}");
    }

    #[test]
    fn fragments_are_written_out_in_every_spelling_and_the_rest_stays() {
        check(r#""Be kind to {{name}}.""#, r#""Be kind to {{name}}.""#, 0);
        check(r#""\u00e9 {{fragments.hi}}!""#, r#""é Hello \"{{name}}\",\nbye!""#, 0);
        check(r#""{{fragment:close}} {{close}} {{name}}""#, r#""bye bye {{name}}""#, 0);
    }

    #[test]
    fn what_cannot_be_written_out_stays_and_is_said() {
        check(r#""{{loop}} {{close}}""#, r#""{{loop}} bye""#, 1);
        check(r#""{{fragments.gone}}""#, r#""{{fragments.gone}}""#, 1);
        check(r#""{{fragments.é}}""#, r#""{{fragments.é}}""#, 1);
        let long = "x".repeat(1 << 20);
        let fragments = format!("\"fragments\": {{\"a\": \"{long}\"}},");
        let made =
            portable(pack(r#"{"system_template": "{{a}}{{a}}{{a}}{{a}}{{a}}"}"#, &fragments).as_bytes());
        assert_eq!((made.bytes, made.warnings.len()), (None, 1));
    }

    #[test]
    fn other_delimiters_are_those_of_the_pack() {
        let engine = format!("\"template_engine\": {{\"syntax\": \"<%variable%>\"}}, {FRAGMENTS}");
        let made =
            portable(pack(r#"{"system_template": "<%fragments.close%> {{close}}"}"#, &engine).as_bytes());
        let text = String::from_utf8(made.bytes.expect("other bytes")).expect("text");
        assert_eq!(text, pack(r#"{"system_template": "bye {{close}}"}"#, &engine));
    }
}
