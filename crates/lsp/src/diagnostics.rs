//! Turns findings into the editor's diagnostics, with columns in UTF-16 units.

use std::path::Path;

use lsp_types::{Diagnostic, DiagnosticSeverity, NumberOrString, Position, Range};
use registry::settings::{FILE_NAME, Policy, find_settings};
use registry::{Input, Settings, evaluate};
use rules::{Finding, Level};

use crate::overlay::Overlay;

/// The name under which editors show where a diagnostic comes from.
const SOURCE: &str = "packhouse";

/// What the linter says of a pack; none where the file is no pack.
pub(crate) fn diagnostics(
    file: &Path,
    text: &str,
    overlay: &Overlay<'_>,
    today: jiff::civil::Date,
) -> Option<Vec<Diagnostic>> {
    let path = overlay.relative(file);
    if !is_pack(&path, text) {
        return None;
    }
    let found = match find_settings(overlay, &path) {
        Ok(found) => found,
        Err((file, error)) => {
            let message = format!("{file}: {error}");
            return Some(vec![diagnostic(Range::default(), DiagnosticSeverity::ERROR, FILE_NAME, message)]);
        }
    };
    let policy = Policy { no_allow: Vec::new(), ..Policy::default() };
    let settings =
        Settings { repository: &found.settings, base: &found.base, policy: &policy, today, spec: None };
    let input = Input { bytes: text.as_bytes(), path: &path, tree: Some(overlay) };
    let evaluated = evaluate(input, None, settings);
    let open = evaluated.findings.iter().filter(|finding| !finding.acknowledged);
    Some(open.map(|finding| of_finding(finding, text)).collect())
}

fn is_pack(path: &str, text: &str) -> bool {
    use registry::discover::{is_named_as_pack, looks_like_pack, was_meant_as_pack};
    if is_named_as_pack(path) {
        return true;
    }
    match pack::Document::parse(text.as_bytes()).0 {
        Some(document) => looks_like_pack(&document),
        None => was_meant_as_pack(text.as_bytes()),
    }
}

fn of_finding(finding: &Finding, text: &str) -> Diagnostic {
    let range = Range::new(position(text, finding.span.start), position(text, finding.span.end));
    let severity = match finding.level {
        Level::Error => DiagnosticSeverity::ERROR,
        Level::Warn => DiagnosticSeverity::WARNING,
        Level::Info | Level::Off => DiagnosticSeverity::INFORMATION,
    };
    let message = match &finding.help {
        Some(help) => format!("{}\nhelp: {help}", finding.message),
        None => finding.message.clone(),
    };
    diagnostic(range, severity, &finding.rule, message)
}

fn diagnostic(range: Range, severity: DiagnosticSeverity, code: &str, message: String) -> Diagnostic {
    Diagnostic {
        range,
        severity: Some(severity),
        code: Some(NumberOrString::String(code.to_owned())),
        source: Some(SOURCE.to_owned()),
        message,
        ..Diagnostic::default()
    }
}

/// The position of a byte: lines from 0, columns in UTF-16 units from 0.
fn position(text: &str, offset: u32) -> Position {
    let before = text.get(..offset as usize).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count();
    let column = before[start..].encode_utf16().count();
    Position::new(u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}
