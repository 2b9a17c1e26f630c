//! Pseudo-random numbers.

use super::case::{Answer, big, int, text};
use kukla_rubytext::Data;
use kukla_rubytext::random::Random;

pub(crate) fn answer(operation: &str, args: &[Data]) -> Answer {
    if operation == "hex" {
        let max = int(args, 1).expect("a limit");
        return Ok(Data::Int(Random::from_hex(text(args, 0)).below(max)?));
    }
    let mut random = Random::new(&big(&args[0]));
    let list = match operation {
        "rand" => {
            let (max, count) = (int(args, 1).expect("a limit"), int(args, 2).expect("a count"));
            (0..count).map(|_| random.below(max).map(Data::Int)).collect::<Result<Vec<_>, _>>()?
        }
        "float" => {
            (0..int(args, 1).expect("a count")).map(|_| Data::Float(random.float())).collect()
        }
        "shuffle" => {
            let mut items: Vec<Data> = (0..int(args, 1).expect("a count")).map(Data::Int).collect();
            random.shuffle(&mut items);
            items
        }
        _ => panic!("unknown operation {operation}"),
    };
    Ok(Data::Array(list))
}
