//! Problems: everything seen in a source and not published, or published with reservations.
//!
//! A problem is a state, not a log line: one entry per (source, pack, version, code, place), with when it was first
//! and last seen, and whether a head or tag still shows it.

use serde::{Deserialize, Serialize};

use rules::Level;

macro_rules! codes {
    ($($name:ident = $code:literal, $level:ident, $title:literal, $help:literal;)*) => {
        /// The closed list of problem codes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum ProblemCode {
            $(#[doc = $title] #[serde(rename = $code)] $name,)*
        }

        impl ProblemCode {
            /// Every code.
            pub const ALL: &'static [ProblemCode] = &[$(ProblemCode::$name),*];

            /// The code as it is written everywhere.
            pub fn as_str(self) -> &'static str {
                match self { $(ProblemCode::$name => $code,)* }
            }

            /// How serious it is.
            pub fn level(self) -> Level {
                match self { $(ProblemCode::$name => Level::$level,)* }
            }

            /// What it means, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(ProblemCode::$name => $title,)* }
            }

            /// What the owner of the source can do.
            pub fn help(self) -> &'static str {
                match self { $(ProblemCode::$name => $help,)* }
            }
        }
    };
}

codes! {
    NotJson = "not-json", Error, "the file is no readable JSON",
        "repair the syntax; `packhouse lint` shows the place";
    TooLarge = "too-large", Error, "a file is larger than the registry reads",
        "make it smaller, or ask the operator to raise the limit";
    InvalidPack = "invalid-pack", Error, "the pack has error findings",
        "run `packhouse lint` on it and repair the errors, or accept one with an `[[allow]]` entry";
    UnresolvedSkill = "unresolved-skill", Error, "a skill that the pack names cannot be read",
        "add the skill's folder with its `SKILL.md`, or correct the path; for a package, correct `[skills.packages]`, \
         or push the ref that is missing: the pack is judged again when that source moves";
    VersionReused = "version-reused", Error, "a published version came back with other content",
        "release the change under a new version: a number that was published keeps its first content, or none once \
         that was removed";
    VersionDecreased = "version-decreased", Warn, "the head holds a lower version than the latest release",
        "release a higher version, or yank the one that should not be used";
    TagMoved = "tag-moved", Error, "a version tag was moved to other content",
        "the first content stays served: tag the change with a new version";
    TagDeleted = "tag-deleted", Info, "a version tag was deleted",
        "the release stays served; yank it if it should not be used";
    TagMismatch = "tag-mismatch", Error, "a version tag fits no pack of its commit",
        "tag a commit whose pack carries the version of the tag, in a form that the source's `tags` know";
    IdClaimed = "id-claimed", Error, "another source owns the pack's id",
        "choose another id, or ask the operator to move the id in the configuration";
    IdNotAllowed = "id-not-allowed", Error, "the source may not claim the pack's id",
        "choose an id that the source's `ids` allow, or ask the operator to add it";
    DuplicatePack = "duplicate-pack", Error, "two files of one commit claim one id and version with different contents",
        "keep one of the two files, or give one another id";
    RefusedBreaking = "refused-breaking", Error, "the version is smaller than its changes require",
        "raise the version as the report says, or accept the change with an `[[allow]]` entry";
    InsufficientBump = "insufficient-bump", Warn, "a release moved its version less than its changes require, and ranges skip it",
        "publish a version that is enough (`packhouse bump --write`), or accept the changes with `[[allow]]` entries at \
         the head of the branch; the release itself stays as it is";
    ErrorFindings = "error-findings", Warn, "a release was published in spite of error findings, and ranges skip it",
        "repair what `packhouse lint` says, and publish the next version";
    SkillSourceRestricted = "skill-source-restricted", Error, "a skill comes from a source with narrower readers",
        "copy the skill into the pack's repository, or ask the operator to align the readers";
    LfsPointer = "lfs-pointer", Error, "the file is a Git LFS pointer",
        "keep packs out of Git LFS: they are text and small";
    Symlink = "symlink", Warn, "the path is a symbolic link, which is never followed",
        "put the file itself there";
    Submodule = "submodule", Warn, "the path is a submodule, which is never entered",
        "watch that repository as a source of its own";
    UnreadableName = "unreadable-name", Error, "the name of a file or tag cannot be read",
        "rename it: names are UTF-8, without control characters and `..`, and not longer than 4096 bytes";
    InvalidConfiguration = "invalid-configuration", Error, "the repository's packhouse.toml cannot be read",
        "run `packhouse lint` in the repository: it shows the place; until the file can be read, no pack that it \
         counts for is judged";
    IdleSetting = "idle-setting", Warn, "packhouse.toml speaks of a pack, version or place that does not exist",
        "correct the id, the version or the place in packhouse.toml, or remove the entry";
    UnsupportedRepository = "unsupported-repository", Error, "the repository has a format that cannot be read",
        "use a repository with SHA-1 objects and the files ref format";
    Unreachable = "unreachable", Error, "the source cannot be read",
        "check that the path or address is right and that the registry may read it: the message names what is in the way; \
         releases stay served";
    BranchMissing = "branch-missing", Error, "the branch that the registry reads is not there",
        "push the branch again, or name another one as the source's `branch` in registry.toml; releases stay served";
    LedgerUnreachable = "ledger-unreachable", Error, "the ledger's remote is away or was set back, and publishing waits",
        "this is for the operator: what is published is served on, and the rest follows once the remote is back";
    BranchRewritten = "branch-rewritten", Warn, "the branch no longer contains what was scanned before",
        "published releases stay; push without force to keep the history readable";
    TooManyRefs = "too-many-refs", Error, "the repository has more branches and tags than the registry reads",
        "delete branches and tags that nobody needs, or ask the operator to raise `refs`";
    TooManyFiles = "too-many-files", Error, "a commit holds more files than the registry looks at",
        "keep packs in a repository of their own: what such a commit changed is not read";
    TooManyPacks = "too-many-packs", Error, "one commit holds more packs than the registry reads",
        "narrow `include`, or ask the operator to raise `packs_per_tree`";
    Internal = "internal", Error, "the registry failed on this candidate",
        "this is a defect of packhouse: report it with the message; other packs are not touched";
}

impl std::fmt::Display for ProblemCode {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// One problem as a scan saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The code.
    pub code: ProblemCode,
    /// The pack's id, where one is known.
    pub pack: Option<String>,
    /// The pack's version, where one is known.
    pub version: Option<String>,
    /// The path of the file from the root of the repository.
    pub path: Option<String>,
    /// The branch or tag that shows it.
    pub reference: Option<String>,
    /// The commit that shows it.
    pub commit: Option<String>,
    /// What is wrong here.
    pub message: String,
}

impl Problem {
    /// A problem without a place; the builder methods add it.
    pub fn new(code: ProblemCode, message: impl Into<String>) -> Problem {
        Problem {
            code,
            pack: None,
            version: None,
            path: None,
            reference: None,
            commit: None,
            message: message.into(),
        }
    }

    /// Names the file.
    #[must_use]
    pub fn at_path(mut self, path: impl Into<String>) -> Problem {
        self.path = Some(path.into());
        self
    }

    /// Names the commit.
    #[must_use]
    pub fn at_commit(mut self, commit: impl Into<String>) -> Problem {
        self.commit = Some(commit.into());
        self
    }

    /// Names the branch or tag.
    #[must_use]
    pub fn at_reference(mut self, reference: Option<&str>) -> Problem {
        self.reference = reference.map(str::to_owned);
        self
    }

    /// Names the pack and its version.
    #[must_use]
    pub fn of(mut self, pack: Option<&str>, version: Option<&str>) -> Problem {
        self.pack = pack.map(str::to_owned);
        self.version = version.map(str::to_owned);
        self
    }
}

/// One problem over time, as `/v1/sources/{name}` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemState {
    /// The code.
    pub code: ProblemCode,
    /// How serious it is.
    pub level: Level,
    /// The pack's id, where one is known.
    pub pack: Option<String>,
    /// The pack's version, where one is known.
    pub version: Option<String>,
    /// The path of the file from the root of the repository.
    pub path: Option<String>,
    /// The branch or tag that showed it last.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// The commit that showed it last.
    pub commit: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
    /// When it was first seen.
    pub first: jiff::Timestamp,
    /// When it was last seen.
    pub last: jiff::Timestamp,
    /// How many scans or commits showed it.
    pub count: u64,
    /// Whether a head or tag still shows it.
    pub current: bool,
}

impl ProblemState {
    /// Starts the state of a problem that was seen at `now`.
    pub fn begin(problem: &Problem, now: jiff::Timestamp) -> ProblemState {
        ProblemState {
            code: problem.code,
            level: problem.code.level(),
            pack: problem.pack.clone(),
            version: problem.version.clone(),
            path: problem.path.clone(),
            reference: problem.reference.clone(),
            commit: problem.commit.clone(),
            message: problem.message.clone(),
            help: problem.code.help().to_owned(),
            first: now,
            last: now,
            count: 0,
            current: true,
        }
    }

    /// Whether it is the state of this problem: code, pack, version, file, and branch or tag tell problems apart.
    pub fn is_of(&self, problem: &Problem) -> bool {
        (self.code, &self.pack, &self.version) == (problem.code, &problem.pack, &problem.version)
            && (&self.path, &self.reference) == (&problem.path, &problem.reference)
    }

    /// Notes that it was seen once more at `now`.
    pub fn see(&mut self, problem: &Problem, now: jiff::Timestamp) {
        self.message.clone_from(&problem.message);
        self.commit.clone_from(&problem.commit);
        self.last = now;
        self.count += 1;
        self.current = true;
    }
}
