use super::{Convert, Present, new_instance};
use crate::format::program;
use crate::time::Timestamp;
use crate::types::parse::{parse, parse_literal};
use crate::types::{NoNames, infer};
use crate::{Type, Value};

fn present() -> Present {
    Present { now: Timestamp(0), utc_offset: 0 }
}

fn new(type_: &Type, arguments: &[Value]) -> Result<Value, String> {
    let convert = Convert::new(&NoNames, &present);
    new_instance(&convert, type_, arguments).map_err(|error| error.0)
}

/// Returns the program form of `type.new(arguments)`, or the message.
#[track_caller]
fn check(type_: &str, arguments: &str, expected: &str) {
    let Ok(Value::Array(arguments)) = parse_literal(arguments, &NoNames) else {
        panic!("the arguments are an array");
    };
    let result = new(&parse(type_, &NoNames).expect("a type"), &arguments);
    let actual = result.map_or_else(|message| message, |value| program(&value));
    assert_eq!(actual, expected, "{type_}.new({arguments:?})");
}

#[test]
fn an_instance_is_given_back() {
    check("Any", "[5]", "5");
    check("Variant[Integer, String]", "['a']", "'a'");
}

#[test]
fn the_first_signature_that_fits_is_taken() {
    check("Integer", "['0x1F']", "31");
    check("Integer", "['-  10', 16]", "-16");
    check("Integer", "[{from => '-3', abs => true}]", "3");
    check("Boolean", "['No']", "false");
    check("Hash", "[[[[a, b], 1]], 'tree']", "{'a' => {'b' => 1}}");
    check("Array", "['ab']", "['a', 'b']");
    check("Timespan", "[1, 2, 3, 4]", "'1-02:03:04.0'");
    check("SemVer", "[1, 2, 3, 'rc1']", "'1.2.3-rc1'");
    check("Timestamp", "[]", "'1970-01-01T00:00:00.000000000 UTC'");
    check("Init[Integer, 16]", "['10']", "16");
    check("Deferred", "['f', [1]]", "Deferred({'name' => 'f', 'arguments' => [1]})");
}

#[test]
fn what_does_not_fit_is_described() {
    check("Integer", "['x']", "'new' The string 'x' cannot be converted to Integer");
    check("Integer", "['1', 3]", "Illegal radix: 3, expected 2, 8, 10, 16, or default");
    check("Boolean", "[]", "'new_boolean' expects 1 argument, got none");
    check("Regexp", "[1]", "'new_float' parameter 'pattern' expects a String value, got Integer");
    check("Callable", "[1]", "Creation of new instance of type 'Callable' is not supported");
}

#[test]
fn results_have_the_type() {
    check(
        "Integer[1, 2]",
        "['3']",
        "Converted value from Integer[1, 2].new() has wrong type, expects an Integer[1, 2] value, got Integer[3, 3]",
    );
    check(
        "Array[String]",
        "[[1]]",
        "Converted value from Array[String].new() has wrong type, index 0 expects a String value, got Integer",
    );
}

#[test]
fn integers_end_at_64_bits() {
    check(
        "Integer",
        "['9223372036854775808']",
        "9223372036854775808 is outside of the range of Integer",
    );
    check(
        "Integer",
        "[1e30]",
        "1000000000000000019884624838656 is outside of the range of Integer",
    );
}

/// All arguments give an instance of the type or a message.
#[test]
fn odd_arguments_do_no_harm() {
    let types = [
        "Integer",
        "Float",
        "Numeric",
        "String",
        "Boolean",
        "Array",
        "Hash",
        "Regexp",
        "Binary",
        "Timestamp",
        "Timespan",
        "SemVer",
        "SemVerRange",
        "URI",
        "Sensitive",
        "Type",
        "Deferred",
        "Error",
        "Init[Integer]",
        "Init[Array, true]",
        "Struct[{a => Integer}]",
        "Optional[Float]",
    ];
    let values = parse_literal(
        "[undef, default, true, 0, -1, 9223372036854775807, 1.5, 1e300, '', 'a', '%', '1-', [], [[]],
          [[[], 1]], [['a'], 1], {}, {a => 1}, {from => 1}, {value => []}, {string => '%'}, /a/, Integer]",
        &NoNames,
    );
    let Ok(Value::Array(values)) = values else { panic!("an array of values") };
    for type_ in types.map(|text| parse(text, &NoNames).expect("a type")) {
        let check = |arguments: &[Value]| match new(&type_, arguments) {
            Ok(value) if matches!(type_, Type::Init(_)) => drop(infer(&value)),
            Ok(value) => assert!(type_.is_instance(&value), "{type_}.new({arguments:?})"),
            Err(message) => assert!(!message.is_empty(), "{type_}.new({arguments:?})"),
        };
        check(&[]);
        for first in &values {
            check(std::slice::from_ref(first));
            values.iter().for_each(|second| check(&[first.clone(), second.clone()]));
        }
    }
}
