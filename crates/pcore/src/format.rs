//! Stub.
use crate::Value;
/// Stub.
pub fn program(value: &Value) -> String {
    format!("{value:?}")
}
