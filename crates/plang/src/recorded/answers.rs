//! Recorded answers of services, so that an exchange can be repeated without them.

use serde_json::{Value, json};

use super::{Fields, Read, RecordedError};
use crate::modules::http::{is_field_name, is_field_value};
use crate::services::{NewBody, ServiceAnswer, ServiceCall, Services};

/// Services that give the recorded answers in their order, and fail after the last one.
#[derive(Clone, Debug, Default)]
pub struct RecordedServices(std::vec::IntoIter<ServiceAnswer>);

impl RecordedServices {
    /// Creates services with these answers.
    pub fn new(answers: Vec<ServiceAnswer>) -> Self {
        Self(answers.into_iter())
    }
}

impl Services for RecordedServices {
    fn call(&mut self, _: &ServiceCall<'_>) -> ServiceAnswer {
        self.0.next().unwrap_or(ServiceAnswer::Failed)
    }
}

impl ServiceAnswer {
    /// Converts the answer to JSON: `"unchanged"`, `"fails"` or an object. Bodies are not recorded.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Unchanged => "unchanged".into(),
            Self::Failed => "fails".into(),
            Self::Adapted { headers, status, body } => json!({
                "headers": pairs(headers),
                "status": status,
                "body_size": body.as_ref().map(size),
            }),
            Self::Answered { status, headers, body } => json!({
                "answers": true,
                "headers": pairs(headers),
                "status": status,
                "body_size": size(body),
            }),
        }
    }

    /// Converts JSON to the answer.
    pub(super) fn from_json(value: &Value) -> Read<Self> {
        let bad = || RecordedError::new(format!("`{value}` is no answer of a service"));
        match value {
            Value::String(word) if word == "unchanged" => return Ok(Self::Unchanged),
            Value::String(word) if word == "fails" => return Ok(Self::Failed),
            Value::Object(_) => (),
            _ => return Err(bad()),
        }
        let headers = fields(&value["headers"]).ok_or_else(bad)?;
        let status = match &value["status"] {
            Value::Null => None,
            status => {
                let status = status.as_u64().and_then(|status| u16::try_from(status).ok());
                Some(status.filter(|status| (100..600).contains(status)).ok_or_else(bad)?)
            }
        };
        let body = match &value["body_size"] {
            Value::Null => None,
            size => {
                let size = size.as_u64().ok_or_else(bad)?;
                Some(NewBody::Held { number: 0, preview: Vec::new(), size })
            }
        };
        match (value["answers"].as_bool(), status) {
            (Some(true), Some(status)) => {
                let body = body.unwrap_or(NewBody::Whole(Vec::new()));
                Ok(Self::Answered { status, headers, body })
            }
            (None | Some(false), _) => Ok(Self::Adapted { headers, status, body }),
            (Some(true), None) => Err(bad()),
        }
    }
}

fn size(body: &NewBody) -> u64 {
    match body {
        NewBody::Whole(bytes) => bytes.len() as u64,
        NewBody::Held { size, .. } => *size,
    }
}

fn pairs(fields: &Fields) -> Value {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    fields.iter().map(|(name, value)| json!([text(name), text(value)])).collect()
}

fn fields(value: &Value) -> Option<Fields> {
    let field = |pair: &Value| {
        let [name, value] = pair.as_array()?.as_slice() else { return None };
        let (name, value) = (name.as_str()?.as_bytes(), value.as_str()?.as_bytes());
        (is_field_name(name) && is_field_value(value)).then(|| (name.to_vec(), value.to_vec()))
    };
    value.as_array()?.iter().map(field).collect()
}
