//! Upper and lower case.

use super::case::{Answer, text};
use kukla_rubytext::{Data, case};

pub(crate) fn answer(operation: &str, args: &[Data]) -> Answer {
    let text = text(args, 0);
    Ok(Data::Str(match operation {
        "upcase" => case::upcase(text),
        "downcase" => case::downcase(text),
        "capitalize" => case::capitalize(text),
        "swapcase" => case::swapcase(text),
        _ => panic!("unknown operation {operation}"),
    }))
}
