//! Lines of anything, read together and each by itself. See the function of the same name in the library.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| visavis_fuzz::lines(data));
