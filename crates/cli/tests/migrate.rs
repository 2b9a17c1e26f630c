//! `kukla store migrate`: stores are copied between engines and archives, and copies that are killed go on.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests have files of their own and kill programs"
)]

#[path = "../../store/tests/support/postgres.rs"]
#[expect(dead_code, reason = "other tests open stores")]
mod postgres;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use kukla_store::{Address, Receipt, Store, time};
use serde_json::{Value, json};

const NODES: u32 = 120;
/// The number of copies that are killed.
const KILLS: u32 = 20;
/// The time of the first command.
const FIRST: i64 = 1_795_000_000_000;

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("kukla-migrate-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a directory");
        Self(path)
    }

    fn at(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Makes a store of a fleet: each node has facts, two catalogs and two reports, and the bucket has files.
fn fill(path: &Path) -> Store {
    let store = Store::open(path).expect("a store");
    let apply = |name: &str, version: i64, payload: &Value| {
        let text = payload.to_string();
        let command = kukla_store::Command::read(name, version, text.as_bytes()).expect("right");
        let receipt = Receipt { received: command.producer_timestamp, keeps_exports: false };
        for applied in store.apply(&[(&command, receipt)]).expect("stored") {
            applied.expect("stored");
        }
    };
    for node in 0..NODES {
        let at = |n: u32| time::written(FIRST + i64::from(node * 10 + n));
        let name = format!("node{node}.test");
        apply(
            "replace facts",
            5,
            &json!({ "certname": name, "environment": "production", "producer": "p",
                "producer_timestamp": at(0), "package_inventory": [["bash", "5.2", "apt"]],
                "values": { "os": { "family": "Debian" }, "z": [1, 2.5, null, "é\u{1F600}"],
                    "a": { "b": { "c": node } }, "empty": {} } }),
        );
        for version in 1..3 {
            let resources: Vec<Value> = (0..40)
                .map(|n| {
                    json!({ "type": "File", "title": format!("/f{n}"), "exported": n == 0,
                        "tags": ["file", "a"], "file": "/m.pp", "line": n,
                        "parameters": { "mode": format!("{}", n * version), "b": true,
                            "list": [n, node % 7] } })
                })
                .collect();
            apply(
                "replace catalog",
                9,
                &json!({ "certname": name, "version": "v", "environment": "production",
                    "producer": "p", "producer_timestamp": at(version), "resources": resources,
                    "edges": [{ "source": { "type": "File", "title": "/f1" },
                        "target": { "type": "File", "title": "/f2" },
                        "relationship": "required-by" }],
                    "data": [["common.yaml", 3, "key"]] }),
            );
            apply(
                "store report",
                8,
                &json!({ "certname": name, "puppet_version": "8.0", "report_format": 12,
                    "configuration_version": "1", "start_time": at(version),
                    "end_time": at(version), "producer_timestamp": at(version), "producer": "p",
                    "environment": "production", "status": "changed", "noop": version == 1,
                    "logs": [{ "level": "notice", "message": "m" }], "metrics": [],
                    "resources": [{ "timestamp": at(version), "resource_type": "File",
                        "resource_title": "/f1", "skipped": false,
                        "containment_path": ["Stage[main]", "Main", "File[/f1]"],
                        "events": [{ "status": "success", "timestamp": at(version),
                            "property": "mode", "new_value": { "b": 1, "a": [2] },
                            "old_value": "0", "message": "made" }] }] }),
            );
        }
    }
    apply(
        "deactivate node",
        3,
        &json!({ "certname": "node3.test", "producer_timestamp": time::written(FIRST + 100_000) }),
    );
    let content = vec![7; 2_500_000];
    store.put_aside("sha256:07", &content, Some("etc/seven")).expect("kept");
    store
}

/// Returns everything that a store has as commands, and the changes of a node's catalog.
fn content(store: &Store) -> Vec<String> {
    let mut lines = Vec::new();
    let export = store.export(&mut |command| {
        lines.push(format!("{} {} {}", command.name, command.received, command.payload));
        true
    });
    export.expect("exported");
    lines.push(format!("{:?}", store.catalog_changes("node5.test").expect("changes")));
    lines.push(format!("{:?}", store.aside("sha256:07").expect("read").map(|it| it.len())));
    lines
}

fn migrate(from: &str, to: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kukla"));
    command.args(["store", "migrate", from, to, "--config", "/dev/null", "--vardir", "/nowhere"]);
    command
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned()
}

/// Kills copies at many moments; returns how many were killed before they were complete. `whole` is the time of a copy.
fn killed(from: &str, to: &str, whole: Duration) -> u32 {
    let (mut n_killed, mut seed) = (0, 12_345_u64);
    for _ in 0..KILLS {
        let mut child = migrate(from, to)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("kukla runs");
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The later ones go on from where the earlier ones were.
        let share = u32::try_from(seed >> 40).expect("it fits") % 1000;
        std::thread::sleep(whole / 5 * share / 1000);
        if child.try_wait().expect("a state").is_some() {
            return n_killed;
        }
        n_killed += 1;
        child.kill().expect("killed");
        child.wait().expect("ended");
    }
    n_killed
}

/// Completes a copy that was killed so often, unless the last one was faster than the kill.
fn complete(from: &str, to: &str, n_killed: u32) {
    assert!(n_killed >= KILLS / 4, "{n_killed} of {KILLS} were killed");
    let output = migrate(from, to).output().expect("kukla runs");
    let is_done = n_killed < KILLS && text(&output).contains("is not empty");
    assert!(output.status.success() || is_done, "{}", text(&output));
}

fn connect(address: &str) -> Store {
    Store::connect(Address::read(address).expect("an address")).expect("a store")
}

#[test]
fn needs_postgresql_copies_that_are_killed_go_on_and_are_equal() {
    let scratch = Scratch::new("killed");
    let source = fill(&scratch.0.join("a.sqlite3"));
    let expected = content(&source);
    let (from, database) = (format!("sqlite:{}", scratch.at("a.sqlite3")), postgres::database());
    let (start, other) = (Instant::now(), postgres::database());
    let output = migrate(&from, &other).output().expect("kukla runs");
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("240        240 reports"), "{}", text(&output));
    let whole = start.elapsed();
    complete(&from, &database, killed(&from, &database, whole));
    assert_eq!(content(&connect(&database)), expected);
    // Numbers go on behind those that were copied.
    let store = connect(&database);
    store.put_aside("sha256:08", b"8", None).expect("kept");
    assert!(store.aside("sha256:08").expect("read").is_some());
    let expected = content(&store);
    let back = format!("sqlite:{}", scratch.at("b.sqlite3"));
    complete(&database, &back, killed(&database, &back, whole));
    let copy = Store::open(&scratch.0.join("b.sqlite3")).expect("a store");
    assert_eq!(content(&copy), expected);
    assert!(copy.problems().expect("checked").is_empty());
    // What is there is not mixed with something else.
    let output = migrate(&from, &database).output().expect("kukla runs");
    assert!(text(&output).contains("is not empty"), "{}", text(&output));
}

#[test]
fn an_unfinished_copy_is_no_store_and_takes_nothing_else() {
    let scratch = Scratch::new("unfinished");
    drop(fill(&scratch.0.join("a.sqlite3")));
    let (from, to) = (format!("sqlite:{}", scratch.at("a.sqlite3")), scratch.0.join("b.sqlite3"));
    let place = format!("sqlite:{}", to.display());
    let mut child = migrate(&from, &place)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("kukla runs");
    // It is killed when it has begun to copy.
    let mut lines =
        std::io::BufRead::lines(std::io::BufReader::new(child.stderr.take().expect("it")));
    assert!(lines.next().is_some_and(|line| line.is_ok()));
    child.kill().expect("killed");
    child.wait().expect("ended");
    let refused = Store::open(&to).expect_err("it is unfinished").to_string();
    assert!(refused.contains("unfinished copy"), "{refused}");
    drop(fill(&scratch.0.join("c.sqlite3")));
    let other = format!("sqlite:{}", scratch.at("c.sqlite3"));
    let output = migrate(&other, &place).output().expect("kukla runs");
    assert!(text(&output).contains("unfinished copy of something else"), "{}", text(&output));
    let output = migrate(&from, &place).output().expect("kukla runs");
    assert!(output.status.success(), "{}", text(&output));
    Store::open(&to).expect("complete");
    let missing = migrate("sqlite:/nowhere/x", &place).output().expect("kukla runs");
    assert!(text(&missing).contains("there is no `/nowhere/x`"), "{}", text(&missing));
}

#[test]
fn an_archive_as_puppetdb_writes_it_makes_the_same_store() {
    let scratch = Scratch::new("archive");
    let source = fill(&scratch.0.join("a.sqlite3"));
    let (from, archive) = (format!("sqlite:{}", scratch.at("a.sqlite3")), scratch.at("db.tgz"));
    let output = migrate(&from, &archive).output().expect("kukla runs");
    assert!(text(&output).contains("476 commands; 5 have no place"), "{}", text(&output));
    // Other programs can read it.
    let listed = Command::new("tar").args(["tzf", &archive]).output().expect("`tar` runs");
    assert!(listed.status.success() && text(&listed).lines().count() == 477, "{}", text(&listed));
    // One of GNU's tar, with directories and long names, is read too.
    let unpacked = scratch.0.join("unpacked");
    std::fs::create_dir_all(&unpacked).expect("a directory");
    let tar = |words: &[&str]| {
        let status = Command::new("tar").args(words).current_dir(&unpacked).status();
        assert!(status.expect("`tar` runs").success());
    };
    tar(&["xzf", &archive]);
    let long = format!("puppetdb-bak/reports/{}.json", "n".repeat(200));
    let first = std::fs::read_dir(unpacked.join("puppetdb-bak/reports")).expect("reports").next();
    std::fs::rename(first.expect("one").expect("one").path(), unpacked.join(long))
        .expect("renamed");
    for (format, name) in [("gnu", "g.tgz"), ("pax", "p.tgz")] {
        let other = scratch.at(name);
        let folders = ["facts", "catalogs", "reports"].map(|name| format!("puppetdb-bak/{name}"));
        let [facts, catalogs, reports] = folders.each_ref().map(String::as_str);
        let metadata = "puppetdb-bak/export-metadata.json";
        tar(&["czf", &other, "--format", format, metadata, reports, facts, catalogs]);
        let to = format!("sqlite:{}.sqlite3", scratch.at(name));
        let output = migrate(&other, &to).output().expect("kukla runs");
        assert!(text(&output).contains("476 stored, 0 said nothing new"), "{}", text(&output));
        let again = migrate(&other, &to).output().expect("kukla runs");
        // Facts and catalogs of the same time replace themselves; a report counts once.
        assert!(text(&again).contains("238 stored, 238 said nothing new"), "{}", text(&again));
        let store = Store::open(&scratch.0.join(format!("{name}.sqlite3"))).expect("a store");
        let payloads = |store: &Store| {
            let mut all = Vec::new();
            let export = store.export(&mut |mut command| {
                // It is inactive, and PuppetDB has no place for lines of data.
                if command.payload["certname"] != "node3.test" {
                    command.payload.as_object_mut().expect("an object").shift_remove("data");
                    all.push(command.payload.to_string());
                }
                true
            });
            export.expect("exported");
            all
        };
        assert_eq!(payloads(&store), payloads(&source));
    }
    let to = scratch.at("none.sqlite3");
    let output = migrate(&scratch.at("none.tgz"), &format!("sqlite:{to}")).output();
    let words = text(&output.expect("kukla runs"));
    assert!(words.contains("none.tgz`: no such file or directory\n"), "{words}");
    assert!(!std::path::Path::new(&to).exists(), "nothing is made");
    let output = migrate(&archive, "mysql://u:secret@h/d").output().expect("kukla runs");
    let words = text(&output);
    assert!(words.contains("a place is `sqlite:PATH`") && !words.contains("secret"), "{words}");
    let cut = std::fs::read(&archive).expect("read");
    std::fs::write(scratch.0.join("cut.tgz"), &cut[..cut.len() / 2]).expect("written");
    let to = format!("sqlite:{}", scratch.at("cut.sqlite3"));
    let output = migrate(&scratch.at("cut.tgz"), &to).output().expect("kukla runs");
    assert!(!output.status.success() && text(&output).contains("cut.tgz"), "{}", text(&output));
}
