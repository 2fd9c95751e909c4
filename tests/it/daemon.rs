//! The whole job: a repository of packs in, a served registry out, through the binary.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Folder, greeter, greeter_with, program};

/// How long a test waits for something that has to happen.
const DEADLINE: Duration = Duration::from_secs(60);

/// The arguments of a daemon on a port that the system chooses.
pub const SERVE: [&str; 5] = ["serve", "--config", "registry.toml", "--listen", "127.0.0.1:0"];

/// A daemon that was started through the binary.
pub struct Daemon {
    child: Child,
    /// Where it listens.
    pub address: String,
    /// What it wrote to its standard error, shown when a test waits in vain.
    said: Arc<Mutex<Vec<String>>>,
    /// Whether it leads a process group, which ends with it.
    leads_group: bool,
}

/// The answer to one request.
pub struct Answer {
    /// Its status.
    pub status: u16,
    headers: Vec<(String, String)>,
    /// Its bytes.
    pub body: Vec<u8>,
}

impl Daemon {
    /// Starts `packhouse serve` in `folder`, on a port that the system chooses.
    pub fn start(folder: &Folder) -> Daemon {
        Daemon::spawn(program(&SERVE, &folder.path()))
    }

    /// Starts a command that becomes the daemon.
    pub fn spawn(mut command: Command) -> Daemon {
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts");
        let stderr = BufReader::new(child.stderr.take().expect("its standard error"));
        let (sender, receiver) = std::sync::mpsc::channel();
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&said);
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                heard.lock().expect("no test holds it in a panic").push(line.clone());
                if let Some((_, address)) = line.split_once("listens on http://") {
                    let _ = sender.send(address.trim().to_owned());
                }
            }
        });
        let address = receiver.recv_timeout(DEADLINE).unwrap_or_else(|_| {
            panic!("the daemon does not listen: {}", said.lock().expect("the listener has ended").join("\n"))
        });
        Daemon { child, address, said, leads_group: false }
    }

    /// Starts a command that starts the daemon and stays its parent.
    pub fn spawn_behind(mut command: Command) -> Daemon {
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut daemon = Daemon::spawn(command);
        daemon.leads_group = true;
        daemon
    }

    /// What it has logged so far.
    pub fn log(&self) -> String {
        self.said.lock().expect("no test holds it in a panic").join("\n")
    }

    /// The answer to a request line and headers.
    pub fn request(&self, head: &str) -> Answer {
        Daemon::ask(&self.address, head).expect("an answer")
    }

    /// The id of its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Asks it to end, and waits; gives its exit code.
    pub fn stop(&mut self) -> Option<i32> {
        let ended = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(ended.expect("kill starts").success());
        let deadline = Instant::now() + DEADLINE;
        loop {
            if let Some(status) = self.child.try_wait().expect("its status") {
                return status.code();
            }
            assert!(Instant::now() < deadline, "the daemon does not end: {}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The answer to a POST of a body with one header.
    pub fn post(&self, path: &str, header: &str, body: &str) -> Answer {
        let head = format!("POST {path} HTTP/1.1\r\n{header}\r\nContent-Length: {}", body.len());
        Daemon::send(&self.address, &head, body).expect("an answer")
    }

    /// Sends a request to an address; none when no whole answer comes.
    pub fn ask(address: &str, head: &str) -> Option<Answer> {
        Daemon::send(address, head, "")
    }

    fn send(address: &str, head: &str, body: &str) -> Option<Answer> {
        let mut stream = TcpStream::connect(address).ok()?;
        stream.set_read_timeout(Some(DEADLINE)).ok()?;
        write!(stream, "{head}\r\nHost: localhost\r\nConnection: close\r\n\r\n{body}").ok()?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).ok()?;
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
        let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = text.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok())?;
        let headers = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        Some(Answer { status, headers, body: bytes[end + 4..].to_vec() })
    }

    /// The answer to a GET.
    pub fn get(&self, path: &str) -> Answer {
        self.request(&format!("GET {path} HTTP/1.1"))
    }

    /// The JSON that a GET answers with.
    pub fn json(&self, path: &str) -> Value {
        let answer = self.get(path);
        let text = String::from_utf8_lossy(&answer.body);
        serde_json::from_slice(&answer.body).unwrap_or_else(|error| panic!("{path}: {error}: {text}"))
    }

    /// Waits until `done` says so.
    pub fn wait(&self, what: &str, done: impl Fn(&Daemon) -> bool) {
        let start = Instant::now();
        while !done(self) {
            if start.elapsed() > DEADLINE {
                let said = self.said.lock().expect("no test holds it in a panic").join("\n");
                panic!("waited too long until {what}; the daemon said:\n{said}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Everything that the API says of the packs, without what tells when scans happened.
    fn everything(&self) -> Vec<(String, Value)> {
        let mut answers: Vec<(String, Value)> = Vec::new();
        for path in [
            "/v1/packs",
            "/v1/search?q=",
            "/v1/search?q=tag:greeting",
            "/v1/packs/greeter",
            "/v1/packs/guide",
        ] {
            answers.push((path.to_owned(), self.json(path)));
        }
        for version in ["1.0.0", "1.1.0", "1.2.0", "1.2.1"] {
            for what in ["", "/report", "/pack.json", "/resolved.json"] {
                let path = format!("/v1/packs/greeter/versions/{version}{what}");
                answers.push((path.clone(), self.json(&path)));
            }
        }
        let state = self.json("/v1/sources/packs");
        let problems = state["problems"].as_array().expect("problems").clone();
        let shown: Vec<Value> = problems
            .into_iter()
            .map(|mut problem| {
                for time in ["first", "last", "count"] {
                    problem[time] = Value::Null;
                }
                problem
            })
            .collect();
        answers.push(("problems".to_owned(), shown.into()));
        answers
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        if self.leads_group {
            let group = format!("-{}", self.child.id());
            let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    /// The value of a header; empty where it has none.
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }
}

const OPTIONAL: &str = r#"{"name": "tone", "type": "string", "required": false, "default": "warm", "description": "How to sound."}, "#;
const REQUIRED: &str =
    r#"{"name": "tier", "type": "string", "required": true, "description": "The plan."}, "#;

fn tagged(pack: &str) -> String {
    let metadata = r#""description": "Greets people by their name.",
  "metadata": { "tags": ["greeting", "demo"] },
  "tools": { "look_up": { "name": "look_up", "description": "Looks a person up." } },"#;
    pack.replacen(r#""description": "Greets people by their name.","#, metadata, 1).replacen(
        r#""description": "Greets one person.","#,
        r#""description": "Greets one person.", "tools": ["look_up"],"#,
        1,
    )
}

/// A repository with the history that the whole job is proven with.
fn repository(folder: &Folder) {
    folder.git(&["init", "--quiet", "--initial-branch=main", "packs"]);
    let pack = "packs/packs/greeter.pack.json";
    let commit = |subject: &str| {
        folder.git(&["-C", "packs", "add", "--all"]);
        folder.git(&["-C", "packs", "commit", "--quiet", "--message", subject]);
    };
    folder.write(pack, tagged(&greeter("1.0.0")));
    commit("greeter 1.0.0");
    folder.write(pack, tagged(&greeter_with("1.1.0", OPTIONAL, " Sound {{tone}}.")));
    commit("greeter 1.1.0");
    let broken =
        |version: &str, text: &str| tagged(&greeter_with(version, &format!("{OPTIONAL}{REQUIRED}"), text));
    folder.write(pack, broken("1.2.0", " Sound {{tone}}. The plan is {{tier}}."));
    commit("greeter 1.2.0 needs the tier");
    folder.write(pack, broken("1.2.1", " Please sound {{tone}}. The plan is {{tier}}."));
    commit("greeter 1.2.1 is polite");
    let guide = greeter("1.0.0").replace("\"greeter\"", "\"guide\"").replacen(
        "\"prompts\"",
        "\"skills\": [\"./skills/tone\"],\n  \"prompts\"",
        1,
    );
    folder.write("packs/packs/guide/guide.pack.json", guide);
    folder.write(
        "packs/packs/guide/skills/tone/SKILL.md",
        "---\nname: tone\ndescription: How to sound.\n---\n\nBe brief and kind.\n",
    );
    folder.write("packs/package.json", "{\"name\": \"not-a-pack\", \"version\": \"1.0.0\"}");
    folder.write("packs/packs/broken.pack.json", "{ \"id\": \"broken\", ");
    commit("guide with a skill, and a broken file");
}

fn configured(folder: &Folder, poll: &str) {
    let text = format!(
        "[server]\nstate = \"state\"\n\n[[source]]\nname = \"packs\"\npath = \"packs\"\npoll = \"{poll}\"\n\n\
         [[source]]\nname = \"gone\"\npath = \"no-such-folder\"\n"
    );
    folder.write("registry.toml", text);
}

#[test]
fn a_repository_becomes_a_registry_and_survives_losing_what_is_derived() {
    let folder = Folder::new();
    repository(&folder);
    configured(&folder, "1h");
    let mut daemon = Daemon::start(&folder);
    daemon.wait("the first scan is through", |daemon| {
        // The search index follows what is served a moment later.
        daemon.get("/v1/packs/greeter").status == 200 && daemon.json("/v1/search?q=")["total"] == 2
    });
    served(&daemon, &folder);
    refusals(&daemon);

    // A commit while the daemon runs: only a file notice can tell it, for it polls once an hour.
    folder.write(
        "packs/packs/greeter.pack.json",
        tagged(&greeter_with("2.0.0", REQUIRED, " The plan is {{tier}}.")),
    );
    folder.git(&["-C", "packs", "commit", "--quiet", "--all", "--message", "greeter 2.0.0"]);
    daemon.wait("2.0.0 is the latest", |daemon| {
        daemon.json("/v1/packs/greeter")["latest"] == "2.0.0"
            && daemon.json("/v1/search?q=id:greeter")["hits"][0]["version"] == "2.0.0"
    });

    let before = daemon.everything();
    daemon.child.kill().expect("a daemon to kill");
    daemon.child.wait().expect("it ends");
    std::fs::remove_dir_all(folder.path().join("state/index")).expect("the rows");
    std::fs::remove_dir_all(folder.path().join("state/search")).expect("the search index");
    let again = Daemon::start(&folder);
    again.wait("the source was scanned again", |daemon| {
        daemon.json("/v1/sources/packs")["problems"].as_array().is_some_and(|problems| !problems.is_empty())
    });
    for ((path, was), (_, is)) in before.iter().zip(again.everything()) {
        assert_eq!(*was, is, "{path}");
    }
    let verified = folder.run(&["ledger", "verify", "--config", "registry.toml"]);
    assert_eq!(verified.status, 0, "{}", verified.shown());
}

/// What the contract promises of the packs of [`repository`].
fn served(daemon: &Daemon, folder: &Folder) {
    let exact = daemon.get("/v1/packs/greeter/versions/1.1.0/pack.json");
    let expected = folder.git(&["-C", "packs", "show", "HEAD~3:packs/greeter.pack.json"]);
    assert_eq!(String::from_utf8_lossy(&exact.body).trim(), expected.trim());
    assert_eq!(exact.header("cache-control"), "public, max-age=31536000, immutable");
    let etag = exact.header("etag").to_owned();
    let unchanged = daemon.request(&format!(
        "GET /v1/packs/greeter/versions/1.1.0/pack.json HTTP/1.1\r\nIf-None-Match: {etag}"
    ));
    assert_eq!((unchanged.status, unchanged.body.len()), (304, 0));

    for reference in ["greeter", "greeter@latest", "greeter@%5E1", "greeter@1"] {
        let answer = daemon.get(&format!("/v1/fetch/{reference}"));
        assert_eq!(answer.header("packhouse-version"), "1.1.0", "{reference}");
    }
    let held = daemon.get("/v1/fetch/greeter@1.2.0");
    assert_eq!((held.status, held.header("packhouse-flagged")), (200, "insufficient-bump"));
    let only_held = daemon.get("/v1/fetch/greeter@~1.2");
    assert_eq!(only_held.status, 404);
    assert!(only_held.json()["detail"].as_str().is_some_and(|text| text.contains("1.2.1")));

    let document = daemon.json("/v1/packs/greeter");
    let versions: Vec<&str> = document["versions"]
        .as_array()
        .expect("versions")
        .iter()
        .filter_map(|v| v["version"].as_str())
        .collect();
    assert_eq!(versions, ["1.2.1", "1.2.0", "1.1.0", "1.0.0"]);
    for (at, flagged) in [(0, true), (1, true), (2, false), (3, false)] {
        let version = &document["versions"][at];
        assert_eq!(version["flagged"], flagged, "{version}");
        assert_eq!(version["breaking"], flagged, "{version}");
    }
    assert_eq!(document["versions"][1]["required_bump"], "major");
    let report = daemon.json("/v1/packs/greeter/versions/1.2.1/report");
    assert_eq!(report["baseline"]["version"], "1.1.0");

    let resolved = daemon.json("/v1/packs/guide/versions/1.0.0/resolved.json");
    assert_eq!(resolved["skills"][0]["instructions"], "Be brief and kind.\n");
    let found = daemon.json("/v1/search?q=tag:greeting+tool:look_up");
    assert_eq!((found["total"].clone(), found["hits"][0]["id"].clone()), (1.into(), "greeter".into()));
    let compared = daemon.json("/v1/packs/greeter/compare/1.1.0...1.2.0");
    let rules: Vec<&str> =
        compared["changes"].as_array().expect("changes").iter().filter_map(|c| c["rule"].as_str()).collect();
    assert!(rules.contains(&"variable-required-added"), "{rules:?}");

    let source = daemon.json("/v1/sources/packs");
    let problem = &source["problems"][0];
    assert_eq!(problem["code"], "not-json");
    assert_eq!(problem["path"], "packs/broken.pack.json");
    assert!(problem["message"].as_str().is_some_and(|text| !text.is_empty()));
    assert_eq!(daemon.json("/v1/sources/gone")["state"], "failing");
    commands_agree(daemon, folder);
}

/// The same repository through the commands gives the same changes.
fn commands_agree(daemon: &Daemon, folder: &Folder) {
    let old = "HEAD~3:packs/greeter.pack.json";
    let diff =
        folder.run_in("packs", &["diff", old, "HEAD~2:packs/greeter.pack.json", "--format", "json"], &[], "");
    let compared = daemon.json("/v1/packs/greeter/compare/1.1.0...1.2.0");
    assert_eq!(diff.json()["changes"], compared["changes"]);
    assert_eq!(diff.json()["required_bump"], "major");
    let lint = folder.run_in("packs", &["lint", "packs", "--format", "json"], &[], "");
    assert_eq!(lint.status, 1, "{}", lint.shown());
    let rules: Vec<Value> = lint.json()["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|finding| finding["rule"].clone())
        .collect();
    assert!(rules.contains(&"invalid-json".into()), "{rules:?}");
    let check =
        folder.run_in("packs", &["check", "packs", "--against", "HEAD~2", "--format", "json"], &[], "");
    let packs = check.json()["packs"].as_array().expect("packs").clone();
    let greeter = packs.iter().find(|pack| pack["pack"] == "greeter").expect("the greeter");
    assert_eq!(greeter["baseline"]["version"], "1.1.0", "{}", check.shown());
    assert_eq!((check.status, greeter["passed"].clone()), (1, false.into()), "{}", check.shown());
    let url = format!("http://{}", daemon.address);
    let fetched = folder.run(&["fetch", "greeter@^1", "--registry", &url]);
    assert_eq!(fetched.status, 0, "{}", fetched.shown());
    assert!(folder.read("packs/greeter.pack.json").contains("\"1.1.0\""));
    std::fs::remove_file(folder.path().join("packs/greeter.pack.json")).expect("the fetched file");
    let fetched = folder.run(&["fetch", "guide@1", "--form", "bundle", "--registry", &url, "--out", "taken"]);
    assert_eq!(fetched.status, 0, "{}", fetched.shown());
    let manifest: serde_json::Value =
        serde_json::from_str(&folder.read("taken/guide/manifest.json")).expect("the manifest of the bundle");
    let pack = manifest["pack"].as_str().expect("the pack's file").to_owned();
    let source = folder.git(&["-C", "packs", "show", &format!("HEAD:{pack}")]);
    assert_eq!(folder.read(&format!("taken/guide/{pack}")).trim(), source.trim());
    let skill = manifest["skills"][0]["files"][0]["path"].as_str().expect("a file").to_owned();
    assert!(folder.read(&format!("taken/guide/{skill}")).contains("Be brief and kind."));
}

/// Every refusal is a problem document.
fn refusals(daemon: &Daemon) {
    for (request, status) in [
        ("GET /v1/packs/nobody HTTP/1.1", 404),
        ("GET /v1/nothing HTTP/1.1", 404),
        ("DELETE /v1/packs HTTP/1.1", 405),
        ("GET /v1/fetch/Greeter@1 HTTP/1.1", 400),
        ("GET /v1/packs?colour=red HTTP/1.1", 400),
    ] {
        let answer = daemon.request(request);
        assert_eq!(answer.status, status, "{request}");
        assert_eq!(answer.header("content-type"), "application/problem+json", "{request}");
        assert_eq!(answer.json()["status"], status, "{request}");
    }
    assert_eq!(daemon.get("/healthz").status, 200);
    assert_eq!(daemon.get("/readyz").status, 200);
    assert_eq!(daemon.get("/").status, 200);
}

#[test]
fn what_keeps_the_daemon_from_starting_is_one_clear_line() {
    let folder = Folder::new();
    folder.write("typo.toml", "[server]\nlisten_on = \"127.0.0.1:0\"\n");
    let ran = folder.run(&["serve", "--config", "typo.toml"]);
    assert_eq!(ran.status, 2, "{}", ran.shown());
    assert!(ran.stderr.contains("typo.toml:2") && ran.stderr.contains("listen"), "{}", ran.shown());

    let missing = folder.run(&["serve", "--config", "missing.toml"]);
    assert_eq!(missing.status, 2, "{}", missing.shown());

    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("its address").to_string();
    folder.write("empty.toml", "");
    let ran = folder.run(&["serve", "--config", "empty.toml", "--listen", &address]);
    assert_eq!(ran.status, 2, "{}", ran.shown());
    assert!(ran.stderr.contains(&address), "{}", ran.shown());

    folder.write("registry.toml", "");
    let _running = Daemon::start(&folder);
    let ran = folder.run(&["serve", "--config", "registry.toml", "--listen", "127.0.0.1:0"]);
    assert_eq!(ran.status, 2, "{}", ran.shown());
    assert!(ran.stderr.contains("locked"), "{}", ran.shown());
}

#[test]
fn without_a_file_notice_the_poll_finds_the_commit() {
    let folder = Folder::new();
    folder.git(&["init", "--quiet", "--initial-branch=main", "packs"]);
    configured(&folder, "200ms");
    let daemon = Daemon::start(&folder);
    folder.write("packs/greeter.pack.json", greeter("1.0.0"));
    folder.git(&["-C", "packs", "add", "--all"]);
    folder.git(&["-C", "packs", "commit", "--quiet", "--message", "greeter"]);
    daemon.wait("the pack is served", |daemon| daemon.get("/v1/fetch/greeter@1.0.0").status == 200);
}

#[test]
fn the_demo_serves_its_packs_and_cleans_up() {
    let folder = Folder::new();
    let mut command = program(&["demo", "--listen", "127.0.0.1:0"], &folder.path());
    command.env("TMPDIR", folder.path());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines().map_while(Result::ok);
    let mut said = String::new();
    for line in lines.by_ref() {
        said.push_str(&line);
        said.push('\n');
        if line.starts_with("Ctrl-C") {
            break;
        }
    }
    assert!(said.contains("5 packs") && said.contains("(flagged)") && said.contains("support-bot"), "{said}");
    let url =
        said.lines().find_map(|line| line.trim().strip_prefix("curl http://")).expect("a command to try");
    let address = url.split('/').next().expect("an address").to_owned();
    let mut daemon = Daemon { child, address, said: Arc::default(), leads_group: false };
    let flagged = daemon.get("/v1/fetch/support-bot@1.2.0");
    assert_eq!(flagged.header("packhouse-flagged"), "insufficient-bump");
    assert_eq!(daemon.stop(), Some(0));
    let left = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 0, "the demo leaves nothing behind");
}

#[test]
fn the_configurations_that_operators_copy_can_be_read() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for file in ["deploy/config.example.toml", "registry-data/registry.toml"] {
        let text = std::fs::read_to_string(root.join(file)).expect("a file of the repository");
        let folder = Folder::new();
        folder.write("registry.toml", &text);
        // The repositories that it names are not there: that is said, and is no mistake of the file.
        let checked = folder.run(&["config", "check", "--config", "registry.toml"]);
        assert!(checked.status < 2, "{file}: {}", checked.shown());
        assert!(checked.stdout.contains("source "), "{file}: {}", checked.shown());
    }
}

/// What a pack refers to is fetched with it: its schema files are compared, whichever side comes from a registry.
#[test]
fn the_schema_files_of_a_release_are_compared() {
    let folder = Folder::new();
    let given = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/packs/invoice-intake");
    let files = ["invoice-intake.pack.json", "schemas/extraction.schema.json", "schemas/input.schema.json"];
    for file in files.iter().chain(&["schemas/recommendation.schema.json"]) {
        let text = std::fs::read_to_string(given.join(file)).expect("a file of the pack");
        folder.write(&format!("packs/intake/{file}"), text);
    }
    folder.write("registry.toml", "[[source]]\nname = \"packs\"\npath = \"packs\"\n");
    folder.git(&["init", "--quiet", "--initial-branch=main", "packs"]);
    folder.git(&["-C", "packs", "add", "--all"]);
    folder.git(&["-C", "packs", "commit", "--quiet", "--message", "first"]);
    let daemon = Daemon::start(&folder);
    let version = "/v1/packs/invoice-intake/versions/1.2.0";
    daemon.wait("the pack is served", |daemon| daemon.get(version).status == 200);
    let registry = format!("http://{}", daemon.address);
    let check = || {
        let arguments =
            ["check", "--against", "registry:1.2.0", "--registry", &registry, "--format", "concise"];
        folder.run_in("packs", &arguments, &[], "")
    };
    let same = check();
    assert_eq!((same.status, same.stdout.as_str()), (0, ""), "{}", same.shown());
    let schema = "packs/intake/schemas/input.schema.json";
    folder.write(schema, folder.read(schema).replace("[A-Z]{3}", "EU[A-Z]"));
    let narrowed = check();
    assert_eq!(narrowed.status, 1, "{}", narrowed.shown());
    assert!(narrowed.stdout.contains("[composition-input-narrowed]"), "{}", narrowed.shown());
}

#[test]
fn what_a_schema_file_refers_to_belongs_to_the_release() {
    let folder = Folder::new();
    let compositions = r#""compositions": { "greet": { "version": 1, "input_schema": "schemas/in.json",
        "steps": [{ "id": "say", "kind": "prompt", "prompt_task": "hello" }], "output": "say" } },
  "prompts": {"#;
    let pack = |version: &str| greeter(version).replacen("\"prompts\": {", compositions, 1);
    folder.write("packs/made/greeter.pack.json", pack("1.0.0"));
    folder.write(
        "packs/schemas/in.json",
        r#"{ "type": "object", "properties": { "to": { "type": "string" } } }"#,
    );
    folder.write("registry.toml", "[[source]]\nname = \"packs\"\npath = \"packs\"\n");
    folder.git(&["init", "--quiet", "--initial-branch=main", "packs"]);
    let commit = |message: &str| {
        folder.git(&["-C", "packs", "add", "--all"]);
        folder.git(&["-C", "packs", "commit", "--quiet", "--message", message]);
    };
    commit("first");
    let daemon = Daemon::start(&folder);
    daemon.wait("the pack is served", |daemon| daemon.get("/v1/fetch/greeter@1.0.0").status == 200);
    // The schema starts to refer to another file: the pack's version and the commit that brings it are one.
    folder.write("packs/made/greeter.pack.json", pack("2.0.0"));
    folder.write(
        "packs/schemas/in.json",
        r#"{ "type": "object", "properties": { "to": { "$ref": "parts/to.json" } } }"#,
    );
    folder.write("packs/schemas/parts/to.json", r#"{ "type": "string", "minLength": 2 }"#);
    commit("second");
    daemon.wait("the second is served", |daemon| daemon.get("/v1/fetch/greeter@2.0.0").status == 200);
    let manifest = daemon.json("/v1/packs/greeter/versions/2.0.0");
    let paths: Vec<&str> = manifest["files"]
        .as_array()
        .expect("files")
        .iter()
        .filter_map(|file| file["path"].as_str())
        .collect();
    assert_eq!(paths, ["schemas/in.json", "schemas/parts/to.json"]);
    folder.write("packs/schemas/parts/to.json", r#"{ "type": "string", "minLength": 3 }"#);
    let registry = format!("http://{}", daemon.address);
    let arguments = ["check", "--against", "registry:2.0.0", "--registry", &registry, "--format", "concise"];
    let narrowed = folder.run_in("packs", &arguments, &[], "");
    assert!(narrowed.stdout.contains("[composition-input-narrowed]"), "{}", narrowed.shown());
    commit("third");
    daemon.wait("the reuse is told", |daemon| {
        daemon.json("/v1/sources/packs")["problems"][0]["code"] == "version-reused"
    });
}
