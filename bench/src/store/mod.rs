//! The store beside PuppetDB: one run, the same commands over plain HTTP on the loopback interface, four clients.
//!
//! CPU time and memory are those of all processes: of the server, and of PostgreSQL where it has one.

mod commands;
mod http;
mod machine;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::table::Table;
use commands::Payload;
use http::Client;
use machine::{Kind, Machine};

/// Clients at a time.
const CLIENTS: usize = 4;
/// How often each query is asked.
const REPEATS: u32 = 5;

/// How much is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// Nodes with a catalog of 700 resources and a report of 1 MB.
    pub(crate) large: u32,
    /// Nodes with twenty small reports, for queries.
    pub(crate) nodes: u32,
    /// Nodes of a fleet to which the store grows, without PuppetDB.
    pub(crate) growth: u32,
}

/// The queries of puppetboard's front pages: overview, nodes, one node, reports, one fact, inventory, radiator.
const QUERIES: [&str; 20] = [
    "/pdb/query/v4/environments",
    "/pdb/query/v4/nodes",
    "/pdb/query/v4/nodes?limit=50&order_by=[{\"field\":\"certname\"}]",
    "/pdb/query/v4/nodes?query=[\"extract\",[[\"function\",\"count\"]],[\"=\",\"latest_report_status\",\"failed\"]]",
    "/pdb/query/v4/nodes?query=[\"extract\",[[\"function\",\"count\"],\"latest_report_status\"],[\"group_by\",\"latest_report_status\"]]",
    "/pdb/query/v4/nodes/node7.test",
    "/pdb/query/v4/facts?query=[\"=\",\"certname\",\"node7.test\"]",
    "/pdb/query/v4/fact-names",
    "/pdb/query/v4/facts/kernel",
    "/pdb/query/v4/facts?query=[\"and\",[\"=\",\"name\",\"kernel\"],[\"=\",\"value\",\"Linux\"]]",
    "/pdb/query/v4/inventory?query=[\"=\",\"facts.kernel\",\"Linux\"]&limit=50&order_by=[{\"field\":\"certname\"}]",
    "/pdb/query/v4/reports?limit=10&order_by=[{\"field\":\"start_time\",\"order\":\"desc\"}]&include_total=true",
    "/pdb/query/v4/reports?query=[\"=\",\"certname\",\"node7.test\"]&limit=10&order_by=[{\"field\":\"start_time\",\"order\":\"desc\"}]",
    "/pdb/query/v4/reports?query=[\"=\",\"latest_report?\",true]&limit=50&order_by=[{\"field\":\"certname\"}]",
    "/pdb/query/v4/events?query=[\"=\",\"latest_report?\",true]&limit=50&order_by=[{\"field\":\"timestamp\"}]",
    "/pdb/query/v4/event-counts?query=[\"=\",\"latest_report?\",true]&summarize_by=certname",
    "/pdb/query/v4/aggregate-event-counts?query=[\"=\",\"latest_report?\",true]&summarize_by=certname",
    "/pdb/query/v4/resources?query=[\"and\",[\"=\",\"certname\",\"node7.test\"],[\"=\",\"type\",\"Class\"]]",
    "/pdb/query/v4/catalogs/node7.test",
    "/metrics/v2/read/puppetlabs.puppetdb.population:name=num-nodes",
];

/// A server with everything stored, and the figures of that.
struct Filled {
    kind: Kind,
    machine: Machine,
    rate: f64,
    cpu: Duration,
    bytes_per_node: u64,
}

/// Figures of one server.
struct Measured {
    rate: f64,
    cpu: Duration,
    query: Duration,
    memory: u64,
    bytes_per_node: u64,
}

/// Measures the store of Kukla, and PuppetDB unless it is left out. With `pause`, both are filled first; then the file
/// `PAUSE.filled` is made, and queries are asked when `PAUSE.go` is there.
pub(crate) fn measure(
    no_puppet: bool,
    extent: Extent,
    pause: Option<&Path>,
    table: &mut Table,
) -> Result<()> {
    let kinds = if no_puppet { &[Kind::Kukla][..] } else { &[Kind::Kukla, Kind::PuppetDb] };
    let measured: Result<Vec<Measured>> = match pause {
        None => kinds.iter().map(|&kind| queries(fill(kind, extent)?, extent, table)).collect(),
        Some(pause) => {
            let filled: Result<Vec<Filled>> =
                kinds.iter().map(|&kind| fill(kind, extent)).collect();
            let filled = filled?;
            std::fs::write(pause.with_extension("filled"), "")?;
            while !pause.with_extension("go").exists() {
                std::thread::sleep(Duration::from_millis(200));
            }
            filled.into_iter().map(|filled| queries(filled, extent, table)).collect()
        }
    };
    if extent.growth > 0 {
        growth(extent.growth, table)?;
    }
    let measured = measured?;
    let [ours, theirs] = &measured[..] else { return Ok(()) };
    let ratio = |ours: f64, theirs: f64| format!("{:.1} ×", ours / theirs.max(1e-9));
    table.row("commands in a second", &ratio(ours.rate, theirs.rate));
    table.row("CPU for a command", &ratio(theirs.cpu.as_secs_f64(), ours.cpu.as_secs_f64()));
    table.row("queries", &ratio(theirs.query.as_secs_f64(), ours.query.as_secs_f64()));
    table.row("memory", &format!("1/{:.1}", theirs.memory as f64 / ours.memory as f64));
    let share = theirs.bytes_per_node as f64 / ours.bytes_per_node.max(1) as f64;
    table.row("bytes of a node", &format!("1/{share:.1}"));
    Ok(())
}

/// Starts a server and stores everything.
fn fill(kind: Kind, extent: Extent) -> Result<Filled> {
    let Extent { large, nodes, .. } = extent;
    let machine = Machine::start(kind)?;
    let (before, start) = (machine.cpu()?, Instant::now());
    send(&machine, large * 3, |n| match n % 3 {
        0 => commands::facts(n / 3, "large"),
        1 => commands::catalog(n / 3, 700),
        _ => commands::report(n / 3, "large", 0, true),
    })?;
    wait(&machine, large, large)?;
    let (took, cpu) = (start.elapsed(), machine.cpu()?.saturating_sub(before));
    let n_commands = large * 3;
    let rate = f64::from(n_commands) / took.as_secs_f64();
    let empty = machine.bytes()?;
    // A fleet for queries.
    send(&machine, nodes * 22, |n| match n % 22 {
        0 => commands::facts(n / 22, "node"),
        1 => commands::small_catalog(n / 22),
        k => commands::report(n / 22, "node", k, false),
    })?;
    wait(&machine, large + nodes, large + nodes * 20)?;
    let bytes_per_node = machine.bytes()?.saturating_sub(empty) / u64::from(nodes.max(1));
    Ok(Filled { kind, machine, rate, cpu: cpu / n_commands.max(1), bytes_per_node })
}

/// Asks the queries, and stops the server.
fn queries(filled: Filled, extent: Extent, table: &mut Table) -> Result<Measured> {
    let Filled { kind, machine, rate, cpu, bytes_per_node } = filled;
    let mut client = Client::connect(machine.address)?;
    let mut total = Duration::ZERO;
    for query in QUERIES.iter().filter(|_| extent.nodes > 0) {
        let path = http::encoded(query);
        // The first one prepares what is prepared once.
        let first = client.get(&path)?;
        ensure!(first.status == 200, "{kind:?}: {query}: {}", first.status);
        let start = Instant::now();
        for _ in 0..REPEATS {
            client.get(&path)?;
        }
        let mean = start.elapsed() / REPEATS;
        total += mean;
        let figure = format!("{:.2} ms, {} bytes", mean.as_secs_f64() * 1e3, first.body.len());
        table.row(&format!("{kind:?}: {}", query.trim_start_matches("/pdb/query/v4/")), &figure);
    }
    let query = total / u32::try_from(QUERIES.len())?;
    let measured = Measured { rate, cpu, query, memory: machine.memory()?, bytes_per_node };
    let name = format!("{kind:?}");
    let listening = machine.listening.as_secs_f64();
    table.row(&format!("{name}: answers after"), &format!("{listening:.3} s"));
    let figure = format!("{rate:.1} in a second, {:.1} ms CPU", cpu.as_secs_f64() * 1e3);
    table.row(&format!("{name}: commands, stored"), &figure);
    let figure = format!("{:.2} ms in the mean", query.as_secs_f64() * 1e3);
    table.row(&format!("{name}: 20 queries, {} nodes with 20 reports", extent.nodes), &figure);
    table.row(&format!("{name}: memory"), &format!("{} MB", measured.memory / 1_000_000));
    table.row(&format!("{name}: a node with 20 reports"), &format!("{bytes_per_node} bytes"));
    machine.stop()?;
    Ok(measured)
}

/// Sends commands by several clients.
fn send(machine: &Machine, n_commands: u32, payload: impl Fn(u32) -> Payload + Sync) -> Result<()> {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                scope.spawn(|| -> Result<()> {
                    let mut client = Client::connect(machine.address)?;
                    loop {
                        let number = u32::try_from(next.fetch_add(1, Ordering::Relaxed))?;
                        if number >= n_commands {
                            return Ok(());
                        }
                        let Payload { path, body } = payload(number);
                        let answer = client.post(&path, &body)?;
                        ensure!(answer.status == 200, "{path}: {}", answer.status);
                    }
                })
            })
            .collect();
        clients.into_iter().try_for_each(|client| {
            client.join().map_err(|_| anyhow::anyhow!("a client panicked"))?
        })
    })
}

/// Waits until everything is stored that was sent.
fn wait(machine: &Machine, n_nodes: u32, n_reports: u32) -> Result<()> {
    let mut client = Client::connect(machine.address)?;
    let mut count = |entity: &str, condition: &str| -> Result<u64> {
        let query = format!(
            "/pdb/query/v4/{entity}?query=[\"extract\",[[\"function\",\"count\"]]{condition}]"
        );
        let answer = client.get(&http::encoded(&query))?;
        let rows: serde_json::Value = serde_json::from_slice(&answer.body)?;
        Ok(rows[0]["count"].as_u64().unwrap_or_default())
    };
    let start = Instant::now();
    while count("reports", "")? < u64::from(n_reports)
        || count("catalogs", "")? < u64::from(n_nodes)
        || count("factsets", "")? < u64::from(n_nodes)
    {
        ensure!(start.elapsed() < Duration::from_secs(3600), "not everything is stored");
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// Lets the store grow: each step has as many nodes as the one before, and should take as long.
fn growth(nodes: u32, table: &mut Table) -> Result<()> {
    const STEPS: u32 = 4;
    let machine = Machine::start(Kind::Kukla)?;
    for step in 0..STEPS {
        let (first, n) = (nodes / STEPS * step, nodes / STEPS);
        let (start, before) = (Instant::now(), machine.cpu()?);
        send(&machine, n * 3, |number| {
            let node = first + number / 3;
            match number % 3 {
                0 => commands::facts(node, "node"),
                1 => commands::small_catalog(node),
                _ => commands::report(node, "node", 0, false),
            }
        })?;
        wait(&machine, first + n, first + n)?;
        let rate = f64::from(n * 3) / start.elapsed().as_secs_f64();
        let cpu = machine.cpu()?.saturating_sub(before) / (n * 3).max(1);
        let figure = format!(
            "{rate:.0} commands in a second, {:.2} ms CPU, {} MB, {} MB memory",
            cpu.as_secs_f64() * 1e3,
            machine.bytes()? / 1_000_000,
            machine.memory()? / 1_000_000
        );
        table.row(&format!("Kukla: growth to {} nodes", first + n), &figure);
    }
    machine.stop()
}
