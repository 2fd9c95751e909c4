//! Connections: how many are held at once, and how long one may sit there without asking anything.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::ServiceExt;

/// The address at the other end of the connection over which a request came.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// What connections may cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Connections {
    /// How many are held at once; those beyond wait in the system's queue.
    pub(crate) most: usize,
    /// How long one may take for the head of a request, the wait for the next request included.
    pub(crate) patience: Duration,
}

impl Default for Connections {
    fn default() -> Self {
        Connections { most: 800, patience: Duration::from_secs(30) }
    }
}

/// How long to wait when the system gives no connections, as when it has no file descriptors left.
const BREATH: Duration = Duration::from_millis(200);

/// Answers requests until `stop` is through, and then those that are under way.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    connections: Connections,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(connections.most));
    let graceful = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(connections.patience);
    let mut stop = std::pin::pin!(stop);
    loop {
        let (stream, peer, place) = tokio::select! {
            accepted = accept(&listener, &places) => accepted?,
            () = &mut stop => break,
        };
        let router = router.clone();
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(peer);
            router.clone().oneshot(request)
        });
        let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            // A connection that breaks off concerns nobody but the one who broke it.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    graceful.shutdown().await;
    Ok(())
}

/// Waits for a place and then for a connection to take it.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> io::Result<(TcpStream, Peer, OwnedSemaphorePermit)> {
    let place = places.clone().acquire_owned().await.map_err(io::Error::other)?;
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                // Answers are written as a whole: waiting for more to send would only delay them.
                let _ = stream.set_nodelay(true);
                return Ok((stream, Peer(address.ip()), place));
            }
            Err(error) => {
                let is_one_connection = matches!(
                    error.kind(),
                    io::ErrorKind::ConnectionAborted
                        | io::ErrorKind::ConnectionReset
                        | io::ErrorKind::ConnectionRefused
                );
                if !is_one_connection {
                    tracing::warn!(%error, "no connection can be taken");
                    tokio::time::sleep(BREATH).await;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpStream};

    use super::*;

    const LONG: Duration = Duration::from_secs(30);

    /// A server on a thread of its own, which ends with the test's process.
    fn start(connections: Connections) -> SocketAddr {
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
                sender.send(listener.local_addr().expect("an address")).expect("a test");
                let router = Router::new().fallback(|| async { "here" });
                serve(listener, router, connections, std::future::pending()).await
            })
        });
        receiver.recv_timeout(LONG).expect("a server")
    }

    fn connect(address: SocketAddr) -> TcpStream {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(LONG)).expect("a timeout");
        stream
    }

    fn ask(stream: &mut TcpStream) -> String {
        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("a request");
        let mut text = String::new();
        while !text.ends_with("here") {
            let mut bytes = [0; 512];
            let count = stream.read(&mut bytes).expect("an answer");
            assert!(count > 0, "the connection ended: {text}");
            text.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
        text
    }

    #[test]
    fn idle_and_dawdling_connections_are_ended() {
        let address = start(Connections { most: 10, patience: Duration::from_millis(200) });
        let mut used = connect(address);
        assert!(ask(&mut used).starts_with("HTTP/1.1 200"));
        let silent = connect(address);
        let mut dawdling = connect(address);
        dawdling.write_all(b"GET / HTTP/1.1\r\nHost: lo").expect("a beginning");
        for mut stream in [used, silent, dawdling] {
            let mut rest = Vec::new();
            stream.read_to_end(&mut rest).expect("the connection is ended in good time");
        }
    }

    #[test]
    fn connections_beyond_the_limit_wait_for_a_place() {
        let address = start(Connections { most: 1, patience: LONG });
        let mut first = connect(address);
        ask(&mut first);
        ask(&mut first);
        let second = std::thread::spawn(move || ask(&mut connect(address)));
        ask(&mut first);
        assert!(!second.is_finished(), "the only place is taken");
        drop(first);
        assert!(second.join().expect("an answer").starts_with("HTTP/1.1 200"));
    }
}
