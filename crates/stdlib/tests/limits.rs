//! Values at the ends of what can be counted are errors, never panics or wrong values.

use std::sync::Arc;

use kukla_compiler::{Functions, Limits, Session, Settings};
use kukla_pcore::Hash;

/// The message of code that must fail.
#[track_caller]
fn message(code: &str) -> String {
    let library = Arc::new(Functions::new(kukla_stdlib::BUILT_IN));
    let mut session = Session::new(library, Settings::default(), Limits::default(), &Hash::new());
    session.evaluate(code, "").value.expect_err("this has no value")
}

#[test]
fn the_least_integer_has_no_opposite() {
    let said = message("-(-9223372036854775807 - 1)");
    assert!(
        said.contains("outside of Puppet Integer max range, got '+0x8000000000000000'"),
        "{said}"
    );
}

#[test]
fn calls_without_end_are_stopped() {
    let said = message("function f($n) { f($n + 1) } f(1)");
    assert!(said.contains("stack level too deep"), "{said}");
}

#[test]
fn times_that_are_too_long_are_told() {
    for code in ["Timespan(1) + 1.0e300", "Timestamp(0) - 1.0e300", "Timespan(5) / 0.0"] {
        assert!(message(code).contains("expression, Infinity"), "{code}");
    }
    let said = message("Timespan(1) * 1.0e28 * 1000000000000");
    assert!(said.contains("too long to be counted"), "{said}");
}
