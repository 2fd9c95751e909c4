//! What a comparison of two schemas says.

use pack::Pointer;
use serde_json::Value;

use super::Reason;

/// How the values that two versions of a schema allow relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Both allow the same.
    Equal,
    /// NEW allows all that OLD allows, and more.
    Widened,
    /// NEW allows only some of what OLD allows.
    Narrowed,
    /// Each allows something that the other refuses.
    Changed,
    /// It could not be shown that NEW still allows what OLD allows.
    Undecidable(Reason),
}

/// What kind of thing differs. The names are those of the change rules `tool-param-*` and `tool-params-*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A new parameter that must be sent.
    RequiredAdded,
    /// A new parameter that may be left out.
    OptionalAdded,
    /// A parameter that is no longer declared.
    Removed,
    /// A parameter that is declared under another name.
    Renamed,
    /// A parameter that must be sent from now on.
    BecameRequired,
    /// A parameter that may be left out from now on.
    BecameOptional,
    /// Fewer types.
    TypeNarrowed,
    /// More types.
    TypeWidened,
    /// Other types.
    TypeChanged,
    /// A list of allowed values appears.
    EnumAdded,
    /// The list of allowed values is gone.
    EnumRemoved,
    /// Allowed values are gone.
    EnumValueRemoved,
    /// More values are allowed.
    EnumValueAdded,
    /// Another single value.
    ConstChanged,
    /// A limit became tighter, or other than it was.
    ConstraintTightened,
    /// A limit became looser.
    ConstraintRelaxed,
    /// A pattern matches other texts, or it could not be decided which.
    PatternChanged,
    /// An annotation of the form of texts changed.
    FormatChanged,
    /// Undeclared members are refused from now on.
    Closed,
    /// Undeclared members are allowed from now on.
    Opened,
    /// The whole schema appears.
    ParamsAdded,
    /// The whole schema is gone.
    ParamsRemoved,
    /// Combinators allow less, or other than they did.
    CombinatorNarrowed,
    /// Combinators allow more.
    CombinatorWidened,
    /// It could not be decided.
    Undecidable,
    /// Another default.
    DefaultChanged,
    /// Another description, title or example.
    DescriptionChanged,
    /// A keyword that JSON Schema does not know.
    UnknownChanged,
}

impl Kind {
    /// What the difference does to the values that are allowed; none for annotations.
    pub(super) fn direction(self) -> Option<Verdict> {
        Some(match self {
            Kind::RequiredAdded
            | Kind::Removed
            | Kind::Renamed
            | Kind::BecameRequired
            | Kind::TypeNarrowed
            | Kind::EnumAdded
            | Kind::EnumValueRemoved
            | Kind::ConstraintTightened
            | Kind::Closed
            | Kind::ParamsAdded
            | Kind::CombinatorNarrowed => Verdict::Narrowed,
            Kind::OptionalAdded
            | Kind::BecameOptional
            | Kind::TypeWidened
            | Kind::EnumRemoved
            | Kind::EnumValueAdded
            | Kind::ConstraintRelaxed
            | Kind::Opened
            | Kind::ParamsRemoved
            | Kind::CombinatorWidened => Verdict::Widened,
            Kind::TypeChanged | Kind::ConstChanged | Kind::PatternChanged => Verdict::Changed,
            Kind::FormatChanged
            | Kind::DefaultChanged
            | Kind::DescriptionChanged
            | Kind::UnknownChanged
            | Kind::Undecidable => return None,
        })
    }
}

/// One difference, at the node that it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// What differs.
    pub kind: Kind,
    /// The name of the parameter, or the keyword where the difference is not about a parameter as a whole.
    pub name: String,
    /// Where OLD has it, below the schema; none where OLD lacks it.
    pub old: Option<Pointer>,
    /// Where NEW has it, below the schema; none where NEW lacks it.
    pub new: Option<Pointer>,
    /// A value that OLD accepts and NEW refuses, checked by our validator on both.
    pub witness: Option<Value>,
    /// Why the effect could not be decided.
    pub reason: Option<Reason>,
}

/// Everything that a comparison says.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// How the allowed values relate, differences of names included.
    pub verdict: Verdict,
    /// Where they differ, in the order of the schemas.
    pub differences: Vec<Difference>,
    /// A value that OLD accepts and NEW refuses, whatever the place.
    pub witness: Option<Value>,
}
