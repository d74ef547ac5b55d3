//! A terminal of any size and keys of any kind. See the function of the same name in the library.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| visavis_fuzz::keys(data));
