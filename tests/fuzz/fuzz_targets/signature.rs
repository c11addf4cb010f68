//! The normalizer: takes any text, and a second pass changes nothing.
#![no_main]

use greenloop::categorize::signature::normalize;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let once = normalize(text);
    assert_eq!(once, normalize(&once), "not idempotent");
});
