//! Tables of version 4 are brought to the current one by a program that is killed again and again.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests have files of their own, and kill programs"
)]

#[path = "support/postgres.rs"]
#[expect(dead_code, reason = "other tests kill the server")]
mod postgres;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use kukla_store::{Address, Command as StoreCommand, Receipt, Store};
use rusqlite::Connection;
use serde_json::json;

/// Names the store to the process that is killed.
const PLACE: &str = "KUKLA_UPGRADED_STORE";
/// Reports, and how often their events are doubled: the change takes a while.
const REPORTS: u32 = 40;
const DOUBLED: u32 = 8;

/// Makes tables of the current version those of version 4.
const BEFORE: &str = "ALTER TABLE report_bodies DROP COLUMN events; DROP TABLE report_counts; \
    DROP INDEX reports_by_start; CREATE INDEX events_by_node ON events (node_id); \
    DROP TABLE fact_changes;";
/// The numbers of events of all reports, as rows and as they are kept.
const ROWS: &str = "SELECT count(*) FROM events";
const KEPT: &str =
    "SELECT CAST(sum(failures + skips + successes + noops) AS BIGINT) FROM report_counts";

fn fill(store: &Store) {
    for number in 0..REPORTS {
        let time = format!("2026-11-18T10:{number:02}:00Z");
        let resources: Vec<_> = (0..20)
            .map(|n| {
                let status = ["failure", "success", "noop"][n % 3];
                json!({ "timestamp": time, "resource_type": "File", "resource_title": format!("/{n}"),
                    "skipped": n == 0, "events": [{ "status": status, "timestamp": time }] })
            })
            .collect();
        let payload = json!({
            "certname": format!("node{number}"), "producer_timestamp": time, "start_time": time,
            "end_time": time, "puppet_version": "8", "report_format": 12, "status": "changed",
            "configuration_version": "1", "logs": [], "metrics": [], "resources": resources,
        });
        let command = StoreCommand::read("store report", 8, payload.to_string().as_bytes());
        let receipt = Receipt { received: 0, keeps_exports: false };
        let applied = store.apply(&[(&command.expect("a command"), receipt)]).expect("applied");
        assert!(applied.iter().all(Result::is_ok), "{applied:?}");
    }
}

/// Doubles the events of all reports.
fn doubled(round: u32) -> String {
    let columns = "node_id, status, timestamp, resource_type, resource_title";
    let shift = 20_u32 << round;
    format!(
        "INSERT INTO events (report_id, position, {columns}) \
         SELECT report_id, position + {shift}, {columns} FROM events"
    )
}

fn open(place: &str) -> Store {
    match place.starts_with("postgresql:") {
        true => Store::connect(Address::read(place).expect("an address")).expect("a store"),
        false => Store::open(place.as_ref()).expect("a store"),
    }
}

/// The process that is killed.
#[test]
fn opens_until_it_is_killed() {
    let Ok(place) = std::env::var(PLACE) else { return };
    drop(open(&place));
}

/// Kills programs that open a store, later and later, until one is done; returns how many were killed.
fn kill_until_it_is_done(place: &str) -> u32 {
    let program = std::env::current_exe().expect("this program");
    for n_killed in 0..1000 {
        let mut child = Command::new(&program)
            .args(["--exact", "opens_until_it_is_killed"])
            .env(PLACE, place)
            .stdout(Stdio::null())
            .spawn()
            .expect("a process");
        let end = Instant::now() + Duration::from_millis(4 + u64::from(n_killed) * 6);
        while Instant::now() < end {
            if let Some(status) = child.try_wait().expect("a status") {
                assert!(status.success());
                return n_killed;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().expect("killed");
        child.wait().expect("gone");
    }
    panic!("the tables are never brought up");
}

#[test]
fn a_file_is_of_one_version_or_the_other() {
    let directory = std::env::temp_dir().join(format!("kukla-upgrade-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("a directory");
    let path = directory.join("store.sqlite3");
    fill(&Store::open(&path).expect("a store"));
    let connection = Connection::open(&path).expect("opened");
    connection.execute_batch(BEFORE).expect("changed");
    (0..DOUBLED).for_each(|n| connection.execute_batch(&doubled(n)).expect("doubled"));
    connection.execute_batch("PRAGMA user_version = 4").expect("changed");
    let number = |query: &str| connection.query_row(query, [], |row| row.get::<_, i64>(0));
    let n_events = number(ROWS).expect("a number");
    let n_killed = kill_until_it_is_done(path.to_str().expect("a text"));
    assert!(n_killed > 0);
    assert_eq!(number("PRAGMA user_version").expect("a number"), 6);
    assert_eq!(number(KEPT).expect("a number"), n_events);
    assert!(open(path.to_str().expect("a text")).problems().expect("checked").is_empty());
    std::fs::remove_dir_all(&directory).expect("removed");
}

#[test]
fn needs_postgresql_a_database_is_of_one_version_or_the_other() {
    let address = postgres::database();
    fill(&postgres::connect(&address));
    postgres::ask(&address, BEFORE);
    (0..DOUBLED).for_each(|n| drop(postgres::ask(&address, &doubled(n))));
    postgres::ask(&address, "UPDATE kukla_schema SET version = 4");
    let number = |query: &str| postgres::ask(&address, query)[0].parse::<i64>().expect("a number");
    let n_events = number(ROWS);
    let n_killed = kill_until_it_is_done(&address);
    assert!(n_killed > 0);
    assert_eq!(number("SELECT version FROM kukla_schema"), 6);
    assert_eq!(number(KEPT), n_events);
}
