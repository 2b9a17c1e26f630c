//! Metadata of a recorded message, as JSON.

use serde_json::{Map, Value};

use super::{Expected, Metadata, Read, RecordedError};
use crate::ip::Ip;
use crate::message::Clock;
use crate::services::ServiceAnswer;

impl Metadata {
    /// Parses metadata.
    pub fn parse(text: &str) -> Read<Self> {
        let value: Value = serde_json::from_str(text)
            .map_err(|error| RecordedError::new(format!("it is no JSON: {error}")))?;
        Self::from_json(&value)
    }

    /// Converts JSON to metadata.
    pub fn from_json(value: &Value) -> Read<Self> {
        let mut metadata = Self::default();
        let (mut epoch, mut offset) = (0, 0);
        for (key, value) in object("the metadata", value)? {
            match key.as_str() {
                "client_ip" => {
                    let text = text(key, value)?;
                    let ip = Ip::parse(text.as_bytes());
                    let error = || RecordedError::new(format!("`{text}` is no address"));
                    metadata.client = Some(ip.ok_or_else(error)?);
                }
                "scheme" => metadata.scheme = Some(text(key, value)?),
                "certificate" => metadata.set_certificate(value)?,
                "facts" => metadata.facts = Some(value.clone()),
                "classes" => metadata.classes = texts(key, value)?,
                "login" => metadata.login = Some(text(key, value)?),
                "code_id" => metadata.code_id = Some(text(key, value)?),
                "point" => {
                    let point = u8::try_from(number(key, value)?).ok();
                    let point = point.filter(|point| (1..=4).contains(point));
                    let error = || RecordedError::new("`point` is a number from 1 to 4");
                    metadata.point = Some(point.ok_or_else(error)?);
                }
                "time" => epoch = number(key, value)?,
                "utc_offset" => offset = number(key, value)?,
                "body_size" => metadata.body_size = u64::try_from(number(key, value)?).ok(),
                "body_recorded" => {
                    let error = || RecordedError::new("`body_recorded` is true or false");
                    metadata.lacks_body = !value.as_bool().ok_or_else(error)?;
                }
                "services" => {
                    let error = || RecordedError::new("`services` is a list of answers");
                    let answers = value.as_array().ok_or_else(error)?.iter();
                    metadata.answers =
                        answers.map(ServiceAnswer::from_json).collect::<Read<_>>()?;
                }
                "expect" => metadata.expected = Some(expected(value)?),
                _ => return Err(RecordedError::new(format!("`{key}` is not known here"))),
            }
        }
        metadata.clock = Clock::at(epoch, offset);
        Ok(metadata)
    }

    fn set_certificate(&mut self, value: &Value) -> Read<()> {
        self.is_verified = true;
        for (key, value) in object("certificate", value)? {
            match key.as_str() {
                "verified" => {
                    let error = || RecordedError::new("`verified` is true or false");
                    self.is_verified = value.as_bool().ok_or_else(error)?;
                }
                "cn" => self.common_name = Some(text(key, value)?),
                "alt_names" => self.alt_names = texts(key, value)?,
                "extensions" => {
                    let pairs = object(key, value)?.iter();
                    let pairs = pairs.map(|(name, value)| Ok((name.clone(), text(name, value)?)));
                    self.extensions = pairs.collect::<Read<_>>()?;
                }
                _ => {
                    let words = format!("`{key}` is not known in a certificate");
                    return Err(RecordedError::new(words));
                }
            }
        }
        Ok(())
    }
}

fn expected(value: &Value) -> Read<Expected> {
    let mut expected = Expected::default();
    for (key, value) in object("expect", value)? {
        match key.as_str() {
            "verdict" => expected.verdict = text(key, value)?,
            "line" => expected.line = u32::try_from(number(key, value)?).ok(),
            "reason" => expected.reason = Some(text(key, value)?),
            "pool" => expected.pool = Some(text(key, value)?),
            "path" => expected.path = Some(text(key, value)?),
            _ => return Err(RecordedError::new(format!("`{key}` is not known in `expect`"))),
        }
    }
    let verdicts = [
        "allow",
        "deny",
        "challenge",
        "respond",
        "answer",
        "pass",
        "fail",
        "accept",
        "reject",
        "tempfail",
    ];
    if !verdicts.contains(&expected.verdict.as_str()) {
        let words = verdicts.join(", ");
        return Err(RecordedError::new(format!("`expect` has a `verdict`, one of {words}")));
    }
    Ok(expected)
}

fn object<'v>(key: &str, value: &'v Value) -> Read<&'v Map<String, Value>> {
    value.as_object().ok_or_else(|| RecordedError::new(format!("`{key}` is an object")))
}

fn text(key: &str, value: &Value) -> Read<String> {
    let text = value.as_str().map(str::to_owned);
    text.ok_or_else(|| RecordedError::new(format!("`{key}` is a string")))
}

fn texts(key: &str, value: &Value) -> Read<Vec<String>> {
    let error = || RecordedError::new(format!("`{key}` is a list of strings"));
    value.as_array().ok_or_else(error)?.iter().map(|value| text(key, value)).collect()
}

fn number(key: &str, value: &Value) -> Read<i64> {
    value.as_i64().ok_or_else(|| RecordedError::new(format!("`{key}` is a whole number")))
}
