//! Diagnostics of validation.

use kukla_base::{Diagnostic, DiagnosticPlace, Severity, Span};

/// A class, define or node in a place where it can't be.
pub(crate) fn not_top_level(span: Span) -> Diagnostic {
    let message =
        "Classes, definitions, and nodes may only appear at toplevel or inside other classes";
    Diagnostic::error("not-top-level", span, message)
}

/// A function or type inside of another construct.
pub(crate) fn not_absolute_top_level(span: Span, what: &str) -> Diagnostic {
    let message = format!("{what} may only appear at toplevel");
    Diagnostic::error("not-absolute-top-level", span, message)
}

/// `$a::b = 1`
pub(crate) fn cross_scope_assignment(span: Span, name: &str) -> Diagnostic {
    let message = format!(
        "Illegal attempt to assign to '{name}'. Cannot assign to variables in other namespaces"
    );
    Diagnostic::error("cross-scope-assignment", span, message)
        .help("only the code that a variable belongs to can set it")
}

/// `1 = 2`
pub(crate) fn illegal_assignment(span: Span, what: &str) -> Diagnostic {
    let message = format!("Illegal attempt to assign to '{what}'. Not an assignable reference");
    Diagnostic::error("illegal-assignment", span, message)
        .help("only variables, and arrays of them, can be assigned to; compare with `==`")
}

/// `$1 = 2`
pub(crate) fn illegal_numeric_assignment(span: Span, name: &str) -> Diagnostic {
    let message = format!(
        "Illegal attempt to assign to the numeric match result variable '${name}'. Numeric variables are not assignable"
    );
    Diagnostic::error("illegal-numeric-assignment", span, message)
}

/// `$a[1] = 2`
pub(crate) fn illegal_indexed_assignment(span: Span) -> Diagnostic {
    let message = "Illegal attempt to assign via [index/key]. Not an assignable reference";
    Diagnostic::error("illegal-indexed-assignment", span, message)
        .help("values never change in Puppet: make a new array or hash, for example with `+`")
}

/// `define d($a = $b = 1)`
pub(crate) fn illegal_assignment_context(span: Span) -> Diagnostic {
    Diagnostic::error("illegal-assignment-context", span, "Assignment not allowed here")
}

/// `$a += 1`
pub(crate) fn appends_deletes_no_longer_supported(span: Span, operator: &str) -> Diagnostic {
    let message = format!(
        "The operator '{operator}' is no longer supported. See http://links.puppet.com/remove-plus-equals"
    );
    Diagnostic::error("appends-deletes-no-longer-supported", span, message)
        .help("assign to a variable of another name")
}

/// `class c($1)`
pub(crate) fn illegal_numeric_parameter(span: Span, name: &str) -> Diagnostic {
    let message = format!(
        "The numeric parameter name '${name}' cannot be used (clashes with numeric match result variables)"
    );
    Diagnostic::error("illegal-numeric-parameter", span, message)
}

/// `class c($Foo)`
pub(crate) fn illegal_param_name(span: Span, name: &str) -> Diagnostic {
    let message = format!(
        "Illegal parameter name. The given name '{name}' does not conform to the naming rule /^[a-z_]\\w*$/"
    );
    Diagnostic::error("illegal-param-name", span, message)
}

/// `$Foo`
pub(crate) fn illegal_var_name(span: Span, name: &str) -> Diagnostic {
    let message = format!(
        "Illegal variable name, The given name '{name}' does not conform to the naming rule /^((::)?[a-z]\\w*)*((::)?[a-z_]\\w*)$/"
    );
    let diagnostic = Diagnostic::error("illegal-var-name", span, message);
    if name.is_empty() {
        diagnostic.help("a name must follow the `$`")
    } else {
        diagnostic.help("names of variables start with a small letter")
    }
}

/// `$0x1`
pub(crate) fn illegal_numeric_var_name(span: Span, name: &str) -> Diagnostic {
    let message = format!(
        "Illegal numeric variable name, The given name '{name}' must be a decimal value if it starts with a digit 0-9"
    );
    Diagnostic::error("illegal-numeric-var-name", span, message)
}

/// `"${true}"`: Puppet takes the value for a name and fails.
pub(crate) fn interpolated_boolean(span: Span, name: &str) -> Diagnostic {
    let message = format!("'{name}' cannot be interpolated: `${{{name}}}` means a variable");
    Diagnostic::error("interpolated-boolean", span, message)
        .help(format!("write {name} without `${{}}`"))
}

/// `notice(class c { })`
pub(crate) fn not_rvalue(span: Span, what: &str) -> Diagnostic {
    let message = format!("Invalid use of expression. {what} does not produce a value");
    Diagnostic::error("not-rvalue", span, message)
}

/// `file { 'f': mode +> '0644' }`
pub(crate) fn illegal_attribute_append(span: Span, name: &str, parent: &str) -> Diagnostic {
    let message = format!(
        "Illegal +> operation on attribute {name}. This operator can not be used in {parent}"
    );
    Diagnostic::error("illegal-attribute-append", span, message)
        .help("`+>` adds to what another class or collector set; write `=>` to set a value")
}

/// `type Runtime[a, b] = 1`
pub(crate) fn illegal_single_type_mapping(span: Span, what: &str) -> Diagnostic {
    let message = format!("Illegal type mapping. Expected a Type on the left side, got {what}");
    Diagnostic::error("illegal-type-mapping", span, message)
}

/// `type Runtime[a, [/b/, 'c']] = Integer`
pub(crate) fn illegal_regexp_type_mapping(span: Span, what: &str) -> Diagnostic {
    let message = format!(
        "Illegal type mapping. Expected a Tuple[Regexp,String] on the left side, got {what}"
    );
    Diagnostic::error("illegal-type-mapping", span, message)
}

/// `node 'a b' { }`
pub(crate) fn illegal_hostname_chars(span: Span, name: &str) -> Diagnostic {
    let message = format!(
        "The hostname '{name}' contains illegal characters (only letters, digits, '_', '-', and '.' are allowed)"
    );
    Diagnostic::error("illegal-hostname-chars", span, message)
}

/// `node "web${n}" { }`
pub(crate) fn illegal_hostname_interpolation(span: Span) -> Diagnostic {
    let message = "An interpolated expression is not allowed in a hostname of a node";
    Diagnostic::error("illegal-hostname-interpolation", span, message)
        .help("use a regular expression to match several nodes: `node /^web\\d+$/`")
}

/// `node a inherits b { }`
pub(crate) fn illegal_node_inheritance(span: Span) -> Diagnostic {
    let message = "Node inheritance is not supported in Puppet >= 4.0.0. See http://links.puppet.com/puppet-node-inheritance-deprecation";
    Diagnostic::error("illegal-node-inheritance", span, message)
        .help("put what the nodes share into a class, and include it in each")
}

/// An expression of a kind that is not allowed in its place.
pub(crate) fn illegal_expression(
    span: Span,
    what: &str,
    feature: &str,
    container: &str,
) -> Diagnostic {
    let message = format!("Illegal expression. {what} is unacceptable as {feature} in {container}");
    Diagnostic::error("illegal-expression", span, message)
}

/// `File<| 1 + 1 |>`
pub(crate) fn illegal_query_expression(span: Span, what: &str) -> Diagnostic {
    let message = format!("Illegal query expression. {what} cannot be used in a query");
    Diagnostic::error("illegal-query-expression", span, message)
        .help("a query compares attributes with `==` and `!=`, joined by `and` and `or`")
}

/// `@File { mode => '0644' }`
pub(crate) fn not_virtualizeable(span: Span) -> Diagnostic {
    let message = "Resource Defaults are not virtualizable";
    Diagnostic::error("not-virtualizeable", span, message)
}

/// `@class { 'c': }`
pub(crate) fn class_not_virtualizable(span: Span) -> Diagnostic {
    Diagnostic::error("class-not-virtualizable", span, "Classes are not virtualizable")
}

/// `type Foo { }`
pub(crate) fn unsupported_expression(span: Span, what: &str) -> Diagnostic {
    let message = format!("Expressions of type {what} are not supported in this version of Puppet");
    Diagnostic::error("unsupported-expression", span, message)
}

/// `class Foo { }`
pub(crate) fn illegal_definition_name(span: Span, name: &str, what: &str) -> Diagnostic {
    let message =
        format!("Unacceptable name. The name '{name}' is unacceptable as the name of {what}");
    Diagnostic::error("illegal-definition-name", span, message)
}

/// `class b { }` in `a/manifests/init.pp`
pub(crate) fn illegal_definition_location(span: Span, name: &str, file: &str) -> Diagnostic {
    let message =
        format!("Unacceptable location. The name '{name}' is unacceptable in file '{file}'");
    Diagnostic::error("illegal-definition-location", span, message)
        .help("the name and the path of the file must agree, or nothing will find the definition")
}

/// `notice(1)` beside a class of a module
pub(crate) fn illegal_top_construct_location(span: Span, what: &str) -> Diagnostic {
    let message = format!("{what} is unacceptable as a top level construct in this location");
    Diagnostic::error("illegal-top-construct-location", span, message)
        .help("a file of a module holds one class, define, function or type, and nothing beside it")
}

/// `|*$a, $b| { }`
pub(crate) fn captures_rest_not_last(span: Span, name: &str) -> Diagnostic {
    let message = format!("Parameter ${name} is not last, and has 'captures rest'");
    Diagnostic::error("captures-rest-not-last", span, message)
}

/// `class c(*$a)`
pub(crate) fn captures_rest_not_supported(span: Span, name: &str, container: &str) -> Diagnostic {
    let message = format!("Parameter ${name} has 'captures rest' - not supported in {container}");
    Diagnostic::error("captures-rest-not-supported", span, message)
}

/// Text before the parameters of a template.
pub(crate) fn illegal_epp_parameters(span: Span) -> Diagnostic {
    let message = "Ambiguous EPP parameter expression. Probably missing '<%-' before parameters to remove leading whitespace";
    Diagnostic::error("illegal-epp-parameters", span, message)
}

/// `1` before another statement
pub(crate) fn idem_expression_not_last(span: Span, what: &str) -> Diagnostic {
    let message = format!(
        "This {what} has no effect. A value was produced and then forgotten (one or more preceding expressions may have the wrong form)"
    );
    Diagnostic::error("idem-expression-not-last", span, message)
}

/// `class c { 1 }`
pub(crate) fn idem_not_allowed_last(span: Span, what: &str, container: &str) -> Diagnostic {
    let message = format!(
        "This {what} has no effect. {container} can not end with a value-producing expression without other effect"
    );
    Diagnostic::error("idem-not-allowed-last", span, message)
}

/// `file { mode => '0644' }`
pub(crate) fn resource_without_title(span: Span, name: &str) -> Diagnostic {
    let message = format!(
        "This expression is invalid. Did you try declaring a '{name}' resource without a title?"
    );
    Diagnostic::error("resource-without-title", span, message)
        .help(format!("write `{name} {{ 'title': … }}`"))
}

/// `private`
pub(crate) fn reserved_word(span: Span, word: &str) -> Diagnostic {
    let message =
        format!("Use of reserved word: {word}, must be quoted if intended to be a String value");
    Diagnostic::error("reserved-word", span, message)
}

/// `class plan { }`
pub(crate) fn future_reserved_word(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(
        "future-reserved-word",
        span,
        format!("Use of future reserved word: '{word}'"),
    )
    .severity(Severity::Deprecation)
}

/// `define integer() { }`
pub(crate) fn reserved_type_name(span: Span, name: &str, what: &str) -> Diagnostic {
    let message = format!(
        "The name: '{name}' is already defined by Puppet and can not be used as the name of {what}."
    );
    Diagnostic::error("reserved-type-name", span, message)
}

/// `define d($a, $a)`
pub(crate) fn duplicate_parameter(span: Span, first: Span, name: &str) -> Diagnostic {
    let message =
        format!("The parameter '{name}' is declared more than once in the parameter list");
    Diagnostic::error("duplicate-parameter", span, message)
        .label_at(first, "first declared here")
        .help("rename one of them, or remove it")
}

/// `class c(Integer[0, 60 * 24] $i)`
pub(crate) fn nonliteral_parameter_type(span: Span, name: &str, class: &str) -> Diagnostic {
    let message = format!(
        "The parameter '${name}' must be a literal type, not a Puppet::Pops::Model::{class}"
    );
    Diagnostic::error("illegal-nonliteral-parameter-type", span, message)
        .severity(Severity::Deprecation)
        .help("write the type without calculations, variables and doubled brackets")
}

/// `{ a => 1, a => 2 }`
pub(crate) fn duplicate_key(span: Span, first: Span, key: &str) -> Diagnostic {
    let message = format!("The key '{key}' is declared more than once");
    Diagnostic::error("duplicate-key", span, message)
        .label("this value wins")
        .label_at(first, "this value is lost")
}

/// Two `default` of a case or selector
pub(crate) fn duplicate_default(span: Span, first: Span, container: &str) -> Diagnostic {
    let message = format!("This {container} already has a 'default' entry - this is a duplicate");
    Diagnostic::error("duplicate-default", span, message)
        .label("never reached")
        .label_at(first, "the first default")
}

/// `define d($title)`
pub(crate) fn reserved_parameter(span: Span, name: &str, container: &str) -> Diagnostic {
    let message = format!("The parameter ${name} redefines a built in parameter in {container}");
    Diagnostic::error("reserved-parameter", span, message)
}

/// Two `* =>` in one resource
pub(crate) fn multiple_attributes_unfold(span: Span) -> Diagnostic {
    let message = "Unfolding of attributes from Hash can only be used once per resource body";
    Diagnostic::error("multiple-attributes-unfold", span, message)
        .help("merge the hashes: `* => $a + $b`")
}

/// `99999999999999999999`
pub(crate) fn numeric_overflow(span: Span, hex: &str) -> Diagnostic {
    let message = format!(
        "A Literal Integer resulted in a value outside of Puppet Integer max range, got '+0x{hex}'"
    );
    Diagnostic::error("numeric-overflow", span, message)
        .help("integers have 64 bits: the largest is 9223372036854775807")
}

/// A catalog statement in a plan
pub(crate) fn expression_not_supported_when_scripting(span: Span, what: &str) -> Diagnostic {
    let message = format!("{what} is only available when compiling a catalog");
    Diagnostic::error("expression-not-supported-when-scripting", span, message)
        .help("put it into `apply(…) { … }`")
}

/// A plan's statement in `apply`
pub(crate) fn expression_not_supported_when_compiling(span: Span, what: &str) -> Diagnostic {
    let message = format!("{what} is not available when compiling a catalog");
    Diagnostic::error("expression-not-supported-when-compiling", span, message)
}

/// Text of a heredoc that does not have the syntax of its tag.
///
/// Puppet stops at the first, as it does at a syntax error.
pub(crate) fn illegal_external(
    code: &'static str,
    span: Span,
    syntax: &str,
    message: &str,
) -> Diagnostic {
    let message = format!("Invalid produced text having syntax: '{syntax}'. {message}");
    Diagnostic::content_error(code, span, message)
}

/// `@(END:my+pp)`: Puppet finds its own checker, and that refuses the tag.
pub(crate) fn illegal_external_tag(code: &'static str, span: Span, name: &str) -> Diagnostic {
    let message = format!("{name} syntax checker: the syntax identifier must be a String, e.g. pp");
    Diagnostic::content_error(code, span, message)
        .place(DiagnosticPlace::Nowhere)
        .help("name the syntax `pp` or `epp` and nothing else")
}
