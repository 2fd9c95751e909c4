//! Both doors of this crate, tested against repositories that the real `git` makes and checks.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod changes;
#[path = "../../../tests/support/git_http.rs"]
mod git_http;
mod history;
mod ledger;
mod ledger_crash;
mod ledger_remote;
mod open;
mod refs;
mod remote;
mod support;
mod tree;
mod watch;
