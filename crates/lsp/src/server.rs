//! The server: reads messages one after the other, and answers each change with diagnostics.

use std::collections::BTreeMap;
use std::path::PathBuf;

use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument, Notification as _,
    PublishDiagnostics,
};
use lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, PublishDiagnosticsParams, ServerCapabilities, TextDocumentSyncCapability,
    TextDocumentSyncKind, Uri,
};
use serde::de::DeserializeOwned;

use crate::diagnostics::diagnostics;
use crate::overlay::Overlay;

/// Why the server ended before the editor told it to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The editor broke the protocol, or went away in the middle of it.
    #[error("the editor broke the protocol")]
    Protocol(#[from] ProtocolError),
    /// The editor no longer reads.
    #[error("the editor no longer reads")]
    Closed,
    /// A message could not be written or read as JSON.
    #[error("a message could not be read")]
    Message(#[from] serde_json::Error),
    /// Standard input or output failed.
    #[error("standard input or output failed")]
    Io(#[from] std::io::Error),
}

/// Serves one editor on standard input and output, until it says that it is done.
///
/// # Errors
/// See [`ServerError`].
pub fn run() -> Result<(), ServerError> {
    let (connection, threads) = Connection::stdio();
    serve(&connection)?;
    drop(connection);
    threads.join()?;
    Ok(())
}

/// Serves one editor on a connection, until it says that it is done.
///
/// # Errors
/// See [`ServerError`].
pub fn serve(connection: &Connection) -> Result<(), ServerError> {
    let capabilities = ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::FULL)),
        ..ServerCapabilities::default()
    };
    connection.initialize(serde_json::to_value(capabilities)?)?;
    let mut server = Server { connection, open: BTreeMap::new(), uris: BTreeMap::new() };
    for message in &connection.receiver {
        match message {
            Message::Request(request) => {
                if connection.handle_shutdown(&request)? {
                    return Ok(());
                }
                let unknown = format!("`{}` is nothing that this server does", request.method);
                let response = Response::new_err(request.id, ErrorCode::MethodNotFound as i32, unknown);
                server.send(Message::Response(response))?;
            }
            Message::Notification(notification) => server.notified(notification)?,
            Message::Response(_) => {}
        }
    }
    Ok(())
}

/// The texts that the editor holds.
struct Server<'c> {
    connection: &'c Connection,
    open: BTreeMap<PathBuf, String>,
    uris: BTreeMap<PathBuf, Uri>,
}

impl Server<'_> {
    fn send(&self, message: Message) -> Result<(), ServerError> {
        self.connection.sender.send(message).map_err(|_| ServerError::Closed)
    }

    fn notified(&mut self, notification: Notification) -> Result<(), ServerError> {
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                let DidOpenTextDocumentParams { text_document } = parameters(notification)?;
                self.changed(text_document.uri, text_document.text)
            }
            DidChangeTextDocument::METHOD => {
                let DidChangeTextDocumentParams { text_document, content_changes } =
                    parameters(notification)?;
                match content_changes.into_iter().next_back() {
                    Some(last) => self.changed(text_document.uri, last.text),
                    None => Ok(()),
                }
            }
            // Another file may be a skill or the settings of an open pack.
            DidSaveTextDocument::METHOD => {
                let DidSaveTextDocumentParams { .. } = parameters(notification)?;
                self.publish_all()
            }
            DidCloseTextDocument::METHOD => {
                let DidCloseTextDocumentParams { text_document } = parameters(notification)?;
                self.closed(text_document.uri)
            }
            _ => Ok(()),
        }
    }

    fn changed(&mut self, uri: Uri, text: String) -> Result<(), ServerError> {
        let Some(path) = file_path(&uri) else { return Ok(()) };
        self.open.insert(path.clone(), text);
        self.uris.insert(path.clone(), uri);
        self.publish(&path)
    }

    fn closed(&mut self, uri: Uri) -> Result<(), ServerError> {
        let Some(path) = file_path(&uri) else { return Ok(()) };
        self.open.remove(&path);
        self.uris.remove(&path);
        self.send_diagnostics(uri, Vec::new())
    }

    fn publish_all(&self) -> Result<(), ServerError> {
        self.open.keys().try_for_each(|path| self.publish(path))
    }

    fn publish(&self, path: &PathBuf) -> Result<(), ServerError> {
        let (Some(text), Some(uri)) = (self.open.get(path), self.uris.get(path)) else { return Ok(()) };
        let overlay = Overlay::around(path, &self.open);
        let today = jiff::tz::Offset::UTC.to_datetime(jiff::Timestamp::now()).date();
        let found = diagnostics(path, text, &overlay, today).unwrap_or_default();
        self.send_diagnostics(uri.clone(), found)
    }

    fn send_diagnostics(&self, uri: Uri, diagnostics: Vec<lsp_types::Diagnostic>) -> Result<(), ServerError> {
        let parameters = PublishDiagnosticsParams { uri, diagnostics, version: None };
        let notification = Notification::new(PublishDiagnostics::METHOD.to_owned(), parameters);
        self.send(Message::Notification(notification))
    }
}

fn parameters<T: DeserializeOwned>(notification: Notification) -> Result<T, ServerError> {
    Ok(serde_json::from_value(notification.params)?)
}

/// The path of a `file:` URI, percent-decoded; none for other schemes.
fn file_path(uri: &Uri) -> Option<PathBuf> {
    let path = uri.as_str().strip_prefix("file://")?;
    let path = &path[path.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = (*first == b'%').then(|| tail.get(..2)).flatten();
        let decoded = escaped.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match decoded {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}
