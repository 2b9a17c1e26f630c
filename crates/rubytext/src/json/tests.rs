//! Texts with the answers of the JSON parser of Ruby 3.1 (json 2.6.1). A table.

use super::{check, string};

#[test]
fn takes_what_ruby_takes() {
    let valid = [
        "1",
        "-0",
        "1.5e-10",
        "1e400",
        "123456789012345678901234567890",
        r#""a""#,
        "null",
        "true",
        "false",
        "[]",
        "{}",
        "[ 1 , 2 ]",
        r#"{"a":{"b":[null]}}"#,
        "\t\r\n1\n",
        "/* c */1// c\n",
        "[1,/*c*/2]",
        r#"{/**/"a"/**/:/**/1/**/}"#,
        r#"["\q\/\u00e9"]"#,
        r#"["\ud83d\ude00"]"#,
        r#"["\udc00"]"#,
        r#"["\ud800abcdef"]"#,
        r#"["\ud800\n1234"]"#,
        r#"["a\u007f"]"#,
        r#"["\ud800\\u12345"]"#,
    ];
    for text in valid {
        assert!(check(text).is_ok(), "{text}");
    }
}

#[test]
fn refuses_what_ruby_refuses_in_its_words() {
    for &(text, message) in INVALID {
        assert_eq!(check(text).unwrap_err().message, message, "{text}");
    }
}

#[test]
fn nests_as_deep_as_ruby_does() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = |depth: usize| format!("{}1{}", open.repeat(depth), close.repeat(depth));
        assert!(check(&nested(100)).is_ok());
        for depth in [101, 100_000] {
            assert_eq!(check(&nested(depth)).unwrap_err().message, "nesting of 101 is too deep");
        }
    }
}

#[test]
fn writes_strings_as_ruby_does() {
    let cases = [
        ("", r#""""#),
        ("a/b'c", r#""a/b'c""#),
        ("\"\\", r#""\"\\""#),
        ("\u{8}\t\n\u{C}\r", r#""\b\t\n\f\r""#),
        ("\0\u{1}\u{B}\u{1B}\u{1F}", r#""\u0000\u0001\u000b\u001b\u001f""#),
        ("\u{7F}\u{80}\u{2028}\u{FEFF}é😀", "\"\u{7F}\u{80}\u{2028}\u{FEFF}é😀\""),
    ];
    for (text, written) in cases {
        assert_eq!(string(text), written);
    }
}

/// Texts that Ruby refuses, with its message.
const INVALID: &[(&str, &str)] = &[
    ("", "859: unexpected token at ''"),
    (" ", "859: unexpected token at ''"),
    ("[1,2", "451: unexpected token at ''"),
    ("[", "451: unexpected token at ''"),
    ("[1,]", "451: unexpected token at ']'"),
    ("[,1]", "451: unexpected token at ',1]'"),
    ("[1,,2]", "451: unexpected token at ',2]'"),
    ("[1 2]", "451: unexpected token at '2]'"),
    ("[1}", "451: unexpected token at '}'"),
    ("[1;2]", "451: unexpected token at ';2]'"),
    ("[01]", "451: unexpected token at '01]'"),
    ("[-]", "451: unexpected token at '-]'"),
    ("[--1]", "451: unexpected token at '--1]'"),
    ("[+1]", "451: unexpected token at '+1]'"),
    ("[.5]", "451: unexpected token at '.5]'"),
    ("[1.]", "451: unexpected token at '.]'"),
    ("[1.e5]", "451: unexpected token at '.e5]'"),
    ("[1.5e]", "451: unexpected token at '.5e]'"),
    ("[1.5.5]", "451: unexpected token at '.5.5]'"),
    ("[1-2]", "451: unexpected token at '-2]'"),
    ("[1.5-2]", "451: unexpected token at '.5-2]'"),
    ("[0x1]", "451: unexpected token at 'x1]'"),
    ("[1_0]", "451: unexpected token at '_0]'"),
    ("[nul]", "451: unexpected token at 'nul]'"),
    ("[nulll]", "451: unexpected token at 'l]'"),
    ("[True]", "451: unexpected token at 'True]'"),
    ("[undef]", "451: unexpected token at 'undef]'"),
    ("[é]", "451: unexpected token at 'é]'"),
    (r#"["a]"#, r#"451: unexpected token at '"a]'"#),
    ("[\"a\nb\"]", "451: unexpected token at '\"a\nb\"]'"),
    ("[\"\u{0001}\"]", "451: unexpected token at '\"\u{0001}\"]'"),
    (r#"["\u12"]"#, r#"451: unexpected token at '"\u12"]'"#),
    (r#"["\u12g4"]"#, r#"451: unexpected token at '"\u12g4"]'"#),
    (r#"["\"#, r#"451: unexpected token at '"\'"#),
    (r#"["ab\ud800"]"#, r#"521: incomplete surrogate pair at 'ab\ud800"]'"#),
    (r#"["a\nb\ud800x"]"#, r#"521: incomplete surrogate pair at 'b\ud800x"]'"#),
    (r#"["\qab\ud800"]"#, r#"521: incomplete surrogate pair at 'qab\ud800"]'"#),
    (r#"["\ud800\\\u12"]"#, r#"451: unexpected token at '"\ud800\\\u12"]'"#),
    (r#"["\ud800\\\\u12"]"#, r#"508: incomplete unicode character escape sequence at '\u12"]'"#),
    ("[NaN]", "225: unexpected token at 'NaN]'"),
    ("[ Infinity]", "232: unexpected token at ' Infinity]'"),
    ("Infinity", "232: unexpected token at ''"),
    ("-Infinity", "249: unexpected token at '-Infinity'"),
    ("[1,-Infinity]", "249: unexpected token at '-Infinity]'"),
    ("[-Inf]", "451: unexpected token at '-Inf]'"),
    ("[1 /", "451: unexpected token at ''"),
    ("[1 / 2]", "451: unexpected token at ' 2]'"),
    ("[1 /* c", "451: unexpected token at ''"),
    ("[1 // c", "451: unexpected token at ''"),
    ("/*/", "859: unexpected token at ''"),
    ("[/x]", "451: unexpected token at 'x]'"),
    ("{", "859: unexpected token at '{'"),
    ("{a", "859: unexpected token at '{a'"),
    (r#"{"a""#, r#"859: unexpected token at '{"a"'"#),
    (r#"{"a":"#, r#"859: unexpected token at '{"a":'"#),
    (r#"{"a":1"#, r#"859: unexpected token at '{"a":1'"#),
    (r#"{"a":1,"#, r#"859: unexpected token at '{"a":1,'"#),
    (r#"{"a":1,}"#, r#"859: unexpected token at '{"a":1,}'"#),
    (r#"{"a" 1}"#, r#"859: unexpected token at '{"a" 1}'"#),
    (r#"{"a":1 "b":2}"#, r#"859: unexpected token at '{"a":1 "b":2}'"#),
    ("{a:1}", "859: unexpected token at '{a:1}'"),
    ("{1:2}", "859: unexpected token at '{1:2}'"),
    (r#"{"a":nul}"#, r#"859: unexpected token at '{"a":nul}'"#),
    (r#"{"a":{"b":}}"#, r#"859: unexpected token at '{"a":{"b":}}'"#),
    (r#"[{"a":1,}]"#, r#"451: unexpected token at '{"a":1,}]'"#),
    (r#"{"a":[1,}"#, "451: unexpected token at '}'"),
    (r#"{"a":NaN}"#, "225: unexpected token at 'NaN}'"),
    ("{'a':1}", "859: unexpected token at '{'a':1}'"),
    (r#"{"a"=>1}"#, r#"859: unexpected token at '{"a"=>1}'"#),
    (r#"{"a":"\ud800"}"#, r#"521: incomplete surrogate pair at '\ud800"}'"#),
    ("01", "859: unexpected token at '01'"),
    ("1.", "859: unexpected token at '.'"),
    ("2.5.", "859: unexpected token at '.5.'"),
    ("1 2", "859: unexpected token at '2'"),
    ("nullx", "859: unexpected token at 'x'"),
    (r#""a"#, r#"859: unexpected token at '"a'"#),
    (r#""a" "b""#, r#"859: unexpected token at '"b"'"#),
    ("{} x", "859: unexpected token at 'x'"),
    ("x", "859: unexpected token at 'x'"),
    ("é", "859: unexpected token at 'é'"),
    ("\u{FEFF}1", "859: unexpected token at '\u{FEFF}1'"),
    ("1\u{0000}", "859: unexpected token at ''"),
    ("[1\u{0000}2]", "451: unexpected token at ''"),
    ("// c", "859: unexpected token at ''"),
    ("1 /* c", "859: unexpected token at ''"),
    ("{a\n", "859: unexpected token at '{a\n'"),
];
