//! `--fix`: applies the safe fixes and writes the files.

use std::path::Path;

use rules::lint::Edit;

use crate::complaint;
use crate::configuration::Conditions;
use crate::files::replace;
use crate::judging::{JudgedFile, judge};
use crate::output::counted;
use crate::packs::PackFile;

/// A fix can make room for another one; after so many rounds the rest is left to the next run.
const ROUNDS: usize = 10;

/// Fixes what can be fixed safely and judges the files again; gives whether all could be written.
pub fn apply(judged: &mut [JudgedFile], conditions: &Conditions) -> bool {
    let (mut fixed, mut files, mut complete) = (0, 0, true);
    for file in judged.iter_mut() {
        let before = file.file.bytes.clone();
        let mut count = 0;
        for _ in 0..ROUNDS {
            let (bytes, applied) = fixed_bytes(file);
            if applied == 0 {
                break;
            }
            count += applied;
            let old = &file.file;
            let next =
                PackFile { shown: old.shown.clone(), path: old.path.clone(), tree: old.tree.clone(), bytes };
            *file = judge(next, file.settings.clone(), conditions);
        }
        if file.file.bytes == before {
            continue;
        }
        match replace(Path::new(&file.file.shown), &file.file.bytes) {
            Ok(()) => (fixed, files) = (fixed + count, files + 1),
            Err(error) => {
                complaint::print(&error);
                complete = false;
            }
        }
    }
    if fixed > 0 {
        super::say(&format!("fixed {} in {}", counted(fixed, "finding"), counted(files, "file")));
    }
    complete
}

/// The bytes after every safe fix that does not overlap an earlier one, and how many these are.
fn fixed_bytes(file: &JudgedFile) -> (Vec<u8>, usize) {
    let findings = file.evaluated.findings.iter().filter(|finding| !finding.acknowledged);
    let fixes = findings.filter_map(|finding| finding.fix.as_ref()).filter(|fix| fix.safe);
    let mut edits: Vec<&Edit> = Vec::new();
    let mut count = 0;
    for fix in fixes {
        let overlaps = |edit: &Edit| {
            edits.iter().any(|known| known.span.start < edit.span.end && edit.span.start < known.span.end)
        };
        if fix.edits.iter().any(overlaps) {
            continue;
        }
        edits.extend(&fix.edits);
        count += 1;
    }
    edits.sort_by_key(|edit| edit.span);
    let mut bytes = Vec::with_capacity(file.file.bytes.len());
    let mut at = 0;
    for edit in edits {
        let span = edit.span.range();
        bytes.extend_from_slice(file.file.bytes.get(at..span.start).unwrap_or_default());
        bytes.extend_from_slice(edit.replacement.as_bytes());
        at = span.end;
    }
    bytes.extend_from_slice(file.file.bytes.get(at..).unwrap_or_default());
    (bytes, count)
}
