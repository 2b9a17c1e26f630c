//! Changes of catalogs, and lines of data with the number of nodes that use them.

#![expect(clippy::disallowed_methods, reason = "tests have files of their own")]

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use kukla_store::{Command, Receipt, ResourceDifference, Retention, Store, time};
use rusqlite::Connection;
use serde_json::{Value, json};

/// A store in a directory that is removed at the end of the test.
struct Fleet {
    store: Store,
    directory: PathBuf,
}

impl Fleet {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("kukla-changes-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&directory).expect("a directory");
        let store = Store::open(&directory.join("store.sqlite3")).expect("a store");
        Self { store, directory }
    }

    fn apply(&self, name: &str, version: i64, payload: &Value) {
        let command = Command::read(name, version, payload.to_string().as_bytes());
        let receipt = Receipt { received: time::now(), keeps_exports: false };
        let command = command.expect("a command");
        let applied = self.store.apply(&[(&command, receipt)]).expect("applied");
        assert!(applied.iter().all(Result::is_ok), "{applied:?}");
    }

    /// Stores the catalog of a minute, with files and the lines of data behind them.
    fn catalog(&self, node: &str, minute: u32, files: &[(&str, &str)], data: &Value) {
        let resource = |(title, mode): &(&str, &str)| {
            json!({ "type": "File", "title": title, "exported": false, "tags": [],
                "file": "site.pp", "line": 1, "parameters": { "mode": mode } })
        };
        let payload = json!({
            "certname": node, "version": minute.to_string(), "environment": "production",
            "producer": "puppet", "producer_timestamp": at(minute), "edges": [],
            "resources": files.iter().map(resource).collect::<Vec<_>>(), "data": data,
        });
        self.apply("replace catalog", 9, &payload);
    }

    fn difference(&self, node: &str, first: i64, last: i64) -> Vec<String> {
        let mode = |state: Option<kukla_store::ResourceState>| {
            state.map_or_else(|| "-".to_owned(), |it| it.parameters["mode"].to_string())
        };
        let line =
            |it: ResourceDifference| format!("{} {} {}", it.title, mode(it.before), mode(it.after));
        let all = self.store.catalog_difference(node, first, last).expect("a difference");
        all.into_iter().map(line).collect()
    }

    fn count(&self, table: &str) -> i64 {
        let connection = Connection::open(self.directory.join("store.sqlite3")).expect("opened");
        let query = format!("SELECT count(*) FROM {table}");
        connection.query_row(&query, [], |row| row.get(0)).expect("a number")
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn at(minute: u32) -> String {
    format!("2026-11-18T10:{minute:02}:00.000Z")
}

#[test]
fn two_catalogs_differ_by_what_went_and_came() {
    let fleet = Fleet::new();
    let catalogs: [&[(&str, &str)]; 5] = [
        &[("/a", "1"), ("/b", "1")],
        &[("/a", "1"), ("/b", "1")],
        &[("/a", "2"), ("/b", "1"), ("/c", "1")],
        &[("/a", "2"), ("/c", "1")],
        &[("/a", "1"), ("/c", "2")],
    ];
    for (minute, files) in (1..).zip(catalogs) {
        fleet.catalog("n", minute, files, &json!([]));
    }
    let changes = fleet.store.catalog_changes("n").expect("changes");
    let told: Vec<_> =
        changes.iter().map(|it| (it.version.as_str(), it.added, it.removed)).collect();
    // The first catalog is no change, and neither is the same one again.
    assert_eq!(told, [("5", 2, 2), ("4", 0, 1), ("3", 2, 1)]);
    let [fifth, fourth, third] = [0, 1, 2].map(|n: usize| changes[n].id);
    assert_eq!(fleet.difference("n", third, third), ["/a \"1\" \"2\"", "/c - \"1\""]);
    assert_eq!(fleet.difference("n", fourth, fourth), ["/b \"1\" -"]);
    // `/a` is as it was.
    assert_eq!(fleet.difference("n", third, fifth), ["/b \"1\" -", "/c - \"2\""]);
    assert_eq!(fleet.difference("other", third, fifth), Vec::<String>::new());
    assert_eq!(fleet.store.catalog_changes("other").expect("none"), []);
}

#[test]
fn changes_are_bounded_and_keep_what_they_name() {
    let fleet = Fleet::new();
    fleet.store.keep_changes(2);
    for minute in 1..=6 {
        fleet.catalog("n", minute, &[("/a", &minute.to_string())], &json!([]));
    }
    let changes = fleet.store.catalog_changes("n").expect("changes");
    assert_eq!(changes.len(), 2);
    let forever = Retention {
        node_ttl: std::time::Duration::ZERO,
        node_purge_ttl: std::time::Duration::ZERO,
        report_ttl: std::time::Duration::ZERO,
        bucket_ttl: std::time::Duration::ZERO,
    };
    let done = fleet.store.compact(forever).expect("compacted");
    // Six files were stored: the newest, and those of two changes before it, are kept.
    assert_eq!((done.content, fleet.count("resources")), (3, 3));
    assert_eq!(fleet.difference("n", changes[1].id, changes[0].id), ["/a \"4\" \"6\""]);
    fleet.store.keep_changes(0);
    fleet.catalog("n", 7, &[("/a", "7")], &json!([]));
    assert_eq!(fleet.store.catalog_changes("n").expect("changes").len(), 2, "none is added");
    assert!(fleet.store.purge("n").expect("purged"));
    assert_eq!((fleet.count("catalog_changes"), fleet.count("catalog_change_resources")), (0, 0));
    fleet.store.compact(forever).expect("compacted");
    assert_eq!(fleet.count("resources"), 0);
    assert_eq!(fleet.store.problems().expect("checked"), Vec::<String>::new());
}

#[test]
fn lines_of_data_are_counted_by_active_nodes() {
    let fleet = Fleet::new();
    let common = json!(["common.yaml", 1, "a"]);
    let own = json!(["100%_web.yaml", 7, "b::c"]);
    fleet.catalog("n1", 1, &[("/a", "1")], &json!([common, own]));
    fleet.catalog("n2", 1, &[("/a", "1")], &json!([common, own, common]));
    fleet.catalog("n3", 1, &[("/a", "1")], &json!([common]));
    fleet.catalog("n4", 1, &[("/a", "1")], &json!([common]));
    fleet.catalog("n5", 1, &[("/a", "1")], &json!([]));
    let deactivation = json!({ "certname": "n4", "producer_timestamp": at(2) });
    fleet.apply("deactivate node", 3, &deactivation);
    let uses = |sought: &str, limit: usize, offset: usize| {
        let (uses, total) = fleet.store.data_uses(sought, limit, offset).expect("uses");
        let line =
            |it: kukla_store::DataUse| format!("{}:{} {} {}", it.file, it.line, it.name, it.nodes);
        (uses.into_iter().map(line).collect::<Vec<_>>(), total)
    };
    let (first, second) = ("common.yaml:1 a 3".to_owned(), "100%_web.yaml:7 b::c 2".to_owned());
    assert_eq!(uses("", 10, 0), (vec![first, second.clone()], 2));
    assert_eq!(uses("", 10, 1), (vec![second.clone()], 2));
    assert_eq!(uses("COMMON", 10, 0).1, 1);
    assert_eq!(uses("0%_W", 10, 0), (vec![second], 1));
    assert_eq!(uses("_%_", 10, 0), (Vec::new(), 0));
    // Nodes with the same data share a set.
    assert_eq!((fleet.count("data_sets"), fleet.count("data_lines")), (2, 2));
    // A node whose data change leaves its set, and what no node uses is removed.
    fleet.catalog("n1", 3, &[("/a", "1")], &json!([common]));
    fleet.catalog("n2", 3, &[("/a", "1")], &json!([]));
    fleet.store.compact(Retention::default()).expect("compacted");
    assert_eq!((fleet.count("data_sets"), fleet.count("data_lines")), (1, 1));
}

#[test]
fn wrong_data_is_refused() {
    for data in
        [json!([1]), json!([["f", "1", "k"]]), json!([["f", 1]]), json!({}), json!([[1, 1, "k"]])]
    {
        let payload = json!({
            "certname": "n", "version": "1", "producer_timestamp": at(1), "resources": [], "edges": [], "data": data,
        });
        let read = Command::read("replace catalog", 9, payload.to_string().as_bytes());
        assert!(read.is_err(), "{data}");
    }
}

#[test]
fn data_survives_an_archive() {
    let fleet = Fleet::new();
    let data = json!([["a.yaml", 1, "x"], ["b.yaml", 2, "y"]]);
    fleet.catalog("n", 1, &[("/a", "1")], &data);
    let other = Fleet::new();
    let mut n_commands = 0;
    let export = fleet.store.export(&mut |archived| {
        n_commands += 1;
        other.apply(archived.name, archived.version, &archived.payload);
        true
    });
    export.expect("exported");
    assert_eq!(n_commands, 1);
    let (uses, _) = other.store.data_uses("", 10, 0).expect("uses");
    assert_eq!(uses.len(), 2);
}

#[test]
fn tables_of_version_2_get_the_new_ones() {
    let fleet = Fleet::new();
    fleet.catalog("n", 1, &[("/a", "1")], &json!([]));
    let path = fleet.directory.join("store.sqlite3");
    let connection = Connection::open(&path).expect("opened");
    // Children before their parents.
    for table in [
        "node_data",
        "data_set_lines",
        "data_sets",
        "data_lines",
        "catalog_change_resources",
        "catalog_changes",
        "bucket_parts",
        "bucket_paths",
        "bucket_files",
        "fact_changes",
    ] {
        connection.execute_batch(&format!("DROP TABLE {table}")).expect("dropped");
    }
    connection.execute_batch("PRAGMA user_version = 2").expect("changed");
    drop(connection);
    let store = Store::open(&path).expect("opened again");
    assert_eq!(store.status().expect("a status").version, 6);
    let reopened = Fleet { store, directory: fleet.directory.clone() };
    reopened.catalog("n", 2, &[("/a", "2")], &json!([["f", 1, "k"]]));
    assert_eq!(reopened.store.catalog_changes("n").expect("changes").len(), 1);
    std::mem::forget(reopened);
}
