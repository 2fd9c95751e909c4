//! The `packhouse` binary: arguments in, reports out.
//!
//! Arguments are read first ([`args`]), then one command runs ([`commands`]), then what it found is written in the
//! formats that were asked for ([`output`]). What is right or wrong about a pack is decided elsewhere.
#![forbid(unsafe_code)]
#![allow(
    rustdoc::bare_urls,
    rustdoc::broken_intra_doc_links,
    rustdoc::invalid_html_tags,
    reason = "doc comments of arguments are help texts for a terminal"
)]
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this room does IO")]

use std::process::ExitCode;

use clap::Parser;

mod args;
mod commands;
mod complaint;
mod configuration;
mod environment;
mod excerpt;
mod exit;
mod files;
mod gittree;
mod input;
mod judging;
mod output;
mod packs;
mod registry_file;
mod registry_tree;
mod worktree;

/// Many small values are made and dropped by several threads at once.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = args::Arguments::parse();
    let options = arguments.options;
    options.color.apply();
    let outcome = commands::run(arguments.command);
    exit::code(outcome, &options.exit)
}
