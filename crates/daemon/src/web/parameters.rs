//! Query strings.

use axum::extract::{FromRequestParts, Query};
use axum::http::Uri;
use axum::http::request::Parts;

use super::App;
use super::problem::{Kind, Problem};

/// The pairs of a query string, decoded, in order. An empty value counts as none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Reads the query string of an address.
    pub(crate) fn of(uri: &Uri) -> Result<Parameters, Problem> {
        let pairs = Query::<Vec<(String, String)>>::try_from_uri(uri);
        let pairs = pairs.map_err(|error| Problem::new(Kind::MalformedParameter, error.body_text()))?;
        Ok(Parameters(pairs.0))
    }

    /// Refuses names that the path does not know.
    pub(crate) fn check_names(&self, known: &[&str]) -> Result<(), Problem> {
        let Some((unknown, _)) = self.0.iter().find(|(name, _)| !known.contains(&name.as_str())) else {
            return Ok(());
        };
        let known = match known {
            [] => "this path takes none".to_owned(),
            known => format!("this path takes `{}`", known.join("`, `")),
        };
        Err(Problem::new(Kind::UnknownParameter, format!("there is no parameter `{unknown}`: {known}")))
    }

    /// The value of a name that stands once.
    pub(crate) fn text<'p>(&'p self, name: &'p str) -> Option<&'p str> {
        self.all(name).next()
    }

    /// Every value of a name.
    pub(crate) fn all<'p>(&'p self, name: &'p str) -> impl Iterator<Item = &'p str> {
        let values = self.0.iter().filter(move |(found, value)| found == name && !value.is_empty());
        values.map(|(_, value)| value.as_str())
    }

    /// A whole number; `default` where there is none.
    pub(crate) fn number(&self, name: &str, default: u64) -> Result<u64, Problem> {
        let Some(text) = self.text(name) else { return Ok(default) };
        text.parse().map_err(|_| Problem::malformed(name, text, "a whole number stands here"))
    }

    /// How many entries are wanted: at least one, at most `most`.
    pub(crate) fn limit(&self, default: u64, most: u64) -> Result<usize, Problem> {
        let limit = self.number("limit", default)?;
        if limit == 0 {
            return Err(Problem::malformed("limit", "0", "a number from 1 stands here"));
        }
        Ok(usize::try_from(limit.min(most)).unwrap_or(usize::MAX))
    }

    /// A switch: `true` or `false`.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Problem> {
        match self.text(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(other) => Err(Problem::malformed(name, other, "`true` or `false` stands here")),
        }
    }
}

impl FromRequestParts<App> for Parameters {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Parameters, Problem> {
        Parameters::of(&parts.uri)
    }
}
