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
//! | `-` with a `-` 5 or 33 bytes further on | UUID, traceparent |
//! | `yJ` | JSON Web Tokens |
//! | a word with the outline of `bearer ` or `basic ` | credentials |
//! | `d '` | the name of a thread |

/// Bytes of a block: as many as a mask has bits.
pub(super) const BLOCK: usize = 64;
/// Bytes behind a block that its last byte depends on.
const AHEAD: usize = 33;
/// A block, the byte before it, and the bytes behind it.
const VIEW: usize = 1 + BLOCK + AHEAD;

/// A mask of the triggers in the block of `bytes` that starts at `base`: the lowest bit is for its first byte.
#[inline]
pub(super) fn marks(bytes: &[u8], base: usize) -> u64 {
    if let Some(view) = base.checked_sub(1).and_then(|from| bytes[from..].first_chunk::<VIEW>()) {
        return marks_in(view);
    }
    // The start and the end of a text: zeros stand for what is missing, and no rule has a zero.
    let mut view = [0; VIEW];
    let gap = usize::from(base == 0);
    let rest = &bytes[base - (1 - gap)..];
    let length = rest.len().min(VIEW - gap);
    view[gap..gap + length].copy_from_slice(&rest[..length]);
    marks_in(&view)
}

#[inline]
#[expect(clippy::needless_bitwise_bool, reason = "without branches the loop becomes vector instructions")]
fn marks_in(view: &[u8; VIEW]) -> u64 {
    let mut flags = [0_u8; BLOCK];
    for (index, flag) in flags.iter_mut().enumerate() {
        let (before, b, next) = (view[index], view[index + 1], view[index + 2]);
        let (fourth, fifth, sixth) = (view[index + 5], view[index + 6], view[index + 7]);
        let digit_before = before.wrapping_sub(b'0') < 10;
        let number = (b.wrapping_sub(b'0') < 10) & !digit_before;
        let sign = ((b == b':') & (before != b':')) | ((b == b'=') & (next != b'=') & (before != b'='));
        let placeholder = (b == b'<') & (next.wrapping_sub(b'a') < 26);
        let path = (b == b'/') & !(((before | 0x20).wrapping_sub(b'a') < 26) | digit_before);
        let variable = b.wrapping_sub(b'$') < 2;
        let groups = (b == b'-') & ((fifth == b'-') | (view[index + 1 + AHEAD] == b'-'));
        let token = (b == b'y') & (next == b'J');
        let scheme = ((b | 0x20) == b'b')
            & ((((fifth | 0x20) == b'r') & (sixth == b' ')) | (((fourth | 0x20) == b'c') & (fifth == b' ')));
        let thread = (b == b' ') & (next == b'\'') & (before == b'd');
        *flag = u8::from(
            number | sign | (b == b'@') | placeholder | path | variable | groups | token | scheme | thread,
        );
    }
    let mut marks = 0;
    let (eights, _) = flags.as_chunks::<8>();
    for (index, eight) in eights.iter().enumerate() {
        // Moves the lowest bit of each of eight bytes into the highest byte.
        let bits = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        marks |= bits << (8 * index);
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Vec<usize> {
        let mut places = Vec::new();
        for base in (0..text.len()).step_by(BLOCK) {
            let marks = marks(text.as_bytes(), base);
            places.extend((0..BLOCK).filter(|bit| marks >> bit & 1 == 1).map(|bit| base + bit));
        }
        places
    }

    #[test]
    fn triggers_are_found_wherever_a_block_begins() {
        let uuid = "deadbeef-dead-beef-dead-beefdeadbeef";
        let trace = format!("ab-{}-b", "c".repeat(32));
        for (text, expected) in [
            ("x 120 y", vec![2]),
            ("a1b22", vec![1, 3]),
            ("a: b=c == d::e", vec![1, 4, 12]),
            ("a@b", vec![1]),
            ("<uuid> <X> < y", vec![0]),
            ("a/b \"/c //d", vec![5, 8, 9]),
            ("%s $x", vec![0, 3]),
            (uuid, vec![8, 13, 18]),
            (&trace, vec![2]),
            ("eyJx", vec![1]),
            ("Bearer x basic y before us", vec![0, 9]),
            ("thread 'x' and 'y'", vec![6, 14]),
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
