//! Walks along the first-parent line.

use super::support::Sandbox;
use crate::{GitError, History, ObjectId, SourceRepository};

#[track_caller]
fn check(sandbox: &Sandbox, from: Option<ObjectId>, to: ObjectId, commits: &[ObjectId], rewritten: bool) {
    let history = sandbox.open().history(from, to).unwrap();
    assert_eq!(history, History { commits: commits.to_vec(), rewritten });
}

#[test]
fn a_straight_line_is_listed_oldest_first() {
    let sandbox = Sandbox::new();
    let commits = ["1", "2", "3"].map(|text| sandbox.commit_file("a", text));
    check(&sandbox, None, commits[2], &commits, false);
    check(&sandbox, Some(commits[0]), commits[2], &commits[1..], false);
    check(&sandbox, Some(commits[2]), commits[2], &[], false);
}

#[test]
fn a_merged_branch_counts_as_its_merge() {
    let sandbox = Sandbox::new();
    let base = sandbox.commit_file("a", "1");
    sandbox.git(["checkout", "-q", "-b", "side"]);
    sandbox.commit_file("b", "1");
    sandbox.git(["checkout", "-q", "main"]);
    let main = sandbox.commit_file("a", "2");
    sandbox.git(["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    check(&sandbox, Some(base), sandbox.id("HEAD"), &[main, sandbox.id("HEAD")], false);
}

#[test]
fn a_merge_that_swaps_its_parents_repeats_nothing() {
    let sandbox = Sandbox::new();
    let base = sandbox.commit_file("a", "1");
    sandbox.git(["branch", "published"]);
    let local = sandbox.commit_file("local", "1");
    sandbox.git(["checkout", "-q", "published"]);
    sandbox.commit_file("a", "2");
    let scanned = sandbox.commit_file("a", "3");
    // As `git pull` does it: what was published becomes the second parent of the local line.
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.git(["merge", "-q", "--no-ff", "-m", "pull", "published"]);
    let head = sandbox.id("HEAD");
    check(&sandbox, Some(scanned), head, &[local, head], false);
    check(&sandbox, Some(base), head, &[local, head], false);
}

#[test]
fn commit_times_that_run_backwards_repeat_nothing() {
    let sandbox = Sandbox::new();
    let mut line = vec![sandbox.commit_file("a", "0")];
    for step in 1..40 {
        // The scanned line claims to be a year older with every commit, which misleads walks that trust times.
        sandbox.set_clock(1_700_000_000 - step * 31_000_000);
        line.push(sandbox.commit_file("a", &step.to_string()));
    }
    let scanned = sandbox.id("HEAD");
    sandbox.git(["checkout", "-q", "-b", "local", &line[30].to_string()]);
    sandbox.set_clock(1_750_000_000);
    let local = sandbox.commit_file("local", "1");
    sandbox.git(["merge", "-q", "--no-ff", "-m", "pull", "main"]);
    check(&sandbox, Some(scanned), sandbox.id("HEAD"), &[local, sandbox.id("HEAD")], false);
}

#[test]
fn a_force_push_is_told_and_walked_from_the_fork() {
    let sandbox = Sandbox::new();
    let base = sandbox.commit_file("a", "1");
    let scanned = sandbox.commit_file("a", "2");
    sandbox.git(["reset", "-q", "--hard", &base.to_string()]);
    let other = sandbox.commit_file("a", "other");
    check(&sandbox, Some(scanned), other, &[other], true);
    check(&sandbox, Some(scanned), base, &[], true);
    let pruned = ObjectId::from_bytes([7; 20]);
    check(&sandbox, Some(pruned), other, &[base, other], true);
}

#[test]
fn unrelated_histories_have_nothing_in_common() {
    let sandbox = Sandbox::new();
    let one = sandbox.commit_file("a", "1");
    sandbox.git(["checkout", "-q", "--orphan", "new"]);
    let other = sandbox.commit_file("a", "2");
    check(&sandbox, Some(one), other, &[other], true);
    let repository = sandbox.open();
    assert_eq!(repository.merge_base(one, other).unwrap(), None);
    assert_eq!(repository.merge_bases(one, other).unwrap(), []);
}

#[test]
fn a_criss_cross_has_two_merge_bases() {
    let sandbox = Sandbox::new();
    sandbox.commit_file("base", "1");
    sandbox.git(["branch", "side"]);
    let main = sandbox.commit_file("main", "1");
    sandbox.git(["checkout", "-q", "side"]);
    let side = sandbox.commit_file("side", "1");
    sandbox.git(["merge", "-q", "-m", "one", "main"]);
    sandbox.git(["checkout", "-q", "main"]);
    sandbox.git(["merge", "-q", "--no-ff", "-m", "two", &side.to_string()]);
    let repository = sandbox.open();
    let mut bases = repository.merge_bases(sandbox.id("main"), sandbox.id("side")).unwrap();
    bases.sort();
    let mut expected = [main, side];
    expected.sort();
    assert_eq!(bases, expected);
    let base = repository.merge_base(sandbox.id("main"), sandbox.id("side")).unwrap().unwrap();
    assert!(expected.contains(&base));
    assert!(repository.is_ancestor(main, sandbox.id("main")).unwrap());
    assert!(repository.is_ancestor(main, main).unwrap());
    assert!(!repository.is_ancestor(sandbox.id("main"), main).unwrap());
}

#[test]
fn revisions_are_resolved_to_commits() {
    let sandbox = Sandbox::new();
    let one = sandbox.commit_file("a", "1");
    sandbox.git(["tag", "-a", "-m", "one", "v1"]);
    let two = sandbox.commit_file("a", "2");
    let repository = sandbox.open();
    let short = &one.to_string()[..10];
    for (revision, commit) in [("main", two), ("HEAD~1", one), ("v1", one), (short, one)] {
        assert_eq!(repository.resolve(revision).unwrap(), commit, "{revision}");
    }
    for revision in ["nowhere", "HEAD:a", "", "HEAD~9", "a\0b"] {
        let error = repository.resolve(revision).unwrap_err();
        assert!(matches!(error, GitError::UnknownRevision { .. }), "{revision}: {error}");
    }
    assert_eq!(repository.first_parent(two).unwrap(), Some(one));
    assert_eq!(repository.first_parent(one).unwrap(), None);
}

#[test]
fn a_shallow_clone_ends_at_its_edge() {
    let sandbox = Sandbox::new();
    let commits = ["1", "2", "3"].map(|text| sandbox.commit_file("a", text));
    let url = format!("file://{}", sandbox.path().display());
    sandbox.git_in(sandbox.root(), ["clone", "-q", "--depth", "2", &url, "clone"]);
    let clone = SourceRepository::open(&sandbox.root().join("clone")).unwrap();
    assert!(clone.is_shallow());
    assert!(!sandbox.open().is_shallow());
    assert_eq!(clone.history(None, commits[2]).unwrap().commits, &commits[1..]);
    assert_eq!(clone.history(Some(commits[1]), commits[2]).unwrap().commits, &commits[2..]);
    assert_eq!(clone.first_parent(commits[1]).unwrap(), None);
    assert_eq!(clone.changes(commits[1]).unwrap().changes.len(), 1);
    assert!(matches!(clone.commit(commits[0]), Err(GitError::MissingObject { kind: "commit", .. })));
    assert!(clone.is_at_edge(commits[1]) && !clone.is_at_edge(commits[2]));
}

#[test]
fn an_edge_on_the_way_may_hide_a_better_ancestor() {
    let sandbox = Sandbox::new();
    let commits = ["1", "2", "3", "4"].map(|text| sandbox.commit_file("a", text));
    let url = format!("file://{}", sandbox.path().display());
    sandbox.git_in(sandbox.root(), ["clone", "-q", "--depth", "3", &url, "clone"]);
    let clone = SourceRepository::open(&sandbox.root().join("clone")).unwrap();
    let may_hide = |base: usize| clone.may_hide_ancestors(&[commits[3]], &[commits[base]]).unwrap();
    assert!(!may_hide(1) && !may_hide(2), "the way down ends before the edge");
    assert!(clone.may_hide_ancestors(&[commits[3]], &[]).unwrap());
    assert!(!sandbox.open().may_hide_ancestors(&[commits[3]], &[]).unwrap());
    assert_eq!((clone.partial_remote(), clone.remotes()), (None, vec!["origin".to_owned()]));
}

#[test]
fn a_partial_clone_names_its_remote() {
    let sandbox = Sandbox::new();
    sandbox.commit_file("a", "1");
    sandbox.git(["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", sandbox.path().display());
    let arguments = ["clone", "-q", "--no-checkout", "--filter=blob:none", "-o", "central", &url, "clone"];
    sandbox.git_in(sandbox.root(), arguments);
    let clone = SourceRepository::open(&sandbox.root().join("clone")).unwrap();
    assert_eq!(clone.partial_remote().as_deref(), Some("central"));
}

#[test]
fn a_commit_or_tag_with_a_huge_message_is_measured_and_not_read() {
    let sandbox = Sandbox::new();
    let known = sandbox.commit_file("a", "1");
    std::fs::write(sandbox.path().join("message"), "m".repeat(5 << 20)).unwrap();
    sandbox.git(["commit", "-q", "--allow-empty", "-F", "message"]);
    let huge = sandbox.id("HEAD");
    let head = sandbox.commit_file("a", "2");
    let repository = sandbox.open();
    for from in [None, Some(known)] {
        let error = repository.history(from, head).unwrap_err();
        assert!(
            matches!(error, GitError::TooLarge { id, size, .. } if id == huge && size > 5 << 20),
            "{error}"
        );
    }
    assert!(matches!(repository.commit(huge), Err(GitError::TooLarge { .. })));
    sandbox.git(["tag", "-a", "v1.0.0", "-F", "message", &known.to_string()]);
    sandbox.git(["tag", "-a", "v1.0.1", "-m", "small", &known.to_string()]);
    let refs = repository.refs(10).unwrap();
    let commits: Vec<Option<ObjectId>> = refs.tags.iter().map(|tag| tag.commit).collect();
    assert_eq!(commits, [None, Some(known)]);
}
