//! A recorded question with its answer, and the loop over them.

use kukla_rubytext::{BigInt, Data, RubyError, RubyInteger as _};
use serde_json::{Value as Json, json};
use std::path::PathBuf;
use std::process::Command;

/// Our answer: the value, or the error.
pub(crate) type Answer = Result<Data, RubyError>;

/// Compares all recorded answers with ours, and live ones on request.
#[track_caller]
pub(crate) fn check(subject: &str, ours: fn(&str, &[Data]) -> Answer) {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let recorded = root.join(format!("tests/texts/recorded/{subject}.jsonl"));
    let text = std::fs::read_to_string(recorded).expect("answers are recorded");
    let mut wrong = compare(text.lines().skip(1), ours);
    if let Ok(live) = std::env::var("KUKLA_ORACLE") {
        let (seed, count) = live.split_once(':').expect("KUKLA_ORACLE is SEED:COUNT");
        let oracle = root.join("../../tests/oracle/texts.rb");
        let output =
            Command::new("ruby").arg(oracle).args(["random", subject, seed, count]).output();
        let output = output.expect("ruby runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        wrong.extend(compare(String::from_utf8_lossy(&output.stdout).lines(), ours));
    }
    let max_shown = std::env::var("KUKLA_SHOW").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(max_shown)].join("\n")
    );
}

fn compare<'a>(
    lines: impl Iterator<Item = &'a str>,
    ours: fn(&str, &[Data]) -> Answer,
) -> Vec<String> {
    let mut n_lines = 0;
    let mut wrong = Vec::new();
    for line in lines {
        n_lines += 1;
        let case: Json = serde_json::from_str(line).expect("a line is JSON");
        let Data::Array(args) = decode(&case[1]) else { panic!("arguments are a list: {line}") };
        let answer = encode(&ours(case[0].as_str().unwrap_or(""), &args));
        if answer != case[2] {
            wrong.push(format!("{line}\n    ours: {answer}"));
        }
    }
    assert!(n_lines > 0, "no questions");
    wrong
}

fn decode(json: &Json) -> Data {
    match json {
        Json::Null => Data::Nil,
        Json::Bool(value) => Data::Bool(*value),
        Json::Number(number) => {
            Data::Int(number.as_i64().expect("larger ones are written otherwise"))
        }
        Json::String(text) => Data::str(text.as_str()),
        Json::Array(items) => Data::Array(items.iter().map(decode).collect()),
        Json::Object(object) => {
            let (tag, value) = object.iter().next().expect("one tag");
            decode_tagged(tag, value)
        }
    }
}

fn decode_tagged(tag: &str, value: &Json) -> Data {
    let text = || value.as_str().expect("a text").to_owned();
    match tag {
        "f" => Data::Float(f64::from_bits(u64::from_str_radix(&text(), 16).expect("bits"))),
        "i" => {
            let text = text();
            Data::Big(BigInt::from_digits(text.starts_with('-'), &text, 10))
        }
        "b" => Data::Binary(unbase64(&text())),
        "y" => Data::Symbol(text()),
        "h" => {
            let pairs = value.as_array().expect("pairs");
            Data::Hash(pairs.iter().map(|p| (decode(&p[0]), decode(&p[1]))).collect())
        }
        _ => panic!("unknown tag {tag}"),
    }
}

fn encode(answer: &Answer) -> Json {
    match answer {
        Ok(data) => encode_data(data),
        Err(RubyError { class, message }) => json!({ "e": [class, message] }),
    }
}

fn encode_data(data: &Data) -> Json {
    match data {
        Data::Nil => Json::Null,
        Data::Bool(value) => json!(value),
        Data::Int(number) => json!(number),
        Data::Big(number) => match number.to_i64() {
            Some(number) => json!(number),
            None => json!({ "i": number.to_string() }),
        },
        // Ruby has several NaNs.
        Data::Float(number) if number.is_nan() => json!({ "f": "7ff8000000000000" }),
        Data::Float(number) => json!({ "f": format!("{:016x}", number.to_bits()) }),
        Data::Str(text) => json!(text),
        Data::Binary(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => json!(text),
            Err(_) => json!({ "b": base64(bytes) }),
        },
        Data::Symbol(text) => json!({ "y": text }),
        Data::Other(class, text) => json!({ "t": [class, text] }),
        Data::Array(items) => items.iter().map(encode_data).collect(),
        Data::Hash(entries) => {
            let pairs: Vec<Json> =
                entries.iter().map(|(k, v)| json!([encode_data(k), encode_data(v)])).collect();
            json!({ "h": pairs })
        }
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().fold(0u32, |all, &b| (all << 8) | u32::from(b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let letter = ALPHABET[(word >> (18 - 6 * i)) as usize & 63];
            out.push(if i > chunk.len() { '=' } else { char::from(letter) });
        }
    }
    out
}

fn unbase64(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let (mut word, mut bits) = (0u32, 0);
    for letter in text.bytes().filter(|&b| b != b'=') {
        let value = ALPHABET.iter().position(|&a| a == letter).expect("a letter of base64");
        word = (word << 6) | value as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((word >> bits) as u8);
            word &= (1 << bits) - 1;
        }
    }
    out
}

/// Returns the text at an index of the arguments.
pub(crate) fn text(args: &[Data], index: usize) -> &str {
    match args.get(index) {
        Some(Data::Str(text)) => text,
        other => panic!("argument {index} is no text: {other:?}"),
    }
}

/// Returns the integer at an index of the arguments, if there is one.
pub(crate) fn int(args: &[Data], index: usize) -> Option<i64> {
    match args.get(index) {
        Some(Data::Int(number)) => Some(*number),
        _ => None,
    }
}

/// Returns an integer of any size.
pub(crate) fn big(data: &Data) -> BigInt {
    match data {
        Data::Int(number) => BigInt::from(*number),
        Data::Big(number) => number.clone(),
        other => panic!("{other:?} is no integer"),
    }
}
