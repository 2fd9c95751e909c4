//! Generation parameters of a prompt. What a model override sets is judged with the override.

use pack::json::Node;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::PromptPair;
use crate::changes::report::{At, Changes};
use crate::changes::value::{by_limit, written};

pub(super) const CHANGED: ChangeRule = ChangeRule {
    id: "parameter-changed",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "a sampling parameter or penalty of a prompt changed",
    why: "The model draws its words by another rule, so answers vary more or less than before; no call fails.",
    fix: "Run the evals with the new value; a patch version is enough unless the answers read differently.",
    mirror: Mirror::Itself,
};

pub(super) const MAX_TOKENS_DECREASED: ChangeRule = ChangeRule {
    id: "parameter-max-tokens-decreased",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "answers of a prompt may have fewer tokens",
    why: "Answers that needed the old limit are cut off in the middle, and structured answers no longer parse.",
    fix: "Check in the traces how long real answers are, and keep `max_tokens` above that.",
    mirror: Mirror::Rule("parameter-max-tokens-increased"),
};

pub(super) const MAX_TOKENS_INCREASED: ChangeRule = ChangeRule {
    id: "parameter-max-tokens-increased",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "answers of a prompt may have more tokens",
    why: "Every answer that was complete stays so, but a single one may take longer and cost more than planned.",
    fix: "Nothing has to be done beyond a patch version; tell operators about the higher cost of an answer.",
    mirror: Mirror::Rule("parameter-max-tokens-decreased"),
};

/// Every parameter besides `max_tokens`.
const SAMPLING: [&str; 5] = ["temperature", "top_p", "top_k", "frequency_penalty", "presence_penalty"];

/// States which parameters of a prompt moved.
pub(super) fn compare<'a>(pair: &PromptPair<'a>, changes: &mut Changes<'a>) {
    let key = pair.key();
    for field in SAMPLING {
        let at = fields(pair, field);
        if written(at.0) != written(at.1) {
            let message = format!("`{field}` of prompt `{key}` {}", moved(at.0, at.1));
            changes.report(&CHANGED, At::either(at.0, at.1), message);
        }
    }
    let (old, new) = fields(pair, "max_tokens");
    if written(old) == written(new) {
        return;
    }
    // Without a limit an answer may be of any length.
    let rule = if by_limit(new, old).is_lt() { &MAX_TOKENS_DECREASED } else { &MAX_TOKENS_INCREASED };
    let message = format!("`max_tokens` of prompt `{key}` {}", moved(old, new));
    changes.report(rule, At::either(old, new), message);
}

/// The parameter on both sides; `null` is no value.
fn fields<'a>(pair: &PromptPair<'a>, field: &str) -> (Option<Node<'a>>, Option<Node<'a>>) {
    let value = |prompt: Node<'a>| {
        prompt.get("parameters").and_then(|parameters| parameters.get(field)).filter(|node| !node.is_null())
    };
    (value(*pair.old.prompt), value(*pair.new.prompt))
}

fn moved(old: Option<Node<'_>>, new: Option<Node<'_>>) -> String {
    match (written(old), written(new)) {
        (Some(old), Some(new)) => format!("is {new} instead of {old}"),
        (None, Some(new)) => format!("is {new}, and was not set"),
        (Some(old), None) => format!("is no longer set, and was {old}"),
        (None, None) => "is not set".to_owned(),
    }
}
