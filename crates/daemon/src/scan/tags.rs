//! Tags mode: each tag that is new or names something else is judged, in ascending version order.

use std::collections::{BTreeMap, BTreeSet};

use git::{ObjectId, RefSnapshot, SourceRepository, Tag};
use jiff::Timestamp;
use registry::discover::{ChangedFile, TagPatterns, TagStep, tagged, version_of};
use registry::problem::{Problem, ProblemCode};

use super::{Run, ScanError};

/// The most files of one commit that are looked at.
const MOST_FILES: usize = 500_000;

impl Run<'_> {
    pub(super) fn tags(
        &mut self,
        repository: &SourceRepository,
        refs: &RefSnapshot,
    ) -> Result<(), ScanError> {
        let patterns = TagPatterns::new(&self.scanner.source.tags);
        self.note_deleted(refs, &patterns);
        self.state.settle(&[ProblemCode::UnreadableName]);
        for name in &refs.unreadable {
            let message = "a ref has a name or a target that cannot be read";
            self.see(&Problem::new(ProblemCode::UnreadableName, message).at_reference(Some(name)));
        }
        let first_scan = self.first_head().is_none();
        let mut news: Vec<&Tag> = refs
            .tags
            .iter()
            .filter(|tag| self.state.tags.get(&tag.name) != Some(&tag.object.to_string()))
            .collect();
        news.sort_by(|a, b| by_version(&patterns, &a.name, &b.name));
        let mut listed: BTreeMap<ObjectId, Vec<ChangedFile>> = BTreeMap::new();
        for tag in news {
            self.summary.commits += 1;
            self.tag(repository, tag, &patterns, &mut listed, first_scan)?;
            self.state.tags.insert(tag.name.clone(), tag.object.to_string());
        }
        self.state.head = refs.head.commit.map(|commit| commit.to_string());
        self.state.branch.clone_from(&refs.head.branch);
        Ok(())
    }

    fn tag(
        &mut self,
        repository: &SourceRepository,
        tag: &Tag,
        patterns: &TagPatterns,
        listed: &mut BTreeMap<ObjectId, Vec<ChangedFile>>,
        first_scan: bool,
    ) -> Result<(), ScanError> {
        let Some(commit) = tag.commit else {
            if version_of(patterns, &tag.name).is_some() {
                let message = format!("the tag `{}` names no commit", tag.name);
                self.see(&Problem::new(ProblemCode::TagMismatch, message).at_reference(Some(&tag.name)));
            }
            return Ok(());
        };
        let tree = repository.tree(commit)?.with_limit(self.read_limit());
        if !listed.contains_key(&commit) && version_of(patterns, &tag.name).is_some() {
            let files = tree.walk_files(MOST_FILES)?.files;
            let files = files
                .into_iter()
                .map(|file| ChangedFile { path: file.path, now: Some((file.kind, file.id.to_string())) });
            // Tags of one monorepo often share a commit; the last few lists are worth keeping.
            if listed.len() >= 8 {
                listed.clear();
            }
            listed.insert(commit, files.collect());
        }
        let step = TagStep {
            tag: tag.name.clone(),
            commit: commit.to_string(),
            at: Timestamp::from_second(repository.commit(commit)?.time).unwrap_or(self.now),
            files: listed.get(&commit).cloned().unwrap_or_default(),
        };
        let sight = tagged(&step, &tree, &self.selection, patterns);
        self.take_in(sight, &tree, first_scan);
        Ok(())
    }

    fn note_deleted(&mut self, refs: &RefSnapshot, patterns: &TagPatterns) {
        let present: BTreeSet<&str> = refs.tags.iter().map(|tag| tag.name.as_str()).collect();
        let gone: BTreeSet<String> =
            self.state.tags.keys().filter(|tag| !present.contains(tag.as_str())).cloned().collect();
        self.state.clear(&gone);
        for tag in &gone {
            self.summary.commits += 1;
            self.state.tags.remove(tag);
            if version_of(patterns, tag).is_some() {
                let message = format!("the tag `{tag}` was deleted; what it released stays");
                self.see(&Problem::new(ProblemCode::TagDeleted, message).at_reference(Some(tag)));
            }
        }
    }
}

fn by_version(patterns: &TagPatterns, a: &str, b: &str) -> std::cmp::Ordering {
    let key = |tag: &str| version_of(patterns, tag);
    match (key(a), key(b)) {
        (Some(x), Some(y)) => x.cmp_precedence(&y).then_with(|| a.cmp(b)),
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, None) => a.cmp(b),
    }
}
