//! BLAKE3 digests and the domain-separated way in which greenloop computes them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A BLAKE3 digest of 32 bytes. Shown and stored as `blake3:` and 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// A text that is not a digest.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("not a BLAKE3 digest: expected `blake3:` and 64 lower-case hexadecimal digits")]
pub struct DigestError;

impl Digest {
    /// Digest of plain bytes, as `b3sum` prints it. Used for whole files.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Digest of `bytes` in a named domain: BLAKE3 over the domain, a NUL byte, and the bytes. Two kinds of
    /// value that happen to have the same bytes never share a digest.
    pub fn in_domain(domain: &str, bytes: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(domain.as_bytes());
        hasher.update(&[0]);
        hasher.update(bytes);
        Self(*hasher.finalize().as_bytes())
    }

    /// The digest of 32 zero bytes-as-value: the genesis of a chain, not the hash of anything.
    pub const fn zero() -> Self {
        Self([0; 32])
    }

    /// The raw bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// 64 lower-case hexadecimal digits, without the prefix: the name of a frozen file.
    pub fn hex(&self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }

    /// The first 12 hexadecimal digits: enough for people to tell digests apart, never used for identity.
    pub fn short(&self) -> String {
        self.hex()[..12].to_owned()
    }
}

/// Computes a [`Digest`] piece by piece.
#[derive(Debug, Clone, Default)]
pub struct Hasher(blake3::Hasher);

impl Hasher {
    /// A hasher for plain bytes: the same result as [`Digest::of`] over all pieces.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next piece.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of everything added so far.
    pub fn finish(&self) -> Digest {
        Digest(*self.0.finalize().as_bytes())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "blake3:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let hex = text.strip_prefix("blake3:").ok_or(DigestError)?;
        if hex.len() != 64 || hex.bytes().any(|b| !matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(DigestError);
        }
        blake3::Hash::from_hex(hex).map(|h| Self(*h.as_bytes())).map_err(|_| DigestError)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_round_trips_and_is_strict() {
        let digest = Digest::of(b"abc");
        assert_eq!(digest.to_string().parse::<Digest>(), Ok(digest));
        assert_eq!(digest.hex(), "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85");
        assert!(digest.hex().parse::<Digest>().is_err(), "the prefix is required");
        assert!(digest.to_string().to_uppercase().parse::<Digest>().is_err());
    }

    #[test]
    fn domains_separate_equal_bytes() {
        assert_ne!(Digest::in_domain("a", b"x"), Digest::in_domain("b", b"x"));
        assert_ne!(Digest::in_domain("a", b"bx"), Digest::in_domain("ab", b"x"));
    }
}
