//! Values of literal expressions that JSON can represent.

use std::collections::BTreeMap;

use kukla_syntax::Ast;
use kukla_syntax::ast::{Expr, ExprId};
use serde_json::{Value, json};

/// Returns the value of an expression; `None` if it has to be evaluated.
pub(super) fn value(ast: &Ast, id: ExprId) -> Option<Value> {
    match ast[id] {
        Expr::String(text) | Expr::QualifiedName(text) => Some(json!(ast.text(text))),
        Expr::Integer { digits, radix } => ast.integer(digits, radix).map(Value::from),
        Expr::Float(digits) => Some(json!(ast.float(digits))),
        Expr::Boolean(value) => Some(Value::Bool(value)),
        Expr::Undef => Some(Value::Null),
        Expr::Concat(segments) => match ast.list(segments) {
            [segment] if matches!(ast[*segment], Expr::String(_)) => value(ast, *segment),
            _ => None,
        },
        Expr::List(values) => {
            let values = ast.list(values).iter().map(|&id| value(ast, id));
            values.collect::<Option<Vec<Value>>>().map(Value::Array)
        }
        Expr::Hash(entries) => hash(ast, ast.list(entries)),
        _ => None,
    }
}

/// Keys are sorted, as in all answers of Puppet Server.
fn hash(ast: &Ast, entries: &[ExprId]) -> Option<Value> {
    let entries = entries.iter().map(|&id| {
        let Expr::KeyedEntry { key, value: id } = ast[id] else { return None };
        let Some(Value::String(key)) = value(ast, key) else { return None };
        Some((key, value(ast, id)?))
    });
    let entries: BTreeMap<String, Value> = entries.collect::<Option<_>>()?;
    Some(Value::Object(entries.into_iter().collect()))
}
