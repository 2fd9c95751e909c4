//! `packhouse check` in clones that lack something: history, contents, branches, a work tree.

use super::support::{Folder, Ran, greeter, greeter_with};

const TIER: &str = "{ \"name\": \"tier\", \"type\": \"string\", \"required\": true, \"description\": \"The plan.\" },\n        ";

fn breaking(version: &str) -> String {
    greeter_with(version, TIER, " Mind the plan {{tier}}.")
}

/// A repository with a release on `main` and a break under a patch on `topic`.
fn origin() -> Folder {
    let folder = Folder::repository();
    folder.write("a.pack.json", greeter("1.0.0")).commit("one");
    folder.git(&["switch", "--quiet", "--create", "topic"]);
    folder.write("a.pack.json", breaking("1.0.1")).commit("a break");
    folder.git(&["config", "uploadpack.allowFilter", "true"]);
    folder
}

fn url(origin: &Folder) -> String {
    format!("file://{}", origin.path().display())
}

fn clone(origin: &Folder, arguments: &[&str]) -> Folder {
    let (clone, url) = (Folder::new(), url(origin));
    let all = [&["clone", "--quiet"], arguments, &[url.as_str(), "."]].concat();
    clone.git(&all);
    clone
}

/// Runs the very command that the help of a refusal names.
fn run_named_command(folder: &Folder, refusal: &Ran) {
    assert_eq!(refusal.status, 2, "{}", refusal.shown());
    let command = refusal.stderr.split('`').find(|part| part.starts_with("git ")).expect("a command");
    let arguments: Vec<&str> = command.split(' ').skip(1).collect();
    folder.git(&arguments);
}

fn finds_the_break(ran: &Ran) {
    assert_eq!(ran.status, 1, "{}", ran.shown());
    assert!(ran.stdout.contains("variable-required-added"), "{}", ran.shown());
}

#[test]
fn contents_that_a_partial_clone_left_out_are_fetched_or_asked_for() {
    let origin = origin();
    let arguments = ["--filter=blob:none", "--branch", "topic"];
    let check = ["check", "--against", "merge-base:origin/main"];
    let partial = clone(&origin, &arguments);
    finds_the_break(&partial.run(&[&check[..], &["--fetch"]].concat()));
    let partial = clone(&origin, &arguments);
    run_named_command(&partial, &partial.run(&check));
    finds_the_break(&partial.run(&check));
}

#[test]
fn a_shallow_clone_of_the_target_branch_hides_the_release_before() {
    let origin = origin();
    origin.git(&["switch", "--quiet", "main"]);
    origin.git(&["merge", "--quiet", "--no-ff", "--message", "merge", "topic"]);
    let shallow = clone(&origin, &["--depth", "1", "--branch", "main"]);
    finds_the_break(&shallow.run(&["check", "--fetch"]));
    let shallow = clone(&origin, &["--depth", "1", "--branch", "main"]);
    run_named_command(&shallow, &shallow.run(&["check"]));
    finds_the_break(&shallow.run(&["check"]));
}

#[test]
fn a_merge_base_behind_the_edge_is_asked_for() {
    let origin = Folder::repository();
    origin.write("a.pack.json", greeter("1.0.0")).commit("one");
    origin.git(&["branch", "hot"]);
    for number in 1..=6 {
        origin.write("a.pack.json", greeter(&format!("1.0.{number}"))).commit("more");
    }
    origin.git(&["switch", "--quiet", "hot"]);
    origin.write("hot.txt", "a").commit("hot");
    for branch in ["topic", "main"] {
        if branch == "topic" {
            origin.git(&["switch", "--quiet", "--create", "topic", "main"]);
            ["1", "2", "3"].iter().for_each(|text| _ = origin.write("topic.txt", text).commit("topic"));
        } else {
            origin.git(&["switch", "--quiet", "main"]);
        }
        origin.git(&["merge", "--quiet", "--no-ff", "--message", "merge", "hot"]);
    }
    let check = ["check", "--against", "merge-base:origin/main"];
    let shallow = clone(&origin, &["--depth", "3", "--no-single-branch", "--branch", "topic"]);
    run_named_command(&shallow, &shallow.run(&check));
    let ran = shallow.run(&check);
    assert!(ran.status == 0 && ran.stdout.contains("1 unchanged"), "{}", ran.shown());
}

#[test]
fn the_command_that_is_named_brings_what_was_missing() {
    let origin = origin();
    origin.write("a.pack.json", breaking("1.0.2")).commit("again");
    for against in ["HEAD~1", "merge-base:main", "origin/main", "main"] {
        let shallow = clone(&origin, &["--depth", "1", "--branch", "topic"]);
        let check = ["check", "--against", against];
        run_named_command(&shallow, &shallow.run(&check));
        assert_eq!(shallow.run(&check).status, 1, "{against}");
    }
    let whole = clone(&origin, &["--branch", "topic"]);
    for against in ["0123456", "HEAD@{99}", "main^{tree}^{x}", ":/nothing", "merge-base:"] {
        let ran = whole.run(&["check", "--fetch", "--against", against]);
        assert!(ran.status == 2 && !ran.stderr.contains("git fetch"), "{against}: {}", ran.shown());
    }
    whole.git(&["remote", "rename", "origin", "upstream"]);
    whole.git(&["update-ref", "-d", "refs/remotes/upstream/main"]);
    let check = ["check", "--against", "upstream/main"];
    run_named_command(&whole, &whole.run(&check));
    finds_the_break(&whole.run(&check));
}

#[test]
fn what_is_fetched_is_never_an_option() {
    let origin = origin();
    let clone = clone(&origin, &["--branch", "topic"]);
    let told = clone.path().join("told");
    for text in ["--upload-pack=touch told", "x --upload-pack=touch${IFS}told;git-upload-pack", "-x"] {
        for against in [text.to_owned(), format!("merge-base:{text}")] {
            let ran = clone.run(&["check", "--fetch", &format!("--against={against}")]);
            assert_eq!(ran.status, 2, "{}", ran.shown());
            assert!(!told.exists(), "{}", ran.shown());
        }
    }
}

/// GitHub's checkout adds the remote by hand, so that `origin/HEAD` is never set.
#[test]
fn a_push_to_the_default_branch_needs_no_remote_head() {
    let origin = origin();
    origin.git(&["switch", "--quiet", "main"]);
    let checked_out = |branch: &str| {
        let folder = Folder::new();
        folder.git(&["init", "--quiet"]);
        folder.git(&["remote", "add", "origin", &url(&origin)]);
        folder.git(&["fetch", "--quiet", "origin", "+refs/heads/*:refs/remotes/origin/*"]);
        folder.git(&["remote", "set-head", "origin", "--delete"]);
        folder.git(&["checkout", "--quiet", "-B", branch, &format!("origin/{branch}")]);
        folder
    };
    assert_eq!(checked_out("main").run(&["check"]).status, 0, "only `main` can be meant");
    finds_the_break(&checked_out("topic").run(&["check"]));
    origin.git(&["branch", "master"]);
    let two = checked_out("main").run(&["check"]);
    assert!(two.status == 2 && two.stderr.contains("there is no base"), "{}", two.shown());
    let folder = checked_out("topic");
    folder.write("event.json", r#"{"repository": {"default_branch": "main"}}"#);
    let event = folder.path().join("event.json").display().to_string();
    finds_the_break(&folder.run_with(&["check"], &[("GITHUB_EVENT_PATH", event.as_str())], ""));
}

#[test]
fn a_repository_below_is_another_ones_business() {
    let (outer, inner) = (Folder::repository(), Folder::repository());
    inner.write("packs/other.pack.json", greeter("1.0.0").replace("greeter", "other")).commit("one");
    outer.write("a.pack.json", greeter("1.0.0"));
    let submodule = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url(&inner), "sub"];
    outer.git(&submodule);
    outer.commit("one");
    let lint = outer.run(&["lint"]);
    assert!(lint.status == 0 && lint.stdout.contains("1 pack"), "{}", lint.shown());
    assert_eq!(outer.run(&["check", "--against", "HEAD"]).status, 0);
    let strange = outer.run(&["check", "a.pack.json", "sub/packs", "--against", "HEAD"]);
    assert!(strange.status == 2 && strange.stderr.contains("by itself"), "{}", strange.shown());
}

#[test]
fn a_bare_repository_has_nothing_to_check() {
    let bare = clone(&origin(), &["--bare"]);
    let ran = bare.run(&["check", "--against", "main"]);
    assert!(ran.status == 2 && ran.stderr.contains("git worktree add"), "{}", ran.shown());
}

#[test]
fn a_base_that_holds_a_broken_pack_is_never_passed_over() {
    let odd = std::ffi::OsStr::new("b\u{1}").to_owned();
    let name = {
        use std::os::unix::ffi::OsStringExt;
        let mut bytes = odd.into_vec();
        bytes[1] = 0xff;
        bytes.extend_from_slice(b".pack.json");
        std::ffi::OsString::from_vec(bytes)
    };
    for broken in ["{\"id\": \"greeter\",", "version https://git-lfs.github.com/spec/v1\n"] {
        let folder = Folder::repository();
        folder.write("old.pack.json", broken).write("z.pack.json", greeter("0.1.0").replace("greeter", "z"));
        folder.commit("one");
        folder.remove("old.pack.json").write("new.pack.json", greeter("1.0.0")).commit("moved");
        let ran = folder.run(&["check", "--against", "HEAD~1"]);
        assert!(ran.status == 2 && ran.stderr.contains("old.pack.json"), "{}", ran.shown());
        assert_eq!(folder.run(&["check", "--against", "HEAD~1", "--allow-broken-base"]).status, 0);
    }
    let folder = Folder::repository();
    std::fs::write(folder.path().join(&name), greeter("1.0.0")).expect("a file");
    folder.commit("one");
    std::fs::write(folder.path().join(&name), breaking("1.0.1")).expect("a file");
    folder.commit("two");
    let ran = folder.run(&["check", "--against", "HEAD~1"]);
    assert!(ran.status == 2 && ran.stderr.contains("UTF-8"), "{}", ran.shown());
}

#[test]
fn a_base_without_a_usable_id_is_what_the_pack_was() {
    for old in ["", "\"id\": 5,"] {
        let folder = Folder::repository();
        folder.write("a.pack.json", greeter("1.0.0").replace("\"id\": \"greeter\",", old)).commit("one");
        folder.write("a.pack.json", breaking("1.0.1")).commit("two");
        finds_the_break(&folder.run(&["check", "--against", "HEAD~1"]));
    }
}

#[test]
fn a_base_that_is_missing_leaves_the_findings_of_the_packs() {
    let folder = origin();
    folder.write("a.pack.json", greeter("1.0.0").replace("{{name}}", "{{nane}}"));
    let ran = folder.run(&["check", "--against", "merge-base:nowhere", "--format", "json"]);
    assert_eq!(ran.status, 2, "{}", ran.shown());
    let report = ran.json();
    assert_eq!(report["passed"], false);
    assert!(ran.stdout.contains("undeclared-variable") && ran.stderr.contains("nowhere"), "{}", ran.shown());
}
