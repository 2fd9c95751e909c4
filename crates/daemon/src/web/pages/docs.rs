//! `/docs`: every operation, out of the table of routes.

use maud::{Markup, html};

use super::layout::{Section, page};
use super::parts::{Host, prose};
use crate::web::answer::Answer;
use crate::web::openapi::about_parameter;
use crate::web::routes::{ROUTES, Route, Shape};

/// Every operation of the API.
pub(crate) async fn docs(Host(host): Host) -> Answer {
    let (api, rest): (Vec<&Route>, Vec<&Route>) = ROUTES
        .iter()
        .filter(|route| route.shape != Shape::Page)
        .partition(|route| route.path.starts_with("/v1/"));
    let content = html! {
        h1 { "API" }
        p.lead {
            "JSON over HTTP. Errors are problem documents (RFC 9457). For programs: "
            a href="/openapi.json" { "openapi.json" } "."
        }
        h2 { "References" }
        p {
            "A pack is asked for by " code { "id@1.2.0" } ", " code { "id@^1" } ", " code { "id@stable" } ", "
            code { "id@sha256:…" } " or " code { "id" } " for its latest release. Ranges and "
            code { "latest" } " never move onto a release that is yanked or flagged."
        }
        pre.shell { "curl -fsS '" (host) "/v1/fetch/support-bot@%5E1' -o support-bot.pack.json" }
        h2 { "Operations" }
        (table(&api))
        h2 { "Around it" }
        (table(&rest))
    };
    Answer::page(page(Section::Api, "API", &content))
}

fn table(routes: &[&Route]) -> Markup {
    html! {
        div.scroll { table.routes {
            thead { tr { th { "Method" } th { "Path" } th { "Answer" } th { "Query" } th { "Scope" } } }
            tbody {
                @for route in routes {
                    tr {
                        td { code { (route.method.as_str()) } }
                        td { code { (route.path.replace("{*", "{")) } }
                        td { (prose(route.summary)) }
                        td {
                            @for name in route.query { code title=(about_parameter(name)) { (name) } " " }
                        }
                        td { (route.scope_name()) }
                    }
                }
            }
        } }
    }
}
