//! Where a rule can be at all: one pass without branches over blocks of 64 bytes.
//!
//! Letters alone start hardly any rule. So the scanner looks at a text only around its *triggers*, and every rule has
//! one that lies in what it matches:
//!
//! | trigger | rules |
//! |---|---|
//! | the first digit of a number | numbers, times, durations, addresses, identities, tokens, lines |
//! | `:`, `=` | secrets behind a name, URLs, IPv6, drive letters |
//! | `@` | e-mail |
//! | `<` and a small letter | placeholders |
//! | `/` that no letter or digit stands before, `%`, `$` | temporary paths |
//! | `-` with a `-` 5 bytes further on | UUID |
//! | `J`, as in `eyJ` | JSON Web Tokens |
//! | `b` with an `a` or `s` two bytes further on | `bearer` and `basic` |
//! | `d` with a `'` two bytes further on | the name of a thread |

use fearless_simd::{Level, Simd, SimdMask, dispatch, mask8x64};

use super::neighbours::is_possible;

/// Bytes that are looked at together: as many as a mask has bits.
const BLOCK: usize = 64;
/// Bytes of a chunk. The masks of all its blocks are made first: a processor that guesses wrong about one of them would
/// otherwise start late on the next.
pub(super) const CHUNK: usize = 512;
/// Bytes behind a block that its last byte depends on.
const AHEAD: usize = 5;
/// A block, the byte before it, and the bytes behind it.
const VIEW: usize = 1 + BLOCK + AHEAD;
/// Places are written in groups of this many: most blocks have fewer triggers, so no loop has to guess their number.
const GROUP: usize = 8;

/// The triggers of one chunk that may belong to a match, in order, counted from its first byte.
pub(super) struct Places {
    list: [u16; CHUNK + GROUP],
    count: usize,
}

impl Places {
    pub(super) fn new() -> Self {
        Self { list: [0; CHUNK + GROUP], count: 0 }
    }

    /// Finds those of the chunk of `bytes` that starts at `base`. `level` says which vectors the processor has.
    pub(super) fn find(&mut self, level: Level, bytes: &[u8], base: usize) {
        dispatch!(level, simd => self.find_here(simd, bytes, base));
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn get(&self, index: usize) -> usize {
        usize::from(self.list[index])
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "it has to be compiled once for each kind of processor")]
    #[expect(clippy::cast_possible_truncation, reason = "a place in a chunk, and one block more, fits into 16 bits")]
    fn find_here<S: Simd>(&mut self, simd: S, bytes: &[u8], base: usize) {
        let mut masks = [0; CHUNK / BLOCK];
        let blocks = (bytes.len() - base).min(CHUNK).div_ceil(BLOCK);
        for (index, mask) in masks[..blocks].iter_mut().enumerate() {
            *mask = marks(simd, bytes, base + index * BLOCK);
        }
        let mut found = 0;
        for (index, mask) in masks[..blocks].iter().enumerate() {
            let mut rest: u64 = *mask;
            let mut written = found;
            found += rest.count_ones() as usize;
            while written < found {
                for place in &mut self.list[written..written + GROUP] {
                    *place = (index * BLOCK) as u16 + rest.trailing_zeros() as u16;
                    rest &= rest.wrapping_sub(1);
                }
                written += GROUP;
            }
        }
        let mut kept = 0;
        for index in 0..found {
            let place = self.list[index];
            self.list[kept] = place;
            kept += usize::from(is_possible(bytes, base + usize::from(place)));
        }
        self.count = kept;
    }
}

/// A mask of the triggers in the block of `bytes` that starts at `base`: the lowest bit is for its first byte.
#[inline(always)]
#[expect(clippy::inline_always, reason = "as above")]
fn marks<S: Simd>(simd: S, bytes: &[u8], base: usize) -> u64 {
    if let Some(view) = base.checked_sub(1).and_then(|from| bytes[from..].first_chunk::<VIEW>()) {
        return marks_in(simd, view);
    }
    // The start and the end of a text: zeros stand for what is missing, and no rule has a zero.
    let mut view = [0; VIEW];
    let gap = usize::from(base == 0);
    let rest = &bytes[base - (1 - gap)..];
    let length = rest.len().min(VIEW - gap);
    view[gap..gap + length].copy_from_slice(&rest[..length]);
    marks_in(simd, &view)
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "as above")]
#[expect(clippy::needless_bitwise_bool, reason = "without branches the loop becomes vector instructions")]
fn marks_in<S: Simd>(simd: S, view: &[u8; VIEW]) -> u64 {
    let mut flags = [0_i8; BLOCK];
    for (index, flag) in flags.iter_mut().enumerate() {
        let (before, b, next) = (view[index], view[index + 1], view[index + 2]);
        let (second, fifth) = (view[index + 3], view[index + 6]);
        let number = within(b, b'0', b'9') & !within(before, b'0', b'9');
        let sign = ((b == b':') | (b == b'=')) & (b != before);
        let placeholder = (b == b'<') & within(next, b'a', b'z');
        let path = (b == b'/') & !within(before | 0x20, b'a', b'z');
        let variable = within(b, b'$', b'%');
        let groups = (b == b'-') & (fifth == b'-');
        // One comparison for `a`, `c`, `q` and `s`, small and capital.
        let scheme = ((b | 0x20) == b'b') & ((second | 0x32) == b's');
        let thread = (b == b'd') & (second == b'\'');
        let mark = number | sign | placeholder | path | variable | groups | scheme | thread;
        *flag = -i8::from(mark | (b == b'@') | (b == b'J'));
    }
    mask8x64::from_slice(simd, &flags).to_bitmask()
}

/// Whether `byte` is in `low..=high`, which are ASCII. Vectors can compare signed bytes in one instruction.
#[inline(always)]
#[expect(clippy::inline_always, reason = "as above")]
const fn within(byte: u8, low: u8, high: u8) -> bool {
    byte.wrapping_add(127 - high).cast_signed() > (126 - (high - low)).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Vec<usize> {
        let mut places = Vec::new();
        for base in (0..text.len()).step_by(BLOCK) {
            let marks = dispatch!(Level::new(), simd => marks(simd, text.as_bytes(), base));
            places.extend((0..BLOCK).filter(|bit| marks >> bit & 1 == 1).map(|bit| base + bit));
        }
        places
    }

    #[test]
    fn a_range_of_bytes_has_its_ends() {
        for byte in 0..=u8::MAX {
            assert_eq!(within(byte, b'0', b'9'), byte.is_ascii_digit());
            assert_eq!(within(byte, b'a', b'z'), byte.is_ascii_lowercase());
        }
    }

    #[test]
    fn triggers_are_found_wherever_a_block_begins() {
        for (text, expected) in [
            ("x 120 y", vec![2]),
            ("a1b22", vec![1, 3]),
            ("a: x=y == z::e", vec![1, 4, 7, 11]),
            ("a@b", vec![1]),
            ("<uuid> <X> < y", vec![0]),
            ("a/z \"/z //z", vec![5, 8, 9]),
            ("%s $x", vec![0, 3]),
            ("deadbeef-dead-beef-dead-beefdeadbeef", vec![8, 13, 18]),
            ("eyJx", vec![2]),
            ("Bearer x BASIC y before us", vec![0, 9]),
            ("thread 'x' or 'y'", vec![5]),
            ("plain words, (and) [more]; of them. - yes", vec![]),
        ] {
            for padding in 0..130 {
                let expected: Vec<usize> = expected.iter().map(|place| place + padding).collect();
                assert_eq!(places(&format!("{}{text}", "~".repeat(padding))), expected, "{padding} before {text:?}");
                let prose = "~".repeat(100);
                assert_eq!(places(&format!("{}{text}{prose}", "~".repeat(padding))), expected, "{padding}, {text:?}");
            }
        }
    }
}
