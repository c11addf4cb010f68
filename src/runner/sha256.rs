//! SHA-256 as manifests and reports spell it.

use std::fmt::Write as _;

use sha2::Digest as _;

/// 64 hexadecimal digits in lower case.
pub(super) fn hex(digest: &[u8]) -> String {
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// `sha256:` and the digest of the bytes.
pub(super) fn prefixed(bytes: impl AsRef<[u8]>) -> String {
    format!("sha256:{}", hex(&sha2::Sha256::digest(bytes)))
}
