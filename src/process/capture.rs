//! Keeping the head and the tail of a stream of any length in bounded memory.

/// What was kept of one stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The start of the stream; all of it if nothing was omitted.
    pub head: Vec<u8>,
    /// The end of the stream; empty if nothing was omitted.
    pub tail: Vec<u8>,
    /// Bytes between the two that were not kept.
    pub omitted: u64,
}

/// Collects one stream.
#[derive(Debug)]
pub(super) struct Capture {
    head: Vec<u8>,
    head_limit: usize,
    /// The last bytes after the head, as a ring; its oldest byte is at `oldest`.
    ring: Vec<u8>,
    ring_limit: usize,
    oldest: usize,
    /// Bytes after the head.
    after_head: u64,
}

impl Capture {
    pub(super) const fn new(head_limit: usize, ring_limit: usize) -> Self {
        Self { head: Vec::new(), head_limit, ring: Vec::new(), ring_limit, oldest: 0, after_head: 0 }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let room = self.head_limit - self.head.len();
        let (head, mut rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        self.after_head += rest.len() as u64;
        if let Some(skipped) = rest.len().checked_sub(self.ring_limit) {
            // This piece alone fills the ring.
            rest = &rest[skipped..];
            self.ring.clear();
            self.oldest = 0;
        }
        let room = self.ring_limit - self.ring.len();
        let (fresh, over) = rest.split_at(room.min(rest.len()));
        self.ring.extend_from_slice(fresh);
        // Only a full ring is written over, and `over` is shorter than it.
        let until_end = over.len().min(self.ring.len() - self.oldest);
        let (first, second) = over.split_at(until_end);
        self.ring[self.oldest..self.oldest + first.len()].copy_from_slice(first);
        self.ring[..second.len()].copy_from_slice(second);
        if !over.is_empty() {
            self.oldest = (self.oldest + over.len()) % self.ring.len();
        }
    }

    pub(super) fn finish(mut self) -> Captured {
        let omitted = self.after_head - self.ring.len() as u64;
        self.ring.rotate_left(self.oldest);
        if omitted == 0 {
            self.head.append(&mut self.ring);
        }
        Captured { head: self.head, tail: self.ring, omitted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn head_and_tail_are_those_of_the_whole(
            pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..20),
            head in 0_usize..30,
            tail in 0_usize..30,
        ) {
            let whole = pieces.concat();
            let mut capture = Capture::new(head, tail);
            for piece in &pieces {
                capture.push(piece);
            }
            let kept = capture.finish();
            if whole.len() <= head + tail {
                prop_assert_eq!(kept, Captured { head: whole, tail: Vec::new(), omitted: 0 });
            } else {
                prop_assert_eq!(&kept.head[..], &whole[..head]);
                prop_assert_eq!(&kept.tail[..], &whole[whole.len() - tail..]);
                prop_assert_eq!(kept.omitted, (whole.len() - head - tail) as u64);
            }
        }
    }
}
