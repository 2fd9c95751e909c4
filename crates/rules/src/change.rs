//! What a change rule is, and what it finds between two versions of one pack.

use std::fmt;
use std::str::FromStr;

use pack::json::Document;
use pack::tree::Tree;
use pack::{Pointer, Position};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::lint::Level;

/// What a change asks of the version number; the names are those of semantic versioning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bump {
    /// No release is needed.
    #[default]
    None,
    /// The third number.
    Patch,
    /// The second number.
    Minor,
    /// The first number.
    Major,
}

impl Bump {
    /// All bumps, as configurations write them.
    pub const NAMES: [&str; 4] = ["none", "patch", "minor", "major"];

    /// The bump as it is written everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Bump::None => "none",
            Bump::Patch => "patch",
            Bump::Minor => "minor",
            Bump::Major => "major",
        }
    }
}

impl fmt::Display for Bump {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A word that is none of the known ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownWord;

impl FromStr for Bump {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Bump, UnknownWord> {
        match text {
            "none" => Ok(Bump::None),
            "patch" => Ok(Bump::Patch),
            "minor" => Ok(Bump::Minor),
            "major" => Ok(Bump::Major),
            _ => Err(UnknownWord),
        }
    }
}

/// How strictly a change is weighed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Something that worked fails mechanically on the reference runtime.
    Wire,
    /// Also: a declared surface is withdrawn or tightened.
    #[default]
    Contract,
    /// Also: what may break, operations, and text as minor.
    Strict,
}

impl Profile {
    /// All profiles, as configurations write them; each is stricter than the one before.
    pub const NAMES: [&str; 3] = ["wire", "contract", "strict"];

    /// The profile as it is written everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Profile::Wire => "wire",
            Profile::Contract => "contract",
            Profile::Strict => "strict",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Profile {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Profile, UnknownWord> {
        match text {
            "wire" => Ok(Profile::Wire),
            "contract" => Ok(Profile::Contract),
            "strict" => Ok(Profile::Strict),
            _ => Err(UnknownWord),
        }
    }
}

/// The bump of a change under each profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bumps {
    /// Under `wire`.
    pub wire: Bump,
    /// Under `contract`.
    pub contract: Bump,
    /// Under `strict`.
    pub strict: Bump,
}

impl Bumps {
    /// The bumps under wire, contract and strict.
    pub const fn new(wire: Bump, contract: Bump, strict: Bump) -> Bumps {
        Bumps { wire, contract, strict }
    }

    /// The bump under one profile.
    pub fn under(self, profile: Profile) -> Bump {
        match profile {
            Profile::Wire => self.wire,
            Profile::Contract => self.contract,
            Profile::Strict => self.strict,
        }
    }

    /// The bumps as the rule tables write them: a letter each for wire, contract and strict; `M` major, `m` minor,
    /// `p` patch, `-` none.
    ///
    /// # Panics
    /// When the text is no such triple; for constants that stops the build.
    pub(crate) const fn table(letters: &str) -> Bumps {
        const fn bump(letter: u8) -> Bump {
            match letter {
                b'M' => Bump::Major,
                b'm' => Bump::Minor,
                b'p' => Bump::Patch,
                b'-' => Bump::None,
                _ => panic!("a bump is written M, m, p or -"),
            }
        }
        let letters = letters.as_bytes();
        assert!(letters.len() == 3, "one letter per profile");
        Bumps::new(bump(letters[0]), bump(letters[1]), bump(letters[2]))
    }

    /// Under one profile, another bump.
    #[must_use]
    pub fn with(mut self, profile: Profile, bump: Bump) -> Bumps {
        match profile {
            Profile::Wire => self.wire = bump,
            Profile::Contract => self.contract = bump,
            Profile::Strict => self.strict = bump,
        }
        self
    }

    /// No bump is higher than `cap`.
    #[must_use]
    pub fn capped(self, cap: Bump) -> Bumps {
        Bumps { wire: self.wire.min(cap), contract: self.contract.min(cap), strict: self.strict.min(cap) }
    }
}

/// What kind of thing changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// A declared promise.
    Contract,
    /// What the model sees or does.
    Behaviour,
    /// Cost, limits, metrics, wiring.
    Operations,
    /// Description and discovery.
    Docs,
}

/// How sure the change is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// By the two packs alone.
    Proven,
    /// Depends on code outside the pack, or could not be decided.
    Possible,
}

/// Who notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Affected {
    /// Code that renders prompts or calls agents.
    Caller,
    /// The runtime that loads the pack.
    Runtime,
    /// Code behind a tool.
    Implementer,
    /// Who runs the pack.
    Operator,
    /// The end user.
    User,
}

/// One change rule as it documents itself. The functions that compare stand beside these constants.
#[derive(Debug)]
pub struct ChangeRule {
    /// Its permanent kebab-case id: `<thing>-<event>`.
    pub id: &'static str,
    /// The bump it asks for, before exceptions.
    pub bumps: Bumps,
    /// A higher bump that it advises.
    pub suggest: Option<Bump>,
    /// What kind of thing changed.
    pub class: Class,
    /// How sure it is, before exceptions.
    pub certainty: Certainty,
    /// Who notices.
    pub affected: &'static [Affected],
    /// Whether it says that a guard got weaker.
    pub safety: bool,
    /// Whether it says that a governance record changed.
    pub governance: bool,
    /// The change in a few words, lower case, without full stop.
    pub summary: &'static str,
    /// For whom it breaks, and why this bump.
    pub why: &'static str,
    /// How to make the change compatibly, or what to do.
    pub fix: &'static str,
    /// The rule that fires when the sides are swapped.
    pub mirror: Mirror,
}

/// What the swapped pair of versions yields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mirror {
    /// Another rule.
    Rule(&'static str),
    /// The rule itself.
    Itself,
    /// No mirror, for the reason given.
    Waived(&'static str),
}

/// One difference between two versions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The id of the rule.
    pub rule: String,
    /// The bump under the active profile.
    pub bump: Bump,
    /// The bump under every profile.
    pub bumps: Bumps,
    /// A higher bump that is advised.
    pub suggest: Option<Bump>,
    /// How a run prints it and whether it fails: `info` where the declared version covers it, else `error`.
    pub level: Level,
    /// What kind of thing changed.
    pub class: Class,
    /// How sure it is.
    pub certainty: Certainty,
    /// Who notices.
    pub affected: Vec<Affected>,
    /// What changed, with the names that the pack uses.
    pub message: String,
    /// Why it could not be decided, as a code of change-rules section 4 or `no-witness`, `unreachable`.
    pub reason: Option<String>,
    /// The prompt it belongs to, if it belongs to one.
    pub prompt: Option<String>,
    /// Every prompt whose version it counts for: its own one, or those that use a shared fragment or tool.
    #[serde(default)]
    pub prompts: Vec<String>,
    /// Whether a guard got weaker.
    pub safety: bool,
    /// Whether a governance record changed.
    pub governance: bool,
    /// Whether an `[[allow]]` entry accepts it.
    pub acknowledged: bool,
    /// Whether the version of its prompt declares it, so that it asks no major version of the pack.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prompt_declared: bool,
    /// The version of the release since which it counts, where that is not OLD: it came before, and the version of
    /// NEW does not cover it. Its `old` then stands in that release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The pointer with names instead of array positions.
    pub place: String,
    /// Where OLD has it; none where OLD lacks it.
    pub old: Option<Side>,
    /// Where NEW has it; none where NEW lacks it.
    pub new: Option<Side>,
    /// Where NEW shows it: its own pointer, else the nearest parent that is left.
    pub anchor: Pointer,
    /// Where the anchor starts in the text of NEW.
    pub anchor_position: Position,
    /// The smallest input that OLD accepts and NEW fails.
    pub witness: Option<Witness>,
    /// Sixteen hexadecimal digits that survive reformatting and die when the change itself changes.
    pub fingerprint: String,
}

/// One side of a change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// The JSON Pointer.
    pub pointer: Pointer,
    /// Where it starts: line, from 1.
    pub line: u32,
    /// Where it starts: column in code points, from 1.
    pub column: u32,
    /// The effective value.
    pub value: Value,
}

/// An input that OLD accepts and NEW fails, run on both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Witness {
    /// `variables`, `tool-args`, `media`, `events` or `reference`.
    pub kind: String,
    /// The input.
    pub input: Value,
    /// What OLD does with it.
    pub old_result: String,
    /// What NEW does with it.
    pub new_result: String,
}

impl Witness {
    /// The input as one line for people, in which long texts are cut: a limit of 400 is shown by a text of 401.
    pub fn shown_input(&self) -> String {
        fn shortened(value: &Value) -> Value {
            const SHOWN: usize = 40;
            match value {
                Value::String(text) => match text.char_indices().nth(SHOWN) {
                    Some((end, _)) => {
                        format!("{}… ({} characters)", &text[..end], text.chars().count()).into()
                    }
                    None => value.clone(),
                },
                Value::Array(items) => items.iter().map(shortened).collect(),
                Value::Object(members) => {
                    members.iter().map(|(key, value)| (key.clone(), shortened(value))).collect()
                }
                scalar => scalar.clone(),
            }
        }
        shortened(&self.input).to_string()
    }
}

/// One side of a comparison: a parsed pack and the files around it.
#[derive(Clone, Copy)]
pub struct Version<'a> {
    /// The parsed pack.
    pub document: &'a Document,
    /// Its path from the root of the repository.
    pub path: &'a str,
    /// The files around it; none where the pack came alone.
    pub tree: Option<&'a dyn Tree>,
}

/// What a comparison depends on besides the two versions.
#[derive(Clone, Copy)]
pub struct DiffOptions<'a> {
    /// How strictly changes are weighed.
    pub profile: Profile,
    /// Names that the organization's runtimes provide.
    pub host_variables: &'a [String],
    /// The bump of a raised runtime floor under `contract`.
    pub runtime_floor: Bump,
    /// The least bump of a change of prompt text under `contract`.
    pub behaviour_bump: Bump,
    /// What a configuration says about one rule, by its id.
    pub setting: &'a dyn Fn(&str) -> RuleSetting,
}

/// What a configuration says about one change rule; nothing by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RuleSetting {
    /// Another bump, under the active profile.
    pub bump: Option<Bump>,
    /// Another level; `Off` also drops the bump.
    pub level: Option<Level>,
}

impl Default for DiffOptions<'_> {
    fn default() -> Self {
        DiffOptions {
            profile: Profile::default(),
            host_variables: &[],
            runtime_floor: Bump::Minor,
            behaviour_bump: Bump::Patch,
            setting: &|_| RuleSetting::default(),
        }
    }
}

/// Everything that changed between two versions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Diff {
    /// The changes: the highest bump first, then by place and rule. Every level is still `info`: whether the declared
    /// version covers a change is decided in the room `registry`.
    pub changes: Vec<Change>,
    /// Remarks on the run: what could be read on neither side, how many findings are switched off.
    pub notes: Vec<String>,
}
