//! Certificates and details that Traefik passes on.

use data_encoding::BASE64;
use kukla_server::forwarded::{CertHeaders, Proxy};

use super::Treatment::{Anonymous, Client, Misconfigured, Refused};
use super::{and, boss, check, comma, der, field, two_names, user};
use crate::pki::{Authority, escaped, pem};

#[test]
fn certificates_and_details() {
    let pem_field = |value: &str| vec![field("X-Forwarded-Tls-Client-Cert", value)];
    let base64 = |der: &[u8]| BASE64.encode(der);
    let info = |value: &str| field("X-Forwarded-Tls-Client-Cert-Info", escaped(value));
    let cert = base64(&user());
    check(
        Proxy::Traefik,
        CertHeaders::Cert,
        vec![
            ("no certificate", vec![], Anonymous),
            ("an empty field", pem_field(""), Anonymous),
            ("one name", pem_field(&cert), Client("user")),
            ("escaped", pem_field(&escaped(&cert)), Client("user")),
            (
                "a chain",
                pem_field(&format!("{cert},{}", base64(&Authority::new().der))),
                Client("user"),
            ),
            (
                "a chain with another client",
                pem_field(&format!("{cert},{}", base64(&boss()))),
                Client("user"),
            ),
            (
                "an escaped chain",
                pem_field(&escaped(&format!("{cert},{}", base64(&boss())))),
                Client("user"),
            ),
            ("a comma in the organization", pem_field(&base64(&comma())), Client("user")),
            ("two names", pem_field(&base64(&two_names())), Refused),
            ("no subject", pem_field(&base64(&der(&[]))), Refused),
            ("details alone", vec![info("Subject=\"CN=boss\"")], Misconfigured),
            (
                "details with a comma",
                vec![info("Subject=\"O=evil,CN=boss,CN=user\"")],
                Misconfigured,
            ),
            (
                "a subject in alternative names",
                vec![info("SAN=\"a;Subject=\"CN=boss\"")],
                Misconfigured,
            ),
            ("empty details", vec![info("")], Misconfigured),
            (
                "details beside the certificate",
                [pem_field(&cert), vec![info("Subject=\"CN=boss\"")]].concat(),
                Client("user"),
            ),
            ("two fields", [pem_field(&cert), pem_field(&base64(&boss()))].concat(), Misconfigured),
            ("an empty first certificate", pem_field(&format!(",{cert}")), Misconfigured),
            ("an empty second certificate", pem_field(&format!("{cert},")), Misconfigured),
            (
                "a blank in Base64",
                pem_field(&format!("{} {}", &cert[..8], &cert[8..])),
                Misconfigured,
            ),
            ("PEM", pem_field(&escaped(&pem("CERTIFICATE", &user()))), Misconfigured),
            ("an escape that is none", pem_field(&format!("{cert}%2")), Misconfigured),
            ("no Base64", pem_field("CN=boss"), Misconfigured),
            ("no certificate in Base64", pem_field(&base64(b"CN=boss")), Refused),
            (
                "nginx's subject",
                vec![field("X-Client-Verify", "SUCCESS"), field("X-Client-DN", "CN=boss")],
                Refused,
            ),
            (
                "nginx's certificate",
                and(pem_field(&cert), "X-Client-Cert", &escaped(&pem("CERTIFICATE", &boss()))),
                Refused,
            ),
            (
                "Envoy's field",
                vec![field("X-Forwarded-Client-Cert", "Subject=\"CN=boss\"")],
                Refused,
            ),
        ],
    );
}
