//! A fleet of simulated agents, and connections that do nothing.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::client::Client;
use super::load::{Load, node};
use super::machine::Machine;
use super::requests;
use super::site::N_FILES;

const N_AGENTS: usize = 1000;
/// Half an hour, a hundred times as fast.
const INTERVAL: Duration = Duration::from_secs(18);
/// Agents that run at a time.
const N_THREADS: usize = 32;
const N_IDLE: usize = 5000;

/// Lets all agents run once in their interval, and describes the outcome.
pub(super) fn fleet(load: &Load<'_>, machine: &Machine) -> Result<String> {
    let (next, start) = (AtomicUsize::new(0), Instant::now());
    let errors: Mutex<Vec<String>> = Mutex::default();
    let n_requests = AtomicUsize::new(0);
    let before = machine.cpu()?;
    std::thread::scope(|scope| {
        for _ in 0..N_THREADS {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= N_AGENTS {
                        return;
                    }
                    let due = INTERVAL.mul_f64(number as f64 / N_AGENTS as f64);
                    std::thread::sleep(due.saturating_sub(start.elapsed()));
                    match run(load, number + 10) {
                        Ok(n) => drop(n_requests.fetch_add(n, Ordering::Relaxed)),
                        Err(error) => errors
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .push(format!("{error:#}")),
                    }
                }
            });
        }
    });
    let errors = errors.into_inner().unwrap_or_else(PoisonError::into_inner);
    let taken = start.elapsed().as_secs_f64();
    let cpu = machine.cpu()?.saturating_sub(before).as_secs_f64();
    let n_requests = n_requests.into_inner();
    let first = errors.first().map(|error| format!(", the first: {error}")).unwrap_or_default();
    Ok(format!(
        "{} errors{first}, {n_requests} requests in {taken:.1} s, {:.1} ms CPU for a run, {} MB",
        errors.len(),
        cpu * 1e3 / N_AGENTS as f64,
        machine.memory()? / 1_000_000
    ))
}

/// Runs one agent, and returns the number of its requests.
fn run(load: &Load<'_>, number: usize) -> Result<usize> {
    let node = node(number);
    let mut client = Client::connect(load.address, &load.config(&node)?)?;
    let mut all = vec![requests::plugins("pluginfacts"), requests::plugins("plugins")];
    all.push(super::load::catalog(load, &node));
    for n in 0..N_FILES {
        let path = format!("modules/load/file{n}.txt");
        all.extend([requests::metadata(&path), requests::content(&path)]);
    }
    all.push(super::load::report(load, &node));
    for request in &all {
        let received = client.send(request).with_context(|| first_line(request))?;
        ensure!(received.status == 200, "{} {}", received.status, first_line(request));
    }
    Ok(all.len())
}

fn first_line(request: &[u8]) -> String {
    String::from_utf8_lossy(request).lines().next().unwrap_or_default().to_owned()
}

/// Opens connections that do nothing, and describes the memory of the server.
pub(super) fn idle(load: &Load<'_>, machine: &Machine) -> Result<String> {
    let before = machine.memory()?;
    let config = load.config(&node(1))?;
    let open = || -> Result<Vec<Client>> {
        let mut clients = Vec::new();
        for _ in 0..N_IDLE / N_THREADS + 1 {
            let mut client = Client::connect(load.address, &config)?;
            ensure!(client.send(&requests::status())?.status == 200, "no answer");
            clients.push(client);
        }
        Ok(clients)
    };
    let start = Instant::now();
    let clients: Vec<Client> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..N_THREADS).map(|_| scope.spawn(open)).collect();
        let mut all = Vec::new();
        for thread in threads {
            all.extend(thread.join().map_err(|_| anyhow::anyhow!("a client panicked"))??);
        }
        Ok::<_, anyhow::Error>(all)
    })?;
    let after = machine.memory()?;
    let n_open = clients.iter().filter(|client| client.is_open()).count();
    Ok(format!(
        "{n_open} open after {:.1} s, {} MB, {} MB before",
        start.elapsed().as_secs_f64(),
        after / 1_000_000,
        before / 1_000_000
    ))
}
