//! Operators on numbers and texts.

use std::sync::Arc;

use kukla_base::Span;
use regex::bytes::{Regex, RegexBuilder};

use super::build::Checker;
use super::constant::{Constant, fold};
use crate::ast::{BinaryOp, ExprId, TextOp, TextTest, UnaryOp};
use crate::fail::FailCode;
use crate::issues;
use crate::program::{Node, NodeId};
use crate::types::{Plain, Type};

/// Maximum length of a pattern: compiling takes a multiple of it.
const LONGEST_PATTERN: usize = 8 << 10;

impl Checker<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, operand: ExprId, span: Span) -> NodeId {
        if op == UnaryOp::Not {
            return self.not(operand, span);
        }
        let node = self.expression(operand);
        match self.type_of(node) {
            Type::Plain(Plain::Number) => (),
            Type::Unknown => return node,
            found => {
                let context = format!("the operand of `{}`", op.text());
                let issue = issues::wrong_type(self.span_of(node), "number", found, &context);
                self.diagnostics.push(issue);
                return self.unknown(span);
            }
        }
        if op == UnaryOp::Plus {
            return node;
        }
        let constant = self.constant(node).and_then(Constant::number);
        let minus = self.add(Node::Minus(node), span, Type::NUMBER);
        match constant.map(i64::checked_neg) {
            Some(Some(value)) => self.facts_mut(minus).constant = Some(Constant::Number(value)),
            Some(None) => self.always_fails(minus, FailCode::Overflow),
            None => self.may_fail(minus, FailCode::Overflow.words()),
        }
        minus
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        span: Span,
    ) -> NodeId {
        let left = self.expression(left);
        let right = self.expression(right);
        self.operator(op, left, right, span)
    }

    /// Adds an operator on checked operands.
    pub(super) fn operator(
        &mut self,
        op: BinaryOp,
        left: NodeId,
        right: NodeId,
        span: Span,
    ) -> NodeId {
        let (left_type, right_type) = (self.type_of(left), self.type_of(right));
        if left_type == Type::Unknown || right_type == Type::Unknown {
            return self.unknown(span);
        }
        let Some(type_) = result(op, left_type, right_type) else {
            let issue = issues::bad_operands(span, op.text(), left_type, right_type);
            self.diagnostics.push(issue);
            return self.unknown(span);
        };
        self.lint_comparison(op, left, right, span);
        if let BinaryOp::Text(TextOp { test: TextTest::Matches, ignores_case }) = op {
            return self.matches(left, right, ignores_case, span);
        }
        let constants = self.constant(left).zip(self.constant(right));
        let constant = constants.and_then(|(left, right)| fold(op, left, right));
        let size = self.facts(left).size.saturating_add(self.facts(right).size);
        let node = self.add(Node::Binary { op, left, right }, span, type_);
        if type_ == Type::TEXT {
            let facts = self.facts_mut(node);
            facts.size = size;
            facts.cost.memory = facts.cost.memory.saturating_add(size);
        }
        match constant {
            Some(Constant::Fails(code)) => self.always_fails(node, code),
            Some(constant) => self.facts_mut(node).constant = Some(constant),
            None => self.may_overflow(node, op, right),
        }
        node
    }

    fn may_overflow(&mut self, node: NodeId, op: BinaryOp, right: NodeId) {
        if self.type_of(node) != Type::NUMBER {
            return;
        }
        let divisor = self.constant(right).and_then(Constant::number);
        let words = match (op, divisor) {
            (BinaryOp::Divide | BinaryOp::Remainder, Some(0)) => {
                return self.always_fails(node, FailCode::Division);
            }
            (BinaryOp::Divide | BinaryOp::Remainder, Some(divisor)) if divisor != -1 => return,
            (BinaryOp::Divide | BinaryOp::Remainder, None) => "the divisor is zero",
            _ => FailCode::Overflow.words(),
        };
        self.may_fail(node, words);
    }

    fn matches(&mut self, text: NodeId, pattern: NodeId, ignores_case: bool, span: Span) -> NodeId {
        match self.pattern(pattern, ignores_case) {
            Some(regex) => self.add(Node::Matches { text, regex }, span, Type::BOOLEAN),
            None => self.unknown(span),
        }
    }

    /// Returns the compiled pattern, if it is a constant and valid.
    pub(super) fn pattern(&mut self, pattern: NodeId, ignores_case: bool) -> Option<Arc<Regex>> {
        let pattern_span = self.span_of(pattern);
        let Some(Constant::Text(bytes)) = self.constant(pattern).cloned() else {
            self.diagnostics.push(issues::not_constant(pattern_span, "a pattern"));
            return None;
        };
        let compiled = if bytes.len() > LONGEST_PATTERN {
            Err(format!("it is longer than {LONGEST_PATTERN} bytes"))
        } else {
            let key = (Arc::clone(&bytes), ignores_case);
            let cached = self.patterns.get(&key).cloned();
            cached.unwrap_or_else(|| {
                let compiled = self.compiled(&bytes, ignores_case).map(Arc::new);
                self.patterns.insert(key, compiled.clone());
                compiled
            })
        };
        match compiled {
            Ok(regex) => Some(regex),
            Err(reason) => {
                self.diagnostics.push(issues::bad_pattern(pattern_span, &reason));
                None
            }
        }
    }
}

impl Checker<'_> {
    /// Compiles a pattern with the smallest size limit that suffices: that limit counts towards the total.
    fn compiled(&mut self, pattern: &[u8], ignores_case: bool) -> Result<Regex, String> {
        let pattern = std::str::from_utf8(pattern).map_err(|_| "it is not in UTF-8".to_owned())?;
        let limits = self.options.limits;
        let left = limits.patterns.saturating_sub(self.patterns_size);
        let mut size = 4 << 10;
        loop {
            size = size.min(limits.regex).min(left);
            let builder = &mut RegexBuilder::new(pattern);
            let builder = builder.case_insensitive(ignores_case).unicode(false).size_limit(size);
            match builder.build() {
                Ok(regex) => {
                    self.patterns_size += size;
                    return Ok(regex);
                }
                Err(regex::Error::CompiledTooBig(_)) if size == limits.regex => {
                    return Err(format!("it needs more than {size} bytes"));
                }
                Err(regex::Error::CompiledTooBig(_)) if size == left => {
                    let most = limits.patterns;
                    return Err(format!("all patterns together need more than {most} bytes"));
                }
                Err(regex::Error::CompiledTooBig(_)) => size *= 4,
                Err(error) => return Err(reason(&error)),
            }
        }
    }
}

/// Returns the last line of the library's message; the lines before it draw the pattern.
fn reason(error: &regex::Error) -> String {
    let words = error.to_string();
    let last = words.lines().last().unwrap_or_default();
    last.trim().trim_start_matches("error: ").to_owned()
}

/// Returns the type of an operator's value; None: it is not defined for these operands.
fn result(op: BinaryOp, left: Type, right: Type) -> Option<Type> {
    let (Type::Plain(left), Type::Plain(right)) = (left, right) else { return None };
    match (op, left, right) {
        (BinaryOp::Add, Plain::Text, Plain::Text) => Some(Type::TEXT),
        (
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Remainder,
            Plain::Number,
            Plain::Number,
        ) => Some(Type::NUMBER),
        (
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual,
            Plain::Number,
            Plain::Number,
        ) => Some(Type::BOOLEAN),
        (BinaryOp::Equal | BinaryOp::NotEqual, one, other) => {
            let is_value = matches!(one, Plain::Boolean | Plain::Number | Plain::Text);
            (is_value && one == other).then_some(Type::BOOLEAN)
        }
        (BinaryOp::Text(_), Plain::Text, Plain::Text) => Some(Type::BOOLEAN),
        _ => None,
    }
}
