//! What is read, what is refused, and where problems stand.

use super::*;

fn check(text: &str, expected: &[&str]) {
    let (_, problems) = Document::parse(text.as_bytes());
    let found: Vec<String> = problems
        .iter()
        .map(|problem| {
            format!("{:?} {}..{} {}", problem.kind, problem.span.start, problem.span.end, problem.pointer)
        })
        .collect();
    assert_eq!(found, expected, "{text}");
}

fn parse(text: &str) -> Document {
    let (document, problems) = Document::parse(text.as_bytes());
    assert_eq!(problems, [], "{text}");
    document.expect("a document without problems")
}

#[test]
fn only_strict_json_is_read() {
    check(r#"{"a": [1, -2.5e+3, true, null, "x"], "b": {}}"#, &[]);
    check("", &["InvalidJson 0..0 "]);
    check("{\"a\": 1,}", &["InvalidJson 7..8 "]);
    check("[1, // no\n2]", &["InvalidJson 4..5 "]);
    check("[01]", &["InvalidJson 1..2 "]);
    check("[NaN]", &["InvalidJson 1..2 "]);
    check("{'a': 1}", &["InvalidJson 1..2 "]);
    check("[1] 2", &["InvalidJson 4..5 "]);
    check("\"a\nb\"", &["InvalidJson 2..3 "]);
    check("[1", &["InvalidJson 2..2 "]);
    check("{\"é\" é}", &["InvalidJson 6..8 "]);
}

#[test]
fn deep_nesting_is_refused_without_recursion_trouble() {
    let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(Document::parse(deep(MAX_DEPTH).as_bytes()).0.is_some());
    let (document, problems) = Document::parse(deep(10_000).as_bytes());
    assert!(document.is_none());
    assert_eq!(problems[0].kind, ProblemKind::InvalidJson);
}

#[test]
fn tolerated_defects_are_problems_at_their_place() {
    check("{\"a\": 1, \"b\": {\"a\": 1, \"\\u0061\": 2}}", &["DuplicateKey 23..31 /b/a"]);
    check("\u{feff}{}", &["ByteOrderMark 0..3 "]);
    check(r#"{"a": "x\ud800y"}"#, &["InvalidEncoding 8..14 /a"]);
    check(r#"{"a": "\ud83d\ude00"}"#, &[]);
    let (document, problems) = Document::parse(b"{\"a\": \"\xff\"}");
    assert!(document.is_none());
    assert_eq!((problems[0].kind, problems[0].span), (ProblemKind::InvalidEncoding, Span::new(7, 8)));
}

#[test]
fn pointers_and_spans_lead_to_the_same_place() {
    let document = parse(r#"{"a/b": [10, {"~": "x\n\u00e9y"}]}"#);
    let node = document.at(&Pointer::parse("/a~1b/1/~0")).expect("the innermost string");
    assert_eq!(node.as_str(), Some("x\néy"));
    assert_eq!(node.pointer().as_str(), "/a~1b/1/~0");
    let letter = node.span_within(Span::new(4, 5));
    assert_eq!(&document.text()[letter.range()], "y");
    assert_eq!(document.innermost(letter), node);
}

#[test]
fn large_objects_are_searched_by_key() {
    let members: Vec<String> = (0..50).map(|n| format!("\"k{}\": {n}", 49 - n)).collect();
    let document = parse(&format!("{{{}}}", members.join(",")));
    assert_eq!(document.root().get("k7").and_then(Node::as_i64), Some(42));
    assert_eq!(document.root().get("k50"), None);
}
