//! What Git does to a source, case by case: what is published, and what the source says of the rest.

use super::*;

/// The current problems with what their owner is told to do.
fn advice(world: &World) -> Vec<(String, String)> {
    let state = world.store().source_state("packs");
    let current = state.problems.iter().filter(|problem| problem.current);
    current.map(|problem| (problem.code.as_str().to_owned(), problem.help.clone())).collect()
}

#[test]
fn annotated_nested_and_signed_tags_name_their_commit() {
    let mut world = World::new("tags");
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    world.git_in("packs", &["tag", "-a", "-m", "release", "v1.0.0"]);
    world.write("greeter.pack.json", &pack("greeter", "1.1.0", optional)).commit();
    world.git_in("packs", &["tag", "-a", "-m", "inner", "inner"]);
    world.git_in("packs", &["tag", "-a", "-m", "outer", "greeter/v1.1.0", "inner"]);
    world.write("greeter.pack.json", &pack("greeter", "1.2.0", optional)).commit();
    let signature = "release\n-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----";
    world.git_in("packs", &["tag", "-a", "-m", signature, "greeter@1.2.0"]);
    world.git_in("packs", &["tag", "v9.0.0", "HEAD^{tree}"]);
    assert_eq!(world.scan(), 3, "{:?}", world.problems());
    assert_eq!(world.problems(), ["tag-mismatch v9.0.0"]);
    let release = world.store().release(&world.row("greeter", "1.1.0")).expect("a record");
    assert_eq!(release.tag.as_deref(), Some("greeter/v1.1.0"));
    let refs =
        git::SourceRepository::open(&world.repository()).expect("a repository").refs(100).expect("refs");
    let tag = refs.tag("greeter/v1.1.0").expect("the tag");
    assert_eq!(release.tag_object, Some(tag.object.to_string()));
    assert_eq!(Some(release.commit.as_str()), tag.commit.map(|commit| commit.to_string()).as_deref());
    assert_ne!(
        release.commit,
        world.store().release(&world.row("greeter", "1.2.0")).expect("a record").commit
    );
}

#[test]
fn each_tag_that_lies_is_told_and_forgiven_by_itself() {
    let mut world = World::new("tags");
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    world.tag("v7.0.0").tag("greeter-v7.0.0").tag("greeter@8.0.0").tag("other@1.0.0");
    assert_eq!(world.scan(), 0);
    let mut tags: Vec<Option<String>> =
        world.store().source_state("packs").problems.into_iter().map(|problem| problem.reference).collect();
    tags.sort();
    let expected = ["greeter-v7.0.0", "greeter@8.0.0", "other@1.0.0", "v7.0.0"];
    assert_eq!(tags, expected.map(|tag| Some(tag.to_owned())));
    world.write("greeter.pack.json", &pack("greeter", "7.0.0", |_| ())).commit();
    world.tag("v7.0.0").tag("greeter-v7.0.0");
    assert_eq!(world.scan(), 1);
    assert_eq!(world.problems(), ["tag-mismatch other@1.0.0", "tag-mismatch greeter.pack.json"]);
}

#[test]
fn a_hundred_packs_of_one_repository_have_versions_of_their_own() {
    for mode in ["branch", "tags"] {
        let mut world = World::new(mode);
        let file = |n: usize| format!("packs/p{n}/pack-{n}.pack.json");
        for n in 0..100 {
            world.write(&file(n), &pack(&format!("pack-{n}"), &format!("1.{n}.0"), |_| ()));
        }
        world.commit();
        for n in 0..100 {
            world.tag(&format!("pack-{n}-v1.{n}.0"));
        }
        assert_eq!(world.scan(), 100, "{mode}: {:?}", world.problems());
        world.write(&file(7), &pack("pack-7", "2.0.0", |_| ())).commit().tag("pack-7@2.0.0").tag("v2.0.0");
        assert_eq!(world.scan(), 1, "{mode}");
        let expected: &[&str] = if mode == "tags" { &["tag-mismatch v2.0.0"] } else { &[] };
        assert_eq!(world.problems(), expected, "{mode}");
    }
}

#[test]
fn a_forced_push_keeps_what_was_published_and_says_so() {
    let mut world = World::new("branch");
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    world
        .write("greeter.pack.json", &pack("greeter", "1.1.0", optional))
        .write("broken.pack.json", "{")
        .commit();
    assert_eq!(world.scan(), 2);
    world.git_in("packs", &["reset", "-q", "--hard", "HEAD~1"]);
    assert_eq!(world.scan(), 0);
    assert_eq!(world.resolve("greeter"), "1.1.0");
    // What the head no longer holds is no problem of it any more.
    assert_eq!(world.problems(), ["branch-rewritten main", "version-decreased greeter.pack.json"]);
    world.write("skills.md", "x").commit();
    assert_eq!(world.scan(), 0);
    assert_eq!(world.problems(), ["version-decreased greeter.pack.json"]);
    world.write("greeter.pack.json", &pack("greeter", "1.2.0", optional)).commit();
    assert_eq!(world.scan(), 1);
    assert_eq!(world.problems(), [""; 0]);
}

#[test]
fn a_merge_that_swaps_its_parents_repeats_nothing_and_ends_what_it_ends() {
    let mut world = World::new("branch");
    world.write("a.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    world.git_in("packs", &["branch", "side"]);
    world.write("b.pack.json", &pack("greeter", "1.0.0", optional)).commit();
    assert_eq!(world.scan(), 1);
    assert_eq!(world.problems(), ["duplicate-pack a.pack.json", "duplicate-pack b.pack.json"]);
    world.git_in("packs", &["checkout", "-q", "side"]);
    world.write("c.pack.json", &pack("helper", "1.0.0", |_| ())).commit();
    world.git_in("packs", &["merge", "-q", "-s", "ours", "-m", "swapped", "main"]);
    world.git_in("packs", &["checkout", "-q", "-B", "main"]);
    assert_eq!(world.scan(), 1, "{:?}", world.problems());
    assert_eq!(world.problems(), [""; 0]);
    assert_eq!(world.store().source_state("packs").last_scan.map(|scan| scan.commits), Some(2));
}

#[test]
fn a_renamed_default_branch_goes_on() {
    let mut world = World::new("branch");
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    world.scan();
    world.git_in("packs", &["branch", "-m", "trunk"]);
    assert_eq!(world.scan(), 0);
    world.write("greeter.pack.json", &pack("greeter", "1.1.0", optional)).commit();
    assert_eq!(world.scan(), 1);
    assert_eq!(world.store().source_state("packs").branch.as_deref(), Some("trunk"));
    assert_eq!(world.store().source_state("packs").last_scan.map(|scan| scan.commits), Some(1));
    assert_eq!(world.problems(), [""; 0]);
}

#[test]
fn a_branch_that_is_not_there_is_told_until_it_comes_back() {
    for branch in ["", "branch = \"main\"\n"] {
        let mut world = World::of(&format!("[[source]]\nname = \"packs\"\npath = \"packs\"\n{branch}"));
        world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
        assert_eq!(world.scan(), 1);
        world.git_in("packs", &["branch", "trunk"]);
        world.git_in("packs", &["checkout", "-q", "trunk"]);
        world.git_in("packs", &["branch", "-D", "main"]);
        world.git_in("packs", &["symbolic-ref", "HEAD", "refs/heads/main"]);
        assert_eq!(world.scan(), 0);
        assert_eq!(advice(&world)[0].0, "branch-missing", "{branch}");
        world.git_in("packs", &["branch", "-f", "main", "trunk"]);
        world.scan();
        assert_eq!(advice(&world), [], "{branch}");
    }
}

#[test]
fn packing_collecting_and_linked_work_trees_change_nothing() {
    let mut world = World::new("branch");
    assert_eq!(world.scan(), 0, "an empty repository has nothing to say");
    assert_eq!(world.problems(), [""; 0]);
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    assert_eq!(world.scan(), 1);
    world.git_in("packs", &["pack-refs", "--all"]).git_in("packs", &["gc", "-q", "--prune=now"]);
    assert_eq!(world.scan(), 0);
    world.git_in("packs", &["worktree", "add", "-q", "../linked", "-b", "linked"]);
    world.write_in("linked", "greeter.pack.json", &pack("greeter", "1.1.0", optional)).commit_in("linked");
    assert_eq!(world.scan(), 0, "another branch is not watched");
    world.git_in("packs", &["merge", "-q", "linked"]);
    assert_eq!(world.scan(), 1);
    assert_eq!(world.problems(), [""; 0]);
}

#[test]
fn another_repository_at_the_same_place_is_a_rewritten_branch() {
    let mut world = World::new("branch");
    world
        .write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ()))
        .write("broken.pack.json", "{")
        .commit();
    assert_eq!(world.scan(), 1);
    std::fs::remove_dir_all(world.repository()).expect("the repository");
    std::fs::create_dir(world.repository()).expect("a folder");
    world.git_in("packs", &["init", "-q", "-b", "main"]);
    world.write("helper.pack.json", &pack("helper", "1.0.0", |_| ())).commit();
    assert_eq!(world.scan(), 1);
    assert_eq!((world.resolve("greeter"), world.resolve("helper")), ("1.0.0".into(), "1.0.0".into()));
    assert_eq!(world.problems(), ["branch-rewritten main"]);
    // What stood in the first one is no file of this one: a later version of it is behind nothing.
    world.write("welcome.pack.json", &pack("greeter", "1.1.0", optional)).commit();
    assert_eq!(world.scan(), 1);
    std::fs::remove_file(world.repository().join("welcome.pack.json")).expect("a file");
    world.commit();
    assert_eq!(world.scan(), 0);
    assert_eq!(world.problems(), [""; 0]);
}

#[test]
fn an_id_belongs_to_whom_it_was_given_first() {
    let sources = |extra: &str| {
        format!(
            "[[source]]\nname = \"packs\"\npath = \"packs\"\n{extra}\n[[source]]\nname = \"others\"\npath = \"others\"\n"
        )
    };
    let mut world = World::of(&sources(""));
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    world.write_in("others", "mine.pack.json", &pack("greeter", "2.0.0", |_| ())).commit_in("others");
    assert_eq!((world.scan(), world.scan_of("others")), (1, 0));
    assert_eq!(world.problems_of("others"), ["id-claimed mine.pack.json"]);
    assert_eq!(world.resolve("greeter"), "1.0.0");
    // The operator moves the id: what stands at the head is judged again.
    let moved = sources("").replacen("path = \"others\"\n", "path = \"others\"\nids = [\"greeter\"]\n", 1);
    world.settings = RegistrySettings::parse(&moved).expect("valid settings");
    assert_eq!(world.scan_of("others"), 1);
    assert_eq!(world.problems_of("others"), [""; 0]);
    world.write("greeter.pack.json", &pack("greeter", "1.1.0", optional)).commit();
    assert_eq!(world.scan(), 0);
    assert_eq!(world.problems(), ["id-claimed greeter.pack.json"]);
    assert_eq!(world.resolve("greeter"), "2.0.0");
}

#[test]
fn a_renamed_source_and_a_renamed_pack_keep_what_they_have() {
    let mut world = World::new("branch");
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    world.scan();
    world.write("greeter.pack.json", &pack("welcome", "1.0.0", |_| ())).commit();
    assert_eq!(world.scan(), 1);
    assert_eq!((world.resolve("greeter"), world.resolve("welcome")), ("1.0.0".into(), "1.0.0".into()));
    std::fs::rename(world.repository(), world.folder.path().join("prompts")).expect("a rename");
    let text = "[[source]]\nname = \"prompts\"\npath = \"prompts\"\nformer_names = [\"packs\"]\n";
    world.settings = RegistrySettings::parse(text).expect("valid settings");
    world.write_in("prompts", "greeter.pack.json", &pack("greeter", "1.1.0", optional));
    // What the repository says counts for what it published under its former name.
    let yank = "[[yank]]\npack = \"welcome\"\nversions = \"*\"\nreason = \"too warm\"\n";
    world.write_in("prompts", "packhouse.toml", yank).commit_in("prompts");
    assert_eq!(world.scan_of("prompts"), 1);
    let snapshot = world.store().snapshot();
    let welcome = snapshot.pack(&Reader::everybody(), "welcome").expect("published");
    assert_eq!(welcome.status.yanked(&"1.0.0".parse().expect("a version")), Some("too warm"));
    assert_eq!(snapshot.counts().into_iter().collect::<Vec<_>>(), [("prompts", (2, 3))]);
    let moves =
        world.store().events_after(0, 100).iter().any(|event| event.kind == registry::EventType::IdMoved);
    assert!(!moves, "another name is no other source");
    assert_eq!(world.problems_of("prompts"), [""; 0]);
    assert_eq!(world.resolve("greeter"), "1.1.0");
}

#[test]
fn what_is_no_regular_file_is_named_and_never_followed() {
    for mode in ["branch", "tags"] {
        let mut world = World::new(mode);
        world.write("good.pack.json", &pack("good", "1.0.0", |_| ()).replace('\n', "\r\n"));
        world.write("lfs.pack.json", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n");
        std::os::unix::fs::symlink("/etc/passwd", world.repository().join("link.pack.json")).expect("a link");
        std::os::unix::fs::symlink("good.pack.json", world.repository().join("settings.json"))
            .expect("a link");
        world.git_in("packs", &["add", "-A"]);
        let commit = "0123456789012345678901234567890123456789";
        world.git_in(
            "packs",
            &["update-index", "--add", "--cacheinfo", &format!("160000,{commit},sub.pack.json")],
        );
        world.git_in("packs", &["commit", "-q", "-m", "change"]).tag("good@1.0.0");
        assert_eq!(world.scan(), 1, "{mode}: {:?}", world.problems());
        let mut problems = world.problems();
        problems.sort();
        let expected = ["lfs-pointer lfs.pack.json", "submodule sub.pack.json", "symlink link.pack.json"];
        assert_eq!(problems, expected, "{mode}");
        let exact = world
            .store()
            .form(&world.row("good", "1.0.0"), registry::Form::Source)
            .expect("a readable ledger")
            .expect("the bytes");
        assert!(exact.windows(2).any(|pair| pair == b"\r\n"), "the bytes stay as they are");
    }
}

#[test]
fn a_name_that_cannot_be_read_is_told_while_it_stands() {
    use std::os::unix::ffi::OsStrExt;
    let mut world = World::new("branch");
    let odd = world.repository().join(std::ffi::OsStr::from_bytes(b"caf\xe9.json"));
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ()));
    std::fs::write(&odd, pack("odd", "1.0.0", |_| ())).expect("a file");
    world.commit();
    assert_eq!(world.scan(), 1);
    assert_eq!(world.problems(), ["unreadable-name caf\u{fffd}.json"]);
    std::fs::rename(&odd, world.repository().join("cafe.json")).expect("a rename");
    world.commit();
    assert_eq!(world.scan(), 1);
    assert_eq!(world.problems(), [""; 0]);
}

#[test]
fn formats_that_cannot_be_read_say_what_to_do() {
    for format in ["--object-format=sha256", "--ref-format=reftable"] {
        let mut world = World::new("branch");
        std::fs::remove_dir_all(world.repository()).expect("the repository");
        std::fs::create_dir(world.repository()).expect("a folder");
        world.git_in("packs", &["init", "-q", "-b", "main", format]);
        assert_eq!(world.scan(), 0);
        let expected =
            ("unsupported-repository", "use a repository with SHA-1 objects and the files ref format");
        assert_eq!(advice(&world), [(expected.0.to_owned(), expected.1.to_owned())], "{format}");
        let error = world.store().source_state("packs").error.expect("an error");
        assert!(error.contains("cannot be read here"), "{error}");
    }
}

#[test]
fn two_files_of_one_tag_that_claim_one_version_are_told() {
    let mut world = World::new("tags");
    world.write("a.pack.json", &pack("greeter", "1.0.0", |_| ()));
    world.write("b.pack.json", &pack("greeter", "1.0.0", optional)).commit().tag("greeter@1.0.0");
    assert_eq!(world.scan(), 0);
    assert_eq!(world.problems(), ["duplicate-pack a.pack.json"]);
    std::fs::remove_file(world.repository().join("b.pack.json")).expect("a file");
    world.commit().tag("greeter@1.0.0");
    assert_eq!(world.scan(), 1);
    assert_eq!(world.problems(), [""; 0]);
}

#[test]
fn a_mount_that_goes_leaves_an_empty_folder_and_changes_nothing() {
    let mut world = World::new("branch");
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    assert_eq!(world.scan(), 1);
    let (place, away) = (world.repository(), world.folder.path().join("away"));
    std::fs::rename(&place, &away).expect("a rename");
    std::fs::create_dir(&place).expect("a folder");
    assert_eq!((world.scan(), world.scan()), (0, 0));
    let advised = ProblemCode::Unreachable.help().to_owned();
    assert_eq!(advice(&world), [("unreachable".to_owned(), advised)]);
    assert_eq!(world.resolve("greeter"), "1.0.0");
    std::fs::remove_dir(&place).expect("a folder");
    std::fs::rename(&away, &place).expect("a rename");
    assert_eq!(world.scan(), 0);
    assert_eq!(world.problems(), [""; 0]);
    assert_eq!(world.store().source_state("packs").error, None);
}

#[test]
fn a_linked_work_tree_is_a_source_with_a_head_of_its_own() {
    let mut world = World::new("branch");
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    let home = world.folder.path().join("home");
    std::fs::rename(world.repository(), &home).expect("a rename");
    world.git_in("home", &["worktree", "add", "-q", "../packs", "-b", "linked"]);
    assert_eq!(world.scan(), 1);
    world.write("greeter.pack.json", &pack("greeter", "1.1.0", optional)).commit();
    assert_eq!(world.scan(), 1);
    world.write_in("home", "greeter.pack.json", &pack("greeter", "9.0.0", optional)).commit_in("home");
    assert_eq!(world.scan(), 0);
    assert_eq!(world.store().source_state("packs").branch.as_deref(), Some("linked"));
    assert_eq!(world.problems(), [""; 0]);
}

#[test]
fn looking_at_an_unmoved_source_notes_the_time_and_nothing_else() {
    let mut world = World::new("tags");
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit().tag("v1.0.0");
    world.scan();
    let first = world.store().source_state("packs");
    world.scan();
    let second = world.store().source_state("packs");
    assert!(second.last_attempt > first.last_attempt && second.last_success > first.last_success);
    let (last_attempt, last_success) = (first.last_attempt, first.last_success);
    assert_eq!(store::SourceState { last_attempt, last_success, ..second }, first);
}

#[test]
fn a_moved_tag_stays_a_moved_one_when_it_is_judged_again() {
    let mut world = World::new("tags");
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit().tag("v1.0.0");
    assert_eq!(world.scan(), 1);
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", optional)).commit();
    world.git_in("packs", &["tag", "--force", "v1.0.0"]);
    assert_eq!(world.scan(), 0);
    assert_eq!(world.problems(), ["tag-moved greeter.pack.json"]);
    world.anew = true;
    assert_eq!(world.scan(), 0);
    assert_eq!(world.problems(), ["tag-moved greeter.pack.json"]);
}
