//! Nodes of the tree.

use super::{ExprId, ExprList, NamedId, Text, TypeDefinitionId};

/// A node. In Puppet, statements are expressions too.
///
/// Names follow Puppet's model (`Puppet::AST::…`) without the `Expression` and `Literal` parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expr {
    /// Nothing: the body of an empty source.
    Nop,
    /// Text that could not be parsed; there is a diagnostic for it. Not in Puppet's model.
    Error,
    /// An expression with one operand: `(a)`, `!a`, `-a`, `*a`, …
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        expr: ExprId,
    },
    /// An expression with two operands: `a + b`, `a -> b`, `$a = b`, `a in b`, …
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The operand before the operator.
        left: ExprId,
        /// The operand after the operator.
        right: ExprId,
    },
    /// `left[keys]`
    Access {
        /// The value that is indexed.
        left: ExprId,
        /// The keys or type arguments.
        keys: ExprList,
    },
    /// `left.name`, only as the functor of a method call.
    NamedAccess {
        /// The first argument of the call.
        left: ExprId,
        /// The function.
        name: Text,
    },
    /// `[a, b]`
    List(ExprList),
    /// `{ a => b }`, entries are [`Expr::KeyedEntry`].
    Hash(ExprList),
    /// `key => value` of a hash.
    KeyedEntry {
        /// The key.
        key: ExprId,
        /// The value.
        value: ExprId,
    },
    /// Several statements.
    Block(ExprList),
    /// The statements of `apply(…) { … }`.
    ApplyBlock(ExprList),
    /// `case test { options }`
    Case {
        /// The control expression.
        test: ExprId,
        /// [`Expr::CaseOption`]s.
        options: ExprList,
    },
    /// `values: { then }`
    CaseOption {
        /// The values that the control expression is compared with.
        values: ExprList,
        /// The body: a block, a single expression, or nothing.
        then: Option<ExprId>,
    },
    /// `<| expr |>` or `<<| expr |>>`
    Query {
        /// Set for exported resources.
        exported: bool,
        /// The condition.
        expr: Option<ExprId>,
    },
    /// `Type<| … |> { operations }`
    Collect {
        /// The type of the resources.
        type_: ExprId,
        /// An [`Expr::Query`].
        query: ExprId,
        /// The overrides.
        operations: ExprList,
    },
    /// `name => value` or `name +> value` of a resource.
    AttributeOperation {
        /// The attribute.
        name: Text,
        /// Set for the operator `+>`.
        append: bool,
        /// The value.
        value: ExprId,
    },
    /// `* => expr` of a resource.
    AttributesOperation(ExprId),
    /// `Type *$name = value`
    Parameter {
        /// The name without the dollar sign.
        name: Text,
        /// The default.
        value: Option<ExprId>,
        /// The type.
        type_: Option<ExprId>,
        /// Set if it takes the rest of the arguments.
        captures_rest: bool,
    },
    /// A class, define, function or plan.
    Named(NamedId),
    /// `node matches inherits parent { body }`
    Node {
        /// The names, patterns or `default` that the node's name is compared with.
        matches: ExprList,
        /// The node it inherits; Puppet refuses it.
        parent: Option<ExprId>,
        /// The statements.
        body: Option<ExprId>,
    },
    /// `type Name = type`
    TypeAlias {
        /// The new name.
        name: Text,
        /// The type that it names.
        type_: ExprId,
    },
    /// `type Runtime[…] = mapping`
    TypeMapping {
        /// The type on the left.
        type_: ExprId,
        /// The target of the mapping.
        mapping: ExprId,
    },
    /// `type Name inherits Parent { body }`
    TypeDefinition(TypeDefinitionId),
    /// `@(END) …`
    Heredoc {
        /// A string or a concatenated one.
        text: ExprId,
        /// The syntax tag; may be empty.
        syntax: Text,
    },
    /// `|parameters| >> return_type { body }`
    Lambda {
        /// [`Expr::Parameter`]s.
        parameters: ExprList,
        /// The statements.
        body: Option<ExprId>,
        /// The type of the result.
        return_type: Option<ExprId>,
    },
    /// `apply(arguments) { body }` of a plan.
    Apply {
        /// Targets and options.
        arguments: ExprList,
        /// An [`Expr::ApplyBlock`].
        body: ExprId,
    },
    /// `if test { then } else { otherwise }`; `elsif` is an `If` in `otherwise`.
    If {
        /// The condition.
        test: ExprId,
        /// The body if the condition holds.
        then: Option<ExprId>,
        /// The body if it does not hold.
        otherwise: Option<ExprId>,
    },
    /// `unless test { then } else { otherwise }`
    Unless {
        /// The condition.
        test: ExprId,
        /// The body if the condition does not hold.
        then: Option<ExprId>,
        /// The body if it holds.
        otherwise: Option<ExprId>,
    },
    /// `name(arguments) |…| { … }`, `a.name(arguments)` or `name arguments`
    Call {
        /// By name or as a method.
        kind: CallKind,
        /// Set if its value is used.
        rvalue: bool,
        /// A name, a type, or (of a method call) an [`Expr::NamedAccess`].
        functor: ExprId,
        /// The arguments.
        arguments: ExprList,
        /// An [`Expr::Lambda`].
        lambda: Option<ExprId>,
    },
    /// `/source/`, kept without slashes and with `\/` turned into `/`.
    Regexp(Text),
    /// `'text'`
    String(Text),
    /// `10`, `0x1F`, `017`
    Integer {
        /// The digits as written.
        digits: Text,
        /// 8, 10 or 16.
        radix: u32,
    },
    /// `1.5`, `1e-3`
    Float(Text),
    /// `undef`
    Undef,
    /// `default`
    Default,
    /// `true` or `false`
    Boolean(bool),
    /// `"a ${b} c"`, segments are [`Expr::String`] and [`UnaryOp::Text`].
    Concat(ExprList),
    /// A bare word: `apache::vhost`
    QualifiedName(Text),
    /// A word that is reserved for future use.
    ReservedWord(Text),
    /// `Apache::Vhost`
    QualifiedReference(Text),
    /// `$name`, kept without the dollar sign.
    Variable(Text),
    /// The content of a template.
    Epp {
        /// Set if the template declares parameters.
        parameters_specified: bool,
        /// Text and code.
        body: Option<ExprId>,
    },
    /// Text of a template.
    RenderString(Text),
    /// `title: operations`
    ResourceBody {
        /// One title, or an array of them.
        title: ExprId,
        /// The attributes.
        operations: ExprList,
    },
    /// `type { bodies }`
    Resource {
        /// Usually a name.
        type_name: ExprId,
        /// Regular, virtual or exported.
        form: Form,
        /// [`Expr::ResourceBody`]s.
        bodies: ExprList,
    },
    /// `Type { operations }`
    ResourceDefaults {
        /// Only regular is valid.
        form: Form,
        /// The type.
        type_ref: ExprId,
        /// The attributes.
        operations: ExprList,
    },
    /// `Type['title'] { operations }`
    ResourceOverride {
        /// Only regular is valid.
        form: Form,
        /// Usually a reference.
        resources: ExprId,
        /// The attributes.
        operations: ExprList,
    },
    /// `left ? { selectors }`
    Selector {
        /// The control expression.
        left: ExprId,
        /// [`Expr::SelectorEntry`]s.
        selectors: ExprList,
    },
    /// `matching => value` of a selector.
    SelectorEntry {
        /// The value that the control expression is compared with.
        matching: ExprId,
        /// The result.
        value: ExprId,
    },
}

impl Expr {
    /// Returns the text that is part of the node itself.
    pub fn text(&self) -> Option<Text> {
        match *self {
            Self::String(text)
            | Self::QualifiedName(text)
            | Self::QualifiedReference(text)
            | Self::Variable(text)
            | Self::Regexp(text)
            | Self::Float(text)
            | Self::RenderString(text)
            | Self::ReservedWord(text)
            | Self::Integer { digits: text, radix: _ }
            | Self::NamedAccess { left: _, name: text }
            | Self::Heredoc { text: _, syntax: text }
            | Self::AttributeOperation { name: text, .. }
            | Self::Parameter { name: text, .. }
            | Self::TypeAlias { name: text, type_: _ } => Some(text),
            _ => None,
        }
    }
}

/// An expression with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `(a)`
    Paren,
    /// `!a`
    Not,
    /// `-a`
    Minus,
    /// `*a`
    Unfold,
    /// `${a}` in a string.
    Text,
    /// `<%= a %>` in a template.
    Render,
}

/// An expression with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `=`, and `+=` and `-=`, which Puppet refuses.
    Assign(AssignmentOp),
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
    /// `<<`
    LeftShift,
    /// `>>`
    RightShift,
    /// `->`
    Before,
    /// `<-`
    Require,
    /// `~>`
    Notify,
    /// `<~`
    Subscribe,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `=~`
    Match,
    /// `!~`
    NoMatch,
    /// `in`
    In,
    /// `and`
    And,
    /// `or`
    Or,
}

/// The operator of an assignment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssignmentOp {
    /// `=`
    Set,
    /// `+=`
    Append,
    /// `-=`
    Delete,
}

impl BinaryOp {
    /// Returns the spelling of the operator.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Assign(AssignmentOp::Set) => "=",
            Self::Assign(AssignmentOp::Append) => "+=",
            Self::Assign(AssignmentOp::Delete) => "-=",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Modulo => "%",
            Self::LeftShift => "<<",
            Self::RightShift => ">>",
            Self::Before => "->",
            Self::Require => "<-",
            Self::Notify => "~>",
            Self::Subscribe => "<~",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::Match => "=~",
            Self::NoMatch => "!~",
            Self::In => "in",
            Self::And => "and",
            Self::Or => "or",
        }
    }
}

/// The two ways to write a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallKind {
    /// `name(…)`, `Type(…)` or `name …`
    Named,
    /// `a.name(…)`
    Method,
}

/// The way in which a resource enters the catalog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Immediately.
    Regular,
    /// `@`: when it is realized.
    Virtual,
    /// `@@`: virtual, and exported to other nodes.
    Exported,
}

impl Form {
    /// Returns Puppet's name for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Regular => "regular",
            Self::Virtual => "virtual",
            Self::Exported => "exported",
        }
    }
}

/// A class, define, function or plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Named {
    /// The kind of definition.
    pub kind: NamedKind,
    /// The name, with those of the classes around it.
    pub name: Text,
    /// [`Expr::Parameter`]s.
    pub parameters: ExprList,
    /// The statements: a block, or a single expression, or nothing.
    pub body: Option<ExprId>,
    /// The type of the result, of a function.
    pub return_type: Option<ExprId>,
    /// The class that a class inherits.
    pub parent_class: Option<Text>,
}

/// The kind of a [`Named`] definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamedKind {
    /// `class`
    Class,
    /// `define`
    Define,
    /// `function`
    Function,
    /// `plan`
    Plan,
}

/// `type Name inherits Parent { body }`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeDefinition {
    /// The new name.
    pub name: Text,
    /// The parent's name.
    pub parent: Option<Text>,
    /// The statements.
    pub body: Option<ExprId>,
}
