//! One test a heading of `spec/`, a Debian module, a hundred generated programs.
//!
//! No test needs Puppet: what it says was recorded by `cargo xtask record`.

mod corpora;
mod specs;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for (name, found) in [
        ("specs of invalid programs", specs::trials("invalid")),
        ("specs of valid programs", specs::trials("valid")),
        ("digests of Debian's modules", corpora::modules()),
        ("digests of generated programs", corpora::generated()),
    ] {
        match found {
            Ok(found) => trials.extend(found),
            Err(error) => trials.push(broken(name, format!("{error:#}"))),
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A test that fails, in place of the tests that could not be made.
fn broken(name: &str, message: String) -> Trial {
    Trial::test(name, move || Err(Failed::from(message)))
}
