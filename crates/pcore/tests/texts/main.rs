//! Texts against what Ruby, Puppet and the stdlib module answered (`recorded/`), or answer now.
//!
//! The answers are recorded by `tests/oracle/texts.rb record`. With `KUKLA_ORACLE=SEED:COUNT` in the environment
//! Ruby is asked that many generated questions more about every subject.

mod case;
mod numbers;
mod sprintf;

#[test]
fn numbers() {
    case::check("numbers", numbers::answer);
}

#[test]
fn sprintf() {
    case::check("sprintf", sprintf::answer);
}
