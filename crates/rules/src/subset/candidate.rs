//! Nodes of two schemas that are written differently, and how to read one side with the other's.

use pack::Pointer;
use serde_json::Value;

use super::Names;
use super::difference::Kind;
use super::reading::{Edit, Edits, Node, address};

/// What a candidate is about.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum About {
    /// A parameter that only NEW declares, and whether it must be sent.
    Added {
        required: bool,
    },
    /// A parameter that only OLD declares.
    Removed,
    /// A parameter under another name.
    Renamed,
    /// A name that must be sent on one side only.
    Required {
        now: bool,
    },
    Type,
    Values {
        old: Option<Vec<Value>>,
        new: Option<Vec<Value>>,
        constant: bool,
    },
    Pattern,
    Limit,
    Rest {
        closed: Option<bool>,
    },
    Combinator,
    Annotation(Kind),
}

/// A pair of nodes that are written differently.
#[derive(Debug, Clone)]
pub(super) struct Candidate<'v> {
    pub(super) about: About,
    pub(super) name: String,
    pub(super) old: Option<Pointer>,
    pub(super) new: Option<Pointer>,
    /// The schemas that the difference stands in.
    pub(super) pair: [Node<'v>; 2],
    /// What reading OLD with this difference takes from NEW; none for annotations.
    pub(super) edit: Option<Edit<'v>>,
    /// The objects that the parameter is a member of, for candidates about names.
    pub(super) place: Option<Place<'v>>,
    /// Which objects the effect is judged on.
    pub(super) names: Names,
}

/// A pair of schemas that stand for one value, and where.
#[derive(Debug, Clone)]
pub(super) struct Place<'v> {
    pub(super) old: Node<'v>,
    pub(super) new: Node<'v>,
    /// Whether the name of the candidate is a pattern of names.
    pub(super) by_pattern: bool,
    pub(super) old_pointer: Pointer,
    pub(super) new_pointer: Pointer,
}

/// What reading one side takes from the other where all these differences are replaced.
pub(super) fn replacing<'c, 'v: 'c>(
    side: usize,
    candidates: impl IntoIterator<Item = &'c Candidate<'v>>,
) -> Edits<'v> {
    let mut edits: Edits<'v> = Edits::new();
    for candidate in candidates {
        let Some(edit) = candidate.edit.clone() else { continue };
        let all = edits.entry(address(candidate.pair[side].value)).or_default();
        all.from = Some(candidate.pair[1 - side]);
        all.whole |= edit.whole;
        all.keywords.extend(edit.keywords);
        all.members.extend(edit.members);
        all.required.extend(edit.required);
    }
    edits
}
