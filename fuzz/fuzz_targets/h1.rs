//! libFuzzer on [`Target::H1`].

#![no_main]

use kukla_fuzz::Target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| Target::H1.run(bytes));
