//! `strftime`.

use kukla_compiler::{Call, Eval, Function, Signature, Stop};
use kukla_pcore::Value;
use kukla_pcore::time;

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[Function::typed(
    "strftime",
    &[
        Signature::new("Timespan time_object, String format", strftime),
        Signature::new("Timestamp time_object, String format, String timezone?", strftime),
        Signature::new("String format, String timezone?", strftime_now),
    ],
)];

fn strftime(call: &mut Call<'_>) -> Eval<Value> {
    let format = call.string(1);
    let text = match call.value(0) {
        Value::Timespan(span) => span.format(format),
        Value::Timestamp(time) => time.format(format, call.value(2).as_str()),
        _ => Ok(String::new()),
    };
    Ok(Value::from(text.map_err(|error| Stop::fault(error.to_string()))?))
}

fn strftime_now(call: &mut Call<'_>) -> Eval<Value> {
    call.warn_once_here(
        "legacy#strftime",
        "The argument signature (String format, [String timezone]) is deprecated for #strftime. See #strftime documentation and Timespan type for more info",
    );
    let now: time::Timestamp = call.now()?;
    let text = now.format(call.string(0), call.value(1).as_str());
    Ok(Value::from(text.map_err(|error| Stop::fault(error.to_string()))?))
}
