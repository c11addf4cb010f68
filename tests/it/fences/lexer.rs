//! Just enough of Rust's lexical grammar to tell code from comments and text.

use std::ops::Range;

/// A source file, taken apart. All three have the length and the line breaks of the original.
pub(crate) struct Lexed {
    /// Code: comments, and the insides of string and character literals, are blanks.
    pub(crate) code: String,
    /// The string literals of the file: (offset of the opening quote, what is between the quotes).
    pub(crate) strings: Vec<(usize, String)>,
}

/// Takes `source` apart.
pub(crate) fn lex(source: &str) -> Lexed {
    let bytes = source.as_bytes();
    let mut code = bytes.to_vec();
    let mut strings = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => line_end(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'*') => block_end(bytes, at),
            b'"' => {
                let end = string_end(bytes, at);
                strings.push((at, inside(source, at + 1, end.saturating_sub(1))));
                end
            }
            b'r' if !word_before(bytes, at) && raw_hashes(bytes, at + 1).is_some() => {
                let hashes = raw_hashes(bytes, at + 1).unwrap_or(0);
                let open = at + 1 + hashes;
                let end = raw_end(bytes, open + 1, hashes);
                strings.push((open, inside(source, open + 1, end.saturating_sub(1 + hashes))));
                end
            }
            b'\'' => char_end(bytes, at),
            _ => {
                at += 1;
                continue;
            }
        };
        let end = end.clamp(at + 1, bytes.len());
        for byte in &mut code[at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end;
    }
    Lexed { code: String::from_utf8(code).expect("only whole literals and comments are blanked"), strings }
}

/// Where the inline test modules (`#[cfg(test)] mod tests { … }`) of `code` are.
pub(crate) fn test_modules(code: &str) -> Vec<Range<usize>> {
    let start = regex::Regex::new(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*mod\s+\w+\s*\{").unwrap();
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(opening) = start.find_at(code, from) {
        let (mut depth, mut end) = (1, opening.end());
        while depth > 0 && end < code.len() {
            match code.as_bytes()[end] {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            end += 1;
        }
        found.push(opening.start()..end);
        from = end;
    }
    found
}

/// Line of `offset`, from 1.
pub(crate) fn line_of(source: &str, offset: usize) -> usize {
    source[..offset.min(source.len())].matches('\n').count() + 1
}

fn inside(source: &str, from: usize, to: usize) -> String {
    source.get(from..to.max(from)).unwrap_or_default().to_owned()
}

fn word_before(bytes: &[u8], at: usize) -> bool {
    // `br"…"` and `cr"…"` are raw strings too; any other letter before `r` makes it part of a name.
    let Some(before) = at.checked_sub(1).map(|i| bytes[i]) else { return false };
    let prefix = matches!(before, b'b' | b'c')
        && !at.checked_sub(2).is_some_and(|i| bytes[i].is_ascii_alphanumeric() || bytes[i] == b'_');
    !prefix && (before.is_ascii_alphanumeric() || before == b'_')
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at + length)
}

fn block_end(bytes: &[u8], at: usize) -> usize {
    let (mut depth, mut end) = (0_usize, at);
    while end < bytes.len() {
        match (bytes[end], bytes.get(end + 1)) {
            (b'/', Some(b'*')) => {
                depth += 1;
                end += 2;
            }
            (b'*', Some(b'/')) => {
                depth -= 1;
                end += 2;
                if depth == 0 {
                    return end;
                }
            }
            _ => end += 1,
        }
    }
    end
}

fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while end < bytes.len() {
        match bytes[end] {
            b'\\' => end += 2,
            b'"' => return end + 1,
            _ => end += 1,
        }
    }
    end
}

fn raw_hashes(bytes: &[u8], at: usize) -> Option<usize> {
    let hashes = bytes[at.min(bytes.len())..].iter().take_while(|byte| **byte == b'#').count();
    (bytes.get(at + hashes) == Some(&b'"')).then_some(hashes)
}

fn raw_end(bytes: &[u8], from: usize, hashes: usize) -> usize {
    (from..bytes.len())
        .find(|at| bytes[*at] == b'"' && bytes[at + 1..].iter().take_while(|b| **b == b'#').count() >= hashes)
        .map_or(bytes.len(), |at| at + 1 + hashes)
}

/// End of a character literal; a lifetime is one byte of code.
fn char_end(bytes: &[u8], at: usize) -> usize {
    if bytes.get(at + 1) == Some(&b'\\') {
        return (at + 3..bytes.len()).find(|i| bytes[*i] == b'\'').map_or(bytes.len(), |i| i + 1);
    }
    // One character of up to four bytes, then the closing quote.
    let text = &bytes[at + 1..bytes.len().min(at + 6)];
    let width = text.first().map_or(1, |lead| match lead {
        0xf0.. => 4,
        0xe0.. => 3,
        0xc0.. => 2,
        _ => 1,
    });
    if text.get(width) == Some(&b'\'') { at + 2 + width } else { at + 1 }
}

#[test]
fn comments_and_text_are_not_code() {
    let source = "use a; // use b;\n/* use c; /* nested */ use d; */ let s = \"use e;\\\" use f\"; let r = r#\"use \"g\"\"#;\n\
                  let c = '\"'; let q = '\\''; fn x<'a>(y: &'a str) {} let u = 'é'; use h;";
    let lexed = lex(source);
    for gone in ["use b", "use c", "use d", "use e", "use f", "use \"g"] {
        assert!(!lexed.code.contains(gone), "{gone} in {}", lexed.code);
    }
    assert!(lexed.code.contains("use a;") && lexed.code.contains("use h;") && lexed.code.contains("y: & a str"));
    assert_eq!(lexed.code.len(), source.len());
    assert_eq!(lexed.strings.iter().map(|s| s.1.as_str()).collect::<Vec<_>>(), ["use e;\\\" use f", "use \"g\""]);
}

#[test]
fn test_modules_are_found_and_only_they() {
    let code = "a();\n#[cfg(test)]\nmod far;\n#[cfg(test)]\nmod tests {\n fn t() { b(); }\n}\nc();";
    let found = test_modules(code);
    assert_eq!(found.len(), 1);
    assert_eq!(&code[found[0].clone()], "#[cfg(test)]\nmod tests {\n fn t() { b(); }\n}");
}
