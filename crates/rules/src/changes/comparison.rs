//! Two versions, paired thing by thing, which every rule is handed.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use pack::json::Node;
use pack::model::{Composition, State, Tool, Validator};

use super::pairing::{Content, Pairing};
use super::side::{PromptSide, Side, VariableSide, is_effective};
use super::text::Texts;
use super::value::written;
use super::witness::Named;
use super::workflow::{self, Member};
use crate::subset::Budget;

/// Two versions of one pack.
pub(crate) struct Comparison<'a> {
    /// The earlier version.
    pub(crate) old: &'a Side<'a>,
    /// The later version.
    pub(crate) new: &'a Side<'a>,
    /// Its prompts, by key.
    pub(crate) prompts: Pairing<&'a PromptSide<'a>>,
    /// The prompts that both versions have, each with its variables paired.
    pub(crate) prompt_pairs: Vec<PromptPair<'a>>,
    /// Its fragments, by key: the strings in the pack.
    pub(crate) fragments: Pairing<Node<'a>>,
    /// New keys of renamed fragments, by old key.
    pub(crate) renamed_fragments: BTreeMap<&'a str, &'a str>,
    /// Its tools, by key.
    pub(crate) tools: Pairing<Tool<'a>>,
    /// New names of renamed tools, by old name.
    pub(crate) renamed_tools: BTreeMap<&'a str, &'a str>,
    /// Its compositions, by key.
    pub(crate) compositions: Pairing<Composition<'a>>,
    /// Names of the tools that only one side has.
    pub(crate) lone_tools: BTreeSet<&'a str>,
    /// New keys of renamed prompts, by old key.
    pub(crate) renamed_prompts: BTreeMap<&'a str, &'a str>,
    /// The states of the workflow, by key.
    pub(crate) states: Pairing<State<'a>>,
    /// New keys of renamed states, by old key.
    pub(crate) renamed_states: BTreeMap<&'a str, &'a str>,
    lone_states: BTreeSet<&'a str>,
    /// The agents, by the prompts that they are.
    pub(crate) members: Pairing<Member<'a>>,
    /// New keys of renamed compositions, by old key.
    pub(crate) renamed_compositions: BTreeMap<&'a str, &'a str>,
    /// New keys of renamed provider requirements, by old key.
    pub(crate) renamed_providers: BTreeMap<&'a str, &'a str>,
    /// What comparing schemas and values may still take.
    pub(crate) budget: Budget,
}

/// One prompt of both versions.
pub(crate) struct PromptPair<'a> {
    /// Its earlier form.
    pub(crate) old: &'a PromptSide<'a>,
    /// Its later form.
    pub(crate) new: &'a PromptSide<'a>,
    /// Its variables, by name.
    pub(crate) variables: Pairing<&'a VariableSide<'a>>,
    /// New names of renamed variables, by old name.
    pub(crate) renamed_variables: BTreeMap<&'a str, &'a str>,
    /// Its validators: by id, then by equal type and parameters, then by type in order.
    pub(crate) validators: Pairing<Validator<'a>>,
    /// Whether the new delimiters alone change what the texts refer to; the rules on texts are silent then.
    pub(crate) broken_by_syntax: bool,
}

impl<'a> Comparison<'a> {
    /// Whether a reference that led somewhere in OLD leads nowhere in NEW.
    pub(crate) fn loses(&self, named: Named, before: &str, after: &str) -> bool {
        named.is_in(self.old.pack, before) && !named.is_in(self.new.pack, after)
    }

    /// Pairs two versions.
    pub(crate) fn new(old: &'a Side<'a>, new: &'a Side<'a>) -> Comparison<'a> {
        let mut prompts = Pairing::by_name(&old.prompts, &new.prompts, |prompt| prompt.key());
        prompts.recognize(|prompt| Content::json(*prompt.prompt, &["id", "version"]));
        let key = |node: Node<'a>| node.key().unwrap_or_default();
        let texts =
            |side: &Side<'a>| side.fragments.values().map(|fragment| fragment.node).collect::<Vec<_>>();
        let mut fragments = Pairing::by_name(texts(old), texts(new), key);
        fragments.recognize(|fragment| Content::text(fragment.as_str().unwrap_or_default()));
        let renamed_fragments = names(&fragments, key);
        let mut tools = Pairing::by_name(old.tools(), new.tools(), |tool| tool.name_key());
        tools.recognize(|tool| Content::json(*tool, &["name"]));
        let renamed_tools = names(&tools, |tool| tool.name_key());
        let lone_tools = tools.added.iter().chain(&tools.removed).map(|tool| tool.name_key()).collect();
        let renamed_prompts = names(&prompts, |prompt| prompt.key());
        let states = workflow::states(&old.machine, &new.machine, &renamed_prompts);
        let members = workflow::members(old.pack, new.pack, &renamed_prompts);
        let composition = |side: &Side<'a>| {
            side.pack.compositions().filter(|composition| is_effective(**composition)).collect::<Vec<_>>()
        };
        let composition_key = |composition: Composition<'a>| composition.key().unwrap_or_default();
        let mut compositions = Pairing::by_name(composition(old), composition(new), composition_key);
        compositions.recognize(|composition| Content::json(*composition, &[]));
        let prompt_pairs =
            prompts.pairs().map(|(old_prompt, new_prompt)| PromptPair::new(old_prompt, new_prompt, old, new));
        Comparison {
            old,
            new,
            prompt_pairs: prompt_pairs.collect(),
            prompts,
            fragments,
            renamed_fragments,
            tools,
            renamed_tools,
            lone_tools,
            renamed_prompts,
            renamed_states: names(&states, |state| state.name_key()),
            lone_states: states.added.iter().chain(&states.removed).map(|state| state.name_key()).collect(),
            states,
            members,
            renamed_compositions: names(&compositions, composition_key),
            compositions,
            renamed_providers: super::providers::renamed(old.pack, new.pack),
            budget: Budget::default(),
        }
    }

    /// Whether only one side has the state.
    pub(crate) fn is_lone_state(&self, name: &str) -> bool {
        self.lone_states.contains(name)
    }
}

impl<'a> PromptPair<'a> {
    /// Pairs the variables of two prompts.
    pub(crate) fn new(
        old: &'a PromptSide<'a>,
        new: &'a PromptSide<'a>,
        old_side: &Side<'_>,
        new_side: &Side<'_>,
    ) -> Self {
        let mut variables = Pairing::by_name(&old.variables, &new.variables, |variable| variable.name());
        let normal = |texts: &Texts<'_>, side: &Side<'_>, renamed: &BTreeMap<&str, &str>| {
            texts.normal(side.syntax, renamed)
        };
        let news = LazyCell::new(|| normal(&new.texts, new_side, &BTreeMap::new()));
        let same = |renamed: &BTreeMap<&str, &str>| normal(&old.texts, old_side, renamed) == *news;
        let decidable = !old.texts.too_long() && !new.texts.too_long();
        variables.recognize_where(
            |variable| Content::json(*variable.variable, &["name"]),
            |renames| decidable && same(&renames.iter().map(|(old, new)| (old.name(), new.name())).collect()),
        );
        let renamed_variables = names(&variables, |variable| variable.name());
        let under = |side: &Side<'_>, prompt: &PromptSide<'_>, other: &Side<'_>, renamed| {
            normal(&prompt.texts_under(side.pack, other.syntax), other, renamed)
        };
        let broken_by_syntax = old_side.syntax != new_side.syntax
            && !same(&renamed_variables)
            && under(old_side, old, new_side, &renamed_variables) == *news
            && under(new_side, new, old_side, &BTreeMap::new())
                == normal(&old.texts, old_side, &renamed_variables);
        let validators = validators(old, new);
        PromptPair { old, new, variables, renamed_variables, validators, broken_by_syntax }
    }

    /// The key of the prompt in NEW.
    pub(crate) fn key(&self) -> &'a str {
        self.new.key()
    }
}

fn names<'a, T: Copy>(pairing: &Pairing<T>, name: impl Fn(T) -> &'a str) -> BTreeMap<&'a str, &'a str> {
    pairing.renamed.iter().map(|&(old, new)| (name(old), name(new))).collect()
}

/// A validator of another type is another check, whatever its id.
fn validators<'a>(old: &PromptSide<'a>, new: &PromptSide<'a>) -> Pairing<Validator<'a>> {
    let kind = |validator: Validator<'a>| validator.text("type").unwrap_or_default();
    Pairing::staged(
        old.prompt.validators().collect(),
        new.prompt.validators().collect(),
        &[
            &|validator| Some(format!("{} {}", validator.text("id")?, kind(validator))),
            &|validator| Some(format!("{} {:?}", kind(validator), written(validator.get("params")))),
            &|validator| Some(kind(validator).to_owned()),
        ],
    )
}
