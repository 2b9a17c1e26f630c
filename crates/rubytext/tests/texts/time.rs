//! Timestamps and timespans.

use super::case::{Answer, big, text};
use kukla_rubytext::Data;
use kukla_rubytext::RubyInteger as _;
use kukla_rubytext::time::timespan::{self, Fields};
use kukla_rubytext::time::timestamp;

pub(crate) fn answer(operation: &str, args: &[Data]) -> Answer {
    let optional = |index: usize| match args.get(index) {
        Some(Data::Str(text)) => Some(text.as_str()),
        _ => None,
    };
    let nanoseconds = || big(&args[0]).to_i128().expect("128 bits");
    let number = |number: i128| Data::Big(number.into());
    Ok(match operation {
        "strftime" => Data::Str(timestamp::format(nanoseconds(), text(args, 1), optional(2), 0)?),
        "timestamp.to_s" => Data::Str(timestamp::to_s(nanoseconds())?),
        "timestamp.parse" => number(match args.get(1) {
            Some(Data::Str(format)) => timestamp::parse(text(args, 0), format, optional(2), 0)?,
            Some(Data::Array(_)) => {
                timestamp::parse_any(text(args, 0), &formats(&args[1]), optional(2), 0)?
            }
            _ => timestamp::parse_default(text(args, 0), optional(2), 0)?,
        }),
        "utc_offset" => number(timestamp::utc_offset(text(args, 0), 0)?.nanoseconds),
        "timespan.format" => Data::Str(timespan::format(nanoseconds(), text(args, 1))?),
        "timespan.to_s" => Data::Str(timespan::to_s(nanoseconds())?),
        "timespan.parse" => number(match args.get(1) {
            Some(Data::Str(format)) => timespan::parse(text(args, 0), format)?,
            Some(Data::Array(_)) => timespan::parse_any(text(args, 0), &formats(&args[1]))?,
            _ => timespan::parse_any(text(args, 0), &timespan::FORMATS)?,
        }),
        "timespan.to_hash" => {
            let nanoseconds = nanoseconds();
            let float = Data::Float(timespan::to_f(nanoseconds));
            let whole = number(timespan::to_i(nanoseconds));
            Data::Array(vec![parts(nanoseconds), compact(nanoseconds), float, whole])
        }
        "from_seconds" => match args[0] {
            Data::Float(seconds) => number(timespan::from_seconds(seconds).expect("a small one")),
            _ => panic!("no float"),
        },
        _ => panic!("unknown operation {operation}"),
    })
}

fn formats(data: &Data) -> Vec<&str> {
    let Data::Array(items) = data else { panic!("no list") };
    (0..items.len()).map(|index| text(items, index)).collect()
}

fn hash(entries: &[(&str, i128)]) -> Data {
    let present = entries.iter().filter(|(_, value)| *value != 0);
    Data::Hash(present.map(|(key, value)| (Data::str(*key), Data::Big((*value).into()))).collect())
}

fn parts(nanoseconds: i128) -> Data {
    let fields = Fields::new(nanoseconds);
    assert_eq!(fields.nanoseconds(), Some(nanoseconds));
    let mut hash = hash(&[
        ("days", fields.days),
        ("hours", fields.hours),
        ("minutes", fields.minutes),
        ("seconds", fields.seconds),
        ("nanoseconds", fields.nanoseconds),
        ("microseconds", fields.microseconds),
        ("milliseconds", fields.milliseconds),
    ]);
    if let (Data::Hash(entries), true) = (&mut hash, fields.negative) {
        entries.push((Data::str("negative"), Data::Bool(true)));
    }
    hash
}

fn compact(nanoseconds: i128) -> Data {
    let sign = nanoseconds.signum();
    let total = nanoseconds.abs();
    let (seconds, rest) = (total / 1_000_000_000 * sign, total % 1_000_000_000 * sign);
    let mut entries = vec![(Data::str("seconds"), Data::Big(seconds.into()))];
    if rest != 0 {
        entries.push((Data::str("nanoseconds"), Data::Big(rest.into())));
    }
    Data::Hash(entries)
}
