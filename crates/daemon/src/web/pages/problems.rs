//! `/problems/{slug}`: what a kind of problem means; and a problem as a page.

use maud::{Markup, html};

use super::layout::{Section, page};
use super::parts::prose;
use crate::web::answer::Answer;
use crate::web::problem::{Kind, Problem};
use crate::web::target::Names;

/// What a kind of problem means.
pub(crate) async fn one(names: Names) -> Result<Answer, Problem> {
    let slug = names.get("slug");
    let kind = Kind::ALL.iter().copied().find(|kind| kind.slug() == slug);
    let kind =
        kind.ok_or_else(|| Problem::new(Kind::NotFound, format!("no kind of problem is called `{slug}`")))?;
    let content = html! {
        h1 { (kind.title()) }
        p.lead { (prose(kind.about())) }
        dl.facts {
            dt { "Type" } dd { code { "/problems/" (kind.slug()) } }
            dt { "Status" } dd { (kind.status()) }
        }
        h2 { "Other kinds" }
        ul.plain {
            @for other in Kind::ALL.iter().filter(|other| **other != kind) {
                li { a href={ "/problems/" (other.slug()) } { (other.title()) } " " span.muted { (other.status().as_u16()) } }
            }
        }
    };
    Ok(Answer::page(page(Section::Elsewhere, kind.title(), &content)))
}

/// A problem for those who asked for a page.
pub(crate) fn shown(problem: &Problem) -> Markup {
    let kind = problem.kind();
    let content = html! {
        p.status { (kind.status().as_u16()) }
        h1 { (kind.title()) }
        p.lead { (prose(problem.detail())) }
        p { (prose(kind.about())) }
        @if kind == Kind::Unauthorized { p { a href="/login" { "Sign in with a token" } } }
        p { a href="/" { "All packs" } " · " a href={ "/problems/" (kind.slug()) } { "About this problem" } }
    };
    page(Section::Elsewhere, kind.title(), &content)
}
