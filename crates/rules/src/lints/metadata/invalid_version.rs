//! Flags versions that are no semantic version.

use pack::model::parse_version;

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "invalid-version",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a version that is no semantic version",
    why: "Releases are ordered and required by their semantic version; what has none cannot be published.",
    fix: "Write three whole numbers, such as `1.2.0`; a leading `v`, a pre-release and build metadata may stand around them.",
    example: r#""version": "1.2""#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let prompts = pack.pack.prompts().filter_map(|prompt| prompt.get("version"));
    for node in pack.pack.get("version").into_iter().chain(prompts) {
        let Some(text) = node.as_str().filter(|text| parse_version(text).is_none()) else { continue };
        let draft = findings.report(node, format!("{} is no semantic version", quoted(text)));
        match repaired(text) {
            Some(near) => draft.suggest_for(node, Some(&near)),
            None => draft.help("write three whole numbers, such as `1.2.0`"),
        };
    }
}

/// The version that a text in a common other form means: `1.2`, `V1.2.3`, `01.2.3`, with blanks around.
fn repaired(text: &str) -> Option<String> {
    let text = text.trim();
    let (mark, rest) = match text.strip_prefix(['v', 'V']) {
        Some(rest) => ("v", rest.trim_start_matches(['.', ' '])),
        None => ("", text),
    };
    let core = rest.split(['-', '+']).next().unwrap_or_default();
    let mut numbers: Vec<u64> = core.split('.').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    if numbers.len() > 3 {
        return None;
    }
    numbers.resize(3, 0);
    let repaired = format!("{mark}{}.{}.{}{}", numbers[0], numbers[1], numbers[2], &rest[core.len()..]);
    parse_version(&repaired).map(|_| repaired)
}

#[cfg(test)]
mod tests {
    use super::repaired;

    #[test]
    fn common_forms_become_versions() {
        for (text, expected) in [
            ("1.2", Some("1.2.0")),
            ("V2", Some("v2.0.0")),
            ("v.01.2.3-rc.1", Some("v1.2.3-rc.1")),
            ("1.2.3.4", None),
            ("latest", None),
        ] {
            assert_eq!(repaired(text).as_deref(), expected, "{text}");
        }
    }
}
