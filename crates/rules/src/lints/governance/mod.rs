//! Governance (catalogue 3.15).

use pack::Node;
use pack::model::Governance;

use crate::facts::Facts;
use crate::lint::Lint;

mod invalid_vocabulary;
mod personal_owner;
mod recorded_completion;
mod undeclared_governance_field;
mod undeclared_obligation;
mod undeclared_prefix;
mod undeclared_validator;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[
    &invalid_vocabulary::LINT,
    &undeclared_prefix::LINT,
    &undeclared_obligation::LINT,
    &undeclared_validator::LINT,
    &undeclared_governance_field::LINT,
    &recorded_completion::LINT,
    &personal_owner::LINT,
];

pub(crate) use undeclared_prefix::{prefix_of, terms};

/// What holds for the pack or for one agent: its own fields, and those of the pack that it does not replace.
struct Effective<'a> {
    own: Governance<'a>,
    /// Whether it is the pack's and not an agent's.
    is_of_pack: bool,
    inherited: Option<Governance<'a>>,
}

impl<'a> Effective<'a> {
    /// The governance of the pack, then those of the agents that declare one.
    fn all(pack: &Facts<'a>) -> Vec<Effective<'a>> {
        let of_pack = pack.pack.metadata().and_then(|metadata| metadata.get("governance"));
        let of_pack = of_pack.filter(|governance| governance.is_object()).map(Governance);
        let effective = |own: Governance<'a>| {
            let is_of_pack = of_pack == Some(own);
            Effective { own, is_of_pack, inherited: of_pack.filter(|_| !is_of_pack) }
        };
        pack.pack.governances().map(effective).collect()
    }

    fn get(&self, field: &str) -> Option<Node<'a>> {
        self.own.get(field).or_else(|| self.inherited?.get(field))
    }

    fn list(&self, field: &str) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.get(field).into_iter().flat_map(Node::items)
    }
}

/// The controls of all obligations.
fn controls(governance: Governance<'_>) -> impl Iterator<Item = Node<'_>> {
    governance.list("obligations").flat_map(|obligation| obligation.list("controls"))
}

/// Whether the text can stand before the colon of a term.
fn is_prefix(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))
}
