//! Random keys in a terminal of any size. See the function of the same name in the library.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| visavis_fuzz::keys(data));
