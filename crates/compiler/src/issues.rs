//! Every complaint that an evaluation has, in Puppet's words.

use kukla_base::Symbol;
use kukla_pcore::Value;
use kukla_syntax::Ast;
use kukla_syntax::ast::ExprId;
use kukla_syntax::label as expression;

use crate::{Eval, Program, Stop, label};

/// Stops with a message that names the place of a node.
pub(crate) fn at<T>(program: &Program, id: ExprId, message: &str) -> Eval<T> {
    Err(Stop::fault_at(format!("Evaluation Error: {message}"), program.place(id)))
}

/// Gives a fault that has no place that of a node, with the name of the node's kind.
pub(crate) fn locate(stop: Box<Stop>, program: &Program, id: ExprId) -> Box<Stop> {
    match *stop {
        Stop::Fault(fault) if !fault.is_final => {
            let label = expression::a_an(program.ast(), id);
            let message =
                format!("Evaluation Error: Error while evaluating {label}, {}", fault.message);
            Stop::fault_at(message, program.place(id))
        }
        _ => stop,
    }
}

/// The same for one that stays where it is.
pub(crate) fn locate_in_place(stop: &mut Box<Stop>, program: &Program, id: ExprId) {
    let needs_place = matches!(&**stop, Stop::Fault(fault) if !fault.is_final);
    if needs_place {
        let taken = std::mem::replace(&mut **stop, Stop::UnsetParameter(Symbol::new("")));
        *stop = locate(Box::new(taken), program, id);
    }
}

/// `$nope`
pub(crate) fn unknown_variable(name: &str) -> String {
    format!("Unknown variable: '{name}'.")
}

/// `nope()`
pub(crate) fn unknown_function(name: Symbol) -> String {
    format!("Unknown function: '{name}'.")
}

/// `Nope`
pub(crate) fn unknown_resource_type(name: &str) -> String {
    format!("Resource type not found: {name}")
}

/// `1 + 'a'`
pub(crate) fn not_numeric(shown: &str) -> String {
    format!("The value '{shown}' cannot be converted to Numeric.")
}

/// `1 + '2'`
pub(crate) fn numeric_coercion(before: &str, after: &str) -> String {
    format!("The string '{before}' was automatically coerced to the numerical value {after}")
}

/// `true + 1`
pub(crate) fn operator_not_applicable(operator: &str, left: &Value) -> String {
    format!("Operator '{operator}' is not applicable to {}.", label::a_an(left))
}

/// `1 % 1.5`
pub(crate) fn operator_not_applicable_when(operator: &str, left: &Value, right: &Value) -> String {
    let (left, right) = (label::a_an(left), label::a_an(right));
    format!("Operator '{operator}' is not applicable to {left} when right side is {right}.")
}

/// `1 / 0`
pub(crate) fn division_by_zero() -> &'static str {
    "Division by 0"
}

/// `1.0e308 * 10`
pub(crate) fn result_is_infinity(operator: &str) -> String {
    format!("The result of the {operator} expression is Infinity")
}

/// `9223372036854775807 + 1`
pub(crate) fn numeric_overflow(program: &Program, id: ExprId, value: i128) -> String {
    let expression = expression::a_an_uc(program.ast(), id);
    let (side, sign) = if value > 0 { ("max", '+') } else { ("min", '-') };
    let digits = value.unsigned_abs();
    format!(
        "{expression} resulted in a value outside of Puppet Integer {side} range, got '{sign}{digits:#x}'"
    )
}

/// `1 < 'a'`
pub(crate) fn comparison_not_possible(
    operator: &str,
    left: &Value,
    right: &Value,
    detail: &str,
) -> String {
    let (left, right) = (label::label(left), label::label(right));
    format!("Comparison of: {left} {operator} {right}, is not possible. Caused by '{detail}'.")
}

/// `'a' =~ 1`
pub(crate) fn match_not_regexp(detail: &str) -> String {
    format!("Can not convert right match operand to a regular expression. Caused by '{detail}'.")
}

/// `1 =~ /a/`
pub(crate) fn match_not_string(left: &Value) -> String {
    format!("Left match operand must result in a String value. Got {}.", label::a_an(left))
}

/// `1 ? { 2 => 3 }`
pub(crate) fn unmatched_selector(shown: &str) -> String {
    format!("No matching entry for selector parameter with value '{shown}'")
}

/// `$a = 1 $a = 2`
pub(crate) fn reassignment(name: &str) -> String {
    match name {
        "name" | "title" => {
            format!("Cannot reassign built in (or already assigned) variable '${name}'")
        }
        _ => format!("Cannot reassign variable '${name}'"),
    }
}

/// `$facts = 1`
pub(crate) fn reserved_assignment(name: &str) -> String {
    format!("Attempt to assign to a reserved variable name: '${name}'")
}

/// `[$a, $b] = [1]`
pub(crate) fn multi_assignment_size(expected: usize, actual: usize) -> String {
    format!("Mismatched number of assignable entries and values, expected {expected}, got {actual}")
}

/// `[$a] = { b => 1 }`
pub(crate) fn multi_assignment_key(key: &str) -> String {
    format!("No value for required key '{key}' in assignment to variables from hash")
}

/// `$a = 1` while parameters are evaluated.
pub(crate) fn assignment_in_parameters(name: &str) -> String {
    format!("Attempt to assign variable {name} when evaluating parameters")
}

/// `with(1) |$a, $b| { }`
pub(crate) fn missing_required_parameter(name: Symbol) -> String {
    format!("Parameter ${name} is required but no value was given")
}

/// `'abc'[]`
pub(crate) fn string_slice_arity(actual: usize) -> String {
    format!("String supports [] with one or two arguments. Got {actual}")
}

/// `[1][]`
pub(crate) fn array_slice_arity(actual: usize) -> String {
    format!("Array supports [] with one or two arguments. Got {actual}")
}

/// `[1]['a']`
pub(crate) fn slice_key_type(left: &Value, actual: &str, expected: &str) -> String {
    format!("{}[] cannot use {actual} where {expected} is expected", label::a_an_uc(left))
}

/// `'abc'[1.5]`
pub(crate) fn string_slice_key_type(actual: &str) -> String {
    let article = if expression::starts_with_vowel(actual) { "an" } else { "a" };
    format!(
        "A substring operation does not accept {article} {actual} as a character index. Expected an Integer"
    )
}

/// `File { … }` where no such type is; a value in place of a type.
pub(crate) fn illegal_expression(feature: &str, what: &str, container: &str) -> String {
    format!("Illegal expression. {what} is unacceptable as {feature} in {container}")
}

/// Too many calls within calls.
pub(crate) fn too_deep(depth: u32) -> String {
    format!("stack level too deep: more than {depth} calls within calls")
}

/// What Ruby says when calls within calls have no end.
pub(crate) const STACK_TOO_DEEP: &str = "stack level too deep";

/// A text or an array that would fill the memory, in Ruby's words.
pub(crate) const fn too_large() -> &'static str {
    "failed to allocate memory"
}

/// Too many steps.
pub(crate) fn too_many_steps(steps: u64) -> String {
    format!("the evaluation takes more than {steps} steps")
}

/// `attr` as a name.
pub(crate) fn reserved_word(word: &str) -> String {
    format!("Use of reserved word: {word}, must be quoted if intended to be a String value")
}

/// `1 = 2`
pub(crate) fn illegal_assignment() -> &'static str {
    "Illegal attempt to assign to something that is not a variable"
}

/// `<% |$a %>`
pub(crate) fn illegal_epp_parameters() -> &'static str {
    "Ambiguous EPP parameter expression. Probably missing '<%-' before parameters to remove leading whitespace"
}

/// `1()`
pub(crate) fn not_a_function(ast: &Ast, functor: ExprId, call: ExprId) -> String {
    let what = expression::a_an_uc(ast, functor);
    illegal_expression("function name", &what, &expression::a_an(ast, call))
}

/// What is parsed but can't be evaluated here.
pub(crate) fn not_supported(ast: &Ast, id: ExprId) -> String {
    format!("{} can't be evaluated here", expression::a_an_uc(ast, id))
}

/// `1 << 100`
pub(crate) fn shift_overflow(program: &Program, id: ExprId, value: i64, bits: i128) -> String {
    let expression = expression::a_an_uc(program.ast(), id);
    let (side, sign) = if value > 0 { ("max", '+') } else { ("min", '-') };
    // Ruby prints all digits; a shift of more than this many bits is beyond every reader.
    let bits = usize::try_from(bits).unwrap_or(usize::MAX).min(1 << 20);
    let shifted = value.unsigned_abs() << (bits % 4);
    let digits = format!("{shifted:#x}{}", "0".repeat(bits / 4));
    format!(
        "{expression} resulted in a value outside of Puppet Integer {side} range, got '{sign}{digits}'"
    )
}

/// `File['/a']['mode']`
pub(crate) fn no_catalog() -> &'static str {
    "attributes of resources are not available without a catalog"
}

/// A function that data call changes the catalog.
pub(crate) fn not_in_data(name: &str) -> String {
    format!("the function `{name}` cannot be called in data: it changes the catalog")
}
