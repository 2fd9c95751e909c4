//! Both doors of this crate, tested against repositories that the real `git` makes and checks.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod changes;
mod history;
mod ledger;
mod ledger_crash;
mod ledger_remote;
mod open;
mod refs;
mod support;
mod tree;
mod watch;
