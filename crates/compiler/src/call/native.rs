//! Calls of functions in Rust.

use kukla_pcore::Value;

use super::Call;
use crate::function::{Kind, NativeFunction};
use crate::interpreter::{Parameters, Values, signature};
use crate::{Eval, fault, issues};

/// Calls a function.
pub(crate) fn call_native(function: &NativeFunction, call: Call<'_>) -> Eval<Value> {
    match function.row.keeps_encoding && !call.compiler.byte_texts.is_empty() {
        true => call_keeping_encoding(function, call),
        false => run_native(function, call),
    }
}

/// Calls a function whose result has the encoding of its first argument.
#[cold]
fn call_keeping_encoding(function: &NativeFunction, call: Call<'_>) -> Eval<Value> {
    let Call { compiler, name, arguments, block, program, id } = call;
    let inner = Call { compiler: &mut *compiler, name, arguments, block, program, id };
    let value = run_native(function, inner)?;
    Ok(match arguments.first() {
        Some(source) => compiler.byte_texts.keep(source, value),
        None => value,
    })
}

/// Runs the first signature that accepts the arguments.
fn run_native(function: &NativeFunction, mut call: Call<'_>) -> Eval<Value> {
    match function.row.kind {
        Kind::Typed(signatures) => {
            let parameters = function.parameters.get_or_init(|| {
                signature::read(signatures, function.row.types, &call.compiler.names())
            });
            let (block_type, edition) = (call.block_type(), call.edition());
            for (signature, parameters) in signatures.iter().zip(parameters) {
                if !signature.is_in(edition)
                    || !signature::accepts(parameters, call.arguments, block_type)
                {
                    continue;
                }
                return match signature.is_mismatch {
                    false => (signature.run)(&mut call),
                    true => {
                        let message = (signature.run)(&mut call)?;
                        let words = message.as_str().unwrap_or_default();
                        fault(issues::refused_arguments(call.name, words))
                    }
                };
            }
            let described: Vec<Parameters> = signatures
                .iter()
                .zip(parameters)
                .filter(|(signature, _)| !signature.is_mismatch && signature.is_in(edition))
                .map(|(_, parameters)| parameters.clone())
                .collect();
            let block = call.block;
            call.compiler.no_signature(call.name, &described, call.arguments, block)
        }
        Kind::Untyped { arity, has_value, run } => {
            let convert = match has_value {
                true => signature::untyped_argument,
                false => signature::untyped_statement_argument,
            };
            let arguments: Eval<Values> = call.arguments.iter().map(convert).collect();
            let arguments = arguments?;
            signature::check_arity(call.name.as_str(), arity, arguments.len())?;
            let mut call = Call { arguments: &arguments, ..call };
            let value = run(&mut call)?;
            Ok(if has_value { value } else { Value::Undef })
        }
    }
}
