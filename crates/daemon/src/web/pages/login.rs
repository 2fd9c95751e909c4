//! `/login`: a browser signs in with a token, and out again.

use axum::body::Body;
use axum::extract::{Form, FromRequest, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use serde::Deserialize;

use super::layout::{Section, page};
use super::parts::prose;
use crate::web::App;
use crate::web::access::{Caller, Visitor};
use crate::web::answer::{Answer, Caching};
use crate::web::body::raw_bytes;
use crate::web::problem::{Kind, Problem};
use crate::web::session::OwnOrigin;

/// The most bytes of the form.
const MOST_BYTES: u64 = 16 << 10;

#[derive(Deserialize)]
struct Fields {
    token: String,
}

/// The page that asks for a token, or says whose it has.
pub(crate) async fn login(State(app): State<App>, Visitor(caller): Visitor) -> Answer {
    let content = match (&caller, &app.settings.auth) {
        (Some(caller), _) => who(caller),
        (None, Some(_)) => form(None),
        (None, None) => html! {
            p.lead { "This registry knows no tokens: everybody may read, and nobody may change anything here." }
        },
    };
    shown(&content)
}

/// Signs in: keeps the token in a cookie that no script reads and no other site sends.
pub(crate) async fn sign_in(State(app): State<App>, request: Request) -> Result<Response, Problem> {
    let origin = OwnOrigin::of(request.headers())?;
    let (parts, body) = request.into_parts();
    let bytes = raw_bytes(Request::from_parts(parts.clone(), body), MOST_BYTES).await?;
    let read = Form::<Fields>::from_request(Request::from_parts(parts, Body::from(bytes)), &()).await;
    let Form(fields) = read.map_err(|error| Problem::new(Kind::MalformedBody, error.body_text()))?;
    let token = fields.token.trim();
    let known = Caller::holding_token(app.settings.auth.as_ref(), token).and_then(|_| origin.sign_in(token));
    let Some(cookie) = known else {
        let why = "This registry does not know the token: it was taken back, or belongs to another registry.";
        return Ok((StatusCode::UNAUTHORIZED, shown(&form(Some(why)))).into_response());
    };
    Ok(to("/", cookie))
}

/// Signs out.
pub(crate) async fn sign_out(request: Request) -> Result<Response, Problem> {
    Ok(to("/login", OwnOrigin::of(request.headers())?.sign_out()))
}

/// Leads on, with a cookie.
fn to(address: &'static str, cookie: HeaderValue) -> Response {
    let headers: [(HeaderName, HeaderValue); 3] = [
        (header::LOCATION, HeaderValue::from_static(address)),
        (header::SET_COOKIE, cookie),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (StatusCode::SEE_OTHER, headers).into_response()
}

fn shown(content: &Markup) -> Answer {
    let content = html! { h1 { "Sign in" } (content) };
    Answer::page(page(Section::Elsewhere, "Sign in", &content)).caching(Caching::Never)
}

fn form(wrong: Option<&str>) -> Markup {
    html! {
        @if let Some(wrong) = wrong { p.alarm role="alert" { (wrong) } }
        p.lead { "A token of this registry shows what its groups may see. It stays in this browser until you sign out or close it." }
        form.search method="post" action="/login" {
            input type="password" name="token" placeholder="Token" aria-label="Token" autocomplete="current-password" required;
            button { "Sign in" }
        }
        p.muted { (prose("Whoever runs the registry makes tokens with `packhouse token new`.")) }
    }
}

fn who(caller: &Caller) -> Markup {
    html! {
        p.lead { "You are " strong { (caller.name) } "." }
        dl.facts {
            dt { "Scopes" } dd { (caller.scopes) }
            dt { "Groups" } dd { @if caller.groups.is_empty() { "none" } @else { (caller.groups.join(", ")) } }
        }
        @if caller.has_cookie {
            form method="post" action="/logout" { button { "Sign out" } }
        }
    }
}
