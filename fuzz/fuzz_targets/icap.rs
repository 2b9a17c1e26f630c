//! libFuzzer on [`Target::Icap`].

#![no_main]

use kukla_fuzz::Target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| Target::Icap.run(bytes));
