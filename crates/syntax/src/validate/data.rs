//! Checks that PDL has all expressions of a file.
//!
//! PDL describes data: literals, variables and their elements, strings with variables in them, calls of functions,
//! comparisons, and `and`, `or`, `!`, `in`. Rules of `data_access` may use trusted data only.

use kukla_base::Diagnostic;

use crate::ast::{Ast, BinaryOp, CallKind, Child, Expr, ExprId, UnaryOp};
use crate::data::{Item, Statement};
use crate::{integer, issues};

/// The one variable that a node cannot choose the value of.
const TRUSTED: &str = "trusted";

/// Checks all expressions of the statements.
pub(crate) fn validate(ast: &Ast, statements: &[Statement]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for statement in statements {
        let (value, is_rule) = match statement.item {
            Item::Assignment { name: _, value } => (Some(value), false),
            Item::Rule { .. } => (None, true),
        };
        let n_before = diagnostics.len();
        for root in value.into_iter().chain(statement.condition) {
            check(ast, root, is_rule, &mut diagnostics);
        }
        if diagnostics.len() == n_before {
            diagnostics.extend(rule_fault(ast, statement));
        }
    }
    diagnostics
}

/// Returns the reason why a rule protects nothing.
fn rule_fault(ast: &Ast, statement: &Statement) -> Option<Diagnostic> {
    let Item::Rule { subject: _, pattern } = statement.item else { return None };
    let Some(condition) = statement.condition else {
        return Some(issues::access_without_condition(statement.span, ast.text(pattern)));
    };
    let is_decided = matches!(ast[without_parentheses(ast, condition)], Expr::Boolean(_));
    let may_protect = is_decided || has_variable(ast, condition);
    (!may_protect).then(|| issues::access_without_trusted(ast.extent(condition)))
}

fn has_variable(ast: &Ast, root: ExprId) -> bool {
    let (mut rest, mut children) = (vec![root], Vec::new());
    while let Some(id) = rest.pop() {
        if matches!(ast[id], Expr::Variable(_)) {
            return true;
        }
        ast.push_children(id, &mut children);
        rest.extend(children.drain(..).filter_map(Child::id));
    }
    false
}

/// Checks an expression and its descendants, except those of a refused expression.
fn check(ast: &Ast, root: ExprId, is_rule: bool, diagnostics: &mut Vec<Diagnostic>) {
    let (mut rest, mut children) = (vec![root], Vec::new());
    while let Some(id) = rest.pop() {
        if let Some(diagnostic) = fault(ast, id, is_rule) {
            diagnostics.push(diagnostic);
            continue;
        }
        ast.push_children(id, &mut children);
        rest.extend(children.drain(..).filter_map(Child::id));
    }
}

/// Returns the reason why an expression is refused, apart from its descendants.
fn fault(ast: &Ast, id: ExprId, is_rule: bool) -> Option<Diagnostic> {
    let refused = |what: &str, help| Some(issues::pdl_unsupported(ast.extent(id), what, help));
    match ast[id] {
        Expr::String(_)
        | Expr::QualifiedName(_)
        | Expr::Float(_)
        | Expr::Boolean(_)
        | Expr::Undef
        | Expr::Regexp(_)
        | Expr::Concat(_)
        | Expr::List(_)
        | Expr::Hash(_)
        | Expr::KeyedEntry { .. }
        | Expr::Unary { op: UnaryOp::Paren | UnaryOp::Not | UnaryOp::Text, expr: _ } => None,
        Expr::Integer { digits, radix } if ast.integer(digits, radix).is_some() => None,
        Expr::Integer { digits, radix } => {
            let hex = integer::to_hex(ast.text(digits), radix);
            Some(issues::numeric_overflow(ast.span(id), &hex))
        }
        Expr::Variable(name) => variable_fault(ast, id, ast.text(name), is_rule),
        Expr::Binary { op, .. } if is_comparison(op) => None,
        Expr::Binary { op, .. } => {
            let operator = format!("the operator `{}`", op.as_str());
            let help = "put a text in quotes; compute a value in a function, and call that";
            Some(issues::pdl_unsupported(ast.span(id), &operator, help))
        }
        Expr::Unary { op: UnaryOp::Minus, expr }
            if matches!(ast[expr], Expr::Integer { .. } | Expr::Float(_)) =>
        {
            None
        }
        Expr::Unary { .. } => {
            refused("a sign before anything but a number", "write the value itself")
        }
        Expr::Access { left, keys } => match (keys.len(), is_element(ast, left)) {
            (1, true) => None,
            (1, false) => refused("an element of anything but a variable", "write its value"),
            _ => refused("`[…]` with several keys", "write `[…]` once for each level"),
        },
        Expr::Call { kind: CallKind::Method, .. } => {
            refused("a method call", "write `name(…)` with the value as its first argument")
        }
        Expr::Call { functor, .. } => match ast[functor] {
            Expr::QualifiedName(name) if is_rule => {
                Some(issues::access_call(ast.extent(id), ast.text(name)))
            }
            Expr::QualifiedName(_) => None,
            _ => refused("a call of anything but a function", "write `name(…)`"),
        },
        Expr::Selector { .. } => {
            refused("a selector", "write one line per value, each with its own `where`")
        }
        _ => refused("this expression", "see the chapter on data for what PDL knows"),
    }
}

/// Returns true if an expression may be indexed.
fn is_element(ast: &Ast, id: ExprId) -> bool {
    matches!(ast[without_parentheses(ast, id)], Expr::Variable(_) | Expr::Access { .. })
}

fn without_parentheses(ast: &Ast, mut id: ExprId) -> ExprId {
    while let Expr::Unary { op: UnaryOp::Paren, expr } = ast[id] {
        id = expr;
    }
    id
}

fn variable_fault(ast: &Ast, id: ExprId, name: &str, is_rule: bool) -> Option<Diagnostic> {
    if name.is_empty() {
        return Some(issues::pdl_variable_name(ast.span(id)));
    }
    (is_rule && name != TRUSTED).then(|| issues::access_untrusted(ast.span(id), name))
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Or
            | BinaryOp::And
            | BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual
            | BinaryOp::Match
            | BinaryOp::NoMatch
            | BinaryOp::In
    )
}
