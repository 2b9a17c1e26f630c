//! Subjects as text, as nginx passes them on.

use kukla_server::forwarded::{CertHeaders, Proxy};

use super::Treatment::{Client, Misconfigured, Refused};
use super::{Fields, and, check, field, user};
use crate::pki::{escaped, pem};

fn dn(dn: &str) -> Fields {
    vec![field("X-Client-Verify", "SUCCESS"), field("X-Client-DN", dn)]
}

#[test]
fn subjects_with_one_name() {
    check(
        Proxy::Nginx,
        CertHeaders::Dn,
        vec![
            ("one name", dn("CN=user"), Client("user")),
            ("lower case", dn("cn=user,o=x"), Client("user")),
            ("by OID", dn("2.5.4.3=user"), Client("user")),
            ("an escaped comma", dn("O=evil\\,CN=boss,CN=user"), Client("user")),
            ("an escaped comma behind", dn("CN=user,O=evil\\,CN=boss"), Client("user")),
            ("a comma in hexadecimal", dn("O=evil\\2CCN=boss,CN=user"), Client("user")),
            ("an escaped plus sign", dn("O=evil\\+CN=boss,CN=user"), Client("user")),
            ("an escaped backslash", dn("O=evil\\\\,CN=user"), Client("user")),
            ("an escaped backslash and comma", dn("O=evil\\\\\\,CN=boss,CN=user"), Client("user")),
            ("an equals sign", dn("O=CN=boss,CN=user"), Client("user")),
            ("two attributes in an RDN", dn("OU=x+CN=user,O=y"), Client("user")),
            ("letters in hexadecimal", dn("CN=j\\C3\\BCrgen"), Client("jürgen")),
            ("an encoded value", dn("CN=#0C0475736572"), Client("user")),
            (
                "an encoded value of another attribute",
                dn("1.2.3=#0304626F7373,CN=user"),
                Client("user"),
            ),
        ],
    );
}

#[test]
fn subjects_without_a_clear_name() {
    check(
        Proxy::Nginx,
        CertHeaders::Dn,
        vec![
            ("two names", dn("CN=boss,CN=user"), Refused),
            ("two names in one RDN", dn("CN=user+CN=boss"), Refused),
            ("a name and an OID", dn("CN=user,2.5.4.3=boss"), Refused),
            ("a name and an OID, as RFC 1779 has it", dn("OID.2.5.4.3=boss,CN=user"), Refused),
            ("a name and its long word", dn("commonName=boss,CN=user"), Refused),
            ("a name with a colon's twin", dn("CN=boss;CN=user"), Refused),
            ("a blank behind the comma", dn("CN=user, CN=boss"), Refused),
            ("an RDN without a type", dn("CN=user,O=Example, Inc"), Refused),
            ("slashes", dn("/O=x/CN=boss"), Refused),
            ("quotes", dn("CN=\"boss\""), Refused),
            ("quotes around a comma", dn("O=\"x,CN=user\",CN=boss"), Refused),
            ("brackets", dn("<CN=boss>"), Refused),
            ("a type with a blank", dn("CN =boss"), Refused),
            ("a value with a blank in front", dn("CN= boss"), Refused),
            ("a value with a blank behind", dn("CN=boss ,O=x"), Refused),
            ("an escape at the end", dn("CN=boss\\"), Refused),
            ("half an escape", dn("CN=boss\\4"), Refused),
            ("an escape that is none", dn("CN=bo\\zzs"), Refused),
            ("no UTF-8", dn("CN=bo\\FFss"), Refused),
            ("NUL", dn("CN=boss\\00"), Refused),
            ("a line break", dn("CN=boss\\0AX-Name: boss"), Refused),
            ("an empty name", dn("CN="), Refused),
            ("an empty name among others", dn("O=x,CN=,OU=y"), Refused),
            ("no name", dn("O=boss"), Refused),
        ],
    );
}

#[test]
fn subjects_and_fields_that_make_no_sense() {
    check(
        Proxy::Nginx,
        CertHeaders::Dn,
        vec![
            ("no type", dn("boss"), Refused),
            ("an empty type", dn("=boss"), Refused),
            ("a separator in front", dn(",CN=boss"), Refused),
            ("a separator at the end", dn("CN=boss,"), Refused),
            ("a plus sign at the end", dn("CN=boss+"), Refused),
            ("an encoded BIT STRING", dn("CN=#0305626F7373"), Refused),
            ("an encoded value that is too short", dn("CN=#0C05626F7373"), Refused),
            ("an encoded value with more behind it", dn("CN=#0C0475736572FF"), Refused),
            ("an encoded value that is not hexadecimal", dn("CN=#0Cxx"), Refused),
            ("half a digit", dn("CN=#0C0"), Refused),
            ("an encoded value without digits", dn("CN=#"), Refused),
            (
                "an empty subject, which nginx drops",
                vec![field("X-Client-Verify", "SUCCESS")],
                Refused,
            ),
            ("an empty subject", dn(""), Refused),
            ("two subjects", and(dn("CN=user"), "X-Client-DN", "CN=boss"), Misconfigured),
            (
                "a subject of a client without a certificate",
                vec![field("X-Client-Verify", "NONE"), field("X-Client-DN", "CN=boss")],
                Refused,
            ),
            ("a subject alone", vec![field("X-Client-DN", "CN=boss")], Refused),
            (
                "the client's own certificate",
                and(dn("CN=user"), "X-Client-Cert", &escaped(&pem("CERTIFICATE", &user()))),
                Refused,
            ),
            (
                "the client's own field, for an empty subject",
                vec![
                    field("X-Client-Verify", "SUCCESS"),
                    field("ssl-client-subject-dn", "CN=boss"),
                ],
                Refused,
            ),
        ],
    );
}
