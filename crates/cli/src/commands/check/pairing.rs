//! What each pack at HEAD is compared with.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::rc::Rc;

use git::{ObjectId, SourceRepository};
use registry::gate::{BUMP, Judged, line_release, pairing_ambiguous};
use registry::judge::same_content;
use registry::report::{CheckStatus, FindingView};

use super::base::{Base, Kind, VersionTag, Wanted};
use super::examine::Run;
use super::releases::Releases;
use super::sides::{BaseSide, BaseTree, Pick, signature};
use crate::complaint::{self, Complaint};
use crate::gittree::Contents;
use crate::judging::JudgedFile;

/// Where the older versions are.
pub enum Trees {
    None,
    Several(Vec<BaseTree>),
    LastRelease(Option<BaseTree>),
    Tags(Vec<(VersionTag, BaseTree)>),
    Registry,
}

/// A pack at HEAD with what it is compared with.
pub struct Paired {
    pub file: JudgedFile,
    pub bases: Vec<BaseSide>,
    pub status: CheckStatus,
    pub findings: Vec<FindingView>,
    /// Why an older version cannot be read, where there is one.
    pub unreadable: Option<String>,
}

/// Opens what the base names. Of `contents` nothing is read again.
///
/// # Errors
/// When a commit or folder of it cannot be read.
pub fn trees_of(
    base: &Base,
    repository: Option<&Rc<SourceRepository>>,
    contents: &Contents,
) -> anyhow::Result<Trees> {
    let at = |commit, below: Option<&str>| match repository {
        Some(repository) => BaseTree::of_commit(repository, commit, below, contents),
        None => Err(Complaint::new("the packs are in no Git repository").into()),
    };
    Ok(match &base.kind {
        Kind::Nothing => Trees::None,
        Kind::Commits(commits, below) => {
            let trees = commits.iter().map(|commit| at(*commit, below.as_deref()));
            Trees::Several(trees.collect::<anyhow::Result<_>>()?)
        }
        Kind::LastRelease(parent) => Trees::LastRelease(parent.map(|parent| at(parent, None)).transpose()?),
        Kind::Tags(tags) => {
            let mut trees: BTreeMap<ObjectId, BaseTree> = BTreeMap::new();
            let mut found = Vec::new();
            for tag in tags {
                let tree = match trees.entry(tag.commit) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(slot) => slot.insert(at(tag.commit, None)?),
                };
                found.push((tag.clone(), tree.clone()));
            }
            Trees::Tags(found)
        }
        Kind::Disk(path) => Trees::Several(vec![BaseTree::on_disk(path)?]),
        Kind::Registry(_) => Trees::Registry,
    })
}

impl Trees {
    /// The files of the base, for its settings and for what is gone.
    pub fn first(&self) -> Option<&BaseTree> {
        match self {
            Trees::Several(trees) => trees.first(),
            Trees::LastRelease(tree) => tree.as_ref(),
            Trees::Tags(tags) => tags.first().map(|(_, tree)| tree),
            Trees::None | Trees::Registry => None,
        }
    }
}

impl Run<'_> {
    /// Finds what a pack is compared with; none where the base is broken and that was said.
    pub fn pair(&mut self, file: JudgedFile, releases: &Releases) -> anyhow::Result<Option<Paired>> {
        let (mut bases, mut findings, mut unreadable) = (Vec::new(), Vec::new(), None);
        if self.is_untouched(&file) {
            let status = CheckStatus::Unchanged;
            return Ok(Some(Paired { file, bases, status, findings, unreadable }));
        }
        for pick in self.picks(&file, releases)? {
            match pick {
                Pick::Found(side) => bases.push(side),
                Pick::Absent => {}
                Pick::Ambiguous(side, paths) => {
                    findings.extend(self.ambiguous(&file, &paths));
                    bases.push(side);
                }
                Pick::Broken(why) if self.request.allow_broken_base => {
                    complaint::warn(&format!("the base cannot be read, and nothing was compared: {why}"));
                    unreadable = Some(why);
                }
                Pick::Broken(why) => {
                    let message = format!("the base of {} cannot be read: {why}", file.file.shown);
                    let help = "compare with another base, or pass over this one with `--allow-broken-base`";
                    complaint::print(&Complaint::new(message).help(help).into());
                    self.complete = false;
                    unreadable = Some(why);
                }
            }
        }
        let status = match (&self.base.kind, &bases[..], &file.evaluated.document) {
            (Kind::Nothing, ..) | (_, [], _) => CheckStatus::New,
            (_, bases, Some(document)) => {
                let now = signature(file.input(), document);
                let same = bases.iter().any(|base| signature(base.input(), &base.document) == now);
                if same { CheckStatus::Unchanged } else { CheckStatus::Changed }
            }
            (_, _, None) => CheckStatus::Changed,
        };
        Ok(Some(Paired { file, bases, status, findings, unreadable }))
    }

    /// Whether a pack stands where it stood, byte by byte: nothing has to be read to know that nothing changed.
    fn is_untouched(&self, file: &JudgedFile) -> bool {
        let Trees::Several(trees) = &self.trees else { return false };
        file.evaluated.id.is_some() && trees.iter().any(|tree| tree.holds(&file.file.path, &file.file.bytes))
    }

    /// Several files of the base have the id of a pack.
    fn ambiguous(&self, file: &JudgedFile, paths: &[String]) -> Option<FindingView> {
        let judged = Judged {
            new: file.evaluated.document.as_ref()?,
            path: &file.file.path,
            base: None,
            baseline: None,
            below: None,
            taken: &[],
            reused: false,
            bump: BUMP,
            settings: self.conditions.settings(&file.settings),
        };
        let mut finding = pairing_ambiguous(judged, paths)?;
        finding.path.clone_from(&file.file.shown);
        Some(finding)
    }

    fn picks(&self, file: &JudgedFile, releases: &Releases) -> anyhow::Result<Vec<Pick>> {
        let id = file.evaluated.id.as_deref();
        let path = file.file.path.as_str();
        let version = file.evaluated.version_text.as_deref();
        let renamed = file.settings.settings.renamed.iter().find(|entry| Some(entry.to.as_str()) == id);
        let former = renamed.map(|entry| entry.from.as_str());
        let of = |tree: &BaseTree| tree.pick(id, former, path, version);
        let known = |side: Option<BaseSide>| vec![side.map_or(Pick::Absent, Pick::Found)];
        Ok(match (&self.trees, id) {
            (Trees::None, _) | (Trees::Registry, None) => Vec::new(),
            (Trees::Several(trees), _) => trees.iter().map(of).collect(),
            (Trees::LastRelease(parent), _) => {
                match id.map(|id| last_release(releases, id)).transpose()?.flatten() {
                    Some(side) => vec![Pick::Found(side)],
                    None => parent.iter().map(of).collect(),
                }
            }
            (Trees::Tags(tags), _) => {
                let below = |tag: &VersionTag| {
                    tag.id.as_deref().is_none_or(|named| Some(named) == id)
                        && file
                            .evaluated
                            .version
                            .as_ref()
                            .is_none_or(|v| tag.version.cmp_precedence(v).is_lt())
                };
                tags.iter().find(|(tag, _)| below(tag)).map(|(_, tree)| of(tree)).into_iter().collect()
            }
            (Trees::Registry, Some(id)) => known(self.registry_base(id, file, releases)?),
        })
    }

    /// The release of the registry that `--against registry…` means for a pack.
    fn registry_base(
        &self,
        id: &str,
        file: &JudgedFile,
        releases: &Releases,
    ) -> anyhow::Result<Option<BaseSide>> {
        let (Kind::Registry(wanted), Releases::Registry(registry)) = (&self.base.kind, releases) else {
            return Ok(None);
        };
        let known = releases.known(id)?;
        match wanted {
            _ if known.is_empty() => Ok(None),
            Wanted::Latest => match registry.latest(id)? {
                Some(latest) => registry.side(&format!("{id}@{latest}")),
                None => Ok(None),
            },
            Wanted::Version(version) => match registry.side(&format!("{id}@{version}"))? {
                Some(side) => Ok(Some(side)),
                None => Err(Complaint::new(format!("{id}@{version}: the registry has no such release"))
                    .help(format!("`packhouse info {id}` lists its versions"))
                    .into()),
            },
            Wanted::Line => {
                let Some(version) = &file.evaluated.version else { return Ok(None) };
                let own = known.iter().find(|known| known.version.cmp_precedence(version).is_eq());
                let own =
                    own.map(|own| registry.side(&format!("{id}@{}", own.version))).transpose()?.flatten();
                let input = file.input();
                let is_same = own.as_ref().is_some_and(|own| same_content(own.input(), input));
                match line_release(&known, version, is_same) {
                    Some(release) if release.version.cmp_precedence(version).is_eq() => Ok(own),
                    Some(release) => registry.side(&format!("{id}@{}", release.version)),
                    None => Ok(None),
                }
            }
        }
    }
}

/// The highest release that is known.
fn last_release(releases: &Releases, id: &str) -> anyhow::Result<Option<BaseSide>> {
    let known = releases.known(id)?;
    let last = known.iter().max_by(|a, b| a.version.cmp_precedence(&b.version));
    match last {
        Some(last) => releases.side(id, &last.version),
        None => Ok(None),
    }
}
