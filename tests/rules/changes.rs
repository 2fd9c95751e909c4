//! Every change rule over every pair of packs.
//!
//! `tests/rules/changes/<id>/` holds a folder per case: `flagged*` where the rule must fire, `clean*` where it must
//! not. A side of a case is the base pack with `old.patch.json` or `new.patch.json` applied, a whole
//! `old.pack.json` or `new.pack.json`, or the pack file in a folder `old` or `new`, which is then the repository.
//! `expected.txt` stores everything that all rules say about each case.
//!
//! A patch is a JSON merge patch (RFC 7396). Where it meets a list with an object, the object's keys name the items:
//! `null` removes an item, an unknown name appends one. `"$base": "x"` takes `base-x.pack.json`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use pack::Document;
use pack::tree::MemoryTree;
use rules::change::{Mirror, RuleSetting};
use rules::{Bump, CHANGES, Change, ChangeRule, Diff, DiffOptions, Level, Version, diff, find_change};
use serde_json::Value;

use crate::fixture::{compare, entries, in_parallel, name, relative, root, tree};
use crate::patch::apply;

/// Rules that the room `registry` reports: their first words.
const GATE: [&str; 4] = ["version-", "prompt-version-", "removed-before-sunset", "pack-removed"];

fn is_gate(rule: &ChangeRule) -> bool {
    GATE.iter().any(|start| rule.id.starts_with(start))
}

/// One version of a case.
struct Side {
    document: Document,
    path: String,
    tree: Option<MemoryTree>,
}

impl Side {
    fn read(bytes: &[u8]) -> Side {
        let document = Document::parse(bytes).0.expect("fixtures are JSON");
        Side { document, path: "support.pack.json".to_owned(), tree: None }
    }

    fn of(case: &Path, side: &str) -> Side {
        let whole = case.join(format!("{side}.pack.json"));
        if let Ok(bytes) = fs::read(&whole) {
            return Side::read(&bytes);
        }
        let folder = case.join(side);
        if folder.is_dir() {
            let file = pack_file(&folder).expect("a folder of a case holds a pack");
            let bytes = fs::read(&file).expect("a readable pack");
            return Side { path: relative(&folder, &file), tree: Some(tree(&folder)), ..Side::read(&bytes) };
        }
        let patch = fs::read(case.join(format!("{side}.patch.json"))).unwrap_or_else(|_| b"{}".to_vec());
        let mut patch: Value =
            serde_json::from_slice(&patch).unwrap_or_else(|error| panic!("{}: {error}", case.display()));
        let base = patch.as_object_mut().and_then(|patch| patch.remove("$base"));
        let base =
            base.as_ref().and_then(Value::as_str).map_or("base".to_owned(), |name| format!("base-{name}"));
        let base = fs::read(root().join(format!("changes/{base}.pack.json"))).expect("the base pack");
        let mut pack: Value = serde_json::from_slice(&base).expect("the base pack is JSON");
        apply(&mut pack, &patch);
        Side::read(serde_json::to_string_pretty(&pack).expect("a value has a text").as_bytes())
    }

    fn version(&self) -> Version<'_> {
        let tree = self.tree.as_ref().map(|tree| tree as &dyn pack::tree::Tree);
        Version { document: &self.document, path: &self.path, tree }
    }
}

/// The first pack file below a folder.
fn pack_file(folder: &Path) -> Option<PathBuf> {
    entries(folder).into_iter().find_map(|path| match path.is_dir() {
        true => pack_file(&path),
        false => name(&path).ends_with(".pack.json").then_some(path),
    })
}

fn run(old: &Side, new: &Side) -> Diff {
    diff(old.version(), new.version(), DiffOptions::default())
}

/// Every case of every rule: the rule, the folder, its two sides.
fn cases() -> Vec<(&'static ChangeRule, PathBuf, Side, Side)> {
    let mut found = Vec::new();
    for rule in CHANGES.iter() {
        for case in entries(&root().join("changes").join(rule.id)).into_iter().filter(|path| path.is_dir()) {
            let (old, new) = (Side::of(&case, "old"), Side::of(&case, "new"));
            found.push((*rule, case, old, new));
        }
    }
    found
}

fn shown(change: &Change) -> String {
    let affected: Vec<String> = change.affected.iter().map(word).collect();
    let bumps = [change.bumps.wire, change.bumps.contract, change.bumps.strict].map(|bump| bump.as_str());
    let mut text = format!(
        "  {} {} {} {} {}\n    {}\n    at {}\n",
        change.rule,
        bumps.join("/"),
        word(change.class),
        word(change.certainty),
        affected.join("+"),
        change.message,
        if change.place.is_empty() { "/" } else { &change.place },
    );
    for (side, name) in [(&change.old, "old"), (&change.new, "new")] {
        if let Some(side) = side {
            let pointer = if side.pointer.as_str().is_empty() { "/" } else { side.pointer.as_str() };
            text.push_str(&format!("    {name} {pointer}:{}:{}\n", side.line, side.column));
        }
    }
    if change.new.is_none() {
        let position = change.anchor_position;
        text.push_str(&format!("    anchor {}:{}:{}\n", change.anchor, position.line, position.column));
    }
    let mut notes = Vec::new();
    notes.extend(change.suggest.map(|bump| format!("suggests {bump}")));
    notes.extend(change.reason.as_ref().map(|reason| format!("reason {reason}")));
    notes.extend(change.safety.then(|| "safety".to_owned()));
    notes.extend(change.governance.then(|| "governance".to_owned()));
    notes.extend((!change.prompts.is_empty()).then(|| format!("counts for {}", change.prompts.join(", "))));
    notes.push(format!("fingerprint {}", change.fingerprint));
    text.push_str(&format!("    {}\n", notes.join("; ")));
    if let Some(witness) = &change.witness {
        text.push_str(&format!(
            "    witness {} {}\n      old: {}\n      new: {}\n",
            witness.kind, witness.input, witness.old_result, witness.new_result
        ));
    }
    text
}

/// The word that JSON carries for a value.
fn word(value: impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).expect("a word is JSON");
    value.as_str().expect("a word is a string").to_owned()
}

#[test]
fn every_rule_fires_on_its_flagged_cases_only() {
    let mut mistakes = Vec::new();
    let cases = cases();
    for rule in CHANGES.iter().filter(|rule| !is_gate(rule)) {
        let folder = root().join("changes").join(rule.id);
        let mut said = String::new();
        let own: Vec<_> = cases.iter().filter(|(of, ..)| of.id == rule.id).collect();
        for kind in ["flagged", "clean"] {
            if !own.iter().any(|(_, case, ..)| name(case).starts_with(kind)) {
                mistakes.push(format!("{}: no {kind} case", rule.id));
            }
        }
        for (_, case, old, new) in own {
            let changes = run(old, new).changes;
            let fires = changes.iter().any(|change| change.rule == rule.id);
            let case = name(case);
            match (case.starts_with("flagged"), case.starts_with("clean")) {
                (true, _) if !fires => mistakes.push(format!("{}/{case}: does not fire", rule.id)),
                (_, true) if fires => mistakes.push(format!("{}/{case}: fires on a clean pair", rule.id)),
                (false, false) => {
                    mistakes.push(format!("{}/{case}: named neither `flagged…` nor `clean…`", rule.id))
                }
                _ => {}
            }
            said.push_str(&format!("{case}\n{}", changes.iter().map(shown).collect::<String>()));
        }
        if !said.is_empty() {
            mistakes.extend(compare(&folder.join("expected.txt"), &said));
        }
    }
    assert!(mistakes.is_empty(), "{} mistakes:\n{}", mistakes.len(), mistakes.join("\n"));
}

/// Where a rule asks for another bump than in general, its documentation says when.
#[test]
fn every_bump_is_documented() {
    let mut mistakes = BTreeSet::new();
    for (_, case, old, new) in cases() {
        for change in run(&old, &new).changes.into_iter().chain(run(&new, &old).changes) {
            let rule = find_change(&change.rule).expect("a known rule");
            let is_told = rules::cases(rule.id).any(|case| case.bumps == change.bumps);
            if change.bumps != rule.bumps && !is_told {
                mistakes.insert(format!("{}: {:?} ({})", rule.id, change.bumps, name(&case)));
            }
        }
    }
    assert!(mistakes.is_empty(), "{mistakes:#?}");
}

#[test]
fn every_fixture_folder_belongs_to_a_rule() {
    let folders = entries(&root().join("changes")).into_iter().filter(|path| path.is_dir());
    let strangers: Vec<String> =
        folders.map(|path| name(&path)).filter(|id| find_change(id).is_none()).collect();
    assert!(strangers.is_empty(), "fixture folders without a rule: {strangers:?}");
}

#[test]
fn ids_are_unique_and_documented() {
    let mut seen = BTreeSet::new();
    for rule in CHANGES.iter() {
        assert!(seen.insert(rule.id), "{} is listed twice", rule.id);
        assert!(rule.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}", rule.id);
        for text in [rule.summary, rule.why, rule.fix] {
            assert!(!text.trim().is_empty(), "{} lacks a part of its documentation", rule.id);
        }
    }
}

/// Every rule says what the swapped pair yields, and mirrors agree.
#[test]
fn mirrors_agree_pairwise() {
    for rule in CHANGES.iter() {
        if let Mirror::Rule(id) = rule.mirror {
            let mirror = find_change(id).unwrap_or_else(|| panic!("{}: no rule {id}", rule.id));
            assert_eq!(mirror.mirror, Mirror::Rule(rule.id), "{id} does not mirror {}", rule.id);
            assert_ne!(id, rule.id, "{id} mirrors itself");
        }
    }
}

/// Ids that the waivers among `changes` name: what the swapped pair may say instead.
fn waived(changes: &[Change]) -> BTreeSet<&'static str> {
    let mut named = BTreeSet::new();
    for change in changes {
        if let Some(ChangeRule { mirror: Mirror::Waived(why), .. }) = find_change(&change.rule) {
            named.extend(why.split('`').filter(|word| find_change(word).is_some()));
        }
    }
    named
}

/// Rule and places of what has a mirror, as the swapped pair has to say it where `swap` is set.
fn mirrored(changes: &[Change], waived: &BTreeSet<&str>, swap: bool) -> BTreeSet<(String, String, String)> {
    let pointer = |side: &Option<rules::change::Side>| {
        side.as_ref().map_or("-".to_owned(), |side| side.pointer.to_string())
    };
    let mut found = BTreeSet::new();
    for change in changes.iter().filter(|change| !waived.contains(change.rule.as_str())) {
        let rule = find_change(&change.rule).expect("a known rule");
        let (old, new) = (pointer(&change.old), pointer(&change.new));
        match (rule.mirror, swap) {
            (Mirror::Waived(_), _) => continue,
            (Mirror::Rule(id), true) => found.insert((id.to_owned(), new, old)),
            (Mirror::Itself, true) => found.insert((change.rule.clone(), new, old)),
            (_, false) => found.insert((change.rule.clone(), old, new)),
        };
    }
    found
}

#[test]
fn swapped_pairs_give_the_mirrored_changes() {
    let mut mistakes = Vec::new();
    for (rule, case, old, new) in cases() {
        let (forward, backward) = (run(&old, &new).changes, run(&new, &old).changes);
        let expected = mirrored(&forward, &waived(&backward), true);
        let actual = mirrored(&backward, &waived(&forward), false);
        if expected != actual {
            let case = format!("{}/{}", rule.id, name(&case));
            mistakes.push(format!("{case}\n  swapped {expected:?}\n  run backwards {actual:?}"));
        }
    }
    assert!(mistakes.is_empty(), "{} mistakes:\n{}", mistakes.len(), mistakes.join("\n"));
}

/// The same pack gives no change, however it is laid out.
#[test]
fn a_pack_never_differs_from_itself() {
    let mut sides: Vec<(String, Side)> = Vec::new();
    for (rule, case, old, new) in cases() {
        sides.push((format!("{}/{} old", rule.id, name(&case)), old));
        sides.push((format!("{}/{} new", rule.id, name(&case)), new));
    }
    let lints = entries(&root().join("lints"));
    for file in
        lints.iter().flat_map(|folder| entries(folder)).filter(|file| name(file).ends_with(".pack.json"))
    {
        let bytes = fs::read(&file).expect("a readable fixture");
        if let (Some(document), _) = Document::parse(&bytes) {
            let side = Side { document, path: "x.pack.json".to_owned(), tree: None };
            sides.push((file.display().to_string(), side));
        }
    }
    let mut seen = BTreeSet::new();
    sides.retain(|(_, side)| side.tree.is_some() || seen.insert(side.document.text().to_owned()));
    in_parallel(&sides, |(name, side)| check_layouts(name, side));
}

/// A repeated key loses its copies in any other layout, so such a document is only compared with itself.
fn check_layouts(name: &str, side: &Side) {
    assert_eq!(run(side, side).changes, [], "{name} against itself");
    if has_repeated_key(&side.document) {
        return;
    }
    let laid_out = |text: &str| {
        let document = Document::parse(text.as_bytes()).0.expect("a layout of JSON is JSON");
        Side { document, path: side.path.clone(), tree: side.tree.clone() }
    };
    let value = side.document.root().to_value();
    assert_eq!(run(side, &laid_out(&value.to_string())).changes, [], "{name} minified");
    assert_eq!(run(&laid_out(&shuffled(&value)), side).changes, [], "{name} out of another order");
}

fn has_repeated_key(document: &Document) -> bool {
    let mut open = vec![document.root()];
    while let Some(node) = open.pop() {
        let keys: BTreeSet<&str> = node.members().map(|(key, _)| key).collect();
        if keys.len() != node.members().count() {
            return true;
        }
        open.extend(node.children());
    }
    false
}

/// The same value with the members of every object in reverse order.
fn shuffled(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members = members
                .iter()
                .rev()
                .map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), shuffled(value)));
            format!("{{\n{}\n}}", members.collect::<Vec<_>>().join(",\n"))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(shuffled).collect::<Vec<_>>().join(", ")),
        scalar => scalar.to_string(),
    }
}

/// Packs of any shape can be compared, in both directions.
#[test]
fn unrelated_and_broken_packs_can_be_compared() {
    let folders = entries(&root().join("lints"));
    let files =
        folders.iter().flat_map(|folder| entries(folder)).filter(|file| name(file).ends_with(".pack.json"));
    let documents = files.filter_map(|file| Document::parse(&fs::read(file).expect("a readable fixture")).0);
    let mut sides: Vec<Side> = ["[]", "7", "{}", r#"{"prompts": [], "tools": {"a": 1}, "fragments": 3}"#]
        .map(|text| Side::read(text.as_bytes()))
        .into();
    let small = documents.filter(|document| document.text().len() < 10_000);
    sides.extend(small.map(|document| Side { document, path: "x.pack.json".to_owned(), tree: None }));
    for pair in sides.windows(2) {
        run(&pair[0], &pair[1]);
        run(&pair[1], &pair[0]);
    }
}

/// A configuration moves bump and level of a rule, each alone.
#[test]
fn settings_move_bump_and_level() {
    let (old, new) = (Side::of(Path::new("/nowhere"), "old"), {
        let text = fs::read_to_string(root().join("changes/base.pack.json")).expect("the base pack");
        Side::read(text.replace("\"Support\",\n  \"version\"", "\"Helpdesk\",\n  \"version\"").as_bytes())
    });
    let with = |bump, level| {
        let setting = move |rule: &str| match rule {
            "pack-name-changed" => RuleSetting { bump, level },
            _ => RuleSetting::default(),
        };
        diff(old.version(), new.version(), DiffOptions { setting: &setting, ..DiffOptions::default() })
    };
    let shown = |diff: &Diff| -> Vec<(Bump, Level)> {
        diff.changes.iter().map(|change| (change.bump, change.level)).collect()
    };
    assert_eq!(shown(&with(None, None)), [(Bump::Patch, Level::Info)]);
    assert_eq!(shown(&with(Some(Bump::Major), None)), [(Bump::Major, Level::Info)]);
    assert_eq!(shown(&with(None, Some(Level::Warn))), [(Bump::Patch, Level::Warn)]);
    let off = with(None, Some(Level::Off));
    assert_eq!((off.changes.len(), off.notes), (0, vec!["1 change is switched off".to_owned()]));
}
