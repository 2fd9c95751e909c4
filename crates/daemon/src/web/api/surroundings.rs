//! What stands around a pack that came alone: the settings and files of the source that holds its id.
//!
//! The settings are those at the head that was scanned last. The files are those of the pack's releases; what no
//! release has cannot be known, and nothing is said of it but that.

use git::SourceRepository;
use pack::Document;
use pack::model::{Pack, SkillForm};
use pack::tree::{NoTree, Tree, Unreadable, folder, join};
use registry::borrowed::Borrowed;
use registry::candidate::{Archive, schema_places};
use registry::discover::named_files;
use registry::gate::line_release;
use registry::reference::is_pack_id;
use registry::settings::{FoundSettings, find_settings};
use registry::version::Known;
use semver::Version;
use store::{StoreArchive, with_causes};

use crate::web::App;
use crate::web::target::View;

/// What a pack is called that no source holds: it has no path.
const PATH: &str = "pack.json";

/// What stands around a pack.
pub(super) struct Surroundings {
    /// The settings that count for it.
    pub found: FoundSettings,
    /// Where it stands in its source.
    pub path: String,
    /// The files of its releases.
    pub files: Borrowed,
    /// What could not be looked at, and what stood in for it.
    pub notes: Vec<String>,
}

impl Surroundings {
    /// What the source that holds the pack knows of it, as far as the reader may see that.
    pub(super) fn of(app: &App, view: &View, archive: &StoreArchive<'_>, bytes: &[u8]) -> Surroundings {
        let mut around = Surroundings {
            found: FoundSettings::default(),
            path: PATH.to_owned(),
            files: Borrowed::default(),
            notes: Vec::new(),
        };
        let (document, _) = Document::parse(bytes);
        let Some(document) = document.filter(|document| document.root().is_object()) else { return around };
        let pack = Pack(document.root());
        let Some(id) = pack.id().filter(|id| is_pack_id(id)) else { return around };
        let entry = view.pack(id).ok();
        if let Some(newest) = entry.as_ref().and_then(|entry| view.releases(entry).next_back()) {
            around.path.clone_from(&newest.path);
        }
        let (found, note) = settings_of(app, view, archive, id, &around.path);
        around.found = found;
        around.notes.extend(note);
        if !named_files(&document, &around.path, &NoTree).is_empty() {
            let releases = stand_ins(&view.known(archive, id), pack.version());
            around.borrow(archive, id, &releases);
            around.tell_unseen(&document);
        }
        around
    }

    fn borrow(&mut self, archive: &StoreArchive<'_>, id: &str, releases: &[Version]) {
        let mut versions = Vec::new();
        for version in releases {
            let Some(content) = archive.content(id, version) else { continue };
            self.files.add(content.tree);
            versions.push(version.to_string());
        }
        if !versions.is_empty() {
            self.notes.push(format!(
                "the files that the pack names did not come with it: they were taken as they stand in {}",
                versions.join(", ")
            ));
        }
    }

    fn tell_unseen(&mut self, document: &Document) {
        let is_unknown = |path: &String| {
            let failed = |error: Unreadable| matches!(error, Unreadable::Failed(_));
            self.files.list(path).is_err_and(failed) && self.files.read(path).is_err_and(failed)
        };
        let mut unseen = Vec::new();
        for skill in Pack(document.root()).skills() {
            let Some(SkillForm::Path(path, _)) = skill.form() else { continue };
            let places = [join(folder(&self.path), path), join("", path)];
            if places.iter().flatten().next().is_some() && places.iter().flatten().all(is_unknown) {
                unseen.push(format!("`{path}`"));
            }
        }
        let schemas = schema_places(document, &self.path).into_iter();
        unseen
            .extend(schemas.filter(|ways| ways.iter().all(is_unknown)).map(|ways| format!("`{}`", ways[0])));
        let remark =
            |path| format!("{path} was not looked at: it did not come with the pack, and no release has it");
        self.notes.extend(unseen.into_iter().map(remark));
    }
}

/// The releases whose files stand in for those of a pack, the likeliest first.
fn stand_ins(known: &[Known], version: Option<Version>) -> Vec<Version> {
    let own = version
        .as_ref()
        .and_then(|version| known.iter().find(|known| known.version.cmp_precedence(version).is_eq()));
    let line = version.as_ref().and_then(|version| line_release(known, version, false));
    let highest = known.iter().max_by(|a, b| a.version.cmp_precedence(&b.version));
    let mut versions: Vec<Version> = Vec::new();
    for release in [own, line, highest].into_iter().flatten() {
        if !versions.contains(&release.version) {
            versions.push(release.version.clone());
        }
    }
    versions
}

/// What the source that holds `id` says at its head of the pack at `path`: defaults where the reader may not see the
/// source, and with a remark where it cannot be read.
pub(super) fn settings_of(
    app: &App,
    view: &View,
    archive: &StoreArchive<'_>,
    id: &str,
    path: &str,
) -> (FoundSettings, Option<String>) {
    let owner = archive.owner(id).filter(|owner| view.snapshot.source(&view.reader, owner).is_some());
    let Some(source) = owner else { return Default::default() };
    match settings_at_head(app, &source, path) {
        Ok(found) => (found, None),
        Err(why) => {
            let note = format!(
                "the settings of the source `{source}` were not looked at, and defaults stand in: {why}"
            );
            (FoundSettings::default(), Some(note))
        }
    }
}

fn settings_at_head(app: &App, source: &str, path: &str) -> Result<FoundSettings, String> {
    let folder = app.sources.get(source).ok_or("its repository is not on this machine")?;
    let state = app.store.source_state(source);
    let head = state.head.as_deref().and_then(|head| head.parse().ok()).ok_or("it was not scanned yet")?;
    let repository = SourceRepository::open(folder).map_err(|error| with_causes(&error))?;
    let tree = repository.tree(head).map_err(|error| with_causes(&error))?;
    let tree = tree.with_limit(app.settings.limits.pack_bytes);
    find_settings(&tree, path).map_err(|(file, error)| format!("{file}: {error}"))
}
