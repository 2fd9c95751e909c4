//! Flags keys and names that look like others.

use std::collections::BTreeMap;

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;
use pack::Node;
use unicode_normalization::UnicodeNormalization;

pub(super) const LINT: Lint = Lint {
    id: "confusable-identifier",
    group: Group::Security,
    level: Level::Warn,
    summary: "a key or name that looks like another one",
    why: "Two names that look alike are different to programs: a reference reaches the wrong one, and no reviewer \
          sees it.",
    fix: "Write the name in letters of one script, and give things names that differ visibly.",
    example: "\"tools\": { \"p\u{430}y\": {} }",
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    if pack.pack.document().is_printable_ascii() {
        return;
    }
    let mut open = vec![pack.pack.0];
    while let Some(node) = open.pop() {
        check_siblings(&identifiers(node), findings);
        open.extend(node.children());
    }
}

/// One key or name and where it stands.
struct Identifier<'a> {
    text: &'a str,
    node: Node<'a>,
    is_key: bool,
}

/// The keys of an object and its own name; the names of an array's items stand beside each other as well.
fn identifiers(parent: Node<'_>) -> Vec<Identifier<'_>> {
    const NAMES: [&str; 2] = ["id", "name"];
    let mut found = Vec::new();
    for (text, node) in parent.members() {
        found.push(Identifier { text, node, is_key: true });
    }
    for item in
        parent.items().chain(Some(parent).filter(|parent| !parent.parent().is_some_and(Node::is_array)))
    {
        let names = NAMES.iter().filter_map(|name| item.get(name));
        found.extend(names.filter_map(|node| Some(Identifier { text: node.as_str()?, node, is_key: false })));
    }
    found
}

fn check_siblings(identifiers: &[Identifier<'_>], findings: &mut Findings<'_>) {
    if identifiers.iter().all(|identifier| identifier.text.is_ascii()) {
        return;
    }
    // Of two spellings the normalized one is right, wherever it stands.
    let mut sorted: Vec<(bool, String, &Identifier<'_>)> = Vec::with_capacity(identifiers.len());
    for identifier in identifiers {
        let normalized: String = identifier.text.nfkc().collect();
        sorted.push((normalized != identifier.text, normalized, identifier));
    }
    sorted.sort_by_key(|(differs, _, identifier)| (*differs, identifier.text));
    let mut known: BTreeMap<(bool, String), &str> = BTreeMap::new();
    for (_, normalized, Identifier { text, node, is_key }) in sorted {
        let same = *known.entry((*is_key, normalized)).or_insert(text);
        let message = match mixed_scripts(text) {
            Some(mixed) => format!("{} mixes letters that look alike: {mixed}", quoted(text)),
            None if same != *text => {
                format!(
                    "{} and {} beside it are the same name in another encoding",
                    quoted(text),
                    quoted(same)
                )
            }
            None => continue,
        };
        let draft =
            if *is_key { findings.report_key(*node, message) } else { findings.report(*node, message) };
        draft.help("write it in letters of one script, and so that it differs visibly from others");
    }
}

/// The scripts that share look-alike letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
    Cherokee,
}

/// The first word that mixes two scripts, told by the letter that does not fit.
fn mixed_scripts(text: &str) -> Option<String> {
    let mut first: Option<Script> = None;
    for character in text.chars() {
        if !character.is_alphanumeric() {
            first = None;
            continue;
        }
        let Some(script) = script(character) else { continue };
        match first {
            Some(known) if known != script => {
                return Some(format!(
                    "`{character}` (U+{:04X}) is {script:?}, not {known:?}",
                    u32::from(character)
                ));
            }
            _ => first = Some(script),
        }
    }
    None
}

/// The script of a letter; of Greek only letters that pass for Latin or Cyrillic ones: a `Δ` deceives nobody.
fn script(character: char) -> Option<Script> {
    match character {
        'A'..='Z' | 'a'..='z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{ff21}'..='\u{ff5a}' => {
            Some(Script::Latin)
        }
        'Α' | 'Β' | 'Ε' | 'Ζ' | 'Η' | 'Ι' | 'Κ' | 'Μ' | 'Ν' | 'Ο' | 'Ρ' | 'Τ' | 'Υ' | 'Χ' => {
            Some(Script::Greek)
        }
        'α' | 'γ' | 'ι' | 'κ' | 'ν' | 'ο' | 'ρ' | 'υ' | 'χ' | 'ϲ' | 'ϳ' => Some(Script::Greek),
        '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{a640}'..='\u{a69f}' => Some(Script::Cyrillic),
        '\u{531}'..='\u{587}' => Some(Script::Armenian),
        '\u{13a0}'..='\u{13ff}' | '\u{ab70}'..='\u{abbf}' => Some(Script::Cherokee),
        _ => None,
    }
}
