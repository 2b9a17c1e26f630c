//! Requests that try to get more than a host may have; all of them need OpenSSL, which makes them.

use crate::scratch::{Scratch, openssl};

/// The expected fate of a request.
enum Fate {
    /// It is refused when it arrives, with a text that contains this.
    Refused(&'static str),
    /// It is saved, and refused when it is to be signed.
    Unsignable(&'static str),
}
use Fate::{Refused, Unsignable};

#[test]
fn needs_openssl_names_are_refused() {
    let scratch = Scratch::new();
    let authority = scratch.authority();
    let format = "Subject hostname format is invalid";
    let long = format!("{}.example", "a".repeat(240));
    // The name that is asked for, the subject, and the answer.
    let cases: Vec<(&str, Vec<&str>, &str)> = vec![
        (
            "*.example",
            vec!["CN=*.example"],
            "Subject contains a wildcard, which is not allowed: *.example",
        ),
        (
            "a.example",
            vec!["CN=*.example"],
            "Instance name \"*.example\" does not match requested key \"a.example\"",
        ),
        (
            "a.example",
            vec!["CN=b.example"],
            "Instance name \"b.example\" does not match requested key \"a.example\"",
        ),
        ("UP.example", vec!["CN=UP.example"], "Certificate names must be lower case."),
        ("up.example", vec!["CN=UP.example"], "Instance name \"UP.example\" does not match"),
        ("ä.example", vec!["CN=ä.example"], format),
        ("Ä.example", vec!["CN=Ä.example"], "Certificate names must be lower case."),
        ("a-.example", vec!["CN=a-.example"], format),
        ("-a.example", vec!["CN=-a.example"], format),
        ("a.example.", vec!["CN=a.example."], format),
        ("a..example", vec!["CN=a..example"], format),
        (".a", vec!["CN=.a"], format),
        ("..", vec!["CN=.."], format),
        (".", vec!["CN=."], format),
        ("../../etc/passwd", vec!["CN=../../etc/passwd"], format),
        ("a/b", vec!["CN=a/b"], format),
        ("a b", vec!["CN=a b"], format),
        ("a\tb", vec!["CN=a\tb"], format),
        ("a,cn=b", vec!["CN=a\\,cn=b"], format),
        ("a;b", vec!["CN=a\\;b"], format),
        ("a\u{202e}b", vec!["CN=a\u{202e}b"], format),
        ("a%00b", vec!["CN=a%00b"], format),
        ("a.example", vec!["0.CN=a.example", "1.CN=b.example"], "several common names"),
        ("a.example", vec!["0.CN=b.example", "1.CN=a.example"], "several common names"),
        ("a.example", vec!["O=Example"], "no common name"),
        ("", vec!["O=Example"], "no common name"),
        (&long, vec![&long], format),
    ];
    for (name, subject, expected) in cases {
        let request = match subject.as_slice() {
            // OpenSSL's own limit of 64 characters is lifted by giving the name on the command line.
            [only] if only.len() > 64 => continue,
            subject => scratch.request(subject, &[]),
        };
        let error = authority.submit(name, &request).unwrap_err();
        assert!(error.is_refusal() && error.to_string().contains(expected), "{name}: {error}");
    }
    assert_eq!(std::fs::read_dir(scratch.path("ca/requests")).unwrap().count(), 0);
}

#[test]
fn needs_openssl_extensions_are_refused() {
    let scratch = Scratch::new();
    scratch.authority();
    let mut options = scratch.options();
    (options.allows_alt_names, options.allows_authorization) = (true, true);
    let authority = kukla_ca::Authority::open(options).unwrap();
    let many: Vec<String> =
        (1..=70).map(|n| format!("1.3.6.1.4.1.34380.1.2.{n}=ASN1:UTF8String:x")).collect();
    let cases: Vec<(Vec<&str>, Fate)> = vec![
        (vec!["basicConstraints=critical,CA:TRUE"], Unsignable("not permitted: 2.5.29.19")),
        (vec!["keyUsage=keyCertSign"], Unsignable("not permitted: 2.5.29.15")),
        (vec!["extendedKeyUsage=codeSigning"], Unsignable("not permitted: 2.5.29.37")),
        (vec!["subjectKeyIdentifier=hash"], Unsignable("not permitted: 2.5.29.14")),
        (vec!["nameConstraints=permitted;DNS:x"], Unsignable("not permitted: 2.5.29.30")),
        (vec!["crlDistributionPoints=URI:http://x/"], Unsignable("not permitted: 2.5.29.31")),
        (
            vec!["authorityInfoAccess=OCSP;URI:http://x/"],
            Unsignable("not permitted: 1.3.6.1.5.5.7.1.1"),
        ),
        (vec!["nsComment=x"], Unsignable("not permitted: 2.16.840.1.113730.1.13")),
        (
            vec!["1.3.6.1.4.1.34380.1.3.39=ASN1:UTF8String:true"],
            Unsignable("not permitted: 1.3.6.1.4.1.34380.1.3.39"),
        ),
        // Beside Puppet's own, and their parents themselves.
        (
            vec!["1.3.6.1.4.1.34380.1.1=ASN1:UTF8String:x"],
            Unsignable("not permitted: 1.3.6.1.4.1.34380.1.1"),
        ),
        (vec!["1.3.6.1.4.1.34380.1.11.1=ASN1:UTF8String:x"], Unsignable("not permitted")),
        (vec!["1.3.6.1.4.1.34380.1.4.1=ASN1:UTF8String:x"], Unsignable("not permitted")),
        (vec!["1.3.6.1.4.1.34381.1.1.1=ASN1:UTF8String:x"], Unsignable("not permitted")),
        (vec!["subjectAltName=DNS:*.example"], Unsignable("wildcard")),
        (vec!["subjectAltName=DNS:a b"], Unsignable("no host name")),
        (vec!["subjectAltName=email:a@b.example"], Unsignable("Only DNS and IP names")),
        (vec!["subjectAltName=URI:http://x/"], Unsignable("Only DNS and IP names")),
        (vec!["subjectAltName=otherName:1.2.3.4;UTF8:x"], Unsignable("Only DNS and IP names")),
        (vec!["subjectAltName=RID:1.2.3.4"], Unsignable("Only DNS and IP names")),
        (vec!["subjectAltName=DER:04030102"], Unsignable("can't be read")),
        // An embedded zero byte in a DNS name: SEQUENCE { [2] "a\0b" }.
        (vec!["subjectAltName=DER:30058203610062"], Unsignable("no host name")),
        // An address of five bytes.
        (vec!["subjectAltName=DER:300787050102030405"], Unsignable("neither 4 nor 16")),
        (vec!["1.3.6.1.4.1.34380.1.1.13=ASN1:UTF8String:a\\nb"], Unsignable("no text")),
        (vec!["1.3.6.1.4.1.34380.1.1.13=ASN1:INTEGER:5"], Unsignable("no text")),
        (vec!["1.3.6.1.4.1.34380.1.1.13=DER:0c02ff00"], Unsignable("no text")),
        (vec!["1.3.6.1.4.1.34380.1.1.13=DER:ff"], Unsignable("no text")),
        (many.iter().map(String::as_str).collect(), Refused("more than 64 extensions")),
    ];
    for (extensions, fate) in cases {
        let request = scratch.request(&["CN=a.example"], &extensions);
        let submitted = authority.submit("a.example", &request);
        let (error, expected) = match fate {
            Refused(expected) => (submitted.unwrap_err(), expected),
            Unsignable(expected) => {
                submitted.unwrap();
                let error = authority.sign("a.example", None).unwrap_err();
                authority.delete("a.example").unwrap();
                (error, expected)
            }
        };
        assert!(
            error.is_refusal() && error.to_string().contains(expected),
            "{extensions:?}: {error}"
        );
    }
    assert_eq!(
        scratch.read("ca/serial"),
        "0002",
        "no number is taken for a request that is refused"
    );
}

#[test]
fn needs_openssl_keys_and_encodings_are_refused() {
    let scratch = Scratch::new();
    let authority = scratch.authority();
    let subject = ["CN=a.example"];
    let rsa = |bits: &str| {
        [
            "-algorithm".to_owned(),
            "RSA".to_owned(),
            "-pkeyopt".to_owned(),
            format!("rsa_keygen_bits:{bits}"),
        ]
    };
    let mut requests: Vec<(Vec<u8>, &str)> = Vec::new();
    for bits in ["512", "1024", "2047"] {
        let options = rsa(bits);
        let key = scratch.key(bits, &options.each_ref().map(String::as_str));
        requests.push((scratch.request_with(&key, &subject, &[], &[]), "its key is neither"));
    }
    let key = scratch.key("ed", &["-algorithm", "ED25519"]);
    requests.push((scratch.request_with(&key, &subject, &[], &[]), "its key is neither"));
    let key = scratch.key("k1", &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp256k1"]);
    requests.push((scratch.request_with(&key, &subject, &[], &[]), "its key is neither"));
    let good = String::from_utf8(scratch.request(&subject, &[])).unwrap();
    let der = openssl(&[
        "req",
        "-in",
        scratch.write("good.csr", &good).to_str().unwrap(),
        "-outform",
        "DER",
    ]);
    for (bytes, expected) in [
        (Vec::new(), "no PEM section"),
        (b"garbage".to_vec(), "no PEM section"),
        (vec![0xff; 100], "no PEM section"),
        (der, "no PEM section"),
        (good.replace("CERTIFICATE REQUEST", "CERTIFICATE").into_bytes(), "no PEM section"),
        (good.repeat(2).into_bytes(), "several requests"),
        (good.replacen("MII", "!!!", 1).into_bytes(), "not PEM"),
        (good.replacen('\n', "\nAAAA", 1).into_bytes(), "not a PKCS#10"),
        (good.replace("-----END CERTIFICATE REQUEST-----", "").into_bytes(), "not PEM"),
        ((good.clone() + &"x".repeat(70_000)).into_bytes(), "larger than 64 KB"),
    ] {
        requests.push((bytes, expected));
    }
    for (request, expected) in requests {
        let error = authority.submit("a.example", &request).unwrap_err();
        let is_expected = error.is_refusal() && error.to_string().contains(expected);
        assert!(is_expected, "{expected}: {error}\n{}", String::from_utf8_lossy(&request));
    }
    assert_eq!(std::fs::read_dir(scratch.path("ca/requests")).unwrap().count(), 0);
}

#[test]
fn needs_openssl_signatures_are_checked() {
    let scratch = Scratch::new();
    let authority = scratch.authority();
    let key = scratch.key("rsa.pem", &["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]);
    let expected = "CSR contains a public key that does not correspond to the signing key";
    // SHA-1 is not a signature any more.
    let weak = scratch.request_with(&key, &["CN=a.example"], &[], &["-sha1"]);
    let good = scratch.request(&["CN=a.example"], &[]);
    let path = scratch.write("good.csr", &String::from_utf8(good).unwrap());
    let mut der = openssl(&["req", "-in", path.to_str().unwrap(), "-outform", "DER"]);
    *der.last_mut().unwrap() ^= 1;
    std::fs::write(scratch.path("bad.der"), &der).unwrap();
    let bad = scratch.path("bad.der");
    let base64 = openssl(&["base64", "-in", bad.to_str().unwrap()]);
    let base64 = String::from_utf8(base64).unwrap();
    let changed =
        format!("-----BEGIN CERTIFICATE REQUEST-----\n{base64}-----END CERTIFICATE REQUEST-----\n");
    for request in [weak, changed.into_bytes()] {
        authority.submit("a.example", &request).unwrap();
        assert_eq!(authority.sign("a.example", None).unwrap_err().to_string(), expected);
        authority.delete("a.example").unwrap();
    }
}

#[test]
fn names_of_files_stay_in_their_directory() {
    let scratch = Scratch::new();
    let authority = scratch.authority();
    std::fs::write(scratch.path("secret.pem"), "x").unwrap();
    for name in [
        "../../secret",
        "../ca_key",
        "..",
        ".",
        "",
        "a/../../ca_key",
        "/etc/passwd",
        "a\0",
        "\\..\\x",
        "ca_key\n",
    ] {
        assert!(authority.certificate(name).unwrap().is_none(), "{name:?}");
        assert!(authority.request(name).unwrap().is_none(), "{name:?}");
        assert!(authority.status(name).unwrap().is_none(), "{name:?}");
        assert!(!authority.delete(name).unwrap(), "{name:?}");
        assert!(
            authority.sign(name, None).is_err() && authority.revoke(&[name.to_owned()]).is_err()
        );
    }
    assert!(scratch.path("ca/ca_key.pem").exists());
}

#[test]
fn noise_is_no_request() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..2000 {
        let length = usize::try_from(random() % 400).unwrap();
        let bytes: Vec<u8> = (0..length).map(|_| random().to_le_bytes()[0]).collect();
        let base64 = data_encoding::BASE64.encode(&bytes);
        let text = format!(
            "-----BEGIN CERTIFICATE REQUEST-----\n{base64}\n-----END CERTIFICATE REQUEST-----\n"
        );
        assert!(kukla_ca::CertificateRequest::parse(text.as_bytes()).is_err());
    }
}
