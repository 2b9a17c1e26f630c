//! Versions of packages and semantic versions.

use super::case::{Answer, text};
use kukla_rubytext::Data;
use kukla_rubytext::semver::{Version, VersionRange};
use kukla_rubytext::versioncmp::versioncmp;

pub(crate) fn answer(operation: &str, args: &[Data]) -> Answer {
    let two = |index| Version::parse(text(args, index));
    let range = |index| VersionRange::parse(text(args, index));
    Ok(match operation {
        "versioncmp" => {
            let zeroes = matches!(args.get(2), Some(Data::Bool(true)));
            Data::Int(versioncmp(text(args, 0), text(args, 1), zeroes) as i64)
        }
        "semver" => {
            let version = two(0)?;
            let texts = [version.prerelease_text(), version.build_text()].map(optional);
            let [prerelease, build] = texts;
            let stable = Data::Bool(version.is_stable());
            Data::Array(vec![Data::Str(version.to_string()), stable, prerelease, build])
        }
        "semver <=>" => Data::Int(two(0)?.compare(&two(1)?) as i64),
        "semver ==" => Data::Bool(two(0)? == two(1)?),
        "valid?" => Data::Bool(Version::is_valid(text(args, 0))),
        "range" => describe(&range(0)?),
        "include?" => Data::Bool(range(0)?.includes(&two(1)?)),
        "intersection" => {
            let both = range(0)?.intersection(&range(1)?)?;
            Data::Array(vec![Data::Str(both.to_string()), Data::Str(both.inspect())])
        }
        "range ==" => Data::Bool(range(0)? == range(1)?),
        "between" => {
            let min = if args[0] == Data::Nil { Version::lowest() } else { two(0)? };
            let max = if args[1] == Data::Nil { Version::highest() } else { two(1)? };
            describe(&VersionRange::between(&min, &max, args[2] == Data::Bool(true))?)
        }
        _ => panic!("unknown operation {operation}"),
    })
}

fn describe(range: &VersionRange) -> Data {
    let bool_or_nil = |value: Option<bool>| value.map_or(Data::Nil, Data::Bool);
    Data::Array(vec![
        Data::Str(range.to_string()),
        Data::Str(range.inspect()),
        optional(range.begin().map(|version| version.to_string())),
        optional(range.end().map(|version| version.to_string())),
        bool_or_nil(range.excludes_begin()),
        bool_or_nil(range.excludes_end()),
    ])
}

fn optional(text: Option<String>) -> Data {
    text.map_or(Data::Nil, Data::Str)
}
