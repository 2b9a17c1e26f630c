//! Servers that share a store: nodes say again what they said before, and go from one server to the other.

#![expect(clippy::disallowed_methods, reason = "tests have files of their own")]

#[path = "support/postgres.rs"]
#[expect(dead_code, reason = "other tests open stores")]
mod needs_postgresql;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use kukla_store::{Queue, Saying, Store, Subject, time};
use needs_postgresql::{ask, connect, database};
use serde_json::{Value, json};

const SUBJECTS: [Subject; 2] = [Subject::Facts, Subject::Catalog];

/// A server with a queue of its own.
struct Member {
    name: &'static str,
    store: Store,
    queue: Queue,
    directory: PathBuf,
}

impl Drop for Member {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

impl Member {
    fn new(address: &str, name: &'static str) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let directory = format!("kukla-shared-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(directory);
        let queue = Queue::open(&directory).expect("a queue");
        Self { name, store: connect(address), queue, directory }
    }

    /// Says the facts or the catalog of a node; returns whether all of it was written down.
    fn say(&self, subject: Subject, node: &str, second: u32, value: u32) -> bool {
        let is_whole = std::cell::Cell::new(false);
        let head = json!({ "certname": node, "producer": self.name, "environment": "production",
            "producer_timestamp": at(second), "version": second });
        let with = |name: &str, value: Value| {
            let mut payload = head.clone();
            payload[name] = value;
            payload
        };
        let whole = || {
            is_whole.set(true);
            let payload = match subject {
                Subject::Facts => with("values", json!({ "n": value })),
                Subject::Catalog => {
                    let mut payload = with("edges", json!([]));
                    payload["resources"] =
                        json!([{ "type": "File", "title": "/x", "parameters": { "n": value } }]);
                    payload
                }
            };
            payload.to_string()
        };
        let same = |since: &str| with("since", since.into()).to_string();
        let content = value.to_string();
        let saying = Saying {
            node,
            subject,
            content: &[content.as_bytes()],
            time: time::read(&at(second)).expect("a time"),
            keeps_exports: true,
            may_be_short: true,
            whole: &whole,
            same: &same,
        };
        self.queue.say(&self.store, &saying).expect("accepted");
        is_whole.get()
    }

    fn drain(&self) {
        while self.queue.waiting().records > 0 {
            let drained = self.queue.drain(&self.store).expect("drained");
            assert!(drained.discarded.is_empty(), "{:?}", drained.discarded);
        }
    }
}

fn at(second: u32) -> String {
    format!("2026-11-18T10:{:02}:{:02}.000Z", second / 60, second % 60)
}

/// Returns second and value of what the store has of a node.
fn has(address: &str, subject: Subject, node: &str) -> String {
    let (table, content) = match subject {
        Subject::Facts => ("factsets", "facts JOIN fact_values ON id = value_id"),
        Subject::Catalog => ("catalogs", "catalog_resources JOIN resources ON id = resource_id"),
    };
    let value = match subject {
        Subject::Facts => "value::text",
        Subject::Catalog => "(parameters ->> 'n')",
    };
    let query = format!(
        "SELECT (producer_timestamp / 1000 % 3600) || ' ' || {value} FROM {table} \
         JOIN ({content}) AS content USING (node_id) \
         WHERE node_id = (SELECT id FROM nodes WHERE certname = '{node}')"
    );
    ask(address, &query).join(", ")
}

#[test]
fn needs_postgresql_a_short_command_is_not_lost_to_another_server() {
    let address = database();
    let [a, b] = ["a", "b"].map(|name| Member::new(&address, name));
    for subject in SUBJECTS {
        assert!(a.say(subject, "node", 1, 7));
        // It waits, so nothing can rely on it.
        assert!(a.say(subject, "node", 2, 7));
        a.drain();
        // The other server stores something older after the node said that nothing has changed.
        assert!(!a.say(subject, "node", 5, 7));
        assert!(b.say(subject, "node", 4, 8));
        b.drain();
        a.drain();
        assert_eq!(has(&address, subject, "node"), "5 7");
        // It stores something before that.
        assert!(b.say(subject, "node", 6, 9));
        b.drain();
        assert!(a.say(subject, "node", 7, 7));
        a.drain();
        assert_eq!(has(&address, subject, "node"), "7 7");
        // Both have the same second.
        assert!(b.say(subject, "node", 7, 5));
        b.drain();
        assert!(a.say(subject, "node", 8, 7));
        a.drain();
        assert_eq!(has(&address, subject, "node"), "8 7");
        assert!(!a.say(subject, "node", 9, 7) && !a.say(subject, "node", 10, 7));
        assert_eq!(has(&address, subject, "node"), "10 7");
        // The store was told something newer by a clock that is ahead.
        assert!(b.say(subject, "node", 30, 1));
        b.drain();
        assert!(!a.say(subject, "node", 11, 7));
        assert_eq!(has(&address, subject, "node"), "30 1");
    }
}

/// The newest that a node said is there, whichever server heard it, and whatever waits where.
#[test]
fn needs_postgresql_the_newest_is_there_after_many_runs_on_many_servers() {
    const NODES: u32 = 6;
    const SECONDS: u32 = 240;
    let address = database();
    let members = ["a", "b", "c"].map(|name| Member::new(&address, name));
    let value = |node: u32, second: u32| (second / 20 + node) % 3;
    let n_short = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for (number, member) in (0..).zip(&members) {
            let n_short = &n_short;
            scope.spawn(move || {
                for second in (0..SECONDS).filter(|second| second % 3 == number) {
                    for node in 0..NODES {
                        for subject in SUBJECTS {
                            let name = format!("node{node}");
                            let is_whole = member.say(subject, &name, second, value(node, second));
                            n_short.fetch_add(usize::from(!is_whole), Ordering::Relaxed);
                        }
                    }
                    // What one server has heard waits for longer than that of the others.
                    if second % (number + 2) == 0 {
                        member.drain();
                    }
                }
            });
        }
    });
    members.iter().for_each(Member::drain);
    for node in 0..NODES {
        for subject in SUBJECTS {
            let (second, value) = (SECONDS - 1, value(node, SECONDS - 1));
            let found = has(&address, subject, &format!("node{node}"));
            assert_eq!(found, format!("{second} {value}"), "{subject:?} of node{node}");
        }
    }
    assert!(n_short.into_inner() > 0, "no command was short");
}
