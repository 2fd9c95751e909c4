//! What a person typed, as a query: free text plus `tag:x tool:y id:z prompt:p`. Odd input is never an error.

use tantivy::Term;
use tantivy::query::{BooleanQuery, BoostQuery, EmptyQuery, FuzzyTermQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};

use super::{Fields, exactly};

/// What is searched for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchQuery {
    /// Free text, in lower-case words.
    pub words: Vec<String>,
    /// Tags that must all be there.
    pub tags: Vec<String>,
    /// Tools that must all be there.
    pub tools: Vec<String>,
    /// Prompt keys that must all be there.
    pub prompts: Vec<String>,
    /// The exact id.
    pub id: Option<String>,
    /// The domain.
    pub domain: Option<String>,
    /// The language.
    pub language: Option<String>,
    /// The source.
    pub source: Option<String>,
    /// Whether there was text without any word that could be found: nothing fits it.
    pub unfindable: bool,
    /// How many hits are wanted.
    pub limit: usize,
    /// How many hits are skipped.
    pub offset: usize,
}

/// The keys of exact filters.
const FILTERS: [&str; 7] = ["tag", "tool", "prompt", "id", "domain", "language", "source"];

/// The most words of a query that count.
const MOST_WORDS: usize = 16;

impl SearchQuery {
    /// Reads what a person typed.
    pub fn parse(text: &str) -> SearchQuery {
        let mut query = SearchQuery { limit: 20, ..SearchQuery::default() };
        for word in text.split_whitespace() {
            match word.split_once(':') {
                Some(("tag", value)) if !value.is_empty() => query.tags.push(value.to_owned()),
                Some(("tool", value)) if !value.is_empty() => query.tools.push(value.to_owned()),
                Some(("prompt", value)) if !value.is_empty() => query.prompts.push(value.to_owned()),
                Some(("id", value)) if !value.is_empty() => query.id = Some(value.to_owned()),
                Some(("domain", value)) if !value.is_empty() => query.domain = Some(value.to_owned()),
                Some(("language", value)) if !value.is_empty() => query.language = Some(value.to_owned()),
                Some(("source", value)) if !value.is_empty() => query.source = Some(value.to_owned()),
                _ => query.words.extend(words(word)),
            }
        }
        let is_filter = |word: &str| {
            word.split_once(':').is_some_and(|(key, value)| FILTERS.contains(&key) && !value.is_empty())
        };
        query.unfindable = query.words.is_empty() && text.split_whitespace().any(|word| !is_filter(word));
        query.words.truncate(MOST_WORDS);
        query
    }

    /// The part that is compared with text and so has a score.
    pub(super) fn text_query(&self, fields: Fields) -> Option<Box<dyn Query>> {
        if self.words.is_empty() {
            return None;
        }
        let mut parts: Vec<(Occur, Box<dyn Query>)> =
            self.words.iter().map(|word| (Occur::Must, word_query(word, fields))).collect();
        // The exact id comes first, however often the words stand elsewhere.
        let id = self.words.join("-");
        parts.push((Occur::Should, boosted(exactly(fields.id, &id), 100.0)));
        Some(Box::new(BooleanQuery::new(parts)))
    }

    /// The exact filters; those of the facet `without` are left out.
    pub(super) fn filters(&self, fields: Fields, without: Option<&str>) -> Option<Box<dyn Query>> {
        let mut parts: Vec<Box<dyn Query>> = Vec::new();
        let mut add = |name: &str, field: Field, values: &mut dyn Iterator<Item = &String>| {
            if without != Some(name) {
                parts.extend(values.map(|value| exactly(field, value)));
            }
        };
        add("tag", fields.tag, &mut self.tags.iter());
        add("tool", fields.tool, &mut self.tools.iter());
        add("prompt", fields.prompt, &mut self.prompts.iter());
        add("id", fields.id, &mut self.id.iter());
        add("domain", fields.domain, &mut self.domain.iter());
        add("language", fields.language, &mut self.language.iter());
        add("source", fields.source, &mut self.source.iter());
        (!parts.is_empty()).then(|| Box::new(BooleanQuery::intersection(parts)) as Box<dyn Query>)
    }
}

/// The fields that are counted, by the name of the facet.
pub(super) fn facet_fields(fields: Fields) -> [(&'static str, Field); 4] {
    [("tag", fields.tag), ("tool", fields.tool), ("domain", fields.domain), ("language", fields.language)]
}

/// A query for any of several exact values; nothing fits an empty list.
pub(super) fn one_of(field: Field, values: &[String]) -> Box<dyn Query> {
    if values.is_empty() {
        return Box::new(EmptyQuery);
    }
    let terms = values.iter().map(|value| (Occur::Should, exactly(field, value))).collect();
    // Visibility has no part in the score.
    Box::new(BoostQuery::new(Box::new(BooleanQuery::new(terms)), 0.0))
}

/// The words of a text as the index splits them.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(str::to_lowercase).filter(|word| word.len() <= 40)
}

/// One word over all texts: whole words weigh most, then beginnings, typos last.
fn word_query(word: &str, fields: Fields) -> Box<dyn Query> {
    let weights = [
        (fields.id_text, 8.0),
        (fields.name, 6.0),
        (fields.tool_text, 3.0),
        (fields.prompt_text, 3.0),
        (fields.description, 2.0),
    ];
    let mut parts: Vec<(Occur, Box<dyn Query>)> =
        vec![(Occur::Should, boosted(exactly(fields.tag, word), 6.0))];
    for (field, weight) in weights {
        let term = Term::from_field_text(field, word);
        let whole = TermQuery::new(term.clone(), IndexRecordOption::WithFreqs);
        parts.push((Occur::Should, boosted(Box::new(whole), weight)));
        if word.chars().count() >= 2 {
            let beginning = FuzzyTermQuery::new_prefix(term.clone(), 0, true);
            parts.push((Occur::Should, boosted(Box::new(beginning), weight * 0.3)));
        }
        if word.chars().count() >= 4 {
            let typo = FuzzyTermQuery::new(term, 1, true);
            parts.push((Occur::Should, boosted(Box::new(typo), weight * 0.1)));
        }
    }
    Box::new(BooleanQuery::new(parts))
}

fn boosted(query: Box<dyn Query>, weight: f32) -> Box<dyn Query> {
    Box::new(BoostQuery::new(query, weight))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_input_is_never_an_error() {
        let query = SearchQuery::parse("Refund-bot tag:support tool: \"(+ AND id:x");
        assert_eq!(query.words, ["refund", "bot", "tool", "and"]);
        assert_eq!((query.tags, query.id), (vec!["support".to_owned()], Some("x".to_owned())));
    }
}
