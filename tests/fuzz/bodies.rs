//! What the fuzz targets do with their input; the tests of the room `rules` do the same with seeded input.

use pack::Document;
use pack::schema;
use pack::spec::Declared;
use rules::lint::{Fix, apply};
use rules::{DiffOptions, Level, LintOptions, Subject, Version, diff, lint as run};

/// Lints any bytes: no panic, findings inside the text, a verdict, and safe repairs that keep a document readable.
pub fn lint(bytes: &[u8]) {
    let level = |lint: &rules::Lint| lint.level.max(Level::Info);
    let options = LintOptions { level: &level, ..LintOptions::default() };
    let linted = run(Subject { bytes, path: "a.pack.json", tree: None }, options);
    for finding in &linted.findings {
        assert!(
            finding.span.start <= finding.span.end && finding.span.end as usize <= bytes.len(),
            "{finding:?}"
        );
        assert!(
            (finding.start.line, finding.start.column) <= (finding.end.line, finding.end.column),
            "{finding:?}"
        );
        assert_eq!(finding.fingerprint.len(), 16, "{finding:?}");
    }
    let again = run(Subject { bytes, path: "a.pack.json", tree: None }, options);
    assert_eq!(linted.findings, again.findings, "equal bytes give equal findings");
    let (Some(document), Ok(text)) = (&linted.document, std::str::from_utf8(bytes)) else { return };
    let fixes: Vec<Fix> =
        linted.findings.iter().filter_map(|finding| finding.fix.clone()).filter(|fix| fix.safe).collect();
    let repaired = apply(text, &fixes);
    let repaired = Document::parse(repaired.as_bytes()).0.expect("a repaired document is a document");
    let version = Declared::by_url(document.root().text("$schema")).version;
    if schema::check(document, version).is_empty() {
        assert_eq!(schema::check(&repaired, version), [], "a repair keeps a pack valid");
    }
}

/// Compares two documents, the input split at its first zero byte: no panic, and nothing differs from itself.
pub fn diff_both_ways(bytes: &[u8]) {
    let at = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len() / 2);
    let (old, new) = (&bytes[..at], bytes.get(at + 1..).unwrap_or_default());
    let (Some(old), Some(new)) = (Document::parse(old).0, Document::parse(new).0) else { return };
    let side = |document| Version { document, path: "a.pack.json", tree: None };
    let there = diff(side(&old), side(&new), DiffOptions::default());
    diff(side(&new), side(&old), DiffOptions::default());
    let again = diff(side(&old), side(&new), DiffOptions::default());
    assert_eq!(there.changes, again.changes, "equal pairs give equal changes");
    for document in [&old, &new] {
        assert_eq!(diff(side(document), side(document), DiffOptions::default()).changes, []);
    }
}
