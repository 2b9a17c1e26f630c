//! Numbers as text.

use super::case::{Answer, int, text};
use kukla_rubytext::{BigInt, Data, float, inspect, integer};

pub(crate) fn answer(operation: &str, args: &[Data]) -> Answer {
    let number = match args.first() {
        Some(Data::Float(number)) => *number,
        _ => 0.0,
    };
    Ok(match operation {
        "float.to_s" => Data::Str(float::to_s(number)),
        "float.round" => Data::Big(float::round(number)?),
        "float.floor" => Data::Big(float::floor(number)?),
        "float.ceil" => Data::Big(float::ceil(number)?),
        "float.truncate" => Data::Big(float::truncate(number)?),
        "Float()" => Data::Float(float::parse(text(args, 0))?),
        "to_f" => Data::Float(float::to_f(text(args, 0))),
        "Integer()" => Data::Big(integer::parse(text(args, 0), int(args, 1).unwrap_or(0))?),
        "to_i" => Data::Big(integer::to_i(text(args, 0), int(args, 1).unwrap_or(10))?),
        "inspect" => Data::Str(inspect::inspect(text(args, 0))),
        "integer.to_s" => {
            let number = match &args[0] {
                Data::Big(number) => number.clone(),
                other => BigInt::from(int(std::slice::from_ref(other), 0).expect("an integer")),
            };
            Data::Str(number.to_str_radix(int(args, 1).expect("a radix") as u32))
        }
        _ => panic!("unknown operation {operation}"),
    })
}
