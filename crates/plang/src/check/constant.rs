//! Compile-time constants.

use std::sync::Arc;

use crate::ast::{BinaryOp, TextOp, TextTest};
use crate::fail::FailCode;
use crate::text;

/// Texts longer than this are not computed ahead: a few doublings would make them huge.
const LONGEST: usize = 1 << 10;

/// A value that is known at compile time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Constant {
    Boolean(bool),
    Number(i64),
    Text(Arc<[u8]>),
    /// A service, by its index in the registry.
    Service(u16),
    /// An expression that always fails.
    Fails(FailCode),
}

impl Constant {
    pub(super) fn boolean(&self) -> Option<bool> {
        if let Self::Boolean(value) = self { Some(*value) } else { None }
    }

    pub(super) fn number(&self) -> Option<i64> {
        if let Self::Number(value) = self { Some(*value) } else { None }
    }

    pub(super) fn text(&self) -> Option<&[u8]> {
        if let Self::Text(value) = self { Some(value) } else { None }
    }
}

/// Returns the value of an operator on constants, if it can be computed at compile time.
pub(super) fn fold(op: BinaryOp, left: &Constant, right: &Constant) -> Option<Constant> {
    match (left, right) {
        (Constant::Number(left), Constant::Number(right)) => numbers(op, *left, *right),
        (Constant::Text(left), Constant::Text(right)) => texts(op, left, right),
        (Constant::Boolean(left), Constant::Boolean(right)) => match op {
            BinaryOp::Equal => Some(Constant::Boolean(left == right)),
            BinaryOp::NotEqual => Some(Constant::Boolean(left != right)),
            _ => None,
        },
        _ => None,
    }
}

fn numbers(op: BinaryOp, left: i64, right: i64) -> Option<Constant> {
    let number = |result: Option<i64>| {
        Some(result.map_or(Constant::Fails(FailCode::Overflow), Constant::Number))
    };
    let boolean = |value| Some(Constant::Boolean(value));
    match op {
        BinaryOp::Divide | BinaryOp::Remainder if right == 0 => {
            Some(Constant::Fails(FailCode::Division))
        }
        BinaryOp::Add => number(left.checked_add(right)),
        BinaryOp::Subtract => number(left.checked_sub(right)),
        BinaryOp::Multiply => number(left.checked_mul(right)),
        BinaryOp::Divide => number(left.checked_div(right)),
        BinaryOp::Remainder => number(left.checked_rem(right)),
        BinaryOp::Equal => boolean(left == right),
        BinaryOp::NotEqual => boolean(left != right),
        BinaryOp::Less => boolean(left < right),
        BinaryOp::LessEqual => boolean(left <= right),
        BinaryOp::Greater => boolean(left > right),
        BinaryOp::GreaterEqual => boolean(left >= right),
        BinaryOp::Text(_) => None,
    }
}

fn texts(op: BinaryOp, left: &[u8], right: &[u8]) -> Option<Constant> {
    match op {
        BinaryOp::Add if left.len() + right.len() <= LONGEST => {
            Some(Constant::Text([left, right].concat().into()))
        }
        // Comparing long texts repeatedly would make checking slow, and no lint needs the result.
        _ if left.len().max(right.len()) > LONGEST => None,
        BinaryOp::Equal => Some(Constant::Boolean(left == right)),
        BinaryOp::NotEqual => Some(Constant::Boolean(left != right)),
        BinaryOp::Text(TextOp { test: TextTest::Matches, .. }) => None,
        BinaryOp::Text(op) => Some(Constant::Boolean(text::test(op, left, right))),
        _ => None,
    }
}
