use super::{DataError, DataLoss, Options, from_data, to_data};
use crate::Value;
use crate::convert::{Convert, Present};
use crate::format::program;
use crate::time::Timestamp;
use crate::types::NoNames;
use crate::types::parse::parse_literal;

fn value(source: &str) -> Value {
    parse_literal(source, &NoNames).expect("a literal")
}

fn read(data: &Value) -> Result<Value, DataError> {
    let present = || Present { now: Timestamp(0), utc_offset: 0 };
    from_data(data, &Convert::new(&NoNames, &present))
}

#[track_caller]
fn check(source: &str, expected: &str) {
    let value = value(source);
    let data = to_data(&value, &Options::default(), &mut |_| Ok(())).expect("data");
    assert_eq!(program(&data), expected, "{source}");
    assert_eq!(read(&data), Ok(value), "{source}");
}

#[test]
fn values_become_data_and_back() {
    check("[1, 'a', undef, true, 1.5]", "[1, 'a', undef, true, 1.5]");
    check("default", "{'__ptype' => 'Default'}");
    check("/a\\/b/", "{'__ptype' => 'Regexp', '__pvalue' => 'a/b'}");
    check("{1 => [2]}", "{'__ptype' => 'Hash', '__pvalue' => [1, [2]]}");
    check("{'__ptype' => 'x'}", "{'__ptype' => 'Hash', '__pvalue' => ['__ptype', 'x']}");
}

#[test]
fn types_become_data_and_back() {
    check("Integer[1]", "{'__ptype' => 'Pcore::IntegerType', 'from' => 1}");
    check(
        "File['/a']",
        "{'__ptype' => 'Pcore::ResourceType', 'type_name' => 'File', 'title' => '/a'}",
    );
    check(
        "Struct[{Optional[a] => Enum[x]}]",
        "{'__ptype' => 'Pcore::StructType', 'elements' => [{'__ptype' => 'Pcore::StructElement', \
         'key_type' => {'__ptype' => 'Pcore::OptionalType', 'type' => {'__ptype' => 'Pcore::StringType', \
         'size_type_or_value' => 'a'}}, 'value_type' => {'__ptype' => 'Pcore::EnumType', 'values' => ['x']}}]}",
    );
}

#[test]
fn what_is_met_again_is_referred_to() {
    let shared = value("[1]");
    let twice = Value::array([shared.clone(), shared]);
    let data = to_data(&twice, &Options::default(), &mut |_| Ok(())).expect("data");
    assert_eq!(program(&data), "[[1], {'__ptype' => 'LocalRef', '__pvalue' => '$[0]'}]");
    assert_eq!(read(&data), Ok(twice));
}

#[test]
fn what_is_lost_is_told() {
    let options =
        Options { rich_data: false, local_references: false, prefix: "File[/a]", byte_texts: None };
    let mut issues = Vec::new();
    let mut report = |issue: &DataLoss| {
        issues.push(issue.to_string());
        Ok(())
    };
    let data = to_data(&value("{'k' => [/a/, default], 1 => 2}"), &options, &mut report);
    assert_eq!(program(&data.expect("data")), "{'k' => ['/a/', 'default'], '1' => 2}");
    assert_eq!(
        issues,
        [
            "File[/a]['k'][0] contains a Regexp value. It will be converted to the String '/a/'",
            "File[/a]['k'][1] contains the special value default. It will be converted to the String 'default'",
            "File[/a] contains a hash with an Integer key. It will be converted to the String '1'",
        ]
    );
}

#[test]
fn references_that_lead_nowhere_do_no_harm() {
    let refer =
        |path: &str| value(&format!("[{{'__ptype' => 'LocalRef', '__pvalue' => '{path}'}}]"));
    assert_eq!(read(&refer("$[7]")), Ok(value("[undef]")));
    assert_eq!(read(&refer("$[0]")), Err(DataError::Refused("\"$[0]\" leads to itself".into())));
    assert_eq!(
        read(&refer("$[")),
        Err(DataError::Refused("Unable to parse jsonpath \"$[\"".into()))
    );
}

#[test]
fn unknown_types_are_errors() {
    let data = value("{'__ptype' => 'Foo', 'a' => 1}");
    let message = "No implementation mapping found for Puppet Type Foo";
    assert_eq!(read(&data), Err(DataError::Refused(message.into())));
}

/// Temporary values must not be mistaken for earlier ones.
#[test]
fn only_what_is_shared_is_referred_to() {
    let source = "[Struct[{a => Enum[x, y]}], Enum[p, q], Tuple[String[1], String[2]], Callable[String, 1, 2], \
                  Array[Integer, 1], Array[Integer, 1, 2], Boolean, Data, Deferred]";
    let value = value(source);
    let data = to_data(&value, &Options::default(), &mut |_| Ok(())).expect("data");
    assert_eq!(read(&data), Ok(value));
}
