//! Bytes of an XML file → text, by byte order mark or XML declaration. Invalid bytes are an error with their place:
//! replacing them could make two different names equal.

use std::borrow::Cow;

use encoding_rs::{DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::error::{ImportError, Source, Warnings};
use crate::diag::Place;

/// How much of a file is searched for the XML declaration.
const DECLARATION_WINDOW: usize = 1024;

/// Decodes `bytes`; a byte order mark is not part of the text.
pub(super) fn decode<'b>(file: &str, bytes: &'b [u8], warnings: &mut Warnings) -> Result<Cow<'b, str>, ImportError> {
    let first = Place { line: Some(1), column: Some(1), ..Place::file(file) };
    if bytes.starts_with(&[0xff, 0xfe, 0, 0]) || bytes.starts_with(&[0, 0, 0xfe, 0xff]) {
        return Err(ImportError::at(first, "the file is in UTF-32").hint("write it as UTF-8"));
    }
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return decode_as(file, &bytes[length..], encoding);
    }
    match bytes {
        [b'<', 0, ..] => return decode_as(file, bytes, UTF_16LE),
        [0, b'<', ..] => return decode_as(file, bytes, UTF_16BE),
        _ => {}
    }
    let Some(label) = declared_encoding(bytes) else { return decode_as(file, bytes, UTF_8) };
    // Plain ASCII is a part of UTF-8, and UTF-8 is strict; the WHATWG table would read it as windows-1252.
    if label.eq_ignore_ascii_case("us-ascii") || label.eq_ignore_ascii_case("ascii") {
        return decode_as(file, bytes, UTF_8);
    }
    match Encoding::for_label_no_replacement(label.as_bytes()) {
        Some(encoding) if encoding == UTF_16LE || encoding == UTF_16BE => {
            // A declaration that can be read byte by byte is not in UTF-16, whatever it says. Writers that
            // serialize to a string first and save it as UTF-8 make such files.
            warnings.add(
                "encoding-declaration",
                file,
                || first,
                || format!("the file declares {label} but is not in it; read as UTF-8"),
            );
            decode_as(file, bytes, UTF_8)
        }
        Some(encoding) => decode_as(file, bytes, encoding),
        None => Err(ImportError::at(first, format!("the declared encoding `{label}` is not known"))
            .hint("write the file as UTF-8")),
    }
}

fn decode_as<'b>(file: &str, bytes: &'b [u8], encoding: &'static Encoding) -> Result<Cow<'b, str>, ImportError> {
    if encoding == UTF_8 {
        return std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|error| {
            let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
            invalid_byte(file, valid, encoding, bytes.get(valid.len()).copied())
        });
    }
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::new();
    let mut done = 0;
    loop {
        let rest = &bytes[done..];
        let need = decoder.max_utf8_buffer_length_without_replacement(rest.len()).unwrap_or(rest.len());
        text.reserve(need.clamp(64, 1 << 20));
        let (result, read) = decoder.decode_to_string_without_replacement(rest, &mut text, true);
        done += read;
        match result {
            DecoderResult::InputEmpty => return Ok(Cow::Owned(text)),
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(length, after) => {
                let at = done.saturating_sub(usize::from(length) + usize::from(after));
                return Err(invalid_byte(file, &text, encoding, bytes.get(at).copied()));
            }
        }
    }
}

fn invalid_byte(file: &str, before: &str, encoding: &'static Encoding, byte: Option<u8>) -> ImportError {
    let what = byte.map_or_else(String::new, |byte| format!(" (byte 0x{byte:02x})"));
    Source { file, text: before }
        .error(before.len(), format!("not valid {}{what}", encoding.name()))
        .hint("write the file as UTF-8, or declare the encoding that it is in")
}

/// The value of `encoding` in an XML declaration at the very start.
fn declared_encoding(bytes: &[u8]) -> Option<String> {
    let window = &bytes[..bytes.len().min(DECLARATION_WINDOW)];
    let rest = window.strip_prefix(b"<?xml")?;
    let end = rest.windows(2).position(|pair| pair == b"?>")?;
    let declaration = std::str::from_utf8(&rest[..end]).ok()?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].split_once(quote).map(|(label, _)| label.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<String, String> {
        decode("f", bytes, &mut Warnings::default())
            .map(Cow::into_owned)
            .map_err(|error| format!("{} {error}", error.place.compact()))
    }

    fn utf16(text: &str, little: bool) -> Vec<u8> {
        text.encode_utf16().flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
    }

    #[test]
    fn byte_order_marks_and_declarations_decide() {
        assert_eq!(read("\u{feff}<a>é</a>".as_bytes()).unwrap(), "<a>é</a>");
        for little in [true, false] {
            assert_eq!(read(&utf16("\u{feff}<a>é𝄞</a>", little)).unwrap(), "<a>é𝄞</a>");
            assert_eq!(read(&utf16("<a>é</a>", little)).unwrap(), "<a>é</a>", "without a mark");
        }
        assert_eq!(read(b"<?xml version='1.0' encoding='iso-8859-1'?><a>\xe9</a>").unwrap().chars().nth(46), Some('é'));
        assert!(read(b"<?xml version=\"1.0\" encoding=\"Shift_JIS\"?><a>\x93\xfa</a>").unwrap().contains('日'));
        assert_eq!(read(b"<?xml version='1.0' encoding='utf-16'?><a/>").unwrap().len(), 43, "a lying declaration");
    }

    #[test]
    fn long_texts_in_other_encodings_arrive_whole() {
        let mut bytes = b"<?xml version='1.0' encoding='latin1'?><a>".to_vec();
        bytes.extend(std::iter::repeat_n(0xe9, 3_000_000));
        assert_eq!(read(&bytes).unwrap().chars().filter(|c| *c == 'é').count(), 3_000_000);
    }

    #[test]
    fn bad_bytes_and_unknown_encodings_name_their_place() {
        assert_eq!(read(b"<a>\n \xe9</a>").unwrap_err(), "f:2:2 not valid UTF-8 (byte 0xe9)");
        assert_eq!(read(b"<a>\n caf\xc3").unwrap_err(), "f:2:5 not valid UTF-8 (byte 0xc3)");
        let error = read(b"<?xml version='1.0' encoding='EUC-JP'?>\n<a>\xff</a>").unwrap_err();
        assert_eq!(error, "f:2:4 not valid EUC-JP (byte 0xff)");
        assert_eq!(
            read(b"<?xml version='1.0' encoding='klingon'?><a/>").unwrap_err(),
            "f:1:1 the declared encoding `klingon` is not known"
        );
        assert!(read(&[0xff, 0xfe, 0, 0, b'<', 0, 0, 0]).unwrap_err().contains("UTF-32"));
        assert!(read(&[0xff, 0xfe, b'<', 0, 0x00, 0xd8]).unwrap_err().contains("not valid UTF-16LE"));
    }
}
