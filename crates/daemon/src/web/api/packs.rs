//! `/v1/packs`: the list of packs, and one of them.

use registry::reference::is_pack_id;
use serde_json::json;
use store::PackEntry;

use crate::web::answer::Answer;
use crate::web::parameters::Parameters;
use crate::web::problem::Problem;
use crate::web::target::{OnePack, View};
use crate::web::views::{PackDocument, PackSummary};

/// Every pack, by id. The cursor is the last id of the page before.
pub(crate) async fn list(view: View, parameters: Parameters) -> Result<Answer, Problem> {
    let limit = parameters.limit(100, 1000)?;
    let after = parameters.text("cursor").unwrap_or_default();
    if !after.is_empty() && !is_pack_id(after) {
        return Err(Problem::malformed("cursor", after, "take it from `next_cursor`"));
    }
    let mut found = view.snapshot.packs_after(&view.reader, after);
    let packs: Vec<PackSummary> =
        found.by_ref().take(limit).map(|pack| PackSummary::new(&view, pack)).collect();
    let next = packs.last().map(|pack| pack.id.clone()).filter(|_| found.next().is_some());
    Answer::json(&json!({"packs": packs, "next_cursor": next}))
}

/// A pack and its versions.
pub(crate) async fn one(OnePack { view, pack }: OnePack) -> Result<Answer, Problem> {
    document(&view, &pack)
}

/// What is said of a pack that was found.
pub(super) fn document(view: &View, pack: &PackEntry) -> Result<Answer, Problem> {
    Answer::json(&PackDocument::new(view, pack))
}
