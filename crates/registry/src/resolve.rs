//! The resolved form: one self-contained pack, every skill reference written out.
//!
//! Nothing is re-serialized. The bytes are the source's, with the span of each reference replaced by the objects of
//! its skills; a pack without references resolves to its own bytes.

use std::collections::{BTreeMap, BTreeSet};

use pack::json::Document;
use pack::model::{Pack, Skill, SkillForm};
use pack::skill::{Location, SkillDocument, locate};
use pack::tree::{Tree, folder};
use pack::{Digest, Span};

use crate::package::{NoPackage, Packages};
use crate::release::{SkillFile, SkillRecord, StoredFile};
use crate::settings::Limits;

/// A pack with its skills read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Resolution {
    /// The resolved bytes; none where they equal the source.
    pub bytes: Option<Vec<u8>>,
    /// Every skill, in the pack's order.
    pub skills: Vec<SkillRecord>,
    /// The files of the skills, by their path below the release's folder.
    pub files: BTreeMap<String, StoredFile>,
    /// What inlining could not carry.
    pub warnings: Vec<String>,
    /// References that could not be read, and why.
    pub unresolved: Vec<String>,
    /// Packages from sources that not every reader of the pack may read.
    pub restricted: Vec<String>,
}

/// Where the files of a skill are read: at a commit of the pack's repository, or of a package's.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The files.
    pub tree: &'a dyn Tree,
    /// The commit that holds them.
    pub commit: &'a str,
}

/// Reads every skill of the pack that stands at `path` in `place`.
pub fn resolve(
    document: &Document,
    path: &str,
    place: Place<'_>,
    packages: &dyn Packages,
    limits: Limits,
) -> Resolution {
    let mut resolver =
        Resolver { path, place, packages, limits, resolution: Resolution::default(), names: BTreeSet::new() };
    let pack = Pack(document.root());
    let mut edits = Vec::new();
    for (position, skill) in pack.skills().enumerate() {
        if let Some(objects) = resolver.skill(position, skill) {
            edits.push((skill.span(), objects));
        }
    }
    let mut resolution = resolver.resolution;
    if !edits.is_empty() && resolution.unresolved.is_empty() && resolution.restricted.is_empty() {
        let list = pack.get("skills").map_or(Span::new(0, 0), |list| list.span());
        resolution.bytes = Some(replaced(
            document.text(),
            list,
            &pack.skills().map(|s| s.span()).collect::<Vec<_>>(),
            &edits,
        ));
    }
    resolution
}

struct Resolver<'a> {
    path: &'a str,
    place: Place<'a>,
    packages: &'a dyn Packages,
    limits: Limits,
    resolution: Resolution,
    names: BTreeSet<String>,
}

impl Resolver<'_> {
    /// The inline objects that a reference becomes; none where the entry stays as it is.
    fn skill(&mut self, position: usize, skill: Skill<'_>) -> Option<Vec<String>> {
        match skill.form()? {
            SkillForm::Inline => {
                self.inline(position, skill);
                None
            }
            SkillForm::Package(reference, _) => {
                let package = match self.packages.package(reference) {
                    Ok(package) => package,
                    Err(NoPackage::Unresolved(why)) => {
                        self.resolution.unresolved.push(format!("`{reference}`: {why}"));
                        return None;
                    }
                    Err(NoPackage::Restricted(why)) => {
                        self.resolution.restricted.push(format!("`{reference}`: {why}"));
                        return None;
                    }
                };
                let place = Place { tree: package.tree.as_ref(), commit: &package.commit };
                self.referred((position, skill, reference), place, ("", &package.path))
            }
            SkillForm::Path(reference, _) => {
                self.referred((position, skill, reference), self.place, (self.path, reference))
            }
        }
    }

    /// Reads what a reference leads to: `path`, seen from the file at `from`.
    fn referred(
        &mut self,
        (position, skill, reference): (usize, Skill<'_>, &str),
        place: Place<'_>,
        (from, path): (&str, &str),
    ) -> Option<Vec<String>> {
        let location = match locate(place.tree, from, path, self.limits.skill_files) {
            Ok(location) => location,
            Err(why) => {
                self.resolution.unresolved.push(format!("`{reference}`: {}", not_located(&why)));
                return None;
            }
        };
        let preload = skill.flag("preload").unwrap_or(false);
        if preload {
            self.warn(format!("`{reference}` is preloaded; an inline skill cannot say so"));
        }
        Some(self.located((position, reference, preload), place, &location))
    }

    fn warn(&mut self, warning: String) {
        self.resolution.warnings.push(warning);
    }

    fn inline(&mut self, position: usize, skill: Skill<'_>) {
        let name = skill.text("name").unwrap_or_default().to_owned();
        self.names.insert(name.clone());
        self.resolution.skills.push(SkillRecord {
            name,
            description: skill.text("description").unwrap_or_default().to_owned(),
            reference: None,
            position,
            preload: false,
            digest: Digest::of(skill.text("instructions").unwrap_or_default().as_bytes()),
            commit: None,
            root: None,
            files: Vec::new(),
        });
    }

    fn located(
        &mut self,
        (position, reference, preload): (usize, &str, bool),
        place: Place<'_>,
        location: &Location,
    ) -> Vec<String> {
        for (path, kind) in &location.skipped {
            self.warn(format!("`{path}` was left out: {}", pack::tree::Unreadable::Other(*kind)));
        }
        let mut objects = Vec::new();
        let mut left = self.limits.skill_bytes;
        for skill_file in location.skill_files() {
            let found = self.record((position, reference), place, location, skill_file, &mut left);
            let Some((record, document)) = found else {
                continue;
            };
            let record = SkillRecord { preload, ..record };
            if self.names.insert(record.name.clone()) {
                objects.push(inline_object(&record, &document));
            } else {
                self.warn(format!("a second skill `{}` was left out of the resolved form", record.name));
            }
            if record.files.len() > 1 {
                let beside = record.files.len() - 1;
                self.warn(format!(
                    "skill `{}`: {beside} {} beside its SKILL.md cannot be inlined",
                    record.name,
                    files(beside)
                ));
            }
            self.resolution.skills.push(record);
        }
        objects
    }

    /// Reads the files of one skill; a failure is noted under `unresolved`.
    fn record(
        &mut self,
        (position, reference): (usize, &str),
        place: Place<'_>,
        location: &Location,
        skill_file: &str,
        left: &mut u64,
    ) -> Option<(SkillRecord, SkillDocument)> {
        let base = folder(skill_file).to_owned();
        let mut files = Vec::new();
        let mut document = None;
        for file in location.files_of(skill_file) {
            let bytes = match place.tree.read(&file.path) {
                Ok(bytes) if bytes.len() as u64 <= *left => bytes,
                Ok(_) => {
                    let limit = self.limits.skill_bytes;
                    self.resolution
                        .unresolved
                        .push(format!("`{reference}`: its files are larger than {limit} bytes"));
                    return None;
                }
                Err(why) => {
                    self.resolution.unresolved.push(format!("`{reference}`: `{}`: {why}", file.path));
                    return None;
                }
            };
            *left -= bytes.len() as u64;
            if file.path == skill_file {
                document = Some(pack::skill::parse(&bytes));
            }
            let ledger_path = format!("skills/{position}/{}", below(&location.path, &file.path));
            files.push(SkillFile {
                path: below(&base, &file.path).to_owned(),
                size: bytes.len() as u64,
                digest: Digest::of(&bytes),
                executable: file.executable,
                ledger_path: ledger_path.clone(),
            });
            self.resolution.files.insert(ledger_path, StoredFile { bytes, executable: file.executable });
        }
        let document = document?;
        let (name, description) = identity(&document, skill_file);
        let record = SkillRecord {
            name,
            description,
            reference: Some(reference.to_owned()),
            position,
            preload: false,
            digest: files_digest(&files),
            // That of the release itself is no news, and 300 versions would each repeat it for every skill.
            commit: reference.starts_with('@').then(|| place.commit.to_owned()),
            root: Some(location.path.clone()),
            files,
        };
        Some((record, document))
    }
}

fn files(count: usize) -> &'static str {
    if count == 1 { "file" } else { "files" }
}

/// The path of `file` below `base`; the last part where `base` is the file itself.
fn below<'f>(base: &str, file: &'f str) -> &'f str {
    let rest = file.strip_prefix(base).map(|rest| rest.trim_start_matches('/')).unwrap_or(file);
    if rest.is_empty() { file.rsplit('/').next().unwrap_or(file) } else { rest }
}

/// Name and description of a skill; the folder's name stands in for a missing name.
fn identity(document: &SkillDocument, skill_file: &str) -> (String, String) {
    let front_matter = document.front_matter.as_ref().ok();
    let fallback =
        folder(skill_file).rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(skill_file);
    let name = front_matter.and_then(|matter| matter.name()).unwrap_or(fallback);
    let description = front_matter.and_then(|matter| matter.description()).unwrap_or(name);
    (name.to_owned(), description.to_owned())
}

fn files_digest(files: &[SkillFile]) -> Digest {
    let parts: Vec<&[u8]> =
        files.iter().flat_map(|file| [file.path.as_bytes(), file.digest.bytes().as_slice()]).collect();
    Digest::of_parts(parts)
}

/// The inline skill as JSON; instructions may not be empty, so a skill without a body repeats its description.
fn inline_object(record: &SkillRecord, document: &SkillDocument) -> String {
    let body = document.body.trim_start_matches(['\r', '\n']);
    let instructions = if body.trim().is_empty() { record.description.as_str() } else { body };
    let text = |value: &str| serde_json::Value::from(value).to_string();
    format!(
        "{{\"name\": {}, \"description\": {}, \"instructions\": {}}}",
        text(&record.name),
        text(&record.description),
        text(instructions)
    )
}

fn not_located(why: &pack::skill::NotLocated) -> String {
    use pack::skill::NotLocated;
    match why {
        NotLocated::Escapes => "the path leaves the repository".to_owned(),
        NotLocated::Missing => "nothing stands there".to_owned(),
        NotLocated::NoSkillFile(path) => format!("`{path}` holds no SKILL.md"),
        NotLocated::Unreadable(path, why) => format!("`{path}`: {why}"),
    }
}

/// Writes the list anew between its brackets: an entry stays as written, or becomes its objects.
fn replaced(text: &str, list: Span, entries: &[Span], edits: &[(Span, Vec<String>)]) -> Vec<u8> {
    let mut bytes = text[..list.start as usize + 1].to_owned();
    let mut at = list.start as usize + 1;
    let mut first = true;
    for entry in entries {
        // What stands between two entries: blanks, with the comma that belongs to the entry before.
        let between = text[at..entry.start as usize].trim_start_matches([',']);
        let edit = edits.iter().find(|(span, _)| span == entry);
        let pieces: Vec<&str> = match edit {
            Some((_, objects)) => objects.iter().map(String::as_str).collect(),
            None => vec![&text[entry.range()]],
        };
        for piece in pieces {
            if !first {
                bytes.push(',');
            }
            first = false;
            bytes.push_str(between.trim_start_matches(','));
            bytes.push_str(piece);
        }
        at = entry.end as usize;
        at += text[at..].bytes().take_while(|byte| byte.is_ascii_whitespace()).count();
        if text.as_bytes().get(at) != Some(&b',') {
            at = entry.end as usize;
        }
    }
    bytes.push_str(&text[at..]);
    bytes.into_bytes()
}

#[cfg(test)]
mod tests {
    use pack::tree::MemoryTree;

    use super::*;

    fn tree() -> MemoryTree {
        let mut tree = MemoryTree::default();
        tree.insert(
            "p/skills/billing/SKILL.md",
            "---\nname: billing\ndescription: Bills.\n---\n\nBe \"kind\".\n",
        );
        tree.insert("p/skills/billing/refunds.md", "30 days");
        tree.insert("p/skills/many/a/SKILL.md", "---\nname: a\ndescription: A.\n---\nA\n");
        tree.insert("p/skills/many/b/SKILL.md", "---\nname: b\ndescription: B.\n---\n");
        tree
    }

    fn check(skills: &str, expected: &str) -> Resolution {
        let text = format!("{{\"skills\": {skills}, \"id\": \"x\"}}");
        let (document, _) = Document::parse(text.as_bytes());
        let tree = tree();
        let place = Place { tree: &tree, commit: "c0ffee" };
        let resolution = resolve(&document.expect("JSON"), "p/x.pack.json", place, &Acme, Limits::default());
        let bytes = resolution.bytes.clone().unwrap_or_else(|| text.clone().into_bytes());
        let bytes = String::from_utf8(bytes).expect("UTF-8");
        assert_eq!(bytes, format!("{{\"skills\": {expected}, \"id\": \"x\"}}"));
        serde_json::from_str::<serde_json::Value>(&bytes).expect("the resolved form is JSON");
        resolution
    }

    const BILLING: &str = r#"{"name": "billing", "description": "Bills.", "instructions": "Be \"kind\".\n"}"#;

    #[test]
    fn references_become_objects_and_the_rest_stays() {
        check("[]", "[]");
        check(
            r#"[ {"name": "i",  "description": "d", "instructions": "x"} ]"#,
            r#"[ {"name": "i",  "description": "d", "instructions": "x"} ]"#,
        );
        let resolution = check(r#"["skills/billing"]"#, &format!("[{BILLING}]"));
        assert_eq!(resolution.skills[0].files.len(), 2);
        assert_eq!(resolution.warnings.len(), 1);
        check(
            "[\n  {\"path\": \"./skills/billing\", \"preload\": true} ,\n  {\"name\": \"i\"}\n]",
            &format!("[\n  {BILLING},\n  {{\"name\": \"i\"}}\n]"),
        );
        let a = r#"{"name": "a", "description": "A.", "instructions": "A\n"}"#;
        let b = r#"{"name": "b", "description": "B.", "instructions": "B."}"#;
        check(r#"["skills/many", "skills/billing"]"#, &format!("[{a},{b}, {BILLING}]"));
        check(r#"["skills/billing", "skills/billing"]"#, &format!("[{BILLING}]"));
    }

    /// `@acme/many` is the folder of many skills, at another commit; `@acme/secret` may not be shown.
    struct Acme;

    impl Packages for Acme {
        fn package(&self, reference: &str) -> Result<crate::package::Package, NoPackage> {
            let path = match reference {
                "@acme/many" => "p/skills/many".to_owned(),
                "@acme/out" => "../etc".to_owned(),
                "@acme/secret" => return Err(NoPackage::Restricted("it is not for everybody".to_owned())),
                _ => return Err(NoPackage::Unresolved("nobody knows it".to_owned())),
            };
            Ok(crate::package::Package { tree: Box::new(tree()), path, commit: "beef".to_owned() })
        }
    }

    #[test]
    fn packages_are_read_at_their_own_commit() {
        let a = r#"{"name": "a", "description": "A.", "instructions": "A\n"}"#;
        let b = r#"{"name": "b", "description": "B.", "instructions": "B."}"#;
        let resolution = check(r#"["@acme/many", "skills/billing"]"#, &format!("[{a},{b}, {BILLING}]"));
        let commits: Vec<Option<&str>> = resolution.skills.iter().map(|s| s.commit.as_deref()).collect();
        assert_eq!(commits, [Some("beef"), Some("beef"), None]);
        let references: Vec<Option<&str>> =
            resolution.skills.iter().map(|skill| skill.reference.as_deref()).collect();
        assert_eq!(references, [Some("@acme/many"), Some("@acme/many"), Some("skills/billing")]);
        assert!(resolution.files.contains_key("skills/0/b/SKILL.md"), "{:?}", resolution.files.keys());
        let secret = check(r#"["@acme/secret"]"#, r#"["@acme/secret"]"#);
        assert_eq!(secret.restricted, ["`@acme/secret`: it is not for everybody"]);
        let out = check(r#"["@acme/out"]"#, r#"["@acme/out"]"#);
        assert_eq!(out.unresolved, ["`@acme/out`: the path leaves the repository"]);
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let resolution = check(r#"["skills/gone"]"#, r#"["skills/gone"]"#);
        assert_eq!(resolution.unresolved, ["`skills/gone`: nothing stands there"]);
        assert_eq!(check(r#"["@acme/x"]"#, r#"["@acme/x"]"#).unresolved.len(), 1);
    }
}
