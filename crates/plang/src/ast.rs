//! Syntax tree of one program: nodes in a flat list, children as ids, spans in a parallel list.

use std::sync::Arc;

use kukla_base::Span;

/// An expression or statement of one program's [`Ast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(u32);

/// Flat syntax tree of one program; children are ids, spans are in a parallel list.
#[derive(Debug, Default)]
pub struct Ast {
    exprs: Vec<Expr>,
    spans: Vec<Span>,
    heights: Vec<u16>,
    /// The statements of the program.
    pub program: Vec<ExprId>,
}

/// A name as written in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The text of the name.
    pub text: Box<str>,
    /// The location in the source.
    pub span: Span,
}

/// An expression or a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// `true`
    Boolean(bool),
    /// `42`
    Number(i64),
    /// `"text"`
    Text(Arc<[u8]>),
    /// `name`
    Name(Word),
    /// `object.member`
    Member {
        /// The object on the left of the dot.
        object: ExprId,
        /// The name of the member.
        member: Word,
    },
    /// `callee(args)`
    Call {
        /// The called expression.
        callee: ExprId,
        /// The arguments.
        args: Vec<ExprId>,
    },
    /// `!operand`
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        operand: ExprId,
    },
    /// `left op right`
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The left operand.
        left: ExprId,
        /// The right operand.
        right: ExprId,
    },
    /// `a and b and c`: a chain is one node, so that long chains do not make deep trees.
    Logic {
        /// The operator.
        op: LogicOp,
        /// Two or more operands.
        operands: Vec<ExprId>,
    },
    /// `left otherwise right`
    Otherwise {
        /// The expression that may fail.
        left: ExprId,
        /// The fallback, evaluated when `left` fails.
        right: ExprId,
    },
    /// `try operand`
    Try(ExprId),
    /// `import operand`
    Import(ExprId),
    /// `{ … }`
    Block(Vec<ExprId>),
    /// `if (…) {…} elsif (…) {…} else {…}`
    If {
        /// Conditions with their blocks.
        arms: Vec<(ExprId, ExprId)>,
        /// The block of `else`.
        otherwise: Option<ExprId>,
    },
    /// `name := value;`
    Assign {
        /// The name.
        name: Word,
        /// The assigned expression.
        value: ExprId,
    },
    /// Source that the parser rejected with a diagnostic.
    Error,
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `!` and `not`
    Not,
    /// `-`
    Minus,
    /// `+`
    Plus,
}

/// An operator that needs both of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
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
    /// `equal`, `contains_i`, …
    Text(TextOp),
}

/// An operator on two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextOp {
    /// The test.
    pub test: TextTest,
    /// Whether the test ignores the case of ASCII letters (`_i`).
    pub ignores_case: bool,
}

/// Kind of test on two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextTest {
    /// `equal`
    Equal,
    /// `contains`
    Contains,
    /// `begins_with`
    BeginsWith,
    /// `ends_with`
    EndsWith,
    /// `matches`
    Matches,
}

/// An operator on truth values or blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogicOp {
    /// `and`
    And,
    /// `or`
    Or,
    /// `xor`
    Xor,
}

impl Ast {
    /// Adds a node.
    pub fn add(&mut self, expr: Expr, span: Span) -> ExprId {
        let mut children = Vec::new();
        push_children(&expr, &mut children);
        let height = children.iter().map(|child| self.heights[child.0 as usize]).max();
        self.heights.push(height.unwrap_or(0).saturating_add(1));
        self.exprs.push(expr);
        self.spans.push(span);
        ExprId(u32::try_from(self.exprs.len() - 1).unwrap_or(u32::MAX))
    }

    /// Returns the span of a node.
    pub fn span(&self, id: ExprId) -> Span {
        self.spans[id.0 as usize]
    }

    /// Extends a node's span to include its parentheses.
    pub(crate) fn widen(&mut self, id: ExprId, span: Span) {
        self.spans[id.0 as usize] = span;
    }

    /// Returns the height of the subtree below a node.
    pub fn height(&self, id: ExprId) -> usize {
        usize::from(self.heights[id.0 as usize])
    }

    /// Iterates over all nodes in creation order: children come before their parents.
    pub fn iter(&self) -> impl Iterator<Item = (ExprId, &Expr)> {
        self.exprs.iter().zip(0..).map(|(expr, id)| (ExprId(id), expr))
    }

    /// Returns the children of a node in source order.
    pub fn children(&self, id: ExprId) -> Vec<ExprId> {
        let mut children = Vec::new();
        push_children(&self[id], &mut children);
        children
    }
}

impl std::ops::Index<ExprId> for Ast {
    type Output = Expr;

    fn index(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }
}

/// Lists the children of every kind of node; the only function that has to match all of them.
fn push_children(expr: &Expr, out: &mut Vec<ExprId>) {
    match expr {
        Expr::Boolean(_) | Expr::Number(_) | Expr::Text(_) | Expr::Name(_) | Expr::Error => (),
        Expr::Member { object, member: _ } => out.push(*object),
        Expr::Call { callee, args } => {
            out.push(*callee);
            out.extend(args);
        }
        Expr::Unary { op: _, operand } | Expr::Try(operand) | Expr::Import(operand) => {
            out.push(*operand);
        }
        Expr::Binary { op: _, left, right } | Expr::Otherwise { left, right } => {
            out.extend([left, right]);
        }
        Expr::Logic { op: _, operands } => out.extend(operands),
        Expr::Block(statements) => out.extend(statements),
        Expr::If { arms, otherwise } => {
            out.extend(arms.iter().flat_map(|(condition, block)| [condition, block]));
            out.extend(otherwise);
        }
        Expr::Assign { name: _, value } => out.push(*value),
    }
}

impl UnaryOp {
    /// Returns the operator as written in source.
    pub fn text(self) -> &'static str {
        match self {
            Self::Not => "!",
            Self::Minus => "-",
            Self::Plus => "+",
        }
    }
}

impl LogicOp {
    /// Returns the operator as written in source.
    pub fn text(self) -> &'static str {
        match self {
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
        }
    }
}

impl BinaryOp {
    /// Returns the operator as written in source.
    pub fn text(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::Text(op) => op.text(),
        }
    }
}

impl TextOp {
    /// Returns the operator as written in source.
    pub fn text(self) -> &'static str {
        match (self.test, self.ignores_case) {
            (TextTest::Equal, false) => "equal",
            (TextTest::Equal, true) => "equal_i",
            (TextTest::Contains, false) => "contains",
            (TextTest::Contains, true) => "contains_i",
            (TextTest::BeginsWith, false) => "begins_with",
            (TextTest::BeginsWith, true) => "begins_with_i",
            (TextTest::EndsWith, false) => "ends_with",
            (TextTest::EndsWith, true) => "ends_with_i",
            (TextTest::Matches, false) => "matches",
            (TextTest::Matches, true) => "matches_i",
        }
    }
}
