//! A registry in a temporary folder, and requests to it.
#![allow(clippy::disallowed_methods, reason = "tests read the seed from the disk")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use jiff::Timestamp;
use pack::tree::MemoryTree;
use registry::candidate::{Candidate, Outcome, Terms, judge};
use registry::judge::Settings;
use registry::settings::{FoundSettings, find_settings};
use registry::status::{PackStatus, source_layer};
use registry::{Problem, ProblemCode, RegistrySettings};
use serde_json::{Value, json};
use store::{Batch, Options, SourceRecord, SourceState, Store, StoreArchive};
use tower::ServiceExt;

use crate::web::{App, Hints, router};

/// The day on which everything happens.
pub const NOW: &str = "2026-06-01T12:00:00Z";

/// A registry with one source, `packs`.
pub struct World {
    pub app: App,
    pub ready: Arc<AtomicBool>,
    tree: MemoryTree,
    source: String,
    folder: tempfile::TempDir,
}

impl World {
    /// A registry without releases.
    pub fn empty() -> World {
        World::configured("[[source]]\nname = \"packs\"\npath = \"packs\"\n")
    }

    /// A registry without releases, with that `registry.toml`.
    pub fn configured(text: &str) -> World {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Arc::new(Store::open(folder.path(), Options::default()).expect("an empty store"));
        let settings = Arc::new(
            RegistrySettings::parse(&format!("[policy]\nno_allow = []\n{text}")).expect("a configuration"),
        );
        let ready = Arc::new(AtomicBool::new(true));
        let app = App::new(store, settings, Hints::new(|_, _| {}), ready.clone());
        let world = World { app, ready, tree: MemoryTree::default(), source: "packs".to_owned(), folder };
        world.in_source("packs")
    }

    /// What follows comes from this source.
    pub fn in_source(mut self, name: &str) -> World {
        self.source = name.to_owned();
        self.tree = MemoryTree::default();
        let settings = self.app.settings.sources.iter().find(|source| source.name == name);
        let record = SourceRecord {
            name: name.to_owned(),
            url: format!("/srv/git/{name}"),
            readers: settings.map(|settings| settings.readers.clone()).unwrap_or_default(),
            ids: Vec::new(),
            former_names: Vec::new(),
            first_head: None,
        };
        let batch = Batch { sources: vec![record], ..Batch::default() };
        self.app.store.publish(batch, now()).expect("a source record");
        self
    }

    /// Puts a file into the source's tree.
    pub fn file(mut self, path: &str, bytes: impl Into<Vec<u8>>) -> World {
        self.tree.insert(path, bytes);
        self
    }

    /// Publishes a pack that must be accepted.
    pub fn publish(mut self, pack: &Value) -> World {
        let path = format!("{}.pack.json", pack["id"].as_str().expect("an id"));
        let bytes = serde_json::to_vec_pretty(pack).expect("JSON");
        self.tree.insert(path.clone(), bytes.clone());
        if let Err(problem) = self.judge(&path, bytes) {
            panic!("refused: {} {}", problem.code, problem.message);
        }
        self
    }

    /// Publishes a version of a small pack that greets somebody.
    pub fn greeter(self, version: &str) -> World {
        self.publish(&greeter(version))
    }

    fn judge(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), Box<Problem>> {
        let found = find_settings(&self.tree, path).unwrap_or_else(|_| FoundSettings::default());
        let candidate = Candidate {
            bytes,
            path: path.to_owned(),
            commit: "c0ffee0123456789c0ffee0123456789c0ffee01".to_owned(),
            tag: None,
            tag_object: None,
            committed_at: now(),
        };
        let terms = Terms {
            source: &self.source,
            ids: &[],
            settings: Settings {
                repository: &found.settings,
                base: &found.base,
                policy: &self.app.settings.policy,
                today: jiff::civil::date(2026, 6, 1),
                spec: None,
            },
            limits: self.app.settings.limits,
            gentle: false,
            packages: &registry::package::NoPackages,
        };
        let archive = StoreArchive::new(&self.app.store, &self.app.settings.sources);
        match judge(&candidate, &self.tree, &archive, terms) {
            Outcome::Publish(release) => {
                let batch =
                    Batch { releases: vec![*release], source: Some(self.source.clone()), ..Batch::default() };
                self.app.store.publish(batch, now()).expect("a batch");
                Ok(())
            }
            Outcome::Known { .. } => Ok(()),
            Outcome::Refused(problem) => Err(Box::new(problem)),
        }
    }

    /// Says of a pack what the root `packhouse.toml` of its repository would say.
    pub fn status(self, id: &str, toml: &str) -> World {
        let settings = registry::RepositorySettings::parse(toml).expect("settings");
        let snapshot = self.app.store.snapshot();
        let pack = snapshot.pack(&store::Reader::everybody(), id).expect("a pack").clone();
        let released: Vec<_> = pack.releases.iter().map(|row| row.version.clone()).collect();
        let layer = source_layer(&settings, id, &released);
        let status = PackStatus { source: layer, ..PackStatus::default() };
        let changes = pack.status.changes(&status);
        let batch = Batch {
            statuses: vec![(id.to_owned(), status, changes)],
            source: Some(self.source.clone()),
            ..Batch::default()
        };
        self.app.store.publish(batch, now()).expect("a batch");
        self
    }

    /// Remembers a problem of the source.
    pub fn problem(self, problem: &Problem, current: bool) -> World {
        let mut state = self.app.store.source_state(&self.source);
        state.see(problem, now());
        state.last_attempt = Some(now());
        state.last_success = Some(now());
        if !current {
            state.settle(&[problem.code]);
        }
        self.app.store.set_source_state(&self.source, &state).expect("a state");
        self
    }

    /// Remembers that the source could not be read.
    pub fn failing(self, error: &str) -> World {
        let state = SourceState {
            error: Some(error.to_owned()),
            last_attempt: Some(now()),
            ..self.app.store.source_state(&self.source)
        };
        self.app.store.set_source_state(&self.source, &state).expect("a state");
        self
    }

    /// Publishes the seed packs of a source, step by step.
    pub fn seed(mut self, source: &str) -> World {
        self = self.in_source(source);
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../registry-data/seed").join(source);
        let mut steps: Vec<_> =
            std::fs::read_dir(root).expect("the seed").map(|step| step.expect("a step").path()).collect();
        steps.sort();
        for step in steps {
            let mut files = BTreeMap::new();
            collect(&step, &step, &mut files);
            for (path, bytes) in &files {
                self.tree.insert(path.clone(), bytes.clone());
            }
            for (path, bytes) in files.into_iter().filter(|(path, _)| path.ends_with(".pack.json")) {
                if let Err(problem) = self.judge(&path, bytes) {
                    self = self.problem(&problem, true);
                }
            }
        }
        self
    }

    /// The folder of the state.
    pub fn state(&self) -> &Path {
        self.folder.path()
    }

    /// GET.
    pub fn get(&self, path: &str) -> Reply {
        self.ask(Request::get(path).body(Body::empty()).expect("a request"))
    }

    /// GET with a header.
    pub fn get_with(&self, path: &str, name: &str, value: &str) -> Reply {
        self.ask(Request::get(path).header(name, value).body(Body::empty()).expect("a request"))
    }

    /// GET as a browser.
    pub fn page(&self, path: &str) -> Reply {
        self.get_with(path, "accept", "text/html,application/xhtml+xml")
    }

    /// POST of a JSON body.
    pub fn post(&self, path: &str, body: impl Into<Body>) -> Reply {
        let request = Request::post(path).header("content-type", "application/json");
        self.ask(request.body(body.into()).expect("a request"))
    }

    /// Any request.
    pub fn ask(&self, request: Request<Body>) -> Reply {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(async {
            let response = router(self.app.clone()).oneshot(request).await.expect("an answer");
            let (parts, body) = response.into_parts();
            let bytes = axum::body::to_bytes(body, usize::MAX).await.expect("a body");
            Reply { status: parts.status, headers: parts.headers, bytes: bytes.to_vec() }
        })
    }
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
            files.insert(name, std::fs::read(&path).expect("a file"));
        }
    }
}

/// The one moment of the tests.
pub fn now() -> Timestamp {
    NOW.parse().expect("a time")
}

/// A small pack.
pub fn greeter(version: &str) -> Value {
    json!({
        "$schema": "https://promptpack.org/schema/v1.5.1/promptpack.schema.json",
        "id": "greeter",
        "name": "Greeter",
        "version": version,
        "description": "Greets people by name.",
        "template_engine": {"version": "v1", "syntax": "{{variable}}"},
        "metadata": {"domain": "welcome", "language": "en", "tags": ["hello", "small"]},
        "prompts": {"hello": {
            "id": "hello",
            "name": "Hello",
            "version": "1.0.0",
            "system_template": "Say hello to {{name}}.",
            "variables": [{"name": "name", "type": "string", "required": true, "description": "Who.", "example": "Ada"}]
        }}
    })
}

/// One composition of the small pack, with the schema of its input.
pub fn composition(input_schema: &str) -> Value {
    json!({"greet": {
        "version": 1,
        "description": "One greeting.",
        "input_schema": input_schema,
        "steps": [{"id": "say", "kind": "prompt", "prompt_task": "hello", "input": {"name": "${input.name}"}}],
    }})
}

/// A version of the small pack that needs one variable more: a break.
pub fn breaking_greeter(version: &str) -> Value {
    let mut pack = greeter(version);
    pack["prompts"]["hello"]["system_template"] = "Say hello to {{name}} in {{tongue}}.".into();
    let tongue = json!({"name": "tongue", "type": "string", "required": true, "description": "How.", "example": "Welsh"});
    pack["prompts"]["hello"]["variables"].as_array_mut().expect("a list").push(tongue);
    pack
}

/// A problem at a path.
pub fn a_problem(code: ProblemCode, path: &str, message: &str) -> Problem {
    Problem::new(code, message).at_path(path)
}

/// The answer to a request.
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

impl Reply {
    /// The body as JSON, of an answer that went well.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{}", self.text());
        assert_eq!(self.header("content-type"), "application/json");
        serde_json::from_slice(&self.bytes).expect("JSON")
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// A header; empty where it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }

    /// The problem document of an answer that did not go well.
    #[track_caller]
    pub fn problem(&self, status: u16, slug: &str) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        assert_eq!(self.header("content-type"), "application/problem+json");
        let document: Value = serde_json::from_slice(&self.bytes).expect("JSON");
        assert_eq!(document["type"], format!("/problems/{slug}"));
        assert_eq!(document["status"], status);
        assert!(document["title"].is_string() && document["detail"].is_string(), "{document}");
        document
    }

    /// A page that went well.
    #[track_caller]
    pub fn html(&self) -> String {
        assert_eq!(self.status, StatusCode::OK, "{}", self.text());
        assert_eq!(self.header("content-type"), "text/html; charset=utf-8");
        self.text()
    }
}
