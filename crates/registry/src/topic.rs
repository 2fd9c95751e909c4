//! What a change is about, so that every door groups changes as a changelog does: by prompt, tool, state.

use pack::Pointer;
use rules::Change;

/// The maps of a pack whose members are topics: their place, and what one of them is called.
const TOPICS: [(&[&str], &str); 6] = [
    (&["prompts"], "prompt"),
    (&["tools"], "tool"),
    (&["fragments"], "fragment"),
    (&["compositions"], "composition"),
    (&["workflow", "states"], "state"),
    (&["agents", "members"], "agent"),
];

/// The parts of a pack that are one topic each.
const PARTS: [(&str, &str); 6] = [
    ("workflow", "workflow"),
    ("agents", "agents"),
    ("skills", "skills"),
    ("evals", "evals"),
    ("requires", "providers"),
    ("metadata", "metadata"),
];

/// What a change is about: ``prompt `support` ``, `workflow`, or `pack`.
pub fn topic(change: &Change) -> String {
    let place = Pointer::parse(&change.place);
    let tokens: Vec<_> = place.tokens().collect();
    for (map, word) in TOPICS {
        let is_inside = tokens.len() > map.len() && map.iter().zip(&tokens).all(|(key, token)| key == token);
        if is_inside {
            return format!("{word} `{}`", tokens[map.len()]);
        }
    }
    let part = PARTS.iter().find(|(key, _)| tokens.first().is_some_and(|token| token == key));
    part.map_or("pack", |part| part.1).to_owned()
}

/// Groups what comes in order, the worst first: the topic of the worst comes first, and each keeps its order.
pub fn by_topic<T>(
    things: impl IntoIterator<Item = T>,
    change: impl Fn(&T) -> &Change,
) -> Vec<(String, Vec<T>)> {
    let mut groups: Vec<(String, Vec<T>)> = Vec::new();
    for thing in things {
        let topic = topic(change(&thing));
        match groups.iter_mut().find(|(known, _)| *known == topic) {
            Some((_, group)) => group.push(thing),
            None => groups.push((topic, vec![thing])),
        }
    }
    groups
}

/// Whether headings help: several topics, of which one at least holds more than a line that names it.
pub fn need_headings<T>(groups: &[(String, Vec<T>)]) -> bool {
    groups.len() > 1 && groups.iter().any(|(_, group)| group.len() > 1)
}

/// What a message leaves open: the topic of its change, where that has a name and the message does not say it.
pub fn missing_topic(change: &Change) -> Option<String> {
    let topic = topic(change);
    let name = topic.find('`').map(|at| &topic[at..])?;
    if change.message.contains(name) { None } else { Some(topic) }
}

#[cfg(test)]
mod tests {
    use pack::Document;
    use rules::{DiffOptions, Version, diff};

    use super::*;

    fn topics(old: &str, new: &str) -> Vec<(String, usize)> {
        let [old, new] = [old, new].map(|text| Document::parse(text.as_bytes()).0.expect("JSON"));
        let side = |document| Version { document, path: "a.json", tree: None };
        let found = diff(side(&old), side(&new), DiffOptions::default());
        by_topic(&found.changes, |change| change)
            .into_iter()
            .map(|(topic, group)| (topic, group.len()))
            .collect()
    }

    #[test]
    fn changes_stand_with_what_they_are_about() {
        let pack = |temperature: &str, tool: &str, tag: &str| {
            format!(
                r#"{{"id": "a", "name": "A", "version": "1.0.0", "template_engine": {{"version": "v1", "syntax": "{{{{variable}}}}"}},
                "prompts": {{"ask/it": {{"id": "ask", "name": "Ask", "version": "1.0.0", "system_template": "Ask.",
                "parameters": {{"temperature": {temperature}, "top_p": {temperature}}}}}}},
                "tools": {{"find": {{"name": "find", "description": "{tool}"}}}}, "metadata": {{"tags": ["{tag}"]}}}}"#
            )
        };
        let found = topics(&pack("0.1", "Finds.", "a"), &pack("0.2", "Seeks.", "b"));
        let expected = [("metadata", 1), ("prompt `ask/it`", 2), ("tool `find`", 1)];
        assert_eq!(found, expected.map(|(topic, count)| (topic.to_owned(), count)));
    }
}
