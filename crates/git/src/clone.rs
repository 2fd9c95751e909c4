//! What a clone left out: history before the edge of a shallow one, contents that a partial one never fetched.

use std::collections::HashSet;
use std::fs;

use crate::{GitError, ObjectId, SourceRepository};

impl SourceRepository {
    /// Whether history was cut off when the repository was cloned.
    pub fn is_shallow(&self) -> bool {
        self.repository.is_shallow()
    }

    /// The commits whose parents a shallow clone left out.
    fn edge(&self) -> HashSet<ObjectId> {
        let listed = fs::read_to_string(self.common_dir().join("shallow")).unwrap_or_default();
        listed.lines().filter_map(|line| line.trim().parse().ok()).collect()
    }

    /// Whether a shallow clone left out the parents of `commit`.
    pub fn is_at_edge(&self, commit: ObjectId) -> bool {
        self.is_shallow() && self.edge().contains(&commit)
    }

    /// Whether the edge of a shallow clone lies on the way from `tips` down to `bases`, their common ancestors as far
    /// as they are here: a better one may be hidden behind it.
    ///
    /// # Errors
    /// [`GitError::History`].
    pub fn may_hide_ancestors(&self, tips: &[ObjectId], bases: &[ObjectId]) -> Result<bool, GitError> {
        if !self.is_shallow() {
            return Ok(false);
        }
        let edge = self.edge();
        let walk = || -> Result<bool, git2::Error> {
            let mut walk = self.repository.revwalk()?;
            tips.iter().try_for_each(|tip| walk.push(tip.oid()))?;
            bases.iter().try_for_each(|base| walk.hide(base.oid()))?;
            for commit in walk {
                if edge.contains(&ObjectId::from(commit?)) {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        let Some(first) = tips.first() else { return Ok(false) };
        walk().map_err(|source| GitError::history(*first, source))
    }

    /// The remote that a partial clone (`git clone --filter`) fetches missing contents from; none for a whole clone.
    pub fn partial_remote(&self) -> Option<String> {
        let config = self.repository.config().ok()?;
        if let Ok(remote) = config.get_string("extensions.partialclone") {
            return Some(remote);
        }
        let mut remotes = self.remotes().into_iter();
        remotes.find(|name| config.get_bool(&format!("remote.{name}.promisor")).unwrap_or(false))
    }

    /// The names of the remotes.
    pub fn remotes(&self) -> Vec<String> {
        let Ok(names) = self.repository.remotes() else { return Vec::new() };
        names.iter().filter_map(|name| name.ok().flatten().map(str::to_owned)).collect()
    }
}

/// Whether a text may be the name of a branch.
pub fn is_branch_name(name: &str) -> bool {
    git2::Branch::name_is_valid(name).unwrap_or(false)
}
