//! `+`, `-`, `*`, `/`, `%`, `<<`, `>>` and the unary minus.

use std::sync::Arc;

use kukla_pcore::value::Rare;
use kukla_pcore::{Hash, Value};
use kukla_syntax::ast::{BinaryOp, Expr, ExprId};

use super::{CatalogHost, Interpreter, coerce, collections, peek, text, times};
use crate::program::NodeInfo;
use crate::{Eval, Program, issues};

impl<C: CatalogHost> Interpreter<C> {
    /// `left op right`
    #[inline]
    pub(super) fn arithmetic(
        &mut self,
        program: &Program,
        id: ExprId,
        op: BinaryOp,
        left_id: ExprId,
        right_id: ExprId,
        out: &mut Value,
    ) -> Eval<()> {
        if let NodeInfo::KeysDiffer { .. } = program.node_info(left_id)
            && op == BinaryOp::Add
        {
            return self.merge_into_literal(program, left_id, right_id, out);
        }
        let mut other = Ok(Value::Undef);
        match self.number(program, id, op, left_id, right_id, &mut other) {
            Some(number) => {
                std::mem::forget(other);
                out.put(Value::Integer(number));
            }
            None => out.put(other?),
        }
        Ok(())
    }

    /// Returns the result of an operation if it is an integer.
    #[inline]
    fn number(
        &mut self,
        program: &Program,
        id: ExprId,
        op: BinaryOp,
        left_id: ExprId,
        right_id: ExprId,
        other: &mut Eval<Value>,
    ) -> Option<i64> {
        let left = self.integer(program, left_id, other);
        if let Some(a) = left
            && let Some(b) = self.integer(program, right_id, other)
        {
            if let Some(number) = integers(op, a, b) {
                return Some(number);
            }
            return kept(wide_integers(program, id, op, a, b, right_id).map(Value::Integer), other);
        }
        match std::mem::replace(other, Ok(Value::Undef)) {
            Ok(operand) => {
                let (left, right) = ((left_id, left), (right_id, operand));
                kept(self.operate_on(program, id, op, left, right), other)
            }
            stopped => kept(stopped, other),
        }
    }

    /// Evaluates an expression to an integer, without building a [`Value`].
    ///
    /// If the result is not an integer, it is in `other` afterwards.
    #[inline]
    pub(crate) fn integer(
        &mut self,
        program: &Program,
        id: ExprId,
        other: &mut Eval<Value>,
    ) -> Option<i64> {
        let seen = match program.node_info(id) {
            NodeInfo::Constant(value) => Some(value),
            NodeInfo::Parameter { name, number, .. } => self.scopes.parameter(*number, *name),
            _ => None,
        };
        match seen {
            Some(Value::Integer(number)) => Some(*number),
            _ => self.evaluated_integer(program, id, other),
        }
    }

    #[inline(never)]
    fn evaluated_integer(
        &mut self,
        program: &Program,
        id: ExprId,
        other: &mut Eval<Value>,
    ) -> Option<i64> {
        if let Expr::Binary { op, left, right } = program.ast()[id]
            && is_arithmetic(op)
            && self.has_room()
        {
            self.steps += 1;
            self.nesting += 1;
            let number = self.number(program, id, op, left, right, other);
            self.nesting -= 1;
            if number.is_none()
                && let Err(stop) = other
            {
                issues::locate_in_place(stop, program, id);
            }
            return number;
        }
        if let Some(Value::Integer(number)) = peek(&self.scopes, program, id) {
            return Some(*number);
        }
        let mut value = Value::Undef;
        match self.eval_into(program, id, &mut value) {
            Ok(()) => match value {
                Value::Integer(number) => return Some(number),
                value => *other = Ok(value),
            },
            Err(stop) => *other = Err(stop),
        }
        None
    }

    /// `left op right`, one of which is no integer; `other` is the left one if there is no `left`.
    #[inline(never)]
    fn operate_on(
        &mut self,
        program: &Program,
        id: ExprId,
        op: BinaryOp,
        (left_id, left): (ExprId, Option<i64>),
        (right_id, other): (ExprId, Value),
    ) -> Eval<Value> {
        let (left, right) = match (left, other) {
            (Some(left), other) => (Value::Integer(left), other),
            (None, Value::Hash(hash)) if op == BinaryOp::Add => {
                return self.merged(program, hash, right_id);
            }
            (None, Value::Array(values)) if op == BinaryOp::Add => {
                return collections::concatenate(values, self.eval(program, right_id)?);
            }
            (None, other) => (other, self.eval(program, right_id)?),
        };
        self.operate(program, id, op, (left_id, left), (right_id, right))
    }

    /// `{ a => b } + right`
    fn merge_into_literal(
        &mut self,
        program: &Program,
        left_id: ExprId,
        right_id: ExprId,
        out: &mut Value,
    ) -> Eval<()> {
        let mut left = Value::Undef;
        self.eval_into(program, left_id, &mut left)?;
        if let Value::Hash(hash) = left {
            out.put(self.merged(program, hash, right_id)?);
        }
        Ok(())
    }

    /// `hash + right`; of a literal on the right no hash is made.
    fn merged(&mut self, program: &Program, mut hash: Arc<Hash>, id: ExprId) -> Eval<Value> {
        match program.ast()[id] {
            Expr::Hash(entries) if self.has_room() => {
                self.steps += 1;
                self.nesting += 1;
                let added = self.add_entries(program, entries, Arc::make_mut(&mut hash));
                self.nesting -= 1;
                added.map_err(|stop| issues::locate(stop, program, id))?;
                Ok(Value::Hash(hash))
            }
            _ => {
                let right = self.eval(program, id)?;
                collections::merge(hash, right).map(Value::Hash)
            }
        }
    }

    /// Operates on values that are not both integers.
    fn operate(
        &mut self,
        program: &Program,
        id: ExprId,
        op: BinaryOp,
        (left_id, left): (ExprId, Value),
        (right_id, right): (ExprId, Value),
    ) -> Eval<Value> {
        match (&left, op) {
            (Value::Array(_) | Value::Hash(_), BinaryOp::Subtract) => {
                return collections::delete(&left, &right);
            }
            (Value::Array(_), BinaryOp::LeftShift) => return collections::append(left, right),
            (Value::Hash(_), BinaryOp::LeftShift) => {
                let issue = issues::operator_not_applicable(op.as_str(), &left);
                return issues::at(program, left_id, issue);
            }
            (Value::Binary(a), BinaryOp::Add) => return times::append_binary(a, &right),
            (Value::Rare(rare), BinaryOp::Add) => {
                if let Rare::Uri(uri) = &**rare {
                    return collections::merge_uri(uri, &right);
                }
            }
            _ => (),
        }
        let left = self.coerce(program, left_id, left)?;
        let right = self.coerce(program, right_id, right)?;
        match (&left, &right) {
            (Value::Integer(a), Value::Integer(b)) => {
                wide_integers(program, id, op, *a, *b, right_id).map(Value::Integer)
            }
            (Value::Integer(_) | Value::Float(_), Value::Integer(_) | Value::Float(_)) => {
                floats(program, op, left_id, &left, &right)
            }
            _ => times::arithmetic(program, op, left_id, right_id, &left, &right),
        }
    }

    /// `-value`
    pub(super) fn negate(&mut self, program: &Program, id: ExprId, value: &Value) -> Eval<Value> {
        match self.coerce(program, id, value.clone())? {
            Value::Integer(value) => match value.checked_neg() {
                Some(value) => Ok(Value::Integer(value)),
                // Ruby's integers have no end; ours say so where they end.
                None => {
                    let wide = -i128::from(value);
                    issues::at(program, id, issues::numeric_overflow(program, id, wide))
                }
            },
            Value::Float(value) => Ok(Value::Float(-value)),
            other => times::negate(&other),
        }
    }

    /// The number that a value is.
    pub(super) fn coerce(&mut self, program: &Program, id: ExprId, value: Value) -> Eval<Value> {
        match &value {
            Value::Integer(_) | Value::Float(_) | Value::Timestamp(_) | Value::Timespan(_) => {
                Ok(value)
            }
            // Ruby has versions among its numbers.
            Value::Rare(rare) if matches!(**rare, Rare::SemVer(_)) => Ok(value),
            Value::String(before) => match coerce::number(before) {
                Some(number) => {
                    let issue = issues::numeric_coercion(before, &text::to_s(&number));
                    self.complain(issue, program, id)?;
                    Ok(number)
                }
                None => issues::at(program, id, issues::not_numeric(before)),
            },
            other => issues::at(program, id, issues::not_numeric(&text::to_s(other))),
        }
    }
}

const fn is_arithmetic(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Modulo
            | BinaryOp::LeftShift
            | BinaryOp::RightShift
    )
}

/// Keeps a result that is no integer.
fn kept(result: Eval<Value>, other: &mut Eval<Value>) -> Option<i64> {
    match result {
        Ok(Value::Integer(number)) => Some(number),
        result => {
            *other = result;
            None
        }
    }
}

/// Returns the result of the frequent operators, if it is in range.
#[inline]
fn integers(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Subtract => a.checked_sub(b),
        BinaryOp::Multiply => a.checked_mul(b),
        BinaryOp::Modulo => modulo(a, b),
        _ => None,
    }
}

/// As in Ruby, a remainder has the sign of the divisor.
fn modulo(a: i64, b: i64) -> Option<i64> {
    let rest = a.checked_rem(b)?;
    Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
}

/// Integers of which the result may need more than 64 bits.
#[inline(never)]
fn wide_integers(
    program: &Program,
    id: ExprId,
    op: BinaryOp,
    a: i64,
    b: i64,
    right_id: ExprId,
) -> Eval<i64> {
    let (wide_a, wide_b) = (i128::from(a), i128::from(b));
    let result = match op {
        BinaryOp::Add => wide_a + wide_b,
        BinaryOp::Subtract => wide_a - wide_b,
        BinaryOp::Multiply => wide_a * wide_b,
        BinaryOp::Divide | BinaryOp::Modulo if b == 0 => {
            return issues::at(program, right_id, issues::division_by_zero());
        }
        // As in Ruby, results are rounded down, and a remainder has the sign of the divisor.
        BinaryOp::Divide => floor_div(wide_a, wide_b),
        BinaryOp::Modulo => wide_a - wide_b * floor_div(wide_a, wide_b),
        BinaryOp::LeftShift => return shift(program, id, a, wide_b),
        _ => return shift(program, id, a, -wide_b),
    };
    match i64::try_from(result) {
        Ok(result) => Ok(result),
        Err(_) => issues::at(program, id, issues::numeric_overflow(program, id, result)),
    }
}

fn floor_div(a: i128, b: i128) -> i128 {
    a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0)
}

/// Shifts to the left; a negative number of bits shifts to the right.
fn shift(program: &Program, id: ExprId, value: i64, bits: i128) -> Eval<i64> {
    if bits <= 0 || value == 0 {
        let bits = u32::try_from(-bits).unwrap_or(63).min(63);
        return Ok(value >> bits);
    }
    if bits <= 63 {
        let result = i128::from(value) << bits;
        return match i64::try_from(result) {
            Ok(result) => Ok(result),
            Err(_) => issues::at(program, id, issues::numeric_overflow(program, id, result)),
        };
    }
    issues::at(program, id, issues::shift_overflow(program, id, value, bits))
}

fn floats(
    program: &Program,
    op: BinaryOp,
    left_id: ExprId,
    left: &Value,
    right: &Value,
) -> Eval<Value> {
    let (a, b) = (to_f(left), to_f(right));
    let result = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a * b,
        BinaryOp::Divide => a / b,
        BinaryOp::Modulo if matches!(left, Value::Integer(_)) => {
            let issue = issues::operator_not_applicable_when(op.as_str(), left, right);
            return issues::at(program, left_id, issue);
        }
        // An integer is shifted by the whole part of a float.
        BinaryOp::LeftShift | BinaryOp::RightShift if matches!(left, Value::Integer(_)) => {
            return shift_by_float(program, op, left_id, left, b);
        }
        _ => {
            let issue = issues::operator_not_applicable(op.as_str(), left);
            return issues::at(program, left_id, issue);
        }
    };
    if result.is_infinite() {
        return issues::at(program, left_id, issues::result_is_infinity(op.as_str()));
    }
    Ok(Value::Float(result))
}

fn shift_by_float(
    program: &Program,
    op: BinaryOp,
    left_id: ExprId,
    left: &Value,
    bits: f64,
) -> Eval<Value> {
    let Value::Integer(value) = *left else { return Ok(Value::Undef) };
    #[expect(clippy::cast_possible_truncation, reason = "Ruby cuts the fraction off too")]
    let bits = bits.trunc() as i128;
    let bits = if op == BinaryOp::LeftShift { bits } else { -bits };
    shift(program, left_id, value, bits).map(Value::Integer)
}

#[expect(clippy::cast_precision_loss, reason = "as Ruby converts")]
fn to_f(value: &Value) -> f64 {
    match value {
        Value::Integer(value) => *value as f64,
        Value::Float(value) => *value,
        _ => f64::NAN,
    }
}
