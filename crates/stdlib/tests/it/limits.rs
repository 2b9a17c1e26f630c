//! Values at the limits are errors, never panics or wrong values.

use std::sync::Arc;

use kukla_compiler::{Functions, Limits, Session, Strictness};
use kukla_pcore::{Hash, Value};
use kukla_stdlib::module::{Generation, functions};

/// Returns the message of code that must fail.
#[track_caller]
fn message(code: &str) -> String {
    message_within(code, Limits::default())
}

#[track_caller]
fn message_within(code: &str, limits: Limits) -> String {
    let library = Arc::new(Functions::new(kukla_stdlib::BUILT_IN));
    let mut session = Session::new(library, Strictness::default(), limits, &Hash::new());
    session.evaluate(code, "").value.expect_err("this has no value").to_string()
}

#[test]
fn the_least_integer_has_no_opposite() {
    let message = message("-(-9223372036854775807 - 1)");
    assert!(
        message.contains("outside of Puppet Integer max range, got '+0x8000000000000000'"),
        "{message}"
    );
}

#[test]
fn calls_without_end_are_stopped() {
    let message = message("function f($n) { f($n + 1) } f(1)");
    assert!(message.contains("stack level too deep"), "{message}");
}

#[test]
fn a_loop_without_an_end_in_sight_is_stopped() {
    let limits = Limits { steps: 100_000, ..Limits::default() };
    for code in ["1000000000.each |$x| { }", "Integer[1, 1000000000].each |$x| { $x + 1 }"] {
        let message = message_within(code, limits);
        assert!(message.contains("takes more than 100000 steps"), "{code}: {message}");
    }
    assert!(Limits::default().steps < 1_000_000_000, "a loop of that length meets the limit");
}

#[test]
#[ignore = "takes minutes without optimization"]
fn arrays_that_fill_the_memory_are_refused() {
    let doubled = "Integer[1, 60].reduce([1, 2, 3]) |$all, $x| { $all + $all }.length";
    assert!(message(doubled).contains("failed to allocate memory"));
}

#[test]
#[ignore = "takes minutes without optimization"]
fn texts_that_fill_the_memory_are_refused() {
    let doubled = "Integer[1, 60].reduce('text') |$all, $x| { \"${all}${all}\" }.length";
    assert!(message(doubled).contains("failed to allocate memory"));
}

#[test]
fn a_catastrophic_pattern_is_stopped() {
    let message = message("'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' =~ /^(a|a)*$/");
    assert!(message.contains("too many steps"), "{message}");
}

#[test]
fn values_that_are_nested_deeply_are_compared_and_shown() {
    let deep = "Integer[1, 1500].reduce([1]) |$all, $x| { [$all] }";
    let code =
        format!("$a = {deep} $b = {deep} [$a == $b, \"${{a}}\".length, type($a) == type($b)]");
    let library = Arc::new(Functions::new(kukla_stdlib::BUILT_IN));
    let mut session = Session::new(library, Strictness::default(), Limits::default(), &Hash::new());
    let value = session.evaluate(&code, "").value.expect("this has a value");
    assert_eq!(kukla_pcore::interpolate::text(&value), "[true, 3003, true]");
}

#[test]
fn times_that_are_too_long_are_told() {
    for code in ["Timespan(1) + 1.0e300", "Timestamp(0) - 1.0e300", "Timespan(5) / 0.0"] {
        assert!(message(code).contains("expression, Infinity"), "{code}");
    }
    let message = message("Timespan(1) * 1.0e28 * 1000000000000");
    assert!(message.contains("too long to be counted"), "{message}");
}

#[test]
fn values_are_not_nested_without_end() {
    for code in [
        "Integer[1, 1000000].reduce([]) |$m, $x| { [$m] }",
        "Integer[1, 1000000].reduce(1) |$m, $x| { {'a' => [0, 0, 0, 0, 0, $m]} }",
        "Integer[1, 1000000].reduce([1]) |$m, $x| { slice($m, 1) }",
        "Integer[1, 1000000].reduce(Integer) |$m, $x| { Array[$m] }",
        "Integer[1, 1000000].reduce(Integer) |$m, $x| { Callable[$m] }",
        "Integer[1, 1000000].reduce(1) |$m, $x| { Deferred('f', [$m]) }",
        "function f($n, $m) { if $n == 0 { [$m] } else { f($n - 1, f($n - 1, $m)) } } f(18, 1)",
    ] {
        let message = message(code);
        assert!(message.contains("nested too deeply: more than 2000 levels"), "{code}: {message}");
    }
}

/// Values just below the limit are usable.
#[test]
fn functions_of_stdlib_take_deep_values() {
    let functions = Functions::new(kukla_stdlib::BUILT_IN).with(functions(Generation::Nine));
    let library = Arc::new(functions);
    for code in [
        "deep_merge($deep, $deep) == $deep",
        "stdlib::nested_values($deep) == [1]",
        "stdlib::to_ruby($deep) =~ String",
        "stdlib::rewrap_sensitive_data($deep) == $deep",
    ] {
        let code =
            format!("$deep = Integer[1, 1000].reduce(1) |$m, $x| {{ {{'a' => $m}} }}\n{code}");
        let mut session =
            Session::new(library.clone(), Strictness::default(), Limits::default(), &Hash::new());
        let value = session.evaluate(&code, "").value;
        assert!(matches!(value, Ok(Value::Boolean(true))), "{code}: {value:?}");
    }
}
