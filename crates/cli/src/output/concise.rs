//! One line per finding or change: `path:line:col: level[rule] message`, and behind a message its proof.

use super::{Run, printable};

/// Renders what counts, and first why a run is incomplete; acknowledged findings are left out.
pub fn render(run: &Run) -> String {
    let mut text = run.incomplete().map(|why| format!("error: {}\n", printable(&why))).unwrap_or_default();
    for item in run.counting() {
        let proof = item.change.as_ref().and_then(|change| change.proof());
        let proof = proof.map(|proof| format!(" (proof: {})", printable(&proof))).unwrap_or_default();
        text.push_str(&format!("{}{proof}\n", item.line()));
    }
    text
}
