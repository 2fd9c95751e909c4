//! Which refusals are kept for webhooks.

use super::{World, pack, required};

const HOOK: &str =
    "[[webhook]]\nurl = \"https://chat.example.org/\"\nsecret_env = \"HOOK\"\nevents = [\"refused\"]\n";
const SOURCE: &str = "[[source]]\nname = \"packs\"\npath = \"packs\"\n";

fn world(hook: &str) -> World {
    World::of(&format!("[policy]\non_breaking = \"refuse\"\n{hook}{SOURCE}"))
}

/// The refusals that are kept.
fn kept(world: &World) -> Vec<String> {
    let refusals = world.store().refusals_after(0, 100);
    let shown =
        |number, version: Option<String>, code| format!("{number} {code} {}", version.unwrap_or_default());
    refusals.into_iter().map(|(number, refusal)| shown(number, refusal.version, refusal.code)).collect()
}

#[test]
fn a_refusal_that_stands_is_kept_once_and_again_for_another_attempt() {
    let mut world = world(HOOK);
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    world.write("greeter.pack.json", &pack("greeter", "1.0.1", required)).commit();
    world.scan();
    assert_eq!(kept(&world), ["1 refused-breaking 1.0.1"]);
    world.anew = true;
    world.scan();
    assert_eq!(kept(&world).len(), 1, "judging it again is no news");
    world.write("greeter.pack.json", &pack("greeter", "1.0.2", required)).commit();
    world.scan();
    assert_eq!(kept(&world)[1..], ["2 refused-breaking 1.0.2"]);
    world.write("greeter.pack.json", &pack("greeter", "2.0.0", required)).commit();
    assert_eq!(world.scan(), 1);
    assert_eq!(kept(&world).len(), 2);
}

#[test]
fn what_was_over_before_the_first_scan_ended_is_no_refusal() {
    let mut world = world(HOOK);
    for version in ["1.0.0", "1.0.1"] {
        let edit = if version == "1.0.0" { |_: &mut _| () } else { required };
        world.write("greeter.pack.json", &pack("greeter", version, edit)).commit();
    }
    world.write("greeter.pack.json", &pack("greeter", "2.0.0", required)).commit();
    assert_eq!(world.scan(), 2);
    assert_eq!(kept(&world), [""; 0]);
}

#[test]
fn a_rebuild_tells_nothing_again() {
    let mut world = world(HOOK);
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    world.write("greeter.pack.json", &pack("greeter", "1.0.1", required)).commit();
    world.scan();
    world.lose_derived_state();
    world.scan();
    assert_eq!(world.problems(), ["refused-breaking greeter.pack.json"]);
    assert_eq!(kept(&world), [""; 0]);
    world.write("greeter.pack.json", &pack("greeter", "1.0.2", required)).commit();
    world.scan();
    assert_eq!(kept(&world), ["1 refused-breaking 1.0.2"]);
}

#[test]
fn a_webhook_that_comes_later_is_told_of_what_comes_then() {
    let mut world = world("");
    world.write("greeter.pack.json", &pack("greeter", "1.0.0", |_| ())).commit();
    world.write("greeter.pack.json", &pack("greeter", "1.0.1", required)).commit();
    world.scan();
    assert_eq!(kept(&world), [""; 0]);
    let text = format!("[policy]\non_breaking = \"refuse\"\n{HOOK}{SOURCE}");
    world.settings = registry::RegistrySettings::parse(&text).expect("settings");
    world.write("broken.pack.json", "{").commit();
    world.scan();
    assert_eq!(kept(&world), ["1 not-json "]);
}
