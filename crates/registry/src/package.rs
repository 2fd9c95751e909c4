//! Skill packages: what `@org/name[@ref]` in a pack's skills means, and where its files come from.
//!
//! The repository's root settings map a package to a watched source and a folder in it. Which commit of that source
//! counts is looked up by whoever knows Git; what is read there is copied into the release and never changes.

use std::collections::BTreeMap;

use pack::tree::Tree;

/// A package reference, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackageReference<'t> {
    /// `@org/name`, as `[skills.packages]` names it.
    pub package: &'t str,
    /// The part behind the slash.
    pub name: &'t str,
    /// The tag, branch or commit that it asks for; none where whatever is newest will do.
    pub wanted: Option<&'t str>,
}

impl<'t> PackageReference<'t> {
    /// Reads `@org/name` or `@org/name@ref`; none for any other text.
    pub fn parse(text: &'t str) -> Option<PackageReference<'t>> {
        let (org, rest) = text.strip_prefix('@')?.split_once('/')?;
        let (name, wanted) = match rest.split_once('@') {
            Some((name, wanted)) => (name, Some(wanted)),
            None => (rest, None),
        };
        let is_name = |name: &str| !name.is_empty() && !name.contains(['@', '/']);
        let is_whole = is_name(org) && is_name(name) && wanted.is_none_or(|wanted| !wanted.is_empty());
        let package = &text[..1 + org.len() + 1 + name.len()];
        is_whole.then_some(PackageReference { package, name, wanted })
    }

    /// The tags that `wanted` may mean, the first one that exists first.
    pub fn tags(&self) -> Vec<String> {
        let (name, Some(wanted)) = (self.name, self.wanted) else { return Vec::new() };
        let plain = wanted.strip_prefix('v').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let mut tags = vec![format!("{name}@{wanted}"), format!("{name}-v{wanted}"), format!("v{wanted}")];
        tags.extend(plain.map(|plain| format!("{name}-v{plain}")));
        tags.push(wanted.to_owned());
        tags
    }
}

/// A package at one commit of its source.
pub struct Package {
    /// The files of that commit; only those of the package need to be there.
    pub tree: Box<dyn Tree>,
    /// The folder of the package.
    pub path: String,
    /// The commit.
    pub commit: String,
}

/// Why a package gives no skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoPackage {
    /// It is not mapped, its source is not watched, or the source has no such ref; the text says which.
    Unresolved(String),
    /// Its source has narrower readers than the pack's.
    Restricted(String),
}

/// The packages that a pack may refer to.
pub trait Packages {
    /// The package that a reference names.
    ///
    /// # Errors
    /// [`NoPackage`] says what is missing or in the way.
    fn package(&self, reference: &str) -> Result<Package, NoPackage>;
}

/// No package at all: for packs that are judged away from a registry.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPackages;

impl Packages for NoPackages {
    fn package(&self, _: &str) -> Result<Package, NoPackage> {
        Err(NoPackage::Unresolved("it is a package, which only a registry can look up".to_owned()))
    }
}

/// Where `[skills.packages]` of the root settings says that a package is: source and path.
///
/// # Errors
/// [`NoPackage::Unresolved`] where the reference cannot be read or nothing is said of its package.
pub fn mapped<'s, 't>(
    packages: &'s BTreeMap<String, (String, String)>,
    reference: &'t str,
) -> Result<(PackageReference<'t>, &'s str, &'s str), NoPackage> {
    let Some(parsed) = PackageReference::parse(reference) else {
        return Err(NoPackage::Unresolved("it is neither `@org/name` nor `@org/name@ref`".to_owned()));
    };
    match packages.get(parsed.package) {
        Some((source, path)) => Ok((parsed, source, path)),
        None => {
            let message =
                format!("`[skills.packages]` of the root packhouse.toml does not name `{}`", parsed.package);
            Err(NoPackage::Unresolved(message))
        }
    }
}

/// Whether everybody who may read the pack may read the skill: a release must not show more than its sources do.
/// An empty list means everybody.
pub fn may_carry(pack_readers: &[String], skill_readers: &[String]) -> bool {
    skill_readers.is_empty()
        || !pack_readers.is_empty() && pack_readers.iter().all(|group| skill_readers.contains(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_taken_apart() {
        let check = |text: &str, expected: Option<(&str, &str, Option<&str>)>| {
            let found = PackageReference::parse(text).map(|found| (found.package, found.name, found.wanted));
            assert_eq!(found, expected, "{text}");
        };
        check("@acme/skills", Some(("@acme/skills", "skills", None)));
        check("@acme/skills@1.2.0", Some(("@acme/skills", "skills", Some("1.2.0"))));
        check("@acme/skills@release/1.x", Some(("@acme/skills", "skills", Some("release/1.x"))));
        for text in ["acme/skills", "@acme", "@/skills", "@acme/", "@acme/skills@", "@a/b/c"] {
            check(text, None);
        }
    }

    #[test]
    fn a_wanted_ref_is_looked_up_from_the_narrowest_name_on() {
        let tags = PackageReference::parse("@acme/tone@1.0.0").expect("a reference").tags();
        assert_eq!(tags, ["tone@1.0.0", "tone-v1.0.0", "v1.0.0", "1.0.0"]);
        let tags = PackageReference::parse("@acme/tone@v1").expect("a reference").tags();
        assert_eq!(tags, ["tone@v1", "tone-vv1", "vv1", "tone-v1", "v1"]);
        assert!(PackageReference::parse("@acme/tone").expect("a reference").tags().is_empty());
    }

    #[test]
    fn a_pack_shows_no_skill_to_those_who_may_not_read_it() {
        let groups = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let check = |pack: &[&str], skill: &[&str], expected| {
            assert_eq!(may_carry(&groups(pack), &groups(skill)), expected, "{pack:?} {skill:?}");
        };
        check(&[], &[], true);
        check(&["a"], &[], true);
        check(&[], &["a"], false);
        check(&["a"], &["a", "b"], true);
        check(&["a", "b"], &["a"], false);
    }
}
