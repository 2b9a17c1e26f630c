//! JSON of Puppet Server's HTTP interface.

use serde_json::{Map, Value, json};

use crate::{CertificateStatus, Expirations, Serial, SignedMany};

impl CertificateStatus {
    /// Returns the answer of `certificate_status`.
    pub fn to_json(&self) -> Value {
        let fingerprints = &self.fingerprints;
        let extensions = self.authorization_extensions.iter();
        let extensions: Map<String, Value> =
            extensions.map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect();
        let mut status = json!({
            "name": self.name,
            "state": self.state.word(),
            "dns_alt_names": self.alt_names.dns_texts(),
            "subject_alt_names": self.alt_names.texts(),
            "authorization_extensions": extensions,
            "fingerprint": fingerprints.sha256,
            "fingerprints": {
                "SHA1": fingerprints.sha1,
                "SHA256": fingerprints.sha256,
                "SHA512": fingerprints.sha512,
                "default": fingerprints.sha256,
            },
        });
        if let Some(validity) = &self.validity {
            status["not_after"] = Value::from(validity.not_after.as_str());
            status["not_before"] = Value::from(validity.not_before.as_str());
            status["serial_number"] = validity.serial.to_json();
        }
        status
    }
}

impl Serial {
    /// Returns a number, or a text of its digits if it has more than 64 bits.
    fn to_json(&self) -> Value {
        let digits = self.to_string();
        digits.parse::<u64>().map_or_else(|_| Value::from(digits.as_str()), Value::from)
    }
}

impl Expirations {
    /// Returns the answer of `expirations`.
    pub fn to_json(&self) -> Value {
        let object = |list: &[(String, String)]| {
            let pairs = list.iter().map(|(name, end)| (name.clone(), Value::from(end.as_str())));
            Value::from(pairs.collect::<Map<String, Value>>())
        };
        json!({ "ca-certs": object(&self.ca_certs), "crls": object(&self.crls) })
    }
}

impl SignedMany {
    /// Returns the answer of `sign` and `sign/all`.
    pub fn to_json(&self) -> Value {
        json!({
            "signed": self.signed,
            "no-csr": self.no_csr,
            "signing-errors": self.signing_errors,
        })
    }
}
