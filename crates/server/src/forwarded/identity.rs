//! The identity of a client, from the fields in which each kind of proxy describes the client's certificate.
//!
//! A field that is missing, repeated, malformed or contradicted by another one never leads to a guess: the request is
//! refused. Only a client without a certificate has no identity and is left to the program.

use super::certificate::Identity;
use super::headers::Headers;
use super::refusal::Refusal;
use super::{CertHeaders, Proxy, Trust, distinguished_name, encodings, xfcc};

const VERIFY: &str = "X-Client-Verify";
const CERT: &str = "X-Client-Cert";
const DN: &str = "X-Client-DN";
const XFCC: &str = "X-Forwarded-Client-Cert";
const TRAEFIK_PEM: &str = "X-Forwarded-Tls-Client-Cert";
const TRAEFIK_INFO: &str = "X-Forwarded-Tls-Client-Cert-Info";

/// Fields that describe a certificate to some server; two of them belong to Kubernetes' nginx.
const ALL: &[&str] = &[
    VERIFY,
    CERT,
    DN,
    XFCC,
    TRAEFIK_PEM,
    TRAEFIK_INFO,
    "SSL-Client-Verify",
    "SSL-Client-Subject-DN",
];

/// The value that Caddy sends for a client without a certificate: it leaves the placeholder unchanged.
const CADDY_NO_CERTIFICATE: &[u8] = b"{http.request.tls.client.certificate_der_base64}";

type Read = Result<Option<Identity>, Refusal>;

/// Reads the identity of the client; `None`: it has no verified certificate.
pub(super) fn read(headers: &Headers<'_>, trust: Trust) -> Read {
    let Some(form) = trust.cert_headers else { return Ok(None) };
    if let Some(conflict) = trust.conflict() {
        return Err(Refusal::proxy(conflict));
    }
    refuse_foreign(headers)?;
    match trust.proxy {
        Proxy::Nginx => nginx(headers, form),
        Proxy::Traefik => traefik(headers),
        Proxy::Caddy => caddy(headers),
        Proxy::Envoy => envoy(headers, form),
    }
}

/// Refuses fields that only another kind of proxy sets: this one passes them on from the client.
fn refuse_foreign(headers: &Headers<'_>) -> Result<(), Refusal> {
    let own: &[&str] = match headers.proxy {
        Proxy::Nginx => &[VERIFY, CERT, DN],
        Proxy::Traefik => &[TRAEFIK_PEM, TRAEFIK_INFO],
        Proxy::Caddy => &[CERT],
        Proxy::Envoy => &[XFCC],
    };
    match ALL.iter().find(|name| headers.has(name) && !own.contains(name)) {
        None => Ok(()),
        Some(name) => Err(Refusal::client(format!(
            "header `{name}` describes a certificate, but with `--from {}` the proxy does not set it; remove it there if \
             clients send it",
            headers.proxy.name()
        ))),
    }
}

/// Reads `X-Client-Verify`, and the certificate or its subject.
fn nginx(headers: &Headers<'_>, form: CertHeaders) -> Read {
    let verify = headers.filled(VERIFY)?;
    let (cert, dn) = (headers.filled(CERT)?, headers.filled(DN)?);
    match verify {
        Some(b"SUCCESS") => (),
        None | Some(b"NONE") if cert.is_none() && dn.is_none() => return Ok(None),
        Some(verify) if verify == b"FAILED" || verify.starts_with(b"FAILED:") => return Ok(None),
        None | Some(b"NONE") => {
            let reason =
                format!("header `{VERIFY}` tells of no certificate, but `{CERT}` or `{DN}` does");
            return Err(Refusal::client(format!("{reason}; {}", headers.advice(VERIFY))));
        }
        Some(_) => {
            let reason = format!("header `{VERIFY}` is none of `SUCCESS`, `NONE` and `FAILED:…`");
            return Err(Refusal::proxy(format!("{reason}; {}", headers.advice(VERIFY))));
        }
    }
    match (form, cert, dn) {
        (CertHeaders::Cert, None, _) => Err(missing(headers, CERT)),
        (CertHeaders::Cert, Some(cert), dn) => {
            let identity = from_pem(headers, CERT, cert)?;
            let subject = dn.map(|dn| named(DN, dn)).transpose()?;
            agree(Some(&identity), subject.as_ref(), DN)?;
            Ok(Some(identity))
        }
        (CertHeaders::Dn, Some(_), _) => Err(Refusal::client(format!(
            "header `{CERT}` is there, but the endpoint runs with `--cert-headers dn`; use `--cert-headers cert` if \
             nginx sets the field"
        ))),
        // nginx drops a field without a value.
        (CertHeaders::Dn, None, None) => Err(Refusal::client(format!(
            "missing header `{DN}` for a client with a certificate: its subject is empty, or the field is not set; {}",
            headers.advice(DN)
        ))),
        (CertHeaders::Dn, None, Some(dn)) => named(DN, dn).map(Some),
    }
}

/// Reads the certificates that `passTLSClientCert` sends: Base64, the client's first, separated by commas.
fn traefik(headers: &Headers<'_>) -> Read {
    let Some(list) = headers.filled(TRAEFIK_PEM)? else {
        // The details are not escaped, so one name could imitate another.
        return match headers.single(TRAEFIK_INFO)? {
            None => Ok(None),
            Some(_) => Err(missing(headers, TRAEFIK_PEM)),
        };
    };
    let list = encodings::unescape(list).ok_or_else(|| undecodable(headers, TRAEFIK_PEM))?;
    let certificates = list.split(|byte| *byte == b',').map(encodings::base64);
    let certificates: Option<Vec<Vec<u8>>> = certificates.collect();
    let certificates = certificates.ok_or_else(|| undecodable(headers, TRAEFIK_PEM))?;
    let first = certificates.first().ok_or_else(|| undecodable(headers, TRAEFIK_PEM))?;
    from_der(TRAEFIK_PEM, first).map(Some)
}

/// Reads the certificate that Caddy's placeholder stands for.
fn caddy(headers: &Headers<'_>) -> Read {
    let cert = headers.filled(CERT)?.filter(|cert| *cert != CADDY_NO_CERTIFICATE);
    let Some(cert) = cert else { return Ok(None) };
    let der = encodings::base64(cert).ok_or_else(|| undecodable(headers, CERT))?;
    from_der(CERT, &der).map(Some)
}

/// Reads the certificate or the subject that Envoy describes.
fn envoy(headers: &Headers<'_>, form: CertHeaders) -> Read {
    let Some(value) = headers.single(XFCC)? else { return Ok(None) };
    let element = xfcc::parse(value).map_err(|problem| {
        Refusal::client(format!("header `{XFCC}` {problem}; {}", headers.advice(XFCC)))
    })?;
    let lacks = |key: &str, setting: &str| {
        Refusal::proxy(format!(
            "header `{XFCC}` has no `{key}`; with Envoy, set `{setting}: true` in \
             `set_current_client_cert_details`"
        ))
    };
    let cert_identity = element.cert.map(|cert| from_pem(headers, XFCC, &cert)).transpose()?;
    let subject_identity = element.subject.map(|subject| named(XFCC, &subject)).transpose()?;
    agree(cert_identity.as_ref(), subject_identity.as_ref(), XFCC)?;
    match form {
        CertHeaders::Cert => cert_identity.ok_or_else(|| lacks("Cert", "cert")).map(Some),
        // Next to a `Subject` that Envoy sets, a `Cert` could come from a name in the certificate.
        CertHeaders::Dn => subject_identity.ok_or_else(|| lacks("Subject", "subject")).map(Some),
    }
}

fn from_pem(headers: &Headers<'_>, name: &str, text: &[u8]) -> Result<Identity, Refusal> {
    let der = encodings::escaped_pem(text).ok_or_else(|| undecodable(headers, name))?;
    from_der(name, &der)
}

fn from_der(name: &str, der: &[u8]) -> Result<Identity, Refusal> {
    let refusal = |error| Refusal::client(format!("the certificate in header `{name}`: {error}"));
    Identity::from_der(der).map_err(refusal)
}

fn named(name: &str, subject: &[u8]) -> Result<Identity, Refusal> {
    let refusal = |error| Refusal::client(format!("header `{name}`: {error}"));
    distinguished_name::common_name(subject).map(Identity::named).map_err(refusal)
}

/// Refuses a certificate whose subject differs from the separate subject.
fn agree(
    cert_identity: Option<&Identity>,
    subject: Option<&Identity>,
    name: &str,
) -> Result<(), Refusal> {
    match (cert_identity, subject) {
        (Some(one), Some(other)) if one.common_name != other.common_name => Err(Refusal::client(
            format!("the certificate and the subject in header `{name}` disagree"),
        )),
        _ => Ok(()),
    }
}

fn missing(headers: &Headers<'_>, name: &str) -> Refusal {
    let advice = headers.advice(name);
    Refusal::proxy(format!("missing header `{name}` for a client with a certificate; {advice}"))
}

fn undecodable(headers: &Headers<'_>, name: &str) -> Refusal {
    let advice = headers.advice(name);
    Refusal::proxy(format!("the certificate in header `{name}` can't be decoded; {advice}"))
}
