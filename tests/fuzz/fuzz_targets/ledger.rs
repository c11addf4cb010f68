//! Ledgers: any bytes verify or are named broken, never with a panic. A verified ledger stays verified when its torn
//! tail is cut off, and no single changed byte of its whole lines goes unnoticed.
#![no_main]

use greenloop::ledger::verify;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    match verify(data) {
        Err(broken) => assert!(broken.offset <= data.len() as u64, "{broken}"),
        Ok(summary) => {
            let whole = &data[..summary.whole_bytes as usize];
            let cut = verify(whole).expect("whole lines verify alone");
            assert_eq!(cut.torn, None);
            assert!(cut.entries.len() <= summary.entries.len());
            // One changed digit in every line would be found; the fuzzer picks the place by the length of the input.
            if let Some(at) = (!cut.entries.is_empty()).then(|| data.len() * 7919 % whole.len()) {
                let mut changed = whole.to_vec();
                changed[at] ^= 1;
                let seen = verify(&changed);
                assert!(seen.is_err() || seen.is_ok_and(|seen| seen.head() != cut.head()), "byte {at} changed unseen");
            }
        }
    }
});
