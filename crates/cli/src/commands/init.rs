//! `packhouse init`: a commented `packhouse.toml` and a CI workflow.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context;
use clap::{Args, ValueEnum};

use crate::complaint;
use crate::exit::Verdict;

/// Write a commented packhouse.toml and a CI workflow into the current folder
///
/// Files that are there already are left alone.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  packhouse init --ci github")]
pub struct Arguments {
    /// The CI service: github, gitlab, none; otherwise what the folder looks like
    #[arg(long, value_enum, value_name = "SERVICE", hide_possible_values = true)]
    ci: Option<Service>,
}

/// The services that a workflow is written for.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Service {
    /// GitHub Actions
    Github,
    /// GitLab CI
    Gitlab,
    /// None
    None,
}

/// Runs the command.
///
/// # Errors
/// When a file cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<Verdict> {
    write("packhouse.toml", include_str!("init/packhouse.toml"))?;
    let looks_like_gitlab = Path::new(".gitlab-ci.yml").exists() || Path::new(".gitlab").exists();
    let guessed = if looks_like_gitlab { Service::Gitlab } else { Service::Github };
    match arguments.ci.unwrap_or(guessed) {
        Service::Github => write(".github/workflows/packhouse.yml", include_str!("init/github.yml"))?,
        Service::Gitlab => write(".gitlab/packhouse.yml", include_str!("init/gitlab.yml"))?,
        Service::None => {}
    }
    Ok(Verdict::Pass)
}

fn write(path: &str, text: &str) -> anyhow::Result<()> {
    let place = Path::new(path);
    let folder = place.parent().unwrap_or(Path::new("."));
    let made = if folder.as_os_str().is_empty() { Ok(()) } else { fs::create_dir_all(folder) };
    made.with_context(|| format!("cannot make the folder {}", folder.display()))?;
    match fs::OpenOptions::new().write(true).create_new(true).open(place) {
        Ok(mut file) => {
            std::io::Write::write_all(&mut file, text.as_bytes())
                .with_context(|| format!("cannot write {path}"))?;
            complaint::say(&format!("{path}: written"));
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            complaint::say(&format!("{path}: left as it is"));
            Ok(())
        }
        Err(error) => Err(error).with_context(|| format!("cannot write {path}")),
    }
}
