//! Rules for names and requests, in Puppet Server's order and with its words.

use crate::{CaError, CaOptions, CertificateRequest, oids};

/// The most bytes of a name: with `.pem` it has to be the name of a file.
const MAX_NAME: usize = 200;

/// Returns whether a name can be that of a file in the directories of the CA. Older authorities signed names that
/// [`name`] refuses; those can still be fetched, revoked and cleaned.
pub(crate) fn is_file_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && byte != b'/' && byte != b'\\';
    !name.is_empty()
        && name.len() <= MAX_NAME
        && !name.starts_with('.')
        && name.bytes().all(is_plain)
}

/// Returns an error unless a subject is the name that was asked for, and a host name in lower case.
pub(crate) fn name(name: &str, subject: &str) -> Result<(), CaError> {
    if name != subject {
        let (subject, name) = (subject.to_owned(), name.to_owned());
        return Err(CaError::NameMismatch { subject, name });
    }
    if name.chars().any(|char| char.is_uppercase()) {
        return Err(CaError::UpperCase);
    }
    if name.contains('*') {
        return Err(CaError::Wildcard(name.to_owned()));
    }
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_part = |part: &str| {
        part.bytes().next_back().is_some_and(is_word)
            && part.bytes().all(|byte| is_word(byte) || byte == b'-')
    };
    let starts_well = name.bytes().next().is_some_and(is_word);
    match starts_well && name.len() <= MAX_NAME && name.split('.').all(is_part) {
        true => Ok(()),
        false => Err(CaError::InvalidName),
    }
}

/// Returns an error unless a request may be signed.
pub(crate) fn request(request: &CertificateRequest, options: &CaOptions) -> Result<(), CaError> {
    alt_names(request, options.allows_alt_names)?;
    authorization(request, options.allows_authorization)?;
    extensions(request)?;
    request.puppet_extensions()?;
    match request.is_authentic() {
        true => Ok(()),
        false => Err(CaError::BadSignature),
    }
}

fn alt_names(request: &CertificateRequest, is_allowed: bool) -> Result<(), CaError> {
    let names = request.alt_names()?;
    let own = format!("DNS:{}", request.subject);
    let extra: Vec<String> = names.texts().into_iter().filter(|name| *name != own).collect();
    if !is_allowed && !extra.is_empty() {
        return Err(CaError::AltNamesDisallowed { name: request.subject.clone(), names: extra });
    }
    names.check()
}

fn authorization(request: &CertificateRequest, is_allowed: bool) -> Result<(), CaError> {
    let mut extensions = request.extensions.iter();
    match extensions.any(|one| oids::is_below(oids::AUTHORIZATION, one.extn_id)) && !is_allowed {
        true => Err(CaError::AuthorizationDisallowed(request.subject.clone())),
        false => Ok(()),
    }
}

/// `pp_cli_auth` makes an administrator of the CA, so no request may have it, whatever `ca.conf` allows.
fn extensions(request: &CertificateRequest) -> Result<(), CaError> {
    let is_permitted = |oid| {
        let parents = [oids::REGISTERED, oids::PRIVATE, oids::AUTHORIZATION];
        oid == oids::ALT_NAMES
            || oid != oids::CLI_AUTH && parents.iter().any(|parent| oids::is_below(*parent, oid))
    };
    let oids = request.extensions.iter().map(|one| one.extn_id);
    let refused: Vec<String> =
        oids.filter(|oid| !is_permitted(*oid)).map(|oid| oid.to_string()).collect();
    match refused.is_empty() {
        true => Ok(()),
        false => Err(CaError::ExtensionsNotPermitted(refused)),
    }
}
