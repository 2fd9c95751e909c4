//! The ledger's remote: what a writer pushes to before it serves, and what a follower reads from.
//!
//! Only fast-forwards are taken. While the remote is away everything that is here is served on, and a writer's
//! publishing waits. A remote that was set back is refused until an operator says which commit is meant.

use std::sync::{Mutex, PoisonError};

use git::{Edit, GitError, Ledger, ObjectId, Pushed};
use jiff::Timestamp;

use crate::error::{StoreError, ledger as ledger_error, with_causes};
use crate::ledger::rows_between;
use crate::store::Store;

/// A ledger elsewhere, and what this one has to do with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    /// A path or anything that `git` can fetch from.
    pub remote: String,
    /// Who writes.
    pub role: Role,
    /// The commit to which the remote may have been set back, this once.
    pub accept_rewind: Option<String>,
}

/// Who writes into a ledger with a remote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// This registry does, and pushes each commit before it counts.
    Writer,
    /// Another one does; this one follows.
    Follower,
}

/// An upstream, and whether it answered when it was last asked.
#[derive(Debug)]
pub(crate) struct Link {
    upstream: Upstream,
    trouble: Mutex<Option<String>>,
}

impl Link {
    pub(crate) fn new(upstream: Upstream) -> Link {
        Link { upstream, trouble: Mutex::new(None) }
    }

    pub(crate) fn is_follower(&self) -> bool {
        self.upstream.role == Role::Follower
    }

    /// Why the remote was of no use when it was last asked; none when all was well.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Fetches, and moves the ledger's branch where the remote is ahead. Tells whether it moved.
    pub(crate) fn pull(&self, ledger: &mut Ledger) -> Result<bool, StoreError> {
        let pulled = self.advance(ledger);
        self.note(pulled.as_ref().err());
        pulled
    }

    fn advance(&self, ledger: &mut Ledger) -> Result<bool, StoreError> {
        let remote = ledger.fetch(&self.upstream.remote).map_err(|error| self.away(error))?;
        let local = ledger.head().map_err(ledger_error("read the head"))?;
        let moved = match (local, remote) {
            (None, None) => return Ok(false),
            (Some(local), None) => return self.seed(ledger, local),
            (local, Some(remote)) if local == Some(remote) => false,
            (local, Some(remote)) => {
                let is_ahead = match local {
                    Some(local) => {
                        ledger.contains(remote, local).map_err(ledger_error("compare with the remote"))?
                    }
                    None => true,
                };
                if !is_ahead && !self.accepts(remote) {
                    return self.refuse(ledger, local, remote);
                }
                ledger.move_head(local, remote).map_err(ledger_error("move the head"))?;
                true
            }
        };
        if let Some(remote) = remote {
            ledger.agree(remote).map_err(ledger_error("remember the remote"))?;
        }
        Ok(moved)
    }

    fn accepts(&self, remote: ObjectId) -> bool {
        self.upstream.accept_rewind.as_deref() == Some(remote.to_string().as_str())
    }

    /// A remote that lags behind a ledger which never agreed with it is new, or a mirror: it gets what it lacks. Any
    /// other one was set back.
    fn refuse(
        &self,
        ledger: &mut Ledger,
        local: Option<ObjectId>,
        remote: ObjectId,
    ) -> Result<bool, StoreError> {
        let agreed = ledger.agreed().map_err(ledger_error("read the remote's head"))?;
        if let (Some(local), None, Role::Writer) = (local, agreed, self.upstream.role)
            && ledger.contains(local, remote).map_err(ledger_error("compare with the remote"))?
        {
            return self.push(ledger, Some(remote), local).map(|_| false);
        }
        let (remote_name, at) = (git::without_credentials(&self.upstream.remote), remote.to_string());
        Err(StoreError::Rewound { remote: remote_name, at })
    }

    /// The remote has no ledger: a new one gets this one, and one that had it was emptied.
    fn seed(&self, ledger: &mut Ledger, local: ObjectId) -> Result<bool, StoreError> {
        let agreed = ledger.agreed().map_err(ledger_error("read the remote's head"))?;
        if agreed.is_some() || self.is_follower() {
            let remote = git::without_credentials(&self.upstream.remote);
            return Err(StoreError::Rewound { remote, at: "nothing".to_owned() });
        }
        self.push(ledger, None, local).map(|_| false)
    }

    /// Pushes a commit on `parent`; tells whether the remote took it. Where it did not, nothing of it counts.
    pub(crate) fn push(
        &self,
        ledger: &mut Ledger,
        parent: Option<ObjectId>,
        commit: ObjectId,
    ) -> Result<Pushed, StoreError> {
        let pushed = ledger.push(&self.upstream.remote, parent, commit).map_err(|error| self.away(error));
        self.note(pushed.as_ref().err());
        let pushed = pushed?;
        if pushed == Pushed::Done {
            ledger.agree(commit).map_err(ledger_error("remember the remote"))?;
        }
        Ok(pushed)
    }

    fn away(&self, error: GitError) -> StoreError {
        StoreError::Remote { source: error }
    }

    /// Keeps what is wrong with the remote, and says it once.
    fn note(&self, error: Option<&StoreError>) {
        let trouble = error.map(|error| with_causes(error));
        let mut known = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        match (&*known, &trouble) {
            (None, Some(trouble)) => tracing::error!("{trouble}"),
            (Some(_), None) => tracing::info!("the ledger's remote is of use again"),
            _ => {}
        }
        *known = trouble;
    }
}

impl Store {
    /// Commits, and moves the head: where there is a remote, only once it has taken the commit.
    pub(crate) fn commit(
        &self,
        ledger: &mut Ledger,
        edits: &[Edit],
        message: &str,
        now: Timestamp,
    ) -> Result<ObjectId, StoreError> {
        let failed = || ledger_error("record a batch");
        let Some(link) = &self.link else {
            return ledger.append(edits, message, now.as_second()).map_err(failed());
        };
        let parent = ledger.head().map_err(failed())?;
        let commit = ledger.commit_on(parent, edits, message, now.as_second()).map_err(failed())?;
        if link.push(ledger, parent, commit)? == Pushed::Rejected {
            self.pull(ledger)?;
            return Err(StoreError::Overtaken);
        }
        ledger.move_head(parent, commit).map_err(failed())?;
        Ok(commit)
    }

    /// Takes in what others pushed to the ledger's remote. Tells whether there was something.
    ///
    /// # Errors
    /// [`StoreError::Remote`] while it is away, [`StoreError::Rewound`] when it was set back.
    pub fn sync(&self) -> Result<bool, StoreError> {
        self.pull(&mut self.writer())
    }

    fn pull(&self, ledger: &mut Ledger) -> Result<bool, StoreError> {
        let Some(link) = &self.link else { return Ok(false) };
        let moved = link.pull(ledger)?;
        let head = ledger.head().map_err(ledger_error("read the head"))?;
        let known = self.snapshot().head.as_deref().and_then(|known| known.parse().ok());
        if let Some(head) = head.filter(|head| known != Some(*head)) {
            self.follow(ledger, rows_between(ledger, known, head)?, head);
            self.maintain(ledger);
        }
        Ok(moved)
    }

    /// What is wrong with the ledger's remote; none when all is well or there is no remote.
    pub fn remote_trouble(&self) -> Option<String> {
        self.link.as_ref().and_then(Link::trouble)
    }

    /// Whether the ledger has a remote.
    pub fn has_remote(&self) -> bool {
        self.link.is_some()
    }
}
