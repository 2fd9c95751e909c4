//! One version in normal form: what rules compare instead of the raw document.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use pack::json::Node;
use pack::model::{Composition, Pack, Prompt, Tool, Variable};
use pack::spec::SpecVersion;
use pack::template::{Names, Syntax};
use pack::tree::Tree;

use super::text::{Budget, Expansion, Texts, Usage};
use super::variables::Constraints;
use super::workflow::Machine;
use crate::facts::{Facts, FragmentFacts, PromptFacts, Use};

/// One version of a pack.
pub(crate) struct Side<'a> {
    /// The pack.
    pub(crate) pack: Pack<'a>,
    /// The spec version under which it runs: the one that it names, never below the one that it needs.
    pub(crate) spec: SpecVersion,
    /// The delimiters of its templates.
    pub(crate) syntax: &'a Syntax,
    /// The path of the pack file.
    pub(crate) path: &'a str,
    /// The files around it.
    pub(crate) tree: Option<&'a dyn Tree>,
    /// The prompts, in order.
    pub(crate) prompts: Vec<PromptSide<'a>>,
    /// The workflow, ready to run.
    pub(crate) machine: Machine<'a>,
    /// The fragments by key.
    pub(crate) fragments: &'a BTreeMap<&'a str, FragmentFacts<'a>>,
    /// Positions of the prompts, by key.
    positions: BTreeMap<&'a str, usize>,
    /// Keys of the prompts that offer a tool, by its name.
    offering: BTreeMap<&'a str, Vec<&'a str>>,
    /// The same for names whose trailing `*` stands for any ending.
    wildcards: Vec<(&'a str, Vec<&'a str>)>,
    /// Tools that a step calls.
    called: BTreeSet<&'a str>,
}

/// One prompt of one version.
pub(crate) struct PromptSide<'a> {
    /// The prompt.
    pub(crate) prompt: Prompt<'a>,
    /// The names that decide what a placeholder refers to.
    pub(crate) names: &'a Names<'a>,
    /// Every placeholder of its own templates.
    pub(crate) uses: &'a [Use<'a>],
    /// Keys of the fragments that its templates reach.
    pub(crate) fragments: &'a BTreeSet<&'a str>,
    /// Its expanded texts.
    pub(crate) texts: Texts<'a>,
    /// What they refer to.
    pub(crate) usage: Usage,
    /// Its variables, in order.
    pub(crate) variables: Vec<VariableSide<'a>>,
    /// Tools that it offers: those it lists, without the blocked ones.
    pub(crate) tools: BTreeMap<&'a str, Node<'a>>,
}

/// One variable of one version.
pub(crate) struct VariableSide<'a> {
    /// The variable.
    pub(crate) variable: Variable<'a>,
    /// Whether a text of the prompt uses it.
    pub(crate) used: bool,
    usable_default: OnceCell<bool>,
}

impl<'a> Side<'a> {
    /// Brings one version into normal form.
    pub(crate) fn new<'f: 'a>(facts: &'a Facts<'f>) -> Side<'a> {
        let pack = facts.pack;
        let mut budget = Budget::default();
        let prompts = facts.prompts().iter().filter(|facts| is_effective(*facts.prompt));
        let prompts: Vec<PromptSide<'a>> =
            prompts.map(|prompt| PromptSide::new(pack, &facts.syntax, prompt, &mut budget)).collect();
        let mut offering: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for prompt in &prompts {
            for name in prompt.tools.keys() {
                offering.entry(name).or_default().push(prompt.key());
            }
        }
        let wildcards =
            offering.iter().filter_map(|(name, prompts)| Some((name.strip_suffix('*')?, prompts.clone())));
        let wildcards = wildcards.collect();
        let mut called = BTreeSet::new();
        for step in pack.compositions().flat_map(|composition| composition.all_steps()) {
            called.extend(step.text("tool"));
            called.extend(step.texts("tools").map(|(name, _)| name));
        }
        Side {
            pack,
            spec: super::pack::spec_version(pack, &facts.declared),
            syntax: &facts.syntax,
            path: facts.path,
            tree: facts.tree,
            positions: prompts.iter().enumerate().map(|(at, prompt)| (prompt.key(), at)).collect(),
            prompts,
            machine: Machine::of(pack),
            fragments: facts.fragments(),
            offering,
            wildcards,
            called,
        }
    }

    /// The prompt of that key.
    pub(crate) fn prompt(&self, key: &str) -> Option<&PromptSide<'a>> {
        self.prompts.get(*self.positions.get(key)?)
    }

    /// The composition of that key.
    pub(crate) fn composition(&self, key: &str) -> Option<Composition<'a>> {
        self.pack.get("compositions")?.get(key).map(Composition)
    }

    /// The tools by key, repeated keys left out.
    pub(crate) fn tools(&self) -> impl Iterator<Item = Tool<'a>> + use<'a> {
        self.pack.tools().filter(|tool| is_effective(**tool))
    }

    /// Whether a prompt offers the tool or a step calls it.
    pub(crate) fn uses_tool(&self, name: &str) -> bool {
        self.called.contains(name) || !self.prompts_offering(name).is_empty()
    }

    /// Keys of the prompts that offer the tool.
    pub(crate) fn prompts_offering(&self, tool: &str) -> Vec<&'a str> {
        let wild = self.wildcards.iter().filter(|(start, _)| tool.starts_with(start));
        let exact = self.offering.get(tool).into_iter();
        exact.chain(wild.map(|(_, prompts)| prompts)).flatten().copied().collect()
    }
}

/// Whether a member is the copy that counts: of a repeated key the last one.
pub(crate) fn is_effective(member: Node<'_>) -> bool {
    let found = member.parent().zip(member.key()).and_then(|(parent, key)| parent.get(key));
    found.is_none_or(|found| found == member)
}

impl<'a> PromptSide<'a> {
    fn new(pack: Pack<'a>, syntax: &'a Syntax, facts: &'a PromptFacts<'a>, budget: &mut Budget) -> Self {
        let prompt = facts.prompt;
        let names = &facts.names;
        let texts = texts(pack, prompt, syntax, names, budget);
        let usage = usage(prompt, &texts, syntax, names);
        let variables = prompt
            .variables()
            .map(|variable| VariableSide {
                variable,
                used: usage.variables.contains(variable.name()),
                usable_default: OnceCell::new(),
            })
            .collect();
        let tools = offered(prompt);
        PromptSide {
            prompt,
            names,
            uses: &facts.placeholders,
            fragments: &facts.fragments,
            texts,
            usage,
            variables,
            tools,
        }
    }

    /// Its key, which is its identity.
    pub(crate) fn key(&self) -> &'a str {
        self.prompt.name_key()
    }

    /// Its texts if placeholders were written in another syntax.
    pub(crate) fn texts_under(&self, pack: Pack<'_>, syntax: &Syntax) -> Texts<'a> {
        texts(pack, self.prompt, syntax, self.names, &mut Budget::default())
    }
}

fn texts<'a>(
    pack: Pack<'_>,
    prompt: Prompt<'a>,
    syntax: &Syntax,
    names: &Names<'_>,
    budget: &mut Budget,
) -> Texts<'a> {
    let fragment = |key: &str| pack.fragment(key);
    Expansion { syntax, names, fragment: &fragment }.texts(prompt, budget)
}

fn usage(prompt: Prompt<'_>, texts: &Texts<'_>, syntax: &Syntax, names: &Names<'_>) -> Usage {
    let types: BTreeMap<&str, Option<&str>> =
        prompt.variables().rev().map(|variable| (variable.name(), variable.type_name())).collect();
    let takes_paths = |name: &str| {
        let basic = types.get(name).copied().flatten();
        !matches!(basic, Some("string" | "number" | "integer" | "boolean"))
    };
    Usage::of(texts, syntax, names, takes_paths)
}

fn offered(prompt: Prompt<'_>) -> BTreeMap<&str, Node<'_>> {
    let blocked: BTreeSet<&str> = prompt
        .get("tool_policy")
        .into_iter()
        .flat_map(|policy| policy.texts("blocklist"))
        .map(|(name, _)| name)
        .collect();
    let mut tools = BTreeMap::new();
    for (name, node) in prompt.tools().filter(|(name, _)| !blocked.contains(name)) {
        tools.entry(name).or_insert(node);
    }
    tools
}

impl<'a> VariableSide<'a> {
    /// Its name.
    pub(crate) fn name(&self) -> &'a str {
        self.variable.name()
    }

    /// Whether the caller has to send it: required, and not filled in by the runtime.
    pub(crate) fn is_must(&self) -> bool {
        self.variable.is_required() && !self.is_auto()
    }

    /// Whether the runtime fills it in.
    pub(crate) fn is_auto(&self) -> bool {
        self.variable.is_auto_populated()
    }

    /// Whether a call without it fails.
    pub(crate) fn is_needed(&self) -> bool {
        self.is_must() || (self.used && !self.is_auto() && !self.has_usable_default())
    }

    /// Whether its default is valid, not null and not the empty string.
    pub(crate) fn has_usable_default(&self) -> bool {
        *self.usable_default.get_or_init(|| {
            let Some(default) = self.variable.default_value() else { return false };
            let allowed = || Constraints::of(self.variable).accept(&default.to_value());
            default.as_str() != Some("") && allowed()
        })
    }
}
