//! Load of a few clients that never wait.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustls::ClientConfig;

use super::client::{self, Client, Received};
use super::machine::Machine;
use super::requests;
use super::site::LoadSite;

/// A server under load.
pub(super) struct Load<'a> {
    pub(super) site: &'a LoadSite,
    pub(super) address: SocketAddr,
}

/// Figures of one kind of request.
pub(super) struct Figures {
    /// CPU time of the server for a request.
    pub(super) cpu: Duration,
    /// Requests in a second.
    pub(super) rate: f64,
    /// Latencies: half and 99 % of the requests were faster.
    p50: Duration,
    p99: Duration,
    n_requests: usize,
}

impl fmt::Display for Figures {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let Self { cpu, rate, p50, p99, n_requests } = self;
        let (cpu, p50, p99) = (ms(*cpu), ms(*p50), ms(*p99));
        write!(out, "{cpu:.3} ms CPU, {rate:.1}/s, p50 {p50:.2} ms, p99 {p99:.2} ms ({n_requests})")
    }
}

/// Requests that each client has ready and sends in turns: each differs from the one before, as those of agents do, and
/// none is made while time is measured.
const N_READY: usize = 50;

/// Makes the request of a node.
type Make = fn(&Load<'_>, &str) -> Vec<u8>;

/// Makes the request for a catalog.
pub(super) fn catalog(load: &Load<'_>, node: &str) -> Vec<u8> {
    requests::catalog(node, &load.site.facts)
}

/// Makes the request with a report of 300 resources.
pub(super) fn report(_: &Load<'_>, node: &str) -> Vec<u8> {
    requests::report(node, 300)
}

/// Makes the request for the metadata of a file.
pub(super) fn metadata(_: &Load<'_>, _: &str) -> Vec<u8> {
    requests::metadata("modules/load/file7.txt")
}

impl Load<'_> {
    /// Returns the configuration of a client of its own name.
    pub(super) fn config(&self, node: &str) -> Result<Arc<ClientConfig>> {
        client::config(&self.site.authority, &self.site.client(node)?)
    }

    /// Asks for one catalog; a server that only starts is asked again.
    pub(super) fn catalog_of(&self, number: usize) -> Result<Received> {
        let node = node(number);
        let config = self.config(&node)?;
        let start = Instant::now();
        loop {
            let asked = Client::connect(self.address, &config)
                .and_then(|mut client| client.send(&catalog(self, &node)));
            match asked {
                Ok(received) if received.status == 200 => return Ok(received),
                Ok(received) if start.elapsed() > Duration::from_secs(600) => {
                    let words = String::from_utf8_lossy(&received.body).into_owned();
                    anyhow::bail!("{}: {words}", received.status);
                }
                Err(error) if start.elapsed() > Duration::from_secs(600) => return Err(error),
                Ok(received) if received.status == 500 => {
                    let words = String::from_utf8_lossy(&received.body).into_owned();
                    anyhow::bail!("no catalog: {words}");
                }
                _ => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }

    /// Sends a number of requests by each of some clients.
    pub(super) fn repeat(&self, n_clients: usize, n_requests: usize, make: Make) -> Result<()> {
        let ready = self.ready(n_clients, make);
        self.clients(&ready, |_, n_done| n_done < n_requests).map(drop)
    }

    /// Measures requests of some clients for a time.
    pub(super) fn measure(
        &self,
        machine: &Machine,
        n_clients: usize,
        seconds: f64,
        make: Make,
    ) -> Result<Figures> {
        let ready = self.ready(n_clients, make);
        let (before, start) = (machine.cpu()?, Instant::now());
        let limit = Duration::from_secs_f64(seconds);
        let mut times = self.clients(&ready, |start, _| start.elapsed() < limit)?;
        let (cpu, taken) = (machine.cpu()?.saturating_sub(before), start.elapsed());
        times.sort();
        let n_requests = times.len();
        let at = |part: usize| times.get(n_requests * part / 100).copied().context("requests");
        Ok(Figures {
            cpu: cpu / u32::try_from(n_requests)?,
            rate: n_requests as f64 / taken.as_secs_f64(),
            p50: at(50)?,
            p99: at(99)?,
            n_requests,
        })
    }

    /// Makes the requests of some clients.
    fn ready(&self, n_clients: usize, make: Make) -> Vec<(String, Vec<Vec<u8>>)> {
        let of_node = |node: String| {
            let requests = (0..N_READY).map(|_| make(self, &node)).collect();
            (node, requests)
        };
        (1..=n_clients).map(node).map(of_node).collect()
    }

    /// Runs clients that send one request after the other, and returns the time of each.
    fn clients(
        &self,
        ready: &[(String, Vec<Vec<u8>>)],
        goes_on: impl Fn(Instant, usize) -> bool + Sync,
    ) -> Result<Vec<Duration>> {
        let work = &|(node, requests): &(String, Vec<Vec<u8>>)| -> Result<Vec<Duration>> {
            let mut client = Client::connect(self.address, &self.config(node)?)?;
            let (start, mut times) = (Instant::now(), Vec::new());
            for request in requests.iter().cycle() {
                if !goes_on(start, times.len()) {
                    break;
                }
                let sent = Instant::now();
                let received = client.send(request)?;
                let words = || String::from_utf8_lossy(&received.body).into_owned();
                ensure!(received.status == 200, "{}: {}", received.status, words());
                times.push(sent.elapsed());
            }
            Ok(times)
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                ready.iter().map(|client| scope.spawn(move || work(client))).collect();
            let mut all = Vec::new();
            for thread in threads {
                all.extend(thread.join().map_err(|_| anyhow::anyhow!("a client panicked"))??);
            }
            Ok(all)
        })
    }
}

/// Returns the name of a client's node.
pub(super) fn node(number: usize) -> String {
    format!("load{number}.bench.example")
}
