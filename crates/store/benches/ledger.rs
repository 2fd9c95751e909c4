//! What a large ledger costs: bulk ingest, one publication more, a start, a rebuild, its size on disk.
//!
//! `cargo bench -p store`, or with another number of releases: `cargo bench -p store -- 10000`.
#![allow(missing_docs, clippy::print_stdout, clippy::disallowed_methods, clippy::disallowed_types)]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use pack::Digest;
use pack::tree::MemoryTree;
use registry::candidate::{Candidate, Outcome, Terms};
use registry::package::NoPackages;
use registry::release::{Form, FormRecord, NewRelease, StoredFile};
use registry::settings::{Limits, Policy, RepositorySettings, SourceSettings};
use semver::Version;
use store::{Batch, Options, SourceRecord, Store, StoreArchive, rebuild};

/// Versions of each pack.
const VERSIONS: usize = 100;
/// Releases of one batch of the bulk ingest.
const BATCH: usize = 1000;
/// The size of a pack.
const BYTES: usize = 4096;
/// Publications of one release that are timed.
const SINGLES: usize = 200;

fn main() {
    let asked = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    let releases: usize = asked.unwrap_or(100_000);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let state = folder.path().join("state");
    let store = Store::open(&state, Options::default()).expect("a store");
    let template = template(&store);
    row("releases", &releases.to_string());

    let packs = (releases / VERSIONS).max(1);
    let all: Vec<(usize, usize)> =
        (0..VERSIONS).flat_map(|version| (0..packs).map(move |pack| (pack, version))).collect();
    let mut ingest = Duration::ZERO;
    for chunk in all.chunks(BATCH) {
        let prepared = chunk.iter().map(|(pack, version)| release(&template, *pack, *version)).collect();
        let start = Instant::now();
        publish(&store, prepared);
        ingest += start.elapsed();
    }
    row("bulk ingest of prepared releases", &seconds(ingest));

    let mut singles: Vec<Duration> = (0..SINGLES)
        .map(|single| {
            let prepared = vec![release(&template, single % packs, VERSIONS + single / packs)];
            let start = Instant::now();
            publish(&store, prepared);
            start.elapsed()
        })
        .collect();
    singles.sort();
    row("publish one more, p50", &milliseconds(singles[SINGLES / 2]));
    row("publish one more, p99", &milliseconds(singles[SINGLES * 99 / 100]));
    store.close().expect("a tidy end");
    drop(store);

    row("ledger on disk", &format!("{:.0} MB", size(&state.join("ledger.git")) as f64 / 1e6));
    row("look-up rows on disk", &format!("{:.0} MB", size(&state.join("index")) as f64 / 1e6));
    let start = Instant::now();
    drop(Store::open(&state, Options::default()).expect("a store"));
    row("start", &seconds(start.elapsed()));
    let start = Instant::now();
    rebuild(&state, Options::default()).expect("a rebuild");
    row("rebuild of everything derived", &seconds(start.elapsed()));
}

fn row(what: &str, value: &str) {
    println!("{what:<36} {value:>12}");
}

fn seconds(duration: Duration) -> String {
    format!("{:.2} s", duration.as_secs_f64())
}

fn milliseconds(duration: Duration) -> String {
    format!("{:.1} ms", duration.as_secs_f64() * 1e3)
}

fn publish(store: &Store, releases: Vec<NewRelease>) {
    let record = SourceRecord {
        name: "packs".to_owned(),
        url: "packs".to_owned(),
        readers: Vec::new(),
        ids: Vec::new(),
        former_names: Vec::new(),
        first_head: None,
    };
    let batch =
        Batch { releases, sources: vec![record], source: Some("packs".to_owned()), ..Batch::default() };
    store.publish(batch, Timestamp::UNIX_EPOCH).expect("a batch is recorded");
}

/// A pack of four kilobytes whose text no other one has.
fn text(pack: usize, version: usize) -> String {
    let mut filler = String::new();
    let mut number = (pack * 1_000_003 + version) as u64;
    while filler.len() < BYTES - 600 {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        filler.push_str(WORDS[(number >> 33) as usize % WORDS.len()]);
        filler.push(' ');
    }
    format!(
        r#"{{"$schema": "https://promptpack.org/schema/latest/promptpack.schema.json", "id": "pack-{pack}",
  "name": "Pack {pack}", "version": "1.0.{version}", "description": "Answers questions of kind {pack}.",
  "template_engine": {{"version": "v1", "syntax": "{{{{variable}}}}"}},
  "prompts": {{"hello": {{"id": "hello", "name": "Hello", "version": "1.0.0",
    "system_template": "Greet {{{{name}}}}. {filler}",
    "variables": [{{"name": "name", "type": "string", "required": true}}]}}}}}}"#
    )
}

const WORDS: [&str; 16] = [
    "answer", "briefly", "customer", "never", "refund", "order", "policy", "kindly", "before", "contract",
    "silence", "ticket", "urgent", "window", "account", "language",
];

/// A judged release, of which the others are made.
fn template(store: &Store) -> NewRelease {
    let repository = RepositorySettings::default();
    let policy = Policy::default();
    let today = jiff::civil::date(2026, 1, 1);
    let settings =
        registry::Settings { repository: &repository, base: "", policy: &policy, today, spec: None };
    let terms = Terms {
        source: "packs",
        ids: &[],
        settings,
        limits: Limits::default(),
        gentle: false,
        packages: &NoPackages,
    };
    let candidate = Candidate {
        bytes: text(0, 0).into_bytes(),
        path: "pack.json".to_owned(),
        commit: "c0ffee".to_owned(),
        tag: None,
        tag_object: None,
        committed_at: Timestamp::UNIX_EPOCH,
    };
    let sources = vec![SourceSettings::local("packs", "packs")];
    let archive = StoreArchive::new(store, &sources);
    match registry::judge(&candidate, &MemoryTree::default(), &archive, terms) {
        Outcome::Publish(release) => *release,
        _ => panic!("the template is published"),
    }
}

fn release(template: &NewRelease, pack: usize, version: usize) -> NewRelease {
    let bytes = text(pack, version).into_bytes();
    let digest = Digest::of(&bytes);
    let mut new = template.clone();
    new.release.id = format!("pack-{pack}");
    new.release.version = Version::new(1, 0, version as u64);
    new.release.summary.name = format!("Pack {pack}");
    (new.release.digest, new.release.content) = (digest, digest);
    new.release.forms = BTreeMap::from([(Form::Source, FormRecord { digest, size: bytes.len() as u64 })]);
    new.files = BTreeMap::from([("pack.json".to_owned(), StoredFile { bytes, executable: false })]);
    new
}

fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    entries
        .map(|entry| match entry.metadata().expect("metadata") {
            metadata if metadata.is_dir() => size(&entry.path()),
            metadata => metadata.len(),
        })
        .sum()
}
