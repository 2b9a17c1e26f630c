//! Parts that integers and floats have in common: operators, ways to round, steps.

use crate::run::{Args, Eval, Run, short_class};
use crate::value::{Proc, RubyValue};
use std::rc::Rc;

/// A binary operator on numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    /// `/`
    Divide,
    /// `div`: always an integer.
    Div,
    Fdiv,
    Divmod,
    Modulo,
    Remainder,
    /// `**`
    Power,
    /// `pow`, which may have a modulus.
    Pow,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    /// `number[i]`
    Bit,
    Gcd,
    Lcm,
    Coerce,
}

impl Operator {
    pub(super) fn is_bitwise(self) -> bool {
        matches!(
            self,
            Self::And | Self::Or | Self::Xor | Self::ShiftLeft | Self::ShiftRight | Self::Bit
        )
    }

    /// Returns true if the operator raises `ZeroDivisionError` for integers.
    pub(super) fn is_division(self) -> bool {
        matches!(self, Self::Divide | Self::Div | Self::Divmod | Self::Modulo | Self::Remainder)
    }
}

/// A way to round.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    Floor,
    Ceil,
    Round,
    Truncate,
}

impl Rounding {
    /// The name of the method.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Ceil => "ceil",
            Self::Round => "round",
            Self::Truncate => "truncate",
        }
    }
}

/// The option `half` of `round`, for numbers in the middle between two results.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Up,
    Even,
    Down,
}

impl Half {
    pub(super) fn of(a: Args<'_>) -> Self {
        match a.option("half").and_then(|value| value.as_name()).as_deref() {
            Some("even") => Self::Even,
            Some("down") => Self::Down,
            _ => Self::Up,
        }
    }
}

/// The argument of an operator.
pub(super) fn operand<'a>(run: &mut Run<'_>, a: Args<'a>) -> Eval<&'a RubyValue> {
    match a.items.first() {
        Some(other) => Ok(other),
        None => run.wrong_arity(0, "1"),
    }
}

pub(super) fn coerce_error<T>(run: &mut Run<'_>, value: &RubyValue, into: &str) -> Eval<T> {
    let what = match value {
        RubyValue::Nil => "nil".to_owned(),
        RubyValue::Bool(value) => value.to_string(),
        RubyValue::Sym(_) => crate::show::inspect(value),
        other => short_class(other),
    };
    run.type_error(format!("{what} can't be coerced into {into}"))
}

/// `1.step(10, 2)`
pub(super) fn step(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, a: Args<'_>) -> Eval {
    let to = a.option("to").unwrap_or_else(|| a.get(0));
    let by =
        a.option("by").unwrap_or_else(|| if a.len() > 1 { a.get(1) } else { RubyValue::Int(1) });
    let (RubyValue::Int(from), RubyValue::Int(to), RubyValue::Int(by)) = (this, &to, &by) else {
        return run.unsupported("steps of floats");
    };
    if *by == 0 {
        return run.argument_error("step can't be 0");
    }
    let mut number = *from;
    while (*by > 0 && number <= *to) || (*by < 0 && number >= *to) {
        run.yield1(block, &RubyValue::Int(number))?;
        number = number.saturating_add(*by);
    }
    Ok(this.clone())
}
