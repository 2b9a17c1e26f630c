//! The engine PostgreSQL: commands, several servers at once, lost connections, versions of its tables.

#![expect(clippy::disallowed_methods, reason = "tests have files of their own")]

#[path = "support/postgres.rs"]
#[expect(dead_code, reason = "other tests open stores")]
mod needs_postgresql;
#[path = "support/samples.rs"]
mod samples;

use std::sync::LazyLock;
use std::time::Duration;

use kukla_catalog::exports::{ExportSearch, Exports};
use kukla_store::{Address, Command, Outcome, Queue, Receipt, Retention, Store, Submission, time};
use needs_postgresql::{Server, ask, connect, database};
use samples::{apply, catalog, deactivation, facts, file, report};
use serde_json::json;

/// A server that tests kill and stop.
static MORTAL: LazyLock<Server> = LazyLock::new(|| Server::start(&[]));

const FOREVER: Retention = Retention {
    node_ttl: Duration::ZERO,
    node_purge_ttl: Duration::ZERO,
    report_ttl: Duration::ZERO,
    bucket_ttl: Duration::ZERO,
};

#[test]
fn needs_postgresql_commands_become_rows_by_the_same_rules() {
    let address = database();
    let store = connect(&address);
    let values = json!({ "os": { "family": "Debian", "none": {} }, "n": 1, "text": "a\u{0}b" });
    assert_eq!(apply(&store, &facts("a", 10, &values)), Outcome::Stored);
    assert_eq!(apply(&store, &facts("b", 10, &values)), Outcome::Stored);
    assert_eq!(apply(&store, &facts("a", 9, &json!({ "os": "older" }))), Outcome::Stale);
    assert_eq!(ask(&address, "SELECT count(*) FROM facts"), ["6"]);
    assert_eq!(ask(&address, "SELECT count(DISTINCT hash) FROM factsets"), ["1"]);
    assert_eq!(apply(&store, &facts("a", 11, &json!({ "n": 2 }))), Outcome::Stored);
    assert_eq!(apply(&store, &facts("b", 11, &json!({ "n": 2 }))), Outcome::Stored);
    assert_eq!(store.compact(FOREVER).expect("compacted").content, 5, "three values, two places");
    store.shrink().expect("shrunk");
    assert_eq!(ask(&address, "SELECT value FROM fact_values"), ["2"]);

    let exported = json!({ "type": "Host", "title": "a", "exported": true,
        "tags": ["host", "lan"], "parameters": { "ip": "10.0.0.1" } });
    let first = json!([file("/x", "0644"), file("/y", "0644"), exported]);
    assert_eq!(apply(&store, &catalog("a", 10, &first)), Outcome::Stored);
    let search = ExportSearch { type_: "Host", node: "b", filter: None };
    assert_eq!(store.search(&search).expect("searched").len(), 1);
    let second = json!([file("/x", "0600"), file("/y", "0644")]);
    assert_eq!(apply(&store, &catalog("a", 11, &second)), Outcome::Stored);
    assert_eq!(apply(&store, &catalog("a", 10, &first)), Outcome::Stale);
    assert!(store.search(&search).expect("searched").is_empty());

    assert_eq!(apply(&store, &report("a", 12, "changed")), Outcome::Stored);
    assert_eq!(apply(&store, &report("a", 11, "failed")), Outcome::Stored);
    assert_eq!(apply(&store, &report("a", 12, "changed")), Outcome::Duplicate);
    let latest = "SELECT status FROM nodes JOIN reports ON reports.id = latest_report_id";
    assert_eq!(ask(&address, latest), ["changed"]);
    assert_eq!(apply(&store, &deactivation("a", 10)), Outcome::Stale);
    assert_eq!(apply(&store, &deactivation("a", 13)), Outcome::Stored);
    assert_eq!(ask(&address, "SELECT deactivated IS NULL FROM nodes WHERE certname = 'a'"), ["f"]);
    assert!(store.problems().expect("checked").is_empty());
    let status = store.status().expect("read");
    assert!(status.bytes > 100_000 && status.active_nodes == 1, "{status:?}");

    assert!(store.purge("a").expect("removed"));
    assert!(!store.purge("a").expect("removed"));
    assert_eq!(ask(&address, "SELECT count(*) FROM events"), ["0"]);
}

#[test]
fn needs_postgresql_servers_that_start_at_once_make_the_tables_once() {
    let address = database();
    std::thread::scope(|scope| {
        for n in 0..8 {
            let address = &address;
            scope.spawn(move || {
                let store = connect(address);
                apply(&store, &facts(&format!("node{n}"), 1, &json!({ "n": n })));
            });
        }
    });
    assert_eq!(ask(&address, "SELECT count(*) FROM nodes"), ["8"]);
    assert_eq!(ask(&address, "SELECT count(*) FROM kukla_schema"), ["1"]);
}

/// Several servers store content that is the same, in different orders, for the same nodes.
#[test]
fn needs_postgresql_servers_do_not_get_into_each_others_way() {
    const SERVERS: u32 = 4;
    const ROUNDS: u32 = 15;
    let address = database();
    std::thread::scope(|scope| {
        for server in 0..SERVERS {
            let address = &address;
            scope.spawn(move || {
                let store = connect(address);
                for round in 0..ROUNDS {
                    // The same in each server, the other way round in every second one.
                    let mut numbers: Vec<u32> = (0..12).collect();
                    if server % 2 == 1 {
                        numbers.reverse();
                    }
                    let commands: Vec<Command> = numbers
                        .iter()
                        .flat_map(|n| {
                            let node = format!("node{n}");
                            let mode = format!("{round}");
                            let resources: Vec<_> =
                                numbers.iter().map(|m| file(&format!("/{m}"), &mode)).collect();
                            [
                                facts(
                                    &node,
                                    round,
                                    &json!({ "round": round, "n": { "a": round + n } }),
                                ),
                                catalog(&node, round, &resources.into()),
                                report(&node, round, "changed"),
                            ]
                        })
                        .collect();
                    let receipt = Receipt { received: time::now(), keeps_exports: false };
                    let group: Vec<(&Command, Receipt)> =
                        commands.iter().map(|command| (command, receipt)).collect();
                    for applied in store.apply(&group).expect("applied") {
                        applied.expect("stored");
                    }
                }
            });
        }
        let address = &address;
        scope.spawn(move || {
            let store = connect(address);
            for _ in 0..10 {
                store.compact(FOREVER).expect("compacted");
                std::thread::sleep(Duration::from_millis(50));
            }
        });
    });
    let last = (ROUNDS - 1).to_string();
    let values = "SELECT DISTINCT value FROM facts JOIN fact_values ON fact_values.id = value_id \
        JOIN fact_names ON fact_names.id = name_id WHERE name = 'round'";
    assert_eq!(ask(&address, values), [last.as_str()]);
    let modes = "SELECT DISTINCT parameters ->> 'mode' FROM catalog_resources \
        JOIN resources ON resources.id = resource_id";
    assert_eq!(ask(&address, modes), [last.as_str()]);
    assert_eq!(ask(&address, "SELECT count(*) FROM catalog_resources"), ["144"]);
    assert_eq!(ask(&address, "SELECT count(*) FROM reports"), [(12 * ROUNDS).to_string()]);
    let leaves = "SELECT count(*) FROM fact_values WHERE NOT EXISTS \
        (SELECT 1 FROM fact_leaves WHERE value_id = fact_values.id)";
    assert_eq!(ask(&address, leaves), ["0"]);
}

#[test]
fn needs_postgresql_what_waits_is_stored_when_the_database_is_back() {
    let directory = MORTAL.directory().join("queue");
    let address = MORTAL.database();
    let store = connect(&address);
    apply(&store, &facts("a", 1, &json!({ "n": 1 })));
    let queue = Queue::open(&directory).expect("a queue");
    MORTAL.kill();
    for minute in 2..20 {
        let payload = json!({ "certname": "a", "producer_timestamp": samples::at(minute),
            "values": { "n": minute } });
        let payload = payload.to_string();
        let submission = Submission {
            name: "replace facts",
            version: 5,
            payload: payload.as_bytes(),
            keeps_exports: false,
        };
        queue.accept(submission, true).expect("accepted while the database is gone");
    }
    let error = queue.drain(&store).expect_err("it is gone").to_string();
    assert!(error.contains("can't be changed"), "{error}");
    assert_eq!(queue.waiting().records, 18);
    // A server can start meanwhile.
    let second = Store::connect(Address::read(&address).expect("an address")).expect("opened");
    assert!(second.status().is_err());
    MORTAL.restart();
    while queue.waiting().records > 0 {
        assert!(queue.drain(&store).expect("stored").discarded.is_empty());
    }
    assert_eq!(second.status().expect("read").active_nodes, 1);
    let name = address.rsplit_once("@/").expect("it").1.split('?').next().expect("a name");
    let n = "SELECT value FROM facts JOIN fact_values ON fact_values.id = value_id";
    assert_eq!(MORTAL.ask(name, n), ["19"]);
}

#[test]
fn needs_postgresql_tables_of_others_and_newer_ones_are_refused() {
    let refused = |address: &str| {
        let opened = Store::connect(Address::read(address).expect("an address"));
        opened.expect_err("refused").to_string()
    };
    let newer = database();
    drop(connect(&newer));
    ask(&newer, "UPDATE kukla_schema SET version = 99");
    let words = refused(&newer);
    assert!(words.contains("a newer Kukla wrote it (version 99 of its tables)"), "{words}");
    let foreign = database();
    ask(&foreign, "CREATE TABLE reports (id BIGINT)");
    let words = refused(&foreign);
    assert!(words.contains("another program has its tables there"), "{words}");
    assert_eq!(ask(&foreign, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), ["1"]);
    // Beside them there is room in a schema of its own.
    ask(&foreign, "CREATE SCHEMA kukla");
    let own = format!("{foreign}&options=-csearch_path%3Dkukla");
    apply(&connect(&own), &facts("a", 1, &json!({ "n": 1 })));
    assert_eq!(ask(&foreign, "SELECT count(*) FROM kukla.nodes"), ["1"]);
    let missing = foreign.replace("@/kukla_", "@/nosuch_");
    let words = refused(&missing);
    assert!(words.contains("FATAL") && words.contains("does not exist"), "{words}");
}

/// A migration whose connection ends at any step leaves nothing, and the next one makes all.
#[test]
fn needs_postgresql_a_migration_that_ends_early_is_begun_again() {
    let address = database();
    let name =
        address.rsplit_once("@/").expect("it").1.split('?').next().expect("a name").to_owned();
    let end = format!(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
         WHERE datname = '{name}' AND application_name = 'kukla'"
    );
    std::thread::scope(|scope| {
        let opener = scope.spawn(|| {
            let mut n_failed = 0;
            loop {
                let store = Store::connect(Address::read(&address).expect("an address"));
                match store.and_then(|store| store.status()) {
                    Ok(_) => return n_failed,
                    Err(_) => n_failed += 1,
                }
            }
        });
        // Ended at many moments, and less and less often until it is faster once.
        for number in 0_u64.. {
            if opener.is_finished() {
                break;
            }
            ask(&address, &end);
            std::thread::sleep(Duration::from_millis(number % 40 * (1 + number / 40)));
        }
        opener.join().expect("opened");
    });
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
    let fresh = database();
    drop(connect(&fresh));
    assert_eq!(ask(&address, tables), ask(&fresh, tables));
    apply(&connect(&address), &facts("a", 1, &json!({ "n": 1 })));
}

#[test]
fn needs_postgresql_values_that_no_text_can_hold_are_stored_otherwise() {
    let address = database();
    let store = connect(&address);
    let longest = "n".repeat(1000);
    let values = json!({
        "text": "a\u{0}b", "escape": "\\u0000", "big": 1e308, "small": 5e-324, longest: 1,
        "\u{0}": { "\u{0}": "\u{0}" },
    });
    assert_eq!(apply(&store, &facts("a", 1, &values)), Outcome::Stored);
    let texts = "SELECT value #>> '{}' FROM facts JOIN fact_values ON fact_values.id = value_id \
        JOIN fact_names ON fact_names.id = name_id WHERE name IN ('text', 'escape') ORDER BY 1";
    assert_eq!(ask(&address, texts), ["\\u0000", "a\u{fffd}b"]);
}
