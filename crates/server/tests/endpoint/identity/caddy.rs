//! Certificates that Caddy passes on.

use data_encoding::BASE64;
use kukla_server::forwarded::{CertHeaders, Proxy};

use super::Treatment::{Anonymous, Client, Misconfigured, Refused};
use super::{and, boss, check, comma, der, field, two_names, user};
use crate::pki::{escaped, pem};

#[test]
fn certificates() {
    let cert = |value: &str| vec![field("X-Client-Cert", value)];
    let base64 = |der: &[u8]| BASE64.encode(der);
    let placeholder = "{http.request.tls.client.certificate_der_base64}";
    let user_cert = base64(&user());
    check(
        Proxy::Caddy,
        CertHeaders::Cert,
        vec![
            ("no certificate", cert(placeholder), Anonymous),
            ("an empty field", cert(""), Anonymous),
            ("no field", vec![], Anonymous),
            ("one name", cert(&user_cert), Client("user")),
            ("a comma in the organization", cert(&base64(&comma())), Client("user")),
            ("two names", cert(&base64(&two_names())), Refused),
            ("no subject", cert(&base64(&der(&[]))), Refused),
            ("another placeholder", cert("{http.request.tls.client.subject}"), Misconfigured),
            ("a placeholder and more", cert(&format!("{placeholder}x")), Misconfigured),
            ("two fields", [cert(&user_cert), cert(&base64(&boss()))].concat(), Misconfigured),
            ("PEM", cert(&escaped(&pem("CERTIFICATE", &user()))), Misconfigured),
            ("escaped", cert(&user_cert.replace('=', "%3D").replace('M', "%4D")), Misconfigured),
            (
                "a subject",
                vec![field("X-Client-Verify", "SUCCESS"), field("X-Client-DN", "CN=boss")],
                Refused,
            ),
            (
                "a subject with a comma",
                vec![field("X-Client-DN", "O=evil\\,CN=boss,CN=user")],
                Refused,
            ),
            (
                "a subject beside the certificate",
                and(cert(&user_cert), "X-Client-DN", "CN=boss"),
                Refused,
            ),
            (
                "a word on verification",
                and(cert(&user_cert), "X-Client-Verify", "SUCCESS"),
                Refused,
            ),
        ],
    );
}
