//! What happens to media once they are taken, and the examples that show them.

use pack::json::Node;

use super::inflow::Sides;
use super::settings::Settings;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::pairing::Pairing;
use crate::changes::report::{At, Changes};
use crate::changes::value::{block, written};

pub(super) const DETAIL_CHANGED: ChangeRule = ChangeRule {
    id: "media-detail-changed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User, Affected::Operator],
    safety: false,
    governance: false,
    summary: "images reach the model in another level of detail",
    why: "The model sees more or less of an image, so answers differ, and an image costs another number of tokens.",
    fix: "Run the evals with images, tell operators about the cost, and publish a minor version.",
    mirror: Mirror::Itself,
};

pub(super) const EXTRACTION_MODE_CHANGED: ChangeRule = ChangeRule {
    id: "media-extraction-mode-changed",
    summary: "documents reach the model in another form",
    why: "Text, structure or raw content of a document: the model reads something else, and a document costs another number of tokens.",
    fix: "Run the evals with documents, tell operators about the cost, and publish a minor version.",
    ..DETAIL_CHANGED
};

pub(super) const CUSTOM_PARAMS_CHANGED: ChangeRule = ChangeRule {
    id: "media-custom-params-changed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Possible,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "the parameters by which a custom media type is checked changed",
    why: "The runtime checks media of this type by the parameters; whether it now refuses more is not visible in the pack.",
    fix: "Ask who checks the type; if it refuses more than before, publish a major version.",
    mirror: Mirror::Itself,
};

pub(super) const EXAMPLE_CHANGED: ChangeRule = ChangeRule {
    id: "media-example-changed",
    bumps: Bumps::table("ppp"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "a media example of a prompt came, went or changed",
    why: "Runtimes may show the examples to the model, which then answers in another way; no caller breaks.",
    fix: "Run the evals; a patch version is enough.",
    mirror: Mirror::Itself,
};

/// States what moved besides what is taken.
pub(super) fn compare<'a>(sides: &Sides<'_, 'a>, media: (Node<'a>, Node<'a>), changes: &mut Changes<'a>) {
    for kind in sides.kinds() {
        let details = [
            (&DETAIL_CHANGED, "default_detail", "auto"),
            (&EXTRACTION_MODE_CHANGED, "extraction_mode", "text"),
        ];
        for (rule, field, default) in details {
            compare_choice(sides, kind, (rule, field, default), changes);
        }
        let params =
            |settings: &Settings<'a>| settings.block(kind).and_then(|block| block.get("validation_params"));
        let (old, new) = (params(sides.old), params(sides.new));
        if written(old) != written(new) {
            let message = format!("checks `{kind}` by other parameters");
            sides.report(&CUSTOM_PARAMS_CHANGED, At::either(old, new), message, None, changes);
        }
    }
    compare_examples(sides, media, changes);
}

fn compare_choice<'a>(
    sides: &Sides<'_, 'a>,
    kind: &'a str,
    (rule, field, default): (&'static ChangeRule, &'static str, &'static str),
    changes: &mut Changes<'a>,
) {
    let choice =
        |settings: &Settings<'a>| settings.block(kind).and_then(|block| block.text(field)).unwrap_or(default);
    let (old, new) = (choice(sides.old), choice(sides.new));
    if old != new {
        let at = At::spots(
            Sides::spot(sides.old, kind, field, default),
            Sides::spot(sides.new, kind, field, default),
        );
        let message = format!("reads `{kind}` with `{field}` `{new}` instead of `{old}`");
        sides.report(rule, at, message, None, changes);
    }
}

fn compare_examples<'a>(sides: &Sides<'_, 'a>, (old, new): (Node<'a>, Node<'a>), changes: &mut Changes<'a>) {
    let name = |example: Node<'a>| example.text("name").unwrap_or_default();
    let examples = Pairing::by_name(old.list("examples"), new.list("examples"), name);
    for example in &examples.added {
        let message = format!("shows another example, `{}`", name(*example));
        sides.report(&EXAMPLE_CHANGED, At::added(*example), message, None, changes);
    }
    for example in &examples.removed {
        let message = format!("no longer shows example `{}`", name(*example));
        sides.report(&EXAMPLE_CHANGED, At::removed(*example), message, None, changes);
    }
    for (old, new) in examples.pairs().filter(|(old, new)| block(*old, &[]) != block(*new, &[])) {
        let message = format!("shows another content in example `{}`", name(new));
        sides.report(&EXAMPLE_CHANGED, At::both(old, new), message, None, changes);
    }
}
