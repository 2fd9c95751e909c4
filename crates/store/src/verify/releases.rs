//! Compares each release's folder with what its record promises.

use std::collections::{BTreeMap, BTreeSet};

use git::{Ledger, ObjectId};
use pack::Digest;
use registry::bundle::bundle;
use registry::release::{Form, Release};
use registry::report::Report;

use super::{Contents, Verified, readable};
use crate::row::SourceRecord;

const RECORD: &str = "release.json";
const REPORT: &str = "report.json";

/// Checks every release; gives the records that can be read, by folder.
pub(super) fn check(
    ledger: &Ledger,
    contents: &Contents,
    verified: &mut Verified,
) -> BTreeMap<String, Release> {
    let mut records = BTreeMap::new();
    for (folder, files) in &contents.releases {
        verified.releases += 1;
        let Some(id) = files.get(RECORD) else {
            verified.damaged(format!("{folder}/{RECORD}: it is missing beside {} other files", files.len()));
            continue;
        };
        let path = format!("{folder}/{RECORD}");
        let Some(release) = readable::<Release>(ledger, &path, *id, verified) else { continue };
        if release.folder() != *folder {
            verified.damaged(format!("{path}: it is the record of {}@{}", release.id, release.version));
            continue;
        }
        if !contents.sources.contains_key(&SourceRecord::path(&release.source)) {
            verified.damaged(format!(
                "{}: it is missing, and {}@{} is therefore visible to nobody",
                SourceRecord::path(&release.source),
                release.id,
                release.version
            ));
        }
        Folder { ledger, folder, files }.check(&release, verified);
        records.insert(folder.clone(), release);
    }
    records
}

/// The files of one release.
struct Folder<'c> {
    ledger: &'c Ledger,
    folder: &'c str,
    files: &'c BTreeMap<String, ObjectId>,
}

impl Folder<'_> {
    fn check(&self, release: &Release, verified: &mut Verified) {
        let promised = promised(release);
        let known_damage = verified.damage.len();
        for (path, digest) in &promised {
            match self.files.get(path) {
                None => verified.damaged(format!("{}/{path}: it is missing", self.folder)),
                Some(id) => self.compare(path, *id, *digest, verified),
            }
        }
        if let Some(id) = self.files.get(REPORT) {
            readable::<Report>(self.ledger, &format!("{}/{REPORT}", self.folder), *id, verified);
        }
        let known: BTreeSet<&String> = promised.iter().map(|(path, _)| path).collect();
        for path in self.files.keys().filter(|path| !known.contains(path)) {
            verified.damaged(format!("{}/{path}: {RECORD} does not name it", self.folder));
        }
        // Of damaged files no bundle can be expected.
        if verified.damage.len() == known_damage {
            self.bundle(release, verified);
        }
    }

    /// Makes the bundle anew: its bytes are kept nowhere.
    fn bundle(&self, release: &Release, verified: &mut Verified) {
        let Some(recorded) = release.forms.get(&Form::Bundle).filter(|_| release.removed.is_none()) else {
            return;
        };
        let read = |path: &str| self.files.get(path).and_then(|id| self.ledger.blob(*id).ok());
        // A file that cannot be read was named by itself.
        let Ok(bytes) = bundle(release, &read) else { return };
        verified.bytes += bytes.len() as u64;
        if Digest::of(&bytes) != recorded.digest {
            verified.damaged(format!(
                "{}/{RECORD}: its files make another bundle than the one recorded",
                self.folder
            ));
        }
    }

    fn compare(&self, path: &str, id: ObjectId, digest: Option<Digest>, verified: &mut Verified) {
        let Some(digest) = digest else { return };
        // An object that cannot be read was named with the objects.
        let Ok(bytes) = self.ledger.blob(id) else { return };
        verified.bytes += bytes.len() as u64;
        if Digest::of(&bytes) != digest {
            verified.damaged(format!("{}/{path}: the digest differs from the one recorded", self.folder));
        }
    }
}

/// Every file that a release's record promises, with its digest where the record has one.
fn promised(release: &Release) -> Vec<(String, Option<Digest>)> {
    if release.removed.is_some() {
        return vec![(RECORD.to_owned(), None)];
    }
    let records = [RECORD, REPORT].map(|path| (path.to_owned(), None));
    let digest = |form: Form| release.forms.get(&form).map(|record| record.digest);
    let kept = Form::ALL.into_iter().filter(|form| form.kept_as(&digest) == Some(*form));
    let forms = kept.map(|form| (form.file_name().to_owned(), digest(form)));
    let skills = release.skills.iter().flat_map(|skill| &skill.files);
    let skills: BTreeMap<String, Option<Digest>> =
        skills.map(|file| (file.ledger_path.clone(), Some(file.digest))).collect();
    let files = release.files.iter().map(|path| (format!("files/{path}"), None));
    records.into_iter().chain(forms).chain(skills).chain(files).collect()
}
