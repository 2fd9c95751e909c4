//! Flags parameters that set both temperature and nucleus sampling.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "combined-sampling",
    group: Group::Style,
    level: Level::Off,
    summary: "parameters that set both `temperature` and `top_p`",
    why: "The guide calls them alternatives: with both set, nobody can tell which one shapes the answers.",
    fix: "Set one of the two.",
    example: r#""parameters": { "temperature": 0.2, "top_p": 0.5 }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let prompts = pack.pack.prompts();
    let overrides = prompts.clone().flat_map(|prompt| prompt.model_overrides()).map(|model| *model);
    for owner in prompts.map(|prompt| *prompt).chain(overrides) {
        let Some(parameters) = owner.get("parameters") else { continue };
        let temperature = parameters.get("temperature").and_then(|node| node.as_f64());
        let Some(top_p) =
            parameters.get("top_p").filter(|node| node.as_f64().is_some_and(|top_p| top_p != 1.0))
        else {
            continue;
        };
        if temperature.is_some() {
            findings.report_key(top_p, "`top_p` stands beside `temperature`").help("set one of the two");
        }
    }
}
