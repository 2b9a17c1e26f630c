//! The tree in the words of Puppet's own model.

use kukla_base::Span;

use super::{Ast, BinaryOp, CallKind, Child, Expr, ExprId, NamedKind, UnaryOp};

impl Ast {
    /// Returns every node in terms of Puppet's model: class name, offset and length; parents before children.
    pub fn puppet_nodes(&self) -> Vec<(&'static str, Span)> {
        let mut nodes = Vec::with_capacity(self.len());
        let mut rest: Vec<Child> = self.body().map(Child::Node).into_iter().collect();
        let mut children = Vec::new();
        while let Some(child) = rest.pop() {
            match child {
                Child::Name(span) => nodes.push(("QualifiedName", span)),
                Child::Node(id) => {
                    nodes.push((self.class_name(id), self.span(id)));
                    self.push_children(id, &mut children);
                    rest.extend(children.drain(..).rev());
                }
            }
        }
        nodes
    }

    /// Returns the name of a node's class in Puppet's model (`LiteralString`, …).
    pub fn class_name(&self, id: ExprId) -> &'static str {
        match self[id] {
            Expr::Nop => "Nop",
            Expr::Error => "Error",
            Expr::Unary { op, expr: _ } => unary(op),
            Expr::Binary { op, left: _, right: _ } => binary(op),
            Expr::Access { .. } => "AccessExpression",
            Expr::NamedAccess { .. } => "NamedAccessExpression",
            Expr::List(_) => "LiteralList",
            Expr::Hash(_) => "LiteralHash",
            Expr::KeyedEntry { .. } => "KeyedEntry",
            Expr::Block(_) => "BlockExpression",
            Expr::ApplyBlock(_) => "ApplyBlockExpression",
            Expr::Case { .. } => "CaseExpression",
            Expr::CaseOption { .. } => "CaseOption",
            Expr::Query { exported: true, expr: _ } => "ExportedQuery",
            Expr::Query { exported: false, expr: _ } => "VirtualQuery",
            Expr::Collect { .. } => "CollectExpression",
            Expr::AttributeOperation { .. } => "AttributeOperation",
            Expr::AttributesOperation(_) => "AttributesOperation",
            Expr::Parameter { .. } => "Parameter",
            Expr::Named(named) => match self.named(named).kind {
                NamedKind::Class => "HostClassDefinition",
                NamedKind::Define => "ResourceTypeDefinition",
                NamedKind::Function => "FunctionDefinition",
                NamedKind::Plan => "PlanDefinition",
            },
            Expr::Node { .. } => "NodeDefinition",
            Expr::TypeAlias { .. } => "TypeAlias",
            Expr::TypeMapping { .. } => "TypeMapping",
            Expr::TypeDefinition(_) => "TypeDefinition",
            Expr::Heredoc { .. } => "HeredocExpression",
            Expr::Lambda { .. } => "LambdaExpression",
            Expr::Apply { .. } => "ApplyExpression",
            Expr::If { .. } => "IfExpression",
            Expr::Unless { .. } => "UnlessExpression",
            Expr::Call { kind: CallKind::Named, .. } => "CallNamedFunctionExpression",
            Expr::Call { kind: CallKind::Method, .. } => "CallMethodExpression",
            Expr::Regexp(_) => "LiteralRegularExpression",
            Expr::String(_) => "LiteralString",
            Expr::Integer { .. } => "LiteralInteger",
            Expr::Float(_) => "LiteralFloat",
            Expr::Undef => "LiteralUndef",
            Expr::Default => "LiteralDefault",
            Expr::Boolean(_) => "LiteralBoolean",
            Expr::Concat(_) => "ConcatenatedString",
            Expr::QualifiedName(_) => "QualifiedName",
            Expr::ReservedWord(_) => "ReservedWord",
            Expr::QualifiedReference(_) => "QualifiedReference",
            Expr::Variable(_) => "VariableExpression",
            Expr::Epp { .. } => "EppExpression",
            Expr::RenderString(_) => "RenderStringExpression",
            Expr::ResourceBody { .. } => "ResourceBody",
            Expr::Resource { .. } => "ResourceExpression",
            Expr::ResourceDefaults { .. } => "ResourceDefaultsExpression",
            Expr::ResourceOverride { .. } => "ResourceOverrideExpression",
            Expr::Selector { .. } => "SelectorExpression",
            Expr::SelectorEntry { .. } => "SelectorEntry",
        }
    }
}

fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Paren => "ParenthesizedExpression",
        UnaryOp::Not => "NotExpression",
        UnaryOp::Minus => "UnaryMinusExpression",
        UnaryOp::Unfold => "UnfoldExpression",
        UnaryOp::Text => "TextExpression",
        UnaryOp::Render => "RenderExpression",
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Assign(_) => "AssignmentExpression",
        BinaryOp::Add
        | BinaryOp::Subtract
        | BinaryOp::Multiply
        | BinaryOp::Divide
        | BinaryOp::Modulo
        | BinaryOp::LeftShift
        | BinaryOp::RightShift => "ArithmeticExpression",
        BinaryOp::Before | BinaryOp::Require | BinaryOp::Notify | BinaryOp::Subscribe => {
            "RelationshipExpression"
        }
        BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual => "ComparisonExpression",
        BinaryOp::Match | BinaryOp::NoMatch => "MatchExpression",
        BinaryOp::In => "InExpression",
        BinaryOp::And => "AndExpression",
        BinaryOp::Or => "OrExpression",
    }
}
