//! JUnit XML: any bytes are imported or refused, never with a panic; and the same twice.
#![no_main]

use greenloop::report::import::{Input, import_junit};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let import = || import_junit(&[Input { name: "fuzz.xml".to_owned(), bytes: data.to_vec() }], None, None);
    assert_eq!(format!("{:?}", import()), format!("{:?}", import()));
});
