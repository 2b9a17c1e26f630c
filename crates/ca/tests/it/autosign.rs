//! The setting `autosign`; requests are made with OpenSSL.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use kukla_ca::{Authority, Autosign};

use crate::scratch::Scratch;

fn authority(scratch: &Scratch, autosign: Autosign) -> Authority {
    if !scratch.path("ca").exists() {
        scratch.authority();
    }
    let mut options = scratch.options();
    options.autosign = autosign;
    options.autosign_timeout = Duration::from_secs(2);
    Authority::open(options).unwrap()
}

/// Submits a request and forgets about it.
fn is_signed(scratch: &Scratch, authority: &Authority, name: &str) -> (bool, Vec<String>) {
    let request = scratch.request(&[&format!("CN={name}")], &[]);
    let submission = authority.submit(name, &request).unwrap();
    assert_eq!(authority.certificate(name).unwrap().is_some(), submission.is_signed);
    assert_eq!(authority.request(name).unwrap().is_none(), submission.is_signed);
    authority.delete(name).unwrap();
    (submission.is_signed, submission.notes)
}

#[test]
fn needs_openssl_a_list_of_names() {
    let scratch = Scratch::new();
    let list = "# comment\n\nexact.example\n*.Sub.example\nwrong name\nx#y\n";
    let path = scratch.write("autosign.conf", list);
    let authority = authority(&scratch, Autosign::File(path.clone()));
    // As Puppet Server's: a glob allows its own domain, and ignores case.
    for (name, expected) in [
        ("exact.example", true),
        ("other.example", false),
        ("a.sub.example", true),
        ("a.b.sub.example", true),
        ("sub.example", true),
        ("asub.example", false),
        ("wrong", false),
    ] {
        let (is_signed, notes) = is_signed(&scratch, &authority, name);
        assert_eq!(is_signed, expected, "{name}");
        let wrong = format!("Invalid pattern 'wrong name' found in {}", path.display());
        assert!(notes.contains(&wrong) && notes.len() == 2, "{notes:?}");
    }
    std::fs::write(&path, "*\n").unwrap();
    assert!(is_signed(&scratch, &authority, "any").0);
    std::fs::remove_file(&path).unwrap();
    assert!(!is_signed(&scratch, &authority, "any").0);
}

#[test]
fn needs_openssl_all_or_none() {
    let scratch = Scratch::new();
    assert!(is_signed(&scratch, &authority(&scratch, Autosign::Always), "a").0);
    assert!(!is_signed(&scratch, &authority(&scratch, Autosign::Never), "a").0);
    // What is not allowed is refused, and stays for a decision.
    let authority = authority(&scratch, Autosign::Always);
    let request = scratch.request(&["CN=b"], &["subjectAltName=DNS:c"]);
    assert!(authority.submit("b", &request).is_err());
    assert!(authority.request("b").unwrap().is_some());
}

#[test]
fn needs_openssl_a_program_decides() {
    let scratch = Scratch::new();
    let script = "#!/bin/sh\ncat > DIR/stdin\necho \"asked for $1\"\necho problem >&2\n[ \"$1\" = yes.example ]\n";
    let path = scratch.write("decide", &script.replace("DIR", scratch.0.to_str().unwrap()));
    let authority = authority(&scratch, Autosign::File(path.clone()));
    // The x bit decides, at each request: without it, this is a list.
    assert!(!is_signed(&scratch, &authority, "yes.example").0);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(is_signed(&scratch, &authority, "yes.example").0);
    assert!(scratch.read("stdin").starts_with("-----BEGIN CERTIFICATE REQUEST-----\n"));
    let (signed, notes) = is_signed(&scratch, &authority, "no.example");
    assert!(!signed && notes[0].ends_with("exit status 1"), "{notes:?}");
    assert!(notes[2].ends_with("output on stderr: problem"), "{notes:?}");
    // A program that hangs does not sign, and does not hang the authority.
    std::fs::write(&path, "#!/bin/sh\nsleep 60\n").unwrap();
    let start = Instant::now();
    assert!(!is_signed(&scratch, &authority, "yes.example").0);
    assert!(start.elapsed() < Duration::from_secs(20));
}
