//! How rules report: where a change stands on both sides, and what differs from the rule's own words.

use pack::digest::{canonical, canonical_node};
use pack::json::Node;
use pack::{Pointer, Span};
use serde_json::Value;

use super::witness::Focus;
use crate::change::{Affected, Bump, Bumps, Certainty, ChangeRule, Class, Witness};

/// Where one side has the thing that changed, and its effective value.
#[derive(Clone)]
pub(crate) struct Spot<'a> {
    /// The value, or the nearest one above a member that a default fills in.
    pub(super) node: Node<'a>,
    /// The member that the text leaves out.
    pub(super) implied: Option<&'static str>,
    /// What to point at, where that is not the whole value.
    pub(super) span: Option<Span>,
    /// The effective value, where it differs from the one that is written.
    pub(super) value: Option<Value>,
}

impl<'a> Spot<'a> {
    /// The value `node` as it is written.
    pub(crate) fn of(node: Node<'a>) -> Spot<'a> {
        Spot { node, implied: None, span: None, value: None }
    }

    /// The member `key` of `parent`, or the value that counts where it is absent.
    pub(crate) fn member(parent: Node<'a>, key: &'static str, default: impl Into<Value>) -> Spot<'a> {
        match parent.get(key) {
            Some(node) => Spot::of(node),
            None => Spot { node: parent, implied: Some(key), span: None, value: Some(default.into()) },
        }
    }

    /// The same place with another effective value.
    #[must_use]
    pub(crate) fn value(mut self, value: impl Into<Value>) -> Spot<'a> {
        self.value = Some(value.into());
        self
    }

    /// The same value, pointing at a part of its text.
    #[must_use]
    pub(crate) fn span(mut self, span: Span) -> Spot<'a> {
        self.span = Some(span);
        self
    }

    pub(super) fn effective(&self) -> Value {
        self.value.clone().unwrap_or_else(|| self.node.to_value())
    }

    /// The canonical text of the effective value.
    pub(super) fn canonical(&self) -> String {
        self.value.as_ref().map_or_else(|| canonical_node(self.node), canonical)
    }

    pub(super) fn pointer(&self) -> Pointer {
        let pointer = self.node.pointer();
        self.implied.map_or(pointer.clone(), |key| pointer.join(key))
    }

    pub(super) fn start(&self) -> u32 {
        self.span.unwrap_or(self.node.span()).start
    }
}

/// Where a change stands: absent on the side that lacks the thing.
#[derive(Clone)]
pub(crate) struct At<'a> {
    /// Where OLD has it.
    pub(super) old: Option<Spot<'a>>,
    /// Where NEW has it.
    pub(super) new: Option<Spot<'a>>,
}

impl<'a> At<'a> {
    /// Both sides have it.
    pub(crate) fn both(old: Node<'a>, new: Node<'a>) -> At<'a> {
        At { old: Some(Spot::of(old)), new: Some(Spot::of(new)) }
    }

    /// Each side has it or not.
    pub(crate) fn either(old: Option<Node<'a>>, new: Option<Node<'a>>) -> At<'a> {
        At { old: old.map(Spot::of), new: new.map(Spot::of) }
    }

    /// The member `key` of both parents; a side without it lacks the thing.
    pub(crate) fn member(old: Node<'a>, new: Node<'a>, key: &str) -> At<'a> {
        At::either(old.get(key), new.get(key))
    }

    /// Only OLD has it.
    pub(crate) fn removed(old: Node<'a>) -> At<'a> {
        At { old: Some(Spot::of(old)), new: None }
    }

    /// Only NEW has it.
    pub(crate) fn added(new: Node<'a>) -> At<'a> {
        At { old: None, new: Some(Spot::of(new)) }
    }

    /// Two places that were made by hand.
    pub(crate) fn spots(old: impl Into<Option<Spot<'a>>>, new: impl Into<Option<Spot<'a>>>) -> At<'a> {
        At { old: old.into(), new: new.into() }
    }
}

/// Collects what the rules report.
#[derive(Default)]
pub(crate) struct Changes<'a> {
    drafts: Vec<Draft<'a>>,
    notes: Vec<String>,
    scope: Scope<'a>,
}

/// What holds for every report until the next scope.
#[derive(Clone, Default)]
pub(crate) struct Scope<'a> {
    /// The prompt that the changes belong to.
    pub(crate) prompt: Option<&'a str>,
    /// Prompts that the changes count for too.
    pub(crate) prompts: Vec<&'a str>,
    /// Whether neither side uses the thing.
    pub(crate) unreachable: bool,
}

/// A change that still lacks what is computed only for what is reported.
pub(crate) struct Draft<'a> {
    pub(super) rule: &'static ChangeRule,
    pub(super) at: At<'a>,
    pub(super) message: String,
    pub(super) bumps: Bumps,
    pub(super) suggest: Option<Bump>,
    pub(super) class: Class,
    pub(super) certainty: Certainty,
    pub(super) affected: &'static [Affected],
    pub(super) safety: bool,
    pub(super) reason: Option<&'static str>,
    pub(super) scope: Scope<'a>,
    pub(super) focus: Option<Focus<'a>>,
    pub(super) witness: Option<Witness>,
    pub(super) dropped: bool,
}

impl<'a> Changes<'a> {
    /// Says what the next reports belong to.
    pub(crate) fn scope(&mut self, scope: Scope<'a>) {
        self.scope = scope;
    }

    /// The next reports belong to the prompt of that key.
    pub(crate) fn in_prompt(&mut self, key: &'a str) {
        self.scope = Scope { prompt: Some(key), ..Scope::default() };
    }

    /// Reports a change.
    pub(crate) fn report(
        &mut self,
        rule: &'static ChangeRule,
        at: At<'a>,
        message: impl Into<String>,
    ) -> &mut Draft<'a> {
        self.drafts.push(Draft {
            rule,
            at,
            message: message.into(),
            bumps: rule.bumps,
            suggest: rule.suggest,
            class: rule.class,
            certainty: rule.certainty,
            affected: rule.affected,
            safety: rule.safety,
            reason: None,
            scope: self.scope.clone(),
            focus: None,
            witness: None,
            dropped: false,
        });
        self.drafts.last_mut().expect("a draft was just added")
    }

    /// Adds a remark on the run.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    pub(super) fn drafts(&self) -> &[Draft<'a>] {
        &self.drafts
    }

    pub(super) fn drafts_mut(&mut self) -> &mut [Draft<'a>] {
        &mut self.drafts
    }

    pub(super) fn into_parts(self) -> (Vec<Draft<'a>>, Vec<String>) {
        (self.drafts, self.notes)
    }
}

impl<'a> Draft<'a> {
    /// Asks for other bumps than the rule does.
    pub(crate) fn bumps(&mut self, bumps: Bumps) -> &mut Draft<'a> {
        self.bumps = bumps;
        self
    }

    /// Says that it could not be decided, and why.
    pub(crate) fn possible(&mut self, reason: impl Into<Option<&'static str>>) -> &mut Draft<'a> {
        self.certainty = Certainty::Possible;
        self.reason = reason.into();
        self
    }

    /// Says that the two packs alone show it.
    pub(crate) fn proven(&mut self) -> &mut Draft<'a> {
        self.certainty = Certainty::Proven;
        self
    }

    /// Belongs to another class than the rule.
    pub(crate) fn class(&mut self, class: Class) -> &mut Draft<'a> {
        self.class = class;
        self
    }

    /// Concerns others than the rule says.
    pub(crate) fn affected(&mut self, affected: &'static [Affected]) -> &mut Draft<'a> {
        self.affected = affected;
        self
    }

    /// Says that a guard got weaker.
    pub(crate) fn weakens_a_guard(&mut self) -> &mut Draft<'a> {
        self.safety = true;
        self
    }

    /// Names what the pack does not declare: whatever followed the reference fails, on any client.
    pub(crate) fn leads_nowhere(&mut self, name: &str) -> &mut Draft<'a> {
        self.message.push_str(&format!("; the pack declares no `{name}`"));
        self.bumps(Bumps::table("MMM")).class(Class::Contract).proven()
    }

    /// Says what the break is about; a proven break for which no input is found is left out.
    pub(crate) fn focus(&mut self, focus: Focus<'a>) -> &mut Draft<'a> {
        self.focus = Some(focus);
        self
    }

    /// Shows the break by an input that was run on both sides already.
    pub(crate) fn witness(&mut self, witness: impl Into<Option<Witness>>) -> &mut Draft<'a> {
        self.witness = witness.into();
        self
    }

    /// Counts for these prompts too.
    pub(crate) fn counts_for(&mut self, prompts: impl IntoIterator<Item = &'a str>) -> &mut Draft<'a> {
        self.scope.prompts.extend(prompts);
        self
    }
}
