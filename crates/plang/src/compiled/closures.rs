//! Constructors of closures; their bounds help the compiler to infer types.

use super::code::{BooleanFn, NumberFn, TextFn, ValueFn};
use super::runtime::Runtime;
use crate::fail::Fail;
use crate::value::Value;

pub(super) fn boolean(
    closure: impl for<'a> Fn(&Runtime<'a>) -> Result<bool, Fail> + Send + Sync + 'static,
) -> BooleanFn {
    Box::new(closure)
}

pub(super) fn number(
    closure: impl for<'a> Fn(&Runtime<'a>) -> Result<i64, Fail> + Send + Sync + 'static,
) -> NumberFn {
    Box::new(closure)
}

pub(super) fn text(
    closure: impl for<'a> Fn(&Runtime<'a>) -> Result<&'a [u8], Fail> + Send + Sync + 'static,
) -> TextFn {
    Box::new(closure)
}

pub(super) fn nothing() -> ValueFn {
    value(|_| Ok(Value::Nothing))
}

pub(super) fn value(
    closure: impl for<'a> Fn(&Runtime<'a>) -> Result<Value<'a>, Fail> + Send + Sync + 'static,
) -> ValueFn {
    Box::new(closure)
}
