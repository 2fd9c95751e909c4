//! A Git host of the tests: a small HTTP server in front of `git http-backend`, which misbehaves on request.
#![allow(dead_code, reason = "every test binary uses its own part")]

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

/// How the host answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Mood {
    /// It serves.
    #[default]
    Serving,
    /// It takes requests and says nothing.
    Silent,
    /// It sends the beginning of the objects and no more.
    Stalling,
    /// It asks to come back after so many seconds.
    Busy(u32),
    /// It answers with that status.
    Status(u16),
    /// It sends everybody to the same path below that origin.
    Moved(String),
}

/// A host that serves the repositories below a folder.
pub struct GitHost {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    root: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    mood: Mood,
    authorization: Option<String>,
    requests: Vec<String>,
}

/// One request.
struct Asked {
    method: String,
    path: String,
    query: String,
    headers: HashMap<String, String>,
    body: Vec<u8>,
}

impl GitHost {
    /// Serves the repositories below `root` on a port that the system chooses.
    pub fn start(root: &Path) -> GitHost {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared { root: root.to_owned(), state: Mutex::default() });
        let serving = shared.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let shared = serving.clone();
                std::thread::spawn(move || serve(&shared, stream));
            }
        });
        GitHost { address, shared }
    }

    /// The address of a repository.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// Changes how the host answers from now on.
    pub fn mood(&self, mood: Mood) {
        self.state(|state| state.mood = mood);
    }

    /// Asks for that header `Authorization` from now on.
    pub fn ask_for(&self, authorization: &str) {
        self.state(|state| state.authorization = Some(authorization.to_owned()));
    }

    /// What was asked so far, as `GET /path`.
    pub fn requests(&self) -> Vec<String> {
        self.state(|state| state.requests.clone())
    }

    fn state<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.shared.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn serve(shared: &Shared, mut stream: TcpStream) {
    let Some(asked) = read_request(&stream) else { return };
    let (mood, authorization) = {
        let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.requests.push(format!("{} {}", asked.method, asked.path));
        (state.mood.clone(), state.authorization.clone())
    };
    if authorization.is_some_and(|wanted| asked.headers.get("authorization") != Some(&wanted)) {
        return plain(&mut stream, 401, "WWW-Authenticate: Basic realm=\"git\"\r\n");
    }
    match mood {
        Mood::Silent => wait_for_end(&mut stream),
        Mood::Busy(seconds) => plain(&mut stream, 429, &format!("Retry-After: {seconds}\r\n")),
        Mood::Status(status) => plain(&mut stream, status, ""),
        Mood::Moved(origin) => {
            let location = format!("Location: {origin}{}?{}\r\n", asked.path, asked.query);
            plain(&mut stream, 301, &location);
        }
        Mood::Stalling if asked.method == "POST" => {
            let answer = backend(shared, &asked);
            let half = answer.len() / 2;
            let _ = stream.write_all(&answer[..half]);
            wait_for_end(&mut stream);
        }
        Mood::Serving | Mood::Stalling => {
            let _ = stream.write_all(&backend(shared, &asked));
        }
    }
}

/// Waits until the other side gives up.
fn wait_for_end(stream: &mut TcpStream) {
    let _ = stream.read(&mut [0]);
}

fn plain(stream: &mut TcpStream, status: u16, headers: &str) {
    let _ = write!(stream, "HTTP/1.1 {status} -\r\n{headers}Content-Length: 0\r\nConnection: close\r\n\r\n");
}

fn read_request(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_ascii_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    Some(Asked { method, path: path.to_owned(), query: query.to_owned(), headers, body })
}

/// Runs `git http-backend` as CGI and turns what it prints into an answer.
fn backend(shared: &Shared, asked: &Asked) -> Vec<u8> {
    let mut command = Command::new("git");
    command.args(["-c", "safe.directory=*", "http-backend"]).env_clear();
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.env("GIT_PROJECT_ROOT", &shared.root).env("GIT_HTTP_EXPORT_ALL", "1");
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    command
        .env("REQUEST_METHOD", &asked.method)
        .env("PATH_INFO", &asked.path)
        .env("QUERY_STRING", &asked.query);
    command.env("CONTENT_LENGTH", asked.body.len().to_string()).env("REMOTE_ADDR", "127.0.0.1");
    command.envs(asked.headers.get("content-type").map(|kind| ("CONTENT_TYPE", kind)));
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("git runs");
    let mut stdin = child.stdin.take().expect("standard input");
    let body = asked.body.clone();
    let writer = std::thread::spawn(move || stdin.write_all(&body));
    let output = child.wait_with_output().expect("git ends").stdout;
    let _ = writer.join();
    let end = output.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or(output.len());
    let head = String::from_utf8_lossy(&output[..end]).into_owned();
    let status = head.lines().find_map(|line| line.strip_prefix("Status: ")).unwrap_or("200 OK");
    let mut answer = format!("HTTP/1.1 {status}\r\nConnection: close\r\n{head}\r\n\r\n").into_bytes();
    answer.extend_from_slice(output.get(end + 4..).unwrap_or_default());
    answer
}
