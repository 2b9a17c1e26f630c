//! Certificates that nginx passes on.

use data_encoding::BASE64;
use kukla_server::forwarded::{CertHeaders, Proxy};

use super::Treatment::{Anonymous, Client, Misconfigured, Refused};
use super::{
    and, boss, check, comma, der, extended, field, name, nginx, nginx_text, two_names, user,
};
use crate::pki::{self, CN, O, UTF8, escaped, pem};

#[test]
fn subjects() {
    let value = |tag: u8, value: &[u8]| nginx(&der(&[&[(CN, tag, value)]]));
    check(
        Proxy::Nginx,
        CertHeaders::Cert,
        vec![
            ("one name", nginx(&user()), Client("user")),
            ("a comma in the organization", nginx(&comma()), Client("user")),
            ("two names", nginx(&two_names()), Refused),
            ("two names, the other way", nginx(&der(&[&[name("boss")], &[name("user")]])), Refused),
            ("the same name twice", nginx(&der(&[&[name("user")], &[name("user")]])), Refused),
            ("two names in one RDN", nginx(&der(&[&[name("boss"), name("user")]])), Refused),
            (
                "a name beside another attribute",
                nginx(&der(&[&[name("user"), (O, UTF8, b"x")]])),
                Client("user"),
            ),
            (
                "a name hidden in a second RDN",
                nginx(&der(&[&[name("user")], &[(O, UTF8, b"x"), name("boss")]])),
                Refused,
            ),
            ("no subject", nginx(&der(&[])), Refused),
            ("no name", nginx(&der(&[&[(O, UTF8, b"boss")]])), Refused),
            ("an empty name", nginx(&der(&[&[name("")]])), Refused),
            ("an empty name and a name", nginx(&der(&[&[name("")], &[name("boss")]])), Refused),
            ("NUL", value(UTF8, b"boss\0.example.com"), Refused),
            ("a line break", value(UTF8, b"boss\r\nX-Name: boss"), Refused),
            ("DEL", value(UTF8, b"boss\x7F"), Refused),
            ("a control character beyond ASCII", value(UTF8, "boss\u{85}".as_bytes()), Refused),
            ("UTF8String that is none", value(UTF8, b"bo\xFFss"), Refused),
            ("overlong UTF-8", value(UTF8, b"\xC1\xA2oss"), Refused),
            ("PrintableString", value(pki::PRINTABLE, b"user"), Client("user")),
            ("IA5String", value(pki::IA5, b"user"), Client("user")),
            ("PrintableString beyond ASCII", value(pki::PRINTABLE, "jürgen".as_bytes()), Refused),
            ("T61String", value(pki::T61, b"boss"), Refused),
            ("BMPString", value(pki::BMP, b"\0b\0o\0s\0s"), Refused),
            ("BIT STRING", value(pki::BIT_STRING, b"\0boss"), Refused),
            ("a tag of another class", value(0x80 | UTF8, b"boss"), Refused),
            ("constructed UTF8String", value(0x20 | UTF8, b"\x0C\x04boss"), Refused),
            ("a letter beyond ASCII", value(UTF8, "jürgen".as_bytes()), Client("jürgen")),
            ("a quote", value(UTF8, b"a\"b"), Client("a\"b")),
            ("a slash form in the name", value(UTF8, b"x/CN=boss"), Client("x/CN=boss")),
            ("a subject in the name", value(UTF8, b"user,CN=boss"), Client("user,CN=boss")),
            ("upper case", value(UTF8, b"Boss"), Client("Boss")),
        ],
    );
}

#[test]
fn verification() {
    let verified = |verify: &str| vec![field("X-Client-Verify", verify)];
    let cert = || field("X-Client-Cert", escaped(&pem("CERTIFICATE", &user())));
    let with_verify = |verify: &str| [verified(verify), vec![cert()]].concat();
    check(
        Proxy::Nginx,
        CertHeaders::Cert,
        vec![
            ("nothing", vec![], Anonymous),
            ("no certificate", verified("NONE"), Anonymous),
            ("a certificate that was not verified", with_verify("FAILED:expired"), Anonymous),
            ("the same, as old versions say it", with_verify("FAILED"), Anonymous),
            ("no word on verification", vec![cert()], Refused),
            ("a certificate of a client without one", with_verify("NONE"), Refused),
            ("lower case", with_verify("success"), Misconfigured),
            ("a list", with_verify("SUCCESS, SUCCESS"), Misconfigured),
            ("a suffix", with_verify("SUCCESS:really"), Misconfigured),
            ("a prefix", with_verify("FAILEDSUCCESS"), Misconfigured),
            ("verified twice", and(nginx(&user()), "X-Client-Verify", "SUCCESS"), Misconfigured),
            ("verified and not", and(nginx(&user()), "X-Client-Verify", "NONE"), Misconfigured),
            ("no certificate for a verified client", verified("SUCCESS"), Misconfigured),
            ("an empty certificate", nginx_text(String::new()), Misconfigured),
            ("only a subject", and(verified("SUCCESS"), "X-Client-DN", "CN=boss"), Misconfigured),
            ("two certificates", [nginx(&user()), vec![cert()]].concat(), Misconfigured),
            (
                "a subject that agrees",
                and(nginx(&user()), "X-Client-DN", "CN=user"),
                Client("user"),
            ),
            (
                "a subject that agrees, with a comma",
                and(nginx(&comma()), "X-Client-DN", "O=evil\\,CN=boss,CN=user"),
                Client("user"),
            ),
            ("a subject that disagrees", and(nginx(&user()), "X-Client-DN", "CN=boss"), Refused),
            (
                "a subject beside an empty one",
                and(nginx(&der(&[])), "X-Client-DN", "CN=boss"),
                Refused,
            ),
            ("a subject that makes no sense", and(nginx(&user()), "X-Client-DN", "user"), Refused),
            (
                "two subjects",
                and(and(nginx(&user()), "X-Client-DN", "CN=user"), "X-Client-DN", "CN=user"),
                Misconfigured,
            ),
        ],
    );
}

#[test]
fn encodings() {
    let pem_of = |der: &[u8]| pem("CERTIFICATE", der);
    let trailing = [user(), vec![0]].concat();
    let repeated = [(pki::PP_CLI_AUTH, pki::text("false")), (pki::PP_CLI_AUTH, pki::text("true"))];
    let bad_names = [(pki::ALT_NAMES, b"\x30\x03\x82\x05a".to_vec())];
    check(
        Proxy::Nginx,
        CertHeaders::Cert,
        vec![
            (
                "an escape that is none",
                nginx_text(escaped(&pem_of(&user())).replace("%0A", "%0")),
                Misconfigured,
            ),
            (
                "two blocks of PEM",
                nginx_text(escaped(&(pem_of(&user()) + &pem_of(&boss())))),
                Misconfigured,
            ),
            (
                "text before PEM",
                nginx_text(escaped(&format!("x\n{}", pem_of(&user())))),
                Misconfigured,
            ),
            ("another label", nginx_text(escaped(&pem("PRIVATE KEY", &user()))), Misconfigured),
            (
                "a trusted certificate",
                nginx_text(escaped(&pem("TRUSTED CERTIFICATE", &user()))),
                Misconfigured,
            ),
            ("without PEM", nginx_text(BASE64.encode(&user())), Misconfigured),
            ("escaped twice", nginx_text(escaped(&escaped(&pem_of(&user())))), Misconfigured),
            ("bytes behind the certificate", nginx(&trailing), Refused),
            ("half a certificate", nginx(&user()[..100]), Refused),
            ("no certificate at all", nginx(b"boss"), Refused),
            ("an extension twice", nginx(&extended(&[&[name("user")]], &repeated)), Refused),
            (
                "alternative names that can't be read",
                nginx(&extended(&[&[name("user")]], &bad_names)),
                Refused,
            ),
        ],
    );
}

/// Fields of other servers and proxies, which nginx passes on from the client.
#[test]
fn fields_of_others() {
    let lies = |name: &'static str, value: &str| and(nginx(&der(&[])), name, value);
    check(
        Proxy::Nginx,
        CertHeaders::Cert,
        vec![
            ("a subject for Kubernetes", lies("ssl-client-subject-dn", "CN=boss"), Refused),
            (
                "the same without a certificate",
                vec![
                    field("ssl-client-subject-dn", "CN=boss"),
                    field("ssl-client-verify", "SUCCESS"),
                ],
                Refused,
            ),
            ("verification for Kubernetes", vec![field("ssl-client-verify", "SUCCESS")], Refused),
            ("Envoy", lies("X-Forwarded-Client-Cert", "Subject=\"CN=boss\""), Refused),
            (
                "Envoy, beside a good certificate",
                and(nginx(&user()), "X-Forwarded-Client-Cert", "Subject=\"CN=boss\""),
                Refused,
            ),
            ("Traefik", lies("X-Forwarded-Tls-Client-Cert", &BASE64.encode(&boss())), Refused),
            (
                "Traefik's details",
                lies("X-Forwarded-Tls-Client-Cert-Info", "Subject%3D%22CN%3Dboss%22"),
                Refused,
            ),
            (
                "a name that looks alike",
                and(nginx(&user()), "X_Client_DN", "CN=boss"),
                Client("user"),
            ),
        ],
    );
}
