//! Certificates and requests for certificates that the table names.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::LazyLock;

use rcgen::{
    CertificateParams, CustomExtension, ExtendedKeyUsagePurpose, KeyPair, SanType, date_time_ymd,
};

use crate::pki::{Pair, Pki, named, puppet};

const WEAK: &str = include_str!("weak.pem");
const CLI: &[u64] = &[3, 39];

/// Returns the certificates by the names that the table has for them.
pub(super) fn clients(pki: &Pki, agent: &Pair, admin: &Pair) -> BTreeMap<&'static str, Pair> {
    let mut all = BTreeMap::from([("agent", agent.clone()), ("admin", admin.clone())]);
    let mut serial = 100;
    let mut next = || {
        serial += 1;
        serial
    };
    let names: [(&str, &[&str]); 17] = [
        ("two-names", &["agent.example", "admin.example"]),
        ("no-name", &[]),
        ("empty-name", &[""]),
        ("zero", &["agent.example\0.evil"]),
        ("wildcard", &["*.example"]),
        ("star", &["*"]),
        ("regex", &["/agent.*/"]),
        ("dollar", &["$1"]),
        ("dotted", &["agent.example."]),
        ("blank", &["agent.example "]),
        ("newline", &["agent.example\n"]),
        ("slash", &["agent.example/x"]),
        ("unicode", &["\u{430}gent.example"]),
        ("upper", &["AGENT.EXAMPLE"]),
        ("revoked", &["agent.example"]),
        ("long", &["a.very.long.name.that.is.not.agent.example"]),
        ("up", &["..%2fagent.example"]),
    ];
    for (name, common) in names {
        all.insert(name, pki.sign(next(), common, &[]));
    }
    type Extensions = &'static [(&'static [u64], &'static str)];
    let extensions: [(&str, Extensions); 7] = [
        ("cli", &[(CLI, "true")]),
        ("cli-false", &[(CLI, "false")]),
        ("cli-upper", &[(CLI, "TRUE")]),
        ("cli-blank", &[(CLI, "true ")]),
        ("cli-zero", &[(CLI, "true\0")]),
        ("cli-other-arc", &[(&[1, 39], "true")]),
        ("cli-twice", &[(CLI, "false"), (CLI, "true")]),
    ];
    for (name, extensions) in extensions {
        all.insert(name, pki.sign(next(), &["cli.example"], extensions));
    }
    let own = &["agent.example"];
    all.insert("other-with-alternative", {
        let name = SanType::DnsName("agent.example".try_into().expect("a name"));
        pki.sign_with(next(), &["web.example"], |params| params.subject_alt_names.push(name))
    });
    all.insert("organisation", {
        pki.sign_with(next(), &[], |params| {
            params.distinguished_name.push(rcgen::DnType::OrganizationName, "agent.example");
        })
    });
    all.insert(
        "expired",
        pki.sign_with(next(), own, |params| {
            params.not_before = date_time_ymd(2000, 1, 1);
            params.not_after = date_time_ymd(2001, 1, 1);
        }),
    );
    let future = |params: &mut CertificateParams| params.not_before = date_time_ymd(2090, 1, 1);
    all.insert("future", pki.sign_with(next(), own, future));
    let server = |params: &mut CertificateParams| {
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    };
    all.insert("server-only", pki.sign_with(next(), own, server));
    all.insert("foreign", Pki::new("Test CA").sign(2, own, &[]));
    all.insert("self-signed", Pki::new("agent.example").sign(2, own, &[]));
    all.insert("below-agent", pki.sign_below(next(), "agent.example"));
    all
}

/// Returns a body; `@csr NAME KIND` is a request for a certificate, and `@bomb` ten megabytes in ten kilobytes.
pub(super) fn body(text: &[u8]) -> Vec<u8> {
    if text == b"@bomb" {
        static BOMB: LazyLock<Vec<u8>> = LazyLock::new(bomb);
        return BOMB.clone();
    }
    let Some(rest) = text.strip_prefix(b"@csr ") else { return text.to_owned() };
    let rest = std::str::from_utf8(rest).expect("UTF-8");
    // The kind is one word that has no dot.
    match rest.rsplit_once(' ') {
        Some((name, kind)) if name.ends_with(".example") && !kind.contains('.') => {
            request(name, kind)
        }
        _ => request(rest, ""),
    }
}

fn bomb() -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&vec![b'0'; 10 << 20]).expect("written");
    encoder.finish().expect("gzip")
}

/// Returns a request for a certificate in PEM.
fn request(name: &str, kind: &str) -> Vec<u8> {
    if kind == "weak" {
        return WEAK.as_bytes().to_owned();
    }
    let mut params = CertificateParams::default();
    params.distinguished_name = match kind {
        "two-names" => named(&[name, "admin.example"]),
        "no-name" => named(&[]),
        _ => named(&[name]),
    };
    let raw = |oid: &[u64], der: &[u8]| CustomExtension::from_oid_content(oid, der.to_owned());
    let dns = |name: &str| SanType::DnsName(name.try_into().expect("a name"));
    match kind {
        "authority" => {
            let authority = raw(&[2, 5, 29, 19], &[0x30, 3, 1, 1, 0xff]);
            params.custom_extensions.push(authority);
        }
        "key-usage" => params.custom_extensions.push(raw(&[2, 5, 29, 15], &[3, 2, 2, 4])),
        "code-signing" => {
            params.extended_key_usages = vec![ExtendedKeyUsagePurpose::CodeSigning];
        }
        "pp_cli_auth" => params.custom_extensions.push(puppet(CLI, "true")),
        "pp_authorization" => params.custom_extensions.push(puppet(&[3, 1], "admin")),
        "doubled" => {
            params.custom_extensions.extend([puppet(&[1, 13], "web"), puppet(&[1, 13], "database")])
        }
        "other-arc" => params.custom_extensions.push(puppet(&[4, 1], "x")),
        "alternative" => params.subject_alt_names.push(dns("admin.example")),
        "wildcard" => params.subject_alt_names.push(dns("*.example")),
        _ => (),
    }
    let key = KeyPair::generate().expect("a key");
    let request = params.serialize_request(&key).expect("a request");
    let mut der = request.der().to_vec();
    match kind {
        "forged" => {
            let last = der.len() - 5;
            der[last] ^= 1;
        }
        "trailing" => der.push(0),
        _ => (),
    }
    let text = data_encoding::BASE64.encode(&der);
    format!("-----BEGIN CERTIFICATE REQUEST-----\n{text}\n-----END CERTIFICATE REQUEST-----\n")
        .into()
}
