//! What many lints want to know of one pack, computed once.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use pack::json::Document;
use pack::model::{Pack, Prompt, Skill, SkillForm};
use pack::schema::{Described, SchemaProblem};
use pack::skill::{Location, NotLocated, SkillDocument};
use pack::spec::Declared;
use pack::template::{Class, Names, Placeholder, Syntax, placeholders};
use pack::tree::Tree;
use pack::{Node, SpecVersion};

mod rendered;

pub use rendered::Rendered;

/// The most files of one skill that are looked at.
pub const MAX_SKILL_FILES: usize = 500;

/// Prefixes of the names of tools that runtimes supply themselves.
const RUNTIME_TOOLS: [&str; 7] =
    ["mcp__", "a2a__", "workflow__", "memory__", "skill__", "image__", "video__"];

/// One pack and everything that its lints share.
pub struct Facts<'a> {
    /// The pack.
    pub pack: Pack<'a>,
    /// Which spec version judges it, and why.
    pub declared: Declared,
    /// What the schema of that version refuses.
    pub schema_problems: Vec<SchemaProblem>,
    /// The path of the pack file from the root of the repository.
    pub path: &'a str,
    /// The files around it; none where the pack came alone.
    pub tree: Option<&'a dyn Tree>,
    /// The delimiters of its templates.
    pub syntax: Syntax,
    /// Names that the organization's runtimes provide.
    pub host_variables: &'a [String],
    prompts: Vec<PromptFacts<'a>>,
    fragments: BTreeMap<&'a str, FragmentFacts<'a>>,
    skills: OnceCell<Vec<SkillFacts<'a>>>,
    described: OnceCell<Vec<Described<'a>>>,
}

/// One prompt and its templates.
pub struct PromptFacts<'a> {
    /// The prompt.
    pub prompt: Prompt<'a>,
    /// The names that decide what a placeholder refers to.
    pub names: Names<'a>,
    /// Every placeholder of the prompt's own templates, overrides included.
    pub placeholders: Vec<Use<'a>>,
    /// Keys of the fragments that the templates reach, through other fragments too.
    pub fragments: BTreeSet<&'a str>,
}

/// One placeholder where it stands.
#[derive(Debug, Clone)]
pub struct Use<'a> {
    /// The string that holds it.
    pub node: Node<'a>,
    /// The placeholder.
    pub placeholder: Placeholder<'a>,
    /// What it refers to in its prompt.
    pub class: Class<'a>,
}

/// One fragment of the pack.
pub struct FragmentFacts<'a> {
    /// Its text, as a value of the document.
    pub node: Node<'a>,
    /// The placeholders in it.
    pub placeholders: Vec<Placeholder<'a>>,
    /// Keys of the prompts whose templates reach it, in order.
    pub users: Vec<&'a str>,
}

/// One entry of `skills` and the files that it names.
pub struct SkillFacts<'a> {
    /// The entry.
    pub skill: Skill<'a>,
    /// Which form it has.
    pub form: Option<SkillForm<'a>>,
    /// Where its path leads; none for packages, inline skills and packs without a tree.
    pub location: Option<Result<Location, NotLocated>>,
    /// The documents found there: path and content.
    pub documents: Vec<(String, SkillDocument)>,
}

impl<'a> Facts<'a> {
    /// Gathers the facts of one document.
    pub fn new(
        document: &'a Document,
        path: &'a str,
        tree: Option<&'a dyn Tree>,
        spec: Option<SpecVersion>,
        host_variables: &'a [String],
    ) -> Facts<'a> {
        let mut facts = Facts::without_schema(document, path, tree, spec, host_variables);
        facts.schema_problems = pack::schema::check(document, facts.declared.version);
        facts
    }

    /// Gathers the same facts without asking what the schema refuses, for comparisons: they judge no pack.
    pub fn without_schema(
        document: &'a Document,
        path: &'a str,
        tree: Option<&'a dyn Tree>,
        spec: Option<SpecVersion>,
        host_variables: &'a [String],
    ) -> Facts<'a> {
        let pack = Pack(document.root());
        let declared = match spec {
            Some(version) => Declared::forced(version),
            None => Declared::by_url(pack.text("$schema")),
        };
        let syntax = pack.syntax();
        let mut fragments = fragments(pack, &syntax);
        let composition_names = CompositionNames::of(pack);
        let prompts: Vec<PromptFacts<'a>> = pack
            .prompts()
            .map(|prompt| {
                let names = names(pack, prompt, host_variables, &composition_names);
                prompt_facts(prompt, names, &syntax, &fragments)
            })
            .collect();
        for prompt in &prompts {
            for key in &prompt.fragments {
                if let Some(fragment) = fragments.get_mut(key) {
                    fragment.users.push(prompt.prompt.name_key());
                }
            }
        }
        Facts {
            pack,
            declared,
            schema_problems: Vec::new(),
            path,
            tree,
            syntax,
            host_variables,
            prompts,
            fragments,
            skills: OnceCell::new(),
            described: OnceCell::new(),
        }
    }

    /// The spec version that judges the pack.
    pub fn spec(&self) -> SpecVersion {
        self.declared.version
    }

    /// Whether the pack's map `section` has `key`. Where that section is no map, the schema says so, and every key
    /// counts as declared.
    pub fn declares(&self, section: &str, key: &str) -> bool {
        self.pack.get(section).is_some_and(|map| !map.is_object() || map.get(key).is_some())
    }

    /// The keys of the pack's map `section`.
    pub fn keys(&self, section: &str) -> impl Iterator<Item = &'a str> + Clone + use<'a> {
        self.pack.map(section).map(|(key, _)| key)
    }

    /// Whether a prompt may list a tool of that name though the pack does not declare it: an agent of the pack, a
    /// tool of the runtime, or a wildcard.
    pub fn may_supply_tool(&self, name: &str) -> bool {
        let members = self.pack.agents().and_then(|agents| agents.get("members"));
        name.ends_with('*')
            || RUNTIME_TOOLS.iter().any(|prefix| name.starts_with(prefix))
            || members.is_some_and(|members| members.get(name).is_some())
    }

    /// The prompts, in order.
    pub fn prompts(&self) -> &[PromptFacts<'a>] {
        &self.prompts
    }

    /// The fragments by key.
    pub fn fragments(&self) -> &BTreeMap<&'a str, FragmentFacts<'a>> {
        &self.fragments
    }

    /// The entries of `skills`, in order; their files are read on first use.
    pub fn skills(&self) -> &[SkillFacts<'a>] {
        self.skills.get_or_init(|| self.pack.skills().map(|skill| self.skill_facts(skill)).collect())
    }

    /// Every value that the format describes, in the order of the text.
    pub fn described(&self) -> &[Described<'a>] {
        self.described.get_or_init(|| pack::schema::described(self.pack.document(), self.spec()))
    }

    fn skill_facts(&self, skill: Skill<'a>) -> SkillFacts<'a> {
        let form = skill.form();
        let mut facts = SkillFacts { skill, form, location: None, documents: Vec::new() };
        let (Some(SkillForm::Path(path, _)), Some(tree)) = (form, self.tree) else { return facts };
        let location = pack::skill::locate(tree, self.path, path, MAX_SKILL_FILES);
        if let Ok(location) = &location {
            for file in location.skill_files() {
                if let Ok(bytes) = tree.read(file) {
                    facts.documents.push((file.to_owned(), pack::skill::parse(&bytes)));
                }
            }
        }
        facts.location = Some(location);
        facts
    }
}

impl<'a> SkillFacts<'a> {
    /// The path of an entry that names files, and its place.
    pub fn path(&self) -> Option<(&'a str, Node<'a>)> {
        match self.form {
            Some(SkillForm::Path(path, node)) => Some((path, node)),
            _ => None,
        }
    }
}

impl<'a> PromptFacts<'a> {
    /// Every placeholder that a render of this prompt meets: its own, then those of the fragments it reaches,
    /// classified by this prompt's names.
    pub fn all_uses(&self, facts: &Facts<'a>) -> impl Iterator<Item = Use<'a>> {
        let reached = self.fragments.iter().filter_map(|key| facts.fragments.get(key));
        let inner = reached.flat_map(|fragment| {
            fragment.placeholders.iter().map(|placeholder| Use {
                node: fragment.node,
                placeholder: placeholder.clone(),
                class: self.names.classify(placeholder),
            })
        });
        self.placeholders.iter().cloned().chain(inner).collect::<Vec<_>>().into_iter()
    }

    /// Names of declared variables that the prompt's texts use; logic that mentions a name counts.
    pub fn used_variables(&self, facts: &Facts<'a>) -> BTreeSet<&'a str> {
        let mut used = BTreeSet::new();
        for place in self.all_uses(facts) {
            if let Class::Variable(name) = place.class {
                used.insert(name);
            }
            used.extend(place.placeholder.mentioned().filter(|name| self.names.variables.contains(name)));
        }
        used
    }
}

fn fragments<'a>(pack: Pack<'a>, syntax: &Syntax) -> BTreeMap<&'a str, FragmentFacts<'a>> {
    pack.fragments()
        .map(|(key, text, node)| {
            (key, FragmentFacts { node, placeholders: placeholders(text, syntax), users: Vec::new() })
        })
        .collect()
}

/// What composition steps hand to the prompts they run: the keys of their input, or any name at all.
struct CompositionNames<'a> {
    inputs: BTreeMap<&'a str, BTreeSet<&'a str>>,
    any: BTreeSet<&'a str>,
}

impl<'a> CompositionNames<'a> {
    fn of(pack: Pack<'a>) -> Self {
        let mut names = CompositionNames { inputs: BTreeMap::new(), any: BTreeSet::new() };
        for step in pack.all_steps() {
            let (Some(prompt), Some(input)) = (step.text("prompt_task"), step.get("input")) else { continue };
            if input.as_str().is_some() {
                names.any.insert(prompt);
            }
            names.inputs.entry(prompt).or_default().extend(input.members().map(|(key, _)| key));
        }
        names
    }
}

fn names<'a>(
    pack: Pack<'a>,
    prompt: Prompt<'a>,
    host_variables: &'a [String],
    compositions: &CompositionNames<'a>,
) -> Names<'a> {
    let key = prompt.name_key();
    let mut host: BTreeSet<&str> = host_variables.iter().map(String::as_str).collect();
    host.extend(compositions.inputs.get(key).into_iter().flatten());
    Names {
        variables: prompt.variables().map(|variable| variable.name()).collect(),
        fragments: pack.fragments().map(|(key, ..)| key).collect(),
        host,
        any_host_name: compositions.any.contains(key),
    }
}

fn prompt_facts<'a>(
    prompt: Prompt<'a>,
    names: Names<'a>,
    syntax: &Syntax,
    fragments: &BTreeMap<&'a str, FragmentFacts<'a>>,
) -> PromptFacts<'a> {
    let mut uses = Vec::new();
    for node in prompt.templates() {
        for placeholder in placeholders(node.as_str().unwrap_or_default(), syntax) {
            let class = names.classify(&placeholder);
            uses.push(Use { node, placeholder, class });
        }
    }
    let used = uses.iter().filter_map(|place| fragment_key(place.class)).collect();
    let reached = reached(&names, fragments, used);
    PromptFacts { prompt, names, placeholders: uses, fragments: reached }
}

/// Keys of the fragments that are reached from those in `open`, these included, however deep they lie.
pub(crate) fn reached<'k, 'a: 'k>(
    names: &Names<'_>,
    fragments: &BTreeMap<&'a str, FragmentFacts<'a>>,
    mut open: Vec<&'k str>,
) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    while let Some(key) = open.pop() {
        let Some((&key, fragment)) = fragments.get_key_value(key) else { continue };
        if reached.insert(key) {
            open.extend(fragment.placeholders.iter().filter_map(|inner| fragment_key(names.classify(inner))));
        }
    }
    reached
}

fn fragment_key(class: Class<'_>) -> Option<&str> {
    match class {
        Class::Fragment(key) => Some(key),
        _ => None,
    }
}
