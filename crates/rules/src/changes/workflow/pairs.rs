//! States and agents of two versions, paired.

use std::collections::BTreeMap;

use pack::digest::canonical_node;
use pack::json::{JsonType, Node};
use pack::model::{Agent, Pack, State};

use super::machine::Machine;
use crate::changes::pairing::{Content, Pairing};
use crate::changes::side::is_effective;

/// An agent, under the key that its prompt has in NEW.
pub(crate) type Member<'a> = (&'a str, Agent<'a>);

/// Pairs the states by key, then by what they say.
pub(crate) fn states<'a>(
    old: &Machine<'a>,
    new: &Machine<'a>,
    renamed_prompts: &BTreeMap<&'a str, &'a str>,
) -> Pairing<State<'a>> {
    let mut states = Pairing::by_name(old.states(), new.states(), |state| state.name_key());
    let before: BTreeMap<&str, State<'a>> =
        states.removed.iter().map(|state| (state.name_key(), *state)).collect();
    states.recognize(|state| {
        let is_old = before.get(state.name_key()) == Some(&state);
        let prompt = |name: &'a str| match renamed_prompts.get(name) {
            Some(new) if is_old => *new,
            _ => name,
        };
        Content::leaves(leaves(state, prompt))
    });
    states
}

/// What a state says apart from its own name.
fn leaves<'a>(state: State<'a>, prompt: impl Fn(&'a str) -> &'a str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<(String, Node<'a>)> =
        state.members().map(|(key, node)| (key.to_owned(), node)).collect();
    while let Some((path, node)) = open.pop() {
        match (node.json_type(), node.as_str()) {
            (JsonType::Object | JsonType::Array, _) => {
                let step = |child: Node<'a>| format!("{path}/{}", child.key().unwrap_or("*"));
                open.extend(node.children().map(|child| (step(child), child)));
            }
            (_, Some(text)) if path == "prompt_task" => found.push(format!("{path}={}", prompt(text))),
            (_, Some(text)) if path.starts_with("on_") && text == state.name_key() => {
                found.push(format!("{path} returns"));
            }
            _ => found.push(format!("{path}={}", canonical_node(node))),
        }
    }
    found.sort_unstable();
    found
}

/// Pairs the agents by the prompts that they are.
pub(crate) fn members<'a>(
    old: Pack<'a>,
    new: Pack<'a>,
    renamed_prompts: &BTreeMap<&'a str, &'a str>,
) -> Pairing<Member<'a>> {
    let all = |pack: Pack<'a>| {
        let members = pack.agents().into_iter().flat_map(|agents| agents.members());
        members
            .filter(|member| is_effective(**member))
            .map(|member| (member.key().unwrap_or_default(), member))
            .collect::<Vec<_>>()
    };
    let olds =
        all(old).into_iter().map(|(key, member)| (renamed_prompts.get(key).copied().unwrap_or(key), member));
    Pairing::by_name(olds.collect::<Vec<_>>(), all(new), |member| member.0)
}
