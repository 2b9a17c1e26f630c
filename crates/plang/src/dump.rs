//! The tree as text, for tests and to see how the parser understood a line.

use std::fmt::Write as _;

use crate::ast::{Ast, Expr, ExprId};

/// Returns the program as nested lists, one statement per line: `(:= x (+ 1 2))`.
pub fn dump(ast: &Ast) -> String {
    let lines = ast.program.iter().map(|statement| format!("{}\n", node(ast, *statement)));
    lines.collect()
}

/// Returns one node as nested lists.
pub(crate) fn node(ast: &Ast, id: ExprId) -> String {
    match &ast[id] {
        Expr::Boolean(value) => value.to_string(),
        Expr::Number(value) => value.to_string(),
        Expr::Text(bytes) => quoted(bytes),
        Expr::Name(word) => word.text.to_string(),
        Expr::Member { object, member } => format!("(. {} {})", node(ast, *object), member.text),
        Expr::Call { callee, args } => {
            list(ast, "call", std::iter::once(*callee).chain(args.iter().copied()))
        }
        Expr::Unary { op, operand } => list(ast, op.text(), [*operand]),
        Expr::Binary { op, left, right } => list(ast, op.text(), [*left, *right]),
        Expr::Logic { op, operands } => list(ast, op.text(), operands.iter().copied()),
        Expr::Otherwise { left, right } => list(ast, "otherwise", [*left, *right]),
        Expr::Try(operand) => list(ast, "try", [*operand]),
        Expr::Import(operand) => list(ast, "import", [*operand]),
        Expr::Block(statements) => list(ast, "block", statements.iter().copied()),
        Expr::If { arms, otherwise } => {
            let arms = arms.iter().flat_map(|(condition, block)| [*condition, *block]);
            list(ast, "if", arms.chain(*otherwise))
        }
        Expr::Assign { name, value } => format!("(:= {} {})", name.text, node(ast, *value)),
        Expr::Error => "(error)".to_owned(),
    }
}

fn list(ast: &Ast, head: &str, children: impl IntoIterator<Item = ExprId>) -> String {
    let mut out = format!("({head}");
    for child in children {
        let _ = write!(out, " {}", node(ast, child));
    }
    out.push(')');
    out
}

/// Returns bytes as a string literal of P.
pub fn quoted(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|character| push_quoted(&mut out, character));
        chunk.invalid().iter().for_each(|byte| push_byte(&mut out, *byte));
    }
    out.push('"');
    out
}

fn push_quoted(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\0'..='\x1F' | '\x7F' => push_byte(out, u8::try_from(character).unwrap_or_default()),
        character => out.push(character),
    }
}

fn push_byte(out: &mut String, byte: u8) {
    let _ = write!(out, "\\x{byte:02X}");
}
