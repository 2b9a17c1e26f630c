//! Lines of `data_access`, which have conditions as data have.

use super::lexer::Token;
use super::parse::Parser;
use super::{Condition, Expr, PdlError};
use crate::access::{Rule, Subject};

/// Reads a file of rules.
pub(crate) fn parse_rules(text: &str) -> Result<Vec<Rule>, PdlError> {
    let mut parser = Parser::new(text)?;
    let mut rules = Vec::new();
    while parser.peek().is_some() {
        if !parser.eat(&Token::End) {
            rules.push(rule(&mut parser)?);
        }
    }
    Ok(rules)
}

fn rule(parser: &mut Parser) -> Result<Rule, PdlError> {
    let line = parser.line();
    let subject = match parser.peek() {
        Some(Token::Word(word)) if word == "key" => Subject::Key,
        Some(Token::Word(word)) if word == "file" => Subject::File,
        _ => return parser.fail("a line must start with `key` or `file`"),
    };
    parser.skip();
    let Some(Token::Single(pattern) | Token::Double(pattern)) = parser.peek().cloned() else {
        return parser.fail("a pattern in quotes is expected here");
    };
    parser.skip();
    let condition = parser.condition()?.map(Condition);
    if let Some(name) = condition.as_ref().and_then(|condition| untrusted(&condition.0)) {
        let message = format!("`${name}` cannot be relied on: only `$trusted` can");
        return Err(PdlError { line, message });
    }
    Ok(Rule { subject, pattern, line, condition })
}

/// A variable that a node has a say in.
fn untrusted(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Variable(name) => (name != "trusted").then_some(name),
        Expr::Literal(_) | Expr::Regex(_) => None,
        Expr::Text(parts) | Expr::Array(parts) | Expr::Call(_, parts) => {
            parts.iter().find_map(untrusted)
        }
        Expr::Hash(entries) => {
            entries.iter().find_map(|(key, value)| untrusted(key).or_else(|| untrusted(value)))
        }
        Expr::Access(left, right) | Expr::Binary(_, left, right) => {
            untrusted(left).or_else(|| untrusted(right))
        }
        Expr::Not(inner) => untrusted(inner),
    }
}
