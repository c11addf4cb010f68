//! Where the bytes of a report come from, and their digest, computed while they are read.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::mpsc;

use super::error::ReportError;
use super::mapped::Mapped;
use crate::model::{Digest, Hasher};

/// Files from this size on are mapped instead of read: 8 MiB. Below, one read is as fast and cannot end in SIGBUS.
const MAP_FROM: u64 = 8 << 20;
/// Bytes handed to the digest thread at a time: 4 MiB keeps it close behind the parser, while the data is cached.
const STRIDE: usize = 4 << 20;

/// When and how files are mapped. Only tests choose others than the usual ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Size in bytes from which on a file is mapped.
    pub(super) map_from: u64,
    /// Bytes handed to the digest thread at a time.
    pub(super) stride: usize,
}

impl Limits {
    const USUAL: Self = Self { map_from: MAP_FROM, stride: STRIDE };
}

/// `bytes` without a byte order mark at their beginning.
pub(super) fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The bytes of a report.
#[derive(Debug)]
pub struct ReportSource {
    /// The file as the user named it.
    pub file: String,
    bytes: Bytes,
}

#[derive(Debug)]
enum Bytes {
    Owned(Vec<u8>),
    Mapped(Mapped, Limits),
}

impl ReportSource {
    /// Opens a file.
    ///
    /// # Errors
    /// When it cannot be read, or is not a regular file and not a pipe.
    pub fn open(path: &Path) -> Result<Self, ReportError> {
        Self::open_with(path, Limits::USUAL)
    }

    pub(super) fn open_with(path: &Path, limits: Limits) -> Result<Self, ReportError> {
        let name = path.to_string_lossy().into_owned();
        let mut file = File::open(path).map_err(|error| ReportError::io(path, &error))?;
        let metadata = file.metadata().map_err(|error| ReportError::io(path, &error))?;
        if metadata.is_dir() {
            return Err(ReportError::file(&name, "this is a folder, not a report"));
        }
        if metadata.is_file() && metadata.len() >= limits.map_from {
            let mapped = Mapped::new(&file).map_err(|error| ReportError::io(path, &error))?;
            return Ok(Self { file: name, bytes: Bytes::Mapped(mapped, limits) });
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| ReportError::io(path, &error))?;
        Ok(Self { file: name, bytes: Bytes::Owned(bytes) })
    }

    /// Takes bytes that are already here; `file` is their name in messages.
    pub fn from_bytes(file: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { file: file.into(), bytes: Bytes::Owned(bytes) }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Owned(bytes) => bytes,
            Bytes::Mapped(mapped, _) => mapped.bytes(),
        }
    }

    /// Runs `parse` over the bytes and computes their digest at the same time. `parse` calls its argument with the offset it has reached; pages behind both are given back. Invalid UTF-8 anywhere is an error.
    pub(super) fn parse_and_digest<T>(
        &self,
        parse: impl FnOnce(&mut dyn FnMut(usize)) -> Result<T, ReportError>,
    ) -> Result<(T, Digest), ReportError> {
        let bytes = self.bytes();
        let Bytes::Mapped(mapped, limits) = &self.bytes else {
            let utf8 = std::str::from_utf8(bytes).map_err(|error| self.not_utf8(error.valid_up_to()));
            let parsed = parse(&mut |_| {});
            utf8?;
            return Ok((parsed?, Digest::of(bytes)));
        };
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::sync_channel::<usize>(4);
            let digest = scope.spawn(move || self.digest_behind(mapped, &receiver));
            let mut sent = 0;
            let parsed = parse(&mut |offset| {
                if offset >= sent + limits.stride {
                    sent = offset;
                    // The receiver only goes away when the text is not UTF-8; its error is returned below.
                    let _ = sender.send(offset);
                }
            });
            let _ = sender.send(bytes.len());
            drop(sender);
            let digest =
                digest.join().map_err(|_| ReportError::file(&self.file, "the digest thread ended early"))??;
            Ok((parsed?, digest))
        })
    }

    /// Follows the parser: validates, hashes and releases everything up to each offset received.
    fn digest_behind(&self, mapped: &Mapped, offsets: &mpsc::Receiver<usize>) -> Result<Digest, ReportError> {
        let bytes = mapped.bytes();
        let mut hasher = Hasher::new();
        let (mut done, mut valid) = (0, 0);
        while let Ok(offset) = offsets.recv() {
            hasher.update(&bytes[done..offset]);
            match std::str::from_utf8(&bytes[valid..offset]) {
                Ok(_) => valid = offset,
                // An incomplete character at the end of a stretch is complete in the next one.
                Err(error) if error.error_len().is_none() && offset < bytes.len() => valid += error.valid_up_to(),
                Err(error) => return Err(self.not_utf8(valid + error.valid_up_to())),
            }
            mapped.release(done..offset);
            done = offset;
        }
        Ok(hasher.finish())
    }

    fn not_utf8(&self, offset: usize) -> ReportError {
        ReportError {
            place: super::error::place_of(&self.file, self.bytes(), offset),
            message: "the report is not valid UTF-8".to_owned(),
            hint: Some("JSON is UTF-8 by definition; was the file written in another encoding?".to_owned()),
        }
    }
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
