//! One line per finding or change: `path:line:col: level[rule] message`.

use super::Run;

/// Renders what counts; acknowledged findings are left out.
pub fn render(run: &Run) -> String {
    let mut text = String::new();
    for item in run.counting() {
        let spot = &item.spot;
        text.push_str(&format!(
            "{}:{}:{}: {}[{}] {}\n",
            spot.path, spot.start.line, spot.start.column, item.level, item.rule, item.message
        ));
    }
    text
}
