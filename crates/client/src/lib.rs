//! Asks a registry: fetch, verify, search.
