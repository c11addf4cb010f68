//! A walk over JSON text that checks its syntax and skips what nobody reads.
//!
//! Most of a report is output of passing trials. Skipping it is most of the work, so it is done here byte by byte,
//! without recursion, and in blocks where strings are long. Values that are read are handed to serde_json as slices.
//! Text is not checked to be UTF-8: that happens over the whole file, beside the digest.

/// Words of eight bytes that are looked at before a string counts as long.
const SHORT: usize = 3;

/// Text that is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault {
    /// Offset of the first byte that cannot be there.
    pub(super) at: usize,
    /// What is wrong with it; `None` when the text ends too early.
    pub(super) message: Option<&'static str>,
}

/// A place in JSON text.
#[derive(Debug)]
pub(super) struct Walk<'s> {
    bytes: &'s [u8],
    pub(super) at: usize,
    /// What closes each list and object that is open inside the value being skipped.
    open: Vec<u8>,
}

impl<'s> Walk<'s> {
    pub(super) const fn new(bytes: &'s [u8], at: usize) -> Self {
        Self { bytes, at, open: Vec::new() }
    }

    /// The next byte; `None` at the end.
    pub(super) fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    const fn fault<T>(&self, message: &'static str) -> Result<T, Fault> {
        Err(Fault { at: self.at, message: if self.at < self.bytes.len() { Some(message) } else { None } })
    }

    /// Passes over white space.
    pub(super) fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.byte() {
            self.at += 1;
        }
    }

    /// Enters a list or an object, whose first byte is the next one. False if it is empty, and already passed.
    pub(super) fn enter(&mut self, close: u8) -> bool {
        self.at += 1;
        self.space();
        if self.byte() == Some(close) {
            self.at += 1;
            return false;
        }
        true
    }

    /// After a member of a list or object: true if another one follows.
    pub(super) fn more(&mut self, close: u8) -> Result<bool, Fault> {
        self.space();
        match self.byte() {
            Some(b',') => {
                self.at += 1;
                self.space();
                Ok(true)
            }
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(false)
            }
            _ if close == b'}' => self.fault("expected `,` or `}`"),
            _ => self.fault("expected `,` or `]`"),
        }
    }

    /// Passes a key and its colon. Returns what stands between the quotes.
    pub(super) fn key(&mut self) -> Result<&'s [u8], Fault> {
        if self.byte() != Some(b'"') {
            return self.fault("expected a key, which is a string");
        }
        let start = self.at + 1;
        self.string()?;
        let key = &self.bytes[start..self.at - 1];
        self.space();
        if self.byte() != Some(b':') {
            return self.fault("expected `:`");
        }
        self.at += 1;
        self.space();
        Ok(key)
    }

    /// Passes a whole value and returns its bytes. Depth costs one byte a level.
    pub(super) fn value(&mut self) -> Result<&'s [u8], Fault> {
        let start = self.at;
        self.open.clear();
        loop {
            let entered = match self.byte() {
                Some(b'"') => {
                    self.string()?;
                    None
                }
                Some(b'{') => Some(b'}'),
                Some(b'[') => Some(b']'),
                Some(b'-' | b'0'..=b'9') => {
                    self.number()?;
                    None
                }
                Some(b't') => self.word("true")?,
                Some(b'f') => self.word("false")?,
                Some(b'n') => self.word("null")?,
                _ => return self.fault("expected a value"),
            };
            if let Some(close) = entered
                && self.enter(close)
            {
                self.open.push(close);
                if close == b'}' {
                    self.key()?;
                }
                continue;
            }
            loop {
                let Some(close) = self.open.last().copied() else { return Ok(&self.bytes[start..self.at]) };
                if self.more(close)? {
                    if close == b'}' {
                        self.key()?;
                    }
                    break;
                }
                self.open.pop();
            }
        }
    }

    fn word(&mut self, word: &'static str) -> Result<Option<u8>, Fault> {
        for expected in word.bytes() {
            if self.byte() != Some(expected) {
                return self.fault("expected a value");
            }
            self.at += 1;
        }
        Ok(None)
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.byte() {
            self.at += 1;
        }
        if self.at == start { self.fault("invalid number") } else { Ok(()) }
    }

    fn number(&mut self) -> Result<(), Fault> {
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        if self.byte() == Some(b'0') {
            self.at += 1;
            if let Some(b'0'..=b'9') = self.byte() {
                return self.fault("invalid number");
            }
        } else {
            self.digits()?;
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    /// Passes a string, whose quote is the next byte.
    fn string(&mut self) -> Result<(), Fault> {
        self.at += 1;
        loop {
            self.plain();
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                _ => return self.fault("a control character stands in a string; it must be escaped"),
            }
        }
    }

    /// Passes everything up to the next quote, backslash or control character. Most strings are short: eight bytes at a
    /// time find their end before a search with vector instructions would have begun.
    #[inline]
    fn plain(&mut self) {
        let mut at = self.at;
        for _ in 0..SHORT {
            let Some(word) = self.bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) else { break };
            let special = special_bytes(u64::from_le_bytes(*word));
            if special != 0 {
                self.at = at + (special.trailing_zeros() / 8) as usize;
                return;
            }
            at += 8;
        }
        let rest = self.bytes.get(at..).unwrap_or_default();
        let length = memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
        let clean = &rest[..length];
        // Compilers turn the search for the least byte into vector instructions.
        let control = clean.iter().fold(u8::MAX, |least, byte| least.min(*byte)) < 0x20;
        self.at = at + if control { clean.iter().position(|byte| *byte < 0x20).unwrap_or(length) } else { length };
    }

    fn escape(&mut self) -> Result<(), Fault> {
        self.at += 1;
        match self.byte() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.byte().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                        return self.fault("expected four hexadecimal digits");
                    }
                    self.at += 1;
                }
            }
            _ => return self.fault("invalid escape"),
        }
        Ok(())
    }
}

/// The high bit of the first special byte of eight is set, and no bit before it. (Bits behind the first one may be set
/// wrongly: subtraction borrows.) The usual test for a zero byte, `(x - 1) & !x & 0x80`, applied three times.
const fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES * 0x80;
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    ((quote.wrapping_sub(ONES) & !quote) | (backslash.wrapping_sub(ONES) & !backslash) | control) & HIGH
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
