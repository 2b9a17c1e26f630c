//! Expressions, from the loosest to the tightest operator.

use kukla_base::Span;

use super::{Parse, Parser};
use crate::ast::{BinaryOp, Expr, ExprId, LogicOp, TextOp, TextTest, UnaryOp};
use crate::issues;
use crate::lexer::unquote;
use crate::token::{Keyword, Symbol, Token, TokenKind};

/// Precedence of operators; a later variant binds tighter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Otherwise,
    Try,
    Xor,
    Or,
    And,
    Not,
    Compare,
    Import,
    Text,
    Sum,
    Term,
    Unary,
}

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Infix {
    Otherwise,
    Logic(LogicOp),
    Binary(BinaryOp),
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parse<ExprId> {
        self.level(Level::Otherwise)
    }

    /// Parses the rest of an expression whose first operand was parsed.
    pub(super) fn expression_from(&mut self, left: ExprId) -> Parse<ExprId> {
        self.infixes(left, Level::Otherwise)
    }

    fn level(&mut self, level: Level) -> Parse<ExprId> {
        let left = self.prefixed(level)?;
        self.infixes(left, level)
    }

    fn infixes(&mut self, mut left: ExprId, level: Level) -> Parse<ExprId> {
        while let Some((infix, found)) = infix(self.peek().kind) {
            if found < level {
                break;
            }
            left = match infix {
                Infix::Logic(op) => self.chain(left, op, found)?,
                Infix::Otherwise => {
                    self.next();
                    let right = self.level(tighter(found))?;
                    let span = self.ast.span(left).to(self.ast.span(right));
                    self.add(Expr::Otherwise { left, right }, span)?
                }
                Infix::Binary(op) => {
                    self.next();
                    let right = self.level(tighter(found))?;
                    let span = self.ast.span(left).to(self.ast.span(right));
                    self.add(Expr::Binary { op, left, right }, span)?
                }
            };
        }
        Ok(left)
    }

    /// `a and b and c`
    fn chain(&mut self, first: ExprId, op: LogicOp, level: Level) -> Parse<ExprId> {
        let start = self.ast.span(first);
        let mut operands = vec![first];
        let mut end = start;
        while infix(self.peek().kind).is_some_and(|(found, _)| found == Infix::Logic(op)) {
            self.next();
            let operand = self.level(tighter(level))?;
            end = self.ast.span(operand);
            operands.push(operand);
        }
        self.add(Expr::Logic { op, operands }, start.to(end))
    }

    fn prefixed(&mut self, level: Level) -> Parse<ExprId> {
        let token = self.peek();
        let (inner, own): (Level, fn(ExprId) -> Expr) = match token.kind {
            TokenKind::Keyword(Keyword::Try) => (Level::Xor, Expr::Try),
            TokenKind::Keyword(Keyword::Not) => (Level::Not, not),
            TokenKind::Keyword(Keyword::Import) => (Level::Text, Expr::Import),
            TokenKind::Symbol(Symbol::Bang) => (Level::Unary, not),
            TokenKind::Symbol(Symbol::Minus) => (Level::Unary, minus),
            TokenKind::Symbol(Symbol::Plus) => (Level::Unary, plus),
            _ => return self.postfix(),
        };
        let allowed = match token.kind {
            TokenKind::Keyword(Keyword::Try) => Level::Try,
            TokenKind::Keyword(Keyword::Not) => Level::Not,
            TokenKind::Keyword(Keyword::Import) => Level::Import,
            _ => Level::Unary,
        };
        if level > allowed {
            let issue = issues::needs_parentheses(token.span, self.slice(token.span));
            self.diagnostics.push(issue);
            return Err(super::Lost);
        }
        self.next();
        let operand = self.nested(|parser| parser.level(inner))?;
        let span = token.span.to(self.ast.span(operand));
        self.add(own(operand), span)
    }

    /// `postfix = primary *( "(" args ")" / "." member )`
    fn postfix(&mut self) -> Parse<ExprId> {
        let mut object = self.primary()?;
        loop {
            if self.is(Symbol::ParenOpen) {
                let (args, end) = self.arguments()?;
                let span = self.ast.span(object).to(end);
                object = self.add(Expr::Call { callee: object, args }, span)?;
            } else if self.take(Symbol::Dot).is_some() {
                object = self.member(object)?;
            } else {
                return Ok(object);
            }
        }
    }

    fn arguments(&mut self) -> Parse<(Vec<ExprId>, Span)> {
        self.next();
        let mut args = Vec::new();
        if let Some(close) = self.take(Symbol::ParenClose) {
            return Ok((args, close.span));
        }
        loop {
            args.push(self.nested(Self::expression)?);
            if self.take(Symbol::Comma).is_none() {
                let close = self.expect(Symbol::ParenClose, "after the arguments")?;
                return Ok((args, close.span));
            }
        }
    }

    fn member(&mut self, object: ExprId) -> Parse<ExprId> {
        let token = self.peek();
        match token.kind {
            TokenKind::Word | TokenKind::Keyword(_) => {
                self.next();
                let member = self.word(token);
                let span = self.ast.span(object).to(token.span);
                self.add(Expr::Member { object, member }, span)
            }
            TokenKind::Symbol(symbol) if operator_member(symbol) => {
                self.next();
                self.operator_call(object, token)
            }
            _ => self.unexpected("the name of a member after `.`"),
        }
    }

    /// Parses `a.+(b)`, another spelling of `a + b`.
    fn operator_call(&mut self, object: ExprId, operator: Token) -> Parse<ExprId> {
        if !self.is(Symbol::ParenOpen) {
            return self.unexpected("`(` after an operator that is called as a member");
        }
        let (args, end) = self.arguments()?;
        let span = self.ast.span(object).to(end);
        let expr = match (operator.kind, args.as_slice()) {
            (TokenKind::Symbol(Symbol::Bang), []) => not(object),
            (TokenKind::Symbol(Symbol::Minus), []) => minus(object),
            (TokenKind::Symbol(Symbol::Plus), []) => plus(object),
            (kind, [right]) => match infix(kind) {
                Some((Infix::Binary(op), _)) => Expr::Binary { op, left: object, right: *right },
                _ => return self.bad_operator_call(operator, args.len()),
            },
            _ => return self.bad_operator_call(operator, args.len()),
        };
        self.add(expr, span)
    }

    fn bad_operator_call<T>(&mut self, operator: Token, n_args: usize) -> Parse<T> {
        let issue = issues::operator_arity(operator.span, self.slice(operator.span), n_args);
        self.diagnostics.push(issue);
        Err(super::Lost)
    }

    fn primary(&mut self) -> Parse<ExprId> {
        let token = self.peek();
        let expr = match token.kind {
            TokenKind::Word => Expr::Name(self.word(token)),
            TokenKind::Keyword(Keyword::True) => Expr::Boolean(true),
            TokenKind::Keyword(Keyword::False) => Expr::Boolean(false),
            // The lexer rejects numbers that do not fit.
            TokenKind::Number => Expr::Number(self.slice(token.span).parse().unwrap_or_default()),
            TokenKind::Text => Expr::Text(unquote(self.slice(token.span)).into()),
            TokenKind::Symbol(Symbol::ParenOpen) => return self.parenthesised(),
            TokenKind::Symbol(Symbol::BraceOpen) => return self.block(""),
            _ => return self.unexpected("an expression"),
        };
        self.next();
        self.add(expr, token.span)
    }

    fn parenthesised(&mut self) -> Parse<ExprId> {
        let open = self.next();
        let inner = self.nested(Self::expression)?;
        let close = self.expect(Symbol::ParenClose, "to match the opening parenthesis")?;
        self.ast.widen(inner, open.span.to(close.span));
        Ok(inner)
    }
}

fn not(operand: ExprId) -> Expr {
    Expr::Unary { op: UnaryOp::Not, operand }
}

fn minus(operand: ExprId) -> Expr {
    Expr::Unary { op: UnaryOp::Minus, operand }
}

fn plus(operand: ExprId) -> Expr {
    Expr::Unary { op: UnaryOp::Plus, operand }
}

/// Returns the level of the right operand of a left-associative operator.
fn tighter(level: Level) -> Level {
    match level {
        Level::Otherwise => Level::Try,
        Level::Try => Level::Xor,
        Level::Xor => Level::Or,
        Level::Or => Level::And,
        Level::And => Level::Not,
        Level::Not => Level::Compare,
        Level::Compare => Level::Import,
        Level::Import => Level::Text,
        Level::Text => Level::Sum,
        Level::Sum => Level::Term,
        Level::Term | Level::Unary => Level::Unary,
    }
}

fn infix(kind: TokenKind) -> Option<(Infix, Level)> {
    match kind {
        TokenKind::Keyword(keyword) => match keyword {
            Keyword::Otherwise => Some((Infix::Otherwise, Level::Otherwise)),
            Keyword::Xor => Some((Infix::Logic(LogicOp::Xor), Level::Xor)),
            Keyword::Or => Some((Infix::Logic(LogicOp::Or), Level::Or)),
            Keyword::And => Some((Infix::Logic(LogicOp::And), Level::And)),
            _ => text_op(keyword).map(|op| (Infix::Binary(BinaryOp::Text(op)), Level::Text)),
        },
        TokenKind::Symbol(symbol) => {
            symbol_op(symbol).map(|(op, level)| (Infix::Binary(op), level))
        }
        _ => None,
    }
}

fn symbol_op(symbol: Symbol) -> Option<(BinaryOp, Level)> {
    Some(match symbol {
        Symbol::EqualEqual => (BinaryOp::Equal, Level::Compare),
        Symbol::NotEqual => (BinaryOp::NotEqual, Level::Compare),
        Symbol::Less => (BinaryOp::Less, Level::Compare),
        Symbol::LessEqual => (BinaryOp::LessEqual, Level::Compare),
        Symbol::Greater => (BinaryOp::Greater, Level::Compare),
        Symbol::GreaterEqual => (BinaryOp::GreaterEqual, Level::Compare),
        Symbol::Plus => (BinaryOp::Add, Level::Sum),
        Symbol::Minus => (BinaryOp::Subtract, Level::Sum),
        Symbol::Star => (BinaryOp::Multiply, Level::Term),
        Symbol::Slash => (BinaryOp::Divide, Level::Term),
        Symbol::Percent => (BinaryOp::Remainder, Level::Term),
        _ => return None,
    })
}

/// Returns the text operator of a keyword.
pub(crate) fn text_op(keyword: Keyword) -> Option<TextOp> {
    let op = |test, ignores_case| Some(TextOp { test, ignores_case });
    match keyword {
        Keyword::Equal => op(TextTest::Equal, false),
        Keyword::EqualI => op(TextTest::Equal, true),
        Keyword::Contains => op(TextTest::Contains, false),
        Keyword::ContainsI => op(TextTest::Contains, true),
        Keyword::BeginsWith => op(TextTest::BeginsWith, false),
        Keyword::BeginsWithI => op(TextTest::BeginsWith, true),
        Keyword::EndsWith => op(TextTest::EndsWith, false),
        Keyword::EndsWithI => op(TextTest::EndsWith, true),
        Keyword::Matches => op(TextTest::Matches, false),
        Keyword::MatchesI => op(TextTest::Matches, true),
        _ => None,
    }
}

fn operator_member(symbol: Symbol) -> bool {
    symbol == Symbol::Bang || symbol_op(symbol).is_some()
}
