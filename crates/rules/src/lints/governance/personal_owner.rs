//! Flags owners that are the address of one person.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::Span;

pub(super) const LINT: Lint = Lint {
    id: "personal-owner",
    group: Group::Security,
    level: Level::Info,
    summary: "an owner is the address of one person",
    why: "The pack is copied to every client: the name goes with it, and nobody answers when the person has left.",
    fix: "Name a team or a role mailbox.",
    example: r#""accountable_owner": "jane.doe@example.com""#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for governance in pack.pack.governances() {
        let reviews = governance.list("reviews").filter_map(|review| review.get("owner"));
        for owner in governance.get("accountable_owner").into_iter().chain(reviews) {
            if let Some(span) = owner.as_str().and_then(personal_address) {
                findings
                    .report_part(owner, span, "the owner is the address of one person")
                    .help("name a team or a role mailbox");
            }
        }
    }
}

/// Where an address like `first.last@` stands.
fn personal_address(text: &str) -> Option<Span> {
    let at = text.find('@')?;
    let is_local = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | '\'');
    let start = text[..at].char_indices().rev().take_while(|(_, c)| is_local(*c)).last()?.0;
    let local = text[start..at].split('+').next().unwrap_or_default();
    let names: Vec<&str> = local.split('.').collect();
    let is_name = |name: &&str| {
        let letters = name.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\''));
        let parts = name.split('-').map(str::to_lowercase);
        !name.is_empty() && letters && !parts.into_iter().any(|part| TEAM_WORDS.contains(&part.as_str()))
    };
    let domain: usize = text[at + 1..].chars().take_while(|c| is_local(*c)).map(char::len_utf8).sum();
    let is_personal = (2..=3).contains(&names.len()) && domain > 0 && names.iter().all(is_name);
    is_personal.then(|| Span::new(start, at + 1 + domain))
}

/// Words that make an address with a dot the one of a team.
const TEAM_WORDS: [&str; 48] = [
    "admin",
    "ai",
    "audit",
    "board",
    "care",
    "committee",
    "compliance",
    "contact",
    "customer",
    "data",
    "department",
    "desk",
    "dpo",
    "engineering",
    "ethics",
    "finance",
    "governance",
    "group",
    "guild",
    "help",
    "hr",
    "info",
    "it",
    "legal",
    "mail",
    "office",
    "officer",
    "operations",
    "ops",
    "owner",
    "owners",
    "platform",
    "policy",
    "privacy",
    "product",
    "protection",
    "quality",
    "research",
    "review",
    "risk",
    "safety",
    "sales",
    "security",
    "service",
    "services",
    "squad",
    "support",
    "team",
];
