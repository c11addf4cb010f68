//! Times as producers write them.

/// What a `time` attribute says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Time {
    /// A duration in milliseconds.
    Milliseconds(f64),
    /// A duration in milliseconds that could also be read otherwise (`1,234`).
    Ambiguous(f64),
    /// Negative, not a number, or not finite.
    Odd,
}

/// Reads seconds: `12`, `4.5e-05`, `1,234.56` (thousands), `1.234,56` and `0,5` (decimal comma), `3 s`, `12ms`.
/// `1,234` alone is read as Jenkins reads it, as one thousand two hundred thirty-four.
pub(super) fn parse_time(text: &str) -> Time {
    let text = text.trim();
    let (number, factor) = match text.strip_suffix("ms") {
        Some(number) => (number, 1.0),
        None => (text.strip_suffix(['s', 'S']).unwrap_or(text), 1_000.0),
    };
    let compact: String =
        number.chars().filter(|c| !c.is_whitespace() && !matches!(c, '\'' | '_' | '\u{2019}')).collect();
    let (plain, ambiguous) = without_separators(&compact);
    // `parse` would take `inf` and `nan`.
    if !plain.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-')) {
        return Time::Odd;
    }
    match plain.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 && (value * factor).is_finite() => {
            let milliseconds = round(value * factor);
            if ambiguous { Time::Ambiguous(milliseconds) } else { Time::Milliseconds(milliseconds) }
        }
        _ => Time::Odd,
    }
}

/// To whole microseconds: clocks of test runners are not finer, and the text stays short.
fn round(milliseconds: f64) -> f64 {
    let rounded = (milliseconds * 1_000.0).round() / 1_000.0;
    if rounded.is_finite() { rounded } else { milliseconds }
}

fn without_separators(text: &str) -> (String, bool) {
    match (text.rfind(','), text.rfind('.')) {
        (None, _) if text.matches('.').count() > 1 => (text.replace('.', ""), false),
        (None, _) => (text.to_owned(), false),
        (Some(comma), Some(dot)) if dot > comma => (text.replace(',', ""), false),
        (Some(_), Some(_)) => (text.replace('.', "").replace(',', "."), false),
        (Some(_), None) if text.matches(',').count() > 1 => (text.replace(',', ""), false),
        (Some(comma), None) => {
            let (whole, fraction) = (&text[..comma], &text[comma + 1..]);
            let thousands = fraction.len() == 3 && matches!(whole.len(), 1..=3) && !whole.starts_with('0');
            if thousands { (text.replace(',', ""), true) } else { (text.replace(',', "."), false) }
        }
    }
}

/// True if `text` is a date and time that means something; `0001-01-01` and `1970-01-01` stand for "not known".
pub(super) fn is_timestamp(text: &str) -> bool {
    match text.parse::<jiff::Timestamp>() {
        Ok(timestamp) => timestamp.as_second() > 366 * 24 * 3_600,
        Err(_) => text.parse::<jiff::civil::DateTime>().is_ok_and(|local| local.year() > 1970),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_real_producers() {
        for (text, expected) in [
            ("0", 0.0),
            (" 1.5 ", 1_500.0),
            ("4.50611114501953e-05", 0.045),
            ("1,234.56", 1_234_560.0),
            ("1.234,56", 1_234_560.0),
            ("1,234,567", 1_234_567_000.0),
            ("0,123", 123.0),
            ("12,5", 12_500.0),
            ("1 234.5", 1_234_500.0),
            ("3 s", 3_000.0),
            ("12ms", 12.0),
            ("1967986371", 1_967_986_371_000.0),
        ] {
            assert_eq!(parse_time(text), Time::Milliseconds(expected), "{text}");
        }
        assert_eq!(parse_time("1,234"), Time::Ambiguous(1_234_000.0));
        for text in ["", "-345345", "NaN", "inf", "1e999", "abc", "00:01:02", "--1", "1e"] {
            assert_eq!(parse_time(text), Time::Odd, "{text}");
        }
    }

    #[test]
    fn timestamps() {
        for good in
            ["2012-01-01T00:00:00", "2024-01-03T12:27:11.21-01:00", "2024-01-03 12:27:54", "2024-01-03T12:27:44Z"]
        {
            assert!(is_timestamp(good), "{good}");
        }
        for bad in ["0001-01-01T00:00:00", "1970-01-01T00:00:00", "Sat, 03 Dec 2022 23:10:07 GMT", "", "now"] {
            assert!(!is_timestamp(bad), "{bad}");
        }
    }
}
