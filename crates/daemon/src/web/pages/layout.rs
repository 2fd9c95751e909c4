//! What every page has: head, navigation, foot.

use maud::{DOCTYPE, Markup, html};

/// Where in the site a page belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    /// Packs and search.
    Packs,
    /// Sources.
    Sources,
    /// Rules.
    Rules,
    /// The API's documentation.
    Api,
    /// None of them.
    Elsewhere,
}

/// A small box with a lid, so that the tab of the browser is recognized.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E\
    %3Cpath fill='%232f6f5e' d='M1 3h14v4H1zM2 8h12v6H2z'/%3E%3Cpath fill='%23fff' d='M6 9h4v1.5H6z'/%3E%3C/svg%3E";

const LINKS: [(Section, &str, &str); 4] = [
    (Section::Packs, "/", "Packs"),
    (Section::Sources, "/sources", "Sources"),
    (Section::Rules, "/rules", "Rules"),
    (Section::Api, "/docs", "API"),
];

/// A whole page.
pub(crate) fn page(section: Section, title: &str, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · packhouse" }
                link rel="stylesheet" href="/assets/style.css";
                link rel="icon" href=(ICON);
            }
            body {
                header.top {
                    div.inner {
                        a.brand href="/" { "packhouse" }
                        nav {
                            @for (at, address, name) in LINKS {
                                a href=(address) aria-current=[(at == section).then_some("page")] { (name) }
                            }
                        }
                        @if section != Section::Packs || title != "Packs" {
                            form.find action="/" role="search" {
                                input type="search" name="q" placeholder="Find a pack" aria-label="Find a pack";
                            }
                        }
                    }
                }
                main { (content) }
                footer { div.inner { "packhouse " (env!("CARGO_PKG_VERSION")) " · " a href="/openapi.json" { "OpenAPI" } " · " a href="/login" { "sign in" } " · times are UTC" } }
            }
        }
    }
}
