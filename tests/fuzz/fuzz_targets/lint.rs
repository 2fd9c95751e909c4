//! Hands the fuzzer's bytes to the shared body.

#![no_main]

#[path = "../bodies.rs"]
#[allow(dead_code, reason = "each target runs one body")]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::lint(bytes));
