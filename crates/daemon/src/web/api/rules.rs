//! `/v1/rules`: what the rules say of themselves.

use registry::rule_documents;
use serde_json::json;

use crate::web::answer::Answer;
use crate::web::problem::{Kind, Problem};
use crate::web::target::Names;

/// Every rule.
pub(crate) async fn list() -> Result<Answer, Problem> {
    Answer::json(&json!({"rules": rule_documents::all()}))
}

/// One rule.
pub(crate) async fn one(names: Names) -> Result<Answer, Problem> {
    let id = names.get("id");
    Answer::json(&rule_documents::one(id).ok_or_else(|| not_found(id))?)
}

/// The answer for an id that no rule has.
pub(crate) fn not_found(id: &str) -> Problem {
    Problem::new(Kind::RuleNotFound, format!("no rule is called `{id}`"))
}
