//! Shape of a node in Puppet's model: its class and its attributes in the constructor's order.

use std::borrow::Cow;

use kukla_base::Span;

use super::model::{Absent, MAX_ATTRIBUTES, class};
use kukla_regex as regexp;
use kukla_syntax::ast::{
    Ast, BinaryOp, CallKind, Expr, ExprId, ExprList, Named, NamedKind, Text, UnaryOp,
};

/// The shape of a node in Puppet's model.
#[derive(Debug)]
pub(super) struct Shape<'a> {
    pub(super) class: u32,
    /// The attributes of the class, followed by [`Field::None`].
    pub(super) fields: [Field<'a>; MAX_ATTRIBUTES],
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Field<'a> {
    None,
    Node(Option<ExprId>),
    /// A `QualifiedName` that our tree stores in its parent.
    Name(Name<'a>),
    Nodes(ExprList),
    Text(Option<Cow<'a, str>>),
    Flag(Option<bool>),
    Integer(i64),
    Float(f64),
    Regexp(&'a str),
}

/// The name of a variable or a method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Name<'a> {
    pub(super) text: &'a str,
    pub(super) span: Span,
    /// Whether Puppet parses it as a value: `"${true}"`.
    pub(super) is_boolean: bool,
}

impl Field<'_> {
    /// Returns whether it may be omitted at the end of a node.
    pub(super) fn is(&self, default: Absent) -> bool {
        match default {
            Absent::Required => false,
            Absent::Undef => {
                matches!(self, Self::Node(None) | Self::Text(None) | Self::Flag(None))
            }
            Absent::Empty => matches!(self, Self::Nodes(list) if list.is_empty()),
            Absent::False => *self == Self::Flag(Some(false)),
            Absent::Regular => matches!(self, Self::Text(Some(form)) if form == "regular"),
            Absent::Ten => *self == Self::Integer(10),
        }
    }
}

/// Returns the shape of a node; `None` if Puppet's model can't have it, or if it is never valid.
#[expect(clippy::too_many_lines, reason = "a list of all nodes, an arm each")]
pub(super) fn shape(ast: &Ast, id: ExprId) -> Option<Shape<'_>> {
    let text = |text: Text| Field::Text(Some(Cow::Borrowed(ast.text(text))));
    let optional_text = |text: Option<Text>| Field::Text(text.map(|text| ast.text(text).into()));
    let form = |form: kukla_syntax::ast::Form| Field::Text(Some(form.as_str().into()));
    let node = |id: ExprId| Field::Node(Some(id));
    let name = |name: Text, span: Span| {
        let is_boolean = ast.is_interpolated_boolean(id);
        Field::Name(Name { text: ast.text(name), span, is_boolean })
    };
    Some(match ast[id] {
        Expr::Error => return None,
        Expr::Nop => leaf(class::NOP),
        Expr::Undef => leaf(class::LITERAL_UNDEF),
        Expr::Default => leaf(class::LITERAL_DEFAULT),
        Expr::Boolean(value) => one(class::LITERAL_BOOLEAN, Field::Flag(Some(value))),
        Expr::String(value) => one(class::LITERAL_STRING, text(value)),
        Expr::RenderString(value) => one(class::RENDER_STRING_EXPRESSION, text(value)),
        Expr::QualifiedName(value) => one(class::QUALIFIED_NAME, text(value)),
        Expr::QualifiedReference(value) => one(class::QUALIFIED_REFERENCE, text(value)),
        Expr::ReservedWord(word) => two(class::RESERVED_WORD, text(word), Field::Flag(Some(false))),
        Expr::Regexp(source) => {
            let source = ast.text(source);
            let pattern = Field::Text(Some(regexp::inspect(source).into()));
            two(class::LITERAL_REGULAR_EXPRESSION, Field::Regexp(source), pattern)
        }
        Expr::Integer { digits, radix } => {
            let value = Field::Integer(ast.integer(digits, radix)?);
            two(class::LITERAL_INTEGER, value, Field::Integer(radix.into()))
        }
        Expr::Float(digits) => {
            let value = ast.float(digits);
            one(class::LITERAL_FLOAT, Field::Float(value.is_finite().then_some(value)?))
        }
        Expr::Variable(variable) => {
            one(class::VARIABLE_EXPRESSION, name(variable, ast.name_span(id)))
        }
        Expr::NamedAccess { left, name: function } => {
            let place = Span::new(ast.span(id).start, 0);
            two(class::NAMED_ACCESS_EXPRESSION, node(left), name(function, place))
        }
        Expr::Unary { op, expr } => one(unary(op), node(expr)),
        Expr::Binary { op, left, right } => binary(op, node(left), node(right)),
        Expr::Access { left, keys } => {
            two(class::ACCESS_EXPRESSION, node(left), Field::Nodes(keys))
        }
        Expr::List(values) => one(class::LITERAL_LIST, Field::Nodes(values)),
        Expr::Hash(entries) => one(class::LITERAL_HASH, Field::Nodes(entries)),
        Expr::Block(statements) => one(class::BLOCK_EXPRESSION, Field::Nodes(statements)),
        Expr::ApplyBlock(body) => one(class::APPLY_BLOCK_EXPRESSION, Field::Nodes(body)),
        Expr::Concat(segments) => one(class::CONCATENATED_STRING, Field::Nodes(segments)),
        Expr::KeyedEntry { key, value } => two(class::KEYED_ENTRY, node(key), node(value)),
        Expr::Case { test, options } => {
            two(class::CASE_EXPRESSION, node(test), Field::Nodes(options))
        }
        Expr::CaseOption { values, then } => {
            two(class::CASE_OPTION, Field::Nodes(values), Field::Node(then))
        }
        Expr::Query { exported: true, expr } => one(class::EXPORTED_QUERY, Field::Node(expr)),
        Expr::Query { exported: false, expr } => one(class::VIRTUAL_QUERY, Field::Node(expr)),
        Expr::Collect { type_, query, operations } => {
            three(class::COLLECT_EXPRESSION, [node(type_), node(query), Field::Nodes(operations)])
        }
        Expr::AttributeOperation { name, append, value } => {
            let operator = Field::Text(Some(if append { "+>" } else { "=>" }.into()));
            three(class::ATTRIBUTE_OPERATION, [text(name), operator, node(value)])
        }
        Expr::AttributesOperation(expr) => one(class::ATTRIBUTES_OPERATION, node(expr)),
        Expr::Parameter { name, value, type_, captures_rest } => {
            let captures_rest = Field::Flag(captures_rest.then_some(true));
            let fields = [text(name), Field::Node(value), Field::Node(type_), captures_rest];
            Shape { class: class::PARAMETER, fields }
        }
        Expr::Named(id) => {
            let Named { kind, name, parameters, body, return_type, parent_class } = *ast.named(id);
            let (class, last) = match kind {
                NamedKind::Class => (class::HOST_CLASS_DEFINITION, optional_text(parent_class)),
                NamedKind::Define => (class::RESOURCE_TYPE_DEFINITION, Field::None),
                NamedKind::Function => (class::FUNCTION_DEFINITION, Field::Node(return_type)),
                NamedKind::Plan => (class::PLAN_DEFINITION, Field::Node(return_type)),
            };
            Shape { class, fields: [text(name), Field::Nodes(parameters), Field::Node(body), last] }
        }
        Expr::Node { matches, parent, body } => three(
            class::NODE_DEFINITION,
            [Field::Nodes(matches), Field::Node(parent), Field::Node(body)],
        ),
        Expr::TypeAlias { name, type_ } => two(class::TYPE_ALIAS, text(name), node(type_)),
        // `type Runtime[…] = Type { … }`: Puppet's grammar allows it, but an entry outside of a hash has no use.
        Expr::TypeMapping { mapping, .. } if matches!(ast[mapping], Expr::KeyedEntry { .. }) => {
            return None;
        }
        Expr::TypeMapping { type_, mapping } => {
            two(class::TYPE_MAPPING, node(type_), node(mapping))
        }
        Expr::TypeDefinition(id) => {
            let kukla_syntax::ast::TypeDefinition { name, parent, body } = *ast.type_definition(id);
            let parent = optional_text(parent);
            three(class::TYPE_DEFINITION, [text(name), parent, Field::Node(body)])
        }
        Expr::Heredoc { text: value, syntax } => {
            two(class::HEREDOC_EXPRESSION, node(value), text(syntax))
        }
        Expr::Lambda { parameters, body, return_type } => three(
            class::LAMBDA_EXPRESSION,
            [Field::Nodes(parameters), Field::Node(body), Field::Node(return_type)],
        ),
        Expr::Apply { arguments, body } => {
            two(class::APPLY_EXPRESSION, Field::Nodes(arguments), node(body))
        }
        Expr::If { test, then, otherwise } => {
            three(class::IF_EXPRESSION, [node(test), Field::Node(then), Field::Node(otherwise)])
        }
        Expr::Unless { test, then, otherwise } => {
            three(class::UNLESS_EXPRESSION, [node(test), Field::Node(then), Field::Node(otherwise)])
        }
        Expr::Call { kind, rvalue, functor, arguments, lambda } => Shape {
            class: match kind {
                CallKind::Named => class::CALL_NAMED_FUNCTION_EXPRESSION,
                CallKind::Method => class::CALL_METHOD_EXPRESSION,
            },
            fields: [
                node(functor),
                Field::Flag(Some(rvalue)),
                Field::Nodes(arguments),
                Field::Node(lambda),
            ],
        },
        Expr::Epp { parameters_specified, body } => {
            let flag = Field::Flag(Some(parameters_specified));
            two(class::EPP_EXPRESSION, flag, Field::Node(body))
        }
        Expr::ResourceBody { title, operations } => {
            two(class::RESOURCE_BODY, node(title), Field::Nodes(operations))
        }
        Expr::Resource { type_name, form: kind, bodies } => {
            three(class::RESOURCE_EXPRESSION, [node(type_name), form(kind), Field::Nodes(bodies)])
        }
        Expr::ResourceDefaults { form: kind, type_ref, operations } => three(
            class::RESOURCE_DEFAULTS_EXPRESSION,
            [form(kind), node(type_ref), Field::Nodes(operations)],
        ),
        Expr::ResourceOverride { form: kind, resources, operations } => three(
            class::RESOURCE_OVERRIDE_EXPRESSION,
            [node(resources), form(kind), Field::Nodes(operations)],
        ),
        Expr::Selector { left, selectors } => {
            two(class::SELECTOR_EXPRESSION, node(left), Field::Nodes(selectors))
        }
        Expr::SelectorEntry { matching, value } => {
            two(class::SELECTOR_ENTRY, node(matching), node(value))
        }
    })
}

fn leaf(class: u32) -> Shape<'static> {
    Shape { class, fields: [Field::None, Field::None, Field::None, Field::None] }
}

fn one(class: u32, first: Field<'_>) -> Shape<'_> {
    Shape { class, fields: [first, Field::None, Field::None, Field::None] }
}

fn two<'a>(class: u32, first: Field<'a>, second: Field<'a>) -> Shape<'a> {
    Shape { class, fields: [first, second, Field::None, Field::None] }
}

fn three<'a>(class: u32, fields: [Field<'a>; 3]) -> Shape<'a> {
    let [first, second, third] = fields;
    Shape { class, fields: [first, second, third, Field::None] }
}

fn unary(op: UnaryOp) -> u32 {
    match op {
        UnaryOp::Paren => class::PARENTHESIZED_EXPRESSION,
        UnaryOp::Not => class::NOT_EXPRESSION,
        UnaryOp::Minus => class::UNARY_MINUS_EXPRESSION,
        UnaryOp::Unfold => class::UNFOLD_EXPRESSION,
        UnaryOp::Text => class::TEXT_EXPRESSION,
        UnaryOp::Render => class::RENDER_EXPRESSION,
    }
}

fn binary<'a>(op: BinaryOp, left: Field<'a>, right: Field<'a>) -> Shape<'a> {
    let class = match op {
        BinaryOp::In => return two(class::IN_EXPRESSION, left, right),
        BinaryOp::And => return two(class::AND_EXPRESSION, left, right),
        BinaryOp::Or => return two(class::OR_EXPRESSION, left, right),
        BinaryOp::Assign(_) => class::ASSIGNMENT_EXPRESSION,
        BinaryOp::Add
        | BinaryOp::Subtract
        | BinaryOp::Multiply
        | BinaryOp::Divide
        | BinaryOp::Modulo
        | BinaryOp::LeftShift
        | BinaryOp::RightShift => class::ARITHMETIC_EXPRESSION,
        BinaryOp::Before | BinaryOp::Require | BinaryOp::Notify | BinaryOp::Subscribe => {
            class::RELATIONSHIP_EXPRESSION
        }
        BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual => class::COMPARISON_EXPRESSION,
        BinaryOp::Match | BinaryOp::NoMatch => class::MATCH_EXPRESSION,
    };
    three(class, [left, right, Field::Text(Some(op.as_str().into()))])
}
