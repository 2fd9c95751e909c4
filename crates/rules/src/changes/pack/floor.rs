//! The lowest spec version that knows everything a pack uses.

use pack::json::Node;
use pack::model::{Eval, Pack, Prompt, Step};
use pack::spec::SpecVersion;

/// The lowest version, and the first feature that needs it.
pub(super) struct Floor<'a> {
    /// The lowest version that knows all features.
    pub(super) version: SpecVersion,
    /// What needs it, as a message names it.
    pub(super) feature: String,
    /// Where that stands; the whole pack where nothing is newer than 1.0.
    pub(super) node: Node<'a>,
}

impl<'a> Floor<'a> {
    fn needs(&mut self, version: SpecVersion, node: Option<Node<'a>>) {
        // An empty block says nothing, so it needs nothing.
        let node = node.filter(|node| !node.is_null() && !is_empty_block(*node));
        let Some(node) = node.filter(|_| version > self.version) else { return };
        let owner = node.parent().filter(|owner| owner.parent().is_some());
        let owner =
            owner.and_then(|owner| owner.key().or_else(|| owner.text("name").or_else(|| owner.text("id"))));
        let name = node.key().unwrap_or_default();
        let feature = owner.map_or(format!("`{name}`"), |owner| format!("`{name}` of `{owner}`"));
        *self = Floor { version, feature, node };
    }

    fn needs_keys(&mut self, owner: Node<'a>, keys: &[(&str, SpecVersion)]) {
        for (key, version) in keys {
            self.needs(*version, owner.get(key));
        }
    }
}

fn is_empty_block(node: Node<'_>) -> bool {
    (node.is_object() || node.is_array()) && node.is_empty()
}

/// Finds the floor of a pack.
pub(super) fn floor(pack: Pack<'_>) -> Floor<'_> {
    use SpecVersion as V;
    let mut floor = Floor { version: V::V1_0, feature: "nothing".to_owned(), node: *pack };
    let root = [
        ("evals", V::V1_2),
        ("workflow", V::V1_3),
        ("agents", V::V1_3),
        ("skills", V::V1_3_1),
        ("compositions", V::V1_5),
    ];
    floor.needs_keys(*pack, &root);
    floor.needs(V::V1_5_1, pack.get("requires").and_then(|requires| requires.get("providers")));
    floor.needs(V::V1_6, pack.metadata().and_then(|metadata| metadata.get("governance")));
    for governance in pack.governances() {
        floor.needs_keys(
            *governance,
            &[("independent_of", V::V1_8), ("obligations", V::V1_8), ("reviews", V::V1_8)],
        );
    }
    for tool in pack.tools() {
        floor.needs_keys(*tool, &[("action_scope", V::V1_6), ("extensions", V::V1_6)]);
    }
    pack.evals().for_each(|eval| eval_needs(eval, &mut floor));
    pack.prompts().for_each(|prompt| prompt_needs(prompt, &mut floor));
    workflow_needs(pack, &mut floor);
    for composition in pack.compositions() {
        floor.needs_keys(*composition, &[("extensions", V::V1_8)]);
        composition.all_steps().into_iter().for_each(|step| step_needs(step, &mut floor));
    }
    floor
}

fn prompt_needs<'a>(prompt: Prompt<'a>, floor: &mut Floor<'a>) {
    use SpecVersion as V;
    let keys = [("media", V::V1_1), ("evals", V::V1_2), ("extensions", V::V1_8), ("provider", V::V1_9)];
    floor.needs_keys(*prompt, &keys);
    for variable in prompt.variables() {
        floor.needs(V::V1_1, variable.get("binding"));
    }
    for validator in prompt.validators() {
        floor.needs_keys(*validator, &[("message", V::V1_1), ("id", V::V1_8), ("extensions", V::V1_8)]);
    }
    prompt.evals().for_each(|eval| eval_needs(eval, floor));
}

fn eval_needs<'a>(eval: Eval<'a>, floor: &mut Floor<'a>) {
    use SpecVersion as V;
    let keys = [
        ("threshold", V::V1_3),
        ("message", V::V1_3),
        ("when", V::V1_3),
        ("groups", V::V1_3),
        ("extensions", V::V1_8),
    ];
    floor.needs_keys(*eval, &keys);
}

fn workflow_needs<'a>(pack: Pack<'a>, floor: &mut Floor<'a>) {
    use SpecVersion as V;
    let Some(workflow) = pack.workflow() else { return agents_need(pack, floor) };
    floor.needs(V::V1_4, workflow.get("engine").and_then(|engine| engine.get("budget")));
    for state in workflow.states() {
        let keys = [
            ("skills", V::V1_3_1),
            ("terminal", V::V1_4),
            ("max_visits", V::V1_4),
            ("on_max_visits", V::V1_4),
            ("artifacts", V::V1_4),
            ("composition", V::V1_5),
            ("control", V::V1_7),
            ("extensions", V::V1_8),
        ];
        floor.needs_keys(*state, &keys);
    }
    agents_need(pack, floor);
}

fn agents_need<'a>(pack: Pack<'a>, floor: &mut Floor<'a>) {
    use SpecVersion as V;
    for agent in pack.agents().into_iter().flat_map(|agents| agents.members()) {
        let keys = [("state", V::V1_4_1), ("governance", V::V1_6), ("extensions", V::V1_8)];
        floor.needs_keys(*agent, &keys);
    }
}

fn step_needs<'a>(step: Step<'a>, floor: &mut Floor<'a>) {
    floor.needs(
        SpecVersion::V1_8,
        step.get("kind").filter(|kind| kind.as_str().is_some_and(|kind| kind.contains('.'))),
    );
    if matches!(step.kind(), Some("prompt" | "agent")) {
        floor.needs(SpecVersion::V1_9, step.get("provider"));
    }
}
