//! The pipeline of a prompt: its stages and its middleware, both in order.

use pack::json::Node;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::PromptPair;
use crate::changes::pairing::Pairing;
use crate::changes::report::{At, Changes, Draft};
use crate::changes::value::{block, is_reordered};

pub(super) const STAGE_ADDED: ChangeRule = ChangeRule {
    id: "pipeline-stage-added",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Runtime],
    safety: false,
    governance: false,
    summary: "a pipeline gets another stage, or a prompt gets a pipeline",
    why: "The runtime has to know the stage; one that does not refuses the prompt or skips the stage.",
    fix: "Make sure that the runtimes of this pack know the stage, and publish a minor version.",
    mirror: Mirror::Rule("pipeline-stage-removed"),
};

pub(super) const STAGE_REMOVED: ChangeRule = ChangeRule {
    id: "pipeline-stage-removed",
    summary: "a pipeline loses a stage, or a prompt its pipeline",
    why: "What the stage did to every answer is no longer done, unless the runtime does it of its own accord; without a validator stage guardrails may not run at all.",
    fix: "Say in the changelog what no longer happens, and publish a minor version; keep the stages that guard answers.",
    mirror: Mirror::Rule("pipeline-stage-added"),
    ..STAGE_ADDED
};

pub(super) const STAGE_REORDERED: ChangeRule = ChangeRule {
    id: "pipeline-stage-reordered",
    summary: "the stages of a pipeline run in another order",
    why: "A stage sees what the ones before it made: in another order it sees something else, and a runtime may refuse the order.",
    fix: "Run the evals with the new order, and publish a minor version.",
    mirror: Mirror::Itself,
    ..STAGE_ADDED
};

pub(super) const MIDDLEWARE_CHANGED: ChangeRule = ChangeRule {
    id: "pipeline-middleware-changed",
    summary: "the middleware of a pipeline came, went, moved or is configured differently",
    why: "Middleware belongs to the runtime: whether it knows the type and what the configuration does is not visible in the pack.",
    fix: "Check with the runtimes of this pack, and publish a minor version.",
    mirror: Mirror::Itself,
    ..STAGE_ADDED
};

/// States how the pipeline of a prompt moved.
pub(super) fn compare<'a>(pair: &PromptPair<'a>, changes: &mut Changes<'a>) {
    let key = pair.key();
    match (pipeline(*pair.old.prompt), pipeline(*pair.new.prompt)) {
        (None, Some(new)) => {
            changes.report(&STAGE_ADDED, At::added(new), format!("prompt `{key}` gets a pipeline"));
        }
        (Some(old), None) => {
            let draft = changes.report(
                &STAGE_REMOVED,
                At::removed(old),
                format!("prompt `{key}` no longer has a pipeline"),
            );
            flag_guards(draft, old.list("stages"));
        }
        (Some(old), Some(new)) => {
            compare_stages(key, old, new, changes);
            compare_middleware(key, old, new, changes);
        }
        (None, None) => {}
    }
}

/// The pipeline, where it says anything.
fn pipeline(prompt: Node<'_>) -> Option<Node<'_>> {
    let says =
        |pipeline: &Node<'_>| ["stages", "middleware"].iter().any(|key| pipeline.list(key).count() > 0);
    prompt.get("pipeline").filter(says)
}

fn compare_stages<'a>(key: &str, old: Node<'a>, new: Node<'a>, changes: &mut Changes<'a>) {
    let stages = |pipeline: Node<'a>| pipeline.texts("stages").map(|(_, node)| node).collect::<Vec<_>>();
    let stages = Pairing::staged(stages(old), stages(new), &[&|stage| Some(name(stage).to_owned())]);
    for stage in &stages.added {
        let message = format!("the pipeline of prompt `{key}` gets stage `{}`", name(*stage));
        changes.report(&STAGE_ADDED, At::added(*stage), message);
    }
    for stage in &stages.removed {
        let message = format!("the pipeline of prompt `{key}` loses stage `{}`", name(*stage));
        let draft = changes.report(&STAGE_REMOVED, At::removed(*stage), message);
        flag_guards(draft, [*stage]);
    }
    if is_reordered(stages.both.iter().map(|(_, new)| new.position())) {
        let message = format!("the stages of prompt `{key}` run in another order");
        changes.report(&STAGE_REORDERED, At::member(old, new, "stages"), message);
    }
}

fn name(stage: Node<'_>) -> &str {
    stage.as_str().unwrap_or_default()
}

/// The schema guide calls the stage that runs guardrails `validator`; runtimes also write `validation`.
fn flag_guards<'a>(draft: &mut Draft<'_>, stages: impl IntoIterator<Item = Node<'a>>) {
    if stages.into_iter().any(|stage| name(stage).starts_with("validat")) {
        draft.weakens_a_guard();
    }
}

fn compare_middleware<'a>(key: &str, old: Node<'a>, new: Node<'a>, changes: &mut Changes<'a>) {
    let kind = |item: Node<'a>| item.text("type").unwrap_or_default();
    let items = Pairing::staged(
        old.list("middleware").collect(),
        new.list("middleware").collect(),
        &[&|item| Some(block(item, &[])), &|item| Some(kind(item).to_owned())],
    );
    for item in &items.added {
        let message = format!("middleware `{}` is new in prompt `{key}`", kind(*item));
        changes.report(&MIDDLEWARE_CHANGED, At::added(*item), message);
    }
    for item in &items.removed {
        let message = format!("middleware `{}` is gone from prompt `{key}`", kind(*item));
        changes.report(&MIDDLEWARE_CHANGED, At::removed(*item), message);
    }
    for (old, new) in items.pairs().filter(|(old, new)| block(*old, &[]) != block(*new, &[])) {
        let message = format!("middleware `{}` of prompt `{key}` is configured differently", kind(new));
        changes.report(&MIDDLEWARE_CHANGED, At::both(old, new), message);
    }
    if is_reordered(items.both.iter().map(|(_, new)| new.position())) {
        let message = format!("the middleware of prompt `{key}` runs in another order");
        changes.report(&MIDDLEWARE_CHANGED, At::member(old, new, "middleware"), message);
    }
}
