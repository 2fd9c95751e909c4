//! What a composition takes and gives, by the JSON Schemas that it names.
//!
//! Input flows in: a composition may take more. Output flows out: it may promise less variety, never more.

use serde_json::{Value, json};

use super::graph::CompositionPair;
use super::output;
use super::schema::{Flow, Relation, Schema};
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror, Witness};
use crate::changes::report::{At, Changes, Spot};
use crate::subset::{Inclusion, refusal, unmarked};

/// A break for whoever calls the composition or reads its output.
const fn breaking(
    id: &'static str,
    mirror: &'static str,
    summary: &'static str,
    why: &'static str,
    fix: &'static str,
) -> ChangeRule {
    ChangeRule {
        id,
        bumps: Bumps::table("MMM"),
        suggest: None,
        class: Class::Contract,
        certainty: Certainty::Proven,
        affected: &[Affected::Caller],
        safety: false,
        governance: false,
        summary,
        why,
        fix,
        mirror: Mirror::Rule(mirror),
    }
}

/// What callers may rely on grows.
const fn compatible(
    id: &'static str,
    mirror: &'static str,
    summary: &'static str,
    why: &'static str,
) -> ChangeRule {
    ChangeRule {
        bumps: Bumps::table("pmm"),
        ..breaking(id, mirror, summary, why, "Nothing has to be done beyond a minor version.")
    }
}

pub(super) const INPUT_NARROWED: ChangeRule = breaking(
    "composition-input-narrowed",
    "composition-input-widened",
    "a composition refuses input that it took",
    "A caller that sends what the earlier schema allowed gets an error instead of a run.",
    "Keep the old input valid: make new members optional, and keep the values that were allowed.",
);

pub(super) const INPUT_SCHEMA_ADDED: ChangeRule = breaking(
    "composition-input-schema-added",
    "composition-input-schema-removed",
    "the input of a composition is checked from now on",
    "Without a schema any input started a run; whatever the new schema does not allow is refused.",
    "Start with a schema that allows what callers really send, and tighten it in a major version.",
);

pub(super) const INPUT_WIDENED: ChangeRule = compatible(
    "composition-input-widened",
    "composition-input-narrowed",
    "a composition takes more input than before",
    "Callers may send more; whatever they send already is still taken.",
);

pub(super) const INPUT_SCHEMA_REMOVED: ChangeRule = compatible(
    "composition-input-schema-removed",
    "composition-input-schema-added",
    "the input of a composition is no longer checked",
    "Any input starts a run now; what was valid still is, but mistakes show later, inside a step.",
);

pub(super) const OUTPUT_WIDENED: ChangeRule = breaking(
    "composition-output-widened",
    "composition-output-narrowed",
    "a composition may give output that it never gave",
    "A caller that reads the output by the earlier schema meets values that it does not expect, or misses members.",
    "Keep every promise of the old schema: required members stay required, and no value is added to a closed list.",
);

pub(super) const OUTPUT_SCHEMA_REMOVED: ChangeRule = breaking(
    "composition-output-schema-removed",
    "composition-output-schema-added",
    "a composition no longer promises what its output looks like",
    "A caller that reads the output by the schema has nothing to rely on any more: the output may be anything.",
    "Keep the schema; where it promised too much, correct it in a major version.",
);

pub(super) const OUTPUT_NARROWED: ChangeRule = compatible(
    "composition-output-narrowed",
    "composition-output-widened",
    "a composition promises more about its output than before",
    "Everything that it gives now was allowed before, so code that reads the output keeps working.",
);

pub(super) const OUTPUT_SCHEMA_ADDED: ChangeRule = compatible(
    "composition-output-schema-added",
    "composition-output-schema-removed",
    "a composition now promises what its output looks like",
    "Callers gain something to rely on; code that coped with any output keeps working.",
);

pub(super) const SCHEMA_UNRESOLVED: ChangeRule = ChangeRule {
    id: "composition-schema-unresolved",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Possible,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a schema of a composition changed and the two cannot be compared",
    why: "A file is missing on one side, or the schemas use what nobody can decide: any break for callers may hide there.",
    fix: "Keep schema files in the repository, in both versions, and write them without remote references; else look at them yourself and acknowledge the finding.",
    mirror: Mirror::Itself,
};

/// The rules of one direction.
struct Direction {
    what: &'static str,
    added: &'static ChangeRule,
    removed: &'static ChangeRule,
    widened: &'static ChangeRule,
    narrowed: &'static ChangeRule,
    flow: Flow,
    /// What is said where more is allowed than before.
    more: &'static str,
    /// What is said where less is.
    less: &'static str,
}

const INPUT: Direction = Direction {
    what: "input",
    added: &INPUT_SCHEMA_ADDED,
    removed: &INPUT_SCHEMA_REMOVED,
    widened: &INPUT_WIDENED,
    narrowed: &INPUT_NARROWED,
    flow: Flow::In,
    more: "may be more than before",
    less: "may no longer be all that it could be",
};

const OUTPUT: Direction = Direction {
    what: "output",
    added: &OUTPUT_SCHEMA_ADDED,
    removed: &OUTPUT_SCHEMA_REMOVED,
    widened: &OUTPUT_WIDENED,
    narrowed: &OUTPUT_NARROWED,
    flow: Flow::Out,
    more: "may be what it never was",
    less: "is promised more closely than before",
};

/// States how input and output of a composition moved.
///
/// Where the output comes from another step, that is said, and the schemas of the steps are part of it.
pub(super) fn compare<'a>(pair: &CompositionPair<'_, 'a>, changes: &mut Changes<'a>) {
    let (old, new) = input_schemas(pair);
    report(pair, &INPUT, (&old, &new), changes);
    if output::is_judged_by_schema(pair) {
        let (old, new) = output::schemas(pair);
        report(pair, &OUTPUT, (&old, &new), changes);
    }
}

/// The input schemas of both sides.
pub(super) fn input_schemas<'a>(pair: &CompositionPair<'_, 'a>) -> (Schema<'a>, Schema<'a>) {
    let input =
        |side, composition: pack::model::Composition<'a>| Schema::of(side, composition.get("input_schema"));
    (input(pair.old_side(), pair.old), input(pair.new_side(), pair.new))
}

fn report<'a>(
    pair: &CompositionPair<'_, 'a>,
    direction: &Direction,
    (old, new): (&Schema<'a>, &Schema<'a>),
    changes: &mut Changes<'a>,
) {
    let (name, what) = (pair.key(), direction.what);
    let at = place(old, new);
    let (rule, does, shown) = match old.relation(new, direction.flow, pair.budget()) {
        Relation::Equal => return,
        Relation::Unread => {
            return changes.note(format!(
                "the {what} schema of composition `{name}` can be read in neither version: it was not compared"
            ));
        }
        Relation::Unresolved(reason) => {
            let message = format!("the {what} schemas of composition `{name}` cannot be compared");
            changes.report(&SCHEMA_UNRESOLVED, at, message).possible(reason);
            return;
        }
        Relation::Added(free) => (direction.added, "gets a schema", Shown::by(free)),
        Relation::Removed(free) => (direction.removed, "no longer has a schema", Shown::by(free)),
        Relation::Widened(value) => (direction.widened, direction.more, Shown::value(value)),
        Relation::Narrowed(value) => (direction.narrowed, direction.less, Shown::value(value)),
    };
    let draft = changes.report(rule, at, format!("the {what} of composition `{name}` {does}"));
    if rule.bumps == Bumps::table("MMM") {
        let witness = |value| witness(name, direction, (old, new), value);
        match shown {
            Shown::Value(value) => draft.witness(witness(value)),
            Shown::Nothing => draft.bumps(Bumps::table("ppp")),
            Shown::Unknown(reason) => draft.possible(reason),
        };
    }
}

/// What shows that a change breaks somebody.
enum Shown {
    /// This value.
    Value(Value),
    /// There is none: the schema allows any object.
    Nothing,
    /// It is not known, for the reason with that code.
    Unknown(&'static str),
}

impl Shown {
    fn value(value: Option<Value>) -> Shown {
        value.map_or(Shown::Unknown("no-witness"), Shown::Value)
    }

    fn by(free: Inclusion) -> Shown {
        match free {
            Inclusion::Holds => Shown::Nothing,
            Inclusion::Fails(value) => Shown::Value(value),
            Inclusion::Vast => Shown::value(None),
            Inclusion::Undecided(reason) => Shown::Unknown(reason.as_str()),
        }
    }
}

/// Both places, each with its schema as the value that changed: the reference may be the same.
pub(super) fn place<'a>(old: &Schema<'a>, new: &Schema<'a>) -> At<'a> {
    let spot = |schema: &Schema<'a>| {
        let value = schema.value().map(unmarked);
        schema.node().map(|node| value.map_or(Spot::of(node), |value| Spot::of(node).value(value)))
    };
    At::spots(spot(old), spot(new))
}

/// A value that one side allows and the other refuses, with what the validator says.
fn witness(
    composition: &str,
    direction: &Direction,
    schemas: (&Schema<'_>, &Schema<'_>),
    value: Value,
) -> Witness {
    let input = json!({ "composition": composition, direction.what: value });
    refused(input, &value, direction.flow, schemas)
}

/// The witness that `value` is allowed where it goes out of one side and refused on the other.
pub(super) fn refused(
    input: Value,
    value: &Value,
    flow: Flow,
    (old, new): (&Schema<'_>, &Schema<'_>),
) -> Witness {
    let result = |schema: &Schema<'_>, refuses: bool| match refuses {
        false => "allowed".to_owned(),
        true => {
            schema.value().and_then(|schema| refusal(schema, value)).unwrap_or_else(|| "refused".to_owned())
        }
    };
    Witness {
        kind: "tool-args".to_owned(),
        input,
        old_result: result(old, flow == Flow::Out),
        new_result: result(new, flow == Flow::In),
    }
}
