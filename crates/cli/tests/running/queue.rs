//! Commands for PuppetDB survive the end of a process: one that is killed, and one that hands over to the next.
//!
//! `KILLS=100 cargo test --release -p kukla --test running puppetdb -- --nocapture` is the long form of the first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::fake_puppetdb::Fake;
use crate::faults::{send_report, send_until_killed};
use crate::server::{Server, command, scratch};

fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(40), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_killed_server_loses_no_command_for_puppetdb() {
    let n_kills = std::env::var("KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    let directory = scratch("queue-killed");
    let fake = Fake::start();
    let place = format!("puppetdb:{}", fake.conf(&directory).display());
    let answered = Mutex::new(Vec::new());
    for round in 0..n_kills {
        // Down, and then up, in the midst of a round.
        fake.up(round % 3 != 0);
        let server = Server::start_in(directory.clone(), &["--store", &place]);
        std::thread::scope(|scope| {
            for client in 0..3 {
                let (answered, port) = (&answered, server.plain);
                scope.spawn(move || {
                    let sent = send_until_killed(port, &format!("q{round}c{client}"));
                    answered.lock().expect("a list").extend(sent);
                });
            }
            std::thread::sleep(Duration::from_millis(60 + (round * 37) % 150));
            server.signal(Signal::KILL);
        });
        server.keep_directory();
    }
    fake.up(true);
    let answered = answered.into_inner().expect("a list");
    assert!(answered.len() as u64 >= n_kills, "{} answered", answered.len());
    let _server = Server::start_in(directory, &["--store", &place]);
    let missing = || {
        let came: BTreeSet<(String, String)> =
            fake.came().into_iter().map(|[command, node, _]| (command, node)).collect();
        let is_there =
            |command: &str, node: &String| came.contains(&(command.to_owned(), node.clone()));
        let is_whole =
            |node: &&String| is_there("store_report", node) && is_there("replace_facts", node);
        answered.iter().filter(|node| !is_whole(node)).count()
    };
    eventually("each acknowledged command comes", || missing() == 0);
    println!("{n_kills} kills, {} nodes answered, none lost", answered.len());
}

#[test]
fn commands_for_puppetdb_keep_their_order_when_a_process_takes_over() {
    let directory = scratch("queue-handed");
    let fake = Fake::start();
    let place = format!("puppetdb:{}", fake.conf(&directory).display());
    let mut command = command(&directory);
    command.args(["--store", &place]);
    let mut server = Server::spawn(directory, command);
    let nodes = ["a.test", "b.test", "c.test"];
    let send = |server: &Server, n: u32| {
        for node in nodes {
            let sent = send_report(&mut server.connect(node), node, &format!("run-{n}"));
            assert_eq!(sent.expect("an answer").0, 200);
        }
    };
    (0..5).for_each(|n| send(&server, n));
    server.hand_over();
    // The process before may still have a connection; this one has a queue of its own.
    (5..10).for_each(|n| send(&server, n));
    fake.up(true);
    eventually("all come", || fake.came().len() >= 30);
    let mut times: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for [_, node, time] in fake.came() {
        times.entry(node).or_default().push(time);
    }
    assert_eq!(times.len(), nodes.len());
    for (node, times) in times {
        assert!(times.is_sorted(), "{node}: {times:#?}");
    }
}
