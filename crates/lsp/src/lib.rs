//! The editor's door: a language server that shows what the linter says.
