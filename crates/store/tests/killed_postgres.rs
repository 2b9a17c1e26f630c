//! Two servers on one database: the processes and PostgreSQL are killed at any moment, and every command that was accepted
//! is stored once, in the order of its node.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    reason = "tests run programs, and those that are killed tell what they have accepted"
)]

#[path = "support/postgres.rs"]
#[expect(dead_code, reason = "other tests share a server")]
mod postgres;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use kukla_store::{Address, Queue, Store, Submission, time};
use postgres::Server;

/// Names the directory, the address and the first number to the process that is killed.
const PLACE: &str = "KUKLA_KILLED_WRITER";
/// Nodes that both servers hear of.
const NODES: u32 = 10;
/// The time of the first command.
const FIRST: i64 = 1_795_000_000_000;

/// A report, or facts with the same number.
fn payload(number: u32, is_report: bool) -> String {
    let node = number / 4 % NODES;
    let at = time::written(FIRST + i64::from(number));
    match is_report {
        true => format!(
            "{{\"certname\":\"node{node}\",\"producer_timestamp\":\"{at}\",\"puppet_version\":\"8\",\
             \"report_format\":12,\"configuration_version\":\"{number}\",\"start_time\":\"{at}\",\
             \"end_time\":\"{at}\",\"logs\":[],\"metrics\":[],\"resources\":[]}}"
        ),
        false => format!(
            "{{\"certname\":\"node{node}\",\"producer_timestamp\":\"{at}\",\
             \"values\":{{\"n\":{number},\"deep\":{{\"n\":[{number}]}},\"same\":\"on all nodes\"}}}}"
        ),
    }
}

fn connect(address: &str) -> Store {
    Store::connect(Address::read(address).expect("an address")).expect("a store")
}

/// The process that is killed: accepts commands, tells of them, and stores them on another thread.
#[test]
fn accepts_until_it_is_killed() {
    let Ok(place) = std::env::var(PLACE) else { return };
    let parts: Vec<&str> = place.split('|').collect();
    let [directory, address, first] = parts[..] else { panic!("{place}") };
    let first: u32 = first.parse().expect("a number");
    let store = connect(address);
    let queue = Queue::open(Path::new(directory)).expect("a queue");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while queue.wait(Duration::from_secs(1)) {
                match queue.drain(&store) {
                    Ok(drained) => assert!(drained.discarded.is_empty(), "{drained:?}"),
                    Err(_) => std::thread::sleep(Duration::from_millis(20)),
                }
            }
        });
        for number in (first..).step_by(2) {
            let is_report = number / 2 % 2 == 0;
            let payload = payload(number, is_report);
            let (name, version) =
                if is_report { ("store report", 8) } else { ("replace facts", 5) };
            let payload = payload.as_bytes();
            let submission = Submission { name, version, payload, keeps_exports: false };
            queue.accept(submission, true).expect("accepted");
            println!("accepted {number}");
            std::io::stdout().flush().expect("told");
        }
    });
}

/// A process that writes.
struct Writer {
    directory: PathBuf,
    address: String,
    /// The number of the server: its commands have even numbers, or odd ones.
    parity: u32,
    child: Child,
    reader: std::thread::JoinHandle<()>,
    accepted: Arc<Mutex<BTreeSet<u32>>>,
}

impl Writer {
    fn start(
        directory: PathBuf,
        address: String,
        parity: u32,
        accepted: Arc<Mutex<BTreeSet<u32>>>,
    ) -> Self {
        // A number may have been accepted without having been told.
        let last = accepted.lock().expect("it").iter().copied().rfind(|n| n % 2 == parity);
        let first = last.map_or(parity, |last| last + 4);
        let program = std::env::current_exe().expect("this program");
        let mut child = Command::new(program)
            .args(["--exact", "accepts_until_it_is_killed", "--nocapture"])
            .env(PLACE, format!("{}|{address}|{first}", directory.display()))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a process");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let told = Arc::clone(&accepted);
        let reader = std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let number: Option<u32> =
                    line.split_once("accepted ").and_then(|(_, n)| n.parse().ok());
                told.lock().expect("it").extend(number);
            }
        });
        Self { directory, address, parity, child, reader, accepted }
    }

    fn kill(mut self) -> (PathBuf, String, u32, Arc<Mutex<BTreeSet<u32>>>) {
        assert!(self.child.try_wait().expect("a status").is_none(), "it has ended by itself");
        self.child.kill().expect("killed");
        self.child.wait().expect("gone");
        self.reader.join().expect("read");
        (self.directory, self.address, self.parity, self.accepted)
    }

    fn restart(self) -> Self {
        let (directory, address, parity, accepted) = self.kill();
        Self::start(directory, address, parity, accepted)
    }
}

fn run(n_commands: usize) {
    let server = Server::start(&[]);
    let address = server.database();
    let accepted = Arc::new(Mutex::new(BTreeSet::new()));
    let mut writers: Vec<Writer> = (0..2)
        .map(|parity| {
            let directory = server.directory().join(format!("queue{parity}"));
            Writer::start(directory, address.clone(), parity, Arc::clone(&accepted))
        })
        .collect();
    let (mut seed, mut kills) = (7_u64, [0; 3]);
    let start = Instant::now();
    while accepted.lock().expect("it").len() < n_commands {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let random = seed >> 33;
        std::thread::sleep(Duration::from_millis(100 + random % 700));
        let what = usize::try_from(random / 700 % 3).expect("small");
        kills[what] += 1;
        match what {
            2 => {
                server.kill();
                std::thread::sleep(Duration::from_millis(random % 300));
                server.restart();
            }
            n => {
                let writer = writers.remove(n).restart();
                writers.insert(n, writer);
            }
        }
    }
    let directories: Vec<PathBuf> = writers.into_iter().map(|writer| writer.kill().0).collect();
    let accepted = accepted.lock().expect("it").clone();
    println!(
        "{} commands accepted in {:?}; killed (server, server, PostgreSQL): {kills:?}",
        accepted.len(),
        start.elapsed()
    );
    let store = connect(&address);
    for directory in directories {
        let queue = Queue::open(&directory).expect("a queue");
        while queue.waiting().records > 0 {
            assert!(queue.drain(&store).expect("stored").discarded.is_empty());
        }
    }
    assert!(store.problems().expect("checked").is_empty());
    check(&server, &address, &accepted);
}

fn check(server: &Server, address: &str, accepted: &BTreeSet<u32>) {
    let name = address.rsplit_once("@/").expect("it").1.split('?').next().expect("a name");
    let reports = server.ask(name, "SELECT configuration_version FROM reports ORDER BY id");
    let stored: Vec<u32> = reports.iter().map(|n| n.parse().expect("a number")).collect();
    let once: BTreeSet<u32> = stored.iter().copied().collect();
    assert_eq!(stored.len(), once.len(), "a report is stored twice");
    let lost: Vec<_> = accepted.iter().filter(|n| *n / 2 % 2 == 0 && !once.contains(n)).collect();
    assert!(lost.is_empty(), "accepted and not stored: {lost:?}");
    // What one server has heard of a node is stored in that order.
    let mut last: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for number in stored {
        let before = last.insert((number % 2, number / 4 % NODES), number);
        assert!(before.is_none_or(|before| before < number), "{before:?} before {number}");
    }
    // The facts of a node are those that were sent last, by whichever server.
    let query = "SELECT certname || ' ' || value FROM facts \
        JOIN fact_values ON fact_values.id = value_id JOIN fact_names ON fact_names.id = name_id \
        JOIN nodes ON nodes.id = node_id WHERE name = 'n'";
    let rows = server.ask(name, query);
    assert_eq!(rows.len(), NODES as usize);
    for row in rows {
        let (node, n) = row.split_once(' ').expect("two");
        let n: u32 = n.parse().expect("a number");
        let is_own =
            |number: &&u32| *number / 2 % 2 == 1 && format!("node{}", *number / 4 % NODES) == node;
        let newest = accepted.iter().rfind(is_own).expect("facts of each node");
        assert!(n >= *newest, "{node} has the facts {n}, after {newest} were accepted");
    }
}

#[test]
fn needs_postgresql_what_was_accepted_is_stored_once_and_in_order() {
    run(600);
}

/// Takes minutes.
#[test]
#[ignore = "takes minutes"]
fn needs_postgresql_what_was_accepted_of_many_is_stored_once_and_in_order() {
    run(10_000);
}
