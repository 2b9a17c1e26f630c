//! Alternative names of a subject.

use std::net::IpAddr;

use der::Decode;
use der::asn1::{Ia5String, OctetString};
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::name::{GeneralName, GeneralNames};

use crate::{CaError, extension, oids};

/// Alternative names of a subject: DNS names and addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AltNames {
    dns: Vec<String>,
    ip: Vec<IpAddr>,
}

impl AltNames {
    /// Reads `--subject-alt-names` or `dns_alt_names`: names separated by commas, each with `DNS:`, `IP:` or nothing
    /// before it. Wildcards are refused.
    pub fn parse(list: &str) -> Result<Self, CaError> {
        let mut names = Self::default();
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match name.strip_prefix("IP:") {
                Some(address) => {
                    let address = address.trim().parse();
                    names.ip.push(address.map_err(|_| CaError::AltNameKind)?);
                }
                None => names.add_dns(name.strip_prefix("DNS:").unwrap_or(name).trim()),
            }
        }
        names.check()?;
        Ok(names)
    }

    /// Returns those of a certificate or request; an error if there are others than DNS names and addresses.
    pub(crate) fn of(extensions: &[Extension]) -> Result<Self, CaError> {
        let Some(extension) = extensions.iter().find(|one| one.extn_id == oids::ALT_NAMES) else {
            return Ok(Self::default());
        };
        let list = GeneralNames::from_der(extension.extn_value.as_bytes())
            .map_err(|_| CaError::Malformed("the subject alternative names can't be read"))?;
        let mut names = Self::default();
        for name in list {
            match name {
                GeneralName::DnsName(name) => names.dns.push(name.as_str().to_owned()),
                GeneralName::IpAddress(bytes) => names.ip.push(address(bytes.as_bytes())?),
                _ => return Err(CaError::AltNameKind),
            }
        }
        Ok(names)
    }

    /// Like [`AltNames::of`], but names of other kinds are left out.
    pub(crate) fn listed(extensions: &[Extension]) -> Self {
        let extension = extensions.iter().find(|one| one.extn_id == oids::ALT_NAMES);
        let list = extension.and_then(|one| GeneralNames::from_der(one.extn_value.as_bytes()).ok());
        let mut names = Self::default();
        for name in list.unwrap_or_default() {
            match name {
                GeneralName::DnsName(name) => names.dns.push(name.as_str().to_owned()),
                GeneralName::IpAddress(bytes) => names.ip.extend(address(bytes.as_bytes())),
                _ => {}
            }
        }
        names
    }

    /// Returns an error if a name has a wildcard or is no host name.
    pub(crate) fn check(&self) -> Result<(), CaError> {
        for name in &self.dns {
            if name.contains('*') {
                return Err(CaError::AltNameWildcard(name.clone()));
            }
            let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
            if name.is_empty() || name.len() > 253 || !name.bytes().all(is_allowed) {
                return Err(CaError::Malformed("a subject alternative name is no host name"));
            }
        }
        Ok(())
    }

    /// Adds a DNS name unless it is there.
    pub fn add_dns(&mut self, name: &str) {
        if !self.dns.iter().any(|known| known == name) {
            self.dns.push(name.to_owned());
        }
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.dns.is_empty() && self.ip.is_empty()
    }

    /// Returns the DNS names, each with `DNS:` before it.
    pub fn dns_texts(&self) -> Vec<String> {
        self.dns.iter().map(|name| format!("DNS:{name}")).collect()
    }

    /// Returns the addresses and then the DNS names, as Puppet Server lists them.
    pub fn texts(&self) -> Vec<String> {
        let addresses = self.ip.iter().map(|address| format!("IP:{address}"));
        addresses.chain(self.dns_texts()).collect()
    }

    pub(crate) fn encoded(&self) -> Result<Extension, CaError> {
        let failure = |_| CaError::Encoding("alternative names");
        let mut names = Vec::new();
        for name in &self.dns {
            names.push(GeneralName::DnsName(Ia5String::new(name).map_err(failure)?));
        }
        for address in &self.ip {
            let bytes = match address {
                IpAddr::V4(address) => address.octets().to_vec(),
                IpAddr::V6(address) => address.octets().to_vec(),
            };
            names.push(GeneralName::IpAddress(OctetString::new(bytes).map_err(failure)?));
        }
        extension::alt_names(&names)
    }
}

fn address(bytes: &[u8]) -> Result<IpAddr, CaError> {
    if let Ok(bytes) = <[u8; 4]>::try_from(bytes) {
        return Ok(IpAddr::from(bytes));
    }
    let bytes = <[u8; 16]>::try_from(bytes);
    bytes.map(IpAddr::from).map_err(|_| CaError::Malformed("an address has neither 4 nor 16 bytes"))
}
