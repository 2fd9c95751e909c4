//! A whole conversation with an editor, in memory.

use lsp_server::{Connection, Message, Notification, Request};
use serde_json::{Value, json};

/// Sends `text` as the content of `file` and gives the diagnostics as (line, column, code).
fn check(file: &str, text: &str, expected: &[(u64, u64, &str)]) {
    let (server, editor) = Connection::memory();
    let served = std::thread::spawn(move || crate::serve(&server));
    let send = |message: Message| editor.sender.send(message).expect("the server reads");
    let receive = || editor.receiver.recv_timeout(std::time::Duration::from_secs(30)).expect("an answer");
    send(Message::Request(Request::new(1.into(), "initialize".to_owned(), json!({"capabilities": {}}))));
    assert!(matches!(receive(), Message::Response(_)));
    send(Message::Notification(Notification::new("initialized".to_owned(), json!({}))));
    let document = json!({"textDocument": {"uri": format!("file://{file}"), "languageId": "json", "version": 1, "text": text}});
    send(Message::Notification(Notification::new("textDocument/didOpen".to_owned(), document)));
    let Message::Notification(published) = receive() else { panic!("diagnostics are a notification") };
    let found: Vec<(u64, u64, String)> = published.params["diagnostics"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|found| {
            let start = &found["range"]["start"];
            let number = |value: &Value| value.as_u64().expect("a number");
            (
                number(&start["line"]),
                number(&start["character"]),
                found["code"].as_str().unwrap_or_default().to_owned(),
            )
        })
        .collect();
    let found: Vec<(u64, u64, &str)> =
        found.iter().map(|(line, column, code)| (*line, *column, code.as_str())).collect();
    assert_eq!(found, expected);
    send(Message::Request(Request::new(2.into(), "shutdown".to_owned(), Value::Null)));
    assert!(matches!(receive(), Message::Response(_)));
    send(Message::Notification(Notification::new("exit".to_owned(), Value::Null)));
    served.join().expect("no panic").expect("a tidy end");
}

#[test]
fn an_open_pack_is_linted_with_utf16_columns() {
    let pack = r#"{
  "$schema": "https://promptpack.org/schema/latest/promptpack.schema.json",
  "id": "greeter", "name": "Greeter", "version": "1.0.0", "description": "Greets.",
  "template_engine": {"version": "v1", "syntax": "{{variable}}"},
  "prompts": {"hello": {"id": "hello", "name": "Hello", "version": "1.0.0",
    "variables": [{"name": "name", "type": "string", "required": true}],
    "system_template": "👋 {{name}}, {{nam}}!"}}
}"#;
    check("/no/such/folder/a%20pack.json", pack, &[(6, 37, "undeclared-variable")]);
    check("/no/such/folder/broken.pack.json", "{ \"id\": ", &[(0, 8, "invalid-json")]);
    check("/no/such/folder/package.json", "{\"name\": \"x\"}", &[]);
}
