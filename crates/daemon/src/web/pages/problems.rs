//! `/problems/{slug}`: what a kind of problem means; and a problem as a page.

use maud::{Markup, html};
use registry::ProblemCode;

use super::layout::{Section, page};
use super::parts::prose;
use crate::web::answer::Answer;
use crate::web::problem::{Kind, Problem};
use crate::web::target::Names;

/// What a kind of problem means.
pub(crate) async fn one(names: Names) -> Result<Answer, Problem> {
    let slug = names.get("slug");
    if let Some(kind) = Kind::ALL.iter().copied().find(|kind| kind.slug() == slug) {
        return Ok(of_answers(kind));
    }
    let code = ProblemCode::ALL.iter().copied().find(|code| code.as_str() == slug);
    code.map(of_sources)
        .ok_or_else(|| Problem::new(Kind::NotFound, format!("no kind of problem is called `{slug}`")))
}

/// What a source shows that is not published, or published with reservations.
fn of_sources(code: ProblemCode) -> Answer {
    let content = html! {
        p.muted { "Problem of a source" }
        h1 { (capital(code.title())) }
        p.lead { (prose(&format!("{}.", capital(code.help())))) }
        dl.facts {
            dt { "Code" } dd { code { (code.as_str()) } }
            dt { "Level" } dd { (code.level().as_str()) }
        }
        p { a href="/sources" { "The sources and their problems" } }
        h2 { "Other problems of sources" }
        ul.plain {
            @for other in ProblemCode::ALL.iter().filter(|other| **other != code) {
                li { a href={ "/problems/" (other.as_str()) } { (capital(other.title())) } " " span.muted { (other.as_str()) } }
            }
        }
    };
    Answer::page(page(Section::Elsewhere, code.title(), &content))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// What an answer with an error means.
fn of_answers(kind: Kind) -> Answer {
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
    Answer::page(page(Section::Elsewhere, kind.title(), &content))
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
