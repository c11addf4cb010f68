//! Paths under a temporary folder.
//!
//! Replaced is the temporary folder with everything down to the last random-looking part; what is behind stays,
//! because it is what the program named: `/tmp/tmpk3x9ab2c/out/report.json` becomes `<tmp1>/out/report.json`, and
//! `/tmp/report.json` becomes `<tmp1>/report.json`.
//!
//! Temporary folders: `/tmp`, `/var/tmp`, `/usr/tmp`, `/dev/shm`, `/run/user/<id>`, macOS's `/var/folders/x/y/T`, all
//! also below `/private`; `%TEMP%`, `%TMP%`, `$TMPDIR`, `${TMPDIR}`; `C:\Users\<name>\AppData\Local\Temp`,
//! `C:\Windows\Temp`, `C:\Temp`, with `\`, `\\` or `/`.
//!
//! Random-looking: pytest's `pytest-of-<user>` and `pytest-<n>`; `tmp` or `.tmp` and at least six more characters; and a
//! part that has, between `.`, `-` and `_`, a piece of at least three digits alone, or of at least six letters and
//! digits mixed, or of letters with capitals in the middle. A last part with an extension is a file name: there
//! letters followed by digits (`report2026.json`) are no sign.

use super::placeholder::Kind;
use super::scanner::{Scanner, Word, is_word};

const ROOTS: [&str; 4] = ["/tmp", "/var/tmp", "/usr/tmp", "/dev/shm"];
const VARIABLES: [&str; 8] = ["%TEMP%", "%TMP%", "${TMPDIR}", "${TEMP}", "${TMP}", "$TMPDIR", "$env:TEMP", "$env:TMP"];
/// Longest name of a Windows account, whose folder may have spaces in it.
const MAX_ACCOUNT: usize = 64;

impl Scanner<'_> {
    /// An absolute path that starts at `at`.
    pub(super) fn temp_path(&mut self, at: usize) -> Option<usize> {
        let before = self.left(at, 1);
        let joined = is_word(before)
            || before >= 0x80
            || matches!(before, b'.' | b'-' | b'+' | b'~' | b'@' | b'#' | b'/' | b'}' | b')')
            || self.follows_placeholder(at);
        if joined && self.file_path_at != Some(at) {
            return None;
        }
        let root = self.unix_root(at)?;
        let end = self.random_end(root);
        Some(self.replace(at, end, Kind::Tmp))
    }

    /// `%TEMP%` and its like.
    pub(super) fn variable_path(&mut self, at: usize) -> Option<usize> {
        let rest = &self.bytes[at..];
        let starts_with =
            |name: &&str| rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()));
        let root = at + VARIABLES.iter().find(|name| starts_with(name))?.len();
        let closed = matches!(self.byte(root - 1), b'%' | b'}');
        if !closed && !self.ends_at(root) {
            return None;
        }
        let end = self.random_end(root);
        Some(self.replace(at, end, Kind::Tmp))
    }

    /// A path with a drive letter.
    pub(super) fn drive_path(&mut self, word: Word, next: u8) -> Option<usize> {
        if next != b':' || word.len() != 1 || !matches!(self.byte(word.end + 1), b'\\' | b'/') {
            return None;
        }
        let (first, mut at) = self.part(word.end + 1)?;
        if first.eq_ignore_ascii_case(b"users") {
            let start = self.separator(at)?;
            let account = self.bytes[start..].iter().take(MAX_ACCOUNT + 1);
            let length = account.take_while(|b| **b >= b' ' && !b"\\/\"':<>|?*".contains(b)).count();
            at = start + length;
            for folder in ["appdata", "local", "temp"] {
                at = self.part(at).filter(|(name, _)| name.eq_ignore_ascii_case(folder.as_bytes()))?.1;
            }
        } else if first.eq_ignore_ascii_case(b"windows") {
            at = self.part(at).filter(|(name, _)| name.eq_ignore_ascii_case(b"temp"))?.1;
        } else if !first.eq_ignore_ascii_case(b"temp") && !first.eq_ignore_ascii_case(b"tmp") {
            return None;
        }
        let end = self.random_end(at);
        Some(self.replace(word.start, end, Kind::Tmp))
    }

    /// End of the temporary folder that the absolute path at `at` starts with.
    fn unix_root(&self, at: usize) -> Option<usize> {
        let rest = &self.bytes[at..];
        let at = at + if rest.starts_with(b"/private/") { "/private".len() } else { 0 };
        let rest = &self.bytes[at..];
        let (first, first_end) = self.part(at)?;
        if first == b"tmp" {
            return Some(first_end);
        }
        if let Some(root) = ROOTS.iter().find(|root| rest.starts_with(root.as_bytes())) {
            let end = at + root.len();
            return (!is_part(self.byte(end))).then_some(end);
        }
        let (second, second_end) = self.part(first_end)?;
        match (first, second) {
            (b"run", b"user") => self.part(second_end).map(|(_, end)| end),
            (b"var", b"folders") => {
                let (_, end) = self.part(second_end)?;
                let (_, end) = self.part(end)?;
                let last = self.part(end).filter(|(name, _)| matches!(*name, b"T" | b"C" | b"0"));
                Some(last.map_or(end, |(_, end)| end))
            }
            _ => None,
        }
    }

    /// End of the last random-looking part of the path that goes on at `root`; `root` if there is none.
    fn random_end(&self, root: usize) -> usize {
        let mut end = root;
        let mut at = root;
        while let Some((name, next)) = self.part(at) {
            let is_last = self.part(next).is_none();
            if is_random(name, is_last) {
                end = next;
            }
            at = next;
        }
        end
    }

    /// The part of a path behind the separator at `at`: its bytes and its end.
    fn part(&self, at: usize) -> Option<(&[u8], usize)> {
        let start = self.separator(at)?;
        let rest = &self.bytes[start..];
        let mut length = rest.iter().take_while(|b| is_part(**b)).count();
        // The full stop of a sentence is no part of a path; one before a placeholder stands inside a name.
        while length > 0 && rest.get(length) != Some(&b'<') && rest[length - 1] == b'.' {
            length -= 1;
        }
        (length > 0).then(|| (&rest[..length], start + length))
    }

    fn separator(&self, at: usize) -> Option<usize> {
        match (self.byte(at), self.byte(at + 1)) {
            (b'\\', b'\\') => Some(at + 2),
            (b'/' | b'\\', _) => Some(at + 1),
            _ => None,
        }
    }
}

/// A byte of a part of a path. None of them may stand before a path: so no path is looked at twice.
fn is_part(byte: u8) -> bool {
    is_word(byte) || byte >= 0x80 || matches!(byte, b'.' | b'-' | b'+' | b'~' | b'@' | b'#')
}

fn is_random(name: &[u8], is_last: bool) -> bool {
    if name.starts_with(b"pytest-of-") {
        return true;
    }
    if let Some(rest) = name.strip_prefix(b"pytest-") {
        return !rest.is_empty() && rest.iter().all(u8::is_ascii_digit);
    }
    let unhidden = name.strip_prefix(b".").unwrap_or(name);
    if unhidden.strip_prefix(b"tmp").is_some_and(|rest| rest.len() >= 6) {
        return true;
    }
    let dot = name.iter().rposition(|b| *b == b'.').filter(|dot| *dot > 0 && is_last && is_extension(&name[dot + 1..]));
    let stem = dot.map_or(name, |dot| &name[..dot]);
    stem.split(|b| matches!(b, b'.' | b'-' | b'_')).any(|piece| is_random_piece(piece, dot.is_some()))
}

fn is_extension(name: &[u8]) -> bool {
    (1..=5).contains(&name.len()) && name.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

fn is_random_piece(piece: &[u8], in_file_name: bool) -> bool {
    let digits = piece.iter().filter(|b| b.is_ascii_digit()).count();
    if digits == piece.len() {
        return digits >= 3;
    }
    if piece.len() < 6 || !piece.iter().all(u8::is_ascii_alphanumeric) {
        return false;
    }
    let capitals = piece.windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).count();
    let leading = piece.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let name_then_number = leading + digits == piece.len() && piece[leading..].iter().all(u8::is_ascii_digit);
    capitals >= 2 || (digits > 0 && !(in_file_name && name_then_number))
}
