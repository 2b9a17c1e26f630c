//! Certificates and subjects that Envoy passes on.

use data_encoding::BASE64;
use kukla_server::forwarded::{CertHeaders, Proxy};

use super::Treatment::{Anonymous, Client, Misconfigured, Refused};
use super::{Fields, boss, check, comma, extended, field, name, two_names, user};
use crate::pki::{self, escaped, pem};
use crate::support::{EndpointOptions, RunningEndpoint};

fn xfcc(value: String) -> Fields {
    vec![field("X-Forwarded-Client-Cert", value)]
}

#[test]
fn certificates() {
    let cert = |der: &[u8]| format!("Cert=\"{}\"", escaped(&pem("CERTIFICATE", der)));
    let element = |rest: &str| xfcc(format!("Hash=1f;{}{rest}", cert(&user())));
    let boss_cert = cert(&boss());
    check(
        Proxy::Envoy,
        CertHeaders::Cert,
        vec![
            ("no certificate", vec![], Anonymous),
            ("one name", element(""), Client("user")),
            (
                "all keys",
                element(";Subject=\"CN=user,O=x\";URI=spiffe://a?b=c;DNS=a;DNS=b"),
                Client("user"),
            ),
            (
                "a comma in the organization",
                xfcc(cert(&comma()) + ";Subject=\"O=evil\\,CN=boss,CN=user\""),
                Client("user"),
            ),
            ("two names", xfcc(cert(&two_names())), Refused),
            ("another subject", element(";Subject=\"CN=boss\""), Refused),
            ("an empty subject", element(";Subject=\"\""), Refused),
            (
                "a subject in a URI",
                element(";Subject=\"CN=user\";URI=x;Subject=\"CN=boss\""),
                Refused,
            ),
            ("a certificate in a URI", element(&format!(";URI=x;{boss_cert}")), Refused),
            (
                "a certificate in a DNS name, in lower case",
                element(&format!(";DNS=x;{}", boss_cert.replace("Cert", "cert"))),
                Refused,
            ),
            ("an element in a URI", element(&format!(";URI=x,By=y;{boss_cert}")), Refused),
            (
                "two elements",
                xfcc(format!("Hash=00;{boss_cert},Hash=1f;{}", cert(&user()))),
                Refused,
            ),
            ("two fields", [element(""), element("")].concat(), Misconfigured),
            (
                "no certificate in the field",
                xfcc("Hash=1f;Subject=\"CN=boss\"".to_owned()),
                Misconfigured,
            ),
            ("an empty field", xfcc(String::new()), Refused),
            ("an empty certificate", xfcc("Cert=\"\"".to_owned()), Misconfigured),
            ("no closing quote", xfcc(cert(&user()).trim_end_matches('"').to_owned()), Refused),
            ("text behind a quote", xfcc(cert(&user()) + "x;URI=y"), Refused),
            (
                "a quote in a value without quotes",
                xfcc(format!("URI=a\"b;{}", cert(&user()))),
                Refused,
            ),
            ("a separator at the end", element(";"), Refused),
            ("a key without a value", element(";URI"), Refused),
            ("a key that is no word", element(";U I=x"), Refused),
            ("Base64", xfcc(format!("Cert=\"{}\"", BASE64.encode(&user()))), Misconfigured),
            (
                "a chain in the place of the certificate",
                xfcc(format!("Chain=\"{}\"", escaped(&pem("CERTIFICATE", &boss())))),
                Misconfigured,
            ),
            (
                "nginx's fields",
                vec![field("X-Client-Verify", "SUCCESS"), field("X-Client-DN", "CN=boss")],
                Refused,
            ),
            (
                "Traefik's field",
                vec![field("X-Forwarded-Tls-Client-Cert", BASE64.encode(&boss()))],
                Refused,
            ),
        ],
    );
}

#[test]
fn subjects_as_text() {
    let subject = |subject: &str| xfcc(format!("Hash=1f;Subject=\"{subject}\";URI="));
    let self_made = extended(&[&[name("boss")]], &[(pki::PP_CLI_AUTH, pki::text("true"))]);
    let self_made = escaped(&pem("CERTIFICATE", &self_made));
    check(
        Proxy::Envoy,
        CertHeaders::Dn,
        vec![
            ("one name", subject("CN=user,O=x"), Client("user")),
            ("an escaped comma", subject("O=evil\\,CN=boss,CN=user"), Client("user")),
            ("a comma that is not escaped", subject("CN=user,O=Example, Inc"), Refused),
            ("two names", subject("CN=boss,CN=user"), Refused),
            ("an empty subject", subject(""), Refused),
            ("an escaped quote", subject("CN=a\\\"b"), Refused),
            ("a quote that ends the value", subject("CN=boss\",O=\"x"), Refused),
            ("a backslash at the end", subject("CN=boss\\\\"), Refused),
            ("three backslashes and a quote", subject("CN=a\\\\\\\"b"), Refused),
            ("no subject", xfcc("Hash=1f;URI=".to_owned()), Misconfigured),
            ("two subjects", xfcc("SUBJECT=\"CN=boss\";Subject=\"CN=user\"".to_owned()), Refused),
            (
                "another client's certificate in a URI",
                xfcc(format!("Subject=\"CN=user\";URI=x;Cert=\"{self_made}\"")),
                Refused,
            ),
            (
                "two elements",
                xfcc("Subject=\"CN=intruder\",Subject=\"CN=user\"".to_owned()),
                Refused,
            ),
        ],
    );
}

/// Envoy copies URIs from the certificate: one of them can look like a certificate of the same client.
#[test]
fn extensions_of_a_certificate_in_a_uri_are_not_believed() {
    let program = "Puppet := import \"Puppet\";\n\
        if ((Puppet.client.extension(\"pp_cli_auth\") otherwise \"\") == \"true\") { Access.allow(); }\n\
        if (Puppet.client.certname == \"user\") { Access.challenge(\"user\"); }\n";
    let form = CertHeaders::Dn;
    let options = EndpointOptions {
        proxy: Proxy::Envoy,
        cert_headers: Some(form),
        ..EndpointOptions::default()
    };
    let served = RunningEndpoint::new(program, options);
    let cert = extended(&[&[name("user")]], &[(pki::PP_CLI_AUTH, pki::text("true"))]);
    let cert = escaped(&pem("CERTIFICATE", &cert));
    let value = format!("Subject=\"CN=user\";URI=x;Cert=\"{cert}\"");
    let (status, _) = served.ask("GET /p/authz/", &[("X-Forwarded-Client-Cert", &value)]);
    assert_eq!(status, 401, "the client is known, its extension is not");
}
