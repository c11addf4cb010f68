//! Reports: any bytes are read or refused, never with a panic. What is read has unique names, and reads the same twice.
#![no_main]

use std::collections::BTreeSet;

use greenloop::report::{ReportSource, incomplete_because, read};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let source = ReportSource::from_bytes("fuzz.json", data.to_vec());
    let pass = || {
        let mut names = Vec::new();
        let read = read(&source, &mut |case| {
            case.evidence()?;
            names.push(case.name.to_string());
            Ok(())
        });
        (read.map_err(|error| error.to_string()), names)
    };
    let (first, names) = pass();
    if let Ok((header, tally, digest)) = &first {
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "two cases with one name were read");
        assert_eq!(*digest, greenloop::model::Digest::of(data));
        let _ = incomplete_because(header, tally);
    }
    let (second, again) = pass();
    assert_eq!(format!("{first:?}"), format!("{second:?}"));
    assert_eq!(names, again);
});
