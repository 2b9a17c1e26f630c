//! Variables, operators, matches, access and assignment.

use kukla_base::Symbol;
use kukla_pcore::Value;
use kukla_pcore::regex::{LimitError, RegexError};
use kukla_syntax::Ast;
use kukla_syntax::ast::ExprId;
use kukla_syntax::label as expression;

use super::{Code, Issue};
use crate::Program;
use crate::interpreter::label;

/// `$nope`
pub(crate) fn unknown_variable(name: &str) -> Issue {
    Issue::new(Code::UNKNOWN_VARIABLE, format!("Unknown variable: '{name}'."))
}

/// `Nope`
pub(crate) fn unknown_type(name: &str) -> Issue {
    Issue::new(Code::UNKNOWN_RESOURCE_TYPE, format!("Resource type not found: {name}"))
}

/// `1 + 'a'`
pub(crate) fn not_numeric(shown: &str) -> Issue {
    let message = format!("The value '{shown}' cannot be converted to Numeric.");
    Issue::new(Code::NOT_NUMERIC, message)
}

/// `1 + '2'`
pub(crate) fn numeric_coercion(before: &str, after: &str) -> Issue {
    let message =
        format!("The string '{before}' was automatically coerced to the numerical value {after}");
    Issue::new(Code::NUMERIC_COERCION, message)
}

/// `true + 1`
pub(crate) fn operator_not_applicable(operator: &str, left: &Value) -> Issue {
    let message = format!("Operator '{operator}' is not applicable to {}.", label::a_an(left));
    Issue::new(Code::OPERATOR_NOT_APPLICABLE, message)
}

/// `1 % 1.5`
pub(crate) fn operator_not_applicable_when(operator: &str, left: &Value, right: &Value) -> Issue {
    let (left, right) = (label::a_an(left), label::a_an(right));
    let message =
        format!("Operator '{operator}' is not applicable to {left} when right side is {right}.");
    Issue::new(Code::OPERATOR_NOT_APPLICABLE, message)
}

/// `1 / 0`
pub(crate) fn division_by_zero() -> Issue {
    Issue::new(Code::DIV_BY_ZERO, "Division by 0")
}

/// `1.0e308 * 10`
pub(crate) fn result_is_infinity(operator: &str) -> Issue {
    let message = format!("The result of the {operator} expression is Infinity");
    Issue::new(Code::RESULT_IS_INFINITY, message)
}

/// `9223372036854775807 + 1`
pub(crate) fn numeric_overflow(program: &Program, id: ExprId, value: i128) -> Issue {
    overflow(program, id, value > 0, &format!("{:#x}", value.unsigned_abs()))
}

/// `1 << 100`
pub(crate) fn shift_overflow(program: &Program, id: ExprId, value: i64, bits: i128) -> Issue {
    // Ruby prints all digits; a shift of more than this many bits is beyond every reader.
    let bits = usize::try_from(bits).unwrap_or(usize::MAX).min(1 << 20);
    let shifted = value.unsigned_abs() << (bits % 4);
    overflow(program, id, value > 0, &format!("{shifted:#x}{}", "0".repeat(bits / 4)))
}

fn overflow(program: &Program, id: ExprId, is_positive: bool, digits: &str) -> Issue {
    let expression = expression::a_an_uc(program.ast(), id);
    let (side, sign) = if is_positive { ("max", '+') } else { ("min", '-') };
    let message = format!(
        "{expression} resulted in a value outside of Puppet Integer {side} range, got '{sign}{digits}'"
    );
    Issue::new(Code::NUMERIC_OVERFLOW, message)
}

/// `1 < 'a'`
pub(crate) fn comparison_not_possible(
    operator: &str,
    left: &Value,
    right: &Value,
    detail: &str,
) -> Issue {
    let (left, right) = (label::label(left), label::label(right));
    let message =
        format!("Comparison of: {left} {operator} {right}, is not possible. Caused by '{detail}'.");
    Issue::new(Code::COMPARISON_NOT_POSSIBLE, message)
}

/// `'a' =~ 1`
pub(crate) fn match_not_regexp(detail: &str) -> Issue {
    let message = format!(
        "Can not convert right match operand to a regular expression. Caused by '{detail}'."
    );
    Issue::new(Code::MATCH_NOT_REGEXP, message)
}

/// `1 =~ /a/`
pub(crate) fn match_not_string(left: &Value) -> Issue {
    let message =
        format!("Left match operand must result in a String value. Got {}.", label::a_an(left));
    Issue::new(Code::MATCH_NOT_STRING, message)
}

/// A match that takes too long.
pub(crate) fn regexp_limit(error: &LimitError) -> Issue {
    Issue::new(Code::REGEXP_LIMIT, error.to_string())
}

/// A text that is no regular expression.
pub(crate) fn invalid_regexp(error: &RegexError) -> Issue {
    Issue::new(Code::INVALID_REGEXP, error.to_string())
}

/// `1 ? { 2 => 3 }`
pub(crate) fn unmatched_selector(shown: &str) -> Issue {
    let message = format!("No matching entry for selector parameter with value '{shown}'");
    Issue::new(Code::UNMATCHED_SELECTOR, message)
        .with_help("add an entry for this value, or a `default`")
}

/// `$a = 1 $a = 2`
pub(crate) fn reassignment(name: &str) -> Issue {
    let message = match name {
        "name" | "title" => {
            format!("Cannot reassign built in (or already assigned) variable '${name}'")
        }
        _ => format!("Cannot reassign variable '${name}'"),
    };
    Issue::new(Code::ILLEGAL_REASSIGNMENT, message)
}

/// `class a($b) { }` with a `$b` that is a variable of the class already.
pub(crate) fn parameter_reassignment(name: Symbol) -> Issue {
    Issue::new(Code::ILLEGAL_REASSIGNMENT, format!("Cannot reassign variable '${name}'"))
}

/// `$facts = 1`
pub(crate) fn reserved_assignment(name: &str) -> Issue {
    let message = format!("Attempt to assign to a reserved variable name: '${name}'");
    Issue::new(Code::ILLEGAL_RESERVED_ASSIGNMENT, message)
}

/// `$facts = 1` where there are no facts: Puppet leaves the dollar sign out.
pub(crate) fn reserved_name(name: &str) -> Issue {
    let message = format!("Attempt to assign to a reserved variable name: '{name}'");
    Issue::new(Code::ILLEGAL_RESERVED_ASSIGNMENT, message)
}

/// `[$a, $b] = [1]`
pub(crate) fn multi_assignment_size(expected: usize, actual: usize) -> Issue {
    let message = format!(
        "Mismatched number of assignable entries and values, expected {expected}, got {actual}"
    );
    Issue::new(Code::MULTI_ASSIGNMENT_MISMATCH, message)
}

/// `[$a] = { b => 1 }`
pub(crate) fn multi_assignment_key(key: &str) -> Issue {
    let message = format!("No value for required key '{key}' in assignment to variables from hash");
    Issue::new(Code::MULTI_ASSIGNMENT_MISMATCH, message)
}

/// `[$a, $b] = Class['c']` where the class has no such variable.
pub(crate) fn multi_assignment_variable(class: Symbol, name: &str) -> Issue {
    let message = format!(
        "No value for required variable '${class}::{name}' in assignment to variables from class reference"
    );
    Issue::new(Code::MULTI_ASSIGNMENT_MISMATCH, message)
}

/// `$a = 1` while parameters are evaluated.
pub(crate) fn assignment_in_parameters(name: &str) -> Issue {
    let message = format!("Attempt to assign variable {name} when evaluating parameters");
    Issue::new(Code::ASSIGNMENT_IN_PARAMETERS, message)
}

/// `1 = 2`
pub(crate) fn illegal_assignment() -> Issue {
    let message = "Illegal attempt to assign to something that is not a variable";
    Issue::new(Code::ILLEGAL_ASSIGNMENT, message)
}

/// `'abc'[]`
pub(crate) fn string_slice_arity(actual: usize) -> Issue {
    let message = format!("String supports [] with one or two arguments. Got {actual}");
    Issue::new(Code::BAD_SLICE, message)
}

/// `[1][]`
pub(crate) fn array_slice_arity(actual: usize) -> Issue {
    let message = format!("Array supports [] with one or two arguments. Got {actual}");
    Issue::new(Code::BAD_SLICE, message)
}

/// `[1]['a']`
pub(crate) fn slice_key_type(left: &Value, actual: &str, expected: &str) -> Issue {
    let left = label::a_an_uc(left);
    let message = format!("{left}[] cannot use {actual} where {expected} is expected");
    Issue::new(Code::BAD_SLICE, message)
}

/// `'abc'[1.5]`
pub(crate) fn string_slice_key_type(actual: &str) -> Issue {
    let article = if expression::starts_with_vowel(actual) { "an" } else { "a" };
    let message = format!(
        "A substring operation does not accept {article} {actual} as a character index. Expected an Integer"
    );
    Issue::new(Code::BAD_SLICE, message)
}

/// `Integer['a']`, in the words of the type.
pub(crate) fn bad_type_parameters(message: String) -> Issue {
    Issue::new(Code::BAD_TYPE_PARAMETERS, message)
}

/// `attr` as a name.
pub(crate) fn reserved_word(word: &str) -> Issue {
    let message =
        format!("Use of reserved word: {word}, must be quoted if intended to be a String value");
    Issue::new(Code::RESERVED_WORD, message)
}

/// `<% |$a %>`
pub(crate) fn illegal_epp_parameters() -> Issue {
    let message = "Ambiguous EPP parameter expression. Probably missing '<%-' before parameters to remove leading whitespace";
    Issue::new(Code::ILLEGAL_EPP_PARAMETERS, message)
}

/// `1()`
pub(crate) fn not_a_function(ast: &Ast, functor: ExprId, call: ExprId) -> Issue {
    let (what, container) = (expression::a_an_uc(ast, functor), expression::a_an(ast, call));
    let message =
        format!("Illegal expression. {what} is unacceptable as function name in {container}");
    Issue::new(Code::ILLEGAL_EXPRESSION, message)
}

/// Returns the error of an expression that is parsed but can't be evaluated here.
pub(crate) fn not_supported(ast: &Ast, id: ExprId) -> Issue {
    let message = format!("{} can't be evaluated here", expression::a_an_uc(ast, id));
    Issue::new(Code::UNSUPPORTED_EXPRESSION, message)
}

/// `@("END":json)` with a text that is no JSON once it is put together.
pub(crate) fn produced_text(code: &'static str, message: String) -> Issue {
    Issue::new(Code::of_diagnostic(code), message)
}
