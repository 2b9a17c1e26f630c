//! Test program: one test per heading of `spec/`, per Debian module, and per hundred generated programs.
//!
//! No test needs Puppet: its answers are recorded by `cargo xtask record`. Tests of Debian's modules need the packages.

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
    let trials = trials(&Selection { only });
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trials(selection: &Selection<'_>) -> Vec<Trial> {
    let groups = [
        ("specs of invalid programs", specs::trials("invalid", selection)),
        ("specs of valid programs", specs::trials("valid", selection)),
        ("specs of evaluation", specs::eval_trials(selection)),
        ("digests of Debian's modules", corpora::modules(selection)),
        ("digests of generated programs", corpora::generated(selection)),
        ("digests of resource types", corpora::resource_types(selection)),
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

/// Selection of tests: nextest starts the program once per test, which then need not read everything.
struct Selection<'a> {
    only: Option<&'a str>,
}

impl Selection<'_> {
    /// Whether any test of that topic is selected.
    fn topic(&self, topic: &str) -> bool {
        self.only.is_none_or(|name| name.split(": ").next() == Some(topic))
    }
}

/// Creates a test that fails, in place of tests that could not be created.
fn broken(name: &str, message: String) -> Trial {
    Trial::test(name, move || Err(Failed::from(message)))
}
