//! Lines of `data_access`, which have conditions as data have.

use kukla_pcore::Value;

use super::decide::parts;
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
    let Some(condition) = parser.condition()? else {
        let message =
            format!("`where` is missing: without a condition `{pattern}` is for all nodes");
        return Err(PdlError { line, message });
    };
    match problem(&condition) {
        Some(message) => Err(PdlError { line, message }),
        None => Ok(Rule { subject, pattern, line, condition: Condition(condition) }),
    }
}

/// Returns why a condition can't protect anything.
fn problem(condition: &Expr) -> Option<String> {
    if let Some(name) = untrusted(condition) {
        return Some(name);
    }
    let is_said = matches!(condition, Expr::Literal(Value::Boolean(_)));
    let is_said = is_said || asks_for_trusted(condition);
    (!is_said).then(|| {
        "the condition says nothing of `$trusted`, so it is the same for all nodes".to_owned()
    })
}

/// Returns a complaint of what a node has a say in: other variables, and functions, which may read them.
fn untrusted(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Variable(name) if name != "trusted" => {
            Some(format!("`${name}` cannot be relied on: only `$trusted` can"))
        }
        Expr::Call(name, _) => Some(format!("the function `{name}` cannot be called in a rule")),
        expr => parts(expr).into_iter().find_map(untrusted),
    }
}

fn asks_for_trusted(expr: &Expr) -> bool {
    matches!(expr, Expr::Variable(_)) || parts(expr).into_iter().any(asks_for_trusted)
}
