//! One test a heading of `spec/`, a Debian module, a hundred generated programs.
//!
//! No test needs Puppet: what it says was recorded by `cargo xtask record`. Those of Debian's modules need the packages.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write files, run programs and measure time"
)]

mod corpora;
mod specs;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let only = if arguments.exact { arguments.filter.as_deref() } else { None };
    let trials = trials(&Wanted { only });
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trials(wanted: &Wanted<'_>) -> Vec<Trial> {
    let groups = [
        ("specs of invalid programs", specs::trials("invalid", wanted)),
        ("specs of valid programs", specs::trials("valid", wanted)),
        ("specs of evaluation", specs::eval_trials(wanted)),
        ("digests of Debian's modules", corpora::modules(wanted)),
        ("digests of generated programs", corpora::generated(wanted)),
        ("digests of resource types", corpora::resource_types(wanted)),
    ];
    let mut trials = Vec::new();
    for (name, found) in groups {
        match found {
            Ok(found) => trials.extend(found),
            Err(error) => trials.push(broken(name, format!("{error:#}"))),
        }
    }
    trials
}

/// Which tests are wanted: nextest starts the program once for each, and need not read everything then.
struct Wanted<'a> {
    only: Option<&'a str>,
}

impl Wanted<'_> {
    /// Whether any test of that topic is.
    fn topic(&self, topic: &str) -> bool {
        self.only.is_none_or(|name| name.split(": ").next() == Some(topic))
    }
}

/// A test that fails, in place of the tests that could not be made.
fn broken(name: &str, message: String) -> Trial {
    Trial::test(name, move || Err(Failed::from(message)))
}
