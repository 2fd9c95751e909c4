//! `[[webhook]]`: who is told what happens (contract section 3).
//!
//! The address may hold a secret, as those of chat services do: it is repeated in no message, and only its origin is
//! for people's eyes.

use std::collections::BTreeSet;

use pack::Digest;
use pack::similar::closest;
use serde::Deserialize;

use super::access::check_groups;
use super::error::SettingsError;
use super::remote::{check_variable, host_and_port, is_loopback};
use crate::event::EventType;

/// The word for a version that was not published, beside those of the ledger's events.
pub const REFUSED: &str = "refused";

/// One `[[webhook]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookSettings {
    url: String,
    /// The variable that holds the secret with which deliveries are signed.
    pub secret_env: String,
    /// The facts of the ledger that it is told.
    pub events: BTreeSet<EventType>,
    /// Whether it is told of versions that were refused.
    pub refused: bool,
    /// The groups that it belongs to: without any it sees what everybody sees who may read.
    pub groups: Vec<String>,
}

impl WebhookSettings {
    /// Where deliveries go. It may hold a secret.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Scheme, host and port of the address, which may be shown.
    pub fn origin(&self) -> &str {
        let start = self.url.find("://").map_or(0, |at| at + 3);
        let end = self.url[start..].find(['/', '?']).map_or(self.url.len(), |at| start + at);
        &self.url[..end]
    }

    /// What tells this webhook from the others, without its address.
    pub fn key(&self) -> String {
        Digest::of(self.url.as_bytes()).hex()
    }

    /// The words for what it is told.
    pub fn words(&self) -> Vec<&'static str> {
        let events = EventType::ALL.into_iter().filter(|kind| self.events.contains(kind));
        events.map(EventType::as_str).chain(self.refused.then_some(REFUSED)).collect()
    }
}

/// `[[webhook]]` as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WebhookFile {
    url: String,
    secret_env: String,
    events: Option<Vec<String>>,
    #[serde(default)]
    groups: Vec<String>,
}

/// Checks every webhook by itself and beside the others.
pub(super) fn checked(files: Vec<WebhookFile>) -> Result<Vec<WebhookSettings>, SettingsError> {
    let webhooks: Vec<WebhookSettings> =
        files.into_iter().map(WebhookFile::checked).collect::<Result<_, _>>()?;
    for (at, webhook) in webhooks.iter().enumerate() {
        if webhooks[..at].iter().any(|before| before.url == webhook.url) {
            let message = format!("two webhooks go to one address of {}", webhook.origin());
            return Err(SettingsError::new("webhook.url", message)
                .help("keep one of them, and name in its `events` whatever it shall be told"));
        }
    }
    Ok(webhooks)
}

impl WebhookFile {
    fn checked(self) -> Result<WebhookSettings, SettingsError> {
        check_url(&self.url)?;
        check_variable("webhook.secret_env", &self.secret_env)?;
        check_groups("webhook.groups", &self.groups)?;
        let (events, refused) = match &self.events {
            Some(words) => told(words)?,
            None => (EventType::ALL.into_iter().collect(), true),
        };
        let WebhookFile { url, secret_env, groups, .. } = self;
        Ok(WebhookSettings { url, secret_env, events, refused, groups })
    }
}

/// What the words of `events` mean.
fn told(words: &[String]) -> Result<(BTreeSet<EventType>, bool), SettingsError> {
    let known: Vec<&str> = EventType::ALL.into_iter().map(EventType::as_str).chain([REFUSED]).collect();
    if words.is_empty() {
        return Err(SettingsError::new(
            "webhook.events",
            "`events` names nothing, so that nobody would be told",
        )
        .help(format!("leave it out for everything, or name some of {}", known.join(", "))));
    }
    let mut events = BTreeSet::new();
    for word in words.iter().filter(|word| *word != REFUSED) {
        let kind = EventType::ALL.into_iter().find(|kind| kind.as_str() == word);
        events.insert(kind.ok_or_else(|| {
            let help = match closest(word, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", known.join(", ")),
            };
            SettingsError::new("webhook.events", format!("there is no event `{word}`")).help(help)
        })?);
    }
    Ok((events, words.iter().any(|word| word == REFUSED)))
}

fn refused(message: &str) -> SettingsError {
    SettingsError::new("webhook.url", message)
}

const KNOWN: &str = "write it as `https://host/path`";

fn check_url(url: &str) -> Result<(), SettingsError> {
    let (scheme, rest) =
        url.split_once("://").ok_or_else(|| refused("the address has no scheme").help(KNOWN))?;
    if !url.bytes().all(|byte| byte.is_ascii_graphic()) || url.contains('#') {
        return Err(refused("the address has spaces, a fragment, or characters that addresses cannot have")
            .help("write them percent-encoded, such as `%20` for a space"));
    }
    let place = rest.split(['/', '?']).next().unwrap_or_default();
    if place.contains('@') {
        return Err(refused("the address holds a user name or a password").help(
            "write it without what stands before `@`: deliveries are signed with the secret of `secret_env`",
        ));
    }
    let (host, _) =
        host_and_port(place).map_err(|error| SettingsError { key: "webhook.url".to_owned(), ..error })?;
    match scheme {
        _ if host.is_empty() => Err(refused("the address names no host").help(KNOWN)),
        "https" => Ok(()),
        "http" if is_loopback(&host) => Ok(()),
        "http" => Err(refused("plain `http://` would show deliveries to the network")
            .help("write `https://`; `http://` is for the loopback interface only")),
        _ => Err(refused("the address is neither `https://` nor `http://`").help(KNOWN)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::RegistrySettings;

    const HOOK: &str = "[[webhook]]\nurl = \"https://chat.example.org:8443/hook?key=hunter2\"\nsecret_env = \"HOOK_SECRET\"\n";

    fn one(text: &str) -> WebhookSettings {
        RegistrySettings::parse(text).expect("settings").webhooks.remove(0)
    }

    #[test]
    fn a_webhook_is_told_what_it_names_or_everything() {
        let webhook = one(&format!("{HOOK}events = [\"refused\", \"published\"]\n"));
        assert_eq!((webhook.words().join(" ").as_str(), webhook.refused), ("published refused", true));
        assert_eq!(webhook.origin(), "https://chat.example.org:8443");
        assert_eq!(webhook.secret_env, "HOOK_SECRET");
        let everything = one(HOOK);
        assert_eq!(everything.words().len(), EventType::ALL.len() + 1);
        assert_eq!(everything.key(), webhook.key(), "what it is told is no part of who it is");
        let only = one(&format!("{HOOK}events = [\"yanked\"]\ngroups = [\"payments\"]\n"));
        assert_eq!(
            (only.words(), only.refused, only.groups),
            (vec!["yanked"], false, vec!["payments".to_owned()])
        );
    }

    #[track_caller]
    fn check_refused(text: &str, line: usize, message: &str, help: &str) {
        let source = "[[source]]\nname = \"packs\"\nurl = \"https://git.example.org/packs\"\n";
        let error = RegistrySettings::parse(&format!("{source}{text}")).expect_err("a mistake");
        let shown = error.to_string();
        assert!(shown.contains(message) && shown.contains(help), "{shown}");
        assert!(!shown.contains("hunter2"), "{shown}");
        assert_eq!(error.line, Some(line), "{shown}");
    }

    #[test]
    fn mistakes_are_named_with_what_to_do_and_no_secret() {
        check_refused(
            &format!("{HOOK}{HOOK}"),
            5,
            "two webhooks go to one address of https://chat",
            "keep one",
        );
        check_refused(&format!("{HOOK}events = []\n"), 7, "names nothing", "leave it out");
        check_refused(&format!("{HOOK}events = [\"publish\"]\n"), 7, "`publish`", "`published`");
        check_refused(&format!("{HOOK}events = [\"everything\"]\n"), 7, "`everything`", "yanked");
        check_refused(&format!("{HOOK}event = []\n"), 7, "`event`", "`events`");
        check_refused(&format!("{HOOK}groups = [\"a,b\"]\n"), 7, "`a,b`", "commas");
        let variable = HOOK.replace("HOOK_SECRET", "hunter2");
        check_refused(&variable, 6, "no name of an environment variable", "capital letters");
        for (url, message, help) in [
            ("http://chat.example.org/hunter2", "plain `http://`", "`https://`"),
            ("https://ada:hunter2@chat.example.org/", "a password", "secret_env"),
            ("ftp://chat.example.org/", "neither", "https://host/path"),
            ("chat.example.org/hunter2", "no scheme", "https://host/path"),
            ("https:///hunter2", "no host", "https://host/path"),
            ("https://chat.example.org/a b", "spaces", "%20"),
            ("https://chat.example.org:no/", "port", "leave the port out"),
        ] {
            let text = format!("[[webhook]]\nurl = \"{url}\"\nsecret_env = \"HOOK_SECRET\"\n");
            check_refused(&text, 5, message, help);
        }
        let loopback = "[[webhook]]\nurl = \"http://127.0.0.1:8080/hook\"\nsecret_env = \"HOOK_SECRET\"\n";
        assert_eq!(one(loopback).origin(), "http://127.0.0.1:8080");
    }
}
