//! Flags language codes that ISO 639-1 does not assign.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "unknown-language",
    group: Group::Style,
    level: Level::Warn,
    summary: "two letters that name no language",
    why: "Catalogues filter by language; a country code there makes the pack invisible to those who look for it.",
    fix: "Write the code of the language: `en`, not `us`; `zh`, not `cn`.",
    example: r#""language": "us""#,
    check: Check::Pack(check),
};

/// The codes of ISO 639-1, without those that were withdrawn.
const CODES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de \
    dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io \
    is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt \
    my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn \
    so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";

/// Country codes and withdrawn codes with the language that their writers mean.
const MEANT: [(&str, &str); 19] = [
    ("at", "de"),
    ("cn", "zh"),
    ("cz", "cs"),
    ("dk", "da"),
    ("eg", "ar"),
    ("gb", "en"),
    ("gr", "el"),
    ("il", "he"),
    ("in", "id"),
    ("iw", "he"),
    ("ji", "yi"),
    ("jp", "ja"),
    ("jw", "jv"),
    ("mo", "ro"),
    ("mx", "es"),
    ("ua", "uk"),
    ("us", "en"),
    ("vn", "vi"),
    ("sh", "sr"),
];

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let Some(node) = pack.pack.metadata().and_then(|metadata| metadata.get("language")) else { return };
    let Some(code) = node.as_str() else { return };
    let is_shaped = code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_lowercase());
    if !is_shaped || CODES.split_ascii_whitespace().any(|known| known == code) {
        return;
    }
    let meant = MEANT.iter().find(|(written, _)| *written == code).map(|(_, language)| *language);
    findings
        .report(node, format!("ISO 639-1 assigns {} to no language", quoted(code)))
        .suggest_for(node, meant);
}
