//! Commands become rows by PuppetDB's rules, and those that wait survive the end of a process.

#![expect(clippy::disallowed_methods, reason = "tests read and write files and look at the clock")]

#[path = "support/samples.rs"]
mod samples;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kukla_catalog::exports::{ExportSearch, Exports};
use kukla_store::{
    Command, CommandError, Outcome, Queue, Receipt, Retention, Store, Submission, SubmitError, time,
};
use rusqlite::Connection;
use samples::{apply, at, catalog, command, deactivation, facts, file, report};
use serde_json::{Value, json};

/// A directory that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("kukla-commands-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder can be made");
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("store.sqlite3")
    }

    fn store(&self) -> Store {
        Store::open(&self.file()).expect("it can be opened")
    }

    /// Returns the first column of a query as texts.
    fn ask(&self, query: &str) -> Vec<String> {
        let connection = Connection::open(self.file()).expect("opened");
        let mut statement = connection.prepare(query).expect("a query");
        let text = |row: &rusqlite::Row<'_>| {
            let value: rusqlite::types::Value = row.get(0)?;
            Ok(match value {
                rusqlite::types::Value::Null => "null".to_owned(),
                rusqlite::types::Value::Integer(number) => number.to_string(),
                rusqlite::types::Value::Real(number) => number.to_string(),
                rusqlite::types::Value::Text(text) => text,
                rusqlite::types::Value::Blob(bytes) => format!("{} bytes", bytes.len()),
            })
        };
        let rows = statement.query_map([], text).expect("rows");
        rows.map(|row| row.expect("a row")).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn older_facts_are_ignored_and_equal_content_is_stored_once() {
    let folder = Folder::new();
    let store = folder.store();
    let values = json!({ "os": { "family": "Debian", "none": {} }, "n": 1, "text": "a\u{0}b" });
    assert_eq!(apply(&store, &facts("a", 10, &values)), Outcome::Stored);
    assert_eq!(apply(&store, &facts("b", 10, &values)), Outcome::Stored);
    let older = json!({ "os": "older" });
    assert_eq!(apply(&store, &facts("a", 9, &older)), Outcome::Stale);
    assert_eq!(folder.ask("SELECT count(*) FROM facts"), ["6"]);
    assert_eq!(
        folder.ask("SELECT value FROM fact_values ORDER BY value"),
        ["\"a\u{fffd}b\"", "1", r#"{"family":"Debian","none":{}}"#,]
    );
    // An empty hash has no place.
    assert_eq!(
        folder.ask("SELECT path FROM fact_paths ORDER BY path"),
        [r#"["n"]"#, r#"["os","family"]"#, r#"["text"]"#,]
    );
    assert_eq!(folder.ask("SELECT count(DISTINCT hash) FROM factsets"), ["1"]);
    // New facts replace the old ones, and a compaction removes content without links.
    assert_eq!(apply(&store, &facts("a", 11, &json!({ "n": 2 }))), Outcome::Stored);
    assert_eq!(apply(&store, &facts("b", 11, &json!({ "n": 2 }))), Outcome::Stored);
    let keep = Retention {
        node_ttl: Duration::ZERO,
        node_purge_ttl: Duration::ZERO,
        report_ttl: Duration::ZERO,
        bucket_ttl: Duration::ZERO,
    };
    let compacted = store.compact(keep).expect("compacted");
    assert_eq!(compacted.content, 5, "three values and two places");
    assert_eq!(folder.ask("SELECT value FROM fact_values"), ["2"]);
    assert!(store.problems().expect("checked").is_empty());
}

#[test]
fn a_catalog_replaces_the_one_before_and_exports_are_found() {
    let folder = Folder::new();
    let store = folder.store();
    let exported = json!({
        "type": "Host", "title": "a", "exported": true, "tags": ["host", "lan"],
        "parameters": { "ip": "10.0.0.1" },
    });
    let first = json!([file("/x", "0644"), file("/y", "0644"), exported]);
    assert_eq!(apply(&store, &catalog("a", 10, &first)), Outcome::Stored);
    assert_eq!(apply(&store, &catalog("b", 10, &json!([file("/x", "0644")]))), Outcome::Stored);
    let search = ExportSearch { type_: "Host", node: "b", filter: None };
    assert_eq!(store.search(&search).expect("searched").len(), 1);
    let second = json!([file("/x", "0600"), file("/y", "0644")]);
    assert_eq!(apply(&store, &catalog("a", 11, &second)), Outcome::Stored);
    assert_eq!(apply(&store, &catalog("a", 10, &first)), Outcome::Stale);
    assert!(store.search(&search).expect("searched").is_empty());
    let titles = "SELECT title || parameters FROM catalog_resources \
        JOIN resources ON resources.id = resource_id JOIN nodes ON nodes.id = node_id \
        WHERE certname = 'a' ORDER BY title";
    assert_eq!(folder.ask(titles), [r#"/x{"mode":"0600"}"#, r#"/y{"mode":"0644"}"#]);
    assert_eq!(folder.ask("SELECT tags FROM resources WHERE title = '/y'"), [r#"["file","web"]"#]);
    assert_eq!(folder.ask("SELECT count(*) FROM edges"), ["1"]);
}

#[test]
fn a_report_counts_once_and_its_events_are_found() {
    let folder = Folder::new();
    let store = folder.store();
    assert_eq!(apply(&store, &report("a", 12, "changed")), Outcome::Stored);
    assert_eq!(apply(&store, &report("a", 11, "failed")), Outcome::Stored);
    assert_eq!(apply(&store, &report("a", 12, "changed")), Outcome::Duplicate);
    let latest = "SELECT status FROM nodes JOIN reports ON reports.id = latest_report_id";
    assert_eq!(folder.ask(latest), ["changed"]);
    let events = "SELECT resource_title || ' ' || status || ' ' || ifnull(containing_class, '-') \
        FROM events ORDER BY report_id, position LIMIT 2";
    assert_eq!(folder.ask(events), ["/x success Role::Web", "y skipped -"]);
}

#[test]
fn a_deactivated_node_comes_back_with_something_newer() {
    let folder = Folder::new();
    let store = folder.store();
    let is_active = || folder.ask("SELECT deactivated IS NULL FROM nodes") == ["1"];
    assert_eq!(apply(&store, &facts("a", 10, &json!({}))), Outcome::Stored);
    assert_eq!(apply(&store, &deactivation("a", 9)), Outcome::Stale);
    assert!(is_active());
    assert_eq!(apply(&store, &deactivation("a", 11)), Outcome::Stored);
    assert!(!is_active());
    apply(&store, &report("a", 10, "unchanged"));
    assert!(!is_active(), "what is older does not count");
    apply(&store, &report("a", 12, "unchanged"));
    assert!(is_active());
    assert_eq!(apply(&store, &deactivation("unknown", 1)), Outcome::Stored);
    assert_eq!(folder.ask("SELECT count(*) FROM nodes"), ["2"]);
}

#[test]
fn nodes_expire_and_are_removed_with_everything() {
    let folder = Folder::new();
    let store = folder.store();
    let old = Receipt { received: time::now() - 1000 * 3600, keeps_exports: false };
    let commands = [
        facts("a", 10, &json!({ "n": 1 })),
        catalog("a", 10, &json!([])),
        report("a", 10, "failed"),
    ];
    for command in &commands {
        store.apply(&[(command, old)]).expect("applied").remove(0).expect("stored");
    }
    let hours = |n: u64| Duration::from_secs(n * 3600);
    let retention = Retention {
        node_ttl: hours(2),
        node_purge_ttl: hours(2),
        report_ttl: Duration::ZERO,
        bucket_ttl: Duration::ZERO,
    };
    assert_eq!(store.compact(retention).expect("compacted").expired_nodes, 0);
    let retention = Retention { node_ttl: Duration::from_secs(60), ..retention };
    assert_eq!(store.compact(retention).expect("compacted").expired_nodes, 1);
    std::thread::sleep(Duration::from_millis(20));
    let retention = Retention { node_purge_ttl: Duration::from_millis(10), ..retention };
    assert_eq!(store.compact(retention).expect("compacted").purged_nodes, 1);
    for table in ["nodes", "facts", "fact_values", "catalogs", "reports", "events", "report_bodies"]
    {
        assert_eq!(folder.ask(&format!("SELECT count(*) FROM {table}")), ["0"], "{table}");
    }
}

#[test]
fn an_export_makes_the_same_store_anew() {
    let (folder, other) = (Folder::new(), Folder::new());
    let store = folder.store();
    for command in [
        facts("a", 10, &json!({ "os": { "family": "Debian" } })),
        catalog("a", 10, &json!([file("/x", "0644")])),
        report("a", 10, "changed"),
        report("b", 11, "failed"),
        deactivation("c", 11),
    ] {
        apply(&store, &command);
    }
    let copy = other.store();
    store
        .export(&mut |archived| {
            let command = command(archived.name, archived.version, &archived.payload);
            let receipt = Receipt { received: archived.received, keeps_exports: false };
            copy.apply(&[(&command, receipt)]).expect("applied").remove(0).expect("stored");
            true
        })
        .expect("exported");
    for query in [
        "SELECT certname || ifnull(deactivated, '-') FROM nodes ORDER BY 1",
        "SELECT hash || timestamp FROM factsets ORDER BY 1",
        "SELECT hash || timestamp FROM catalogs ORDER BY 1",
        "SELECT hash || receive_time FROM reports ORDER BY 1",
        "SELECT resource_title || status FROM events ORDER BY 1",
        "SELECT package_name FROM packages",
    ] {
        let rows = folder.ask(query);
        assert!(!rows.is_empty(), "{query}");
        assert_eq!(rows, other.ask(query), "{query}");
    }
}

#[test]
fn wrong_commands_are_refused_with_their_place() {
    let read = |name: &str, version: i64, payload: Value| {
        Command::read(name, version, payload.to_string().as_bytes())
            .expect_err("refused")
            .to_string()
    };
    assert!(read("replace nothing", 1, json!({})).starts_with("Supported commands are"));
    assert_eq!(read("replace_facts", 3, json!({})), "replace facts version 3 is retired");
    assert_eq!(read("replace facts", 6, json!({})), "replace facts version 6 is not known yet");
    for (payload, expected) in [
        (json!([]), "the payload: expected an object"),
        (json!({}), "certname: expected a text"),
        (json!({ "certname": "a", "producer_timestamp": "soon" }), "producer_timestamp: expected"),
        (json!({ "certname": "a".repeat(256), "producer_timestamp": at(1) }), "certname: expected"),
        (
            json!({ "certname": "a", "producer_timestamp": at(1), "version": "1",
                "resources": [{ "type": "File", "title": "x", "parameters": [] }] }),
            "resources[0].parameters: expected an object",
        ),
        (
            json!({ "certname": "a", "producer_timestamp": at(1), "version": "1", "edges": [{
                "source": { "type": "A", "title": "a" }, "target": { "type": "A", "title": "b" },
                "relationship": "likes" }] }),
            "edges[0].relationship: expected contains",
        ),
    ] {
        let words = read("replace catalog", 9, payload);
        assert!(words.starts_with(expected), "{words}");
    }
    let deep = format!("{{\"certname\":\"a\",\"values\":{}1{}}}", "[".repeat(200), "]".repeat(200));
    let error = Command::read("replace facts", 5, deep.as_bytes()).expect_err("too deep");
    assert!(matches!(error, CommandError::Json(_)), "{error}");
}

fn accept(queue: &Queue, command: &str, version: i64, payload: &Value) -> Result<u64, SubmitError> {
    let payload = payload.to_string();
    let payload = payload.as_bytes();
    queue.accept(Submission { name: command, version, payload, keeps_exports: false }, true)
}

fn some_facts(node: &str, minute: u32) -> Value {
    json!({ "certname": node, "producer_timestamp": at(minute), "values": { "n": minute } })
}

fn drain(queue: &Queue, store: &Store) -> (usize, usize) {
    let mut counts = (0, 0);
    while queue.waiting().records > 0 {
        let drained = queue.drain(store).expect("drained");
        assert!(drained.discarded.is_empty(), "{drained:?}");
        counts = (counts.0 + drained.stored, counts.1 + drained.ignored);
    }
    counts
}

#[test]
fn accepted_commands_survive_and_are_stored_once() {
    let folder = Folder::new();
    let directory = folder.0.join("queue");
    {
        let queue = Queue::open(&directory).expect("opened");
        for minute in 0..30 {
            accept(&queue, "replace_facts", 5, &some_facts("a", minute)).expect("accepted");
        }
        assert!(accept(&queue, "replace_facts", 5, &json!({})).is_err());
        // The process ends without storing anything.
    }
    let store = folder.store();
    let queue = Queue::open(&directory).expect("opened");
    assert_eq!(queue.waiting().records, 30);
    assert_eq!(drain(&queue, &store), (30, 0));
    assert!(queue.wait_for(29, Duration::ZERO));
    assert_eq!(folder.ask("SELECT value FROM facts JOIN fact_values ON id = value_id"), ["29"]);
    drop(queue);
    // The journal was not cleared: all are seen again, and nothing changes.
    let queue = Queue::open(&directory).expect("opened");
    drain(&queue, &store);
    assert_eq!(folder.ask("SELECT value FROM facts JOIN fact_values ON id = value_id"), ["29"]);
    queue.clear().expect("cleared");
    drop(queue);
    assert_eq!(Queue::open(&directory).expect("opened").waiting().records, 0);
}

#[test]
fn two_processes_have_lanes_of_their_own_and_what_one_left_is_taken_over() {
    let folder = Folder::new();
    let directory = folder.0.join("queue");
    let first = Queue::open(&directory).expect("opened");
    let second = Queue::open(&directory).expect("opened beside");
    accept(&first, "replace facts", 5, &some_facts("a", 1)).expect("accepted");
    accept(&second, "replace facts", 5, &some_facts("b", 1)).expect("accepted");
    drop((first, second));
    let queue = Queue::open(&directory).expect("opened");
    assert_eq!(queue.waiting().records, 2);
    assert_eq!(drain(&queue, &folder.store()), (2, 0));
    assert_eq!(folder.ask("SELECT certname FROM nodes ORDER BY 1"), ["a", "b"]);
}

#[test]
fn exports_of_the_first_version_are_taken_over_and_newer_tables_are_refused() {
    let folder = Folder::new();
    let old = Connection::open(folder.file()).expect("opened");
    old.execute_batch(
        "CREATE TABLE exported (node TEXT NOT NULL, position INTEGER NOT NULL, type TEXT NOT NULL, \
         title TEXT NOT NULL, tags TEXT NOT NULL, parameters TEXT NOT NULL, \
         PRIMARY KEY (node, position)) WITHOUT ROWID; \
         CREATE INDEX exported_by_type ON exported (type, node, position); \
         INSERT INTO exported VALUES ('b', 0, 'Host', 'x', 'host', '{\"ip\":\"::1\"}'), \
         ('a', 0, 'Host', 'y', 'host', '{}'); PRAGMA user_version = 1;",
    )
    .expect("tables of the first version");
    drop(old);
    let found = folder.store().nodes().expect("read");
    assert_eq!(found, [("a".to_owned(), 1), ("b".to_owned(), 1)]);
    assert_eq!(folder.store().of_node("b").expect("read")[0].title, "x");
    let newer = Connection::open(folder.file()).expect("opened");
    newer.execute_batch("PRAGMA user_version = 99").expect("changed");
    drop(newer);
    let error = Store::open(Path::new(&folder.file())).expect_err("newer").to_string();
    assert!(error.contains("a newer Kukla wrote it (version 99 of its tables)"), "{error}");
}
