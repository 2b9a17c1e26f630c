//! Runs of agents while servers and PostgreSQL are killed: what was answered with 200 is in the store, once and in order.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::needs_postgresql::Server as Database;
use crate::server::{Connection, Server, report, scratch};

/// Clients that send at the same time, and the nodes of each.
const CLIENTS: u32 = 4;
const NODES: u32 = 10;
/// Facts and catalogs of two runs are the same, as those of most nodes are.
const SAME: u32 = 2;

const MANIFEST: &str =
    "notify { \"run ${facts['n']}\": }\n@@notify { \"from ${trusted['certname']}\": }\n";

/// A run that was answered: of which node, and which number.
type Run = (String, u32);

/// Requests that were answered with 200.
#[derive(Default)]
struct Answered {
    catalogs: BTreeMap<String, u32>,
    reports: BTreeSet<Run>,
    n_failed: u32,
}

struct Scene {
    ports: [AtomicU16; 2],
    answered: Mutex<Answered>,
    n_runs: AtomicU32,
    is_over: AtomicBool,
}

impl Scene {
    /// Runs a node once at one of the servers; returns whether its report was accepted.
    fn run(&self, node: &str, number: u32) -> std::io::Result<()> {
        let port = &self.ports[usize::try_from(number % 2).expect("small")];
        let mut connection = Connection::open(port.load(Ordering::Relaxed), node)?;
        let n = number / SAME;
        let path = format!(
            "/puppet/v3/catalog/{node}?environment=production&facts_format=application%2Fjson&\
             facts=%7B%22name%22%3A%22{node}%22%2C%22values%22%3A%7B%22n%22%3A{n}%7D%7D"
        );
        let failed = |status: u16| std::io::Error::other(status.to_string());
        let (status, _) = connection.request("GET", &path, None)?;
        if status != 200 {
            return Err(failed(status));
        }
        {
            let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
            answered.catalogs.insert(node.to_owned(), n);
        }
        let text = report(node, &format!("{node} {number}"));
        let path = format!("/puppet/v3/report/{node}?environment=production");
        match connection.request("PUT", &path, Some(&text))? {
            (200, _) => {
                let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
                answered.reports.insert((node.to_owned(), number));
                Ok(())
            }
            (status, _) => Err(failed(status)),
        }
    }

    fn client(&self, client: u32) {
        for number in 0.. {
            for node in 0..NODES {
                if self.is_over.load(Ordering::Relaxed) {
                    return;
                }
                self.n_runs.fetch_add(1, Ordering::Relaxed);
                if self.run(&format!("n{client}-{node}.test"), number).is_err() {
                    self.answered.lock().unwrap_or_else(PoisonError::into_inner).n_failed += 1;
                    std::thread::sleep(Duration::from_millis(20));
                }
            }
        }
    }
}

fn start(directory: PathBuf, address: &str) -> Server {
    let store = format!("store={address}");
    let options = ["--set", &store, "--set", "reports=none", "--set", "storeconfigs=true"];
    Server::start_in(directory, &options)
}

fn play(n_runs: u32) {
    let database = Database::start(&[]);
    let address = database.database();
    let directories = [scratch("lost-1"), scratch("lost-2")];
    for directory in &directories {
        let site = directory.join("server/code/environments/production/manifests/site.pp");
        Server::start_in(directory.clone(), &[]).keep_directory();
        std::fs::write(site, MANIFEST).expect("written");
    }
    let mut servers = directories.clone().map(|directory| Some(start(directory, &address)));
    let port = |server: &Option<Server>| server.as_ref().map_or(0, |server| server.plain);
    let scene = Scene {
        ports: [port(&servers[0]).into(), port(&servers[1]).into()],
        answered: Mutex::default(),
        n_runs: AtomicU32::new(0),
        is_over: AtomicBool::new(false),
    };
    let begin = Instant::now();
    let (mut seed, mut kills) = (11_u64, [0_u32; 3]);
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let scene = &scene;
            scope.spawn(move || scene.client(client));
        }
        while scene.n_runs.load(Ordering::Relaxed) < n_runs || kills.iter().any(|n| *n < 2) {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let random = seed >> 33;
            std::thread::sleep(Duration::from_millis(200 + random % 900));
            let what = usize::try_from(random / 900 % 3).expect("small");
            kills[what] += 1;
            if what == 2 {
                database.kill();
                std::thread::sleep(Duration::from_millis(random % 400));
                database.restart();
                continue;
            }
            let server = servers[what].take().expect("it runs");
            assert!(!server.log().iter().any(|line| line.contains("\"discarded\"")));
            // It is killed.
            server.keep_directory();
            let server = start(directories[what].clone(), &address);
            scene.ports[what].store(server.plain, Ordering::Relaxed);
            servers[what] = Some(server);
        }
        scene.is_over.store(true, Ordering::Relaxed);
    });
    let answered = scene.answered.into_inner().unwrap_or_else(PoisonError::into_inner);
    crate::say(&format!(
        "{} runs in {:.1?}, {} failed; killed (server, server, PostgreSQL): {kills:?}",
        scene.n_runs.into_inner(),
        begin.elapsed(),
        answered.n_failed
    ));
    check(&database, &address, &answered);
    for server in servers.iter().flatten() {
        assert!(!server.log().iter().any(|line| line.contains("\"discarded\"")));
    }
}

fn check(database: &Database, address: &str, answered: &Answered) {
    let name = address.rsplit_once("@/").expect("it").1.split('?').next().expect("a name");
    let query = "SELECT transaction_uuid FROM reports ORDER BY id";
    // What waits in the queues may take a while; it counts as lost when nothing more is stored.
    let (mut start, mut n_stored) = (Instant::now(), 0);
    let stored = loop {
        let rows = database.ask(name, query);
        let stored: Vec<Run> = rows
            .iter()
            .map(|row| {
                let (node, number) = row.split_once(' ').expect("two");
                (node.to_owned(), number.parse().expect("a number"))
            })
            .collect();
        let once: BTreeSet<Run> = stored.iter().cloned().collect();
        assert_eq!(once.len(), stored.len(), "a report is stored twice");
        let lost: Vec<&Run> = answered.reports.difference(&once).collect();
        if lost.is_empty() {
            break stored;
        }
        if stored.len() > n_stored {
            (start, n_stored) = (Instant::now(), stored.len());
        }
        assert!(start.elapsed() < Duration::from_secs(30), "answered and not stored: {lost:?}");
        std::thread::sleep(Duration::from_millis(100));
    };
    crate::say(&format!(
        "{} reports were answered, {} are stored",
        answered.reports.len(),
        stored.len()
    ));
    // What one server has heard of a node is stored in that order.
    let mut last: BTreeMap<(String, u32), u32> = BTreeMap::new();
    for (node, number) in stored {
        let before = last.insert((node, number % 2), number);
        assert!(before.is_none_or(|before| before < number), "{before:?} before {number}");
    }
    // A moment for facts and catalogs, which come in the order of their server.
    std::thread::sleep(Duration::from_secs(2));
    let numbers = |query: &str| -> BTreeMap<String, u32> {
        let rows = database.ask(name, query);
        let read = |row: &String| {
            let (node, number) = row.split_once('|').expect("two");
            (node.to_owned(), number.parse().expect("a number"))
        };
        rows.iter().map(read).collect()
    };
    let facts = numbers(
        "SELECT certname, value FROM facts JOIN fact_values ON fact_values.id = value_id \
         JOIN fact_names ON fact_names.id = name_id JOIN nodes ON nodes.id = node_id \
         WHERE name = 'n'",
    );
    let catalogs = numbers(
        "SELECT certname, substr(title, 5) FROM catalog_resources \
         JOIN resources ON resources.id = resource_id JOIN nodes ON nodes.id = node_id \
         WHERE type = 'Notify' AND title LIKE 'run %'",
    );
    for (node, n) in &answered.catalogs {
        assert!(facts[node] >= *n, "{node} has the facts {}, after {n} was answered", facts[node]);
        assert!(catalogs[node] >= *n, "{node} has the catalog {}, after {n}", catalogs[node]);
    }
}

#[test]
fn needs_postgresql_what_was_answered_is_stored_once_though_all_are_killed() {
    play(250);
}

/// Takes minutes.
#[test]
#[ignore = "takes minutes; `cargo xtask test --peers` runs it"]
fn peers_needs_postgresql_ten_thousand_runs_though_all_are_killed() {
    play(10_000);
}
