//! Puppet's model of a tree: its classes and their attributes, as a table.
//!
//! Every class but `Program` and `Locator` has three attributes before those that are listed here: the
//! locator, the offset and the length.

use Absent::{Empty, False, Regular, Required, Ten, Undef};
use Kind::{Flag, Float, Integer, Literal, Node, Nodes, Regexp, Text};

/// A class of nodes.
#[derive(Debug)]
pub(super) struct Class {
    /// Its number in the `flat` encoding.
    pub(super) id: u32,
    /// Its name without `Puppet::AST::`.
    pub(super) name: &'static str,
    /// Its attributes, in the order of the constructor.
    pub(super) attributes: &'static [(Kind, Absent)],
}

/// The type of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Node,
    Nodes,
    /// A name or an operator, which Puppet never changes in place.
    Text,
    /// Text that nodes must not share.
    Literal,
    Flag,
    Integer,
    Float,
    Regexp,
}

/// The default of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Absent {
    /// There is none: the attribute is required.
    Required,
    Undef,
    Empty,
    False,
    /// The form `regular`.
    Regular,
    /// The radix 10.
    Ten,
}

/// The maximum number of attributes of a class.
pub(super) const MAX_ATTRIBUTES: usize = 4;

impl Class {
    const fn new(id: u32, name: &'static str, attributes: &'static [(Kind, Absent)]) -> Self {
        Self { id, name, attributes }
    }
}

/// Returns the class of that number.
pub(super) fn by_id(id: u32) -> Option<&'static Class> {
    let at = CLASSES.binary_search_by_key(&id, |class| class.id).ok()?;
    Some(&CLASSES[at])
}

/// Returns the class of that name.
pub(super) fn by_name(name: &str) -> Option<&'static Class> {
    CLASSES.iter().find(|class| class.name == name)
}

/// Numbers of classes.
pub(super) mod class {
    pub(crate) const NOP: u32 = 3;
    pub(crate) const PARENTHESIZED_EXPRESSION: u32 = 6;
    pub(crate) const NOT_EXPRESSION: u32 = 7;
    pub(crate) const UNARY_MINUS_EXPRESSION: u32 = 8;
    pub(crate) const UNFOLD_EXPRESSION: u32 = 9;
    pub(crate) const ASSIGNMENT_EXPRESSION: u32 = 10;
    pub(crate) const ARITHMETIC_EXPRESSION: u32 = 11;
    pub(crate) const RELATIONSHIP_EXPRESSION: u32 = 12;
    pub(crate) const ACCESS_EXPRESSION: u32 = 13;
    pub(crate) const COMPARISON_EXPRESSION: u32 = 14;
    pub(crate) const MATCH_EXPRESSION: u32 = 15;
    pub(crate) const IN_EXPRESSION: u32 = 16;
    pub(crate) const AND_EXPRESSION: u32 = 18;
    pub(crate) const OR_EXPRESSION: u32 = 19;
    pub(crate) const LITERAL_LIST: u32 = 20;
    pub(crate) const KEYED_ENTRY: u32 = 21;
    pub(crate) const LITERAL_HASH: u32 = 22;
    pub(crate) const BLOCK_EXPRESSION: u32 = 23;
    pub(crate) const APPLY_BLOCK_EXPRESSION: u32 = 24;
    pub(crate) const CASE_OPTION: u32 = 25;
    pub(crate) const CASE_EXPRESSION: u32 = 26;
    pub(crate) const EXPORTED_QUERY: u32 = 28;
    pub(crate) const VIRTUAL_QUERY: u32 = 29;
    pub(crate) const ATTRIBUTE_OPERATION: u32 = 31;
    pub(crate) const ATTRIBUTES_OPERATION: u32 = 32;
    pub(crate) const COLLECT_EXPRESSION: u32 = 33;
    pub(crate) const PARAMETER: u32 = 34;
    pub(crate) const FUNCTION_DEFINITION: u32 = 37;
    pub(crate) const RESOURCE_TYPE_DEFINITION: u32 = 38;
    pub(crate) const TYPE_ALIAS: u32 = 40;
    pub(crate) const TYPE_MAPPING: u32 = 41;
    pub(crate) const TYPE_DEFINITION: u32 = 42;
    pub(crate) const NODE_DEFINITION: u32 = 43;
    pub(crate) const HEREDOC_EXPRESSION: u32 = 44;
    pub(crate) const HOST_CLASS_DEFINITION: u32 = 45;
    pub(crate) const PLAN_DEFINITION: u32 = 46;
    pub(crate) const LAMBDA_EXPRESSION: u32 = 47;
    pub(crate) const APPLY_EXPRESSION: u32 = 48;
    pub(crate) const IF_EXPRESSION: u32 = 49;
    pub(crate) const UNLESS_EXPRESSION: u32 = 50;
    pub(crate) const CALL_FUNCTION_EXPRESSION: u32 = 52;
    pub(crate) const CALL_NAMED_FUNCTION_EXPRESSION: u32 = 53;
    pub(crate) const CALL_METHOD_EXPRESSION: u32 = 54;
    pub(crate) const LITERAL_REGULAR_EXPRESSION: u32 = 57;
    pub(crate) const LITERAL_STRING: u32 = 58;
    pub(crate) const LITERAL_INTEGER: u32 = 60;
    pub(crate) const LITERAL_FLOAT: u32 = 61;
    pub(crate) const LITERAL_UNDEF: u32 = 62;
    pub(crate) const LITERAL_DEFAULT: u32 = 63;
    pub(crate) const LITERAL_BOOLEAN: u32 = 64;
    pub(crate) const TEXT_EXPRESSION: u32 = 65;
    pub(crate) const CONCATENATED_STRING: u32 = 66;
    pub(crate) const QUALIFIED_NAME: u32 = 67;
    pub(crate) const RESERVED_WORD: u32 = 68;
    pub(crate) const QUALIFIED_REFERENCE: u32 = 69;
    pub(crate) const VARIABLE_EXPRESSION: u32 = 70;
    pub(crate) const EPP_EXPRESSION: u32 = 71;
    pub(crate) const RENDER_STRING_EXPRESSION: u32 = 72;
    pub(crate) const RENDER_EXPRESSION: u32 = 73;
    pub(crate) const RESOURCE_BODY: u32 = 74;
    pub(crate) const RESOURCE_EXPRESSION: u32 = 76;
    pub(crate) const RESOURCE_DEFAULTS_EXPRESSION: u32 = 77;
    pub(crate) const RESOURCE_OVERRIDE_EXPRESSION: u32 = 78;
    pub(crate) const SELECTOR_ENTRY: u32 = 79;
    pub(crate) const SELECTOR_EXPRESSION: u32 = 80;
    pub(crate) const NAMED_ACCESS_EXPRESSION: u32 = 81;
    /// Not a class: a variable with its name.
    pub(crate) const NAMED_VARIABLE: u32 = 200;
}

/// All classes, by number.
static CLASSES: [Class; 66] = [
    Class::new(class::NOP, "Nop", &[]),
    Class::new(class::PARENTHESIZED_EXPRESSION, "ParenthesizedExpression", &[(Node, Required)]),
    Class::new(class::NOT_EXPRESSION, "NotExpression", &[(Node, Required)]),
    Class::new(class::UNARY_MINUS_EXPRESSION, "UnaryMinusExpression", &[(Node, Required)]),
    Class::new(class::UNFOLD_EXPRESSION, "UnfoldExpression", &[(Node, Required)]),
    Class::new(
        class::ASSIGNMENT_EXPRESSION,
        "AssignmentExpression",
        &[(Node, Required), (Node, Required), (Text, Required)],
    ),
    Class::new(
        class::ARITHMETIC_EXPRESSION,
        "ArithmeticExpression",
        &[(Node, Required), (Node, Required), (Text, Required)],
    ),
    Class::new(
        class::RELATIONSHIP_EXPRESSION,
        "RelationshipExpression",
        &[(Node, Required), (Node, Required), (Text, Required)],
    ),
    Class::new(class::ACCESS_EXPRESSION, "AccessExpression", &[(Node, Required), (Nodes, Empty)]),
    Class::new(
        class::COMPARISON_EXPRESSION,
        "ComparisonExpression",
        &[(Node, Required), (Node, Required), (Text, Required)],
    ),
    Class::new(
        class::MATCH_EXPRESSION,
        "MatchExpression",
        &[(Node, Required), (Node, Required), (Text, Required)],
    ),
    Class::new(class::IN_EXPRESSION, "InExpression", &[(Node, Required), (Node, Required)]),
    Class::new(class::AND_EXPRESSION, "AndExpression", &[(Node, Required), (Node, Required)]),
    Class::new(class::OR_EXPRESSION, "OrExpression", &[(Node, Required), (Node, Required)]),
    Class::new(class::LITERAL_LIST, "LiteralList", &[(Nodes, Empty)]),
    Class::new(class::KEYED_ENTRY, "KeyedEntry", &[(Node, Required), (Node, Required)]),
    Class::new(class::LITERAL_HASH, "LiteralHash", &[(Nodes, Empty)]),
    Class::new(class::BLOCK_EXPRESSION, "BlockExpression", &[(Nodes, Empty)]),
    Class::new(class::APPLY_BLOCK_EXPRESSION, "ApplyBlockExpression", &[(Nodes, Empty)]),
    Class::new(class::CASE_OPTION, "CaseOption", &[(Nodes, Required), (Node, Undef)]),
    Class::new(class::CASE_EXPRESSION, "CaseExpression", &[(Node, Required), (Nodes, Empty)]),
    Class::new(class::EXPORTED_QUERY, "ExportedQuery", &[(Node, Undef)]),
    Class::new(class::VIRTUAL_QUERY, "VirtualQuery", &[(Node, Undef)]),
    Class::new(
        class::ATTRIBUTE_OPERATION,
        "AttributeOperation",
        &[(Text, Required), (Text, Required), (Node, Required)],
    ),
    Class::new(class::ATTRIBUTES_OPERATION, "AttributesOperation", &[(Node, Required)]),
    Class::new(
        class::COLLECT_EXPRESSION,
        "CollectExpression",
        &[(Node, Required), (Node, Required), (Nodes, Empty)],
    ),
    Class::new(
        class::PARAMETER,
        "Parameter",
        &[(Text, Required), (Node, Undef), (Node, Undef), (Flag, Undef)],
    ),
    Class::new(
        class::FUNCTION_DEFINITION,
        "FunctionDefinition",
        &[(Text, Required), (Nodes, Empty), (Node, Undef), (Node, Undef)],
    ),
    Class::new(
        class::RESOURCE_TYPE_DEFINITION,
        "ResourceTypeDefinition",
        &[(Text, Required), (Nodes, Empty), (Node, Undef)],
    ),
    Class::new(class::TYPE_ALIAS, "TypeAlias", &[(Text, Required), (Node, Undef)]),
    Class::new(class::TYPE_MAPPING, "TypeMapping", &[(Node, Undef), (Node, Undef)]),
    Class::new(
        class::TYPE_DEFINITION,
        "TypeDefinition",
        &[(Text, Required), (Text, Undef), (Node, Undef)],
    ),
    Class::new(
        class::NODE_DEFINITION,
        "NodeDefinition",
        &[(Nodes, Required), (Node, Undef), (Node, Undef)],
    ),
    Class::new(class::HEREDOC_EXPRESSION, "HeredocExpression", &[(Node, Required), (Text, Undef)]),
    Class::new(
        class::HOST_CLASS_DEFINITION,
        "HostClassDefinition",
        &[(Text, Required), (Nodes, Empty), (Node, Undef), (Text, Undef)],
    ),
    Class::new(
        class::PLAN_DEFINITION,
        "PlanDefinition",
        &[(Text, Required), (Nodes, Empty), (Node, Undef), (Node, Undef)],
    ),
    Class::new(
        class::LAMBDA_EXPRESSION,
        "LambdaExpression",
        &[(Nodes, Empty), (Node, Undef), (Node, Undef)],
    ),
    Class::new(class::APPLY_EXPRESSION, "ApplyExpression", &[(Nodes, Empty), (Node, Undef)]),
    Class::new(
        class::IF_EXPRESSION,
        "IfExpression",
        &[(Node, Required), (Node, Undef), (Node, Undef)],
    ),
    Class::new(
        class::UNLESS_EXPRESSION,
        "UnlessExpression",
        &[(Node, Required), (Node, Undef), (Node, Undef)],
    ),
    Class::new(
        class::CALL_FUNCTION_EXPRESSION,
        "CallFunctionExpression",
        &[(Node, Required), (Flag, False), (Nodes, Empty), (Node, Undef)],
    ),
    Class::new(
        class::CALL_NAMED_FUNCTION_EXPRESSION,
        "CallNamedFunctionExpression",
        &[(Node, Required), (Flag, False), (Nodes, Empty), (Node, Undef)],
    ),
    Class::new(
        class::CALL_METHOD_EXPRESSION,
        "CallMethodExpression",
        &[(Node, Required), (Flag, False), (Nodes, Empty), (Node, Undef)],
    ),
    Class::new(
        class::LITERAL_REGULAR_EXPRESSION,
        "LiteralRegularExpression",
        &[(Regexp, Required), (Literal, Required)],
    ),
    Class::new(class::LITERAL_STRING, "LiteralString", &[(Literal, Required)]),
    Class::new(class::LITERAL_INTEGER, "LiteralInteger", &[(Integer, Required), (Integer, Ten)]),
    Class::new(class::LITERAL_FLOAT, "LiteralFloat", &[(Float, Required)]),
    Class::new(class::LITERAL_UNDEF, "LiteralUndef", &[]),
    Class::new(class::LITERAL_DEFAULT, "LiteralDefault", &[]),
    Class::new(class::LITERAL_BOOLEAN, "LiteralBoolean", &[(Flag, Required)]),
    Class::new(class::TEXT_EXPRESSION, "TextExpression", &[(Node, Required)]),
    Class::new(class::CONCATENATED_STRING, "ConcatenatedString", &[(Nodes, Empty)]),
    Class::new(class::QUALIFIED_NAME, "QualifiedName", &[(Text, Required)]),
    Class::new(class::RESERVED_WORD, "ReservedWord", &[(Text, Required), (Flag, Undef)]),
    Class::new(class::QUALIFIED_REFERENCE, "QualifiedReference", &[(Text, Required)]),
    Class::new(class::VARIABLE_EXPRESSION, "VariableExpression", &[(Node, Required)]),
    Class::new(class::EPP_EXPRESSION, "EppExpression", &[(Flag, Undef), (Node, Undef)]),
    Class::new(class::RENDER_STRING_EXPRESSION, "RenderStringExpression", &[(Literal, Required)]),
    Class::new(class::RENDER_EXPRESSION, "RenderExpression", &[(Node, Required)]),
    Class::new(class::RESOURCE_BODY, "ResourceBody", &[(Node, Undef), (Nodes, Empty)]),
    Class::new(
        class::RESOURCE_EXPRESSION,
        "ResourceExpression",
        &[(Node, Required), (Text, Regular), (Nodes, Empty)],
    ),
    Class::new(
        class::RESOURCE_DEFAULTS_EXPRESSION,
        "ResourceDefaultsExpression",
        &[(Text, Regular), (Node, Undef), (Nodes, Empty)],
    ),
    Class::new(
        class::RESOURCE_OVERRIDE_EXPRESSION,
        "ResourceOverrideExpression",
        &[(Node, Required), (Text, Regular), (Nodes, Empty)],
    ),
    Class::new(class::SELECTOR_ENTRY, "SelectorEntry", &[(Node, Required), (Node, Required)]),
    Class::new(
        class::SELECTOR_EXPRESSION,
        "SelectorExpression",
        &[(Node, Required), (Nodes, Empty)],
    ),
    Class::new(
        class::NAMED_ACCESS_EXPRESSION,
        "NamedAccessExpression",
        &[(Node, Required), (Node, Required)],
    ),
];
