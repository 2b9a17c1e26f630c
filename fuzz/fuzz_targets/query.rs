//! libFuzzer on [`Target::Query`].

#![no_main]

use kukla_fuzz::Target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| Target::Query.run(bytes));
