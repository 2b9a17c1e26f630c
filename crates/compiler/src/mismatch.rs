//! Why arguments do not fit.

use kukla_pcore::types::CallableType;
use kukla_pcore::{Type, Value};

use crate::call::Parameters;

/// None of the signatures fits.
pub(crate) fn signatures(
    name: &str,
    _signatures: &[Parameters],
    _arguments: &[Value],
    _block: Option<CallableType>,
) -> String {
    format!("'{name}' mismatch")
}

/// A function's value is not what it promises.
pub(crate) fn returned(name: &str, _type_: &Type, _value: &Value) -> String {
    format!("value returned from {name} has wrong type")
}
