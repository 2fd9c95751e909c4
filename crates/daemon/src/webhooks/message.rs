//! What a webhook is told: one event of the ledger, or one refusal, as JSON.

use registry::Event;
use registry::refusal::Refusal;
use registry::settings::REFUSED;
use serde_json::json;

/// One message, the same at every attempt.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// What tells it from every other one, so that a receiver can drop what comes twice.
    pub id: String,
    /// What happened, in one word.
    pub kind: &'static str,
    /// The body.
    pub body: String,
}

impl Message {
    /// An event, as `/v1/events` shows it.
    pub(super) fn of_event(event: &Event) -> Message {
        let body = serde_json::to_string(event).unwrap_or_default();
        Message { id: format!("event-{}", event.number), kind: event.kind.as_str(), body }
    }

    /// A refusal, in the shape of an event without a number, with its problem.
    pub(super) fn of_refusal(number: u64, refusal: &Refusal) -> Message {
        let Refusal { at, source, code, pack, version, path, reference, commit, message } = refusal;
        let problem =
            json!({"code": code, "path": path, "ref": reference, "commit": commit, "help": code.help()});
        let body = json!({
            "number": null, "at": at, "type": REFUSED, "pack": pack, "version": version, "source": source,
            "detail": message, "problem": problem,
        });
        // Numbers begin anew when derived state is lost; times do not.
        let id = format!("refusal-{}-{number}", at.as_millisecond());
        Message { id, kind: REFUSED, body: body.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use registry::{EventType, ProblemCode};
    use serde_json::Value;

    use super::*;

    #[test]
    fn an_event_is_told_as_the_feed_shows_it() {
        let event = Event {
            number: 12,
            at: "2026-06-01T12:00:00Z".parse().expect("a time"),
            kind: EventType::Yanked,
            pack: "support".to_owned(),
            version: Some("1.3.0".to_owned()),
            source: "packs".to_owned(),
            detail: Some("wrong limit".to_owned()),
        };
        let body = r#"{"number":12,"at":"2026-06-01T12:00:00Z","type":"yanked","pack":"support","version":"1.3.0","source":"packs","detail":"wrong limit"}"#;
        let expected = Message { id: "event-12".to_owned(), kind: "yanked", body: body.to_owned() };
        assert_eq!(Message::of_event(&event), expected);
    }

    #[test]
    fn a_refusal_has_no_number_and_says_what_to_do() {
        let refusal = Refusal {
            at: "2026-06-01T12:00:00Z".parse().expect("a time"),
            source: "packs".to_owned(),
            code: ProblemCode::RefusedBreaking,
            pack: Some("support".to_owned()),
            version: Some("1.3.0".to_owned()),
            path: Some("support.pack.json".to_owned()),
            reference: None,
            commit: Some("c0ffee".to_owned()),
            message: "needs 2.0.0".to_owned(),
        };
        let message = Message::of_refusal(3, &refusal);
        assert_eq!((message.id.as_str(), message.kind), ("refusal-1780315200000-3", "refused"));
        let body: Value = serde_json::from_str(&message.body).expect("JSON");
        let expected = json!({
            "number": null, "at": "2026-06-01T12:00:00Z", "type": "refused", "pack": "support", "version": "1.3.0",
            "source": "packs", "detail": "needs 2.0.0",
            "problem": {"code": "refused-breaking", "path": "support.pack.json", "ref": null, "commit": "c0ffee",
                "help": ProblemCode::RefusedBreaking.help()},
        });
        assert_eq!(body, expected);
    }
}
