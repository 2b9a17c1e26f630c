//! Texts against what Ruby, Puppet and the stdlib module answered (`recorded/`), or answer now.
//!
//! The answers are recorded by `tests/oracle/texts.rb record`. With `KUKLA_ORACLE=SEED:COUNT` in the environment
//! Ruby is asked that many generated questions more about every subject.

mod case;
mod cases;
mod numbers;
mod random;
mod sprintf;
mod time;
mod versions;

#[test]
fn numbers() {
    case::check("numbers", numbers::answer);
}

#[test]
fn sprintf() {
    case::check("sprintf", sprintf::answer);
}

#[test]
fn versions() {
    case::check("versions", versions::answer);
}

#[test]
fn random() {
    case::check("random", random::answer);
}

#[test]
fn upper_and_lower_case() {
    case::check("case", cases::answer);
}

#[test]
fn timestamps_and_timespans() {
    case::check("time", time::answer);
}
