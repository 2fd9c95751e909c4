//! How messages quote and list names.

use pack::Node;

/// The longest quotation, in characters; a longer text is cut.
const MAX_QUOTED: usize = 60;

/// The most names that a list spells out.
const MAX_LISTED: usize = 6;

/// `text` in backticks, cut where it is long; line breaks become blanks.
pub(crate) fn quoted(text: &str) -> String {
    let short: String = text.chars().take(MAX_QUOTED).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let rest = if short.len() < text.len() { "…" } else { "" };
    format!("`{short}{rest}`")
}

/// An item of a list with the list that it stands in: item 1 of `tools`; of a list in a list, item 0 of item 1 of `tools`.
pub(crate) fn item(node: Node<'_>) -> String {
    let own = format!("item {}", node.position());
    match node.parent() {
        Some(list) if list.key().is_some() => format!("{own} of {}", quoted(list.key().unwrap_or_default())),
        Some(list) if list.parent().is_some() => format!("{own} of {}", item(list)),
        _ => own,
    }
}

/// The names in backticks: `a`, `b` and `c`; a long list ends with the number of names left out.
pub(crate) fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let mut shown: Vec<String> = names.iter().take(MAX_LISTED).map(|name| quoted(name)).collect();
    match names.len() {
        count if count > MAX_LISTED => format!("{} and {} more", shown.join(", "), count - MAX_LISTED),
        _ => match shown.pop() {
            Some(last) if shown.is_empty() => last,
            Some(last) => format!("{} and {last}", shown.join(", ")),
            None => String::new(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{listed, quoted};

    #[test]
    fn lists_read_like_sentences() {
        assert_eq!(listed(["a"]), "`a`");
        assert_eq!(listed(["a", "b", "c"]), "`a`, `b` and `c`");
        assert_eq!(listed(["a"; 9]), "`a`, `a`, `a`, `a`, `a`, `a` and 3 more");
        assert_eq!(quoted(&"x".repeat(99)).chars().count(), 63);
    }
}
