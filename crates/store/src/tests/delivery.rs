//! What webhooks were told, over restarts and after losses.

use jiff::Timestamp;
use registry::ProblemCode;
use registry::refusal::Refusal;

use super::World;
use crate::Delivered;

fn refusal(message: &str) -> Refusal {
    Refusal {
        at: Timestamp::UNIX_EPOCH,
        source: "packs".to_owned(),
        code: ProblemCode::InvalidPack,
        pack: None,
        version: None,
        path: None,
        reference: None,
        commit: None,
        message: message.to_owned(),
    }
}

#[test]
fn a_webhook_begins_with_what_is_newest_and_goes_on_where_it_was() {
    let world = World::new();
    let store = world.open();
    world.publish(&store, "1.0.0", "Greet", 1000);
    store.keep_refusals(&[refusal("one")]).expect("kept");
    let begun = store.delivered("hook").expect("rows");
    assert_eq!(begun, Delivered { event: 1, refusal: 1 });
    world.publish(&store, "1.0.1", "Hail", 2000);
    assert_eq!(store.delivered("hook").expect("rows"), begun, "it was not told yet");
    assert_eq!(store.delivered("other").expect("rows"), Delivered { event: 2, refusal: 1 });
    store.close().expect("a tidy end");
    drop(store);
    assert_eq!(world.open().delivered("hook").expect("rows"), begun);
    crate::rebuild(&world.path(), crate::Options::default()).expect("a rebuild");
    assert_eq!(world.open().delivered("hook").expect("rows"), Delivered { event: 2, refusal: 0 });
}

#[test]
fn a_webhook_that_was_told_more_than_there_is_begins_anew() {
    let world = World::new();
    let store = world.open();
    world.publish(&store, "1.0.0", "Greet", 1000);
    store.set_delivered("hook", Delivered { event: 7, refusal: 0 }).expect("rows");
    assert_eq!(store.delivered("hook").expect("rows"), Delivered { event: 1, refusal: 0 });
}

#[test]
fn of_very_many_refusals_the_newest_are_kept() {
    let store = World::new().open();
    let many: Vec<Refusal> = (1..=1010).map(|number| refusal(&number.to_string())).collect();
    store.keep_refusals(&many).expect("kept");
    let kept = store.refusals_after(0, 2000);
    assert_eq!(kept.len(), 1000);
    assert!(kept.iter().all(|(number, refusal)| number.to_string() == refusal.message));
    assert_eq!(kept[0].0, 11);
    assert_eq!(store.newest().refusal, 1010);
}
