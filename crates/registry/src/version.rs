//! The arithmetic of versions: what moved, what is enough, which release is the baseline.

use rules::Bump;
use semver::Version;

use crate::settings::ZeroMajor;

/// The highest component that moved from `old` to `new`; none where nothing moved up.
pub fn declared_bump(old: &Version, new: &Version) -> Bump {
    if new.cmp_precedence(old).is_le() {
        Bump::None
    } else if new.major != old.major {
        Bump::Major
    } else if new.minor != old.minor {
        Bump::Minor
    } else {
        Bump::Patch
    }
}

/// The lowest version above `baseline` that changes of this bump may have (change rules section 2).
pub fn lowest_sufficient(baseline: &Version, required: Bump) -> Version {
    let Version { major, minor, patch, .. } = *baseline;
    let up = |number: u64| number.saturating_add(1);
    match (major, minor, required) {
        (_, _, Bump::None) => baseline.clone(),
        // Of a prerelease the release itself is already higher.
        _ if !baseline.pre.is_empty() => Version::new(major, minor, patch),
        (0, 0, _) => Version::new(0, 0, up(patch)),
        (0, _, Bump::Major) => Version::new(0, up(minor), 0),
        (0, _, _) => Version::new(0, minor, up(patch)),
        (_, _, Bump::Major) => Version::new(up(major), 0, 0),
        (_, _, Bump::Minor) => Version::new(major, up(minor), 0),
        (_, _, Bump::Patch) => Version::new(major, minor, up(patch)),
    }
}

/// Whether `new` is high enough for changes of this bump since `old`.
///
/// The core of a prerelease must suffice: `2.0.0-rc.1` declares what `2.0.0` will.
pub fn is_sufficient(old: &Version, new: &Version, required: Bump, zero_major: ZeroMajor) -> bool {
    if required == Bump::None {
        return true;
    }
    if !new.cmp_precedence(old).is_gt() {
        return false;
    }
    if zero_major == ZeroMajor::ReportOnly && old.major == 0 {
        return true;
    }
    let same_core = (old.major, old.minor, old.patch) == (new.major, new.minor, new.patch);
    if same_core {
        return true;
    }
    let core = Version::new(new.major, new.minor, new.patch);
    core.cmp_precedence(&lowest_sufficient(old, required)).is_ge()
}

/// What the choice of a baseline needs to know of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Its version.
    pub version: Version,
    /// Whether it is yanked.
    pub yanked: bool,
    /// Whether its bump was insufficient, and nothing has lifted that.
    pub insufficient: bool,
}

/// The baseline of `version`: the highest stable release below it that is neither yanked nor flagged for its bump.
///
/// A break that was published as 1.2.0 therefore stays visible in 1.2.1.
pub fn baseline<'k>(known: &'k [Known], version: &Version) -> Option<&'k Known> {
    known
        .iter()
        .filter(|release| release.version.pre.is_empty() && !release.yanked && !release.insufficient)
        .filter(|release| release.version.cmp_precedence(version).is_lt())
        .max_by(|a, b| a.version.cmp_precedence(&b.version))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().expect("a version")
    }

    fn check(old: &str, required: Bump, lowest: &str) {
        let old = version(old);
        let lowest = version(lowest);
        assert_eq!(lowest_sufficient(&old, required), lowest);
        assert!(is_sufficient(&old, &lowest, required, ZeroMajor::Cargo));
    }

    #[test]
    fn the_lowest_sufficient_version_follows_the_table() {
        check("1.2.3", Bump::Major, "2.0.0");
        check("1.2.3", Bump::Minor, "1.3.0");
        check("1.2.3", Bump::Patch, "1.2.4");
        check("0.2.3", Bump::Major, "0.3.0");
        check("0.2.3", Bump::Minor, "0.2.4");
        check("0.0.3", Bump::Minor, "0.0.4");
        check("0.0.3", Bump::Major, "0.0.4");
        assert!(is_sufficient(&version("0.2.3"), &version("1.0.0"), Bump::Major, ZeroMajor::Cargo));
        assert!(!is_sufficient(&version("1.2.3"), &version("1.3.0"), Bump::Major, ZeroMajor::Cargo));
        assert!(!is_sufficient(&version("1.2.3"), &version("1.2.3"), Bump::Patch, ZeroMajor::Cargo));
        assert!(!is_sufficient(&version("1.2.3"), &version("1.2.2"), Bump::Patch, ZeroMajor::Cargo));
        assert!(is_sufficient(&version("1.2.3"), &version("2.0.0-rc.1"), Bump::Major, ZeroMajor::Cargo));
        assert!(!is_sufficient(&version("1.2.3"), &version("1.3.0-rc.1"), Bump::Major, ZeroMajor::Cargo));
        assert!(is_sufficient(&version("2.0.0-rc.1"), &version("2.0.0-rc.2"), Bump::Major, ZeroMajor::Cargo));
        assert!(is_sufficient(&version("0.2.3"), &version("0.2.4"), Bump::Major, ZeroMajor::ReportOnly));
    }

    #[test]
    fn flagged_and_yanked_releases_are_no_baseline() {
        let release = |text, yanked, insufficient| Known { version: version(text), yanked, insufficient };
        let known = [
            release("1.0.0", false, false),
            release("1.1.0", false, false),
            release("1.2.0", false, true),
            release("1.3.0", true, false),
            release("2.0.0-rc.1", false, false),
            release("3.0.0", false, false),
        ];
        let of = |text| baseline(&known, &version(text)).map(|known| known.version.to_string());
        assert_eq!(of("1.2.1").as_deref(), Some("1.1.0"));
        assert_eq!(of("2.0.0").as_deref(), Some("1.1.0"));
        assert_eq!(of("1.1.0").as_deref(), Some("1.0.0"));
        assert_eq!(of("4.0.0").as_deref(), Some("3.0.0"));
        assert_eq!(of("1.0.0"), None);
    }
}
