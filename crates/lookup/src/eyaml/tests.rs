//! Envelopes made by Ruby's OpenSSL, and broken ones. `tests/oracle/envelopes.rb` records its answers.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write files, run programs and measure time"
)]

use std::time::{Duration, Instant};

use kukla_rubytext::base64;
use serde_json::Value as Json;

use super::pkcs7::decrypt;

const RECORDED: &str = include_str!("../../tests/eyaml/envelopes.jsonl");

const NO_KEY: &str = "Neither PUB key nor PRIV key: the private key cannot be read";
const NO_ENVELOPE: &str = "Could not parse the PKCS7: not enough data";
const NO_TEXT: &str = "decrypt error";

struct Case {
    name: String,
    key: String,
    envelope: Vec<u8>,
    /// None if Ruby can't decrypt it.
    text: Option<String>,
}

fn cases() -> Vec<Case> {
    let case = |line: &str| {
        let line: Json = serde_json::from_str(line).expect("it is JSON");
        let text = |name: &str| line[name].as_str().map(str::to_owned);
        let name = text("name").expect("it has a name");
        let key = text("key").expect("it has a key");
        let envelope = base64::decode(&text("envelope").expect("it has an envelope"));
        Case { name, key, envelope, text: text("text") }
    };
    RECORDED.lines().map(case).collect()
}

fn case(name: &str) -> Case {
    cases().into_iter().find(|case| case.name == name).expect("it was recorded")
}

#[test]
fn what_ruby_decrypts_is_decrypted() {
    let cases = cases();
    assert_eq!(cases.len(), 37);
    for Case { name, key, envelope, text } in cases {
        let expected = text.map(String::into_bytes).ok_or_else(|| NO_TEXT.to_owned());
        assert_eq!(decrypt(&key, &envelope), expected, "{name}");
    }
}

/// The identifier of the cipher is replaced.
#[test]
fn other_ciphers_are_refused() {
    let Case { key, mut envelope, .. } = case("2048 bits");
    let aes_256_cbc = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 42];
    let place = envelope.windows(9).position(|bytes| bytes == aes_256_cbc).expect("it is there");
    for number in [1, 2, 4, 6, 22, 41, 44, 46, 127] {
        envelope[place + 8] = number;
        assert_eq!(decrypt(&key, &envelope), Err(NO_TEXT.to_owned()), "{number}");
    }
}

#[test]
fn broken_keys_are_refused() {
    let Case { key, envelope, .. } = case("2048 bits");
    let lines: Vec<&str> = key.lines().collect();
    let without = |n: usize| {
        let kept = lines.iter().enumerate().filter(|(line, _)| *line != n);
        kept.map(|(_, line)| format!("{line}\n")).collect::<String>()
    };
    for n in 0..lines.len() {
        assert_eq!(decrypt(&without(n), &envelope), Err(NO_KEY.to_owned()), "line {n}");
    }
    let pem = |bytes: &[u8]| {
        let text = base64::encode(bytes);
        format!("-----BEGIN RSA PRIVATE KEY-----\n{text}\n-----END RSA PRIVATE KEY-----\n")
    };
    let huge = [&[0x30, 0x84, 0x7f, 0xff, 0xff, 0xff][..], &[2, 1, 0]].concat();
    let zero =
        [0x30, 27, 2, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0];
    let mut even = zero;
    even[7] = 8;
    for bytes in [&b""[..], b"\x30", b"\x30\x80\0\0", b"\x02\x01\x00", &huge, &zero, &even] {
        assert_eq!(decrypt(&pem(bytes), &envelope), Err(NO_KEY.to_owned()), "{bytes:?}");
    }
    for text in ["", "nonsense", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"] {
        assert_eq!(decrypt(text, &envelope), Err(NO_KEY.to_owned()), "{text}");
    }
}

/// Any defect gives one of the messages, quickly and without a panic.
#[test]
fn broken_envelopes_are_refused() {
    for (name, step) in [("2048 bits", 1), ("2048 bits, several holders", 3), ("1024 bits", 11)] {
        let Case { key, envelope, text, .. } = case(name);
        let start = Instant::now();
        for length in 0..envelope.len() {
            let answer = decrypt(&key, &envelope[..length]);
            assert_eq!(answer, Err(NO_ENVELOPE.to_owned()), "{name}, {length} bytes");
        }
        for place in (0..envelope.len()).step_by(step) {
            let mut broken = envelope.clone();
            broken[place] ^= 1 << (place % 7);
            match decrypt(&key, &broken) {
                // Not every byte matters: the name of the holder does not.
                Ok(plain) => assert!(plain.len() <= envelope.len(), "{name}, byte {place}"),
                Err(message) => {
                    let is_known = message == NO_ENVELOPE || message == NO_TEXT;
                    assert!(is_known, "{name}, byte {place}: {message}");
                }
            }
        }
        assert!(start.elapsed() < Duration::from_secs(120), "{name}: {:?}", start.elapsed());
        assert_eq!(decrypt(&key, &envelope).ok(), text.map(String::into_bytes));
    }
}

#[test]
fn hostile_envelopes_are_refused() {
    let Case { key, .. } = case("2048 bits");
    let nested = |open: &[u8]| open.repeat(100_000);
    for bytes in [
        nested(b"\x30\x80"),
        nested(b"\xa0\x80"),
        nested(b"\x24\x80"),
        nested(b"\x30\x84\x7f\xff\xff\xff"),
        vec![0; 1 << 20],
        vec![0xff; 1 << 20],
        b"text".to_vec(),
    ] {
        let start = Instant::now();
        assert_eq!(decrypt(&key, &bytes), Err(NO_ENVELOPE.to_owned()), "{:?}", &bytes[..4]);
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}
