//! Nodes that say again what they said before: the store learns of the occasion, and keeps the content.

#![expect(clippy::disallowed_methods, reason = "tests read and write files")]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kukla_store::{Command, Outcome, Queue, Receipt, Saying, Store, Subject, Submission, time};
use rusqlite::Connection;
use serde_json::json;

/// A store with its queue.
struct Site {
    store: Store,
    queue: Queue,
    folder: Folder,
}

/// A directory that is removed at the end of the test.
struct Folder(PathBuf);

impl Site {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("kukla-said-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&directory).expect("a directory");
        let (store, queue) = open(&directory);
        Self { store, queue, folder: Folder(directory) }
    }

    /// Ends the process, so to speak, and starts it again: nothing was stored of what waits.
    fn restarted(self) -> Self {
        let Self { store, queue, folder } = self;
        drop((store, queue));
        let (store, queue) = open(&folder.0);
        Self { store, queue, folder }
    }

    /// Says the facts of a node; returns whether all of them were written down.
    fn facts(&self, minute: u32, value: u32) -> bool {
        self.say(Subject::Facts, minute, value, true)
    }

    /// Says the catalog of a node; returns whether all of it was written down.
    fn catalog(&self, minute: u32, value: u32) -> bool {
        self.say(Subject::Catalog, minute, value, true)
    }

    fn say(&self, subject: Subject, minute: u32, value: u32, may_be_short: bool) -> bool {
        let is_whole = std::cell::Cell::new(false);
        let whole = || {
            is_whole.set(true);
            payload(subject, minute, value).to_string()
        };
        let same = |since: &str| {
            json!({ "certname": "a", "producer_timestamp": at(minute), "producer": "puppet",
                "version": minute, "transaction_uuid": format!("run {minute}"),
                "environment": "production", "since": since })
            .to_string()
        };
        let content = value.to_string();
        let saying = Saying {
            node: "a",
            subject,
            content: &[b"production", content.as_bytes()],
            time: time::read(&at(minute)).expect("a time"),
            keeps_exports: false,
            may_be_short,
            whole: &whole,
            same: &same,
        };
        self.queue.say(&self.store, &saying).expect("accepted");
        is_whole.get()
    }

    /// Stores everything that waits; returns what was left out.
    fn drain(&self) -> Vec<String> {
        let mut words = Vec::new();
        while self.queue.waiting().records > 0 {
            let drained = self.queue.drain(&self.store).expect("drained");
            words.extend(drained.discarded.iter().map(|(what, error)| format!("{what}: {error}")));
        }
        words
    }

    /// Lets another program tell the store, behind the back of the queue.
    fn tell(&self, subject: Subject, minute: u32, value: u32) {
        let payload = payload(subject, minute, value).to_string();
        let (name, version) = name(subject);
        let command = Command::read(name, version, payload.as_bytes()).expect("a command");
        let receipt = Receipt { received: time::now(), keeps_exports: false };
        let applied = self.store.apply(&[(&command, receipt)]).expect("applied").remove(0);
        assert_eq!(applied.expect("stored"), Outcome::Stored);
    }

    fn ask(&self, query: &str) -> String {
        let connection = Connection::open(self.folder.0.join("store.sqlite3")).expect("opened");
        connection.query_row(query, [], |row| row.get(0)).expect("a row")
    }

    /// Returns time, number of values and the value of what the store has.
    fn has(&self, subject: Subject) -> String {
        self.ask(match subject {
            Subject::Facts => {
                "SELECT (producer_timestamp / 60000 % 60) || ' ' || count(*) || ' ' || value \
                 FROM factsets JOIN facts USING (node_id) JOIN fact_values ON id = value_id"
            }
            Subject::Catalog => {
                "SELECT version || ' ' || count(*) || ' ' || (parameters ->> '$.n') \
                 || ' ' || coalesce(transaction_uuid, '') \
                 FROM catalogs JOIN catalog_resources USING (node_id) \
                 JOIN resources ON id = resource_id"
            }
        })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn open(directory: &Path) -> (Store, Queue) {
    let store = Store::open(&directory.join("store.sqlite3")).expect("a store");
    (store, Queue::open(&directory.join("queue")).expect("a queue"))
}

fn at(minute: u32) -> String {
    format!("2026-11-18T10:{minute:02}:00.000Z")
}

fn name(subject: Subject) -> (&'static str, i64) {
    match subject {
        Subject::Facts => ("replace facts", 5),
        Subject::Catalog => ("replace catalog", 9),
    }
}

fn payload(subject: Subject, minute: u32, value: u32) -> serde_json::Value {
    match subject {
        Subject::Facts => json!({
            "certname": "a", "environment": "production", "producer": "puppet",
            "producer_timestamp": at(minute), "values": { "n": value },
        }),
        Subject::Catalog => json!({
            "certname": "a", "version": minute, "environment": "production",
            "producer": "puppet", "producer_timestamp": at(minute), "edges": [], "resources": [
                { "type": "File", "title": "/x", "parameters": { "n": value } },
            ],
        }),
    }
}

#[test]
fn what_is_said_again_is_short_and_counts() {
    let site = Site::new();
    assert!(site.facts(1, 7) && site.catalog(1, 7));
    assert!(!site.facts(2, 7) && !site.catalog(2, 7));
    assert_eq!(site.drain(), [""; 0]);
    let hashes = || site.ask("SELECT factsets.hash || catalogs.hash FROM factsets, catalogs");
    let before = hashes();
    for minute in 3..9 {
        assert!(!site.facts(minute, 7) && !site.catalog(minute, 7), "{minute}");
    }
    assert_eq!(site.drain(), [""; 0]);
    assert_eq!(site.has(Subject::Facts), "8 1 7");
    assert_eq!(site.has(Subject::Catalog), "8 1 7 run 8");
    assert_eq!(hashes(), before);
    assert!(site.facts(9, 8) && site.catalog(9, 8));
    // The last thing that was said waits, and what was said before is not the last thing any more.
    assert!(site.facts(10, 7) && site.catalog(10, 7));
    assert_eq!(site.drain(), [""; 0]);
    assert_eq!(site.has(Subject::Facts), "10 1 7");
    assert_eq!(site.has(Subject::Catalog), "10 1 7 ");
    // What is older than what the store has is ignored, and no short command relies on it.
    assert!(site.facts(4, 7) && site.catalog(4, 7));
    assert!(site.facts(11, 7) && site.catalog(11, 7));
    assert_eq!(site.drain(), [""; 0]);
    assert_eq!(site.has(Subject::Facts), "11 1 7");
}

#[test]
fn another_program_is_noticed() {
    for subject in [Subject::Facts, Subject::Catalog] {
        let site = Site::new();
        assert!(site.say(subject, 1, 7, true));
        site.drain();
        // By the queue of this process.
        let (name, version) = name(subject);
        let payload = payload(subject, 2, 8).to_string();
        let payload = payload.as_bytes();
        let sent = Submission { name, version, payload, keeps_exports: false };
        site.queue.accept(sent, false).expect("accepted");
        assert!(site.say(subject, 3, 7, true));
        assert_eq!(site.drain(), [""; 0]);
        assert!(site.has(subject).contains(" 1 7"), "{}", site.has(subject));
        // By the store.
        site.tell(subject, 4, 9);
        assert!(site.say(subject, 5, 7, true));
        assert_eq!(site.drain(), [""; 0]);
        assert!(site.has(subject).contains(" 1 7"));
        // Nothing is there any more.
        assert!(site.store.purge("a").expect("purged"));
        assert!(site.say(subject, 6, 7, true));
        assert_eq!(site.drain(), [""; 0]);
        assert!(site.has(subject).contains(" 1 7"));
    }
}

#[test]
fn a_short_command_that_came_too_late_is_told_and_mended() {
    for subject in [Subject::Facts, Subject::Catalog] {
        let site = Site::new();
        assert!(site.say(subject, 1, 7, true));
        site.drain();
        assert!(!site.say(subject, 4, 7, true));
        site.tell(subject, 3, 8);
        let words = site.drain();
        assert!(words.len() == 1 && words[0].contains("stored whole"), "{words:?}");
        assert!(site.has(subject).contains(" 1 8"), "{}", site.has(subject));
        assert!(site.say(subject, 5, 7, true));
        assert_eq!(site.drain(), [""; 0]);
        assert!(site.has(subject).contains(" 1 7"));
    }
}

#[test]
fn short_commands_survive_a_crash() {
    for subject in [Subject::Facts, Subject::Catalog] {
        let mut site = Site::new();
        assert!(site.say(subject, 1, 7, true));
        site.drain();
        assert!(!site.say(subject, 2, 7, true));
        assert!(site.say(subject, 3, 8, true));
        for _ in 0..3 {
            site = site.restarted();
            // The journal has all of them still, also those that were stored.
            assert_eq!(site.queue.waiting().records, 3);
            assert_eq!(site.drain(), [""; 0]);
            assert!(site.has(subject).contains(" 1 8"), "{}", site.has(subject));
        }
        // A new process knows nothing.
        assert!(site.say(subject, 4, 8, true));
        site.drain();
        assert!(!site.say(subject, 5, 8, true));
        assert!(site.say(subject, 6, 8, false));
    }
}

#[test]
fn short_commands_of_others_are_refused() {
    let site = Site::new();
    for name in ["same facts", "same_facts", "same catalog", "same_catalog"] {
        let payload =
            json!({ "certname": "a", "producer_timestamp": at(1), "since": at(0), "version": 1 });
        let payload = payload.to_string();
        let payload = payload.as_bytes();
        let sent = Submission { name, version: 1, payload, keeps_exports: false };
        let error = site.queue.accept(sent, false).expect_err("unknown");
        assert!(error.to_string().contains("Supported commands are"), "{error}");
    }
}

#[test]
fn one_that_waits_for_a_command_does_not_wait_for_others() {
    let site = Site::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while site.queue.wait(Duration::from_millis(20)) {
                site.queue.drain(&site.store).expect("drained");
            }
        });
        for number in 0..3 {
            site.facts(number, number);
            assert!(site.queue.wait_for(u64::from(number), Duration::from_secs(20)));
        }
        site.queue.close();
    });
    assert_eq!(site.has(Subject::Facts), "2 1 2");
}
