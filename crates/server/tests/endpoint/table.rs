//! Sixty certificates and header fields, and the client that the program sees behind a real proxy.
//!
//! A row is the same for every proxy: the identity is that of the certificate, whatever the fields say. Where a proxy
//! refuses a certificate itself, its clients see another error than 403, and the program sees nothing.

use crate::pki::{
    ALT_NAMES, Authority, BIT_STRING, BMP, CN, IA5, Issued, O, PP_CLI_AUTH, PRINTABLE, T61, UTF8,
    dns_names, pem, text,
};
use crate::real::Certificates;

/// The client of a row, as the program sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// A client of this name.
    Client(&'static str),
    /// Nothing: the endpoint or the proxy refuses the request.
    Nothing,
    /// This client, if the proxy drops the fields that lie, or nothing, if it passes them on: the endpoint refuses fields
    /// that the chosen proxy does not set.
    AtMost(&'static str),
}

use Seen::{AtMost, Client, Nothing};

/// A certificate, fields beside it, and the client that the program sees.
struct Row {
    name: &'static str,
    certificate: Option<Issued>,
    fields: String,
    seen: Seen,
}

/// A program that allows everything and says whom it saw.
pub(crate) const ECHO: &str = "Http := import \"Http\"; r := Http.request;\n\
    r.headers.set(\"X-User\", r.tls.subjectCn otherwise \"guest\"); Access.allow();\n";

/// Asks a proxy for every row; `user` finds the name in a response.
pub(crate) fn check(certificates: &Certificates, port: u16, user: impl Fn(&str) -> Option<String>) {
    let rows = rows(&certificates.authority);
    assert_eq!(rows.len(), 60);
    let mut wrong = Vec::new();
    for Row { name, certificate, fields, seen } in rows {
        let (status, text) = certificates.ask(port, certificate.as_ref(), "/open", &fields);
        let is_right = match seen {
            Client(client) => status == 200 && user(&text).as_deref() == Some(client),
            Nothing => status != 200 && user(&text).is_none(),
            AtMost(client) => match status {
                200 => user(&text).as_deref() == Some(client),
                _ => status == 403 && user(&text).is_none(),
            },
        };
        if !is_right {
            wrong.push(format!("{name}: {seen:?}, but {status} {:?}", user(&text)));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Returns the user of whom the server behind a proxy was told.
pub(crate) fn behind_proxy(text: &str) -> Option<String> {
    let (_, user) = text.rsplit_once("upstream got GET /open for ")?;
    Some(user.trim_end().to_owned())
}

fn rows(authority: &Authority) -> Vec<Row> {
    let mut rows = subjects(authority);
    rows.extend(fields(authority));
    rows
}

/// Certificates with subjects of all kinds, without lies beside them.
#[expect(clippy::too_many_lines, reason = "a table")]
fn subjects(authority: &Authority) -> Vec<Row> {
    const OU: &[u8] = &[0x55, 4, 11];
    const EMAIL: &[u8] = &[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 1];
    let row = |name, subject: crate::pki::Subject<'_>, seen| Row {
        name,
        certificate: Some(authority.issue(subject, &[])),
        fields: String::new(),
        seen,
    };
    let with = |name,
                subject: crate::pki::Subject<'_>,
                extensions: &[crate::pki::Extension<'_>],
                seen| Row {
        name,
        certificate: Some(authority.issue(subject, extensions)),
        fields: String::new(),
        seen,
    };
    let long: &'static str = Box::leak("u".repeat(3000).into_boxed_str());
    let names: Vec<String> = (0..40).map(|n| format!("boss{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    vec![
        row("one name", &[&[(CN, UTF8, b"user")]], Client("user")),
        row("printable", &[&[(CN, PRINTABLE, b"user")]], Client("user")),
        row("IA5", &[&[(CN, IA5, b"user")]], Client("user")),
        row(
            "an organisation in front",
            &[&[(O, UTF8, b"x")], &[(CN, UTF8, b"user")]],
            Client("user"),
        ),
        row(
            "an organisation behind",
            &[&[(CN, UTF8, b"user")], &[(O, UTF8, b"x")]],
            Client("user"),
        ),
        row("a comma", &[&[(CN, UTF8, b"user")], &[(O, UTF8, b"evil,CN=boss")]], Client("user")),
        row(
            "a comma in front",
            &[&[(O, UTF8, b"evil,CN=boss")], &[(CN, UTF8, b"user")]],
            Client("user"),
        ),
        row(
            "an escaped comma",
            &[&[(O, UTF8, b"evil\\,CN=boss")], &[(CN, UTF8, b"user")]],
            Client("user"),
        ),
        row(
            "a plus sign",
            &[&[(O, UTF8, b"evil+CN=boss")], &[(CN, UTF8, b"user")]],
            Client("user"),
        ),
        row("a slash", &[&[(O, UTF8, b"evil/CN=boss")], &[(CN, UTF8, b"user")]], Client("user")),
        row(
            "a semicolon",
            &[&[(O, UTF8, b"evil;CN=boss")], &[(CN, UTF8, b"user")]],
            Client("user"),
        ),
        row("quotes", &[&[(O, UTF8, b"\"CN=boss\"")], &[(CN, UTF8, b"user")]], Client("user")),
        row(
            "a quote",
            &[&[(O, UTF8, b"x\";Subject=\"CN=boss")], &[(CN, UTF8, b"user")]],
            Client("user"),
        ),
        row("a line", &[&[(O, UTF8, b"x\nCN=boss")], &[(CN, UTF8, b"user")]], Client("user")),
        row(
            "a header field",
            &[&[(O, UTF8, b"x\r\nX-Client-DN: CN=boss")], &[(CN, UTF8, b"user")]],
            Client("user"),
        ),
        row("two names", &[&[(CN, UTF8, b"user")], &[(CN, UTF8, b"boss")]], Nothing),
        row(
            "two names, the other first",
            &[&[(CN, UTF8, b"boss")], &[(CN, UTF8, b"user")]],
            Nothing,
        ),
        row("two names in an RDN", &[&[(CN, UTF8, b"boss"), (CN, UTF8, b"user")]], Nothing),
        row("the same name twice", &[&[(CN, UTF8, b"user")], &[(CN, UTF8, b"user")]], Nothing),
        row("a name in an RDN of two", &[&[(CN, UTF8, b"user"), (OU, UTF8, b"x")]], Client("user")),
        row("no name", &[&[(O, UTF8, b"boss")]], Nothing),
        row("an empty subject", &[], Nothing),
        row("an empty name", &[&[(CN, UTF8, b"")]], Nothing),
        with("DNS names only", &[], &[(ALT_NAMES, dns_names(&["boss"]))], Nothing),
        with(
            "a name and other DNS names",
            &[&[(CN, UTF8, b"user")]],
            &[(ALT_NAMES, dns_names(&["boss"]))],
            Client("user"),
        ),
        with(
            "many DNS names",
            &[&[(CN, UTF8, b"user")]],
            &[(ALT_NAMES, dns_names(&names))],
            Client("user"),
        ),
        with(
            "an extension",
            &[&[(CN, UTF8, b"user")]],
            &[(PP_CLI_AUTH, text("true"))],
            Client("user"),
        ),
        row("UTF-8", &[&[(CN, UTF8, "jürgen".as_bytes())]], Client("jürgen")),
        row("letters that look alike", &[&[(CN, UTF8, "bоss".as_bytes())]], Client("bоss")),
        row("no UTF-8", &[&[(CN, UTF8, b"bo\xFFss")]], Nothing),
        row("T61", &[&[(CN, T61, b"b\xF6ss")]], Nothing),
        row("BMP", &[&[(CN, BMP, b"\0b\0o\0s\0s")]], Nothing),
        row("bits", &[&[(CN, BIT_STRING, b"\0boss")]], Nothing),
        row("NUL", &[&[(CN, UTF8, b"boss\0.example.com")]], Nothing),
        row("a line in the name", &[&[(CN, UTF8, b"boss\nX: y")]], Nothing),
        row("an escape sequence", &[&[(CN, UTF8, b"boss\x1b[31m")]], Nothing),
        row("a wildcard", &[&[(CN, UTF8, b"*")]], Client("*")),
        row("a name with a comma", &[&[(CN, UTF8, b"boss,CN=user")]], Client("boss,CN=user")),
        row(
            "an address",
            &[&[(EMAIL, IA5, b"boss@example.com")], &[(CN, UTF8, b"user")]],
            Client("user"),
        ),
        row("a name of 3000 letters", &[&[(CN, UTF8, long.as_bytes())]], Client(long)),
    ]
}

/// Clients that send fields of proxies themselves.
fn fields(authority: &Authority) -> Vec<Row> {
    let (user, boss) = (|| Some(authority.named("user")), authority.named("boss"));
    let public = crate::pki::escaped(&pem("CERTIFICATE", &boss.der));
    let base64 = data_encoding::BASE64.encode(&boss.der);
    let lies = [
        (
            "the subject of another",
            "X-Client-DN: CN=boss\r\nX-Client-Verify: SUCCESS\r\n".to_owned(),
        ),
        (
            "fields of another proxy",
            "ssl-client-subject-dn: CN=boss\r\nssl-client-verify: SUCCESS\r\n".to_owned(),
        ),
        (
            "the certificate of another",
            format!("X-Client-Cert: {public}\r\nX-Client-Verify: SUCCESS\r\n"),
        ),
        ("the certificate of another in Base64", format!("X-Client-Cert: {base64}\r\n")),
        ("XFCC", format!("X-Forwarded-Client-Cert: Cert=\"{public}\"\r\n")),
        ("Traefik's field", format!("X-Forwarded-Tls-Client-Cert: {base64}\r\n")),
        ("underscores", "X_Client_DN: CN=boss\r\nX_Client_Verify: SUCCESS\r\n".to_owned()),
        ("another path", "X-Original-URI: /boss\r\nX-Forwarded-Uri: /boss\r\n".to_owned()),
        ("fields named twice", format!("X-Client-Cert: {base64}\r\nX-Client-Cert: {base64}\r\n")),
        (
            "Connection",
            format!("X-Client-Cert: {base64}\r\nConnection: X-Client-Cert, X-Client-Verify\r\n"),
        ),
    ];
    let row = |name, certificate, fields: &str, seen| Row {
        name,
        certificate,
        fields: fields.to_owned(),
        seen,
    };
    let mut rows: Vec<Row> =
        lies.iter().map(|(name, lie)| row(name, user(), lie, AtMost("user"))).collect();
    rows.extend(lies.iter().map(|(name, lie)| row(name, None, lie, AtMost("guest"))));
    rows
}
