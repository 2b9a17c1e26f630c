//! Several processes at once, and processes that are killed. The test program starts itself as those processes.

use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use kukla_ca::{AltNames, Authority, CaOptions, HostFiles, HostIdentity};

use crate::scratch::Scratch;

const DIRECTORY: &str = "KUKLA_CA_TEST_DIRECTORY";
const PREFIX: &str = "KUKLA_CA_TEST_PREFIX";

/// The other process: signs and revokes until it is done or killed.
#[test]
#[ignore = "run by the other tests of this module"]
fn worker() {
    let directory = std::path::PathBuf::from(std::env::var_os(DIRECTORY).unwrap());
    let prefix = std::env::var(PREFIX).unwrap();
    let authority = Authority::open(CaOptions::new(&directory.join("ca"))).unwrap();
    let mut files = HostFiles::below(&directory, "shared");
    for number in 0..12 {
        let name = format!("{prefix}-{number}.example");
        let host = HostIdentity {
            name: name.clone(),
            alt_names: AltNames::default(),
            key_length: 2048,
            lifetime: None,
            extensions: Vec::new(),
        };
        files.certificate = directory.join("certs").join(format!("{name}.pem"));
        authority.authorized_certificate(&host, &files).unwrap();
        if number % 4 == 0 {
            authority.revoke(&[name]).unwrap();
        }
    }
}

fn start(scratch: &Scratch, prefix: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["crash::worker", "--exact", "--ignored"]);
    command.env(DIRECTORY, &scratch.0).env(PREFIX, prefix);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Makes an authority and the key that all hosts of these tests share, so that none has to be found.
fn prepared() -> Scratch {
    let scratch = Scratch::new();
    let authority = scratch.authority();
    let alt_names = AltNames::default();
    let host = HostIdentity {
        name: "shared".to_owned(),
        alt_names,
        key_length: 2048,
        lifetime: None,
        extensions: Vec::new(),
    };
    authority.authorized_certificate(&host, &HostFiles::below(&scratch.0, "shared")).unwrap();
    scratch
}

/// Opens the directory again and checks that every file is whole, and that no serial number is there twice.
fn check(scratch: &Scratch) -> usize {
    let authority = Authority::open(scratch.options()).unwrap();
    let statuses = authority.statuses(None).unwrap();
    let serials: BTreeSet<String> =
        statuses.iter().map(|one| one.validity.as_ref().unwrap().serial.to_string()).collect();
    assert_eq!(serials.len(), statuses.len(), "a serial number is there twice");
    let inventory = scratch.read("ca/inventory.txt");
    let mut lines = BTreeSet::new();
    for line in inventory.lines() {
        let fields: Vec<&str> = line.splitn(4, ' ').collect();
        assert!(fields.len() == 4 && fields[3].starts_with("/CN="), "{line}");
        assert!(lines.insert(fields[0].to_owned()), "{} is there twice", fields[0]);
    }
    for status in &statuses {
        assert!(
            inventory.contains(&format!(" /CN={}\n", status.name)),
            "{} is missing",
            status.name
        );
    }
    let next = u64::from_str_radix(&scratch.read("ca/serial"), 16).unwrap();
    assert!(next > u64::try_from(lines.len()).unwrap());
    for directory in ["ca", "ca/signed"] {
        for entry in std::fs::read_dir(scratch.path(directory)).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            assert!(!name.ends_with(".kukla-new"), "{name} was left");
        }
    }
    statuses.len()
}

#[test]
fn two_processes_never_use_one_number() {
    let scratch = prepared();
    let mut workers: Vec<Child> =
        ["a", "b", "c"].iter().map(|prefix| start(&scratch, prefix)).collect();
    for worker in &mut workers {
        assert!(worker.wait().unwrap().success());
    }
    assert_eq!(check(&scratch), 37);
}

/// Returns the number of certificates.
fn count(scratch: &Scratch) -> usize {
    std::fs::read_dir(scratch.path("ca/signed")).unwrap().count()
}

/// Waits until a worker has signed a certificate.
fn await_certificate(scratch: &Scratch, before: usize) {
    let start = std::time::Instant::now();
    while count(scratch) <= before {
        assert!(start.elapsed() < Duration::from_secs(60), "no worker signs anything");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// `KILLS=1000` for a long run.
#[test]
fn killed_processes_leave_nothing_half_written() {
    let kills = std::env::var("KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(6_u64);
    let scratch = prepared();
    for number in 0..kills {
        let before = count(&scratch);
        let mut workers =
            [start(&scratch, &format!("x{number}")), start(&scratch, &format!("y{number}"))];
        await_certificate(&scratch, before);
        std::thread::sleep(Duration::from_millis(number * 37 % 120));
        for worker in &mut workers {
            worker.kill().unwrap();
            worker.wait().unwrap();
        }
        check(&scratch);
    }
    assert!(check(&scratch) > 1, "no process signed anything before it was killed");
}
