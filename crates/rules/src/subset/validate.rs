//! Our validator on both schemas: the judge of every value that leaves this module.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft as Dialect, Validator};
use serde_json::Value;

use super::Reason;
use super::document::{Document, Draft};

/// The compiled schemas of a question.
pub(super) struct Validators {
    source: Validator,
    target: Validator,
}

impl Validators {
    /// Compiles both; the reason where one cannot be.
    pub(super) fn new(documents: &[Document<'_>; 2]) -> Result<Validators, Reason> {
        Ok(Validators { source: compile(&documents[0])?, target: compile(&documents[1])? })
    }

    /// Whether the source accepts the value and the target refuses it.
    pub(super) fn separate(&self, value: &Value) -> bool {
        self.source.is_valid(value) && !self.target.is_valid(value)
    }
}

fn compile(document: &Document<'_>) -> Result<Validator, Reason> {
    if document.has_marks {
        return Err(Reason::NumberRange);
    }
    let dialect = match document.draft {
        Draft::Seven => Dialect::Draft7,
        Draft::TwentyNineteen => Dialect::Draft201909,
        Draft::TwentyTwenty => Dialect::Draft202012,
        Draft::Unknown => return Err(Reason::Dialect),
    };
    let options = jsonschema::options().with_draft(dialect).should_validate_formats(false);
    options.build(document.root).map_err(|error| match error.kind() {
        ValidationErrorKind::Referencing(_) => Reason::RemoteRef,
        ValidationErrorKind::Format { format } if format == "regex" => Reason::NonRegularPattern,
        _ => Reason::Dialect,
    })
}

/// Why the schema refuses a value, in the validator's words.
pub(super) fn refusal(document: &Document<'_>, value: &Value) -> Option<String> {
    let validator = compile(document).ok()?;
    let error = validator.iter_errors(value).next()?;
    let at = error.instance_path().to_string();
    let place = if at.is_empty() { String::new() } else { format!("{at}: ") };
    Some(format!("refused: {place}{}", error.masked_with("the value")))
}
