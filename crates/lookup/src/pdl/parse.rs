//! Tokens to statements.

use ecow::EcoString;
use kukla_pcore::Value;
use kukla_pcore::regex::Regex;

use super::lexer::{Token, tokens};
use super::{Expr, Operator, Pdl, PdlError, Statement};

/// Expressions within expressions.
const MAX_DEPTH: usize = 200;

/// Reads a file of data.
pub fn parse(text: &str) -> Result<Pdl, PdlError> {
    let mut parser = Parser::new(text)?;
    let mut statements = Vec::new();
    while parser.peek().is_some() {
        if !parser.eat(&Token::End) {
            statements.push(parser.statement()?);
        }
    }
    Ok(Pdl { statements })
}

pub(super) struct Parser {
    tokens: Vec<(Token, u32)>,
    place: usize,
    depth: usize,
}

impl Parser {
    pub(super) fn new(text: &str) -> Result<Self, PdlError> {
        Ok(Self { tokens: tokens(text)?, place: 0, depth: 0 })
    }

    pub(super) fn skip(&mut self) {
        self.place += 1;
    }

    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.place).map(|(token, _)| token)
    }

    pub(super) fn line(&self) -> u32 {
        let token = self.tokens.get(self.place).or_else(|| self.tokens.last());
        token.map_or(1, |(_, line)| *line)
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.peek().cloned();
        self.place += 1;
        token
    }

    pub(super) fn eat(&mut self, token: &Token) -> bool {
        let is_it = self.peek() == Some(token);
        self.place += usize::from(is_it);
        is_it
    }

    fn eat_sign(&mut self, sign: &'static str) -> bool {
        self.eat(&Token::Sign(sign))
    }

    fn expect(&mut self, sign: &'static str) -> Result<(), PdlError> {
        if self.eat_sign(sign) { Ok(()) } else { self.fail(format!("`{sign}` is expected here")) }
    }

    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result<T, PdlError> {
        Err(PdlError { line: self.line(), message: message.into() })
    }

    fn statement(&mut self) -> Result<Statement, PdlError> {
        let line = self.line();
        let Some(Token::Variable(name)) = self.next() else {
            self.place -= 1;
            return self.fail("a line must start with `$name =`");
        };
        if self.peek() == Some(&Token::Sign("[")) {
            return self
                .fail(format!("elements cannot be assigned: give `${name}` its whole value"));
        }
        self.expect("=")?;
        let value = self.expression(0)?;
        let condition = self.condition()?;
        Ok(Statement { name, line, value, condition })
    }

    /// `where condition`, and the end of the line.
    pub(super) fn condition(&mut self) -> Result<Option<Expr>, PdlError> {
        let condition = match self.eat(&Token::Word("where".into())) {
            true => Some(self.expression(0)?),
            false => None,
        };
        if self.peek().is_some() && !self.eat(&Token::End) {
            return self.fail("the line goes on where it should end");
        }
        Ok(condition)
    }

    fn expression(&mut self, power: u8) -> Result<Expr, PdlError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail("the expression is nested too deeply");
        }
        let mut left = self.operand()?;
        while let Some((operator, own)) = self.peek().and_then(operator) {
            if own < power {
                break;
            }
            self.place += 1;
            let right = self.expression(own + 1)?;
            left = Expr::Binary(operator, Box::new(left), Box::new(right));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operand(&mut self) -> Result<Expr, PdlError> {
        if self.eat_sign("!") {
            return Ok(Expr::Not(Box::new(self.expression(10)?)));
        }
        let mut expr = self.primary()?;
        while matches!(expr, Expr::Variable(_) | Expr::Access(..)) && self.eat_sign("[") {
            let key = self.expression(0)?;
            self.expect("]")?;
            expr = Expr::Access(Box::new(expr), Box::new(key));
        }
        Ok(expr)
    }

    fn primary(&mut self) -> Result<Expr, PdlError> {
        match self.next() {
            Some(Token::Variable(name)) => Ok(Expr::Variable(name)),
            Some(Token::Number(digits)) => match number(&digits) {
                Some(value) => Ok(Expr::Literal(value)),
                None => self.fail(format!("`{digits}` is no number")),
            },
            Some(Token::Single(text)) => Ok(Expr::Literal(Value::from(unescaped(&text)))),
            Some(Token::Double(text)) => self.text(&text),
            Some(Token::Regex(source)) => match Regex::new(&source.replace("\\/", "/")) {
                Ok(regex) => Ok(Expr::Regex(regex)),
                Err(error) => self.fail(error.to_string()),
            },
            Some(Token::Word(word)) => self.word(word),
            Some(Token::Sign("(")) => {
                let inner = self.expression(0)?;
                self.expect(")")?;
                Ok(inner)
            }
            Some(Token::Sign("[")) => Ok(Expr::Array(self.list("]")?)),
            Some(Token::Sign("{")) => self.hash(),
            _ => {
                self.place -= 1;
                self.fail("a value is expected here")
            }
        }
    }

    fn word(&mut self, word: EcoString) -> Result<Expr, PdlError> {
        Ok(match word.as_str() {
            "true" => Expr::Literal(Value::Boolean(true)),
            "false" => Expr::Literal(Value::Boolean(false)),
            "undef" => Expr::Literal(Value::Undef),
            _ if self.eat_sign("(") => Expr::Call(word, self.list(")")?),
            _ => Expr::Literal(Value::String(word)),
        })
    }

    fn list(&mut self, end: &'static str) -> Result<Vec<Expr>, PdlError> {
        let mut items = Vec::new();
        while !self.eat_sign(end) {
            items.push(self.expression(0)?);
            if !self.eat_sign(",") {
                self.expect(end)?;
                break;
            }
        }
        Ok(items)
    }

    /// Entries with `=>` as in Ruby or `:` as in JSON.
    fn hash(&mut self) -> Result<Expr, PdlError> {
        let mut entries = Vec::new();
        while !self.eat_sign("}") {
            let key = self.expression(0)?;
            if !self.eat_sign("=>") && !self.eat_sign(":") {
                return self.fail("`=>` or `:` is expected here");
            }
            entries.push((key, self.expression(0)?));
            if !self.eat_sign(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(Expr::Hash(entries))
    }

    /// A text in double quotes: escapes, `$name` and `${name}`.
    fn text(&self, text: &str) -> Result<Expr, PdlError> {
        let (mut parts, mut plain, mut rest) = (Vec::new(), String::new(), text);
        while let Some(c) = rest.chars().next() {
            let behind = &rest[c.len_utf8()..];
            if c == '\\' {
                let Some(escaped) = behind.chars().next() else { break };
                plain.push(match escaped {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    's' => ' ',
                    other => other,
                });
                rest = &behind[escaped.len_utf8()..];
                continue;
            }
            let (name, length) = match (c, behind.strip_prefix('{')) {
                ('$', Some(inner)) => match inner.find('}') {
                    Some(end) => (inner[..end].trim(), end + 2),
                    None => return self.fail("`${` is not closed"),
                },
                ('$', None) => {
                    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
                    let end = behind.find(|c| !is_name(c)).unwrap_or(behind.len());
                    let name = behind[..end].trim_end_matches(':');
                    (name, name.len())
                }
                _ => ("", 0),
            };
            rest = &behind[length..];
            if name.is_empty() {
                plain.push(c);
                continue;
            }
            let mut inner = Parser {
                tokens: tokens(&format!("${}", name.trim_start_matches('$')))?,
                place: 0,
                depth: self.depth,
            };
            parts.push(Expr::Literal(Value::from(std::mem::take(&mut plain))));
            parts.push(inner.expression(0)?);
        }
        if parts.is_empty() {
            return Ok(Expr::Literal(Value::from(plain)));
        }
        parts.push(Expr::Literal(Value::from(plain)));
        Ok(Expr::Text(parts))
    }
}

fn operator(token: &Token) -> Option<(Operator, u8)> {
    Some(match token {
        Token::Word(word) if word == "or" => (Operator::Or, 1),
        Token::Word(word) if word == "and" => (Operator::And, 2),
        Token::Sign("<") => (Operator::Less, 3),
        Token::Sign("<=") => (Operator::LessEqual, 3),
        Token::Sign(">") => (Operator::Greater, 3),
        Token::Sign(">=") => (Operator::GreaterEqual, 3),
        Token::Sign("==") => (Operator::Equal, 4),
        Token::Sign("!=") => (Operator::NotEqual, 4),
        Token::Sign("=~") => (Operator::Match, 5),
        Token::Sign("!~") => (Operator::NoMatch, 5),
        Token::Word(word) if word == "in" => (Operator::In, 6),
        _ => return None,
    })
}

fn number(digits: &str) -> Option<Value> {
    if digits.contains('.') {
        return digits.parse().ok().map(Value::Float);
    }
    let (sign, unsigned) = digits.strip_prefix('-').map_or((1, digits), |rest| (-1, rest));
    let magnitude = match unsigned.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16),
        None if unsigned.len() > 1 && unsigned.starts_with('0') => i64::from_str_radix(unsigned, 8),
        None => unsigned.parse(),
    };
    magnitude.ok().map(|number| Value::Integer(sign * number))
}

/// A text in single quotes: a backslash before a quote or another backslash goes away.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some(&next @ ('\\' | '\''))) => {
                out.push(next);
                chars.next();
            }
            _ => out.push(c),
        }
    }
    out
}
