//! Patterns of paths, as ignore files write them: `*` and `?` inside one part, `**` across parts, `{a,b}`.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Several patterns; a path matches when one of them matches it.
#[derive(Debug, Clone)]
pub struct Patterns {
    set: GlobSet,
}

impl Patterns {
    /// Reads patterns.
    ///
    /// # Errors
    /// The text of the pattern that cannot be read, and why.
    pub fn new(patterns: &[String]) -> Result<Patterns, String> {
        let mut builder = GlobSetBuilder::new();
        for pattern in patterns {
            let glob = GlobBuilder::new(pattern.trim_start_matches("./")).literal_separator(true).build();
            builder.add(glob.map_err(|error| format!("`{pattern}`: {}", error.kind()))?);
        }
        let set = builder.build().map_err(|error| error.to_string())?;
        Ok(Patterns { set })
    }

    /// Whether a path matches one of them.
    pub fn matches(&self, path: &str) -> bool {
        self.set.is_match(path)
    }
}

/// Whether a pack id matches a pattern with `*`.
pub fn id_matches(pattern: &str, id: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == id,
        Some((start, rest)) => {
            let Some(tail) = id.strip_prefix(start) else { return false };
            (0..=tail.len()).any(|skip| tail.is_char_boundary(skip) && id_matches(rest, &tail[skip..]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stay_inside_one_part() {
        let patterns = Patterns::new(&["**/*.json".to_owned(), "drafts/**".to_owned()]).expect("patterns");
        assert!(
            patterns.matches("a.json") && patterns.matches("x/y/a.json") && patterns.matches("drafts/a.txt")
        );
        assert!(!patterns.matches("a.txt"));
        assert!(Patterns::new(&["a[".to_owned()]).is_err());
        assert!(id_matches("support-*", "support-bot") && !id_matches("support-*", "sales"));
        assert!(id_matches("*-bot", "support-bot") && id_matches("*", "x") && !id_matches("a", "ab"));
    }
}
