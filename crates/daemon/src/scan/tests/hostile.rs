//! Repositories that mean harm: what they hold is refused by its size or name, told, and forgotten once it is gone.

use std::io::Write as _;
use std::process::Stdio;

use super::*;

/// Runs Git with an input; gives what it prints.
fn piped(world: &World, arguments: &[&str], input: &[u8]) -> String {
    let mut command = Command::new("git");
    command.current_dir(world.repository()).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("git is installed");
    child.stdin.take().expect("its input").write_all(input).expect("git reads");
    let output = child.wait_with_output().expect("git ends");
    assert!(output.status.success(), "git {arguments:?}");
    String::from_utf8(output.stdout).expect("text").trim_end().to_owned()
}

/// Commits a tree of these entries, `MODE TYPE ID NAME`, on the branch; Git checks none of the names.
fn commit_tree(world: &World, entries: &[(&str, &str, &[u8])]) {
    let mut input = Vec::new();
    for (kind, id, name) in entries {
        input.extend_from_slice(format!("{kind} {id}\t").as_bytes());
        input.extend_from_slice(name);
        input.push(0);
    }
    let tree = piped(world, &["mktree", "-z"], &input);
    world.git_in("packs", &["commit", "-q", "--allow-empty", "-m", "start"]);
    let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    let commit =
        piped(world, &[&identity[..], &["commit-tree", "-p", "HEAD", "-m", "x", &tree]].concat(), b"");
    world.git_in("packs", &["update-ref", "refs/heads/main", &commit]);
}

fn blob(world: &World, content: &[u8]) -> String {
    piped(world, &["hash-object", "-w", "--stdin"], content)
}

const FILE: &str = "100644 blob";

#[test]
fn names_that_mean_harm_are_told_and_read_by_nobody() {
    let (long, longest) = ("n".repeat(10_000) + ".json", "n".repeat(10_000) + ".pack.json");
    let names: [&[u8]; 4] = [b"a\nb.pack.json", b"bell\x07.json", long.as_bytes(), longest.as_bytes()];
    for mode in ["branch", "tags"] {
        let mut world = World::new(mode);
        let odd = blob(&world, pack("odd", "1.0.0", |_| ()).as_bytes());
        let good = blob(&world, pack("good", "1.0.0", |_| ()).as_bytes());
        let inner = piped(&world, &["mktree"], format!("{FILE} {odd}\tup.pack.json\n").as_bytes());
        let mut entries: Vec<(&str, &str, &[u8])> = vec![("040000 tree", &inner, b"..")];
        entries.extend(names.iter().map(|name| (FILE, odd.as_str(), *name)));
        entries.push((FILE, &good, b"good.pack.json"));
        commit_tree(&world, &entries);
        world.tag("good@1.0.0");
        assert_eq!(world.scan(), 1, "{mode}: {:?}", world.problems());
        let state = world.store().source_state("packs");
        let told: Vec<&str> = state.problems.iter().filter_map(|problem| problem.path.as_deref()).collect();
        assert_eq!(told.len(), 4, "{mode}: {told:?}");
        assert!(told.contains(&"a\nb.pack.json") && told.contains(&"bell\u{7}.json"), "{told:?}");
        assert!(told.iter().all(|path| path.chars().count() < 300), "{told:?}");
        assert!(state.problems.iter().all(|problem| problem.code == ProblemCode::UnreadableName));
        assert_eq!(world.resolve("odd"), "Pack");
        world.write("good.pack.json", &pack("good", "1.0.0", |_| ())).commit().tag("good@1.0.0");
        world.scan();
        assert_eq!(world.problems(), [""; 0], "{mode}");
    }
}

#[test]
fn a_tree_of_millions_of_files_is_left_at_its_limit() {
    for mode in ["branch", "tags"] {
        let mut world = World::new(mode);
        world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit().tag("v1.0.0");
        assert_eq!(world.scan(), 1);
        // Seven folders of ten in each other: ten million names out of eight objects.
        let mut entry = (FILE, blob(&world, b"{}"));
        for _ in 0..7 {
            let lines: String = (0..10).map(|n| format!("{} {}\t{n}\n", entry.0, entry.1)).collect();
            entry = ("040000 tree", piped(&world, &["mktree"], lines.as_bytes()));
        }
        let greeter = blob(&world, pack("greeter", "1.1.0", optional).as_bytes());
        let bomb: [(&str, &str, &[u8]); 2] =
            [(entry.0, &entry.1, b"many"), (FILE, &greeter, b"greeter.pack.json")];
        commit_tree(&world, &bomb);
        world.tag("v1.1.0");
        assert_eq!(world.scan(), 0, "{mode}");
        let place = if mode == "tags" { "v1.1.0" } else { "main" };
        assert_eq!(world.problems(), [format!("too-many-files {place}")], "{mode}");
        // A daemon that starts anew can go no further either, and is no worse off.
        world.memories.clear();
        commit_tree(&world, &bomb);
        assert_eq!(world.scan(), 0, "{mode}");
        assert_eq!(world.problems(), [format!("too-many-files {place}")], "{mode}");
        // Once the folder is gone, what was left out is read.
        commit_tree(&world, &[(FILE, &greeter, b"greeter.pack.json")]);
        world.tag("v1.1.0");
        assert_eq!(world.scan(), 1, "{mode}: {:?}", world.problems());
        assert_eq!(world.problems(), [""; 0], "{mode}");
    }
}

#[test]
fn a_file_that_unpacks_to_far_more_is_refused_by_its_size() {
    let mut world = World::new("branch");
    let bomb = blob(&world, &vec![b' '; 64 << 20]);
    let good = blob(&world, pack("good", "1.0.0", |_| ()).as_bytes());
    commit_tree(&world, &[(FILE, &bomb, b"bomb.pack.json"), (FILE, &good, b"good.pack.json")]);
    assert_eq!(world.scan(), 1);
    assert_eq!(world.problems(), ["too-large bomb.pack.json"]);
    let message = world.store().source_state("packs").problems[0].message.clone();
    assert!(message.contains("67108864 bytes"), "{message}");
}

#[test]
fn a_long_chain_of_deltas_is_read_like_anything_else() {
    let mut world = World::new("branch");
    let filler = "x".repeat(2000);
    for number in 0..60 {
        let text =
            pack("greeter", &format!("1.0.{number}"), |pack| pack["description"] = filler.clone().into());
        world.write("greeter.pack.json", &text).commit();
    }
    world.git_in("packs", &["repack", "-adfq", "--depth=4000", "--window=100"]);
    assert_eq!(world.scan(), 60, "{:?}", world.problems());
    assert_eq!(world.problems(), [""; 0]);
}

#[test]
fn refs_beyond_the_limit_are_told_until_they_are_gone() {
    let text = "[limits]\nrefs = 5\n[[source]]\nname = \"packs\"\npath = \"packs\"\n";
    let mut world = World::of(text);
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    assert_eq!(world.scan(), 1);
    for number in 0..5 {
        world.tag(&format!("build-{number}"));
    }
    world.write("greeter.pack.json", &pack("greeter", "1.1.0", optional)).commit();
    for packed in [false, true] {
        assert_eq!(world.scan(), 0, "packed: {packed}");
        assert_eq!(world.problems(), ["too-many-refs "], "packed: {packed}");
        world.git_in("packs", &["pack-refs", "--all"]);
    }
    world.git_in("packs", &["tag", "-d", "build-0"]);
    assert_eq!(world.scan(), 1);
    assert_eq!(world.problems(), [""; 0]);
}

#[test]
fn skills_beyond_their_limits_refuse_the_pack_alone() {
    let text =
        "[limits]\nskill_files = 3\nskill_bytes = \"1KiB\"\n[[source]]\nname = \"packs\"\npath = \"packs\"\n";
    let mut world = World::of(text);
    let skill = "---\nname: tone\ndescription: How to sound.\n---\n\nBe warm.\n";
    let named = |id: &str| pack(id, "1.0.0", |pack| pack["skills"] = json!([format!("skills/{id}")]));
    for id in ["many", "large", "good"] {
        world.write(&format!("{id}.pack.json"), &named(id)).write(&format!("skills/{id}/SKILL.md"), skill);
    }
    for number in 0..5 {
        world.write(&format!("skills/many/{number}.md"), "x");
    }
    world.write("skills/large/words.md", &"x".repeat(2000)).commit();
    assert_eq!(world.scan(), 1, "{:?}", world.problems());
    assert_eq!(world.problems(), ["unresolved-skill large.pack.json", "unresolved-skill many.pack.json"]);
}
