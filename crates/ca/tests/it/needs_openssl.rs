//! OpenSSL reads and verifies everything that the authority writes.

use std::time::Duration;

use kukla_ca::{AltNames, Authority, CertificateState, HostFiles, HostIdentity, Import};

use crate::scratch::{Scratch, openssl, text};

/// The extensions of a certificate that Puppet Server 7.9.5 signed for the same request, by `openssl x509 -text`;
/// identifiers of keys are left out.
const AGENT: &str = "            X509v3 Subject Alternative Name: 
                DNS:ext.auto.example
            Netscape Comment: 
                Puppet Server Internal Certificate
            X509v3 Authority Key Identifier: 
                keyid:ID
                DirName:/CN=Puppet CA: server.example
                serial:01
            X509v3 Subject Key Identifier: 
                ID
            1.3.6.1.4.1.34380.1.1.13: 
                ..web
            1.3.6.1.4.1.34380.1.2.7: 
                ..x
            X509v3 Basic Constraints: critical
                CA:FALSE
            X509v3 Extended Key Usage: critical
                TLS Web Server Authentication, TLS Web Client Authentication
            X509v3 Key Usage: critical
                Digital Signature, Key Encipherment
";

/// The extensions of the certificate of Puppet Server 7.9.5 itself.
const SERVER: &str = "            Netscape Comment: 
                Puppet Server Internal Certificate
            X509v3 Authority Key Identifier: 
                keyid:ID
                DirName:/CN=Puppet CA: server.example
                serial:01
            X509v3 Subject Key Identifier: 
                ID
            1.3.6.1.4.1.34380.1.3.39: 
                ..true
            X509v3 Subject Alternative Name: 
                DNS:puppet, DNS:alt.example, DNS:server.example
            X509v3 Basic Constraints: critical
                CA:FALSE
            X509v3 Extended Key Usage: critical
                TLS Web Server Authentication, TLS Web Client Authentication
            X509v3 Key Usage: critical
                Digital Signature, Key Encipherment
";

/// The extensions of the self-signed CA of Puppet Server 7.9.5.
const AUTHORITY: &str = "            Netscape Comment: 
                Puppet Server Internal Certificate
            X509v3 Authority Key Identifier: 
                ID
            X509v3 Subject Key Identifier: 
                ID
            X509v3 Basic Constraints: critical
                CA:TRUE
            X509v3 Key Usage: critical
                Certificate Sign, CRL Sign
";

/// Returns the extensions of a certificate without identifiers of keys.
fn extensions(scratch: &Scratch, path: &str) -> String {
    let path = scratch.path(path);
    let options = "no_pubkey,no_sigdump,no_header,no_version,no_serial,no_signame,no_validity,no_subject,no_issuer";
    let arguments = ["x509", "-in", path.to_str().unwrap(), "-noout", "-text", "-certopt", options];
    let shown = text(openssl(&arguments));
    let lines = shown.lines().filter(|line| !line.trim_end().ends_with("X509v3 extensions:"));
    let is_id =
        |word: &str| word.len() == 59 && word.chars().all(|c| c == ':' || c.is_ascii_hexdigit());
    let lines = lines.map(|line| {
        let start = line.len() - line.trim_start().len();
        let word = line.trim().trim_start_matches("keyid:");
        match is_id(word) {
            true => format!("{}{}\n", &line[..start], line.trim().replace(word, "ID")),
            false => format!("{line}\n"),
        }
    });
    lines.collect()
}

/// Returns OpenSSL's verdict on a certificate with CRLs of the whole chain.
fn verify(scratch: &Scratch, certificate: &str) -> String {
    let path = |name: &str| scratch.path(name).to_str().unwrap().to_owned();
    let (ca, crl, certificate) = (path("ca/ca_crt.pem"), path("ca/ca_crl.pem"), path(certificate));
    let mut command = std::process::Command::new("openssl");
    command.args(["verify", "-x509_strict", "-crl_check_all", "-CAfile", &ca, "-CRLfile", &crl]);
    let output = command.arg(&certificate).output().unwrap();
    let all = [output.stdout, output.stderr].concat();
    String::from_utf8(all).unwrap().replace(&certificate, "CERT")
}

#[test]
fn certificates_are_those_of_puppet_server() {
    let scratch = Scratch::new();
    let authority = scratch.authority();
    let role = "1.3.6.1.4.1.34380.1.1.13=ASN1:UTF8String:web";
    let own = "1.3.6.1.4.1.34380.1.2.7=ASN1:UTF8String:x";
    let wanted = [role, own, "subjectAltName=DNS:ext.auto.example"];
    let request = scratch.request(&["CN=ext.auto.example"], &wanted);
    assert!(!authority.submit("ext.auto.example", &request).unwrap().is_signed);
    authority.sign("ext.auto.example", None).unwrap();
    assert_eq!(extensions(&scratch, "ca/signed/ext.auto.example.pem"), AGENT);
    assert_eq!(extensions(&scratch, "ca/ca_crt.pem"), AUTHORITY);
    assert_eq!(verify(&scratch, "ca/signed/ext.auto.example.pem"), "CERT: OK\n");

    let host = host("server.example", "puppet,alt.example");
    let files = HostFiles::below(&scratch.path("ssl"), "server.example");
    assert!(authority.server_certificate(&host, &files).unwrap());
    assert!(!authority.server_certificate(&host, &files).unwrap());
    assert_eq!(extensions(&scratch, "ssl/certs/server.example.pem"), SERVER);
    assert_eq!(verify(&scratch, "ssl/certs/server.example.pem"), "CERT: OK\n");
    let key = scratch.read("ssl/private_keys/server.example.pem");
    assert!(key.starts_with("-----BEGIN RSA PRIVATE KEY-----\n"), "{key}");
}

fn host(name: &str, alt_names: &str) -> HostIdentity {
    let alt_names = AltNames::parse(alt_names).unwrap();
    HostIdentity {
        name: name.to_owned(),
        alt_names,
        key_length: 2048,
        lifetime: None,
        extensions: Vec::new(),
    }
}

#[test]
fn dates_and_serials_are_those_of_puppet_server() {
    let scratch = Scratch::new();
    let authority = scratch.authority();
    let request = scratch.request(&["CN=a.example"], &[]);
    authority.submit("a.example", &request).unwrap();
    authority.sign("a.example", Some(Duration::from_secs(3600))).unwrap();
    let path = scratch.path("ca/signed/a.example.pem");
    let path = path.to_str().unwrap();
    // Valid since yesterday, for an hour from now.
    openssl(&["x509", "-in", path, "-noout", "-checkend", "3500"]);
    let mut command = std::process::Command::new("openssl");
    command.args(["x509", "-in", path, "-noout", "-checkend", "3700"]);
    assert!(!command.status().unwrap().success());
    let shown = text(openssl(&["x509", "-in", path, "-noout", "-serial", "-issuer", "-subject"]));
    let expected = "serial=02\nissuer=CN = Puppet CA: server.example\nsubject=CN = a.example\n";
    assert_eq!(shown, expected);
    assert_eq!(scratch.read("ca/serial"), "0003");
    let inventory = scratch.read("ca/inventory.txt");
    let lines: Vec<&str> = inventory.lines().collect();
    assert!(
        lines[0].starts_with("0x0001 ") && lines[0].ends_with("UTC /CN=Puppet CA: server.example")
    );
    assert!(
        lines[1].starts_with("0x0002 ") && lines[1].ends_with("UTC /CN=a.example"),
        "{inventory}"
    );
}

#[test]
fn revoked_certificates_are_refused() {
    let scratch = Scratch::new();
    let authority = scratch.authority();
    let request = scratch.request(&["CN=a.example"], &[]);
    authority.submit("a.example", &request).unwrap();
    authority.sign("a.example", None).unwrap();
    authority.revoke(&["a.example".to_owned()]).unwrap();
    let verdict = verify(&scratch, "ca/signed/a.example.pem");
    assert!(verdict.contains("certificate revoked"), "{verdict}");
    let crl = scratch.path("ca/ca_crl.pem");
    let shown = text(openssl(&["crl", "-in", crl.to_str().unwrap(), "-noout", "-text"]));
    // As Puppet Server's: number before key, key compromise.
    let number = shown.find("X509v3 CRL Number: \n                1").unwrap();
    let key = shown.find("X509v3 Authority Key Identifier").unwrap();
    assert!(number < key && shown.contains("Serial Number: 02\n"), "{shown}");
    assert!(shown.contains("X509v3 CRL Reason Code: \n                Key Compromise"), "{shown}");
    assert_eq!(authority.status("a.example").unwrap().unwrap().state, CertificateState::Revoked);
    // Once more is no change.
    let before = scratch.read("ca/ca_crl.pem");
    authority.revoke(&["a.example".to_owned()]).unwrap();
    assert_eq!(scratch.read("ca/ca_crl.pem"), before);
}

#[test]
fn a_chain_with_a_root_verifies() {
    let scratch = Scratch::new();
    let authority = Authority::create_with_root(scratch.options(), "Puppet Root CA: 1").unwrap();
    let request = scratch.request(&["CN=a.example"], &[]);
    authority.submit("a.example", &request).unwrap();
    authority.sign("a.example", None).unwrap();
    assert_eq!(verify(&scratch, "ca/signed/a.example.pem"), "CERT: OK\n");
    assert_eq!(scratch.read("ca/ca_crl.pem").matches("BEGIN X509 CRL").count(), 2);
    assert!(scratch.path("ca/root_key.pem").exists());
}

/// Makes a root and an authority below it with OpenSSL, whose key is of some kind and form.
fn foreign(scratch: &Scratch, key: &std::path::Path) {
    let path = |name: &str| scratch.path(name).to_str().unwrap().to_owned();
    let root_key =
        scratch.key("root.key", &["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]);
    let root_key = root_key.to_str().unwrap().to_owned();
    let ca = "[req]\nprompt=no\ndistinguished_name=dn\n[dn]\nCN=Root\n[v3]\nbasicConstraints=critical,CA:TRUE\n\
              keyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n\
              [ca]\ndefault_ca=d\n[d]\ndatabase=DIR/index.txt\ncrlnumber=DIR/crlnumber\ndefault_md=sha256\n\
              default_crl_days=30\ncrl_extensions=crl\n[crl]\nauthorityKeyIdentifier=keyid\n";
    let config = scratch.write("ca.cnf", &ca.replace("DIR", scratch.0.to_str().unwrap()));
    let config = config.to_str().unwrap();
    scratch.write("index.txt", "");
    scratch.write("crlnumber", "01\n");
    let root = path("root.pem");
    openssl(&[
        "req",
        "-x509",
        "-new",
        "-key",
        &root_key,
        "-config",
        config,
        "-extensions",
        "v3",
        "-days",
        "99",
        "-out",
        &root,
    ]);
    let (csr, cert) = (path("int.csr"), path("int.pem"));
    openssl(&[
        "req",
        "-new",
        "-key",
        key.to_str().unwrap(),
        "-subj",
        "/O=Example/CN=Issuing",
        "-out",
        &csr,
    ]);
    openssl(&[
        "x509",
        "-req",
        "-in",
        &csr,
        "-CA",
        &root,
        "-CAkey",
        &root_key,
        "-set_serial",
        "0x1234567890abcdef",
        "-days",
        "98",
        "-extfile",
        config,
        "-extensions",
        "v3",
        "-out",
        &cert,
    ]);
    openssl(&[
        "ca",
        "-gencrl",
        "-config",
        config,
        "-keyfile",
        &root_key,
        "-cert",
        &root,
        "-out",
        &path("root.crl"),
    ]);
}

#[test]
fn authorities_of_openssl_are_imported() {
    let rsa = ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"];
    let ec = |curve: &'static str| ["-algorithm", "EC", "-pkeyopt", curve];
    let kinds = [
        ("pkcs8 rsa", rsa, false),
        ("pkcs1 rsa", rsa, true),
        ("pkcs8 p256", ec("ec_paramgen_curve:P-256"), false),
        ("sec1 p384", ec("ec_paramgen_curve:P-384"), true),
        ("pkcs8 p521", ec("ec_paramgen_curve:P-521"), false),
    ];
    for (title, options, is_traditional) in kinds {
        let scratch = Scratch::new();
        let mut key = scratch.key("int.key", &options);
        foreign(&scratch, &key);
        if is_traditional {
            let traditional = scratch.path("int2.key");
            let (from, to) = (key.to_str().unwrap(), traditional.to_str().unwrap());
            openssl(&["pkey", "-in", from, "-traditional", "-out", to]);
            key = traditional;
        }
        // The signing certificate is not the first one.
        let bundle = scratch.read("root.pem") + &scratch.read("int.pem");
        let key = std::fs::read(key).unwrap();
        let crls = scratch.read("root.crl");
        let import = Import {
            cert_bundle: bundle.as_bytes(),
            crl_chain: crls.as_bytes(),
            private_key: &key,
        };
        let authority = Authority::import(scratch.options(), import).expect(title);
        let request = scratch.request(&["CN=a.example"], &[]);
        authority.submit("a.example", &request).unwrap();
        authority.sign("a.example", None).unwrap();
        assert_eq!(verify(&scratch, "ca/signed/a.example.pem"), "CERT: OK\n", "{title}");
        authority.revoke(&["a.example".to_owned()]).unwrap();
        let verdict = verify(&scratch, "ca/signed/a.example.pem");
        assert!(verdict.contains("certificate revoked"), "{title}: {verdict}");
    }
}

#[test]
fn keys_of_requests_may_be_elliptic() {
    let scratch = Scratch::new();
    let authority = scratch.authority();
    for curve in ["P-256", "P-384", "P-521"] {
        let option = format!("ec_paramgen_curve:{curve}");
        let key = scratch.key(curve, &["-algorithm", "EC", "-pkeyopt", &option]);
        let name = format!("{}.example", curve.to_lowercase());
        let digest = if curve == "P-521" { "-sha512" } else { "-sha256" };
        let request = scratch.request_with(&key, &[&format!("CN={name}")], &[], &[digest]);
        authority.submit(&name, &request).unwrap();
        authority.sign(&name, None).unwrap();
        assert_eq!(verify(&scratch, &format!("ca/signed/{name}.pem")), "CERT: OK\n");
    }
}
