//! An arbitrary file, loaded, and every sample of it read. See the function of the same name in the
//! library.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| visavis_fuzz::load(data));
