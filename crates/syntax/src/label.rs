//! Puppet's names of nodes in messages.

use crate::ast::{Ast, CallKind, Expr, ExprId, NamedKind, UnaryOp};

/// Returns the name without an article: `Host Class Definition`.
pub fn label(ast: &Ast, id: ExprId) -> String {
    let label = match ast[id] {
        Expr::Nop => "Nop Expression",
        Expr::Error => "Expression",
        Expr::Unary { op, expr: _ } => match op {
            UnaryOp::Paren => "Parenthesized Expression",
            UnaryOp::Not => "'not' expression",
            UnaryOp::Minus => "Unary Minus",
            UnaryOp::Unfold => "Unfold",
            UnaryOp::Text => "Expression in Interpolated String",
            UnaryOp::Render => "Epp Interpolated Expression",
        },
        Expr::Binary { op, .. } => return format!("'{}' expression", op.as_str()),
        Expr::Access { .. } => "'[]' expression",
        Expr::NamedAccess { .. } => "'.' expression",
        Expr::List(_) => "Array Expression",
        Expr::Hash(_) => "Hash Expression",
        Expr::KeyedEntry { .. } => "Hash Entry",
        Expr::Block(_) => "Block Expression",
        Expr::ApplyBlock(_) => "Apply Block Expression",
        Expr::Case { .. } => "'case' statement",
        Expr::CaseOption { .. } => "Case Option",
        Expr::Query { exported: true, .. } => "Exported Query",
        Expr::Query { exported: false, .. } => "Virtual Query",
        Expr::Collect { query, .. } => return label(ast, query),
        Expr::AttributeOperation { append: true, .. } => "'+>' expression",
        Expr::AttributeOperation { append: false, .. } => "'=>' expression",
        // Puppet has no words of its own for `* =>`.
        Expr::AttributesOperation(_) => "Object",
        Expr::Parameter { .. } => "Parameter Definition",
        Expr::Named(named) => match ast.named(named).kind {
            NamedKind::Class => "Host Class Definition",
            NamedKind::Define => "'define' expression",
            NamedKind::Function => "Function Definition",
            NamedKind::Plan => "Plan Definition",
        },
        Expr::Node { .. } => "Node Definition",
        Expr::TypeAlias { .. } => "Type Alias",
        Expr::TypeMapping { .. } => "Type Mapping",
        Expr::TypeDefinition(_) => "Type Definition",
        Expr::Heredoc { syntax, .. } => return format!("'@({})' expression", ast.text(syntax)),
        Expr::Lambda { .. } => "Lambda",
        Expr::Apply { .. } => "'apply' expression",
        Expr::If { .. } => "'if' statement",
        Expr::Unless { .. } => "'unless' Statement",
        Expr::Call { kind: CallKind::Named, .. } => "Function Call",
        Expr::Call { kind: CallKind::Method, .. } => "Method call",
        Expr::Regexp(_) => "Regular Expression",
        Expr::String(_) => "String",
        Expr::Integer { .. } => "Literal Integer",
        Expr::Float(_) => "Literal Float",
        Expr::Undef => "'undef' expression",
        Expr::Default => "'default' expression",
        Expr::Boolean(_) => "Boolean",
        Expr::Concat(_) => "Double Quoted String",
        Expr::QualifiedName(_) => "Name",
        Expr::ReservedWord(word) => return format!("Reserved Word '{}'", ast.text(word)),
        Expr::QualifiedReference(_) => "Type-Name",
        Expr::Variable(_) => "Variable",
        Expr::Epp { .. } => "Epp Template",
        Expr::RenderString(_) => "Epp Text",
        Expr::ResourceBody { .. } => "Resource Instance Definition",
        Expr::Resource { .. } => "Resource Statement",
        Expr::ResourceDefaults { .. } => "Resource Defaults Expression",
        Expr::ResourceOverride { .. } => "Resource Override",
        Expr::Selector { .. } => "Selector Expression",
        Expr::SelectorEntry { .. } => "Selector Option",
    };
    label.to_owned()
}

/// Returns the name with `a` or `an`.
pub fn a_an(ast: &Ast, id: ExprId) -> String {
    let label = label(ast, id);
    format!("{} {label}", if starts_with_vowel(&label) { "an" } else { "a" })
}

/// Returns the name with `A` or `An`.
pub fn a_an_uc(ast: &Ast, id: ExprId) -> String {
    let label = label(ast, id);
    format!("{} {label}", if starts_with_vowel(&label) { "An" } else { "A" })
}

/// Returns true for a vowel, among which Puppet counts `y`; skips one quote.
pub fn starts_with_vowel(label: &str) -> bool {
    let label = label.strip_prefix(['\'', '"']).unwrap_or(label);
    label.starts_with(|first: char| "aeiouyAEIOUY".contains(first))
}
