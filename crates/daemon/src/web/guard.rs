//! What happens around every handler: scopes, query names, conditions, counting; and around every answer.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use registry::settings::Scope;

use super::App;
use super::access::{Caller, Grant};
use super::answer::{Conditions, conclude};
use super::pages;
use super::parameters::Parameters;
use super::problem::{Kind, Problem};
use super::routes::{ROUTES, Route};
use super::session::OwnOrigin;

/// Stands in front of the handler of one route, named by its position in the table.
pub(crate) async fn route(
    State((app, at)): State<(App, usize)>,
    mut request: Request,
    next: Next,
) -> Response {
    let conditions = Conditions::of(request.method(), request.headers());
    let mut response = match admit(&app, &ROUTES[at], &request) {
        Ok(grant) => {
            request.extensions_mut().insert(grant);
            conclude(&conditions, next.run(request).await)
        }
        Err(problem) => problem.into_response(),
    };
    if ROUTES[at].scope.is_some() && app.is_restricted() {
        keep_private(response.headers_mut(), &app.asked_by);
    }
    app.metrics.count(Some(at), response.status());
    response
}

/// What the request may do, if it may reach the handler.
fn admit(app: &App, route: &Route, request: &Request) -> Result<Grant, Problem> {
    let auth = app.settings.auth.as_ref();
    let grant = match route.scope {
        None => Grant::default(),
        Some(scope) => {
            let caller = Caller::of(auth, request.headers(), request.extensions())?;
            let reads = matches!(scope, Scope::Read | Scope::Check);
            // Whoever may read here learns who can do more.
            let reader = Grant::decide(auth, Scope::Read, caller.as_ref());
            if !reads && app.settings.follow.url.is_some() && reader.is_ok() {
                return Err(follower(app));
            }
            let grant = Grant::decide(auth, scope, caller.as_ref())?;
            if !reads && caller.is_some_and(|caller| caller.has_cookie) {
                OwnOrigin::of(request.headers())?;
            }
            grant
        }
    };
    // Pages ignore what others add to links; programs hear of their typing errors.
    if request.uri().query().is_some() && route.path.starts_with("/v1/") {
        Parameters::of(request.uri())?.check_names(route.query)?;
    }
    Ok(grant)
}

/// Keeps caches that many share from giving one reader's answer to another.
fn keep_private(headers: &mut HeaderMap, asked_by: &HeaderValue) {
    let cache = headers.get(header::CACHE_CONTROL).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let cache = match cache.strip_prefix("public, ").unwrap_or(cache) {
        "" | "no-store" => None,
        rest => HeaderValue::from_str(&format!("private, {rest}")).ok(),
    };
    if let Some(cache) = cache {
        headers.insert(header::CACHE_CONTROL, cache);
    }
    headers.append(header::VARY, asked_by.clone());
}

/// Says who can change what is asked for.
fn follower(app: &App) -> Problem {
    let writer = app.settings.follow.writer.as_deref();
    let ask = writer.map_or_else(String::new, |writer| format!(": ask {writer}"));
    let detail = format!("this registry follows another one, and changes nothing itself{ask}");
    Problem::new(Kind::ReadOnlyFollower, detail).with("writer", writer.into())
}

/// Answers paths that no route has.
pub(crate) async fn no_route(State(app): State<App>, request: Request) -> Response {
    let path = request.uri().path();
    let response = Problem::new(Kind::NotFound, format!("nothing is served at `{path}`")).into_response();
    app.metrics.count(None, response.status());
    response
}

/// Answers methods that a route does not have; the router adds `Allow`.
pub(crate) async fn no_method(State(app): State<App>, request: Request) -> Response {
    let (method, path) = (request.method(), request.uri().path());
    let detail = format!("`{path}` does not answer {method}");
    let response = Problem::new(Kind::MethodNotAllowed, detail).into_response();
    app.metrics.count(None, response.status());
    response
}

/// Stands around everything: what browsers may do with an answer, and problems as pages.
pub(crate) async fn finish(request: Request, next: Next) -> Response {
    let has_pages = !request.uri().path().starts_with("/v1/");
    let wants_page = accepts_html(request.headers());
    let mut response = next.run(request).await;
    let problem = response.extensions_mut().remove::<Problem>().filter(|_| has_pages);
    if let Some(problem) = problem {
        response.headers_mut().append(header::VARY, HeaderValue::from_static("Accept"));
        if wants_page {
            response = as_page(&problem, response);
        }
    }
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

/// Nothing that stands in a pack can run, load or send anything.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

fn accepts_html(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
}

fn as_page(problem: &Problem, response: Response) -> Response {
    let page = pages::problems::shown(problem).into_string();
    let (mut parts, _) = response.into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    Response::from_parts(parts, page.into())
}
