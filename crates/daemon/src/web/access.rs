//! Who asks, and what that allows: the one place where tokens are looked up.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderValue, header};
use pack::Digest;
use registry::settings::{AuthSettings, Scope, Scopes, TokenSettings};
use store::Reader;
use subtle::ConstantTimeEq;

use super::App;
use super::problem::{Kind, Problem};
use super::{proxy, session};
use crate::listen::Peer;

/// Somebody who said who they are.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// The name, as the ledger records it.
    pub name: String,
    /// What they may do.
    pub scopes: Scopes,
    /// The groups that they belong to.
    pub groups: Vec<String>,
    /// Whether it is a browser that says so, with the cookie that it sends whoever made it ask.
    pub has_cookie: bool,
}

impl Caller {
    /// Whoever asks with these headers, over the connection that the extensions tell of; none where they do not say who they are.
    ///
    /// A token that is not known is refused even where nobody needs one: its holder believes to be somebody.
    pub(crate) fn of(
        auth: Option<&AuthSettings>,
        headers: &HeaderMap,
        extensions: &Extensions,
    ) -> Result<Option<Caller>, Problem> {
        let Some(settings) = auth else { return Ok(None) };
        if let Some(token) = bearer(headers) {
            return Caller::holding_token(auth, token).map(Some).ok_or_else(unknown_token);
        }
        // A browser whose token was taken back has been signed out.
        let signed_in = session::token(headers).and_then(|token| Caller::holding_token(auth, token));
        if let Some(caller) = signed_in {
            return Ok(Some(Caller { has_cookie: true, ..caller }));
        }
        let peer = extensions.get::<Peer>().map(|peer| peer.0);
        settings.proxy.as_ref().map_or(Ok(None), |proxy| proxy::user(proxy, peer, headers))
    }

    /// The holder of a token; none where it is not known.
    pub(crate) fn holding_token(auth: Option<&AuthSettings>, token: &str) -> Option<Caller> {
        let TokenSettings { name, scopes, groups, .. } = holder(auth?, token)?.clone();
        Some(Caller { name, scopes, groups, has_cookie: false })
    }
}

/// The headers by which answers differ, as `Vary` names them.
pub(crate) fn asked_by(auth: Option<&AuthSettings>) -> HeaderValue {
    let proxy = auth.and_then(|auth| auth.proxy.as_ref());
    let names: Vec<&str> = proxy.into_iter().flat_map(|proxy| proxy.headers()).collect();
    let names = [&["Authorization", "Cookie"], names.as_slice()].concat().join(", ");
    HeaderValue::from_str(&names).expect("names of headers are header text")
}

/// The token that a request carries.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Whose token it is. Every token is compared, each in constant time, so that an answer's time tells nothing.
fn holder<'a>(auth: &'a AuthSettings, token: &str) -> Option<&'a TokenSettings> {
    let digest = Digest::of(token.as_bytes());
    let mut found = None;
    for known in &auth.tokens {
        if known.digest.bytes().ct_eq(digest.bytes()).into() {
            found = Some(known);
        }
    }
    found
}

/// What a request may do: see what the reader sees, in the name of whoever asks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Grant {
    /// Through whose eyes everything is seen.
    pub reader: Reader,
    /// Who asks, as the ledger records it; nobody where no scope is needed for it.
    pub actor: Option<String>,
}

/// Who changes something.
pub(crate) struct Actor(pub String);

impl FromRequestParts<App> for Actor {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Actor, Problem> {
        // No route that changes something is reached without one; should one be, nothing is changed.
        let actor = Grant::from_request_parts(parts, app).await?.actor;
        actor.map(Actor).ok_or_else(|| no_tokens(Scope::Admin))
    }
}

impl Grant {
    /// What a caller may do where a scope is needed.
    ///
    /// # Errors
    /// 401 where a token would help, 403 where this one does not.
    pub(crate) fn decide(
        auth: Option<&AuthSettings>,
        scope: Scope,
        caller: Option<&Caller>,
    ) -> Result<Grant, Problem> {
        let is_public = matches!(scope, Scope::Read | Scope::Check)
            && auth.is_none_or(|settings| settings.anonymous_read);
        let Some(caller) = caller else {
            return match auth {
                _ if is_public => Ok(Grant::default()),
                Some(_) => Err(no_token(scope)),
                None => Err(no_tokens(scope)),
            };
        };
        // Who may read sees as much in a check as in reading.
        let holds = caller.scopes.allow(scope) || (is_public && caller.scopes.allow(Scope::Read));
        match holds {
            true => Ok(Grant::of(caller)),
            false if is_public => Ok(Grant::default()),
            false => Err(missing_scope(scope, caller)),
        }
    }

    fn of(caller: &Caller) -> Grant {
        Grant { reader: Reader::of_groups(caller.groups.clone()), actor: Some(caller.name.clone()) }
    }
}

impl FromRequestParts<App> for Grant {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Grant, Problem> {
        Ok(parts.extensions.get::<Grant>().cloned().unwrap_or_default())
    }
}

/// Whoever looks at a page that is open to everybody.
pub(crate) struct Visitor(pub Option<Caller>);

impl FromRequestParts<App> for Visitor {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Visitor, Self::Rejection> {
        Ok(Visitor(Caller::of(app.settings.auth.as_ref(), &parts.headers, &parts.extensions).ok().flatten()))
    }
}

fn unknown_token() -> Problem {
    let detail = "this registry does not know the token: it was taken back, or belongs to another registry";
    challenge(Problem::new(Kind::Unauthorized, detail), ", error=\"invalid_token\"")
}

fn no_token(scope: Scope) -> Problem {
    let detail =
        format!("this needs a token with the scope `{scope}`: send it as `Authorization: Bearer TOKEN`");
    challenge(Problem::new(Kind::Unauthorized, detail), "")
}

fn no_tokens(scope: Scope) -> Problem {
    let detail = format!(
        "this needs a token with the scope `{scope}`, and this registry knows no tokens: without `[auth]` \
         everybody may read and nobody may write. `packhouse token new --name NAME --scope {scope}` prints what \
         its operator has to add to registry.toml"
    );
    Problem::new(Kind::Forbidden, detail)
}

fn missing_scope(scope: Scope, caller: &Caller) -> Problem {
    let detail = format!(
        "this needs the scope `{scope}`, and `{}` has {}: use a token that has it, by its `scopes` in registry.toml",
        caller.name, caller.scopes
    );
    let more = format!(", error=\"insufficient_scope\", scope=\"{scope}\"");
    challenge(Problem::new(Kind::Forbidden, detail), &more)
}

/// Says how somebody can say who they are (RFC 6750).
fn challenge(problem: Problem, more: &str) -> Problem {
    let value = HeaderValue::from_str(&format!("Bearer realm=\"packhouse\"{more}"));
    problem.with_header(header::WWW_AUTHENTICATE, value.expect("scopes are header text"))
}
