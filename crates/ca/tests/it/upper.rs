//! Renewal, CRLs of the authorities above, and the CRL of infrastructure nodes.

use kukla_ca::{Authority, CaError, CaOptions};

use crate::scratch::{Scratch, openssl};

fn der(scratch: &Scratch, name: &str) -> Vec<u8> {
    let path = scratch.path(name);
    openssl(&["x509", "-in", path.to_str().unwrap(), "-outform", "DER"])
}

fn signed(scratch: &Scratch, authority: &Authority, name: &str) {
    let request = scratch
        .request(&[&format!("CN={name}")], &["1.3.6.1.4.1.34380.1.1.13=ASN1:UTF8String:web"]);
    authority.submit(name, &request).unwrap();
    authority.sign(name, None).unwrap();
}

#[test]
fn needs_openssl_certificates_are_renewed() {
    let scratch = Scratch::new();
    let authority = scratch.authority();
    signed(&scratch, &authority, "a.example");
    let old = der(&scratch, "ca/signed/a.example.pem");
    assert!(matches!(authority.renew(&old), Err(CaError::RenewalDisabled)));
    let authority =
        Authority::open(CaOptions { allows_renewal: true, ..scratch.options() }).unwrap();
    let renewed = String::from_utf8(authority.renew(&old).unwrap()).unwrap();
    assert_eq!(renewed, scratch.read("ca/signed/a.example.pem"));
    let path = scratch.path("ca/signed/a.example.pem");
    let shown = openssl(&["x509", "-in", path.to_str().unwrap(), "-noout", "-text"]);
    let shown = String::from_utf8(shown).unwrap();
    assert!(shown.contains("Serial Number: 3 (0x3)") && shown.contains("..web"), "{shown}");
    // 90 days, as the setting says.
    let path = path.to_str().unwrap();
    openssl(&["x509", "-in", path, "-noout", "-checkend", &(89 * 86_400).to_string()]);
    // Another CA's, a damaged one, a revoked one.
    let other = Scratch::new();
    signed(&other, &other.authority(), "a.example");
    assert!(matches!(
        authority.renew(&der(&other, "ca/signed/a.example.pem")),
        Err(CaError::RenewalForeign)
    ));
    assert!(matches!(authority.renew(b"x"), Err(CaError::RenewalInvalid)));
    authority.revoke(&["a.example".to_owned()]).unwrap();
    assert!(matches!(authority.renew(&old), Err(CaError::RenewalInvalid)));
}

#[test]
fn needs_openssl_crls_of_upper_authorities_are_replaced() {
    let scratch = Scratch::new();
    let authority = Authority::create_with_root(scratch.options(), "Root").unwrap();
    // The root as an authority of its own, which signs a newer CRL.
    let upper = Scratch::new();
    let chain = scratch.read("ca/ca_crt.pem");
    let root = chain.split_inclusive("-----END CERTIFICATE-----\n").last().unwrap();
    let crls = scratch.read("ca/ca_crl.pem");
    let crl = crls.split_inclusive("-----END X509 CRL-----\n").last().unwrap();
    let key = scratch.read("ca/root_key.pem");
    let import = kukla_ca::Import {
        cert_bundle: root.as_bytes(),
        crl_chain: crl.as_bytes(),
        private_key: key.as_bytes(),
    };
    let root = Authority::import(upper.options(), import).unwrap();
    // The numbers of the authorities themselves are not to be revoked.
    for name in ["x.example", "y.example", "b.example"] {
        signed(&upper, &root, name);
    }
    root.revoke(&["b.example".to_owned()]).unwrap();
    let newer = upper.read("ca/ca_crl.pem");
    authority.update_crls(newer.as_bytes()).unwrap();
    let own = crls.split_inclusive("-----END X509 CRL-----\n").next().unwrap();
    assert_eq!(scratch.read("ca/ca_crl.pem"), own.to_owned() + &newer);
    // An older one changes nothing, and neither does one of the authority itself or of a stranger.
    authority.update_crls(crl.as_bytes()).unwrap();
    authority.update_crls(own.as_bytes()).unwrap();
    assert_eq!(scratch.read("ca/ca_crl.pem"), own.to_owned() + &newer);
    assert_eq!(authority.update_crls(b"").unwrap_err().to_string(), "No valid CRLs submitted.");
    assert_eq!(
        authority.update_crls(chain.as_bytes()).unwrap_err().to_string(),
        "No valid CRLs submitted."
    );
}

#[test]
fn needs_openssl_infrastructure_has_its_own_crl() {
    let scratch = Scratch::new();
    scratch.authority();
    std::fs::write(scratch.path("ca/infra_inventory.txt"), "infra.example\n").unwrap();
    let authority =
        Authority::open(CaOptions { has_infra_crl: true, ..scratch.options() }).unwrap();
    signed(&scratch, &authority, "a.example");
    signed(&scratch, &authority, "infra.example");
    assert_eq!(scratch.read("ca/infra_serials"), "3\n");
    let empty = authority.crl().unwrap().bytes;
    authority.revoke(&["a.example".to_owned()]).unwrap();
    assert_eq!(authority.crl().unwrap().bytes, empty);
    authority.revoke(&["infra.example".to_owned()]).unwrap();
    let path = scratch.path("ca/infra_crl.pem");
    let shown = openssl(&["crl", "-in", path.to_str().unwrap(), "-noout", "-text"]);
    let shown = String::from_utf8(shown).unwrap();
    assert!(shown.contains("Serial Number: 03") && !shown.contains("Serial Number: 02"), "{shown}");
}
