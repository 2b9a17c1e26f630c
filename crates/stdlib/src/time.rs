//! `strftime`.

use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::Value;
use kukla_rubytext::time::{timespan, timestamp};

use crate::fault::failed;

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
        Value::Timespan(span) => timespan::format(span.0, format),
        Value::Timestamp(time) => timestamp::format(time.0, format, call.value(2).as_str(), 0),
        _ => Ok(String::new()),
    };
    Ok(Value::from(text.map_err(|error| failed(error.to_string()))?))
}

fn strftime_now(call: &mut Call<'_>) -> Eval<Value> {
    call.warn_once_here(
        "legacy#strftime",
        "The argument signature (String format, [String timezone]) is deprecated for #strftime. See #strftime documentation and Timespan type for more info",
    );
    let now = call.inputs().now();
    let text = timestamp::format(now, call.string(0), call.value(1).as_str(), 0);
    Ok(Value::from(text.map_err(|error| failed(error.to_string()))?))
}
