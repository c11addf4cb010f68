//! The two dialects of a map: patterns over failure evidence, and globs over case names.

use globset::GlobBuilder;
use regex::{Regex, RegexBuilder};

/// Largest compiled form of one pattern in bytes; the `regex` crate itself allows 10 MiB. Counted repetitions of large
/// Unicode classes need most of it; a pattern over this is a mistake.
const PATTERN_SIZE_LIMIT: usize = 4 << 20;

/// Longest pattern in bytes.
const PATTERN_LENGTH: usize = 10_000;

/// Longest glob in bytes. Its compiled form is proportional to it, and so is the nesting of its braces.
const GLOB_LENGTH: usize = 1_000;

/// Why a pattern or a glob cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PatternError(String);

/// Compiles a signature pattern: syntax of the `regex` crate, searched anywhere in the text, linear time; `.` matches no
/// line break unless the pattern says `(?s)`.
///
/// # Errors
/// The pattern is malformed, or longer than 10,000 bytes, or larger than 4 MiB when compiled.
pub fn compile_pattern(pattern: &str) -> Result<Regex, PatternError> {
    if pattern.len() > PATTERN_LENGTH {
        return Err(PatternError(format!("the pattern is {} bytes long; at most {PATTERN_LENGTH}", pattern.len())));
    }
    RegexBuilder::new(pattern).size_limit(PATTERN_SIZE_LIMIT).build().map_err(|error| match error {
        regex::Error::CompiledTooBig(limit) => {
            PatternError(format!("the compiled pattern is larger than {limit} bytes"))
        }
        // The crate draws the pattern with a caret over several lines; the last line says what is wrong.
        other => PatternError(last_line(&other.to_string())),
    })
}

/// A glob over case names. `*` matches any text (a slash included), `?` one byte, `[ab]` one of a set, `{a,b}` one of
/// several texts; a backslash takes the next character as it is. The whole name must match, letter case counts.
#[derive(Debug, Clone)]
pub struct CaseGlob(regex::bytes::Regex);

impl CaseGlob {
    /// Compiles a glob.
    ///
    /// # Errors
    /// The glob is malformed, empty, or longer than 1,000 bytes.
    pub fn new(glob: &str) -> Result<Self, PatternError> {
        if glob.is_empty() {
            return Err(PatternError("the glob is empty".to_owned()));
        }
        if glob.len() > GLOB_LENGTH {
            return Err(PatternError(format!("the glob is {} bytes long; at most {GLOB_LENGTH}", glob.len())));
        }
        let parsed = GlobBuilder::new(glob)
            .literal_separator(false)
            .backslash_escape(true)
            .build()
            .map_err(|error| PatternError(error.kind().to_string()))?;
        // Names are not paths: the expression is used directly, because globset's matcher takes a name apart at its
        // slashes and dots first.
        regex::bytes::RegexBuilder::new(parsed.regex())
            .dot_matches_new_line(true)
            .size_limit(PATTERN_SIZE_LIMIT)
            .build()
            .map(Self)
            .map_err(|error| PatternError(last_line(&error.to_string())))
    }

    /// The glob as an anchored expression of `regex::bytes`, to be compiled with `dot_matches_new_line`.
    pub fn as_regex(&self) -> &str {
        self.0.as_str()
    }

    /// True if the whole name matches.
    pub fn is_match(&self, name: &str) -> bool {
        self.0.is_match(name.as_bytes())
    }
}

fn last_line(text: &str) -> String {
    let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_unanchored_and_dots_stop_at_line_breaks() {
        assert!(compile_pattern("b.d").unwrap().is_match("abcde"));
        assert!(!compile_pattern("a.b").unwrap().is_match("a\nb"));
        assert!(compile_pattern("(?s)a.b").unwrap().is_match("a\nb"));
    }

    #[test]
    fn bad_patterns_are_explained_on_one_line() {
        assert_eq!(compile_pattern("a(b").unwrap_err().to_string(), "unclosed group");
        assert!(compile_pattern(r"(a)\1").unwrap_err().to_string().contains("backreferences are not supported"));
        assert!(compile_pattern(r"(?:\w{1000}){1000}").unwrap_err().to_string().contains("larger than"));
        assert!(compile_pattern(&"a".repeat(10_001)).unwrap_err().to_string().contains("at most"));
        assert!(compile_pattern(&"(".repeat(9_999)).is_err());
    }

    #[test]
    fn globs_match_whole_names_and_cross_slashes() {
        let glob = CaseGlob::new("*categorize::signature*").unwrap();
        assert!(glob.is_match("greenloop > greenloop::categorize::signature::tests::a/b."));
        assert!(!CaseGlob::new("categorize").unwrap().is_match("categorize::x"));
        assert!(CaseGlob::new("{a,b}?[0-9]").unwrap().is_match("b.7"));
        assert!(CaseGlob::new("*.").unwrap().is_match("line\nbreak."));
        for bad in ["", "[a", "{a", "a\\"] {
            assert!(CaseGlob::new(bad).is_err(), "{bad}");
        }
        let nested = "{".repeat(500) + &"}".repeat(500);
        let _ = CaseGlob::new(&nested);
    }
}
