//! `/packs/{id}/compare/{old}...{new}`: what changed between two versions, by today's rules.

use axum::extract::State;
use maud::html;

use super::changes;
use super::layout::{Section, page};
use super::parts::trail;
use crate::web::App;
use crate::web::answer::Answer;
use crate::web::api::compare::{compared, sides};
use crate::web::problem::Problem;
use crate::web::target::{Names, OnePack};

/// A comparison.
pub(crate) async fn compare(
    State(app): State<App>,
    names: Names,
    OnePack { view, pack }: OnePack,
) -> Result<Answer, Problem> {
    let (old, new) = sides(&view, &pack.id, names.get("pair"))?;
    let diff = compared(&app, &view, old.clone(), new.clone()).await?;
    let id = &pack.id;
    let content = html! {
        (trail(&[("Packs", "/".to_owned()), (id, format!("/packs/{id}"))]))
        h1 {
            code.id { (id) } " "
            a.version href={ "/packs/" (id) "/" (old.version) } { (old.version) } " → "
            a.version href={ "/packs/" (id) "/" (new.version) } { (new.version) }
        }
        (changes::shown(&diff))
        p.muted {
            "Compared by the rules of today and what the pack's source says now. What was said when " (new.version) " was published stands in its "
            a href={ "/packs/" (id) "/" (new.version) "/report" } { "report" } "."
        }
    };
    Ok(Answer::page(page(Section::Packs, &format!("{id} {}...{}", old.version, new.version), &content)))
}
