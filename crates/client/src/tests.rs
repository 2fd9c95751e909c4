//! Requests against a small server that answers what a test tells it to.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::mpsc;
use std::thread;

use registry::{Digest, Form};

use crate::{Cache, Client, ClientError, Lock, LockedPack, SearchQuery};

/// Status, headers, body.
type Answer = (u16, Vec<(&'static str, String)>, String);

/// Serves one answer per request, in order; gives the address and the request lines.
fn serve(answers: Vec<Answer>) -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let (sender, requests) = mpsc::channel();
    thread::spawn(move || {
        for (status, headers, body) in answers {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut lines = BufReader::new(stream.try_clone().expect("a stream")).lines();
            let mut request = lines.next().expect("a line").expect("text");
            for line in lines {
                let line = line.expect("text");
                if line.to_lowercase().starts_with("authorization") {
                    request.push_str(&format!(" {line}"));
                }
                if line.is_empty() {
                    break;
                }
            }
            // A test that does not ask for the requests has dropped the receiver.
            let _ = sender.send(request);
            let mut text =
                format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
            for (name, value) in headers {
                text.push_str(&format!("{name}: {value}\r\n"));
            }
            stream.write_all(format!("{text}\r\n{body}").as_bytes()).expect("an answer");
        }
    });
    (address, requests)
}

fn release(body: &str, digest: Digest) -> Answer {
    let headers = vec![
        ("Packhouse-Digest", digest.to_string()),
        ("Packhouse-Version", "1.2.0".to_owned()),
        ("Packhouse-Flagged", "insufficient-bump".to_owned()),
        ("Content-Location", "/v1/packs/support/versions/1.2.0/resolved.json".to_owned()),
    ];
    (200, headers, body.to_owned())
}

#[test]
fn a_form_is_fetched_and_verified() {
    let digest = Digest::of(b"{}");
    let (url, requests) = serve(vec![release("{}", digest)]);
    let client = Client::new(&format!("{url}/"), Some("secret".to_owned())).expect("a client");
    let fetched = client.fetch("support@^1 || ^2", Form::Resolved).expect("a release");
    assert_eq!((fetched.id.as_str(), fetched.version.to_string().as_str()), ("support", "1.2.0"));
    assert_eq!((fetched.bytes.as_slice(), fetched.digest), (b"{}".as_slice(), digest));
    assert_eq!(fetched.url, format!("{url}/v1/packs/support/versions/1.2.0/resolved.json"));
    assert_eq!((fetched.flagged.as_deref(), fetched.yanked), (Some("insufficient-bump"), false));
    let request = requests.recv().expect("a request");
    assert!(request.starts_with("GET /v1/fetch/support@%5E1%20%7C%7C%20%5E2?form=resolved "), "{request}");
    assert!(request.ends_with("Bearer secret"), "{request}");
}

#[test]
fn what_is_not_as_promised_is_refused() {
    let wrong = release("tampered", Digest::of(b"{}"));
    let (url, _) = serve(vec![wrong, release("{}", Digest::of(b"{}")), (200, vec![], "{}".to_owned())]);
    let client = Client::new(&url, None).expect("a client");
    assert!(matches!(client.fetch("support", Form::Source), Err(ClientError::WrongDigest { .. })));
    assert!(matches!(client.fetch("support@1.3.0", Form::Source), Err(ClientError::Malformed { .. })));
    assert!(matches!(client.fetch("support", Form::Source), Err(ClientError::Malformed { .. })));
}

#[test]
fn problems_are_told_in_the_words_of_the_registry() {
    let problem = |status: u16, detail: &str| {
        let body =
            format!(r#"{{"type": "/problems/x", "title": "t", "status": {status}, "detail": "{detail}"}}"#);
        (status, vec![("content-type", "application/problem+json".to_owned())], body)
    };
    let (url, _) = serve(vec![
        problem(404, "no such pack"),
        problem(401, "a token is needed"),
        (502, vec![], String::new()),
    ]);
    let client = Client::new(&url, None).expect("a client");
    let text = |error: ClientError| error.to_string();
    assert_eq!(client.pack("support").map_err(text).unwrap_err(), "support: no such pack");
    let refused = client.pack("support").map_err(text).unwrap_err();
    assert_eq!(refused, "support: the registry answered 401: a token is needed");
    let broken = client.search(&SearchQuery::default()).map_err(text).unwrap_err();
    assert_eq!(broken, "the search: the registry answered 502: bad gateway");
    assert!(matches!(Client::new("ftp://x", None), Err(ClientError::Address { .. })));
    let nobody = Client::new("http://127.0.0.1:1", None).expect("a client");
    assert!(matches!(nobody.pack("support"), Err(ClientError::Unreachable { .. })));
}

#[test]
fn the_lock_and_the_cache_give_back_what_they_were_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("packhouse.lock");
    let mut lock = Lock::read(&path).expect("an empty lock");
    lock.put(LockedPack {
        reference: "support@^1".to_owned(),
        id: "support".to_owned(),
        version: "1.2.0".parse().expect("a version"),
        form: Form::Resolved,
        digest: Digest::of(b"{}"),
        url: "https://example.org/x".to_owned(),
        commit: "c0ffee".to_owned(),
    });
    lock.write(&path).expect("a file");
    assert_eq!(Lock::read(&path).expect("a lock"), lock);
    let newer = LockedPack {
        reference: "support".to_owned(),
        version: "2.0.0".parse().expect("a version"),
        digest: Digest::of(b"[]"),
        ..lock.packs[0].clone()
    };
    lock.put(newer.clone());
    let gone: Vec<String> = lock.drop_rivals(&newer).into_iter().map(|pack| pack.reference).collect();
    assert_eq!((gone, &lock.packs), (vec!["support@^1".to_owned()], &vec![newer]));
    std::fs::write(&path, "[[pack]]\nref = 1\n").expect("a file");
    assert!(Lock::read(&path).unwrap_err().to_string().contains("line "));
    let cache = Cache::new(&folder.path().join("cache"));
    assert_eq!(cache.get(Digest::of(b"{}")), None);
    cache.put(b"{}").expect("a file");
    assert_eq!(cache.get(Digest::of(b"{}")).as_deref(), Some(b"{}".as_slice()));
}
