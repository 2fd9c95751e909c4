//! Every change rule over every pair of packs.

use std::collections::BTreeSet;

use rules::change::Mirror;
use rules::{CHANGES, find_change};

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

#[test]
fn mirrors_agree_pairwise() {
    for rule in CHANGES.iter() {
        if let Mirror::Rule(id) = rule.mirror {
            let mirror = find_change(id).unwrap_or_else(|| panic!("{}: no rule {id}", rule.id));
            assert_eq!(mirror.mirror, Mirror::Rule(rule.id), "{id} does not mirror {}", rule.id);
        }
    }
}
