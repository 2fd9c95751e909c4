//! JUnit XML: a suite per file, a failed case per finding that fails the run.

use std::collections::BTreeMap;

use super::{Item, NOT_EVERYTHING, Run, printable};

/// Renders what counts. A finding below the fail level is a case that passed, with its words as output; a file
/// without findings is one case that passed.
pub fn render(run: &Run) -> String {
    let mut suites: BTreeMap<&str, Vec<&Item>> = BTreeMap::new();
    suites.extend(run.files.iter().map(|path| (path.as_str(), Vec::new())));
    for item in run.counting() {
        suites.entry(item.spot.path.as_str()).or_default().push(item);
    }
    let (mut body, mut tests, mut failures) = (String::new(), 0, 0);
    let errors = usize::from(run.is_incomplete());
    if errors > 0 {
        tests += 1;
        body.push_str(&incomplete(run));
    }
    for (path, items) in &suites {
        let failed = items.iter().filter(|item| item.level >= run.fail_on).count();
        let count = items.len().max(1);
        (tests, failures) = (tests + count, failures + failed);
        let name = attribute(&printable(path));
        body.push_str(&format!(
            "  <testsuite name=\"{name}\" tests=\"{count}\" failures=\"{failed}\" errors=\"0\">\n"
        ));
        for item in items {
            body.push_str(&case(item, path, item.level >= run.fail_on));
        }
        if items.is_empty() {
            body.push_str(&format!("    <testcase name=\"packhouse\" classname=\"{name}\"/>\n"));
        }
        body.push_str("  </testsuite>\n");
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"packhouse\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">\n{body}</testsuites>\n"
    )
}

/// The suite that says why a run without failures is not green.
fn incomplete(run: &Run) -> String {
    let message = attribute(NOT_EVERYTHING);
    let notes = element(&printable(&run.notes().join("\n")));
    format!(
        "  <testsuite name=\"packhouse\" tests=\"1\" failures=\"0\" errors=\"1\">\n\
         \x20   <testcase name=\"packhouse\" classname=\"packhouse\">\n\
         \x20     <error message=\"{message}\" type=\"incomplete\">{notes}</error>\n\
         \x20   </testcase>\n  </testsuite>\n"
    )
}

fn case(item: &Item, path: &str, fails: bool) -> String {
    let spot = &item.spot;
    let name = attribute(&format!("{} at {}:{}", item.rule, spot.start.line, spot.start.column));
    let remark = item.remarks();
    let text = element(&format!("{}{remark}", item.line()));
    let inner = if fails {
        let (message, rule) = (attribute(&printable(&item.told())), attribute(&item.rule));
        format!("<failure message=\"{message}\" type=\"{rule}\">{text}</failure>")
    } else {
        format!("<system-out>{text}</system-out>")
    };
    format!(
        "    <testcase name=\"{name}\" classname=\"{}\">\n      {inner}\n    </testcase>\n",
        attribute(&printable(path))
    )
}

/// Text between tags; characters that XML does not know are replaced.
fn element(text: &str) -> String {
    let known = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    let text: String = text.chars().map(|c| if known(c) { c } else { '\u{fffd}' }).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn attribute(text: &str) -> String {
    element(text).replace('"', "&quot;").replace('\n', "&#10;").replace('\t', "&#9;").replace('\r', "&#13;")
}
