//! Calls: functions, arguments, blocks, templates, conversions, and Ruby code.

use kukla_base::{Diagnostic, Symbol};
use kukla_foreign::{ErrorKind, HostError, RubyError};
use kukla_pcore::types::{ParseError, TypeError, UnrealAlias};

use super::{Code, Issue};

/// Returns the error of a function, in the function's own words.
pub fn function_failed(message: impl Into<String>) -> Issue {
    Issue::new(Code::FUNCTION_FAILED, message)
}

/// `fail('…')`
pub fn fail_function(message: impl Into<String>) -> Issue {
    Issue::new(Code::FAIL_FUNCTION, message)
}

/// Arguments that a function does not take, in the words of its signatures or in its own.
pub fn argument_mismatch(message: impl Into<String>) -> Issue {
    Issue::new(Code::ARGUMENT_MISMATCH, message)
}

/// A value that is not of the type that a function or block promises.
pub fn return_mismatch(message: impl Into<String>) -> Issue {
    Issue::new(Code::RETURN_MISMATCH, message)
}

/// `template('m/nope.erb')`
pub fn unknown_template(reference: &str) -> Issue {
    Issue::new(Code::UNKNOWN_TEMPLATE, format!("Could not find template '{reference}'"))
}

/// A template that fails, in the words of the function that renders it.
pub fn invalid_template(message: impl Into<String>) -> Issue {
    Issue::new(Code::INVALID_TEMPLATE, message)
}

/// Ruby code that only a real Ruby can run.
pub fn ruby_unsupported(message: impl Into<String>) -> Issue {
    Issue::new(Code::RUBY_UNSUPPORTED, message)
}

/// A file that can't be read, in Ruby's words.
pub fn unreadable_file(message: impl Into<String>) -> Issue {
    Issue::new(Code::UNREADABLE_FILE, message)
}

/// A value that would fill the memory, in Ruby's words.
pub fn value_too_large() -> Issue {
    super::too_large()
}

/// A function that there is only where a catalog is compiled.
pub fn needs_catalog(function: &str) -> Issue {
    Issue::new(Code::NO_CATALOG, format!("{function}() is not available without a catalog"))
}

/// Names of data that are not found, in the words of `lookup`.
pub fn data_not_found(message: impl Into<String>) -> Issue {
    Issue::new(Code::LOOKUP_FAILED, message)
}

/// A file that does not define what it is named after.
pub fn missing_definition(path: &str) -> Issue {
    let message = format!("The code loaded from {path} does not define it");
    Issue::new(Code::MISSING_DEFINITION, message)
}

/// A problem of a file that is to define one type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeFileProblem<'a> {
    /// There is nothing in it.
    Empty,
    /// It defines something else than a type.
    NoType,
    /// It defines more than one thing.
    Additional,
    /// It defines a type of this name.
    OtherName(&'a str),
}

/// A file below `types` that does not define the type of its name, and nothing else.
pub fn wrong_type_file(path: &str, name: &str, problem: TypeFileProblem<'_>) -> Issue {
    let start = format!("The code loaded from {path}");
    let message = match problem {
        TypeFileProblem::Empty => {
            format!("{start} does not define the type '{name}' - it is empty.")
        }
        TypeFileProblem::NoType => format!(
            "{start} does not define the type '{name}' - no type alias or type definition found."
        ),
        TypeFileProblem::Additional => {
            format!("{start} must contain only the type '{name}' - it has additional definitions.")
        }
        TypeFileProblem::OtherName(actual) => format!(
            "{start} produced type with the wrong name, expected '{name}', actual '{actual}'"
        ),
    };
    Issue::new(Code::MISSING_DEFINITION, message)
}

/// A file in Ruby that is to define a type, and makes another one.
pub fn misnamed_ruby_type(path: &str, name: &str, actual: &str) -> Issue {
    let message = format!(
        "The code loaded from {path} produced mis-matched name, expected '{name}', got {actual}"
    );
    Issue::new(Code::MISSING_DEFINITION, message)
}

/// A file in Ruby that is to define a type, and does not.
pub fn no_ruby_type(path: &str) -> Issue {
    let message = format!(
        "The code loaded from {path} does not seem to be a Puppet 5x API data type - no create_type call."
    );
    Issue::new(Code::MISSING_DEFINITION, message)
}

/// A file in Ruby that fails while it defines a type.
pub fn ruby_type_error(message: impl Into<String>) -> Issue {
    Issue::new(Code::MISSING_DEFINITION, message)
}

/// A mistake of the compiler itself, which stopped one compilation.
pub fn internal_error(text: &str) -> Issue {
    let message = format!("internal error: {text}; please report it,");
    Issue::new(Code::INTERNAL_ERROR, message)
}

/// A source that is no program.
pub fn of_diagnostic(diagnostic: &Diagnostic) -> Issue {
    let issue = Issue::new(Code::of_diagnostic(diagnostic.code), diagnostic.message.clone());
    match &diagnostic.help {
        Some(help) => issue.with_help(help.as_str()),
        None => issue,
    }
}

/// A source with several errors, which Puppet logs before it says this.
pub(crate) fn validation_failed(n_errors: usize, n_warnings: usize) -> Issue {
    let warnings = match n_warnings {
        0 => String::new(),
        n => format!(", and {n} warnings"),
    };
    let message = format!("Language validation logged {n_errors} errors{warnings}. Giving up");
    Issue::new(Code::VALIDATION_FAILED, message)
}

/// `nope()`
pub(crate) fn unknown_function(name: &str) -> Issue {
    Issue::new(Code::UNKNOWN_FUNCTION, format!("Unknown function: '{name}'."))
}

/// A function of the old kind with too few or too many arguments.
pub(crate) fn wrong_number_of_arguments(name: &str, n: usize, wanted: usize) -> Issue {
    argument_mismatch(format!("{name}(): Wrong number of arguments given ({n} for {wanted})"))
}

/// A function of the old kind with too few arguments.
pub(crate) fn too_few_arguments(name: &str, n: usize, least: usize) -> Issue {
    let message = format!("{name}(): Wrong number of arguments given ({n} for minimum {least})");
    argument_mismatch(message)
}

/// A signature that is there to say what is wrong with the arguments.
pub(crate) fn refused_arguments(name: Symbol, words: &str) -> Issue {
    argument_mismatch(format!("'{name}' {words}"))
}

/// `|$a = 1, Array[String, 1] *$rest|`
pub(crate) fn required_rest(name: Symbol) -> Issue {
    let message = format!("Parameter ${name} is required but appears after optional parameters");
    Issue::new(Code::REQUIRED_AFTER_OPTIONAL, message)
}

/// `with(1) |$a, $b| { }`
pub(crate) fn missing_required_parameter(name: Symbol) -> Issue {
    let message = format!("Parameter ${name} is required but no value was given");
    Issue::new(Code::MISSING_PARAMETER, message)
}

/// A default that reads a parameter that got no value.
pub(crate) fn parameter_without_value(callee: &str, name: Symbol) -> Issue {
    let message = format!("{callee}: expects a value for parameter ${name}");
    Issue::new(Code::MISSING_PARAMETER, message)
}

/// A default that reads a parameter after its own.
pub(crate) fn parameter_read_too_early(callee: &str, from: Symbol, unset: Symbol) -> Issue {
    let message = format!(
        "{callee}: default expression for ${from} tries to illegally access not yet evaluated ${unset}"
    );
    Issue::new(Code::PARAMETER_ORDER, message)
}

/// A function that yields and has no block, in Ruby's words.
pub(crate) fn no_block() -> Issue {
    Issue::new(Code::MISSING_BLOCK, "no block given (yield)")
}

/// `break()`, `next()` or `return()` where nothing waits for it.
pub(crate) fn illegal_jump(name: &str) -> Issue {
    Issue::new(Code::ILLEGAL_JUMP, format!("{name}() from context where this is illegal"))
}

/// `$context.not_found` where nothing is looked up, in Ruby's words.
pub(crate) fn uncaught_not_found() -> Issue {
    Issue::new(Code::DATA_NOT_FOUND, "uncaught throw :no_such_key")
}

/// `break`, `next` or `return` that would leave Ruby code.
pub(crate) fn jump_through_ruby() -> &'static str {
    "break, next or return in a function"
}

/// `$object.name`, which no Ruby code implements here.
pub(crate) fn unknown_method(label: &str) -> Issue {
    Issue::new(Code::UNKNOWN_METHOD, format!("no method is implemented for {label}"))
}

/// `$object.name` of a derived attribute.
pub(crate) fn unknown_derived_method(label: &str) -> Issue {
    Issue::new(Code::UNKNOWN_METHOD, format!("no method is implemented for derived {label}"))
}

/// A text that describes no type.
pub(crate) fn illegal_type_expression(error: &ParseError) -> Issue {
    Issue::new(Code::ILLEGAL_TYPE_EXPRESSION, error.to_string())
}

/// `type Name = …` that makes no sense, in the words of the type system.
impl From<TypeError> for Issue {
    fn from(error: TypeError) -> Self {
        Self::new(Code::ILLEGAL_TYPE_DEFINITION, error)
    }
}

impl From<ParseError> for Issue {
    fn from(error: ParseError) -> Self {
        Self::new(Code::ILLEGAL_TYPE_DEFINITION, error.0)
    }
}

impl From<UnrealAlias> for Issue {
    fn from(error: UnrealAlias) -> Self {
        Self::new(Code::ILLEGAL_TYPE_DEFINITION, error.to_string())
    }
}

/// `type Name = Object[1]`
pub(crate) fn object_without_hash(class: &str) -> Issue {
    let message = format!(
        "object initializer has wrong type, expects a Struct value, got Puppet::AST::{class}"
    );
    Issue::new(Code::ILLEGAL_TYPE_DEFINITION, message)
}

/// `type Name = Parent { parent => Other }`
pub(crate) fn duplicate_parent() -> Issue {
    let message = "The key 'parent' is declared more than once";
    Issue::new(Code::ILLEGAL_TYPE_DEFINITION, message)
}

/// `Type.new(…)`, in the words of the type.
pub(crate) fn conversion_failed(message: String) -> Issue {
    Issue::new(Code::CONVERSION_FAILED, message)
}

/// An iterator that is an argument of a function of the old kind, or a parameter of a resource.
pub(crate) fn iterator_not_supported() -> Issue {
    Issue::new(Code::ITERATOR_NOT_SUPPORTED, "Use of an Iterator is not supported here")
}

/// An EPP template that can't be parsed.
pub(crate) fn invalid_epp(function: &str, refusal: &dyn std::fmt::Display) -> Issue {
    invalid_template(format!("{function}(): Invalid EPP: {refusal}"))
}

/// An EPP template with definitions.
pub(crate) fn definitions_in_epp(function: &str) -> Issue {
    let message =
        format!("{function}(): The EPP template contains illegal expressions (definitions)");
    invalid_template(message)
}

/// An error of Ruby code.
pub(crate) fn ruby_error(error: &RubyError) -> Issue {
    match error.kind {
        ErrorKind::Raised | ErrorKind::Worker => match error.thrown_symbol() {
            Some("no_such_key") => uncaught_not_found(),
            _ => Issue::new(Code::RUBY_ERROR, error.message.clone()),
        },
        ErrorKind::Unsupported | ErrorKind::Halfway | ErrorKind::Limit => {
            let message = format!("{} ({}:{})", error.message, error.file, error.line);
            ruby_unsupported(message)
        }
    }
}

/// An error of a block of Ruby code.
pub(crate) fn ruby_block_error(error: &HostError) -> Issue {
    Issue::new(Code::RUBY_ERROR, error.message.clone())
}

/// A block of Ruby code that calls itself.
pub(crate) fn recursive_ruby_block() -> Issue {
    Issue::new(Code::RUBY_ERROR, "a block of Ruby code can't be called within itself")
}
