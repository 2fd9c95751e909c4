//! Every environment variable that the program reads, by name.

/// The registry where `--registry` is absent.
pub const REGISTRY: &str = "PACKHOUSE_REGISTRY";
/// The token for the registry.
pub const TOKEN: &str = "PACKHOUSE_TOKEN";
/// What the daemon logs: a level, or directives such as `packhouse=debug,tantivy=warn`.
#[cfg(feature = "serve")]
pub const LOG: &str = "PACKHOUSE_LOG";
/// The folder of the cache, instead of the one below the user's own cache folder.
pub const CACHE: &str = "PACKHOUSE_CACHE";
/// The user's folder for caches.
pub const XDG_CACHE_HOME: &str = "XDG_CACHE_HOME";
/// The user's folder.
pub const HOME: &str = "HOME";
/// The file to which GitHub Actions wants a step's summary appended.
pub const GITHUB_STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// The file in which GitHub Actions describes what started a workflow.
pub const GITHUB_EVENT_PATH: &str = "GITHUB_EVENT_PATH";

/// The variables in which CI services name the branch that a change is to be merged into, in the order in which they
/// are asked. CircleCI names none; there the remote's default branch counts.
pub const TARGET_BRANCHES: &[TargetBranch] = &[
    TargetBranch { service: "GitHub Actions", name: "GITHUB_BASE_REF" },
    TargetBranch { service: "GitLab CI", name: "CI_MERGE_REQUEST_TARGET_BRANCH_NAME" },
    TargetBranch { service: "Bitbucket Pipelines", name: "BITBUCKET_PR_DESTINATION_BRANCH" },
    TargetBranch { service: "Azure Pipelines", name: "SYSTEM_PULLREQUEST_TARGETBRANCH" },
    TargetBranch { service: "Jenkins", name: "CHANGE_TARGET" },
    TargetBranch { service: "GitLab CI", name: "CI_DEFAULT_BRANCH" },
];

/// A variable that names the target branch.
pub struct TargetBranch {
    /// The service that sets it.
    pub service: &'static str,
    /// Its name.
    pub name: &'static str,
}

/// The value of a variable; none where it is unset, empty or not UTF-8.
pub fn read(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
