//! The arithmetic of versions: what moved, what is enough, which release is the baseline.

use rules::Bump;
use semver::{BuildMetadata, Prerelease, Version};

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
pub fn lowest_sufficient(baseline: &Version, required: Bump, zero_major: ZeroMajor) -> Version {
    let Version { major, minor, patch, .. } = *baseline;
    let up = |number: u64| number.saturating_add(1);
    let required =
        if any_higher_will_do(baseline, zero_major) { required.min(Bump::Patch) } else { required };
    // A number that cannot count up any more carries over to the one before it.
    let required = match required {
        Bump::Patch if patch == u64::MAX => Bump::Minor,
        required => required,
    };
    let required = match required {
        Bump::Minor if (if major == 0 { patch } else { minor }) == u64::MAX => Bump::Major,
        required => required,
    };
    match (major, minor, required) {
        (_, _, Bump::None) => baseline.clone(),
        // From one prerelease to the next there is order only.
        _ if !baseline.pre.is_empty() => next_prerelease(baseline),
        (0, 0, _) if patch < u64::MAX => Version::new(0, 0, up(patch)),
        (0, _, Bump::Major) => Version::new(0, up(minor), 0),
        (0, _, _) => Version::new(0, minor, up(patch)),
        (_, _, Bump::Major) => Version::new(up(major), 0, 0),
        (_, _, Bump::Minor) => Version::new(major, up(minor), 0),
        (_, _, Bump::Patch) => Version::new(major, minor, up(patch)),
    }
}

/// Whether changes of this bump ask for a higher version than a patch: what is accepted asks for that only.
pub fn asks_more_than_patch(baseline: &Version, bump: Bump, zero_major: ZeroMajor) -> bool {
    let lowest = |bump| lowest_sufficient(baseline, bump, zero_major);
    bump > Bump::Patch && lowest(bump) != lowest(Bump::Patch)
}

/// Whether every version above the baseline is enough for whatever changed.
fn any_higher_will_do(baseline: &Version, zero_major: ZeroMajor) -> bool {
    zero_major == ZeroMajor::ReportOnly && baseline.major == 0
}

/// How versions above a baseline count where its first number is 0; none from 1.0.0 on.
pub fn zero_rule(baseline: &Version, zero_major: ZeroMajor) -> Option<&'static str> {
    match (baseline.major, baseline.minor) {
        _ if any_higher_will_do(baseline, zero_major) => {
            Some("below 1.0.0 any higher version will do (`zero-major = \"report-only\"`)")
        }
        (0, 0) => Some("below 0.1.0 every change raises the third number"),
        (0, _) => Some("below 1.0.0 a break raises the second number, and everything else the third"),
        _ => None,
    }
}

/// The prerelease after this one: its last number counts up, and one without a number gets `.1`.
fn next_prerelease(version: &Version) -> Version {
    let with = |pre: String| {
        let pre = Prerelease::new(&pre).ok()?;
        Some(Version { pre, build: BuildMetadata::EMPTY, ..version.clone() })
    };
    let (stem, number) = numbered(version.pre.as_str());
    let next = number.and_then(|number| with(format!("{stem}{}", number.checked_add(1)?)));
    // `rc9` comes after `rc10`: words are ordered by their letters.
    let next = next.filter(|next| next.cmp_precedence(version).is_gt());
    next.or_else(|| with(format!("{}.1", version.pre))).expect("a prerelease may have one more part")
}

/// The first prerelease of `release` of the kind that `kind` is: `2.0.0-rc.1` for `2.0.0` and `1.1.0-rc.4`.
pub fn first_prerelease(release: &Version, kind: &Version) -> Version {
    let (stem, number) = numbered(kind.pre.as_str());
    let number = number.map(|number| number.min(1).to_string()).unwrap_or_default();
    let pre = Prerelease::new(&format!("{stem}{number}")).unwrap_or_else(|_| kind.pre.clone());
    Version { pre, build: BuildMetadata::EMPTY, ..release.clone() }
}

/// What stands before the number at the end of a prerelease, and that number.
fn numbered(pre: &str) -> (&str, Option<u64>) {
    let stem = pre.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem, pre[stem.len()..].parse().ok())
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
    if any_higher_will_do(old, zero_major) {
        return true;
    }
    let same_core = (old.major, old.minor, old.patch) == (new.major, new.minor, new.patch);
    if same_core {
        return true;
    }
    let core = Version::new(new.major, new.minor, new.patch);
    core.cmp_precedence(&lowest_sufficient(old, required, zero_major)).is_ge()
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

impl Known {
    /// Whether later versions are judged by it: it is stable, and neither yanked nor flagged for its bump.
    pub fn may_judge(&self) -> bool {
        self.version.pre.is_empty() && !self.yanked && !self.insufficient
    }
}

/// The baseline of `version`: the highest stable release below it that is neither yanked nor flagged for its bump.
///
/// A break that was published as 1.2.0 therefore stays visible in 1.2.1.
pub fn baseline<'k>(known: &'k [Known], version: &Version) -> Option<&'k Known> {
    known
        .iter()
        .filter(|release| release.may_judge())
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
        assert_eq!(lowest_sufficient(&old, required, ZeroMajor::Cargo), lowest);
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
        check("2.0.0-rc.1", Bump::Major, "2.0.0-rc.2");
        check("2.0.0-rc.9", Bump::Patch, "2.0.0-rc.10");
        check("2.0.0-alpha", Bump::Minor, "2.0.0-alpha.1");
        check("2.0.0-rc1+b", Bump::Minor, "2.0.0-rc2");
        check("2.0.0-rc9", Bump::Minor, "2.0.0-rc9.1");
        check("0.1.0-0.3.7", Bump::Major, "0.1.0-0.3.8");
        check("1.0.18446744073709551615", Bump::Patch, "1.1.0");
        check("1.18446744073709551615.18446744073709551615", Bump::Patch, "2.0.0");
        check("0.1.18446744073709551615", Bump::Patch, "0.2.0");
        check("0.0.18446744073709551615", Bump::Patch, "0.1.0");
        check("1.0.0-rc.18446744073709551615", Bump::Patch, "1.0.0-rc.18446744073709551615.1");
        assert!(is_sufficient(&version("0.2.3"), &version("1.0.0"), Bump::Major, ZeroMajor::Cargo));
        assert!(!is_sufficient(&version("1.2.3"), &version("1.3.0"), Bump::Major, ZeroMajor::Cargo));
        assert!(!is_sufficient(&version("1.2.3"), &version("1.2.3"), Bump::Patch, ZeroMajor::Cargo));
        assert!(!is_sufficient(&version("1.2.3"), &version("1.2.2"), Bump::Patch, ZeroMajor::Cargo));
        assert!(is_sufficient(&version("1.2.3"), &version("2.0.0-rc.1"), Bump::Major, ZeroMajor::Cargo));
        assert!(!is_sufficient(&version("1.2.3"), &version("1.3.0-rc.1"), Bump::Major, ZeroMajor::Cargo));
        assert!(is_sufficient(&version("2.0.0-rc.1"), &version("2.0.0-rc.2"), Bump::Major, ZeroMajor::Cargo));
        assert!(is_sufficient(&version("0.2.3"), &version("0.2.4"), Bump::Major, ZeroMajor::ReportOnly));
        for (old, lowest) in [("0.2.3", "0.2.4"), ("0.0.3", "0.0.4"), ("1.2.3", "2.0.0")] {
            let given = lowest_sufficient(&version(old), Bump::Major, ZeroMajor::ReportOnly);
            assert_eq!(given, version(lowest));
        }
    }

    #[test]
    fn a_release_has_a_first_prerelease_of_each_kind() {
        for (release, kind, first) in [
            ("2.0.0", "1.1.0-rc.4", "2.0.0-rc.1"),
            ("2.0.0", "1.1.0-rc.0", "2.0.0-rc.0"),
            ("2.0.0", "1.1.0-beta+b", "2.0.0-beta"),
            ("2.0.0", "1.1.0-rc3", "2.0.0-rc1"),
        ] {
            assert_eq!(first_prerelease(&version(release), &version(kind)), version(first));
        }
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
