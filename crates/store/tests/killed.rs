//! A process that is killed at any moment: every command that it accepted is stored once.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests run programs, and the one that is killed tells what it has accepted"
)]

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use kukla_store::{Queue, Store, Submission};
use rusqlite::Connection;

/// Names the directory to the process that is killed.
const DIRECTORY: &str = "KUKLA_KILLED_STORE";
/// The number of processes that are killed.
const KILLS: u32 = 12;

fn payload(number: u32) -> String {
    let minute = number % 60;
    format!(
        "{{\"certname\":\"node{number}\",\"producer_timestamp\":\"2026-11-18T10:{minute:02}:00Z\",\
         \"puppet_version\":\"8\",\"report_format\":12,\"configuration_version\":\"1\",\
         \"start_time\":\"2026-11-18T10:00:00Z\",\"end_time\":\"2026-11-18T10:00:00Z\",\
         \"logs\":[],\"metrics\":[],\"resources\":[]}}"
    )
}

/// The process that is killed: accepts commands, tells of them, and stores them on another thread.
#[test]
fn accepts_until_it_is_killed() {
    let Ok(directory) = std::env::var(DIRECTORY) else { return };
    let (directory, first) = directory.split_once('|').expect("a directory and a number");
    let first: u32 = first.parse().expect("a number");
    let directory = Path::new(directory);
    let store = Store::open(&directory.join("store.sqlite3")).expect("a store");
    let queue = Queue::open(&directory.join("queue")).expect("a queue");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while queue.wait(Duration::from_secs(1)) {
                queue.drain(&store).expect("stored");
            }
        });
        for number in first.. {
            let payload = payload(number);
            let payload = payload.as_bytes();
            let report =
                Submission { name: "store report", version: 8, payload, keeps_exports: false };
            queue.accept(report, true).expect("accepted");
            println!("accepted {number}");
            std::io::stdout().flush().expect("told");
        }
    });
}

#[test]
fn what_was_accepted_is_stored_once() {
    let directory = std::env::temp_dir().join(format!("kukla-killed-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("a directory");
    let mut accepted = BTreeSet::new();
    for kill in 0..KILLS {
        let value = format!("{}|{}", directory.display(), kill * 1_000_000);
        let program = std::env::current_exe().expect("this program");
        let mut child = Command::new(program)
            .args(["--exact", "accepts_until_it_is_killed", "--nocapture"])
            .env(DIRECTORY, value)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut number = |line: Option<std::io::Result<String>>| {
            let line = line?.ok()?;
            let (_, number) = line.split_once("accepted ")?;
            accepted.insert(number.parse::<u32>().ok()?);
            Some(())
        };
        let mut n_told = 0;
        // Each is killed at another moment.
        while n_told < 5 + kill * 7 {
            let line = lines.next();
            assert!(line.is_some(), "the process has ended by itself");
            n_told += u32::from(number(line).is_some());
        }
        child.kill().expect("killed");
        child.wait().expect("gone");
        for line in lines {
            number(Some(line));
        }
    }
    let store = Store::open(&directory.join("store.sqlite3")).expect("a store");
    let queue = Queue::open(&directory.join("queue")).expect("a queue");
    while queue.waiting().records > 0 {
        assert!(queue.drain(&store).expect("stored").discarded.is_empty());
    }
    assert!(store.problems().expect("checked").is_empty());
    let connection = Connection::open(directory.join("store.sqlite3")).expect("opened");
    let mut statement = connection
        .prepare("SELECT certname FROM reports JOIN nodes ON nodes.id = node_id")
        .expect("a query");
    let names = statement.query_map([], |row| row.get::<_, String>(0)).expect("rows");
    let stored: Vec<u32> = names
        .map(|name| name.expect("a name").trim_start_matches("node").parse().expect("a number"))
        .collect();
    let once: BTreeSet<u32> = stored.iter().copied().collect();
    assert_eq!(stored.len(), once.len(), "a report is stored twice");
    let lost: Vec<_> = accepted.difference(&once).collect();
    assert!(lost.is_empty(), "accepted and not stored: {lost:?}");
    // A command may be stored whose acceptance was not told any more: one for each kill.
    assert!(once.len() <= accepted.len() + KILLS as usize);
    std::fs::remove_dir_all(&directory).expect("removed");
}
