//! What happens around every handler: scopes, query names, conditions, counting; and around every answer.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::App;
use super::answer::{Conditions, conclude};
use super::pages;
use super::parameters::Parameters;
use super::problem::{Kind, Problem};
use super::routes::{ROUTES, Route, Scope};

/// Stands in front of the handler of one route, named by its position in the table.
pub(crate) async fn route(State((app, at)): State<(App, usize)>, request: Request, next: Next) -> Response {
    let conditions = Conditions::of(request.method(), request.headers());
    let response = match admit(&app, &ROUTES[at], &request) {
        Ok(()) => conclude(&conditions, next.run(request).await),
        Err(problem) => problem.into_response(),
    };
    app.metrics.count(Some(at), response.status());
    response
}

/// Whether the request may reach the handler.
fn admit(app: &App, route: &Route, request: &Request) -> Result<(), Problem> {
    match route.scope {
        Scope::Open | Scope::Read | Scope::Check => {}
        Scope::Sync if app.settings.follow.url.is_some() => return Err(follower(app)),
        Scope::Sync => {
            let detail = "this needs a token with the scope `sync`, and this registry knows no tokens: \
                          without `[auth]` everybody may read and nobody may write";
            return Err(Problem::new(Kind::Forbidden, detail));
        }
    }
    // Pages ignore what others add to links; programs hear of their typing errors.
    if request.uri().query().is_some() && route.path.starts_with("/v1/") {
        Parameters::of(request.uri())?.check_names(route.query)?;
    }
    Ok(())
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
        response.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept"));
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
