//! Candidates: pack versions found in a source, and how each becomes a release or a problem.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use pack::json::Document;
use pack::model::Pack;
use pack::tree::{Tree, folder, join};
use pack::{Digest, Node, schema_file};
use semver::Version;

use crate::bundle::bundle;
use crate::gate::{BUMP, Judged, acknowledge, version_findings};
use crate::judge::{
    Baseline, Evaluated, Input, Plan, Settings, content_digest, evaluate, plan, same_content,
};
use crate::package::{NoPackages, Packages};
use crate::portable::{Portable, portable};
use crate::problem::{Problem, ProblemCode};
use crate::release::{
    Flag, Form, FormRecord, NewRelease, PromptSummary, RESOLVER, Release, StoredFile, Summary, ToolSummary,
    VariableSummary,
};
use crate::report::count;
use crate::resolve::{Place, Resolution, resolve};
use crate::settings::Limits;
use crate::version::{Known, baseline};

/// A pack version found in a source, not judged yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The exact bytes.
    pub bytes: Vec<u8>,
    /// The path of the file from the root of the repository.
    pub path: String,
    /// The commit that holds it.
    pub commit: String,
    /// The tag that named it, in tags mode.
    pub tag: Option<String>,
    /// The id of the tag itself, where it is an annotated one.
    pub tag_object: Option<String>,
    /// When the commit was made; decides whether an `[[allow]]` entry has expired.
    pub committed_at: Timestamp,
}

/// The releases that are known, however they are kept.
pub trait Archive {
    /// What is known of the releases of a pack, in any order.
    fn known(&self, id: &str) -> Vec<Known>;

    /// The bytes and files of a release; none where it is not there or cannot be read.
    fn content(&self, id: &str, version: &Version) -> Option<ReleaseContent>;

    /// The source that owns an id; none where nobody does yet.
    fn owner(&self, id: &str) -> Option<String>;

    /// The identity of the content that a release had before its bytes were removed; none for any other version.
    fn removed_content(&self, _id: &str, _version: &Version) -> Option<Digest> {
        None
    }
}

/// The bytes of a release and the files around it.
pub struct ReleaseContent {
    /// The exact source bytes.
    pub bytes: Vec<u8>,
    /// The path of the pack file.
    pub path: String,
    /// The identity of its content.
    pub content: Digest,
    /// The files that it names.
    pub tree: Box<dyn Tree>,
}

/// What a source may do, and how candidates are judged.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// The name of the source.
    pub source: &'a str,
    /// The ids that it may claim, with `*`; empty means any.
    pub ids: &'a [String],
    /// What authors and operator say.
    pub settings: Settings<'a>,
    /// How much is read.
    pub limits: Limits,
    /// Whether versions with error findings are published and flagged: they stood there before the first scan.
    pub gentle: bool,
    /// What package references lead to.
    pub packages: &'a dyn Packages,
}

/// What became of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It becomes a release; boxed, since it is far larger than the others.
    Publish(Box<NewRelease>),
    /// Its content is published already.
    Known {
        /// The pack's id.
        id: String,
        /// The version.
        version: Version,
    },
    /// It is refused.
    Refused(Problem),
}

/// The longest version that is published: it becomes part of paths.
const MOST_VERSION_BYTES: usize = 128;

/// Judges one candidate against what is known.
pub fn judge(candidate: &Candidate, tree: &dyn Tree, archive: &dyn Archive, terms: Terms<'_>) -> Outcome {
    let input = Input { bytes: &candidate.bytes, path: &candidate.path, tree: Some(tree) };
    let refuse = |code, message: String, id: Option<&str>, version: Option<&str>| {
        let problem = Problem::new(code, message).at_path(&candidate.path).at_commit(&candidate.commit);
        Outcome::Refused(problem.at_reference(candidate.tag.as_deref()).of(id, version))
    };
    let (document, _) = Document::parse(&candidate.bytes);
    let pack = document.as_ref().map(|document| Pack(document.root()));
    let id = pack.and_then(Pack::id).filter(|id| crate::reference::is_pack_id(id)).map(str::to_owned);
    let version = pack.and_then(Pack::version);
    let (mut base, mut taken_versions) = (None, Vec::new());
    if let (Some(id), Some(version)) = (&id, &version) {
        if let Some(problem) = claim_problem(id, archive, terms) {
            return refuse(problem.0, problem.1, Some(id), Some(&version.to_string()));
        }
        let known = archive.known(id);
        if let Some(taken) = known.iter().find(|known| known.version.cmp_precedence(version).is_eq()) {
            return reused(input, archive, id, taken, terms.limits).unwrap_or_else(|message| {
                refuse(ProblemCode::VersionReused, message, Some(id), Some(&version.to_string()))
            });
        }
        base = baseline(&known, version).and_then(|known| archive.content(id, &known.version));
        taken_versions = known.into_iter().map(|known| known.version).collect();
    }
    let baseline = base.as_ref().map(|content| Baseline {
        input: Input { bytes: &content.bytes, path: &content.path, tree: Some(content.tree.as_ref()) },
    });
    let mut evaluated = evaluate(input, baseline, terms.settings);
    let version_text = evaluated.version.as_ref().map(Version::to_string);
    if version_text.as_ref().is_some_and(|text| text.len() > MOST_VERSION_BYTES) {
        let message = format!("the version has more than {MOST_VERSION_BYTES} characters");
        return refuse(ProblemCode::InvalidPack, message, id.as_deref(), None);
    }
    match plan(&evaluated, terms.settings.policy, terms.gentle) {
        Plan::Refuse(code, message) => refuse(code, message, id.as_deref(), version_text.as_deref()),
        Plan::Publish(flags) => {
            say_of_version(&mut evaluated, base.as_ref(), &taken_versions, input.path, terms.settings);
            match release_of(candidate, tree, evaluated, flags, terms) {
                Ok(release) => Outcome::Publish(Box::new(release)),
                Err(problem) => refuse(problem.0, problem.1, id.as_deref(), version_text.as_deref()),
            }
        }
    }
}

/// Adds what the gate says of the versions of a candidate that is published, flagged or not.
fn say_of_version(
    evaluated: &mut Evaluated,
    base: Option<&ReleaseContent>,
    taken: &[Version],
    path: &str,
    settings: Settings<'_>,
) {
    let Some(document) = &evaluated.document else { return };
    let old = base.and_then(|base| Document::parse(&base.bytes).0);
    let baseline = old.as_ref().zip(evaluated.report.diff.as_ref());
    let judged = Judged {
        new: document,
        path,
        base: None,
        baseline,
        below: None,
        taken,
        reused: false,
        bump: BUMP,
        settings,
    };
    let mut findings = version_findings(judged);
    acknowledge(&mut findings, path, evaluated.version.as_ref(), settings);
    evaluated.report.findings.append(&mut findings);
    evaluated.report.findings.sort_by(|a, b| (a.line, a.column, &a.rule).cmp(&(b.line, b.column, &b.rule)));
}

fn claim_problem(id: &str, archive: &dyn Archive, terms: Terms<'_>) -> Option<(ProblemCode, String)> {
    if !terms.ids.is_empty() && !terms.ids.iter().any(|pattern| crate::pattern::id_matches(pattern, id)) {
        let allowed = terms.ids.join(", ");
        let message = format!("`{id}` is not among the ids of the source `{}`: {allowed}", terms.source);
        return Some((ProblemCode::IdNotAllowed, message));
    }
    archive.owner(id).filter(|owner| owner != terms.source)?;
    // Whoever reads the problems of this source may not know of the other one.
    Some((ProblemCode::IdClaimed, format!("`{id}` belongs to another source")))
}

/// A version that is taken: the same content is known, other content is a problem.
fn reused(
    input: Input<'_>,
    archive: &dyn Archive,
    id: &str,
    taken: &Known,
    limits: Limits,
) -> Result<Outcome, String> {
    let known = Ok(Outcome::Known { id: id.to_owned(), version: taken.version.clone() });
    let Some(first) = archive.content(id, &taken.version) else {
        let removed = archive.removed_content(id, &taken.version);
        let is_other = removed.is_some_and(|content| content != content_of(input, limits));
        let told = || format!("{id}@{} was removed, and its number stays taken", taken.version);
        return if is_other { Err(told()) } else { known };
    };
    let old = Input { bytes: &first.bytes, path: &first.path, tree: Some(first.tree.as_ref()) };
    if !same_content(old, input) {
        let digest = Digest::of(input.bytes);
        return Err(format!(
            "{id}@{} is published with other content than these bytes ({digest})",
            taken.version
        ));
    }
    if named_files(old, limits) != named_files(input, limits) {
        return Err(format!("{id}@{} is published with other skills or schema files", taken.version));
    }
    known
}

/// The identity of a candidate's content, as its release would record it.
fn content_of(input: Input<'_>, limits: Limits) -> Digest {
    let document = Document::parse(input.bytes).0;
    let digest = |document: Document| content_digest(&document, &named_files(input, limits));
    document.map_or_else(|| Digest::of(input.bytes), digest)
}

/// Path and digest of every file that a pack names and that is there.
fn named_files(input: Input<'_>, limits: Limits) -> Vec<(String, Digest)> {
    let (Some(document), Some(tree)) = (Document::parse(input.bytes).0, input.tree) else {
        return Vec::new();
    };
    // What packages hold is no part of the content: they move on their own.
    let place = Place { tree, commit: "" };
    let skills = resolve(&document, input.path, place, &NoPackages, limits).files;
    let schemas = schema_files(&document, input.path, tree);
    skills.iter().chain(&schemas).map(|(path, file)| (path.clone(), Digest::of(&file.bytes))).collect()
}

fn release_of(
    candidate: &Candidate,
    tree: &dyn Tree,
    evaluated: Evaluated,
    flags: Vec<Flag>,
    terms: Terms<'_>,
) -> Result<NewRelease, (ProblemCode, String)> {
    let (Some(document), Some(id), Some(version)) = (&evaluated.document, &evaluated.id, &evaluated.version)
    else {
        return Err((ProblemCode::InvalidPack, "the pack has no identity".to_owned()));
    };
    let place = Place { tree, commit: &candidate.commit };
    let resolution = resolve(document, &candidate.path, place, terms.packages, terms.limits);
    if let Some(why) = resolution.restricted.first() {
        return Err((ProblemCode::SkillSourceRestricted, why.clone()));
    }
    if let Some(why) = resolution.unresolved.first() {
        return Err((ProblemCode::UnresolvedSkill, why.clone()));
    }
    let schema_files = schema_files(document, &candidate.path, tree);
    let diff = evaluated.report.diff.as_ref();
    let packages: Vec<String> = resolution
        .skills
        .iter()
        .filter(|skill| skill.is_package())
        .map(|skill| format!("skills/{}/", skill.position))
        .collect();
    let of_content = |path: &str| !packages.iter().any(|package| path.starts_with(package));
    let named: Vec<(String, Digest)> = resolution
        .files
        .iter()
        .filter(|(path, _)| of_content(path))
        .chain(&schema_files)
        .map(|(path, file)| (path.clone(), Digest::of(&file.bytes)))
        .collect();
    let mut release = Release {
        id: id.clone(),
        version: version.clone(),
        digest: Digest::of(&candidate.bytes),
        content: content_digest(document, &named),
        forms: BTreeMap::new(),
        source: terms.source.to_owned(),
        path: candidate.path.clone(),
        commit: candidate.commit.clone(),
        tag: candidate.tag.clone(),
        tag_object: candidate.tag_object.clone(),
        published_at: candidate.committed_at,
        spec_version: evaluated.spec.map(|spec| spec.to_string()).unwrap_or_default(),
        bump: diff.map(|diff| diff.declared_bump),
        required_bump: diff.map(|diff| diff.required_bump),
        breaking: diff.is_some_and(|diff| diff.breaking),
        flags,
        findings: count(&evaluated.report.findings),
        summary: summary(document),
        skills: resolution.skills.clone(),
        files: schema_files.keys().cloned().collect(),
        warnings: resolution.warnings.clone(),
        resolver: RESOLVER,
        removed: None,
    };
    let files = add_forms(&mut release, release_files(&candidate.bytes, resolution, schema_files));
    Ok(NewRelease { release, report: evaluated.report, files })
}

/// The files of a release but for the portable form, by their path below its folder.
fn release_files(
    source: &[u8],
    resolution: Resolution,
    schema_files: BTreeMap<String, StoredFile>,
) -> BTreeMap<String, StoredFile> {
    let mut files = resolution.files;
    files.insert(Form::Source.file_name().to_owned(), StoredFile::plain(source.to_vec()));
    if let Some(resolved) = resolution.bytes {
        files.insert(Form::Resolved.file_name().to_owned(), StoredFile::plain(resolved));
    }
    files.extend(schema_files.into_iter().map(|(path, file)| (format!("files/{path}"), file)));
    files
}

/// Makes the portable form, which is kept where it differs, and the bundle, of which the digest is kept; records all
/// forms.
fn add_forms(release: &mut Release, mut files: BTreeMap<String, StoredFile>) -> BTreeMap<String, StoredFile> {
    let bytes = |form: Form| files.get(form.file_name()).map(|file| file.bytes.as_slice());
    let source = bytes(Form::Source).unwrap_or_default();
    let resolved = bytes(Form::Resolved);
    let Portable { bytes: portable, warnings } = portable(resolved.unwrap_or(source));
    release.warnings.extend(warnings);
    let mut forms = BTreeMap::from([(Form::Source, FormRecord::of(source))]);
    forms.extend(resolved.map(|resolved| (Form::Resolved, FormRecord::of(resolved))));
    forms.insert(Form::Portable, FormRecord::of(portable.as_deref().or(resolved).unwrap_or(source)));
    match bundle(release, &|path| files.get(path).map(|file| file.bytes.clone())) {
        Ok(bundle) => {
            forms.insert(Form::Bundle, FormRecord::of(&bundle));
        }
        Err(why) => release.warnings.push(format!("there is no bundle: {why}")),
    }
    release.forms = forms;
    files.extend(portable.map(|bytes| (Form::Portable.file_name().to_owned(), StoredFile::plain(bytes))));
    files
}

/// The schema files that compositions refer to and that are there, and those that these lead to, by repository path.
fn schema_files(document: &Document, path: &str, tree: &dyn Tree) -> BTreeMap<String, StoredFile> {
    let there = |ways: Vec<String>| ways.into_iter().find(|way| tree.read(way).is_ok());
    let starts = schema_places(document, path).into_iter().filter_map(there);
    let reached = schema_file::reached(tree, starts).into_iter();
    reached
        .filter_map(|(path, bytes)| Some((path, StoredFile { bytes: bytes?, executable: false })))
        .collect()
}

/// Where the relative schema files that compositions refer to may stand, the likelier place of each first.
pub fn schema_places(document: &Document, path: &str) -> BTreeSet<Vec<String>> {
    let mut references: Vec<&str> = Vec::new();
    for composition in Pack(document.root()).compositions() {
        let steps = composition.all_steps();
        for node in std::iter::once(composition.0).chain(steps.iter().map(|step| step.0)) {
            references.extend(["input_schema", "output_schema"].iter().filter_map(|key| node.text(key)));
        }
    }
    let files = references.into_iter().filter(|reference| !reference.contains(':'));
    let places = files.map(|reference| {
        let file = reference.split('#').next().filter(|file| !file.is_empty());
        let ways = file.map(|file| [join(folder(path), file), join("", file)]);
        let mut ways: Vec<String> =
            ways.into_iter().flatten().flatten().filter(|way| !way.is_empty()).collect();
        ways.dedup();
        ways
    });
    places.filter(|ways| !ways.is_empty()).collect()
}

fn summary(document: &Document) -> Summary {
    let pack = Pack(document.root());
    let metadata = pack.metadata();
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Summary {
        name: pack.text("name").unwrap_or_default().to_owned(),
        description: owned(pack.text("description")),
        domain: owned(metadata.and_then(|metadata| metadata.text("domain"))),
        language: owned(metadata.and_then(|metadata| metadata.text("language"))),
        tags: metadata.map(|metadata| texts(metadata.0, "tags")).unwrap_or_default(),
        prompts: pack
            .prompts()
            .map(|prompt| PromptSummary {
                key: prompt.name_key().to_owned(),
                name: prompt.text("name").unwrap_or_default().to_owned(),
                version: prompt.text("version").unwrap_or_default().to_owned(),
                variables: prompt
                    .variables()
                    .map(|variable| VariableSummary {
                        name: variable.name().to_owned(),
                        type_name: variable.type_name().unwrap_or_default().to_owned(),
                        required: variable.is_required(),
                    })
                    .collect(),
                tools: texts(prompt.0, "tools"),
            })
            .collect(),
        tools: pack
            .tools()
            .map(|tool| ToolSummary {
                name: tool.name_key().to_owned(),
                description: tool.text("description").unwrap_or_default().to_owned(),
            })
            .collect(),
    }
}

fn texts(node: Node<'_>, key: &str) -> Vec<String> {
    node.texts(key).map(|(text, _)| text.to_owned()).collect()
}
