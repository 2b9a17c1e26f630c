//! Faults: a killed process, disks that are full or read-only, programs that hang, code that does not parse.
//!
//! `KILLS=300 cargo test --release -p kukla --test running killed -- --nocapture` is the long form of the first.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::server::{Connection, Server, command, report, scratch};

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    std::fs::write(path, text).expect("written");
}

fn script(path: &Path, text: &str) {
    write(path, &format!("#!/bin/sh\n{text}\n"));
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
}

/// Returns the form of a catalog request with facts.
fn facts(node: &str, marker: &str) -> String {
    format!(r#"{{"name":"{node}","values":{{"marker":"{marker}"}}}}"#)
}

pub(crate) fn send_report(
    connection: &mut Connection,
    node: &str,
    marker: &str,
) -> std::io::Result<(u16, String)> {
    let path = format!("/puppet/v3/report/{node}?environment=production");
    connection.request("PUT", &path, Some(&report(node, marker)))
}

fn send_facts(
    connection: &mut Connection,
    node: &str,
    marker: &str,
) -> std::io::Result<(u16, String)> {
    let path = format!("/puppet/v3/facts/{node}?environment=production");
    connection.request("PUT", &path, Some(&facts(node, marker)))
}

/// Sends reports and facts of ever new nodes until the server is gone; returns those that were answered with 200.
pub(crate) fn send_until_killed(port: u16, prefix: &str) -> Vec<String> {
    let mut answered = Vec::new();
    for number in 0..10_000 {
        let node = format!("{prefix}-{number}.test");
        let Ok(mut connection) = Connection::open(port, &node) else { break };
        let is_stored =
            |sent: std::io::Result<(u16, String)>| sent.is_ok_and(|(status, _)| status == 200);
        if !is_stored(send_report(&mut connection, &node, &node))
            || !is_stored(send_facts(&mut connection, &node, &node))
        {
            break;
        }
        answered.push(node);
    }
    answered
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let is_visible = |path: &PathBuf| {
        !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
    };
    let nested = entries.map(|entry| entry.path()).flat_map(|path| match path.is_dir() {
        true => files_below(&path),
        false => vec![path],
    });
    nested.filter(is_visible).collect()
}

#[test]
fn a_killed_server_leaves_no_half_file_and_every_report_that_was_answered() {
    let n_kills = std::env::var("KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    let directory = scratch("killed");
    let answered = Mutex::new(Vec::new());
    for round in 0..n_kills {
        let server = Server::start_in(directory.clone(), &[]);
        std::thread::scope(|scope| {
            for client in 0..3 {
                let (answered, port) = (&answered, server.plain);
                scope.spawn(move || {
                    let sent = send_until_killed(port, &format!("r{round}c{client}"));
                    answered.lock().expect("a list").extend(sent);
                });
            }
            std::thread::sleep(Duration::from_millis(20 + (round as u64 * 37) % 150));
            server.signal(Signal::KILL);
        });
        server.keep_directory();
    }
    let answered = answered.into_inner().expect("a list");
    let var = directory.join("server/var");
    let reports = files_below(&var.join("reports"));
    for path in &reports {
        let text = std::fs::read_to_string(path).expect("a report");
        let is_whole = text.starts_with("--- !ruby/object:Puppet::Transaction::Report\n");
        assert!(is_whole && text.ends_with('\n') && text.contains("corrective_change"), "{text}");
    }
    for path in files_below(&var.join("server_data/facts")) {
        let text = std::fs::read_to_string(&path).expect("facts");
        assert!(
            serde_json::from_str::<serde_json::Value>(&text).is_ok(),
            "{}: {text}",
            path.display()
        );
    }
    for node in &answered {
        let found = files_below(&var.join("reports").join(node));
        assert_eq!(found.len(), 1, "the report of {node} is lost");
        let facts = std::fs::read_to_string(var.join(format!("server_data/facts/{node}.json")));
        assert!(facts.expect("facts").contains(node.as_str()));
    }
    assert!(answered.len() >= n_kills, "{} answered", answered.len());
    println!(
        "{n_kills} kills, {} nodes answered, {} reports, none lost or cut",
        answered.len(),
        reports.len()
    );
    let _ = std::fs::remove_dir_all(&directory);
}

/// A classifier that hangs for one node delays no other, however few threads compile.
#[test]
fn a_classifier_that_hangs_delays_one_node() {
    let directory = scratch("hanging");
    let classifier = directory.join("classifier");
    script(&classifier, "case $1 in hang*) sleep 600;; esac\necho 'classes: {}'");
    let classifier = format!("external_nodes={}", classifier.display());
    let options =
        ["--set", "node_terminus=exec", "--set", &classifier, "--timeout", "2", "--threads", "1"];
    let mut command = command(&directory);
    let arguments: Vec<&str> = options.to_vec();
    command.args(arguments);
    let server = Server::spawn(directory, command);
    let port = server.plain;
    let start = Instant::now();
    let hanging: Vec<_> = (0..3)
        .map(|n| {
            std::thread::spawn(move || {
                let mut connection =
                    Connection::open(port, &format!("hang{n}.test")).expect("a connection");
                connection.catalog("production").expect("an answer")
            })
        })
        .collect();
    std::thread::sleep(Duration::from_millis(200));
    for _ in 0..5 {
        assert_eq!(server.connect("well.test").catalog("production").expect("an answer").0, 200);
    }
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    for thread in hanging {
        let (status, text) = thread.join().expect("an answer");
        assert_eq!(status, 500, "{text}");
        assert!(text.contains("did not end"), "{text}");
    }
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn an_environment_that_does_not_parse_hurts_no_other() {
    let server = Server::start("broken", &[]);
    write(&server.environment("broken").join("manifests/site.pp"), "class {");
    write(&server.environment("conf").join("environment.conf"), "this is no setting\n");
    write(&server.environment("conf").join("manifests/site.pp"), "notify { 'x': }\n");
    std::thread::sleep(Duration::from_millis(200));
    let mut connection = server.connect("a.test");
    let (status, text) = connection.catalog("broken").expect("an answer");
    assert_eq!(status, 500);
    assert!(text.contains("Could not parse for environment broken"), "{text}");
    server.line(|line| line.contains("\"event\":\"compile\"") && line.contains("a.test"));
    let (status, text) = connection.catalog("conf").expect("an answer");
    assert_eq!((status, text.contains("Could not match line")), (500, true), "{text}");
    assert_eq!(connection.catalog("production").expect("an answer").0, 200);
    // What is mended counts.
    write(&server.environment("broken").join("manifests/site.pp"), "notify { 'mended': }\n");
    let start = Instant::now();
    while connection.catalog("broken").expect("an answer").0 != 200 {
        assert!(start.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn config_version_is_the_version_of_catalogs() {
    let server = Server::start("version", &[]);
    let environment = server.environment("versioned");
    write(&environment.join("environment.conf"), "config_version = 'scripts/v $environment'\n");
    write(&environment.join("manifests/site.pp"), "notify { 'x': }\n");
    script(&environment.join("scripts/v"), "echo \" v-$1 \"");
    let failing = server.environment("failing");
    write(&failing.join("environment.conf"), "config_version = /bin/false\n");
    write(&failing.join("manifests/site.pp"), "notify { 'x': }\n");
    std::thread::sleep(Duration::from_millis(200));
    let mut connection = server.connect("a.test");
    let (_, text) = connection.catalog("versioned").expect("an answer");
    assert!(text.contains("\"version\":\"v-versioned\""), "{text}");
    let (_, text) = connection.catalog("production").expect("an answer");
    assert!(!text.contains("\"version\":\""), "{text}");
    let (status, text) = connection.catalog("failing").expect("an answer");
    let words = "Execution of config_version command `/bin/false` failed: Execution of '/bin/false' returned 1: ";
    assert_eq!((status, text.contains(words)), (500, true), "{text}");
}

/// With the setting `xpp` the tree of serialized manifests follows each deploy.
#[test]
fn serialized_manifests_follow_deploys() {
    let server = Server::start("xpp", &["--set", "xpp=true"]);
    assert_eq!(server.connect("a.test").catalog("production").expect("an answer").0, 200);
    server.line(|line| line.contains("\"event\":\"xpp\"") && line.contains("\"written\":\"2\""));
    let tree = server.environment("production").join(".xpp/modules/hello/manifests");
    assert!(tree.join("init.xpp").is_file(), "{:?}", files_below(&tree));
    let module = server.environment("production").join("modules/hello/manifests");
    write(&module.join("more.pp"), "class hello::more { notify { 'more': } }\n");
    server.line(|line| line.contains("\"event\":\"xpp\"") && line.contains("\"written\":\"1\""));
    assert!(tree.join("more.xpp").is_file());
    let (status, _) = server.connect("a.test").catalog("production").expect("an answer");
    assert_eq!(status, 200);
    // Building is no deploy.
    let n_deploys =
        server.log().iter().filter(|line| line.contains("\"event\":\"deploy\"")).count();
    assert_eq!(n_deploys, 1, "{:#?}", server.log());
}

/// Runs a program that a test needs.
fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{program} {arguments:?}: {text}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A revocation list that has expired is signed anew at once.
#[test]
fn needs_openssl_an_expired_revocation_list_is_signed_anew() {
    let directory = scratch("crl");
    Server::start_in(directory.clone(), &[]).keep_directory();
    let ca = directory.join("server/ca");
    let at = |name: &str| ca.join(name).display().to_string();
    write(&directory.join("index"), "");
    write(&directory.join("number"), "07\n");
    let conf = format!(
        "[ca]\ndefault_ca=d\n[d]\ndatabase={0}/index\ncrlnumber={0}/number\ndefault_md=sha256\n\
         crl_extensions=e\n[e]\nauthorityKeyIdentifier=keyid:always\n",
        directory.display()
    );
    write(&directory.join("conf"), &conf);
    let conf = directory.join("conf").display().to_string();
    run(
        "openssl",
        &[
            "ca",
            "-config",
            &conf,
            "-gencrl",
            "-keyfile",
            &at("ca_key.pem"),
            "-cert",
            &at("ca_crt.pem"),
            "-crl_lastupdate",
            "20200101000000Z",
            "-crl_nextupdate",
            "20200201000000Z",
            "-out",
            &at("ca_crl.pem"),
        ],
    );
    let end = || {
        run("openssl", &["crl", "-in", &at("ca_crl.pem"), "-noout", "-nextupdate", "-crlnumber"])
    };
    assert!(end().contains("2020"), "{}", end());
    let server = Server::start_in(directory, &[]);
    server.line(|line| line.contains("\"event\":\"crl\""));
    assert!(!end().contains("2020") && end().contains("8"), "{}", end());
    assert_eq!(server.connect("a.test").catalog("production").expect("an answer").0, 200);
}

mod needs_mount {
    use super::*;

    /// A file system of a few megabytes in place of a directory.
    struct Small(PathBuf);

    impl Small {
        fn mount(directory: &Path) -> Self {
            std::fs::create_dir_all(directory).expect("a directory");
            let path = directory.display().to_string();
            run("mount", &["-t", "tmpfs", "-o", "size=12m", "tmpfs", &path]);
            Self(directory.to_owned())
        }

        fn remount(&self, option: &str) {
            let path = self.0.display().to_string();
            run("mount", &["-o", &format!("remount,{option}"), &path]);
        }
    }

    impl Drop for Small {
        fn drop(&mut self) {
            let _ = Command::new("umount").args(["-l"]).arg(&self.0).status();
        }
    }

    /// Asks for a catalog with facts, which can't be stored.
    fn catalog_with_facts(connection: &mut Connection) -> (u16, String) {
        let form = "facts_format=application%2Fjson&facts=%7B%22name%22%3A%22a.test%22%2C%22values%22%3A%7B%7D%7D";
        let path = format!("/puppet/v3/catalog/a.test?environment=production&{form}");
        connection.request("GET", &path, None).expect("an answer")
    }

    /// The store on a disk that is full: reports get an error, nothing is damaged, and `kukla store check` says so.
    #[test]
    fn a_store_on_a_full_disk_refuses_and_stays_sound() {
        let directory = scratch("full-store");
        Server::start_in(directory.clone(), &[]).keep_directory();
        let small = Small::mount(&directory.join("server/var"));
        let server = Server::start_in(directory.clone(), &["--set", "reports=none"]);
        let mut connection = server.connect("a.test");
        let (mut accepted, mut refused) = (0, 0);
        let filler = directory.join("server/var/filler");
        let check = || {
            let output = Command::new(env!("CARGO_BIN_EXE_kukla"))
                .args(["store", "check", "--config"])
                .arg(directory.join("server/puppet.conf"))
                .output()
                .expect("kukla runs");
            let text = [output.stdout, output.stderr].concat();
            (output.status.code(), String::from_utf8_lossy(&text).into_owned())
        };
        for number in 0..120 {
            if number == 40 {
                let _ = std::fs::write(&filler, vec![b'x'; 24 << 20]);
                let (status, text) = check();
                assert_eq!((status, text.contains(" bytes left")), (Some(1), true), "{text}");
            }
            if number == 80 {
                std::fs::remove_file(&filler).expect("removed");
            }
            let report = send_report(&mut connection, "a.test", &number.to_string());
            match report.expect("an answer").0 {
                200 => accepted += 1,
                500 => refused += 1,
                other => panic!("{other}"),
            }
        }
        assert!(accepted >= 80 && refused >= 30, "{accepted} and {refused}");
        drop(connection);
        // What waited is stored when there is room.
        server.keep_directory();
        let server = Server::start_in(directory.clone(), &["--set", "reports=none"]);
        let count = || {
            let output = Command::new(env!("CARGO_BIN_EXE_kukla"))
                .args(["store", "status", "--format", "json", "--config"])
                .arg(directory.join("server/puppet.conf"))
                .output()
                .expect("kukla runs");
            let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
            json["rows"]["reports"].as_u64().expect("a number")
        };
        let start = std::time::Instant::now();
        while count() < accepted {
            let is_late = start.elapsed() > std::time::Duration::from_secs(20);
            assert!(!is_late, "{} of {accepted} reports", count());
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        assert_eq!(count(), accepted);
        let (_, text) = check();
        assert!(!text.contains("malformed") && !text.contains("belongs to no"), "{text}");
        drop(server);
        drop(small);
    }

    #[test]
    fn a_disk_that_is_full_or_read_only_is_said_and_catalogs_go_on() {
        let directory = scratch("full");
        Server::start_in(directory.clone(), &[]).keep_directory();
        let small = Small::mount(&directory.join("server/var"));
        let server = Server::start_in(directory.clone(), &[]);
        let mut connection = server.connect("a.test");
        let filler = directory.join("server/var/filler");
        assert_eq!(send_report(&mut connection, "a.test", "1").expect("an answer").0, 200);
        // Full.
        let _ = std::fs::write(&filler, vec![b'x'; 24 << 20]);
        let (status, text) = send_report(&mut connection, "a.test", "2").expect("an answer");
        assert_eq!((status, text.contains("No space left on device")), (500, true), "{text}");
        server.line(|line| line.contains("Could not write report for a.test"));
        assert_eq!(send_facts(&mut connection, "a.test", "2").expect("an answer").0, 500);
        assert_eq!(catalog_with_facts(&mut connection).0, 200);
        server.line(|line| {
            line.contains("\"event\":\"facts-not-stored\"") && line.contains("No space")
        });
        // Room again.
        std::fs::remove_file(&filler).expect("removed");
        assert_eq!(send_report(&mut connection, "a.test", "3").expect("an answer").0, 200);
        drop(connection);
        server.keep_directory();
        // Read-only, without a store, whose open files keep the disk writable.
        let server = Server::start_in(directory.clone(), &["--set", "store=none"]);
        let mut connection = server.connect("a.test");
        small.remount("ro");
        let (status, text) = send_report(&mut connection, "a.test", "4").expect("an answer");
        assert_eq!((status, text.contains("Read-only file system")), (500, true), "{text}");
        assert_eq!(catalog_with_facts(&mut connection).0, 200);
        small.remount("rw");
        assert_eq!(send_report(&mut connection, "a.test", "5").expect("an answer").0, 200);
        let reports = files_below(&directory.join("server/var/reports"));
        assert_eq!(reports.len(), 3, "{reports:?}");
        for report in reports {
            let text = std::fs::read_to_string(report).expect("a report");
            assert!(
                text.starts_with("--- !ruby/object") && text.contains("corrective_change"),
                "{text}"
            );
        }
        drop(small);
    }
}

mod needs_root {
    use super::*;

    /// Without watches the files are looked at, and the log says so.
    #[test]
    fn needs_namespace_limit_of_watches_is_said_and_deploys_still_count() {
        let directory = scratch("watches");
        Server::start_in(directory.clone(), &[]).keep_directory();
        let inner = command(&directory);
        let mut command = Command::new("unshare");
        command
            .args(["--user", "--map-root-user", "sh", "-c"])
            .arg("echo 2 > /proc/sys/user/max_inotify_watches && exec \"$@\"")
            .arg("sh")
            .arg(inner.get_program())
            .args(inner.get_args());
        let server = Server::spawn(directory, command);
        let mut connection = server.connect("a.test");
        assert_eq!(connection.catalog("production").expect("an answer").0, 200);
        server.line(|line| line.contains("\"event\":\"unwatched\"") && line.contains("production"));
        write(
            &server.environment("production").join("manifests/site.pp"),
            "notify { 'looked': }\n",
        );
        let start = Instant::now();
        while !connection.catalog("production").expect("an answer").1.contains("looked") {
            assert!(start.elapsed() < Duration::from_secs(20), "{:#?}", server.log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
