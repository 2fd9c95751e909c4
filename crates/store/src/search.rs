//! The search index: one document per pack, as its latest release shows it.
//!
//! The index lives in a folder named after its schema, and each commit carries the head of the ledger that it
//! reflects: an index that is missing, damaged or behind is rebuilt from the ledger.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use pack::Digest;
use registry::Release;
use tantivy::collector::sort_key::{SortBySimilarityScore, SortByStaticFastValue, SortByString};
use tantivy::collector::{Count, DocSetCollector, TopDocs};
use tantivy::query::{AllQuery, BooleanQuery, Query, TermQuery};
use tantivy::schema::{FAST, Field, IndexRecordOption, STORED, STRING, Schema, TEXT, Value};
use tantivy::{DocId, IndexReader, IndexWriter, Order, TantivyDocument, TantivyError, Term};

use crate::error::{StoreError, search as failed};

mod opened;
mod query;

use opened::Opened;
pub use query::SearchQuery;

/// The index and its one writer.
pub(crate) struct Search {
    path: PathBuf,
    schema: Schema,
    fields: Fields,
    /// None after the index could not be made anew.
    writer: Mutex<Option<IndexWriter>>,
    reader: ArcSwap<IndexReader>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    pub id: Field,
    pub id_text: Field,
    pub name: Field,
    pub description: Field,
    pub tag: Field,
    pub tool: Field,
    pub tool_text: Field,
    pub prompt: Field,
    pub prompt_text: Field,
    pub domain: Field,
    pub language: Field,
    pub source: Field,
    pub version: Field,
    pub updated: Field,
}

/// One pack that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The pack's id.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// The version that was indexed.
    pub version: String,
    /// Its description.
    pub description: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Names of its tools.
    pub tools: Vec<String>,
    /// How well it fits; 0 where there was no text to compare.
    pub score: f32,
    /// Parts of `name` and `description` around the words that were found, as HTML with `<b>`.
    pub highlights: BTreeMap<String, String>,
}

/// Values of one facet and how many packs have each, most first.
pub type Facet = Vec<(String, usize)>;

/// What a search gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hits {
    /// The packs, best first.
    pub hits: Vec<Hit>,
    /// `tag`, `tool`, `domain`, `language`, each counted under all filters but its own.
    pub facets: BTreeMap<&'static str, Facet>,
    /// How many packs fit in all.
    pub total: usize,
}

impl Search {
    /// Opens the index below `folder`, or makes a new one. Says which head of the ledger it reflects.
    pub(crate) fn open(folder: &Path) -> Result<(Search, Option<String>), StoreError> {
        let (schema, fields) = schema();
        let path = versioned(folder, &schema);
        std::fs::create_dir_all(&path).map_err(|source| StoreError::Folder { path: path.clone(), source })?;
        let opened = Opened::or_anew(&path, &schema)?;
        let writer = Mutex::new(Some(opened.writer));
        let reader = ArcSwap::from_pointee(opened.reader);
        Ok((Search { path, schema, fields, writer, reader }, opened.head))
    }

    fn writer(&self) -> MutexGuard<'_, Option<IndexWriter>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the documents of packs; none removes one. The commit says that it reflects `head`.
    pub(crate) fn update(&self, packs: &[(String, Option<Release>)], head: &str) -> Result<(), StoreError> {
        let mut writer = self.writer();
        let missing = || failed("find the writer")(TantivyError::SystemError("it has ended".to_owned()));
        self.write(writer.as_mut().ok_or_else(missing)?, packs, head)?;
        self.reader.load().reload().map_err(failed("reload"))
    }

    /// Throws the index away and makes a new one of these packs. Until it is whole, queries see the old one.
    pub(crate) fn fill(&self, packs: &[(String, Option<Release>)], head: &str) -> Result<(), StoreError> {
        let mut writer = self.writer();
        // An index has one writer at a time, told by a lock in its folder.
        drop(writer.take());
        let mut opened = Opened::anew(&self.path, &self.schema)?;
        self.write(&mut opened.writer, packs, head)?;
        opened.reader.reload().map_err(failed("reload"))?;
        *writer = Some(opened.writer);
        self.reader.store(Arc::new(opened.reader));
        Ok(())
    }

    fn write(
        &self,
        writer: &mut IndexWriter,
        packs: &[(String, Option<Release>)],
        head: &str,
    ) -> Result<(), StoreError> {
        for (id, release) in packs {
            writer.delete_term(Term::from_field_text(self.fields.id, id));
            if let Some(release) = release {
                writer.add_document(self.document(release)).map_err(failed("add a pack"))?;
            }
        }
        let mut commit = writer.prepare_commit().map_err(failed("prepare a commit"))?;
        commit.set_payload(head);
        commit.commit().map(|_| ()).map_err(failed("commit"))
    }

    fn document(&self, release: &Release) -> TantivyDocument {
        let fields = self.fields;
        let summary = &release.summary;
        let mut document = TantivyDocument::new();
        document.add_text(fields.id, &release.id);
        document.add_text(fields.id_text, &release.id);
        document.add_text(fields.name, &summary.name);
        document.add_text(fields.description, summary.description.as_deref().unwrap_or_default());
        document.add_text(fields.source, &release.source);
        document.add_text(fields.version, release.version.to_string());
        document.add_i64(fields.updated, release.published_at.as_millisecond());
        for tag in &summary.tags {
            document.add_text(fields.tag, tag);
        }
        for tool in &summary.tools {
            document.add_text(fields.tool, &tool.name);
            document
                .add_text(fields.tool_text, format!("{} {}", tool.name.replace('_', " "), tool.description));
        }
        for prompt in &summary.prompts {
            document.add_text(fields.prompt, &prompt.key);
            document.add_text(
                fields.prompt_text,
                format!("{} {}", prompt.key.replace(['_', '-'], " "), prompt.name),
            );
        }
        document.add_text(fields.domain, summary.domain.as_deref().unwrap_or_default());
        document.add_text(fields.language, summary.language.as_deref().unwrap_or_default());
        document
    }

    /// Answers a query: `sources` names those that the reader may see.
    pub(crate) fn query(&self, query: &SearchQuery, sources: &[String]) -> Result<Hits, StoreError> {
        if query.unfindable {
            return Ok(Hits::default());
        }
        let searcher = self.reader.load().searcher();
        let visible = query::one_of(self.fields.source, sources);
        let text = query.text_query(self.fields);
        let full = all_of([
            Some(visible.box_clone()),
            text.as_ref().map(|q| q.box_clone()),
            query.filters(self.fields, None),
        ]);
        let total = searcher.search(&full, &Count).map_err(failed("count"))?;
        let window = TopDocs::with_limit(query.limit.max(1)).and_offset(query.offset);
        // Equal scores and equal times go by id, or the order would depend on how the index grew.
        let by_id = (SortByString::for_field("id"), Order::Asc);
        let found: Vec<(f32, tantivy::DocAddress)> = if text.is_some() {
            let best = window.order_by(((SortBySimilarityScore, Order::Desc), by_id));
            let found = searcher.search(&full, &best).map_err(failed("search"))?;
            found.into_iter().map(|((score, _), address)| (score, address)).collect()
        } else {
            let recent = (SortByStaticFastValue::<i64>::for_field("updated"), Order::Desc);
            let found =
                searcher.search(&full, &window.order_by((recent, by_id))).map_err(failed("search"))?;
            found.into_iter().map(|(_, address)| (0.0, address)).collect()
        };
        let snippets = text.as_ref().map(|text| self.snippets(&searcher, text.as_ref()));
        let mut hits = Vec::new();
        for (score, address) in found {
            let document: TantivyDocument = searcher.doc(address).map_err(failed("read a pack"))?;
            hits.push(self.hit(&document, score, snippets.as_deref().unwrap_or_default()));
        }
        let mut facets = BTreeMap::new();
        for (name, field) in query::facet_fields(self.fields) {
            let counted = all_of([
                Some(visible.box_clone()),
                text.as_ref().map(|q| q.box_clone()),
                query.filters(self.fields, Some(name)),
            ]);
            facets.insert(name, self.facet(&searcher, &counted, field)?);
        }
        Ok(Hits { hits, facets, total })
    }

    fn snippets(
        &self,
        searcher: &tantivy::Searcher,
        text: &dyn Query,
    ) -> Vec<(&'static str, tantivy::snippet::SnippetGenerator)> {
        [("name", self.fields.name), ("description", self.fields.description)]
            .into_iter()
            .filter_map(|(name, field)| {
                let generator = tantivy::snippet::SnippetGenerator::create(searcher, text, field).ok()?;
                Some((name, generator))
            })
            .collect()
    }

    fn hit(
        &self,
        document: &TantivyDocument,
        score: f32,
        snippets: &[(&'static str, tantivy::snippet::SnippetGenerator)],
    ) -> Hit {
        let texts = |field: Field| -> Vec<String> {
            document.get_all(field).filter_map(|value| value.as_str().map(str::to_owned)).collect()
        };
        let first = |field: Field| texts(field).into_iter().next().unwrap_or_default();
        let mut highlights = BTreeMap::new();
        for (name, generator) in snippets {
            let snippet = generator.snippet_from_doc(document);
            if !snippet.highlighted().is_empty() {
                highlights.insert((*name).to_owned(), snippet.to_html());
            }
        }
        Hit {
            id: first(self.fields.id),
            name: first(self.fields.name),
            version: first(self.fields.version),
            description: Some(first(self.fields.description)).filter(|text| !text.is_empty()),
            tags: texts(self.fields.tag),
            tools: texts(self.fields.tool),
            score,
            highlights,
        }
    }

    /// Counts the values of a field over everything that fits.
    fn facet(
        &self,
        searcher: &tantivy::Searcher,
        query: &dyn Query,
        field: Field,
    ) -> Result<Facet, StoreError> {
        let name = searcher.schema().get_field_name(field).to_owned();
        let documents = searcher.search(query, &DocSetCollector).map_err(failed("count a facet"))?;
        let mut by_segment: BTreeMap<u32, Vec<DocId>> = BTreeMap::new();
        for address in documents {
            by_segment.entry(address.segment_ord).or_default().push(address.doc_id);
        }
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for (segment, documents) in by_segment {
            let reader = searcher.segment_reader(segment);
            let Some(column) = reader.fast_fields().str(&name).map_err(failed("read a facet"))? else {
                continue;
            };
            let mut ordinals: BTreeMap<u64, usize> = BTreeMap::new();
            for document in documents {
                for ordinal in column.term_ords(document) {
                    *ordinals.entry(ordinal).or_default() += 1;
                }
            }
            for (ordinal, count) in ordinals {
                let mut value = String::new();
                column
                    .ord_to_str(ordinal, &mut value)
                    .map_err(|error| failed("read a facet")(error.into()))?;
                *counts.entry(value).or_default() += count;
            }
        }
        let mut facet: Facet = counts.into_iter().filter(|(value, _)| !value.is_empty()).collect();
        facet.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
        facet.truncate(100);
        Ok(facet)
    }
}

fn all_of(queries: [Option<Box<dyn Query>>; 3]) -> BooleanQuery {
    BooleanQuery::intersection(
        queries.into_iter().map(|query| query.unwrap_or_else(|| Box::new(AllQuery))).collect(),
    )
}

fn versioned(folder: &Path, schema: &Schema) -> PathBuf {
    let text = serde_json::to_string(schema).unwrap_or_default();
    folder.join(&Digest::of(text.as_bytes()).hex()[..12])
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let exact = || STRING | STORED;
    let fields = Fields {
        id: builder.add_text_field("id", exact() | FAST),
        id_text: builder.add_text_field("id_text", TEXT),
        name: builder.add_text_field("name", TEXT | STORED),
        description: builder.add_text_field("description", TEXT | STORED),
        tag: builder.add_text_field("tag", exact() | FAST),
        tool: builder.add_text_field("tool", exact() | FAST),
        tool_text: builder.add_text_field("tool_text", TEXT),
        prompt: builder.add_text_field("prompt", STRING),
        prompt_text: builder.add_text_field("prompt_text", TEXT),
        domain: builder.add_text_field("domain", exact() | FAST),
        language: builder.add_text_field("language", exact() | FAST),
        source: builder.add_text_field("source", STRING),
        version: builder.add_text_field("version", STORED),
        updated: builder.add_i64_field("updated", FAST),
    };
    (builder.build(), fields)
}

/// A query for one exact value.
fn exactly(field: Field, value: &str) -> Box<dyn Query> {
    Box::new(TermQuery::new(Term::from_field_text(field, value), IndexRecordOption::Basic))
}
