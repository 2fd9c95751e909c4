//! Expands the fragments of a template recursively.

use std::cell::Cell;

use super::{Class, Names, Syntax, placeholders};

/// How deep fragments may include each other; clients stop at ten rounds.
const MAX_ROUNDS: usize = 10;

/// A template with its fragments written out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expansion {
    /// The text; a fragment that is missing or includes itself stays as its placeholder.
    pub text: String,
    /// Whether such a fragment was met.
    pub unresolved: bool,
}

/// The expanded text would be longer than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong {
    /// The limit in bytes.
    pub limit: usize,
}

/// Writes out every fragment of `text`, in all three spellings, up to `limit` bytes of result and as many fragments.
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
    let mut expansion = Expansion { text: String::with_capacity(text.len()), unresolved: false };
    let mut open = Vec::new();
    Expander { syntax, names, fragment, limit, included: Cell::new(0) }.append(
        text,
        &mut open,
        &mut expansion,
    )?;
    Ok(expansion)
}

struct Expander<'e, 'f> {
    syntax: &'e Syntax,
    names: &'e Names<'e>,
    fragment: &'e dyn Fn(&str) -> Option<&'f str>,
    limit: usize,
    /// How many fragments were written out: empty ones multiply too.
    included: Cell<usize>,
}

impl Expander<'_, '_> {
    fn append(&self, text: &str, open: &mut Vec<String>, expansion: &mut Expansion) -> Result<(), TooLong> {
        let mut at = 0;
        for placeholder in placeholders(text, self.syntax) {
            let Class::Fragment(key) = self.names.classify(&placeholder) else { continue };
            self.push(&text[at..placeholder.span.start as usize], expansion)?;
            at = placeholder.span.end as usize;
            match (self.fragment)(key) {
                Some(inner) if open.len() < MAX_ROUNDS && !open.iter().any(|opened| opened == key) => {
                    self.included.set(self.included.get() + 1);
                    if self.included.get() > self.limit {
                        return Err(TooLong { limit: self.limit });
                    }
                    open.push(key.to_owned());
                    self.append(inner, open, expansion)?;
                    open.pop();
                }
                _ => {
                    expansion.unresolved = true;
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
    fn doubling_fragments_stop_at_the_limit() {
        let names = Names { fragments: ["a"].into(), ..Names::default() };
        let long = "x".repeat(600);
        let result = expand("{{a}}{{a}}", &Syntax::default(), &names, &|_| Some(&long), 1000);
        assert_eq!(result, Err(TooLong { limit: 1000 }));
        let keys = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
        let names = Names { fragments: keys.into(), ..Names::default() };
        let next =
            |key: &str| keys.iter().skip_while(|known| **known != key).nth(1).copied().unwrap_or_default();
        let texts: Vec<String> = keys.iter().map(|key| format!("{{{{{}}}}}", next(key)).repeat(20)).collect();
        let fragment = |key: &str| match key {
            "j" => Some(""),
            _ => keys.iter().position(|known| *known == key).map(|at| texts[at].as_str()),
        };
        assert_eq!(
            expand("{{a}}", &Syntax::default(), &names, &fragment, 1000),
            Err(TooLong { limit: 1000 })
        );
    }
}
