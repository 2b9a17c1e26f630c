//! Answers to requests, which are those of Puppet Server 7.9.5 word for word.

use kukla_ca::{CaError, CertificateState};

use crate::scratch::Scratch;

fn refusal(result: Result<impl std::fmt::Debug, CaError>) -> String {
    let error = result.unwrap_err();
    assert!(error.is_refusal(), "{error}");
    error.to_string()
}

#[test]
fn needs_openssl_duplicates_are_refused_by_state() {
    let scratch = Scratch::new();
    let authority = scratch.authority();
    let request = scratch.request(&["CN=man1.example"], &[]);
    authority.submit("man1.example", &request).unwrap();
    let refused = |state: &str| {
        format!("man1.example already has a {state} certificate; ignoring certificate request")
    };
    assert_eq!(refusal(authority.submit("man1.example", &request)), refused("requested"));
    authority.sign("man1.example", None).unwrap();
    assert_eq!(refusal(authority.submit("man1.example", &request)), refused("signed"));
    authority.revoke(&["man1.example".to_owned()]).unwrap();
    assert_eq!(refusal(authority.submit("man1.example", &request)), refused("revoked"));
    let mut options = scratch.options();
    options.allows_duplicates = true;
    let authority = kukla_ca::Authority::open(options).unwrap();
    authority.submit("man1.example", &request).unwrap();
    authority.sign("man1.example", None).unwrap();
    assert_eq!(authority.status("man1.example").unwrap().unwrap().state, CertificateState::Signed);
}

#[test]
fn needs_openssl_signing_is_refused_with_puppet_servers_words() {
    let scratch = Scratch::new();
    let authority = scratch.authority();
    let settings = "Then restart the puppetserver and try signing this certificate again.";
    let cases = [
        (
            "subjectAltName=DNS:b.example,IP:10.1.2.3,DNS:a.example",
            format!(
                "CSR 'x.example' contains extra subject alternative names (IP:10.1.2.3, DNS:b.example, DNS:a.example), \
                 which are disallowed. To allow subject alternative names, set allow-subject-alt-names to true in your \
                 ca.conf file. {settings}"
            ),
        ),
        (
            "1.3.6.1.4.1.34380.1.3.13=ASN1:UTF8String:x",
            format!(
                "CSR 'x.example' contains an authorization extension, which is disallowed. To allow authorization \
                 extensions, set allow-authorization-extensions to true in your ca.conf file. {settings}"
            ),
        ),
        (
            "basicConstraints=CA:FALSE",
            "Found extensions that are not permitted: 2.5.29.19".to_owned(),
        ),
        (
            "keyUsage=digitalSignature\nextendedKeyUsage=serverAuth",
            "Found extensions that are not permitted: 2.5.29.15, 2.5.29.37".to_owned(),
        ),
    ];
    for (extension, expected) in cases {
        let request = scratch.request(&["CN=x.example"], &[extension]);
        authority.submit("x.example", &request).unwrap();
        assert_eq!(refusal(authority.sign("x.example", None)), expected);
        assert!(authority.delete("x.example").unwrap());
    }
}

#[test]
fn needs_openssl_states_without_a_request_or_certificate() {
    let scratch = Scratch::new();
    let authority = scratch.authority();
    let none = ["none".to_owned()];
    assert_eq!(refusal(authority.sign("none", None)), "Invalid certificate subject.");
    assert_eq!(refusal(authority.revoke(&none)), "Invalid certificate subject.");
    let request = scratch.request(&["CN=a.example"], &[]);
    authority.submit("a.example", &request).unwrap();
    let expected = "Cannot revoke certificate for host a.example without a signed certificate";
    assert_eq!(refusal(authority.revoke(&["a.example".to_owned()])), expected);
    authority.sign("a.example", None).unwrap();
    let expected = "Cannot sign certificate for host a.example without a certificate request";
    assert_eq!(refusal(authority.sign("a.example", None)), expected);
    let cleaned = authority.clean(&["a.example".to_owned(), "nope".to_owned()]).unwrap();
    assert_eq!(cleaned.missing, ["nope"]);
    assert!(authority.status("a.example").unwrap().is_none());
    assert!(!authority.delete("nope").unwrap());
}

#[test]
fn needs_openssl_allowed_names_and_extensions_are_signed() {
    let scratch = Scratch::new();
    scratch.authority();
    let mut options = scratch.options();
    (options.allows_alt_names, options.allows_authorization) = (true, true);
    let authority = kukla_ca::Authority::open(options).unwrap();
    let names = "subjectAltName=DNS:b.example,IP:10.1.2.3,IP:2001:db8::1";
    let role = "1.3.6.1.4.1.34380.1.3.13=ASN1:UTF8String:db";
    let request = scratch.request(&["CN=a.example"], &[names, role]);
    authority.submit("a.example", &request).unwrap();
    authority.sign("a.example", None).unwrap();
    let status = authority.status("a.example").unwrap().unwrap();
    let expected = ["IP:10.1.2.3", "IP:2001:db8::1", "DNS:b.example", "DNS:a.example"];
    assert_eq!(status.alt_names.texts(), expected);
    assert_eq!(status.authorization_extensions, [("pp_auth_role".to_owned(), "db".to_owned())]);
    assert_eq!(status.validity.unwrap().serial.to_string(), "2");
    // `pp_cli_auth` is never taken from a request.
    let admin = "1.3.6.1.4.1.34380.1.3.39=ASN1:UTF8String:true";
    let request = scratch.request(&["CN=b.example"], &[admin]);
    authority.submit("b.example", &request).unwrap();
    let expected = "Found extensions that are not permitted: 1.3.6.1.4.1.34380.1.3.39";
    assert_eq!(refusal(authority.sign("b.example", None)), expected);
    let many = authority.sign_many(&["b.example".to_owned(), "c.example".to_owned()]).unwrap();
    assert_eq!(
        (many.signing_errors, many.no_csr),
        (vec!["b.example".to_owned()], vec!["c.example".to_owned()])
    );
}
