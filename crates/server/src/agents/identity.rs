//! The identity of a client, from its certificate or from the header fields of a proxy.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::Path;

use hyper::body::Bytes;
use hyper::{HeaderMap, StatusCode};

use super::exchange::{Client, RouteError};
use kukla_rubytext::Data;
use kukla_rubytext::yaml::{self, LoadOptions};

use crate::forwarded::certificate::Identity;
use crate::forwarded::{distinguished_name, encodings};

/// The arc of the extensions that are Puppet's.
const PUPPET: &str = "1.3.6.1.4.1.34380.1.";

/// Names of extensions that the file `trusted_oid_mapping.yaml` adds: OID and short name.
#[derive(Clone, Debug, Default)]
pub(super) struct OidNames(BTreeMap<String, String>);

impl OidNames {
    /// Reads the file; a file that is missing adds no names.
    pub(super) fn read(path: &Path) -> Self {
        let Ok(text) = std::fs::read_to_string(path) else { return Self::default() };
        let options = LoadOptions { permitted_classes: &[], aliases: true, filename: None };
        let Ok(data) = yaml::load(&text, options) else { return Self::default() };
        let mut names = BTreeMap::new();
        for (oid, entry) in entries(entry_of(&data, "oid_mapping")) {
            if let Some(Data::Str(name)) = entry_of(entry, "shortname") {
                names.insert(oid, name.clone());
            }
        }
        Self(names)
    }

    /// Returns the extensions that `$trusted` has, by short name where there is one.
    fn trusted(&self, all: &[(String, String)]) -> Vec<(String, String)> {
        let mut trusted = Vec::new();
        let mut previous: Option<&str> = None;
        for (name, value) in all {
            let is_oid = name.starts_with(|first: char| first.is_ascii_digit());
            if !is_oid {
                // A short name comes before its OID.
                trusted.push((name.clone(), value.clone()));
            } else if name.starts_with(PUPPET) && previous.is_none() {
                let name = self.0.get(name).unwrap_or(name);
                trusted.push((name.clone(), value.clone()));
            }
            previous = (!is_oid).then_some(name.as_str());
        }
        trusted
    }
}

fn entry_of<'a>(data: &'a Data, name: &str) -> Option<&'a Data> {
    let Data::Hash(all) = data else { return None };
    let has_name = |key: &Data| matches!(key, Data::Str(text) if text == name);
    all.iter().find(|(key, _)| has_name(key)).map(|(_, value)| value)
}

fn entries(data: Option<&Data>) -> Vec<(String, &Data)> {
    let Some(Data::Hash(all)) = data else { return Vec::new() };
    let text = |key: &Data| match key {
        Data::Str(text) => Some(text.clone()),
        _ => None,
    };
    all.iter().filter_map(|(key, value)| Some((text(key)?, value))).collect()
}

/// Returns a client without a certificate.
pub(super) fn anonymous(address: IpAddr) -> Client {
    Client {
        certname: None,
        extensions: Vec::new(),
        alt_names: Vec::new(),
        certificate: None,
        address,
    }
}

/// Returns the client of a verified certificate; one that names no client or several is refused.
pub(super) fn certified(
    der: &[u8],
    address: IpAddr,
    names: &OidNames,
) -> Result<Client, RouteError> {
    let identity = Identity::from_der(der).map_err(|error| {
        RouteError::text(StatusCode::FORBIDDEN, format!("the client's certificate: {error}"))
    })?;
    Ok(Client {
        certname: Some(identity.common_name),
        extensions: names.trusted(&identity.extensions),
        alt_names: identity.alt_names,
        certificate: Some(Bytes::copy_from_slice(der)),
        address,
    })
}

/// Returns the client that a proxy describes: `X-Client-Verify`, `X-Client-DN` and `X-Client-Cert`.
pub(super) fn forwarded(
    headers: &HeaderMap,
    address: IpAddr,
    names: &OidNames,
) -> Result<Client, RouteError> {
    let bad = |words: &str| RouteError::text(StatusCode::BAD_REQUEST, words);
    let field = |name: &str| {
        let mut values = headers.get_all(name).iter();
        match (values.next(), values.next()) {
            (value, None) => {
                Ok(value.map(|value| value.as_bytes()).filter(|value| !value.is_empty()))
            }
            _ => Err(bad(&format!("header `{name}` is there twice"))),
        }
    };
    let (verify, dn, cert) =
        (field("X-Client-Verify")?, field("X-Client-DN")?, field("X-Client-Cert")?);
    if verify != Some(b"SUCCESS") {
        return Ok(anonymous(address));
    }
    let Some(dn) = dn else { return Ok(anonymous(address)) };
    let named = common_name(dn).ok_or_else(|| bad("header `X-Client-DN` names no client"))?;
    let Some(cert) = cert else {
        return Ok(Client { certname: Some(named), ..anonymous(address) });
    };
    let der = encodings::escaped_pem(cert)
        .ok_or_else(|| bad("Unable to parse X-Client-Cert into a certificate"))?;
    let client = certified(&der, address, names).map_err(|error| bad(&error.to_string()))?;
    match client.certname.as_deref() == Some(&named) {
        true => Ok(client),
        false => Err(bad("headers `X-Client-Cert` and `X-Client-DN` disagree")),
    }
}

/// Returns the common name of a subject in the form of RFC 2253 or of OpenSSL, `/CN=x`.
fn common_name(dn: &[u8]) -> Option<String> {
    if let Some(rest) = dn.strip_prefix(b"/") {
        let text = std::str::from_utf8(rest).ok()?;
        let mut names = text.split('/').filter_map(|part| part.strip_prefix("CN="));
        return names.next().filter(|_| names.next().is_none()).map(str::to_owned);
    }
    distinguished_name::common_name(dn).ok()
}
