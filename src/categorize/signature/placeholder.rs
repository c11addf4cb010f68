//! Placeholders: their kinds, their text, and the numbering inside one text.

use std::collections::HashMap;

/// What a placeholder stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Secret,
    Email,
    Host,
    Ip,
    Trace,
    Uuid,
    Hash,
    Git,
    Time,
    Duration,
    Addr,
    Tmp,
    Pid,
    Tid,
    Port,
    Line,
}

/// Every kind, at the place of its discriminant.
const KINDS: [Kind; 16] = [
    Kind::Secret,
    Kind::Email,
    Kind::Host,
    Kind::Ip,
    Kind::Trace,
    Kind::Uuid,
    Kind::Hash,
    Kind::Git,
    Kind::Time,
    Kind::Duration,
    Kind::Addr,
    Kind::Tmp,
    Kind::Pid,
    Kind::Tid,
    Kind::Port,
    Kind::Line,
];

impl Kind {
    /// The name between the angle brackets.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Secret => "secret",
            Self::Email => "email",
            Self::Host => "host",
            Self::Ip => "ip",
            Self::Trace => "trace",
            Self::Uuid => "uuid",
            Self::Hash => "hash",
            Self::Git => "git",
            Self::Time => "time",
            Self::Duration => "duration",
            Self::Addr => "addr",
            Self::Tmp => "tmp",
            Self::Pid => "pid",
            Self::Tid => "tid",
            Self::Port => "port",
            Self::Line => "line",
        }
    }

    /// Whether equality of two values inside one text means something. Measurements are not numbered.
    pub(super) const fn is_numbered(self) -> bool {
        !matches!(self, Self::Time | Self::Duration | Self::Line)
    }
}

/// Longest number a placeholder may have. A text cannot hold more values than this has digits for.
const MAX_DIGITS: usize = 9;

/// Recognizes a placeholder at `start`. Returns its kind and its end.
pub(super) fn parse(bytes: &[u8], start: usize) -> Option<(Kind, usize)> {
    if bytes.get(start) != Some(&b'<') {
        return None;
    }
    let name_start = start + 1;
    let rest = bytes.get(name_start..)?;
    let name_len = rest.iter().take(9).take_while(|b| b.is_ascii_lowercase()).count();
    let kind = *KINDS.iter().find(|kind| kind.name().as_bytes() == &rest[..name_len])?;
    let digits = rest[name_len..].iter().take(MAX_DIGITS + 1).take_while(|b| b.is_ascii_digit()).count();
    let numbered = digits > 0;
    let well_formed = digits <= MAX_DIGITS && rest.get(name_len) != Some(&b'0');
    let end = name_start + name_len + digits;
    (numbered == kind.is_numbered() && well_formed && bytes.get(end) == Some(&b'>')).then_some((kind, end + 1))
}

/// Up to this many values a list is faster than a hash map; beyond, the map keeps the cost linear.
const FEW: usize = 16;

/// Numbers the values of one text, per kind, by first appearance.
#[derive(Default)]
pub(super) struct Numbering<'t> {
    last: [u32; KINDS.len()],
    few: Vec<(Kind, &'t str, u32)>,
    many: HashMap<(Kind, &'t str), u32>,
}

impl<'t> Numbering<'t> {
    /// Appends the placeholder of `value` to `out`.
    pub(super) fn write(&mut self, kind: Kind, value: &'t str, out: &mut String) {
        out.push('<');
        out.push_str(kind.name());
        if kind.is_numbered() {
            push_number(self.number(kind, value), out);
        }
        out.push('>');
    }

    fn number(&mut self, kind: Kind, value: &'t str) -> u32 {
        if let Some((.., number)) = self.few.iter().find(|(k, v, _)| *k == kind && *v == value) {
            return *number;
        }
        if let Some(number) = self.many.get(&(kind, value)) {
            return *number;
        }
        let last = &mut self.last[kind as usize];
        *last = last.saturating_add(1);
        if self.few.len() < FEW {
            self.few.push((kind, value, *last));
        } else {
            self.many.insert((kind, value), *last);
        }
        *last
    }
}

/// `to_string` without the allocation: nearly every number has one digit.
fn push_number(number: u32, out: &mut String) {
    if number >= 10 {
        push_number(number / 10, out);
    }
    let digit = u8::try_from(number % 10).unwrap_or_default();
    out.push(char::from(b'0' + digit));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_at_their_place() {
        for (place, kind) in KINDS.iter().enumerate() {
            assert_eq!(*kind as usize, place);
            assert!(kind.name().len() <= 9);
        }
    }

    #[test]
    fn only_well_formed_placeholders_are_recognized() {
        assert_eq!(parse(b"<uuid12> x", 0), Some((Kind::Uuid, 8)));
        assert_eq!(parse(b"<time>", 0), Some((Kind::Time, 6)));
        for text in ["<uuid>", "<uuid0>", "<uuid01>", "<time1>", "<UUID1>", "<uuid1", "<foo1>", "<", "<uuid1234567890>"]
        {
            assert_eq!(parse(text.as_bytes(), 0), None, "{text}");
        }
    }

    #[test]
    fn numbers_follow_first_appearance_per_kind_beyond_the_short_list() {
        let values: Vec<String> = (0..40).map(|n| format!("v{n}")).collect();
        let mut numbering = Numbering::default();
        let mut out = String::new();
        for value in values.iter().chain(&values) {
            numbering.write(Kind::Ip, value, &mut out);
        }
        numbering.write(Kind::Git, "v0", &mut out);
        let mut once = String::new();
        for n in 1..=40 {
            once.push_str(&format!("<ip{n}>"));
        }
        assert_eq!(out, format!("{once}{once}<git1>"));
    }
}
