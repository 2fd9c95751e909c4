//! Where packs hold regular expressions.

use pack::Node;

use crate::facts::Facts;

/// The strings that runtimes compile as patterns: of variables, of tool parameters and of regex checks.
pub(in crate::lints) fn patterns<'a>(pack: &Facts<'a>) -> Vec<Node<'a>> {
    let prompts = pack.pack.prompts();
    let variables = prompts.clone().flat_map(|prompt| prompt.variables());
    let variables = variables.filter_map(|variable| variable.get("validation")?.get("pattern"));
    let tools = pack.pack.tools().flat_map(|tool| tool.schemas()).filter_map(|schema| schema.get("pattern"));
    let validators = prompts.clone().flat_map(|prompt| prompt.validators()).map(|validator| *validator);
    let evals = prompts.flat_map(|prompt| prompt.evals()).chain(pack.pack.evals()).map(|eval| *eval);
    let checks = validators.chain(evals).filter(|check| is_regex_check(*check));
    let checks = checks.filter_map(|check| check.get("params")?.get("pattern"));
    variables.chain(tools).chain(checks).filter(|node| node.as_str().is_some()).collect()
}

fn is_regex_check(check: Node<'_>) -> bool {
    matches!(check.text("type"), Some("regex" | "regex_match"))
}
