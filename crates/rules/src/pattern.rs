//! Which regular expression dialects compile a pattern.
//!
//! Runtimes hand the same pattern to RE2 (Go), Python's `re` or ECMAScript. A scanner reads it once, without running
//! it, and notes for each dialect the first thing that the dialect refuses.

use pack::Span;

mod class;
mod escape;
mod group;
mod scanner;

/// A regular expression dialect of some runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Dialect {
    /// Go's `regexp`.
    Re2,
    /// Python's `re`, from 3.11.
    Python,
    /// `RegExp` without the `u` flag.
    Ecmascript,
}

impl Dialect {
    const ALL: [Dialect; 3] = [Dialect::Re2, Dialect::Python, Dialect::Ecmascript];

    /// The dialect in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Dialect::Re2 => "RE2",
            Dialect::Python => "Python",
            Dialect::Ecmascript => "ECMAScript",
        }
    }
}

/// Something in a pattern that a dialect refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// Where it stands in the pattern.
    pub(crate) span: Span,
    /// What it is, with its article.
    pub(crate) what: &'static str,
    /// Whether the dialect compiles it nevertheless, to something else.
    compiles: bool,
}

/// What each dialect says of a pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    refusals: [Option<Refusal>; 3],
}

impl Verdict {
    /// The first thing that no dialect compiles; none where one of them does.
    pub(crate) fn refused_by_all(&self) -> Option<Refusal> {
        let refusals: Option<Vec<Refusal>> = self.refusals.iter().copied().collect();
        let refusals = refusals.filter(|refusals| refusals.iter().all(|refusal| !refusal.compiles))?;
        refusals.into_iter().max_by_key(|refusal| refusal.span.start)
    }

    /// The first thing that some dialect refuses or reads as something else.
    pub(crate) fn first_refusal(&self) -> Option<Refusal> {
        self.refusals.iter().flatten().copied().min_by_key(|refusal| refusal.span)
    }

    /// Names of the dialects that compile the pattern to what its author means, or of the others.
    pub(crate) fn names(&self, compiling: bool) -> Vec<&'static str> {
        let dialects = Dialect::ALL.into_iter().zip(&self.refusals);
        dialects
            .filter(|(_, refusal)| refusal.is_none() == compiling)
            .map(|(dialect, _)| dialect.name())
            .collect()
    }

    fn add(&mut self, dialects: &[Dialect], refusal: Refusal) {
        for dialect in dialects {
            let slot = &mut self.refusals[*dialect as usize];
            // A refusal outweighs a reading to something else, whichever came first.
            let outweighs = slot.is_none_or(|known| known.compiles && !refusal.compiles);
            if outweighs {
                *slot = Some(refusal);
            }
        }
    }
}

/// The longest pattern that is judged, in bytes; a longer one counts as one that compiles everywhere.
const MAX_LENGTH: usize = 4096;

/// Reads a pattern.
pub(crate) fn judge(pattern: &str) -> Verdict {
    if pattern.len() > MAX_LENGTH {
        return Verdict::default();
    }
    scanner::Scanner::new(pattern).scan()
}

#[cfg(test)]
mod tests {
    use super::judge;

    fn check(pattern: &str, compiling: &[&str]) {
        assert_eq!(judge(pattern).names(true), compiling, "{pattern}");
    }

    const ALL: [&str; 3] = ["RE2", "Python", "ECMAScript"];

    #[test]
    fn common_patterns_compile_everywhere() {
        for pattern in [
            r"^[a-z][a-z0-9-]*$",
            r"^\+?[0-9 ()\-]{7,20}$",
            r"^[\w.+-]+@[\w-]+\.[a-z]{2,}$",
            r"(?:a|b)+?\.\/",
            "a{b}",
            r"^\d{4}-\d{2}-\d{2}$",
        ] {
            check(pattern, &ALL);
        }
    }

    #[test]
    fn dialects_differ() {
        check(r"(?=x)y", &["Python", "ECMAScript"]);
        check(r"(?<!x)y", &["Python", "ECMAScript"]);
        check(r"(a)\1", &["Python", "ECMAScript"]);
        check(r"a++", &["Python"]);
        check(r"(?P<name>a)", &["RE2", "Python"]);
        check(r"(?<name>a)", &["RE2", "ECMAScript"]);
        check(r"(?i)a", &["RE2", "Python"]);
        check(r"a(?i)b", &["RE2"]);
        check(r"\p{L}", &["RE2"]);
        check(r"[[:alpha:]]", &["RE2"]);
        check(r"\Aa\Z", &["Python"]);
        check(r"[\w-.]", &["RE2", "ECMAScript"]);
        check(r"a{2000}", &["Python", "ECMAScript"]);
    }

    #[test]
    fn nobody_compiles_these() {
        for (pattern, what) in [
            ("(", "a group that does not close"),
            ("a)", "a `)` without its `(`"),
            ("[a", "a class that does not close"),
            ("*a", "a quantifier with nothing to repeat"),
            ("a**", "a quantifier on a quantifier"),
            ("a{3,2}", "a quantifier whose bounds are reversed"),
            ("[z-a]", "a range whose ends are reversed"),
            ("a\\", "a backslash at the end"),
        ] {
            assert_eq!(judge(pattern).refused_by_all().map(|refusal| refusal.what), Some(what), "{pattern}");
        }
        assert_eq!(judge(r"\q").refused_by_all(), None);
    }
}
