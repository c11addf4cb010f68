//! Category maps: any bytes give a map or findings, never a panic; a map exactly when no finding is an error; and the
//! same twice, also from the same bytes with a UTF-8 byte order mark taken away.
#![no_main]

use greenloop::category_map::parse;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let first = parse("fuzz.json", data);
    assert_eq!(first.map.is_some(), first.errors() == 0, "{:?}", first.findings);
    assert!(first.map.is_some() || !first.findings.is_empty(), "refused without a word");
    let text = String::from_utf8_lossy(data);
    for finding in &first.findings {
        assert!(!finding.message.is_empty() && finding.place.line.is_none_or(|line| line <= text.lines().count() + 1));
    }
    assert_eq!(format!("{first:?}"), format!("{:?}", parse("fuzz.json", data)));
});
