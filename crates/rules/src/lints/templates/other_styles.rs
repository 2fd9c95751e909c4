//! Finds declared variables that a text writes in the style of another template language.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use pack::{Node, Span};
use regex::{Captures, Regex};

use crate::facts::{Facts, PromptFacts};

/// `{{x}}`, `${x}`, `{x}`, `<x>` and `%x%`, around a name.
static STYLES: LazyLock<Regex> = LazyLock::new(|| {
    const NAME: &str = "([A-Za-z_][A-Za-z0-9_]*)";
    let styles = [
        format!(r"\{{\{{[ \t]*{NAME}[ \t]*\}}\}}"),
        format!(r"\$\{{{NAME}\}}"),
        format!(r"\{{{NAME}\}}"),
        format!("<{NAME}>"),
        format!("%{NAME}%"),
    ];
    Regex::new(&styles.join("|")).expect("a fixed pattern")
});

/// Where a variable stands in another style.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OtherStyle<'a> {
    /// The string that holds it.
    pub(crate) node: Node<'a>,
    /// Where it stands in that string.
    pub(crate) span: Span,
    /// How it is written.
    pub(crate) written: &'a str,
}

/// The names that each fragment writes in another style; every fragment is searched once for all its prompts.
pub(crate) struct OtherStyles<'a> {
    fragments: BTreeMap<&'a str, BTreeMap<&'a str, OtherStyle<'a>>>,
}

impl<'a> OtherStyles<'a> {
    /// Searches the fragments that templates reach.
    pub(crate) fn of(pack: &Facts<'a>) -> Self {
        let reached = pack.fragments().iter().filter(|(_, fragment)| !fragment.users.is_empty());
        OtherStyles { fragments: reached.map(|(key, fragment)| (*key, written_in(fragment.node))).collect() }
    }

    /// The first place of each of `names` that stands in a text of the prompt in another style.
    pub(crate) fn in_prompt(
        &self,
        prompt: &PromptFacts<'a>,
        names: &BTreeSet<&'a str>,
    ) -> BTreeMap<&'a str, OtherStyle<'a>> {
        let own: Vec<_> = prompt.prompt.templates().map(written_in).collect();
        let reached = prompt.fragments.iter().filter_map(|key| self.fragments.get(key));
        let mut found = BTreeMap::new();
        for text in own.iter().chain(reached) {
            for name in names {
                if let Some(place) = text.get(name) {
                    found.entry(*name).or_insert(*place);
                }
            }
        }
        found
    }
}

/// The first place of each name that stands in `node` in another style.
fn written_in(node: Node<'_>) -> BTreeMap<&str, OtherStyle<'_>> {
    let text = node.as_str().unwrap_or_default();
    let closed = closed_elements(text);
    let mut found = BTreeMap::new();
    for captures in STYLES.captures_iter(text) {
        let Some((name, span)) = name_and_span(&captures) else { continue };
        let written = &text[span.range()];
        // `<x>` that `</x>` closes is markup around a part of the prompt.
        if !(written.starts_with('<') && closed.contains(name)) {
            found.entry(name).or_insert(OtherStyle { node, span, written });
        }
    }
    found
}

/// The names of the elements that the text closes.
fn closed_elements(text: &str) -> BTreeSet<&str> {
    static CLOSING: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("</([A-Za-z_][A-Za-z0-9_]*)>").expect("a fixed pattern"));
    CLOSING.captures_iter(text).filter_map(|captures| Some(captures.get(1)?.as_str())).collect()
}

fn name_and_span<'t>(captures: &Captures<'t>) -> Option<(&'t str, Span)> {
    let name = captures.iter().skip(1).flatten().next()?;
    let whole = captures.get(0)?;
    Some((name.as_str(), Span::new(whole.start(), whole.end())))
}
