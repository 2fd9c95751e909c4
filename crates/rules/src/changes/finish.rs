//! Completes what the rules reported: places, positions, fingerprints, bumps under the profile, order.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use pack::json::Document;
use pack::{Digest, LineIndex, Pointer, Position};

use super::report::{Changes, Draft, Spot};
use crate::change::{Bump, Bumps, Change, Class, Diff, DiffOptions, Profile, RuleSetting, Side};
use crate::lint::Level;
use crate::place::Places;

/// One document and what is computed of it once.
struct Ground<'a> {
    document: &'a Document,
    places: Places<'a>,
    lines: LineIndex,
}

impl<'a> Ground<'a> {
    fn new(document: &'a Document) -> Ground<'a> {
        Ground { document, places: Places::default(), lines: LineIndex::new(document.text()) }
    }

    fn position(&self, offset: u32) -> Position {
        self.lines.position(self.document.text(), offset)
    }

    fn place(&self, spot: &Spot<'a>) -> Pointer {
        let place = self.places.of(spot.node);
        spot.implied.map_or(place.clone(), |key| place.join(key))
    }

    fn side(&self, spot: &Spot<'a>) -> Side {
        let Position { line, column } = self.position(spot.start());
        Side { pointer: spot.pointer(), line, column, value: spot.effective() }
    }
}

/// Turns drafts into the changes of a run.
pub(super) fn finish<'a>(
    changes: Changes<'a>,
    old: &'a Document,
    new: &'a Document,
    pack: &str,
    options: DiffOptions<'_>,
) -> Diff {
    let (drafts, mut notes) = changes.into_parts();
    let drafts: Vec<Draft<'a>> = drafts.into_iter().filter(|draft| !draft.dropped).collect();
    let places = Places::default();
    let anchors: Vec<Spot<'a>> = drafts.iter().map(|draft| anchor(draft, new, &places)).collect();
    let (old, new) = (Ground::new(old), Ground::new(new));
    let mut found = Vec::new();
    let mut off = 0;
    for (draft, anchor) in drafts.into_iter().zip(anchors) {
        let setting = (options.setting)(draft.rule.id);
        if setting.level == Some(Level::Off) {
            off += 1;
            continue;
        }
        found.push(complete(draft, &anchor, &old, &new, pack, options, setting));
    }
    if off > 0 {
        notes.push(format!("{off} {} switched off", if off == 1 { "change is" } else { "changes are" }));
    }
    found.sort_by(|a, b| {
        let key = |change: &Change| Reverse(change.bump);
        key(a)
            .cmp(&key(b))
            .then_with(|| (&a.place, &a.rule, &a.message).cmp(&(&b.place, &b.rule, &b.message)))
    });
    found.dedup();
    notes.sort();
    notes.dedup();
    Diff { changes: found, notes }
}

/// Where NEW shows the change: its own place, else the nearest value that is left above the old one.
fn anchor<'a>(draft: &Draft<'a>, new: &'a Document, places: &Places<'a>) -> Spot<'a> {
    match (&draft.at.new, &draft.at.old) {
        (Some(spot), _) => spot.clone(),
        (None, Some(old)) => Spot::of(places.counterpart(new.root(), old.node)),
        (None, None) => Spot::of(new.root()),
    }
}

fn complete<'a>(
    draft: Draft<'a>,
    anchor: &Spot<'a>,
    old: &Ground<'a>,
    new: &Ground<'a>,
    pack: &str,
    options: DiffOptions<'_>,
    setting: RuleSetting,
) -> Change {
    let mut bumps = weighed(&draft, options);
    if let Some(bump) = setting.bump {
        bumps = bumps.with(options.profile, bump);
    }
    let places = [
        draft.at.old.as_ref().map(|spot| old.place(spot).to_string()),
        draft.at.new.as_ref().map(|spot| new.place(spot).to_string()),
    ];
    let (old_side, new_side) =
        (draft.at.old.as_ref().map(|spot| old.side(spot)), draft.at.new.as_ref().map(|spot| new.side(spot)));
    let fingerprint = fingerprint(pack, draft.rule.id, &places, [&draft.at.old, &draft.at.new]);
    let [old_place, new_place] = places;
    let anchor_pointer =
        if new.document.at(&anchor.pointer()).is_some() { anchor.pointer() } else { anchor.node.pointer() };
    let prompts: BTreeSet<&str> = draft.scope.prompt.into_iter().chain(draft.scope.prompts).collect();
    Change {
        rule: draft.rule.id.to_owned(),
        bump: bumps.under(options.profile),
        bumps,
        suggest: draft.suggest.filter(|suggest| *suggest > bumps.under(options.profile)),
        level: setting.level.unwrap_or(Level::Info),
        class: draft.class,
        certainty: draft.certainty,
        affected: draft.affected.to_vec(),
        message: draft.message,
        reason: draft.reason.or(draft.scope.unreachable.then_some("unreachable")).map(str::to_owned),
        prompt: draft.scope.prompt.map(str::to_owned),
        prompts: prompts.into_iter().map(str::to_owned).collect(),
        safety: draft.safety,
        governance: draft.rule.governance,
        acknowledged: false,
        prompt_declared: false,
        since: None,
        place: new_place.or(old_place).unwrap_or_default(),
        old: old_side,
        new: new_side,
        anchor: anchor_pointer,
        anchor_position: new.position(anchor.start()),
        witness: draft.witness,
        fingerprint,
    }
}

/// The bumps under every profile, with what the options say about floors and texts.
fn weighed(draft: &Draft<'_>, options: DiffOptions<'_>) -> Bumps {
    let mut bumps = draft.bumps;
    if draft.rule.id == "runtime-floor-raised" {
        bumps = bumps.with(Profile::Contract, options.runtime_floor);
    }
    if draft.class == Class::Behaviour && draft.suggest.is_some() {
        bumps = bumps.with(Profile::Contract, bumps.contract.max(options.behaviour_bump));
    }
    if draft.scope.unreachable { bumps.capped(Bump::Patch) } else { bumps }
}

/// First sixteen digits over pack, rule, both places and both effective values; a side that lacks the thing is empty.
fn fingerprint(
    pack: &str,
    rule: &str,
    places: &[Option<String>; 2],
    spots: [&Option<Spot<'_>>; 2],
) -> String {
    let digest = |spot: &Option<Spot<'_>>| {
        spot.as_ref().map(|spot| Digest::of(spot.canonical().as_bytes()).hex()).unwrap_or_default()
    };
    let values = spots.map(digest);
    let place = |at: usize| places[at].as_deref().unwrap_or_default();
    let parts = [pack, rule, place(0), place(1), &values[0], &values[1]];
    Digest::of_parts(parts.map(str::as_bytes)).hex()[..16].to_owned()
}
