//! Expands the fragments of a template recursively.

use std::collections::BTreeSet;

use super::{Class, Names, Syntax, placeholders};

/// How deep fragments may include each other; clients stop at ten rounds.
const MAX_ROUNDS: usize = 10;

/// The most fragments that one text may write out; empty ones multiply without ever making the text longer.
const MAX_FRAGMENTS: usize = 100_000;

/// A template with its fragments written out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expansion {
    /// The text; a fragment that is missing or includes itself stays as its placeholder.
    pub text: String,
    /// Whether such a fragment was met.
    pub unresolved: bool,
    /// Keys of the fragments that stay as their placeholders because they lie deeper than clients look.
    pub too_deep: BTreeSet<String>,
}

/// The expanded text would be longer than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong {
    /// The limit in bytes.
    pub limit: usize,
}

/// Writes out every fragment of `text`, in all three spellings, up to `limit` bytes of result.
///
/// `fragment` gives the text of a fragment by its key. A bare name is a fragment only where no variable has it.
///
/// # Errors
/// [`TooLong`] when fragments multiply the text beyond `limit`.
pub fn expand<'f>(
    text: &str,
    syntax: &Syntax,
    names: &Names<'_>,
    fragment: &dyn Fn(&str) -> Option<&'f str>,
    limit: usize,
) -> Result<Expansion, TooLong> {
    let text_of_its_length = String::with_capacity(text.len());
    let mut expansion = Expansion { text: text_of_its_length, unresolved: false, too_deep: BTreeSet::new() };
    let mut open = Vec::new();
    let mut expander = Expander { syntax, names, fragment, limit, written: 0 };
    expander.append(text, &mut open, &mut expansion)?;
    Ok(expansion)
}

struct Expander<'e, 'f> {
    syntax: &'e Syntax,
    names: &'e Names<'e>,
    fragment: &'e dyn Fn(&str) -> Option<&'f str>,
    limit: usize,
    /// How many fragments were written out so far.
    written: usize,
}

impl Expander<'_, '_> {
    fn append(
        &mut self,
        text: &str,
        open: &mut Vec<String>,
        expansion: &mut Expansion,
    ) -> Result<(), TooLong> {
        let mut at = 0;
        for placeholder in placeholders(text, self.syntax) {
            let Class::Fragment(key) = self.names.classify(&placeholder) else { continue };
            self.push(&text[at..placeholder.span.start as usize], expansion)?;
            at = placeholder.span.end as usize;
            match (self.fragment)(key).filter(|_| !open.iter().any(|opened| opened == key)) {
                Some(inner) if open.len() < MAX_ROUNDS => {
                    self.written += 1;
                    if self.written > MAX_FRAGMENTS {
                        return Err(TooLong { limit: self.limit });
                    }
                    open.push(key.to_owned());
                    self.append(inner, open, expansion)?;
                    open.pop();
                }
                found => {
                    expansion.unresolved = true;
                    expansion.too_deep.extend(found.map(|_| key.to_owned()));
                    self.push(&text[placeholder.span.range()], expansion)?;
                }
            }
        }
        self.push(&text[at..], expansion)
    }

    fn push(&self, text: &str, expansion: &mut Expansion) -> Result<(), TooLong> {
        if expansion.text.len() + text.len() > self.limit {
            return Err(TooLong { limit: self.limit });
        }
        expansion.text.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str, unresolved: bool) {
        let fragment = |key: &str| match key {
            "hello" => Some("Hello {{name}}, {{fragments.wave}}"),
            "wave" => Some("*waves*"),
            "loop" => Some("a {{loop}}"),
            "name" => Some("never: a variable has this name"),
            _ => None,
        };
        let names = Names {
            variables: ["name"].into(),
            fragments: ["hello", "wave", "loop", "name"].into(),
            ..Names::default()
        };
        let expansion = expand(text, &Syntax::default(), &names, &fragment, 1000).expect("short enough");
        assert_eq!((expansion.text.as_str(), expansion.unresolved), (expected, unresolved));
    }

    #[test]
    fn fragments_are_written_out_in_every_spelling() {
        check("{{fragments.hello}}!", "Hello {{name}}, *waves*!", false);
        check("{{fragment:wave}} {{wave}} {{name}}", "*waves* *waves* {{name}}", false);
        check("{{loop}}", "a {{loop}}", true);
        check("{{fragments.gone}} {{other}}", "{{fragments.gone}} {{other}}", true);
    }

    #[test]
    fn what_lies_too_deep_is_named() {
        let keys: Vec<String> = (0..=MAX_ROUNDS).map(|at| format!("f{at}")).collect();
        let names = Names { fragments: keys.iter().map(String::as_str).collect(), ..Names::default() };
        let texts: Vec<String> = keys.iter().skip(1).map(|next| format!("{{{{{next}}}}}")).collect();
        let text = |key: &str| {
            let at = keys.iter().position(|known| known == key)?;
            Some(texts.get(at).map_or("the end", String::as_str))
        };
        let expand = |start: &str| expand(start, &Syntax::default(), &names, &text, 1000).expect("short");
        let last = &keys[MAX_ROUNDS];
        let whole = expand("{{f1}}");
        assert_eq!((whole.text.as_str(), whole.too_deep.len()), ("the end", 0));
        let cut = expand("{{f0}}");
        assert_eq!((cut.text, cut.unresolved), (format!("{{{{{last}}}}}"), true));
        assert_eq!(cut.too_deep, BTreeSet::from([last.clone()]));
    }

    #[test]
    fn doubling_fragments_stop_at_the_limit() {
        let names = Names { fragments: ["a"].into(), ..Names::default() };
        let long = "x".repeat(600);
        let result = expand("{{a}}{{a}}", &Syntax::default(), &names, &|_| Some(&long), 1000);
        assert_eq!(result, Err(TooLong { limit: 1000 }));
    }

    #[test]
    fn empty_fragments_that_multiply_stop_too() {
        let fragments = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
        let names = Names { fragments: fragments.into(), ..Names::default() };
        let texts: Vec<String> =
            fragments.iter().skip(1).map(|next| format!("{{{{{next}}}}}").repeat(9)).collect();
        let text =
            |key: &str| texts.get(fragments.iter().position(|known| *known == key)?).map(String::as_str);
        let result = expand("{{a}}", &Syntax::default(), &names, &|key| text(key).or(Some("")), 1000);
        assert_eq!(result, Err(TooLong { limit: 1000 }));
    }
}
