//! The history of facts, in both engines.

#![expect(clippy::disallowed_methods, reason = "tests have files of their own")]

#[path = "support/postgres.rs"]
#[expect(dead_code, reason = "other tests open stores")]
mod needs_postgresql;
#[path = "support/samples.rs"]
#[expect(dead_code, reason = "other tests have catalogs and reports")]
mod samples;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kukla_store::{FactChange, FactHistory, FactPattern, Outcome, Retention, Store, Target};
use rusqlite::Connection;
use samples::{apply, facts};
use serde_json::{Value, json};

/// A directory that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("kukla-history-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&directory).expect("a directory");
        Self(directory)
    }

    fn file(&self) -> PathBuf {
        self.0.join("store.sqlite3")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn history(most: u32, ignored: &[&str]) -> FactHistory {
    let ignored = ignored.iter().map(|text| FactPattern::read(text).expect("a pattern"));
    FactHistory { most, age: Duration::ZERO, ignored: ignored.collect() }
}

fn say(store: &Store, minute: u32, values: &Value) {
    assert_eq!(apply(store, &facts("n", minute, values)), Outcome::Stored);
}

/// Returns changes as lines, the newest first.
fn lines(store: &Store) -> Vec<String> {
    let value = |value: &Option<Value>| value.as_ref().map_or("-".to_owned(), Value::to_string);
    let line =
        |it: &FactChange| format!("{} {} {}", it.place(), value(&it.before), value(&it.after));
    let mut lines = Vec::new();
    let is_known = store.each_fact_change("n", &mut |change| {
        lines.push(line(change));
        true
    });
    assert!(is_known.expect("read"), "the node is known");
    let n_lines = lines.len();
    assert_eq!(store.n_fact_changes("n").expect("counted"), Some(n_lines));
    let parts = store.fact_changes("n", 2, 1).expect("a part");
    assert_eq!(parts.iter().map(line).collect::<Vec<_>>(), lines[1.min(n_lines)..3.min(n_lines)]);
    lines
}

fn in_both_engines(test: impl Fn(&Store)) {
    let folder = Folder::new();
    test(&Store::open(&folder.file()).expect("a store"));
    test(&needs_postgresql::store());
}

#[test]
fn needs_postgresql_changes_of_single_values_are_kept() {
    in_both_engines(|store| {
        store.keep_facts(history(100, &["uptime*", "memory.*.used"]));
        let first = json!({ "os": { "name": "Debian", "release": { "major": "11" } }, "n": 1, "x": null,
            "list": ["a", "b"], "uptime": 1, "uptime_days": 1, "memory": { "system": { "used": 1, "total": 2 } } });
        say(store, 1, &first);
        assert_eq!(lines(store), [""; 0], "the first facts are no change");
        say(store, 2, &first);
        assert_eq!(lines(store), [""; 0]);
        say(
            store,
            3,
            &json!({ "os": { "name": "Debian", "release": { "major": "12" } }, "n": "1",
            "list": ["a"], "new": { "a": true }, "uptime": 2, "uptime_days": 3,
            "memory": { "system": { "used": 5, "total": 3 } }, "empty": {} }),
        );
        let expected = [
            "x null -",
            "os.release.major \"11\" \"12\"",
            "new.a - true",
            "n 1 \"1\"",
            "memory.system.total 2 3",
            "list.1 \"b\" -",
        ];
        assert_eq!(lines(store), expected);
        // What is older than the store's facts changes nothing.
        assert_eq!(apply(store, &facts("n", 2, &json!({ "n": 7 }))), Outcome::Stale);
        assert_eq!(lines(store), expected);
        assert_eq!(store.n_fact_changes("other").expect("counted"), None);
    });
}

#[test]
fn needs_postgresql_the_history_is_bounded() {
    in_both_engines(|store| {
        // It is off.
        say(store, 1, &json!({ "n": 0 }));
        say(store, 2, &json!({ "n": 1 }));
        assert_eq!(lines(store), [""; 0]);
        store.keep_facts(history(3, &[]));
        for minute in 3..10 {
            say(store, minute, &json!({ "n": minute }));
        }
        assert_eq!(lines(store), ["n 8 9", "n 7 8", "n 6 7"]);
        // One command has more changes than are kept.
        let many: serde_json::Map<_, _> =
            (0..50).map(|n| (format!("f{n:02}"), Value::from(n))).collect();
        say(store, 10, &many.into());
        assert_eq!(lines(store), ["f02 - 2", "f01 - 1", "f00 - 0"]);
        let long = "ä".repeat(5000);
        say(store, 11, &json!({ "long": long, "deep": { "k".repeat(10_000): 1 } }));
        let shown = lines(store);
        assert!(shown.iter().all(|line| line.len() < 2000), "{shown:?}");
        store.keep_facts(history(1, &[]));
        say(store, 12, &json!({ "long": format!("{long}!") }));
        let [line] = &lines(store)[..] else { panic!("one change") };
        assert!(line.contains("ä… (10000 bytes)") && line.contains("ä… (10001 bytes)"), "{line}");
    });
}

#[test]
fn needs_postgresql_changes_go_with_their_time_and_their_node() {
    in_both_engines(|store| {
        store.keep_facts(history(10, &[]));
        say(store, 1, &json!({ "n": 1 }));
        say(store, 2, &json!({ "n": 2 }));
        let forever = Retention {
            node_ttl: Duration::ZERO,
            node_purge_ttl: Duration::ZERO,
            report_ttl: Duration::ZERO,
            bucket_ttl: Duration::ZERO,
        };
        store.compact(forever).expect("compacted");
        assert_eq!(lines(store), ["n 1 2"]);
        store.keep_facts(FactHistory { age: Duration::from_secs(1), ..history(10, &[]) });
        store.compact(forever).expect("compacted");
        assert_eq!(lines(store), [""; 0], "it is of a day of the past");
        say(store, 3, &json!({ "n": 3 }));
        assert_eq!(lines(store), ["n 2 3"]);
        assert!(store.purge("n").expect("purged"));
        assert_eq!(store.n_fact_changes("n").expect("counted"), None);
        say(store, 4, &json!({ "n": 4 }));
        assert_eq!(lines(store), [""; 0]);
    });
}

#[test]
fn needs_postgresql_a_copy_has_the_history() {
    let folder = Folder::new();
    let store = Store::open(&folder.file()).expect("a store");
    store.keep_facts(history(10, &[]));
    say(&store, 1, &json!({ "n": null, "t": "x" }));
    say(&store, 2, &json!({ "n": [1.5], "t": null }));
    let address = needs_postgresql::database();
    let target = Target::database(kukla_store::Address::read(&address).expect("an address"));
    store.migrate(&target.expect("a target"), &mut |_| ()).expect("copied");
    let copy = needs_postgresql::connect(&address);
    assert_eq!(lines(&copy), lines(&store));
    assert_eq!(lines(&copy), ["t \"x\" null", "n null -", "n.0 - 1.5"]);
    // New changes get new numbers.
    copy.keep_facts(history(10, &[]));
    say(&copy, 3, &json!({ "n": [2.5], "t": null }));
    assert_eq!(lines(&copy)[0], "n.0 1.5 2.5");
}

#[test]
fn needs_postgresql_tables_of_version_5_get_the_history() {
    let folder = Folder::new();
    say(&Store::open(&folder.file()).expect("a store"), 1, &json!({ "n": 1 }));
    let connection = Connection::open(folder.file()).expect("opened");
    let older = "DROP TABLE fact_changes; PRAGMA user_version = 5";
    connection.execute_batch(older).expect("changed");
    drop(connection);
    let address = needs_postgresql::database();
    say(&needs_postgresql::connect(&address), 1, &json!({ "n": 1 }));
    needs_postgresql::ask(&address, "DROP TABLE fact_changes");
    needs_postgresql::ask(&address, "UPDATE kukla_schema SET version = 5");
    let stores =
        [Store::open(&folder.file()).expect("opened again"), needs_postgresql::connect(&address)];
    for store in stores {
        store.keep_facts(history(10, &[]));
        say(&store, 2, &json!({ "n": 2 }));
        assert_eq!(lines(&store), ["n 1 2"]);
        assert_eq!(store.status().expect("a status").version, 6);
    }
}
