//! The bodies of the fuzz targets on seeded input: the corpus and realistic packs, mutilated at random.
//!
//! `PACKHOUSE_ROUNDS=100 cargo test -p rules fuzz` runs a hundred times as many.

#[path = "../fuzz/bodies.rs"]
mod bodies;

use std::fs;
use std::path::Path;

use crate::fixture::{entries, in_parallel, root};
use crate::packs::packs;

/// A generator of the same numbers every time (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

fn rounds() -> usize {
    let factor = std::env::var("PACKHOUSE_ROUNDS").ok().and_then(|text| text.parse().ok());
    factor.unwrap_or(1)
}

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = root().join("../fuzz/corpus").join(target);
    entries(&folder).iter().map(|file| fs::read(file).expect("a readable input")).collect()
}

fn realistic() -> Vec<Vec<u8>> {
    packs().iter().map(|pack| fs::read(Path::new(&pack.file)).expect("a readable pack")).collect()
}

/// Words that make other input than random bytes do.
const WORDS: [&[u8]; 16] = [
    b"{{",
    b"}}",
    b"\"",
    b"\\u0000",
    b"\\ud83d",
    b"null",
    b"[]",
    b"{}",
    b"-1",
    b"1e999",
    b"\xef\xbb\xbf",
    b"${a.output}",
    b"fragments.",
    b",",
    b"\n",
    b"\xff",
];

/// The bytes with a few changes: cut off, overwritten, a piece moved, a word put in.
fn mutilated(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        let end = (at + random.below(60)).min(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, piece);
            }
            3 if at < bytes.len() => bytes[at] = random.next() as u8,
            4 if at < bytes.len() => bytes[at] = b"0123456789abcxyz\"{}[]:,"[random.below(23)],
            _ => {
                let word = WORDS[random.below(WORDS.len())];
                bytes.splice(at..at, word.iter().copied());
            }
        }
    }
    bytes
}

#[test]
fn any_bytes_are_linted() {
    let mut seeds = corpus("lint");
    seeds.extend(realistic());
    seeds.iter().for_each(|seed| bodies::lint(seed));
    let numbers: Vec<u64> = (0..200 * rounds() as u64).collect();
    in_parallel(&numbers, |number| {
        let mut random = Random(*number);
        let seed = &seeds[random.below(seeds.len())];
        bodies::lint(&mutilated(seed, &mut random));
    });
}

#[test]
fn any_two_documents_are_compared() {
    let mut seeds = corpus("diff");
    let packs = realistic();
    seeds.extend(packs.windows(2).map(|pair| [&pair[0][..], &pair[1][..]].join(&0)));
    seeds.extend(packs.iter().map(|pack| [&pack[..], &pack[..]].join(&0)));
    seeds.iter().for_each(|seed| bodies::diff_both_ways(seed));
    let numbers: Vec<u64> = (0..200 * rounds() as u64).collect();
    in_parallel(&numbers, |number| {
        let mut random = Random(*number);
        let seed = &seeds[random.below(seeds.len())];
        bodies::diff_both_ways(&mutilated(seed, &mut random));
    });
}
