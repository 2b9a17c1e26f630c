//! Everything that must hold after a test: the store has each run once, the CA no serial twice.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use crate::agents::{Crowd, read};
use crate::fleet::Fleet;

/// The time in which servers that are back must have stored what waited in their queues.
const PATIENCE: Duration = Duration::from_secs(60);

/// Checks everything.
pub(crate) fn all(fleet: &Fleet, crowd: &Crowd<'_>) {
    let runs = crowd.runs.lock().unwrap_or_else(PoisonError::into_inner).clone();
    reports(fleet, &runs);
    last_words(fleet, &runs);
    bucket(fleet, crowd, &runs);
    serials(fleet);
}

/// Returns numbers by names.
fn counts(fleet: &Fleet, query: &str) -> BTreeMap<String, u32> {
    let read = |line: String| {
        let (name, number) = line.split_once('|').expect("two columns");
        (name.to_owned(), number.parse().expect("a number"))
    };
    fleet.ask(query).into_iter().map(read).collect()
}

/// Each run has one report.
fn reports(fleet: &Fleet, runs: &BTreeMap<String, u32>) {
    let query =
        "SELECT certname, count(*) FROM reports JOIN nodes ON nodes.id = node_id GROUP BY 1";
    let start = Instant::now();
    while counts(fleet, query) != *runs {
        let stored = counts(fleet, query);
        assert!(start.elapsed() < PATIENCE, "reports: {stored:?}, runs: {runs:?}");
        std::thread::sleep(Duration::from_millis(200));
    }
    // Nothing comes later.
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(counts(fleet, query), *runs);
    let distinct = "SELECT certname, count(DISTINCT transaction_uuid) FROM reports \
        JOIN nodes ON nodes.id = node_id GROUP BY 1";
    assert_eq!(counts(fleet, distinct), *runs);
}

/// Facts and catalog are those of the last run.
fn last_words(fleet: &Fleet, runs: &BTreeMap<String, u32>) {
    let facts = "SELECT certname, value #>> '{}' FROM facts \
        JOIN fact_values ON fact_values.id = value_id JOIN fact_names ON fact_names.id = name_id \
        JOIN nodes ON nodes.id = node_id WHERE name = 'run'";
    assert_eq!(counts(fleet, facts), *runs);
    let catalogs = "SELECT certname, trim(both E'\\n' from substr(parameters ->> 'content', 5)) \
        FROM catalog_resources JOIN resources ON resources.id = resource_id \
        JOIN nodes ON nodes.id = node_id WHERE type = 'File' AND title LIKE '%/target/run'";
    assert_eq!(counts(fleet, catalogs), *runs);
}

/// Each content that a run replaced is in the bucket, whichever server is asked.
fn bucket(fleet: &Fleet, crowd: &Crowd<'_>, runs: &BTreeMap<String, u32>) {
    let query = "SELECT path, count(*) FROM bucket_paths GROUP BY 1";
    let expected: BTreeMap<String, u32> = runs
        .iter()
        .filter(|(_, n_runs)| **n_runs > 1)
        .map(|(name, n_runs)| {
            let path = crowd.own(name).join("target/run").display().to_string();
            (path.trim_start_matches('/').to_owned(), n_runs - 1)
        })
        .collect();
    assert_eq!(counts(fleet, query), expected);
    let sums = fleet.ask("SELECT sum FROM bucket_files ORDER BY id LIMIT 1");
    let sum = sums[0].strip_prefix("sha256:").expect("a checksum");
    for member in &fleet.members {
        let output = crowd
            .command("agent1.test", &["filebucket", "--remote", "get", sum])
            .args(["--server", &member.address, "--serverport", &member.port.to_string()])
            .output()
            .expect("puppet runs");
        let (status, text) = read(&output);
        assert!(status == 0 && text.contains("run 1"), "{}: {text}", member.name);
        assert!(!member.directory.join("var/bucket").exists(), "{} has files", member.name);
    }
}

/// No serial number was given twice, and each certificate is in the inventory.
fn serials(fleet: &Fleet) {
    let ca = fleet.members[0].directory.join("conf/ca");
    let inventory = std::fs::read_to_string(ca.join("inventory.txt")).expect("an inventory");
    let serials: Vec<&str> =
        inventory.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let distinct: BTreeSet<&str> = serials.iter().copied().collect();
    assert_eq!(serials.len(), distinct.len(), "{inventory}");
    let n_signed = std::fs::read_dir(ca.join("signed")).expect("certificates").count();
    assert!(serials.len() >= n_signed && n_signed > fleet.members.len(), "{inventory}");
    for member in &fleet.members[1..] {
        assert!(!member.directory.join("conf/ca").exists(), "{} is a CA too", member.name);
    }
}

/// An agent whose certificate was revoked is refused by all servers in a while, and by the balancer in their name.
pub(crate) fn revocation(fleet: &Fleet, crowd: &Crowd<'_>) {
    let name = "agent1.test";
    let own = crowd.own(name).join("ssldir");
    let is_let_in = |address: &str, port: u16| {
        let path = |kind: &str| own.join(kind).join(format!("{name}.pem"));
        let output = Command::new("curl")
            .args(["--silent", "--show-error", "--max-time", "5", "--fail", "--cacert"])
            .arg(fleet.directory.join("ca.pem"))
            .arg("--cert")
            .arg(path("certs"))
            .arg("--key")
            .arg(path("private_keys"))
            .arg(format!("https://{address}:{port}/puppet/v3/node/{name}?environment=production"))
            .output()
            .expect("`curl` runs");
        output.status.success()
    };
    let members = fleet.members.iter().map(|member| (member.address.as_str(), member.port));
    let doors: Vec<(&str, u16)> = members.chain([(fleet.address.as_str(), fleet.port)]).collect();
    for (address, port) in &doors {
        assert!(is_let_in(address, *port), "{address}:{port}");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_kukla"))
        .args(["ca", "revoke", "--certname", name, "--config"])
        .arg(fleet.members[0].directory.join("conf/puppet.conf"))
        .output()
        .expect("kukla runs");
    assert_eq!(output.status.code(), Some(0), "{}", read(&output).1);
    let start = Instant::now();
    // The others ask the CA once in a minute.
    while doors.iter().any(|(address, port)| is_let_in(address, *port)) {
        assert!(start.elapsed() < Duration::from_secs(75), "it is still let in");
        std::thread::sleep(Duration::from_millis(500));
    }
}

/// A session of one server is no error at another one: the handshake is a full one.
pub(crate) fn sessions(fleet: &Fleet) {
    let file = fleet.directory.join("session.pem");
    let connect = |member: usize, option: &str| {
        let member = &fleet.members[member];
        let output = Command::new("openssl")
            .args(["s_client", "-tls1_2", "-connect"])
            .arg(format!("{}:{}", member.address, member.port))
            .arg("-CAfile")
            .arg(fleet.directory.join("ca.pem"))
            .arg(option)
            .arg(&file)
            .stdin(Stdio::null())
            .output()
            .expect("`openssl` runs");
        let (_, text) = read(&output);
        assert!(text.contains("Verify return code: 0"), "{text}");
        text
    };
    assert!(connect(1, "-sess_out").contains("New, TLSv1.2"));
    assert!(connect(1, "-sess_in").contains("Reused, TLSv1.2"));
    assert!(connect(2, "-sess_in").contains("New, TLSv1.2"));
}
