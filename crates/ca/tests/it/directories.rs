//! Directories: those that Puppet Server made, and new ones.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use kukla_ca::{Authority, CaError, CaOptions, CertificateState};

use crate::scratch::Scratch;

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

fn puppet_server(scratch: &Scratch) -> Authority {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/puppetserver-7.9.5");
    copy(&data, &scratch.path("ca"));
    Authority::open(scratch.options()).unwrap()
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_directory_of_puppet_server_is_used_unchanged() {
    let scratch = Scratch::new();
    let authority = puppet_server(&scratch);
    let states: Vec<(String, CertificateState)> =
        authority.statuses(None).unwrap().into_iter().map(|one| (one.name, one.state)).collect();
    let expected = [
        ("man2.example", CertificateState::Requested),
        ("ext.auto.example", CertificateState::Revoked),
        ("man1.example", CertificateState::Signed),
        ("plain.auto.example", CertificateState::Signed),
    ];
    assert_eq!(states, expected.map(|(name, state)| (name.to_owned(), state)));
    let status = authority.status("man2.example").unwrap().unwrap();
    // Recorded from the server's own answer.
    assert_eq!(
        status.fingerprints.sha256,
        "34:F6:DB:E3:28:99:CD:D8:9E:F7:EC:CC:F6:0E:7E:F6:3D:DC:76:32:0D:0F:44:27:4C:AF:6E:C0:A0:B2:74:57"
    );
    assert_eq!(status.alt_names.texts(), ["IP:10.1.2.3", "DNS:b.example", "DNS:a.example"]);
    let status = authority.status("plain.auto.example").unwrap().unwrap().validity.unwrap();
    assert_eq!(
        (status.not_before.as_str(), status.not_after.as_str()),
        ("2026-11-17T08:58:04UTC", "2031-11-17T08:58:04UTC")
    );
    let expirations = authority.expirations().unwrap();
    let name = "Puppet CA: server.example".to_owned();
    assert_eq!(expirations.ca_certs, [(name.clone(), "2031-11-17T08:35:34UTC".to_owned())]);
    assert_eq!(expirations.crls, [(name, "2031-11-18T08:58:07UTC".to_owned())]);
    // The key was readable by all users.
    assert_eq!(mode(&scratch.path("ca/ca_key.pem")), 0o640);
}

#[test]
fn a_directory_of_puppet_server_goes_on() {
    let scratch = Scratch::new();
    puppet_server(&scratch);
    let mut options = scratch.options();
    options.allows_alt_names = true;
    let authority = Authority::open(options).unwrap();
    authority.sign("man2.example", None).unwrap();
    assert_eq!(scratch.read("ca/serial"), "000C");
    let inventory = scratch.read("ca/inventory.txt");
    let last = inventory.lines().last().unwrap();
    assert!(last.starts_with("0x000B ") && last.ends_with(" /CN=man2.example"), "{last}");
    // Revoked by the inventory alone, after the file is gone; inventories of older versions have lower case.
    authority.delete("man2.example").unwrap();
    std::fs::write(scratch.path("ca/inventory.txt"), inventory.replace("0x000B", "0x000b"))
        .unwrap();
    authority.revoke(&["man2.example".to_owned()]).unwrap();
    let cleaned = authority.clean(&["plain.auto.example".to_owned()]).unwrap();
    assert!(cleaned.missing.is_empty());
    assert!(authority.certificate("plain.auto.example").unwrap().is_none());
    let pruned = authority.prune(false).unwrap();
    assert_eq!((pruned.total, pruned.removed), (4, 0));
}

#[test]
fn a_new_directory_is_complete_and_private() {
    let scratch = Scratch::new();
    let authority = scratch.authority();
    let path = |name: &str| scratch.path("ca").join(name);
    for name in [
        "ca_crt.pem",
        "ca_crl.pem",
        "infra_crl.pem",
        "ca_pub.pem",
        "inventory.txt",
        "serial",
        "infra_serials",
        "infra_inventory.txt",
    ] {
        assert_eq!(mode(&path(name)), 0o644, "{name}");
    }
    assert_eq!(mode(&path("ca_key.pem")), 0o640);
    assert_eq!(scratch.read("ca/serial"), "0002");
    let bundle = authority.certificate("ca").unwrap().unwrap();
    assert_eq!(bundle, scratch.read("ca/ca_crt.pem").into_bytes());
    assert!(
        matches!(Authority::create(scratch.options()), Err(CaError::Exists(files)) if files.len() == 9)
    );
}

#[test]
fn a_part_of_a_directory_is_an_error() {
    let scratch = Scratch::new();
    assert!(matches!(Authority::open(scratch.options()), Err(CaError::NotFound(_))));
    scratch.authority();
    std::fs::remove_file(scratch.path("ca/serial")).unwrap();
    let error = Authority::open(scratch.options()).unwrap_err();
    let missing = format!("Missing:\n{}", scratch.path("ca/serial").display());
    assert!(
        error.to_string().starts_with(
            "Cannot initialize CA with partial state; need all files or none.\nFound:\n"
        )
    );
    assert!(error.to_string().ends_with(&missing), "{error}");
    assert!(!error.is_refusal());
    // An interrupted start is started over.
    std::fs::write(scratch.path("ca/.kukla-setup"), "").unwrap();
    Authority::create(scratch.options()).unwrap();
    assert!(!scratch.path("ca/.kukla-setup").exists());
}

#[test]
fn a_damaged_counter_signs_nothing() {
    let scratch = Scratch::new();
    let authority = puppet_server(&scratch);
    std::fs::write(scratch.path("ca/serial"), "").unwrap();
    let host = kukla_ca::HostIdentity {
        name: "a.example".to_owned(),
        alt_names: kukla_ca::AltNames::default(),
        key_length: 2048,
        lifetime: None,
        extensions: Vec::new(),
    };
    let files = kukla_ca::HostFiles::below(&scratch.path("ssl"), "a.example");
    let error = authority.authorized_certificate(&host, &files).unwrap_err();
    assert!(error.to_string().contains("serial: it is no hexadecimal number"), "{error}");
    assert!(authority.certificate("a.example").unwrap().is_none());
    let wrong = CaOptions { key_length: 1000, ..scratch.options() };
    assert!(matches!(Authority::create(wrong), Err(CaError::KeyLength(1000))));
}
