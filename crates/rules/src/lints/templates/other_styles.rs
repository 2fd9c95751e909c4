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

/// The first place of each variable among `names` that stands in a text of the prompt in another style.
pub(crate) fn other_styles<'a>(
    pack: &Facts<'a>,
    prompt: &PromptFacts<'a>,
    names: &BTreeSet<&'a str>,
) -> BTreeMap<&'a str, OtherStyle<'a>> {
    let mut found = BTreeMap::new();
    let reached = prompt.fragments.iter().filter_map(|key| pack.fragments().get(key));
    for node in prompt.prompt.templates().chain(reached.map(|fragment| fragment.node)) {
        let text = node.as_str().unwrap_or_default();
        for captures in STYLES.captures_iter(text) {
            let Some((name, span)) = name_and_span(&captures) else { continue };
            if let Some(&name) = names.get(name) {
                let written = &text[span.range()];
                if !is_markup(text, written, name) {
                    found.entry(name).or_insert(OtherStyle { node, span, written });
                }
            }
        }
    }
    found
}

fn name_and_span<'t>(captures: &Captures<'t>) -> Option<(&'t str, Span)> {
    let name = captures.iter().skip(1).flatten().next()?;
    let whole = captures.get(0)?;
    Some((name.as_str(), Span::new(whole.start(), whole.end())))
}

/// Whether `<x>` opens an element that `</x>` closes: markup around a part of the prompt.
fn is_markup(text: &str, written: &str, name: &str) -> bool {
    written.starts_with('<') && text.contains(&format!("</{name}>"))
}
