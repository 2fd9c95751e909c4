//! What media a prompt takes, and the check of one medium against it.

use std::collections::{BTreeMap, BTreeSet};

use pack::json::Node;
use pack::model::{Media, Prompt};
use serde_json::{Value, json};

use crate::changes::value::number;

/// The media settings of one prompt with their defaults filled in.
pub(crate) struct Settings<'a> {
    /// The settings as written; none where the prompt has none.
    pub(super) media: Option<Media<'a>>,
    /// Whether media are taken at all.
    pub(super) enabled: bool,
    /// The types that are taken, each with the text that says so; none where nothing is listed, which restricts
    /// nothing.
    pub(super) types: Option<BTreeMap<&'a str, Node<'a>>>,
    /// The settings of single types.
    blocks: BTreeMap<&'a str, Node<'a>>,
}

/// A number that a medium must not exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    /// Megabytes of one file.
    Size,
    /// Images in one message.
    Count,
    /// Seconds.
    Duration,
    /// Pages or sheets.
    Pages,
}

impl Limit {
    /// Every limit.
    pub(super) const ALL: [Limit; 4] = [Limit::Size, Limit::Count, Limit::Duration, Limit::Pages];

    /// The field that sets it.
    pub(super) fn field(self) -> &'static str {
        match self {
            Limit::Size => "max_size_mb",
            Limit::Count => "max_images_per_msg",
            Limit::Duration => "max_duration_sec",
            Limit::Pages => "max_pages",
        }
    }

    /// The member of a descriptor that it limits.
    fn measure(self) -> &'static str {
        match self {
            Limit::Size => "size_mb",
            Limit::Count => "count",
            Limit::Duration => "duration_sec",
            Limit::Pages => "pages",
        }
    }

    /// Whether the format gives media of that type this limit; a custom type may have any.
    pub(super) fn is_of(self, kind: &str) -> bool {
        match kind {
            "image" => matches!(self, Limit::Size | Limit::Count),
            "audio" | "video" => matches!(self, Limit::Size | Limit::Duration),
            "document" => matches!(self, Limit::Size | Limit::Pages),
            _ => true,
        }
    }
}

/// One medium as a caller would describe it.
#[derive(Debug, Clone)]
pub(crate) struct Descriptor {
    /// Its media type: `image`, `audio` and so on.
    pub(crate) kind: String,
    /// Its format, lower case; none where nothing asks for one.
    pub(crate) format: Option<String>,
    /// What is said of its measures; an unmentioned one is as small as can be.
    pub(crate) measures: Vec<(Limit, f64)>,
    /// Whether it has a caption.
    pub(crate) caption: bool,
    /// Whether it has metadata.
    pub(crate) metadata: bool,
}

impl Descriptor {
    /// The smallest medium of a type.
    pub(crate) fn of(kind: &str) -> Descriptor {
        let (kind, measures) = (kind.to_owned(), Vec::new());
        Descriptor { kind, format: None, measures, caption: false, metadata: false }
    }

    /// The MIME type of the medium.
    fn mime_type(&self) -> String {
        let format = self.format.as_deref().unwrap_or(match self.kind.as_str() {
            "image" => "png",
            "audio" => "wav",
            "video" => "mp4",
            "document" => "pdf",
            "text" => "plain",
            _ => "octet-stream",
        });
        match self.kind.as_str() {
            _ if format.contains('/') => format.to_owned(),
            "image" | "audio" | "video" | "text" => format!("{}/{format}", self.kind),
            _ => format!("application/{format}"),
        }
    }

    /// The descriptor as a witness shows it: only members that matter.
    pub(crate) fn to_value(&self) -> Value {
        let mut value = json!({ "type": self.kind, "mime_type": self.mime_type() });
        for (limit, measure) in &self.measures {
            // Whole numbers are shown as such.
            let whole = measure.fract() == 0.0 && measure.abs() < 1e15;
            value[limit.measure()] = if whole { json!(*measure as i64) } else { json!(measure) };
        }
        for (flag, name) in [(self.caption, "caption"), (self.metadata, "metadata")] {
            if flag {
                value[name] = Value::Bool(true);
            }
        }
        value
    }
}

impl<'a> Settings<'a> {
    /// The settings of a prompt.
    pub(crate) fn of(prompt: Prompt<'a>) -> Settings<'a> {
        const OTHER_FIELDS: [&str; 3] = ["enabled", "supported_types", "examples"];
        let media = prompt.media();
        let list = media.and_then(|media| media.get("supported_types")).filter(|list| list.is_array());
        let types = list.map(|list| {
            let named = list.items().rev().filter_map(|item| Some((item.as_str()?, item)));
            named.collect()
        });
        let members = media.into_iter().flat_map(|media| media.members());
        let blocks = members.filter(|(key, node)| !OTHER_FIELDS.contains(key) && node.is_object());
        let enabled = media.and_then(|media| media.flag("enabled")).unwrap_or(false);
        Settings { media, enabled, types, blocks: blocks.collect() }
    }

    /// Whether media of that type are listed, or nothing is.
    pub(super) fn supports(&self, kind: &str) -> bool {
        self.types.as_ref().is_none_or(|types| types.contains_key(kind))
    }

    /// The settings of one type.
    pub(crate) fn block(&self, kind: &str) -> Option<Node<'a>> {
        self.blocks.get(kind).copied()
    }

    /// The types that have settings.
    pub(super) fn configured(&self) -> impl Iterator<Item = &'a str> {
        self.blocks.keys().copied()
    }

    /// The formats of a type that are allowed, lower case, each with the text that says so; none where nothing is
    /// listed.
    pub(crate) fn formats(&self, kind: &str) -> Option<BTreeMap<String, Node<'a>>> {
        let list = self.block(kind)?.get("allowed_formats").filter(|list| list.is_array())?;
        let named = list.items().rev().filter_map(|item| Some((item.as_str()?.to_ascii_lowercase(), item)));
        Some(named.collect())
    }

    /// The limit of a type as written, where it has one.
    pub(super) fn written_limit(&self, kind: &str, limit: Limit) -> Option<Node<'a>> {
        number(self.block(kind)?.get(limit.field()))
    }

    /// The limit of a type, where it has one, as the nearest double.
    pub(crate) fn limit(&self, kind: &str, limit: Limit) -> Option<f64> {
        self.written_limit(kind, limit)?.as_f64()
    }

    /// Whether media of a type need a caption or metadata.
    pub(super) fn requires(&self, kind: &str, field: &str) -> bool {
        self.block(kind).and_then(|block| block.flag(field)).unwrap_or(false)
    }

    /// The smallest medium of a type that is taken.
    pub(crate) fn smallest(&self, kind: &str) -> Descriptor {
        Descriptor {
            format: self.formats(kind).and_then(|formats| formats.into_keys().next()),
            caption: self.requires(kind, "require_caption"),
            metadata: self.requires(kind, "require_metadata"),
            ..Descriptor::of(kind)
        }
    }

    /// Why a medium is refused; none where it is taken.
    pub(crate) fn refusal(&self, medium: &Descriptor) -> Option<String> {
        let kind = medium.kind.as_str();
        if !self.enabled {
            return Some("the prompt takes no media".to_owned());
        }
        if !self.supports(kind) {
            return Some(format!("media of type `{kind}` are not supported"));
        }
        if let Some(formats) = self.formats(kind)
            && !medium.format.as_ref().is_some_and(|format| formats.contains_key(format))
        {
            return Some(format!("`{}` is not in `allowed_formats` of `{kind}`", medium.mime_type()));
        }
        for (limit, measure) in &medium.measures {
            if let Some(most) = self.limit(kind, *limit).filter(|most| measure > most) {
                return Some(format!("`{}` of `{kind}` is {most}", limit.field()));
            }
        }
        let missing = [("require_caption", medium.caption), ("require_metadata", medium.metadata)];
        let missing = missing.into_iter().find(|(field, given)| !given && self.requires(kind, field));
        missing.map(|(field, _)| format!("`{field}` of `{kind}` is set"))
    }

    /// The names of all types that either list or settings mention.
    pub(crate) fn mentioned(&self) -> BTreeSet<&'a str> {
        let listed = self.types.iter().flat_map(|types| types.keys().copied());
        listed.chain(self.configured()).collect()
    }
}
