//! A receiver of webhooks on the loopback interface, on a port that the system chooses.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long a test waits for something that has to happen.
const DEADLINE: Duration = Duration::from_secs(60);

/// The receiver; its thread ends with the test's process.
pub struct Receiver {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    /// Status line and further headers of every answer.
    answer: String,
    received: Vec<Received>,
}

/// One request that came.
#[derive(Debug, Clone)]
pub struct Received {
    /// Its path, with the query.
    pub path: String,
    headers: Vec<(String, String)>,
    /// Its body.
    pub body: String,
    /// The status with which it was answered.
    pub status: String,
}

impl Received {
    /// The value of a header; empty where it has none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }
}

impl Receiver {
    /// Starts to take everything with 200.
    pub fn start() -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Mutex::new(Shared { answer: "200 OK".to_owned(), ..Shared::default() }));
        let kept = shared.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let _ = take(stream, &kept);
            }
        });
        Receiver { address, shared }
    }

    /// The address of a path of it.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// Answers from now on with this status line, and headers below it.
    pub fn answer(&self, answer: &str) {
        answer.clone_into(&mut self.shared().answer);
    }

    /// What came so far.
    pub fn received(&self) -> Vec<Received> {
        self.shared().received.clone()
    }

    /// Waits until `done` says so of what came; gives that.
    #[track_caller]
    pub fn wait(&self, what: &str, done: impl Fn(&[Received]) -> bool) -> Vec<Received> {
        let start = Instant::now();
        loop {
            let received = self.received();
            if done(&received) {
                return received;
            }
            assert!(start.elapsed() < DEADLINE, "waited too long until {what}: {received:#?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn shared(&self) -> std::sync::MutexGuard<'_, Shared> {
        self.shared.lock().expect("no test holds it in a panic")
    }
}

fn take(mut stream: TcpStream, shared: &Mutex<Shared>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(DEADLINE))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim_end().is_empty() {
            break;
        }
        head.push(line.trim_end().to_owned());
    }
    let path = head.first().and_then(|line| line.split(' ').nth(1)).unwrap_or_default().to_owned();
    let headers: Vec<(String, String)> = head
        .iter()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let answer = {
        let mut shared = shared.lock().expect("no test holds it in a panic");
        let answer = shared.answer.clone();
        let status = answer.split(' ').next().unwrap_or_default().to_owned();
        let body = String::from_utf8_lossy(&body).into_owned();
        shared.received.push(Received { path, headers, body, status });
        answer
    };
    write!(stream, "HTTP/1.1 {answer}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}
