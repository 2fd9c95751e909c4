//! What settings do to a source, those of its repository and those of the operator.

use super::*;

#[test]
fn changed_settings_judge_again_what_stands_at_the_heads() {
    for mode in ["branch", "tags"] {
        let mut world = World::new(mode);
        let odd = pack("greeter", "1.0.0", |pack| {
            pack["prompts"]["hello"]["system_template"] = "Greet {{nobody}}.".into()
        });
        world.write("greeter.pack.json", &odd).commit().tag("v1.0.0");
        assert_eq!(world.scan(), 0);
        assert_eq!(world.problems(), ["invalid-pack greeter.pack.json"], "{mode}");
        let text = format!(
            "[policy]\non_invalid = \"publish-flagged\"\n[[source]]\nname = \"packs\"\npath = \"packs\"\nversions = \"{mode}\"\n"
        );
        world.settings = RegistrySettings::parse(&text).expect("valid settings");
        assert_eq!(world.scan(), 1, "{mode}");
        assert_eq!(world.problems(), ["error-findings greeter.pack.json"], "{mode}");
        assert_eq!(world.resolve("greeter@1.0.0"), "1.0.0 error-findings");
    }
}

#[test]
fn old_versions_are_adopted_gently_where_the_operator_says_so() {
    let text = "[[source]]\nname = \"packs\"\npath = \"packs\"\nhistory = \"publish-flagged\"\n";
    let mut world = World::of(text);
    let odd = |version: &str| {
        pack("greeter", version, |pack| {
            pack["prompts"]["hello"]["system_template"] = "Greet {{nobody}}.".into()
        })
    };
    world.write("greeter.pack.json", &odd("1.0.0")).commit();
    assert_eq!(world.scan(), 1);
    assert_eq!(world.resolve("greeter@1.0.0"), "1.0.0 error-findings");
    world.write("greeter.pack.json", &odd("1.1.0")).commit();
    assert_eq!(world.scan(), 0, "what comes after the first scan is judged in earnest");
    assert_eq!(world.problems(), ["invalid-pack greeter.pack.json"]);
}

#[test]
fn a_yank_counts_from_its_commit_on_whenever_that_is_scanned() {
    let yank = "[[yank]]\npack = \"greeter\"\nversions = \"=1.1.0\"\nreason = \"wrong\"\n";
    for scans in [true, false] {
        let mut world = World::new("branch");
        world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
        world
            .write("greeter.pack.json", &pack("greeter", "1.1.0", optional))
            .write("packhouse.toml", yank)
            .commit();
        if scans {
            world.scan();
        }
        world.write("greeter.pack.json", &pack("greeter", "1.1.1", |_| ())).commit();
        world.scan();
        assert_eq!(world.resolve("greeter"), "1.1.1", "judged against 1.0.0, since 1.1.0 is yanked");
        assert_eq!(world.problems(), [""; 0]);
    }
}

#[test]
fn root_settings_that_cannot_be_read_are_told_while_they_stand() {
    for mode in ["branch", "tags"] {
        let mut world = World::new(mode);
        world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit().tag("v1.0.0");
        assert_eq!(world.scan(), 1);
        world.write("packhouse.toml", "[lints").commit();
        world.scan();
        assert!(world.problems().contains(&"invalid-configuration packhouse.toml".to_owned()), "{mode}");
        world.write("packhouse.toml", "").commit();
        world.scan();
        assert_eq!(world.problems(), [""; 0], "{mode}");
    }
}

#[test]
fn a_yanked_version_is_no_latest_that_the_head_falls_behind() {
    let mut world = World::new("branch");
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    world.write("greeter.pack.json", &pack("greeter", "1.1.0", optional)).commit();
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    world.scan();
    assert_eq!(world.problems(), ["version-decreased greeter.pack.json"]);
    let yank = "[[yank]]\npack = \"greeter\"\nversions = \"=1.1.0\"\nreason = \"wrong\"\n";
    world.write("packhouse.toml", yank).commit();
    world.scan();
    assert_eq!(world.problems(), [""; 0]);
    assert_eq!(world.resolve("greeter"), "1.0.0");
}

#[test]
fn old_versions_are_judged_again_only_where_that_is_asked_for() {
    let undescribed = |version: &str| {
        pack("greeter", version, |pack| {
            pack.as_object_mut().expect("an object").remove("description");
        })
    };
    let mut world = World::of(
        "[policy.lints]\nmissing-description = \"error\"\n[[source]]\nname = \"packs\"\npath = \"packs\"\nversions = \"branch\"\n",
    );
    for text in [pack("greeter", "1.0.0", |_| ()), undescribed("1.1.0"), pack("greeter", "1.2.0", |_| ())] {
        world.write("greeter.pack.json", &text).commit();
    }
    assert_eq!(world.scan(), 2, "{:?}", world.problems());
    world.settings.policy = registry::settings::Policy::default();
    assert_eq!(world.scan(), 0, "only what stands at the head is judged by the new policy");
    world.anew = true;
    assert_eq!(world.scan(), 1, "{:?}", world.problems());
    assert_eq!(world.resolve("greeter@=1.1.0"), "1.1.0");
    assert_eq!(world.scan(), 0);
}

#[test]
fn a_bad_line_of_the_settings_is_one_problem_however_many_packs_meet_it() {
    let mut world = World::new("branch");
    for id in ["greeter", "seller", "nested"] {
        let folder = if id == "nested" { "below/" } else { "" };
        world.write(&format!("{folder}{id}.pack.json"), &pack(id, "1.0.0", |_| ()));
    }
    world.write("packhouse.toml", "[lints").write("below/packhouse.toml", "[lints]\nx = 1\n").commit();
    world.scan();
    let bad = ["invalid-configuration packhouse.toml", "invalid-configuration below/packhouse.toml"];
    let mut told = world.problems();
    told.sort_by_key(String::len);
    assert_eq!(told, bad);
    world.write("packhouse.toml", "").commit();
    world.scan();
    assert_eq!(world.problems(), bad[1..]);
    world.write("below/packhouse.toml", "").commit();
    world.scan();
    assert_eq!(world.problems(), [""; 0]);
    assert_eq!(world.resolve("nested"), "1.0.0");
}

#[test]
fn settings_that_speak_of_what_does_not_exist_are_told_until_it_does() {
    for mode in ["branch", "tags"] {
        let mut world = World::new(mode);
        let settings = "[channels.greeter]\nstable = \"1.0.0\"\nnext = \"7.0.0\"\n\
                        [[yank]]\npack = \"greeter\"\nversions = \">=9\"\nreason = \"wrong\"\n\
                        [[deprecate]]\npack = \"greter\"\nversions = \"*\"\nreason = \"old\"\n\
                        [[sunset]]\npack = \"greeter\"\nplace = \"/prompts/gone\"\nuntil = \"2.0.0\"\n\
                        [[sunset]]\npack = \"greeter\"\nplace = \"/prompts/hello/variables/{name}\"\nuntil = \"2.0.0\"\n";
        world.write("packhouse.toml", settings);
        world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit().tag("v1.0.0");
        world.scan();
        assert_eq!(world.problems(), ["idle-setting packhouse.toml"; 2], "{mode}");
        let state = world.store().source_state("packs");
        let told = |of: &registry::ProblemState| (of.pack.clone().unwrap_or_default(), of.message.clone());
        let expected = [
            (
                "greeter",
                "`[channels.greeter]` sets `next` to 7.0.0, which is not released; `[[yank]]` names the versions `>=9`, \
                 and no release is among them; `[[sunset]]` names the place `/prompts/gone`, which no release has",
            ),
            ("greter", "`[[deprecate]]` speaks of a pack that the source does not hold"),
        ];
        let expected = expected.map(|(pack, message)| (pack.to_owned(), message.to_owned()));
        assert_eq!(state.problems.iter().map(told).collect::<Vec<_>>(), expected, "{mode}");
        world.write("packhouse.toml", "[channels.greeter]\nstable = \"1.0.0\"\n").commit();
        world.scan();
        assert_eq!(world.problems(), [""; 0], "{mode}");
    }
}

#[test]
fn what_is_judged_again_counts_no_link_below_a_skill_as_a_change() {
    let mut world = World::new("branch");
    let skill = "---\nname: tone\ndescription: How to speak.\n---\nBe kind.\n";
    world.write("tone/SKILL.md", skill);
    std::os::unix::fs::symlink("SKILL.md", world.repository().join("tone/link.md")).expect("a link");
    let named = pack("greeter", "1.0.0", |pack| pack["skills"] = json!(["tone"]));
    world.write("greeter.pack.json", &named).commit();
    assert_eq!(world.scan(), 1);
    world.write("packhouse.toml", "[lints]\nstyle = \"info\"\n").commit();
    assert_eq!(world.scan(), 0);
    assert_eq!(world.problems(), [""; 0]);
}

#[test]
fn what_people_change_ends_the_problem_of_a_flagged_release_at_once() {
    for edit in ["yank", "remove"] {
        let mut world = World::new("branch");
        world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
        world.write("greeter.pack.json", &pack("greeter", "1.1.0", required)).commit();
        world.scan();
        assert_eq!(world.problems(), ["insufficient-bump greeter.pack.json"]);
        let (version, now) = (semver::Version::new(1, 1, 0), Timestamp::now());
        if edit == "yank" {
            let yank = registry::status::StatusEdit::Yank { version, reason: "a break".to_owned() };
            world.store().change_status("greeter", &yank, "ada", now).expect("a yank");
        } else {
            world.store().remove("greeter", &version, "a break", "ada", now).expect("a removal");
        }
        assert_eq!(world.problems(), [""; 0], "{edit}");
    }
}

#[test]
fn other_content_under_a_removed_number_is_told() {
    let mut world = World::new("branch");
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    world.write("greeter.pack.json", &pack("greeter", "1.1.0", optional)).commit();
    assert_eq!(world.scan(), 2);
    let version = semver::Version::new(1, 1, 0);
    world.store().remove("greeter", &version, "a secret", "ada", Timestamp::now()).expect("a removal");
    // The same content stands there and is no news; another layout of it neither.
    world.write("greeter.pack.json", &(pack("greeter", "1.1.0", optional) + "\n\n")).commit();
    assert_eq!((world.scan(), world.problems()), (0, vec![]));
    world.write("greeter.pack.json", &pack("greeter", "1.1.0", required)).commit();
    assert_eq!(world.scan(), 0);
    assert_eq!(world.problems(), ["version-reused greeter.pack.json"]);
}
