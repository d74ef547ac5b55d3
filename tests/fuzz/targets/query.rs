//! An arbitrary query, parsed, printed and completed. See the function of the same name in the
//! library.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| visavis_fuzz::query(data));
