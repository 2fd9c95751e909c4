//! `packhouse fetch [REF…]`: fetches packs by reference, verifies them, and locks what they mean.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use client::{Cache, Client, Fetched, Form, Lock, LockedPack};
use registry::Reference;

use super::registry_client;
use crate::args::RegistryOptions;
use crate::complaint::{self, Complaint};
use crate::environment;
use crate::exit::Verdict;

mod unpack;
mod write;

/// The lock file, beside the caller.
const LOCK: &str = "packhouse.lock";

/// Fetch packs by reference, verify their digests, and lock what the references mean
///
/// A reference is id@version, id@range, id@channel, id@sha256:HEX, or an id alone, which means id@latest. A reference
/// that `packhouse.lock` holds stays at its version until `--update`. Without references, everything that the lock
/// holds is fetched. Writes DIR/<id>.pack.json, or DIR/<id>/… for a bundle; when one digest is wrong, nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  packhouse fetch support@^1 --registry http://127.0.0.1:7420\n  \
    packhouse fetch --locked --out packs")]
pub struct Arguments {
    /// What to fetch; nothing is what the lock holds
    references: Vec<String>,
    /// The folder to write to
    #[arg(long, value_name = "DIR", default_value = "packs")]
    out: PathBuf,
    /// The form: resolved, source, portable, bundle; otherwise what is locked, else resolved
    #[arg(long, value_enum, value_name = "FORM", hide_possible_values = true)]
    form: Option<WantedForm>,
    /// Move locked references to the newest releases that they mean
    #[arg(long, conflicts_with_all = ["locked", "offline"])]
    update: bool,
    /// Refuse to change the lock
    #[arg(long)]
    locked: bool,
    /// Use nothing but the cache
    #[arg(long)]
    offline: bool,
    /// The registry.
    #[command(flatten)]
    registry: RegistryOptions,
}

/// The forms that can be fetched.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum WantedForm {
    /// Self-contained
    Resolved,
    /// The exact bytes of the source
    Source,
    /// For runtimes that know no fragments
    Portable,
    /// With the files that it names
    Bundle,
}

impl WantedForm {
    fn form(self) -> Form {
        match self {
            WantedForm::Resolved => Form::Resolved,
            WantedForm::Source => Form::Source,
            WantedForm::Portable => Form::Portable,
            WantedForm::Bundle => Form::Bundle,
        }
    }
}

/// One pack, verified and not written yet.
struct Got {
    entry: LockedPack,
    bytes: Vec<u8>,
}

/// Runs the command.
///
/// # Errors
/// When something is not found, not as it was promised, or cannot be written. Then nothing is written.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    let path = Path::new(LOCK);
    let lock = Lock::read(path)?;
    let references = wanted(arguments, &lock)?;
    let cache = cache()?;
    let mut next = lock.clone();
    let mut fetched = Vec::new();
    for reference in &references {
        Reference::parse(reference).map_err(|error| {
            Complaint::new(format!("`{reference}` is no reference: {error}"))
                .help("write id@version, id@range such as support@^1, id@channel, or id@sha256:HEX")
        })?;
        let got = get(reference, arguments, &lock, cache.as_ref())?;
        next.put(got.entry.clone());
        fetched.push(got);
    }
    check_names(&fetched)?;
    for got in &fetched {
        for gone in next.drop_rivals(&got.entry) {
            let Got { entry, .. } = got;
            complaint::warn(&format!(
                "{} ({}) is no longer locked: {} ({}) takes its place",
                gone.reference, gone.version, entry.reference, entry.version
            ));
        }
    }
    if arguments.locked && next != lock {
        return Err(Complaint::new("`packhouse.lock` would change, and `--locked` forbids it")
            .help("run `packhouse fetch` without `--locked`, and commit the lock")
            .into());
    }
    for got in &fetched {
        write::pack(&arguments.out, &got.entry, &got.bytes)?;
    }
    if next != lock {
        next.write(path)?;
    }
    Ok(Verdict::Pass)
}

/// The references of the run.
fn wanted(arguments: &Arguments, lock: &Lock) -> anyhow::Result<Vec<String>> {
    if !arguments.references.is_empty() {
        let mut references = arguments.references.clone();
        references.sort();
        references.dedup();
        return Ok(references);
    }
    if lock.packs.is_empty() {
        return Err(Complaint::new(format!("no reference is named, and there is no {LOCK} here"))
            .help("name one: `packhouse fetch support@^1`")
            .into());
    }
    Ok(lock.packs.iter().map(|pack| pack.reference.clone()).collect())
}

/// Two references of one pack would be written to one place.
fn check_names(fetched: &[Got]) -> anyhow::Result<()> {
    for (at, got) in fetched.iter().enumerate() {
        let other = fetched[..at].iter().find(|other| other.entry.id == got.entry.id);
        if let Some(other) = other.filter(|other| other.entry.digest != got.entry.digest) {
            let (one, two) = (&other.entry.reference, &got.entry.reference);
            return Err(Complaint::new(format!(
                "{one} and {two} are two releases of one pack, for one file"
            ))
            .help("fetch them in two folders, each with its own `packhouse.lock`")
            .into());
        }
    }
    Ok(())
}

fn get(reference: &str, arguments: &Arguments, lock: &Lock, cache: Option<&Cache>) -> anyhow::Result<Got> {
    let locked = lock.find(reference);
    let form =
        arguments.form.map(WantedForm::form).or(locked.map(|pack| pack.form)).unwrap_or(Form::Resolved);
    let kept = locked.filter(|pack| !arguments.update && pack.form == form);
    if let Some(pack) = kept
        && let Some(bytes) = cache.and_then(|cache| cache.get(pack.digest))
    {
        return Ok(Got { entry: pack.clone(), bytes });
    }
    if arguments.offline {
        let complaint = match kept {
            Some(pack) => Complaint::new(format!("{reference}: {} is not in the cache", pack.digest)),
            None => Complaint::new(format!(
                "{reference}: it is not locked in this form, so the cache cannot know it"
            )),
        };
        return Err(complaint.help("fetch it once without `--offline`").into());
    }
    if arguments.locked && kept.is_none() {
        return Err(Complaint::new(format!(
            "{reference}: it is not locked in this form, and `--locked` forbids to change that"
        ))
        .help("run `packhouse fetch` without `--locked`, and commit the lock")
        .into());
    }
    let client = registry_client(&arguments.registry)?;
    let exact = locked.filter(|_| !arguments.update).map(|pack| format!("{}@{}", pack.id, pack.version));
    let fetched = client.fetch(exact.as_deref().unwrap_or(reference), form)?;
    if let Some(pack) = kept.filter(|pack| pack.digest != fetched.digest) {
        let message = format!(
            "{reference}: the registry now gives {} for {}@{}, and {} is locked",
            fetched.digest, pack.id, pack.version, pack.digest
        );
        return Err(Complaint::new(message)
            .help("releases never change: find out why before you trust either of the two")
            .into());
    }
    warn_about(&fetched);
    if let Some(cache) = cache {
        cache.put(&fetched.bytes)?;
    }
    let commit = match kept {
        Some(pack) => pack.commit.clone(),
        None => commit_of(&client, &fetched)?,
    };
    let Fetched { id, version, form, digest, bytes, url, .. } = fetched;
    let url = kept.map_or(url, |pack| pack.url.clone());
    let entry = LockedPack { reference: reference.to_owned(), id, version, form, digest, url, commit };
    Ok(Got { entry, bytes })
}

fn warn_about(fetched: &Fetched) {
    let name = format!("{}@{}", fetched.id, fetched.version);
    if let Some(why) = &fetched.flagged {
        complaint::warn(&format!("{name} is flagged: {why}"));
    }
    for (is_so, what) in [(fetched.yanked, "yanked"), (fetched.deprecated, "deprecated")] {
        if is_so {
            complaint::warn(&format!("{name} is {what}; `packhouse info {name}` says why"));
        }
    }
}

fn commit_of(client: &Client, fetched: &Fetched) -> anyhow::Result<String> {
    let manifest = client.manifest(&fetched.id, &fetched.version.to_string())?;
    Ok(manifest.commit.unwrap_or_default())
}

/// The cache: where the environment says, else in the user's own cache folder; none where there is no such folder.
fn cache() -> anyhow::Result<Option<Cache>> {
    let own = environment::read(environment::CACHE).map(PathBuf::from);
    let shared = || environment::read(environment::XDG_CACHE_HOME).map(PathBuf::from);
    let home = || environment::read(environment::HOME).map(|home| PathBuf::from(home).join(".cache"));
    let folder = own.or_else(|| shared().or_else(home).map(|folder| folder.join("packhouse")));
    let Some(folder) = folder else { return Ok(None) };
    if let Err(error) = std::fs::create_dir_all(&folder) {
        complaint::warn(&format!("nothing is cached: {}: {error}", folder.display()));
        return Ok(None);
    }
    Ok(Some(Cache::new(&folder)))
}
