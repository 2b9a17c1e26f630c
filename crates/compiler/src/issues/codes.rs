//! The stable names of all issues.

use std::fmt;

/// The stable name of an issue, such as `unknown-variable`: what code branches on, and what `kukla explain` takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(&'static str);

impl Code {
    /// Returns the code of a diagnostic.
    pub(super) const fn of_diagnostic(code: &'static str) -> Self {
        Self(code)
    }

    /// Its text.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal;)*) => {
        impl Code {
            $($(#[$doc])* pub const $name: Self = Self($code);)*

            /// All codes of an evaluation; manifests that can't be parsed have those of diagnostics too.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];
        }
    };
}

codes! {
    /// An argument of a function, or the number of them.
    ARGUMENT_MISMATCH = "argument-mismatch";
    /// `$a = 1` in the default of a parameter.
    ASSIGNMENT_IN_PARAMETERS = "assignment-in-parameters";
    /// `[1]['a']`, `'abc'[1, 2, 3]`
    BAD_SLICE = "bad-slice";
    /// `Integer['a']`
    BAD_TYPE_PARAMETERS = "bad-type-parameters";
    /// A compilation that takes too long, or that its caller no longer wants.
    CANCELLED = "cancelled";
    /// A function that data call changes the catalog.
    CATALOG_CHANGE_IN_DATA = "catalog-change-in-data";
    /// A class that inherits itself.
    CLASS_INHERITS_ITSELF = "class-inherits-itself";
    /// `Class <| |>`
    CLASSES_NOT_COLLECTABLE = "classes-not-collectable";
    /// `1 < 'a'`
    COMPARISON_NOT_POSSIBLE = "comparison-not-possible";
    /// A lookup context that was kept.
    CONTEXT_AFTER_LOOKUP = "context-after-lookup";
    /// `Integer.new('a')`
    CONVERSION_FAILED = "conversion-failed";
    /// A function of data that has no value, called where no data are looked up.
    DATA_NOT_FOUND = "data-not-found";
    /// A value that is nested too deeply for a catalog.
    DATA_TOO_DEEP = "data-too-deep";
    /// `1 / 0`
    DIV_BY_ZERO = "div-by-zero";
    /// Two resources that are the same to their type.
    DUPLICATE_ALIAS = "duplicate-alias";
    /// An attribute that is set twice.
    DUPLICATE_ATTRIBUTE = "duplicate-attribute";
    /// Two resources of one type and title.
    DUPLICATE_DECLARATION = "duplicate-declaration";
    /// An exported resource that the node declares itself.
    DUPLICATE_EXPORT = "duplicate-export";
    /// `File { mode => … }` twice in one scope.
    DUPLICATE_RESOURCE_DEFAULT = "duplicate-resource-default";
    /// A title that stands twice in one declaration.
    DUPLICATE_TITLE = "duplicate-title";
    /// Exported resources that can't be searched.
    EXPORTS_UNREADABLE = "exports-unreadable";
    /// `fail()`
    FAIL_FUNCTION = "fail-function";
    /// Any other error of a function.
    FUNCTION_FAILED = "function-failed";
    /// `1 = 2`
    ILLEGAL_ASSIGNMENT = "illegal-assignment";
    /// `* => 1`
    ILLEGAL_ATTRIBUTES = "illegal-attributes";
    /// `<% |$a %>`
    ILLEGAL_EPP_PARAMETERS = "illegal-epp-parameters";
    /// An expression where it can't stand.
    ILLEGAL_EXPRESSION = "illegal-expression";
    /// `break()` where nothing iterates.
    ILLEGAL_JUMP = "illegal-jump";
    /// `[1] - …`, `Timespan + Version`
    ILLEGAL_OPERAND = "illegal-operand";
    /// `1 { }`
    ILLEGAL_OVERRIDE = "illegal-override";
    /// `File <| 1 |>`
    ILLEGAL_QUERY = "illegal-query";
    /// `$a = 1 $a = 2`
    ILLEGAL_REASSIGNMENT = "illegal-reassignment";
    /// `require => 'nonsense'`
    ILLEGAL_REFERENCE = "illegal-reference";
    /// `1 -> 2`
    ILLEGAL_RELATIONSHIP_OPERAND = "illegal-relationship-operand";
    /// `$facts = 1`
    ILLEGAL_RESERVED_ASSIGNMENT = "illegal-reserved-assignment";
    /// `Integer { 'a': }`
    ILLEGAL_RESOURCE_TYPE = "illegal-resource-type";
    /// `stage` of a resource that is no class.
    ILLEGAL_STAGE = "illegal-stage";
    /// `notify { undef: }`
    ILLEGAL_TITLE = "illegal-title";
    /// `type A = Struct[1]`
    ILLEGAL_TYPE_DEFINITION = "illegal-type-definition";
    /// A text that describes no type.
    ILLEGAL_TYPE_EXPRESSION = "illegal-type-expression";
    /// A regular expression that can't be understood.
    INVALID_REGEXP = "invalid-regexp";
    /// `tag => 'a b'`
    INVALID_TAG = "invalid-tag";
    /// A template that can't be parsed.
    INVALID_TEMPLATE = "invalid-template";
    /// A mistake of the compiler itself.
    INTERNAL_ERROR = "internal-error";
    /// An iterator where a value is wanted.
    ITERATOR_NOT_SUPPORTED = "iterator-not-supported";
    /// Data that can't be looked up.
    LOOKUP_FAILED = "lookup-failed";
    /// `'a' =~ 1`
    MATCH_NOT_REGEXP = "match-not-regexp";
    /// `1 =~ /a/`
    MATCH_NOT_STRING = "match-not-string";
    /// A function that needs a block.
    MISSING_BLOCK = "missing-block";
    /// A file that does not define what it is named after.
    MISSING_DEFINITION = "missing-definition";
    /// A parameter without a value.
    MISSING_PARAMETER = "missing-parameter";
    /// `[$a, $b] = [1]`
    MULTI_ASSIGNMENT_MISMATCH = "multi-assignment-mismatch";
    /// Attributes of resources where there is no catalog.
    NO_CATALOG = "no-catalog";
    /// `1 + 'a'`
    NOT_NUMERIC = "not-numeric";
    /// `1 + '2'`
    NUMERIC_COERCION = "numeric-coercion";
    /// `9223372036854775807 + 1`
    NUMERIC_OVERFLOW = "numeric-overflow";
    /// `true + 1`
    OPERATOR_NOT_APPLICABLE = "operator-not-applicable";
    /// An override of a resource whose code has been evaluated.
    OVERRIDE_AFTER_EVALUATION = "override-after-evaluation";
    /// An override by what does not inherit the resource's class.
    OVERRIDE_NOT_INHERITED = "override-not-inherited";
    /// A parameter that another class has set.
    PARAMETER_ALREADY_SET = "parameter-already-set";
    /// A parameter whose value is not of its type.
    PARAMETER_MISMATCH = "parameter-mismatch";
    /// A default that uses a parameter after it.
    PARAMETER_ORDER = "parameter-order";
    /// A class, define or node that there is already.
    REDEFINITION = "redefinition";
    /// A regular expression that takes too long.
    REGEXP_LIMIT = "regexp-limit";
    /// A required parameter after optional ones.
    REQUIRED_AFTER_OPTIONAL = "required-after-optional";
    /// `attr` as a name.
    RESERVED_WORD = "reserved-word";
    /// A resource whose attribute is read before it is declared.
    RESOURCE_NOT_FOUND = "resource-not-found";
    /// `1.0e308 * 10`
    RESULT_IS_INFINITY = "result-is-infinity";
    /// A value that is not of the type that a function returns.
    RETURN_MISMATCH = "return-mismatch";
    /// An error of Ruby code.
    RUBY_ERROR = "ruby-error";
    /// Ruby code that needs a real Ruby.
    RUBY_UNSUPPORTED = "ruby-unsupported";
    /// A title or key that is not what its type takes.
    TITLE_MISMATCH = "title-mismatch";
    /// Calls within calls.
    TOO_DEEP_CALLS = "too-deep-calls";
    /// A value that is nested too deeply.
    TOO_DEEP_VALUE = "too-deep-value";
    /// A value that is too large.
    TOO_LARGE_VALUE = "too-large-value";
    /// Definitions that make definitions without end.
    TOO_MANY_ROUNDS = "too-many-rounds";
    /// Too many resources.
    TOO_MANY_RESOURCES = "too-many-resources";
    /// Too many steps.
    TOO_MANY_STEPS = "too-many-steps";
    /// A class that is not there.
    UNKNOWN_CLASS = "unknown-class";
    /// A function that is not there.
    UNKNOWN_FUNCTION = "unknown-function";
    /// A method of an object that is not implemented.
    UNKNOWN_METHOD = "unknown-method";
    /// A node without a definition.
    UNKNOWN_NODE = "unknown-node";
    /// A parameter that a resource does not have.
    UNKNOWN_PARAMETER = "unknown-parameter";
    /// A resource that another refers to.
    UNKNOWN_RESOURCE = "unknown-resource";
    /// A type of resources that is not there.
    UNKNOWN_RESOURCE_TYPE = "unknown-resource-type";
    /// A stage that is not there.
    UNKNOWN_STAGE = "unknown-stage";
    /// A template that is not there.
    UNKNOWN_TEMPLATE = "unknown-template";
    /// A variable that is not there.
    UNKNOWN_VARIABLE = "unknown-variable";
    /// `1 ? { 2 => 3 }`
    UNMATCHED_SELECTOR = "unmatched-selector";
    /// A file that can't be read.
    UNREADABLE_FILE = "unreadable-file";
    /// An expression that can't be evaluated here.
    UNSUPPORTED_EXPRESSION = "unsupported-expression";
    /// A value that agents without rich data can't take.
    UNSUPPORTED_VALUE = "unsupported-value";
    /// Several errors in one manifest.
    VALIDATION_FAILED = "validation-failed";
}
