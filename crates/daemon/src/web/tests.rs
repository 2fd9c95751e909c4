//! The web from outside: requests in, statuses, headers and documents out.

mod access;
mod api;
mod caching;
mod changes;
mod failures;
mod hooks;
mod live;
mod login;
mod pages;
mod proxy;
mod routes;
pub(crate) mod support;
mod visibility;
