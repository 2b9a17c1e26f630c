//! Restarts under load: a new process takes over the sockets, and no request is lost.
//!
//! `RESTARTS=1000 cargo test --release -p kukla --test running restarts -- --nocapture` is the long form.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::server::{Connection, Server, report};

struct Load {
    port: u16,
    is_over: AtomicBool,
    n_requests: AtomicUsize,
    n_reports: AtomicUsize,
}

/// Sends requests until the end, on connections that are kept, with pauses in which they are idle.
fn send(load: &Load, number: usize) {
    let node = format!("node{number}.test");
    let mut connection = Connection::open(load.port, &node).expect("a connection");
    let mut n_sent = 0_usize;
    while !load.is_over.load(Ordering::Relaxed) {
        let (status, text) = match n_sent % 3 {
            0 | 1 => connection.catalog("production").expect("an answer"),
            _ => {
                let path = format!("/puppet/v3/report/{node}?environment=production");
                let text = report(&node, &format!("{number}-{n_sent}"));
                load.n_reports.fetch_add(1, Ordering::Relaxed);
                connection.request("PUT", &path, Some(&text)).expect("an answer")
            }
        };
        assert_eq!(status, 200, "{text}");
        if n_sent % 3 != 2 {
            assert!(text.contains(&format!("hello {node}")), "{text}");
        }
        n_sent += 1;
        load.n_requests.fetch_add(1, Ordering::Relaxed);
        if connection.is_over {
            connection = Connection::open(load.port, &node).expect("a connection");
        }
        if n_sent % 4 == number % 4 {
            std::thread::sleep(Duration::from_millis((n_sent as u64 * 7) % 50));
        }
    }
}

#[test]
fn no_request_is_lost_while_processes_take_over() {
    let n_restarts = std::env::var("RESTARTS").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    let mut server = Server::start("restarts", &[]);
    let load = Load {
        port: server.plain,
        is_over: AtomicBool::new(false),
        n_requests: AtomicUsize::new(0),
        n_reports: AtomicUsize::new(0),
    };
    let start = Instant::now();
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..3)
            .map(|n| {
                scope.spawn({
                    let load = &load;
                    move || send(load, n)
                })
            })
            .collect();
        for n in 0..n_restarts {
            let n_before = load.n_requests.load(Ordering::Relaxed);
            server.hand_over();
            // Some requests go to each process.
            while load.n_requests.load(Ordering::Relaxed) < n_before + 10 {
                assert!(!clients.iter().any(|client| client.is_finished()), "after {n} restarts");
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        load.is_over.store(true, Ordering::Relaxed);
    });
    let reports = server.directory.join("server/var/reports");
    let count = |n: usize| {
        std::fs::read_dir(reports.join(format!("node{n}.test"))).map_or(0, Iterator::count)
    };
    let n_reports = load.n_reports.load(Ordering::Relaxed);
    // More than 60 of one node in a minute replace each other.
    if n_restarts < 10 {
        assert_eq!((0..3).map(count).sum::<usize>(), n_reports);
    }
    println!(
        "{n_restarts} restarts, {} requests, none failed; {n_reports} reports; {:.1} s",
        load.n_requests.load(Ordering::Relaxed),
        start.elapsed().as_secs_f64()
    );
}

#[test]
fn a_new_process_that_does_not_start_leaves_the_old_one() {
    let server = Server::start("not-started", &[]);
    let mut connection = server.connect("a.test");
    assert_eq!(connection.catalog("production").expect("an answer").0, 200);
    let settings = server.directory.join("server/puppet.conf");
    let good = std::fs::read_to_string(&settings).expect("settings");
    std::fs::write(&settings, "[main\nthis is no setting\n").expect("written");
    server.signal(Signal::HUP);
    server.line(|line| line.contains("goes on: the new process has ended"));
    assert_eq!(connection.catalog("production").expect("an answer").0, 200);
    assert_eq!(server.connect("a.test").catalog("production").expect("an answer").0, 200);
    std::fs::write(&settings, good).expect("written");
}
