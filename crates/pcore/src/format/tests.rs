use super::{convert, program};
use crate::Value;
use crate::interpolate::text;
use crate::types::NoNames;
use crate::types::parse::parse_literal;

fn value(source: &str) -> Value {
    parse_literal(source, &NoNames).expect("a literal")
}

/// Returns the text of a value, or the message; both as Puppet code.
#[track_caller]
fn check(source: &str, formats: &str, expected: &str) {
    let result = convert(&value(source), &value(formats));
    assert_eq!(result.unwrap_or_else(|error| error.0), expected, "{source} as {formats}");
}

#[test]
fn scalars_have_letters() {
    check("255", "'%#x'", "0xff");
    check("-255", "'%x'", "..f01");
    check("1.5", "default", "1.500000");
    check("true", "'%#Y'", "Y");
    check("undef", "'%u'", "undef");
    check("'a::b'", "'%C'", "A::B");
    check("/a\\/b/", "'%s'", "a/b");
}

#[test]
fn elements_are_quoted_unless_told_otherwise() {
    check("['a', 1.5]", "default", "['a', 1.5]");
    check("['a', 1.5]", "{Array => {format => '%a', string_formats => {Any => '%s'}}}", "[a, 1.5]");
}

#[test]
fn the_narrower_type_wins() {
    check("5", "{Numeric => '%d', Integer[1, 9] => '%#x', Integer => '%o'}", "0x5");
    check("[1, [2]]", "{Array[Integer] => '%(a', Array => '%<a'}", "<1, (2)>");
}

#[test]
fn the_alternate_form_breaks_lines() {
    check("{a => [1, {b => 2}]}", "'%#h'", "{\n  'a' => [1,\n    {\n      'b' => 2\n    }]\n}");
    check("[1, 2, [3], 4]", "'%#1a'", "[ 1,\n  2,\n  [3],\n  4]");
}

#[test]
fn wrong_formats_are_explained() {
    let form = "is not a valid format on the form '%<flags><width>.<prec><format>'";
    check("1", "'%.d'", &format!("The format '%.d' {form}"));
    check("1", "'%##x'", "The same flag can only be used once, got '%##x'");
    check(
        "[1]",
        "'%(<a'",
        "Only one of the delimiters [ { ( < | can be given in the format flags, got '%(<a'",
    );
    check(
        "[1]",
        "'%d'",
        "Illegal format 'd' specified for value of Array type - expected one of the characters 'asp'",
    );
}

#[test]
fn the_program_form_is_read_back() {
    for source in
        ["undef", "[1, 'it\\'s', {'a' => [true, default]}, /a\\/b/, 1.5]", "Integer[1, 2]"]
    {
        assert_eq!(program(&value(source)), source);
        assert_eq!(value(&program(&value(source))), value(source));
    }
}

#[test]
fn plain_text_quotes_nothing() {
    assert_eq!(text(&value("['a', undef, {b => [1.0, default]}]")), "[a, , {b => [1.0, default]}]");
}

#[test]
fn depth_is_an_error_and_no_crash() {
    let mut deep = Value::array([]);
    for _ in 0..3000 {
        deep = Value::array([deep]);
    }
    assert_eq!(
        convert(&deep, &Value::Default).map_err(|error| error.0),
        Err("stack level too deep".into())
    );
    assert_eq!(text(&deep).len(), 6002);
}
