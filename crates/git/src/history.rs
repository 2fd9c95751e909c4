//! Walks from commit to commit.

use git2::{ErrorCode, Revwalk};

use crate::{GitError, ObjectId, SourceRepository, objects};

/// The part of a branch's first-parent line that was not seen before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// The commits, oldest first.
    pub commits: Vec<ObjectId>,
    /// Whether the branch no longer contains the commit it was seen at, as after a force-push.
    pub rewritten: bool,
}

/// A first-parent line, newest first.
enum Line {
    /// Down to the commit that was asked for, without it.
    Meets(Vec<ObjectId>),
    /// Down to a root, or as far as one is looked for beside a known commit.
    Ends(Vec<ObjectId>),
}

/// How far down the first-parent line a known commit is looked for: mostly it is close, and after a force-push or a
/// merge that swapped its parents it is not on the line at all.
const CLOSE: usize = 1000;

impl SourceRepository {
    /// Finds the commit that a revision names: a branch, a tag, an id, `HEAD~2`.
    ///
    /// # Errors
    /// [`GitError::UnknownRevision`].
    pub fn resolve(&self, revision: &str) -> Result<ObjectId, GitError> {
        let object = self.repository.revparse_single(revision).and_then(|object| object.peel_to_commit());
        match object {
            Ok(commit) => Ok(commit.id().into()),
            Err(source) => Err(GitError::UnknownRevision { revision: revision.to_owned(), source }),
        }
    }

    /// Finds the best common ancestor of two commits.
    ///
    /// # Errors
    /// [`GitError::History`].
    pub fn merge_base(&self, one: ObjectId, other: ObjectId) -> Result<Option<ObjectId>, GitError> {
        match self.repository.merge_base(one.oid(), other.oid()) {
            Ok(base) => Ok(Some(base.into())),
            Err(source) if source.code() == ErrorCode::NotFound => Ok(None),
            Err(source) => Err(GitError::history(one, source)),
        }
    }

    /// Finds all best common ancestors of two commits: several after criss-cross merges, none without a common root.
    ///
    /// # Errors
    /// [`GitError::History`].
    pub fn merge_bases(&self, one: ObjectId, other: ObjectId) -> Result<Vec<ObjectId>, GitError> {
        match self.repository.merge_bases(one.oid(), other.oid()) {
            Ok(bases) => Ok(bases.iter().copied().map(ObjectId::from).collect()),
            Err(source) if source.code() == ErrorCode::NotFound => Ok(Vec::new()),
            Err(source) => Err(GitError::history(one, source)),
        }
    }

    /// Tells whether `ancestor` can be reached from `descendant` through any parents; a commit reaches itself.
    ///
    /// # Errors
    /// [`GitError::History`].
    pub fn is_ancestor(&self, ancestor: ObjectId, descendant: ObjectId) -> Result<bool, GitError> {
        if ancestor == descendant {
            return Ok(true);
        }
        let reached = self.repository.graph_descendant_of(descendant.oid(), ancestor.oid());
        reached.map_err(|source| GitError::history(descendant, source))
    }

    /// The first parent of a commit; none for a root and at the edge of a shallow clone.
    ///
    /// # Errors
    /// [`GitError::MissingObject`] or [`GitError::Object`].
    pub fn first_parent(&self, commit: ObjectId) -> Result<Option<ObjectId>, GitError> {
        Ok(objects::commit(&self.repository, commit)?.parent_id(0).ok().map(ObjectId::from))
    }

    /// Walks the first-parent line of `to` down to the first commit that is reachable from `from` through any
    /// parents, so that a merge that swapped its parents repeats nothing. Without `from`, or when `from` is no longer
    /// in the repository, the line goes down to its root.
    ///
    /// # Errors
    /// [`GitError::History`], [`GitError::Object`] or [`GitError::TooLarge`].
    pub fn history(&self, from: Option<ObjectId>, to: ObjectId) -> Result<History, GitError> {
        let known = from.filter(|from| objects::commit(&self.repository, *from).is_ok());
        let (known_commit, mut commits) = match (self.first_parent_line(known, to)?, known) {
            (Line::Ends(_), Some(known)) => {
                let unreached = self.unreached(known, to);
                (known, unreached.map_err(|source| GitError::history(to, source))?)
            }
            // Above a commit that is known stands nothing that it reaches.
            (Line::Ends(mut commits) | Line::Meets(mut commits), _) => {
                commits.reverse();
                return Ok(History { commits, rewritten: from.is_some() && known.is_none() });
            }
        };
        self.drop_reachable(&mut commits, known_commit)?;
        commits.reverse();
        Ok(History { commits, rewritten: !self.is_ancestor(known_commit, to)? })
    }

    /// The first-parent line of `to`, newest first, down to `known` or to its root. Each commit is measured before it
    /// is read, so that a huge one ends the walk instead of filling the memory.
    fn first_parent_line(&self, known: Option<ObjectId>, to: ObjectId) -> Result<Line, GitError> {
        let mut commits = Vec::new();
        let mut at = Some(to);
        while let Some(commit) = at.filter(|_| known.is_none() || commits.len() < CLOSE) {
            if Some(commit) == known {
                return Ok(Line::Meets(commits));
            }
            at = self.first_parent(commit)?;
            commits.push(commit);
        }
        Ok(Line::Ends(commits))
    }

    /// The line without what `hidden` reaches, newest first.
    fn unreached(&self, hidden: ObjectId, to: ObjectId) -> Result<Vec<ObjectId>, git2::Error> {
        let mut walk: Revwalk<'_> = self.repository.revwalk()?;
        walk.simplify_first_parent()?;
        walk.push(to.oid())?;
        walk.hide(hidden.oid())?;
        walk.map(|id| id.map(ObjectId::from)).collect()
    }

    /// Cuts off the older end that `from` reaches. The walk has hidden it already, unless commit times run backwards:
    /// it trusts them. Once a commit of the line is reachable, all older ones are, so halving finds the edge.
    fn drop_reachable(&self, newest_first: &mut Vec<ObjectId>, from: ObjectId) -> Result<(), GitError> {
        let Some(oldest) = newest_first.last() else { return Ok(()) };
        if !self.is_ancestor(*oldest, from)? {
            return Ok(());
        }
        let (mut unreachable, mut reachable) = (0, newest_first.len() - 1);
        while unreachable < reachable {
            let middle = unreachable.midpoint(reachable);
            if self.is_ancestor(newest_first[middle], from)? {
                reachable = middle;
            } else {
                unreachable = middle + 1;
            }
        }
        newest_first.truncate(reachable);
        Ok(())
    }
}
