//! The one table of everything that can be asked for.
//!
//! It builds the router, the OpenAPI document and the list at `/docs`, so that nothing can be added past them.

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{MethodRouter, delete, get, post, put};
use registry::settings::Scope;

use super::App;
use super::api::{
    changes, check, compare, events, fetch, hooks, operations, packs, releases, rules, search, sources,
};
use super::guard;
use super::pages;

/// The methods that are answered; GET answers HEAD too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// Reads.
    Get,
    /// Does something, or takes a body.
    Post,
    /// Sets something.
    Put,
    /// Takes away what was set.
    Delete,
}

impl Method {
    /// The method as HTTP writes it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
            Method::Put => "PUT",
            Method::Delete => "DELETE",
        }
    }
}

/// What an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A JSON document with that schema in the OpenAPI document.
    Json(&'static str),
    /// Bytes as they were published, with that media type.
    Bytes(&'static str),
    /// A text of that media type.
    Text(&'static str),
    /// A page for people.
    Page,
}

/// One thing that can be asked for.
pub(crate) struct Route {
    /// The method.
    pub method: Method,
    /// The path, with names in braces.
    pub path: &'static str,
    /// What a caller must hold; none where the address says nothing of any pack, or the handler asks for more.
    pub scope: Option<Scope>,
    /// Whether the answer is about one pack and so bound to the rights on it.
    pub pack_bound: bool,
    /// The query parameters that it knows.
    pub query: &'static [&'static str],
    /// What it answers, in a few words.
    pub summary: &'static str,
    /// What the answer is.
    pub shape: Shape,
    /// What answers.
    pub handler: fn() -> MethodRouter<App>,
}

impl Route {
    /// The scope as the documents write it.
    pub(crate) fn scope_name(&self) -> &'static str {
        self.scope.map_or("none", Scope::as_str)
    }
}

/// A route of the API that everybody may read.
const fn read(
    path: &'static str,
    query: &'static [&'static str],
    shape: Shape,
    summary: &'static str,
    handler: fn() -> MethodRouter<App>,
) -> Route {
    Route {
        method: Method::Get,
        path,
        scope: Some(Scope::Read),
        pack_bound: false,
        query,
        summary,
        shape,
        handler,
    }
}

/// A route of the API about one pack.
const fn of_pack(
    path: &'static str,
    query: &'static [&'static str],
    shape: Shape,
    summary: &'static str,
    handler: fn() -> MethodRouter<App>,
) -> Route {
    Route { pack_bound: true, ..read(path, query, shape, summary, handler) }
}

/// A route that takes a body or does something.
const fn write(
    scope: Option<Scope>,
    path: &'static str,
    query: &'static [&'static str],
    schema: &'static str,
    summary: &'static str,
    handler: fn() -> MethodRouter<App>,
) -> Route {
    Route { method: Method::Post, scope, ..read(path, query, Shape::Json(schema), summary, handler) }
}

/// A route that changes what is said of a pack, and answers with the pack.
const fn change(
    method: Method,
    scope: Scope,
    path: &'static str,
    summary: &'static str,
    handler: fn() -> MethodRouter<App>,
) -> Route {
    Route { method, pack_bound: true, ..write(Some(scope), path, &[], "Pack", summary, handler) }
}

/// A route that says nothing of any pack.
const fn open(
    path: &'static str,
    shape: Shape,
    summary: &'static str,
    handler: fn() -> MethodRouter<App>,
) -> Route {
    Route { scope: None, ..read(path, &[], shape, summary, handler) }
}

/// A form of a page that says nothing of any pack.
const fn form(path: &'static str, summary: &'static str, handler: fn() -> MethodRouter<App>) -> Route {
    Route { method: Method::Post, ..open(path, Shape::Page, summary, handler) }
}

/// A page.
const fn page(path: &'static str, summary: &'static str, handler: fn() -> MethodRouter<App>) -> Route {
    read(path, &[], Shape::Page, summary, handler)
}

/// A page about one pack.
const fn pack_page(path: &'static str, summary: &'static str, handler: fn() -> MethodRouter<App>) -> Route {
    of_pack(path, &[], Shape::Page, summary, handler)
}

const JSON: Shape = Shape::Bytes("application/json");
const SEARCH: &[&str] = &["q", "tag", "tool", "domain", "language", "source", "limit", "cursor"];

/// Every route.
#[rustfmt::skip]
pub(crate) static ROUTES: &[Route] = &[
    read("/v1/packs", &["limit", "cursor"], Shape::Json("PackList"), "every pack, by id", || get(packs::list)),
    of_pack("/v1/packs/{id}", &[], Shape::Json("Pack"), "a pack and its versions", || get(packs::one)),
    of_pack("/v1/packs/{id}/versions/{version}", &[], Shape::Json("Manifest"), "the manifest of a release", || get(releases::manifest)),
    of_pack("/v1/packs/{id}/versions/{version}/pack.json", &[], JSON, "the exact source bytes", || get(releases::source)),
    of_pack("/v1/packs/{id}/versions/{version}/resolved.json", &[], JSON, "the self-contained form", || get(releases::resolved)),
    of_pack("/v1/packs/{id}/versions/{version}/portable.json", &[], JSON, "the self-contained form with fragments written out", || get(releases::portable)),
    of_pack("/v1/packs/{id}/versions/{version}/bundle.tar.gz", &[], Shape::Bytes("application/gzip"), "the pack and the files that it names, as an archive", || get(releases::bundle)),
    of_pack("/v1/packs/{id}/versions/{version}/skills/{name}/{*file}", &[], Shape::Bytes("application/octet-stream"), "one file of a skill", || get(releases::skill_file)),
    of_pack("/v1/packs/{id}/versions/{version}/files/{*file}", &[], Shape::Bytes("application/octet-stream"), "a schema file that the pack refers to, by its path in the repository", || get(releases::schema_file)),
    of_pack("/v1/packs/{id}/versions/{version}/report", &[], Shape::Json("Report"), "what was said of a release when it was published", || get(releases::report)),
    of_pack("/v1/packs/{id}/compare/{pair}", &[], Shape::Json("Diff"), "the changes between two versions, written `old...new`, by today's rules", || get(compare::compare)),
    of_pack("/v1/packs/{id}/blobs/sha256/{hex}", &[], Shape::Bytes("application/octet-stream"), "bytes of a form or a skill file, by digest", || get(releases::blob)),
    change(Method::Post, Scope::Yank, "/v1/packs/{id}/versions/{version}/yank", "makes ranges and `latest` skip a release", || post(changes::yank)),
    change(Method::Post, Scope::Yank, "/v1/packs/{id}/versions/{version}/unyank", "takes a yank back", || post(changes::unyank)),
    change(Method::Post, Scope::Yank, "/v1/packs/{id}/versions/{version}/deprecate", "tells whoever uses a release to leave it", || post(changes::deprecate)),
    change(Method::Post, Scope::Yank, "/v1/packs/{id}/versions/{version}/undeprecate", "takes a deprecation back", || post(changes::undeprecate)),
    change(Method::Post, Scope::Admin, "/v1/packs/{id}/versions/{version}/remove", "removes the bytes of a release; its number stays taken", || post(changes::remove)),
    change(Method::Put, Scope::Yank, "/v1/packs/{id}/channels/{name}", "makes a channel name a release", || put(changes::set_channel)),
    change(Method::Delete, Scope::Yank, "/v1/packs/{id}/channels/{name}", "deletes a channel", || delete(changes::delete_channel)),
    of_pack("/v1/fetch/{ref}", &["form"], JSON, "the release that a reference means, in one request", || get(fetch::fetch)),
    write(Some(Scope::Read), "/v1/resolve", &[], "Resolved", "what several references mean", || post(fetch::resolve)),
    read("/v1/search", SEARCH, Shape::Json("Hits"), "packs by words and filters", || get(search::search)),
    read("/v1/suggest", &["q"], Shape::Json("Suggestions"), "ids and names that begin with or hold a text", || get(search::suggest)),
    write(Some(Scope::Check), "/v1/check", &["against"], "Check", "what the registry would say of a pack", || post(check::check)),
    read("/v1/sources", &["all"], Shape::Json("SourceList"), "the sources and their problems", || get(sources::list)),
    read("/v1/sources/{name}", &["all"], Shape::Json("Source"), "one source and its problems", || get(sources::one)),
    write(Some(Scope::Sync), "/v1/sources/{name}/sync", &["rejudge"], "Accepted", "asks for a scan of a source", || post(sources::sync)),
    write(None, "/v1/hooks/{source}", &[], "Accepted", "a Git host says that something was pushed; the body is signed with the source's secret", || post(hooks::push)),
    read("/v1/events", &["after", "limit"], Shape::Json("Events"), "what happened, by number", || get(events::list)),
    read("/v1/rules", &[], Shape::Json("RuleList"), "every lint and change rule", || get(rules::list)),
    read("/v1/rules/{id}", &[], Shape::Json("Rule"), "one lint or change rule", || get(rules::one)),
    open("/openapi.json", Shape::Text("application/json"), "this API, for programs", || get(operations::openapi)),
    open("/docs", Shape::Page, "this API, for people", || get(pages::docs::docs)),
    open("/healthz", Shape::Text("text/plain"), "whether the process answers", || get(operations::health)),
    open("/readyz", Shape::Text("text/plain"), "whether the first scans are through", || get(operations::ready)),
    read("/metrics", &[], Shape::Text("text/plain"), "counters in Prometheus' text format", || get(operations::metrics)),
    open("/problems/{slug}", Shape::Page, "what a kind of problem means", || get(pages::problems::one)),
    open("/assets/style.css", Shape::Text("text/css"), "how the pages look", || get(pages::style)),
    open("/login", Shape::Page, "signs a browser in with a token", || get(pages::login::login)),
    form("/login", "keeps the token in a cookie", || post(pages::login::sign_in)),
    form("/logout", "takes the cookie back", || post(pages::login::sign_out)),
    page("/", "search", || get(pages::home::home)),
    pack_page("/packs/{id}", "a pack", || get(pages::pack::overview)),
    pack_page("/packs/{id}/{version}", "a release", || get(pages::release::release)),
    pack_page("/packs/{id}/{version}/report", "what was said of a release", || get(pages::report::report)),
    pack_page("/packs/{id}/compare/{pair}", "a comparison of two versions", || get(pages::compare::compare)),
    page("/sources", "the health of every source", || get(pages::sources::sources)),
    open("/rules", Shape::Page, "every rule", || get(pages::rules::list)),
    open("/rules/{id}", Shape::Page, "one rule", || get(pages::rules::one)),
];

/// Builds the router out of the table.
pub(crate) fn build(app: App) -> Router {
    let mut router = Router::new();
    for (at, route) in ROUTES.iter().enumerate() {
        let guarded = (route.handler)().route_layer(from_fn_with_state((app.clone(), at), guard::route));
        router = router.route(route.path, guarded);
    }
    router
        .fallback(guard::no_route)
        .method_not_allowed_fallback(guard::no_method)
        .layer(from_fn(guard::finish))
        .with_state(app)
}
