//! The `packhouse` binary: arguments in, reports out.
fn main() {}
