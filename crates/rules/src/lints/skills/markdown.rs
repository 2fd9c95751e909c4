//! Finds what a Markdown text links to: inline links, images and link definitions outside of code.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

/// `](target "title")`, the target perhaps in angle brackets.
static INLINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"\]\(\s*(?:<([^<>\n]*)>|([^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)*))(?:\s+(?:"[^"\n]*"|'[^'\n]*'))?\s*\)"#)
        .expect("a valid pattern")
});

/// `[label]: target`
static DEFINITION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^ {0,3}\[[^\]\n^][^\]\n]*\]:[ \t]*(?:<([^<>\n]*)>|(\S+))").expect("a valid pattern")
});

static BACKTICKS: LazyLock<Regex> = LazyLock::new(|| Regex::new("`+").expect("a valid pattern"));

/// An URL scheme.
static SCHEME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[A-Za-z][A-Za-z0-9+.-]*:").expect("a valid pattern"));

/// The relative files that a text links to, without anchors and queries, in order.
pub(super) fn link_targets(text: &str) -> Vec<String> {
    let prose = without_spans(&without_code_blocks(text));
    let matches = INLINE.captures_iter(&prose).chain(DEFINITION.captures_iter(&prose));
    matches
        .filter_map(|captures| captures.get(1).or(captures.get(2)))
        .filter_map(|target| relative_file(target.as_str()))
        .collect()
}

/// The text without fenced and indented code.
fn without_code_blocks(text: &str) -> String {
    let mut prose = String::with_capacity(text.len());
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let inner = line.trim_start();
        let marks = inner.len() - inner.trim_start_matches(['`', '~']).len();
        match fence {
            Some(open) if inner.starts_with(open) && inner.trim_end().len() == marks => fence = None,
            Some(_) => {}
            None if inner.starts_with("```") || inner.starts_with("~~~") => fence = Some(&inner[..marks]),
            None if line.starts_with("    ") || line.starts_with('\t') => {}
            None => {
                prose.push_str(line);
                prose.push('\n');
            }
        }
    }
    prose
}

/// The text without code spans and comments, in one pass.
fn without_spans(text: &str) -> String {
    let mut runs: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for run in BACKTICKS.find_iter(text) {
        runs.entry(run.len()).or_default().push(run.start());
    }
    let mut prose = String::with_capacity(text.len());
    let mut at = 0;
    let mut has_comments = true;
    while let Some(start) = text[at..].find(['`', '<']).map(|offset| at + offset) {
        prose.push_str(&text[at..start]);
        let rest = &text[start..];
        let marks = rest.len() - rest.trim_start_matches('`').len();
        let end = if marks > 0 {
            let starts = runs.get(&marks).map_or(&[][..], Vec::as_slice);
            starts.get(starts.partition_point(|run| *run <= start)).map(|close| close + marks)
        } else if has_comments && rest.starts_with("<!--") {
            let end = rest.find("-->").map(|end| start + end + 3);
            has_comments = end.is_some();
            end
        } else {
            None
        };
        let kept = end.map_or(start + marks.max(1), |_| start);
        prose.push_str(&text[start..kept]);
        at = end.unwrap_or(kept);
    }
    prose.push_str(&text[at..]);
    prose
}

/// The path of a link to a relative file; none for URLs, anchors, absolute paths and what a template fills in.
fn relative_file(target: &str) -> Option<String> {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let skipped =
        path.is_empty() || path.starts_with('/') || path.contains(['{', '$', '<']) || SCHEME.is_match(path);
    (!skipped).then(|| percent_decoded(&path.replace('\\', "")))
}

fn percent_decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let digits =
            tail.get(..2).filter(|_| first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::link_targets;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(link_targets(text), expected, "{text}");
    }

    #[test]
    fn links_to_files_are_found_outside_of_code() {
        check("See [a](refs/a.md#top) and ![b](<b c.png>).", &["refs/a.md", "b c.png"]);
        check("[a](a%20b.md \"Title\") [b](x_(1).md)", &["a b.md", "x_(1).md"]);
        check("[web](https://example.com/x) [top](#top) [mail](mailto:a@example.com) [root](/x)", &[]);
        check("[ref]: table.md\n[^1]: note", &["table.md"]);
        check(
            "`[a](a.md)`\n```\n[b](b.md)\n```\n\n    [c](c.md)\n~~~~\n~~~\n[d](d.md)\n~~~~\n[e](e.md)",
            &["e.md"],
        );
        check("``[a](a.md) ` `` <b> `[c](c.md) ``", &["c.md"]);
        check("[a]({{path}}) <!-- [b](b.md) -->", &[]);
    }
}
