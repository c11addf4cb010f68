//! Source positions: the file stays, its line and column go.
//!
//! `src/a.rs:12:5`, `a_test.go:12`, `Foo.java:12`, `a.ts(12,5)`, Python's `File "a.py", line 12`, .NET's
//! `A.cs:line 12`. Only behind a known extension, because `name:12` alone may be anything.

use super::placeholder::Kind;
use super::scanner::{Scanner, Word};

/// Extensions of source files whose messages carry lines.
const EXTENSIONS: [&[u8]; 56] = [
    b"rs", b"py", b"pyx", b"pyi", b"go", b"java", b"kt", b"kts", b"scala", b"groovy", b"clj", b"js", b"jsx", b"mjs",
    b"cjs", b"ts", b"tsx", b"mts", b"cts", b"vue", b"svelte", b"c", b"h", b"cc", b"hh", b"cpp", b"hpp", b"cxx", b"hxx",
    b"m", b"mm", b"cs", b"fs", b"vb", b"rb", b"erb", b"php", b"pl", b"pm", b"lua", b"swift", b"dart", b"ex", b"exs",
    b"erl", b"hs", b"ml", b"zig", b"sh", b"bash", b"sql", b"proto", b"toml", b"yaml", b"yml", b"s",
];

impl Scanner<'_> {
    /// An extension and its line, or the word `line` of a stack frame.
    pub(super) fn source_line(&mut self, word: Word, next: u8) -> Option<usize> {
        if !matches!(next, b':' | b'(') || self.left(word.start, 1) != b'.' {
            return None;
        }
        if !EXTENSIONS.contains(&self.slice(word)) {
            return None;
        }
        let start = word.end + 1;
        if next == b'(' {
            let end = self.position(start, b',')?;
            return (self.byte(end) == b')').then(|| self.replace(start, end, Kind::Line));
        }
        if self.bytes[start..].starts_with(b"line ") {
            let start = start + 5;
            let end = self.position(start, 0)?;
            return Some(self.replace(start, end, Kind::Line));
        }
        let end = self.position(start, b':')?;
        Some(self.replace(start, end, Kind::Line))
    }

    /// Python's frame: the number behind `", line `.
    pub(super) fn frame_line(&mut self, word: Word) -> Option<usize> {
        if self.slice(word) != b"line" || !self.left_is(word.start, "\", ") {
            return None;
        }
        let start = word.end + 1;
        let end = self.position(start, 0)?;
        Some(self.replace(start, end, Kind::Line))
    }

    /// A line number, and a column behind `separator`. Returns the end.
    fn position(&self, start: usize, separator: u8) -> Option<usize> {
        let line = self.short_number(start)?;
        let column = (self.byte(line) == separator).then(|| self.short_number(line + 1)).flatten();
        Some(column.unwrap_or(line))
    }

    fn short_number(&self, start: usize) -> Option<usize> {
        let rest = self.bytes.get(start..)?;
        let digits = rest.iter().take(10).take_while(|b| b.is_ascii_digit()).count();
        ((1..10).contains(&digits) && self.ends_at(start + digits)).then_some(start + digits)
    }
}
