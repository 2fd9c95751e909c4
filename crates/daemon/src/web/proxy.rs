//! Users that a reverse proxy names: its headers count where the connection comes from an address that is trusted, and
//! are nothing but text anywhere else.
//!
//! The proxy has to take both headers out of what its clients send. One that stands there twice is believed by nobody.

use std::net::IpAddr;

use axum::http::HeaderMap;
use registry::settings::{ProxySettings, Scope, is_group};

use super::access::Caller;
use super::problem::{Kind, Problem};

/// What a proxied user may do: what a proxy says is good for looking, and for nothing that the ledger records.
const SCOPES: [Scope; 2] = [Scope::Read, Scope::Check];

/// The user whom the proxy names; none where no proxy that is trusted names one.
///
/// # Errors
/// 401 where a header stands there twice: the second one may be the client's own.
pub(crate) fn user(
    proxy: &ProxySettings,
    peer: Option<IpAddr>,
    headers: &HeaderMap,
) -> Result<Option<Caller>, Problem> {
    if !peer.is_some_and(|peer| proxy.trusts(peer)) {
        return Ok(None);
    }
    let user = single(headers, &proxy.user_header)?.trim();
    let groups = proxy.groups_header.as_deref().map(|name| single(headers, name)).transpose()?;
    if !is_group(user) {
        return Ok(None);
    }
    let groups = groups.unwrap_or_default().split(',').map(str::trim).filter(|group| is_group(group));
    Ok(Some(Caller {
        name: user.to_owned(),
        scopes: SCOPES.into_iter().collect(),
        groups: groups.map(str::to_owned).collect(),
        has_cookie: false,
    }))
}

/// The value of a header; empty where it is missing, or is no text.
fn single<'h>(headers: &'h HeaderMap, name: &str) -> Result<&'h str, Problem> {
    let mut values = headers.get_all(name).iter();
    let first = values.next().and_then(|value| value.to_str().ok()).unwrap_or_default();
    match values.next() {
        None => Ok(first),
        Some(_) => {
            let detail = format!(
                "the header `{name}` came twice, so that the proxy cannot be believed: it has to take it out of what \
                 its clients send"
            );
            Err(Problem::new(Kind::Unauthorized, detail))
        }
    }
}
