//! `/packs/{id}/{version}`: one release.

use axum::extract::State;
use maud::{Markup, html};
use registry::release::Form;
use serde_json::Value;

use super::contents;
use super::layout::{Section, page};
use super::pack::notes;
use super::parts::{commit, digest, maybe_bump, size, time, trail};
use crate::web::App;
use crate::web::answer::Answer;
use crate::web::api::releases::schema_files;
use crate::web::problem::Problem;
use crate::web::target::OneRelease;
use crate::web::views::{Manifest, SchemaFileView, SkillView, VersionView};

/// One release.
pub(crate) async fn release(State(app): State<App>, target: OneRelease) -> Result<Answer, Problem> {
    let OneRelease { pack, row, .. } = target;
    let record = app.blobs.release(&row).await?;
    let bytes = app.blobs.form(&row, Form::Source, row.digest()).await?;
    // Published packs are JSON; a page that could not read one still shows what the record says.
    let source: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let files = schema_files(&app, &row, &record).await?;
    let manifest = Manifest::new(&pack, &row, &record, files);
    let version = VersionView::new(&pack, &row);
    let id = &manifest.id;
    let content = html! {
        (trail(&[("Packs", "/".to_owned()), (id, format!("/packs/{id}"))]))
        h1 { (record.summary.name) " " code.id { (id) } " " span.version { (manifest.version) } }
        @if let Some(description) = &record.summary.description { p.lead { (description) } }
        p.meta { (notes(&version)) }
        (facts(&manifest))
        (forms(&manifest))
        (contents::prompts(&manifest, &source))
        (contents::tools(&manifest, &source))
        (contents::workflow(&source["workflow"]))
        (skills(&manifest.skills))
        (schemas(&manifest.files))
        (warnings(&manifest.warnings))
    };
    Ok(Answer::page(page(Section::Packs, &format!("{id} {}", manifest.version), &content)))
}

fn facts(manifest: &Manifest) -> Markup {
    html! {
        dl.facts {
            dt { "Published" } dd { (time(manifest.published_at)) }
            dt { "Bump" } dd { (maybe_bump(manifest.bump)) }
            dt { "Required" } dd { (maybe_bump(manifest.required_bump)) }
            dt { "Source" }
            dd { a href={ "/sources#" (manifest.source) } { (manifest.source) } " · " code { (manifest.path) } }
            dt { "Commit" }
            dd { (commit(&manifest.commit)) @if let Some(tag) = &manifest.tag { " tagged " code { (tag) } } }
            dt { "Spec" } dd { (manifest.spec_version) }
            dt { "Said of it" }
            dd { a href={ "/packs/" (manifest.id) "/" (manifest.version) "/report" } { "report" } }
        }
    }
}

fn forms(manifest: &Manifest) -> Markup {
    html! {
        h2 { "Forms" }
        div.scroll { table {
            thead { tr { th { "Form" } th { "Size" } th { "SHA-256" } } }
            tbody {
                @for (name, form) in &manifest.forms {
                    tr {
                        td { a href=(form.url) { (name) } }
                        td { (size(form.size)) }
                        td { code.digest { (form.digest.hex()) } }
                    }
                }
            }
        } }
    }
}

fn skills(skills: &[SkillView]) -> Markup {
    html! {
        @if !skills.is_empty() {
            h2 { "Skills" }
            @for skill in skills {
                section.card {
                    h3 { (skill.name) @if skill.preload { " " span.badge { "preloaded" } } }
                    p { (skill.description) }
                    p.muted {
                        @match &skill.reference { Some(reference) => code { (reference) }, None => "written in the pack" }
                        " · " (digest(&skill.digest))
                    }
                    @if !skill.files.is_empty() {
                        ul.files {
                            @for file in &skill.files {
                                li { a href=(file.url) { (file.path) } " " span.muted { (size(file.size)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn schemas(files: &[SchemaFileView]) -> Markup {
    html! {
        @if !files.is_empty() {
            h2 { "Schemas" }
            ul.files {
                @for file in files { li { a href=(file.url) { (file.path) } " " span.muted { (size(file.size)) } } }
            }
        }
    }
}

fn warnings(warnings: &[String]) -> Markup {
    html! {
        @if !warnings.is_empty() {
            h2 { "Warnings" }
            ul { @for warning in warnings { li { (warning) } } }
        }
    }
}
