//! Browsers that signed in: the cookie that holds their token, and whether they ask on behalf of this registry's own
//! pages.
//!
//! A browser sends its cookie along whoever made it ask. Whatever changes something therefore has to come from a page
//! of this host, which browsers say in `Origin`.

use axum::http::{HeaderMap, HeaderValue, header};

use super::problem::{Kind, Problem};

/// The name of the cookie.
const NAME: &str = "packhouse_token";

/// The token in the cookie of a request.
pub(crate) fn token(headers: &HeaderMap) -> Option<&str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(name, _)| *name == NAME).map(|(_, value)| value).find(|value| !value.is_empty())
}

/// The page of this host that made the browser ask.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnOrigin {
    is_secure: bool,
}

impl OwnOrigin {
    /// Says whether a request was made by a page of this host.
    ///
    /// # Errors
    /// 403 where another site made it, or nobody says who did.
    pub(crate) fn of(headers: &HeaderMap) -> Result<OwnOrigin, Problem> {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let origin = text(header::ORIGIN).and_then(|origin| origin.split_once("://"));
        match (origin, text(header::HOST)) {
            (Some((scheme, place)), Some(host)) if place.eq_ignore_ascii_case(host) => {
                Ok(OwnOrigin { is_secure: scheme == "https" })
            }
            _ => {
                let detail = "the header `Origin` does not name this host: ask from a page of this registry, or send \
                              the token as `Authorization: Bearer TOKEN`";
                Err(Problem::new(Kind::ForeignOrigin, detail))
            }
        }
    }

    /// The cookie of somebody who signs in; none for a token that no cookie can hold.
    pub(crate) fn sign_in(self, token: &str) -> Option<HeaderValue> {
        let fits = |byte: u8| byte.is_ascii_graphic() && !b"\",;\\".contains(&byte);
        if !token.bytes().all(fits) {
            return None;
        }
        let mut cookie = HeaderValue::from_str(&self.cookie(token, "")).ok()?;
        cookie.set_sensitive(true);
        Some(cookie)
    }

    /// The cookie that takes back the other one.
    pub(crate) fn sign_out(self) -> HeaderValue {
        HeaderValue::from_str(&self.cookie("", "; Max-Age=0")).expect("it holds header text alone")
    }

    fn cookie(self, value: &str, more: &str) -> String {
        let secure = if self.is_secure { "; Secure" } else { "" };
        format!("{NAME}={value}; Path=/; HttpOnly; SameSite=Lax{secure}{more}")
    }
}
