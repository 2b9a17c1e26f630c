//! The header before the payload.

use kukla_xpp::{Encoding, Envelope, XppError};

const TYPE: &str = "application/vnd.puppet.pcore";

fn split(text: &str) -> Result<(Envelope, &[u8]), XppError> {
    Envelope::split(text.as_bytes())
}

#[test]
fn forms() {
    for text in [
        "+json;document-type=xpp;version=1\n\nrest",
        "+json;version=1;document-type=xpp\r\n\r\nrest",
        "+json ; document-type=xpp ; version=1\n\r\nrest",
        "+json\n; document-type=xpp\n; version=1\n\nrest",
        "+json\r\n; document-type=xpp\r\n; version=1\r\n\nrest",
    ] {
        let text = format!("{TYPE}{text}");
        let (envelope, payload) = split(&text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        let expected = Envelope { encoding: Encoding::Json, crc32: None, parameters: Vec::new() };
        assert_eq!(envelope, expected, "{text:?}");
        assert_eq!(payload, b"rest", "{text:?}");
    }
}

#[test]
fn other_parameters_are_kept_in_order() {
    let text = format!("{TYPE}+flat;b=2;document-type=xpp;a-b_c=x;version=1;b=3\n\n\n\n");
    let (envelope, payload) = split(&text).expect("it is well formed");
    let kept: Vec<_> =
        envelope.parameters.iter().map(|(name, value)| (&**name, &**value)).collect();
    assert_eq!(kept, [("b", "2"), ("a-b_c", "x"), ("b", "3")]);
    assert_eq!(payload, b"\n\n");
    assert_eq!(split(&envelope.to_text()).map(|(envelope, _)| envelope), Ok(envelope));
}

#[test]
fn the_checksum_is_that_of_the_payload() {
    for encoding in Encoding::ALL {
        let envelope = Envelope::of(encoding, b"123456789");
        assert_eq!(
            envelope.crc32,
            Some(0xCBF4_3926),
            "the checksum that all lists of checksums give"
        );
        let text = envelope.to_text();
        assert!(text.ends_with(";version=1;crc32=cbf43926\n\n"), "{text}");
        assert_eq!(split(&text), Ok((envelope.clone(), &b""[..])));
        assert_eq!(envelope.check(b"123456789"), Ok(()));
        assert_eq!(envelope.check(b"123456780"), Err(XppError::WrongChecksum));
    }
}

#[test]
fn errors_say_what_is_wrong() {
    for (text, message) in [
        ("", "this is not an XPP file: it has no envelope"),
        ("text/plain\n\n", "this is not an XPP file: it has no envelope"),
        (
            "application/vnd.puppet.pcore+json;version=1\n",
            "this is not an XPP file: it has no envelope",
        ),
        ("application/vnd.puppet.pcore+yaml;version=1\n\n", "unknown encoding `yaml`"),
        (
            "application/vnd.puppet.pcore+json;document-type=xpp;version=2\n\n",
            "unknown version `2`",
        ),
        (
            "application/vnd.puppet.pcore+json;document-type=x;version=1\n\n",
            "unknown document type `x`",
        ),
        (
            "application/vnd.puppet.pcore+json;document-type=xpp\n\n",
            "the envelope is not well formed: there is no `version`",
        ),
        (
            "application/vnd.puppet.pcore+json;version=1;version=1;document-type=xpp\n\n",
            "the envelope is not well formed: `version` is given twice",
        ),
        (
            "application/vnd.puppet.pcore+json;version\n\n",
            "the envelope is not well formed: `version` is not a parameter",
        ),
        (
            "application/vnd.puppet.pcore+flat;document-type=xpp;version=1;crc32=12345\n\n",
            "the envelope is not well formed: `12345` is not a checksum",
        ),
        (
            "application/vnd.puppet.pcore+json;document-type=xpp;version=1;crc32=+1234567\n\n",
            "the envelope is not well formed: `crc32=+1234567` is not a parameter",
        ),
    ] {
        let error = split(text).expect_err("it is wrong");
        assert_eq!(error.to_string(), message, "{text:?}");
    }
}
