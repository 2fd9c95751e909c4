//! What the rules on tool parameters say of themselves.

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};

const NARROWER: &str =
    "Arguments that were fine before can now be refused: recorded calls, steps and direct callers fail.";
const WIDER: &str = "The model may now send what the handler never saw; whether the handler copes is not visible in the pack.";
const KEEP: &str = "Keep accepting what was accepted, and say in the description what is preferred.";
const TELL: &str = "Make sure that the handlers cope before you publish, and publish a minor version.";

/// A change after which old arguments can be refused.
const fn narrowing(id: &'static str, mirror: Mirror, summary: &'static str) -> ChangeRule {
    ChangeRule {
        id,
        bumps: Bumps::table("MMM"),
        suggest: None,
        class: Class::Contract,
        certainty: Certainty::Proven,
        affected: &[Affected::Caller, Affected::Implementer],
        safety: false,
        governance: false,
        summary,
        why: NARROWER,
        fix: KEEP,
        mirror,
    }
}

/// A change after which handlers can meet arguments that they do not know.
const fn widening(id: &'static str, mirror: &'static str, summary: &'static str) -> ChangeRule {
    ChangeRule {
        bumps: Bumps::table("pmM"),
        certainty: Certainty::Possible,
        affected: &[Affected::Implementer],
        why: WIDER,
        fix: TELL,
        ..narrowing(id, Mirror::Rule(mirror), summary)
    }
}

pub(super) const REQUIRED_ADDED: ChangeRule = ChangeRule {
    why: "Calls that were complete before lack the parameter and are refused.",
    fix: "Add the parameter as an optional one, and let the handler deal with its absence.",
    ..narrowing(
        "tool-param-required-added",
        Mirror::Waived("swapped it is `tool-param-removed`"),
        "a new parameter has to be sent",
    )
};

pub(super) const OPTIONAL_ADDED: ChangeRule = ChangeRule {
    bumps: Bumps::table("pmm"),
    certainty: Certainty::Possible,
    affected: &[Affected::Implementer],
    why: "The model may now send the parameter; a handler that does not know it drops what the model meant.",
    fix: TELL,
    ..narrowing(
        "tool-param-optional-added",
        Mirror::Waived("swapped it is `tool-param-removed`"),
        "a new parameter may be sent",
    )
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    bumps: Bumps::table("mMM"),
    certainty: Certainty::Possible,
    affected: &[Affected::Implementer],
    why: "The model no longer sends the parameter, and a handler that reads it finds nothing; a closed object even refuses it.",
    fix: "Keep the parameter as an optional one until the next major version.",
    ..narrowing(
        "tool-param-removed",
        Mirror::Waived("swapped it is `tool-param-required-added` or `tool-param-optional-added`"),
        "a parameter is no longer declared",
    )
};

pub(super) const RENAMED: ChangeRule = ChangeRule {
    bumps: Bumps::table("mMM"),
    certainty: Certainty::Possible,
    affected: &[Affected::Implementer],
    why: "A handler that reads the old name finds nothing, and calls with the old name lose the value or are refused.",
    fix: "Keep the old name, or declare both until the next major version.",
    ..narrowing("tool-param-renamed", Mirror::Itself, "a parameter has another name")
};

pub(super) const BECAME_REQUIRED: ChangeRule = ChangeRule {
    why: "Calls that left the parameter out were complete before and are refused now.",
    fix: "Keep the parameter optional, and let the handler fill its default in.",
    ..narrowing(
        "tool-param-became-required",
        Mirror::Rule("tool-param-became-optional"),
        "an optional parameter has to be sent",
    )
};

pub(super) const BECAME_OPTIONAL: ChangeRule = widening(
    "tool-param-became-optional",
    "tool-param-became-required",
    "a required parameter may be left out",
);

pub(super) const TYPE_NARROWED: ChangeRule = narrowing(
    "tool-param-type-narrowed",
    Mirror::Rule("tool-param-type-widened"),
    "a parameter allows fewer types",
);

pub(super) const TYPE_WIDENED: ChangeRule =
    widening("tool-param-type-widened", "tool-param-type-narrowed", "a parameter allows more types");

pub(super) const TYPE_CHANGED: ChangeRule = ChangeRule {
    fix: "Add a parameter of the new type beside the old one.",
    ..narrowing("tool-param-type-changed", Mirror::Itself, "a parameter has another type")
};

pub(super) const ENUM_ADDED: ChangeRule = narrowing(
    "tool-param-enum-added",
    Mirror::Rule("tool-param-enum-removed"),
    "a list of allowed values appears",
);

pub(super) const ENUM_VALUE_REMOVED: ChangeRule = narrowing(
    "tool-param-enum-value-removed",
    Mirror::Rule("tool-param-enum-value-added"),
    "an allowed value is gone",
);

pub(super) const ENUM_REMOVED: ChangeRule =
    widening("tool-param-enum-removed", "tool-param-enum-added", "the list of allowed values is gone");

pub(super) const ENUM_VALUE_ADDED: ChangeRule =
    widening("tool-param-enum-value-added", "tool-param-enum-value-removed", "another value is allowed");

pub(super) const CONST_CHANGED: ChangeRule =
    narrowing("tool-param-const-changed", Mirror::Itself, "the only allowed value is another one");

pub(super) const CONSTRAINT_TIGHTENED: ChangeRule = narrowing(
    "tool-param-constraint-tightened",
    Mirror::Rule("tool-param-constraint-relaxed"),
    "a limit allows fewer values",
);

pub(super) const CONSTRAINT_RELAXED: ChangeRule = widening(
    "tool-param-constraint-relaxed",
    "tool-param-constraint-tightened",
    "a limit allows more values",
);

pub(super) const PATTERN_CHANGED: ChangeRule = ChangeRule {
    fix: "Write a pattern that still matches everything that the old one matched.",
    ..narrowing(
        "tool-param-pattern-changed",
        Mirror::Itself,
        "the pattern of a parameter matches other values",
    )
};

pub(super) const FORMAT_CHANGED: ChangeRule = ChangeRule {
    bumps: Bumps::table("pmM"),
    certainty: Certainty::Possible,
    affected: &[Affected::Implementer],
    why: "Most validators read the format as a remark, but the model follows it, and some clients enforce it.",
    fix: TELL,
    ..narrowing("tool-param-format-changed", Mirror::Itself, "the format of a parameter is another one")
};

pub(super) const CLOSED: ChangeRule = ChangeRule {
    fix: "Leave undeclared names alone, and ignore them in the handler.",
    ..narrowing("tool-params-closed", Mirror::Rule("tool-params-opened"), "undeclared names are refused")
};

pub(super) const OPENED: ChangeRule =
    widening("tool-params-opened", "tool-params-closed", "undeclared names are allowed");

pub(super) const ADDED: ChangeRule = narrowing(
    "tool-params-added",
    Mirror::Rule("tool-params-removed"),
    "a tool that took any object declares its parameters",
);

pub(super) const GONE: ChangeRule =
    widening("tool-params-removed", "tool-params-added", "a tool no longer declares its parameters");

pub(super) const COMBINATOR_NARROWED: ChangeRule = narrowing(
    "tool-param-combinator-narrowed",
    Mirror::Rule("tool-param-combinator-widened"),
    "combined schemas allow fewer values",
);

pub(super) const COMBINATOR_WIDENED: ChangeRule = widening(
    "tool-param-combinator-widened",
    "tool-param-combinator-narrowed",
    "combined schemas allow more values",
);

pub(super) const UNDECIDABLE: ChangeRule = ChangeRule {
    certainty: Certainty::Possible,
    why: "It could not be decided whether arguments that were fine before still are, so the worst is assumed.",
    fix: "Write the schema without the construct that the reason names, or acknowledge the finding.",
    ..narrowing("tool-param-undecidable", Mirror::Itself, "the effect on the arguments is unknown")
};

pub(super) const DEFAULT_CHANGED: ChangeRule = ChangeRule {
    bumps: Bumps::table("pmm"),
    class: Class::Behaviour,
    affected: &[Affected::Implementer],
    why: "Calls that leave the parameter out mean something else now.",
    fix: "Make sure that the handlers fill the new default in, and publish a minor version.",
    ..narrowing("tool-param-default-changed", Mirror::Itself, "the default of a parameter is another one")
};

pub(super) const DESCRIPTION_CHANGED: ChangeRule = ChangeRule {
    bumps: Bumps::table("ppm"),
    class: Class::Behaviour,
    affected: &[Affected::User],
    why: "The model reads the words around a parameter to decide what to send, so it may decide differently.",
    fix: "Run the evals against the new wording; nothing else has to be done beyond a patch version.",
    ..narrowing(
        "tool-param-description-changed",
        Mirror::Itself,
        "the description, title or examples of a parameter changed",
    )
};
