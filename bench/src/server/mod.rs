//! The server for agents beside Puppet Server: one run, the same directories, four clients with certificates.
//!
//! CPU time is that of the server's process, as `/proc` counts it: other work on the machine does not change it. Rates
//! and latencies are wall-clock times, and worth as much as the machine is quiet.

mod agents;
mod client;
mod load;
mod machine;
mod requests;
mod site;

use std::time::Duration;

use anyhow::Result;

use crate::table::Table;
use load::{Figures, Load};
use machine::{Kind, Machine};
use site::LoadSite;

/// Clients at a time.
const CLIENTS: usize = 4;
/// Catalogs before Puppet Server counts as warm.
const WARM: usize = 40;

/// Figures of one server.
struct Measured {
    listening: Duration,
    first_catalog: Duration,
    catalogs: Figures,
    reports: Figures,
    metadata: Figures,
    memory: u64,
}

/// Measures Kukla's server, and Puppet Server unless it is left out.
pub(crate) fn measure(no_puppet: bool, seconds: f64, table: &mut Table) -> Result<()> {
    let site = LoadSite::write("load")?;
    let ours = serve(&site, Kind::Kukla, seconds, table)?;
    show("Kukla", &ours, table);
    let afresh = compiled(&site, seconds)?;
    table.row("Kukla: catalogs, each compiled", &afresh.to_string());
    simulate(&site, table)?;
    if no_puppet {
        return Ok(());
    }
    let theirs = serve(&site, Kind::PuppetServer, seconds * 3.0, table)?;
    show("Puppet Server", &theirs, table);
    compare(&ours, &theirs, table);
    compare_one("catalogs, each compiled", &afresh, &theirs.catalogs, table);
    Ok(())
}

/// Measures catalogs of a server that gives none again.
fn compiled(site: &LoadSite, seconds: f64) -> Result<Figures> {
    let machine = Machine::start(site, Kind::KuklaAfresh)?;
    let load = Load { site, address: machine.address };
    load.catalog_of(1)?;
    load.repeat(CLIENTS, WARM / CLIENTS, load::catalog)?;
    let figures = load.measure(&machine, CLIENTS, seconds, load::catalog)?;
    machine.stop()?;
    Ok(figures)
}

fn serve(site: &LoadSite, kind: Kind, seconds: f64, table: &mut Table) -> Result<Measured> {
    let machine = Machine::start(site, kind)?;
    let load = Load { site, address: machine.address };
    let first_catalog = {
        let received = load.catalog_of(1)?;
        let taken = machine.since_start();
        let size = received.body.len();
        table.row(&format!("{kind:?}: catalog"), &format!("{size} bytes, gzip"));
        taken
    };
    load.repeat(CLIENTS, WARM / CLIENTS, load::catalog)?;
    let measured = Measured {
        listening: machine.listening,
        first_catalog,
        catalogs: load.measure(&machine, CLIENTS, seconds, load::catalog)?,
        reports: load.measure(&machine, CLIENTS, seconds / 2.0, load::report)?,
        metadata: load.measure(&machine, CLIENTS, seconds / 2.0, load::metadata)?,
        memory: machine.memory()?,
    };
    machine.stop()?;
    Ok(measured)
}

fn show(name: &str, measured: &Measured, table: &mut Table) {
    let Measured { listening, first_catalog, memory, .. } = measured;
    let seconds = |time: &Duration| format!("{:.3} s", time.as_secs_f64());
    table.row(&format!("{name}: listening after"), &seconds(listening));
    table.row(&format!("{name}: first catalog after"), &seconds(first_catalog));
    table.row(&format!("{name}: catalogs"), &measured.catalogs.to_string());
    table.row(&format!("{name}: reports of 300 resources"), &measured.reports.to_string());
    table.row(&format!("{name}: metadata of a file"), &measured.metadata.to_string());
    table.row(&format!("{name}: resident memory"), &format!("{} MB", memory / 1_000_000));
}

fn compare(ours: &Measured, theirs: &Measured, table: &mut Table) {
    for (name, ours, theirs) in [
        ("catalogs", &ours.catalogs, &theirs.catalogs),
        ("reports", &ours.reports, &theirs.reports),
        ("metadata", &ours.metadata, &theirs.metadata),
    ] {
        compare_one(name, ours, theirs, table);
    }
    let memory = theirs.memory as f64 / ours.memory as f64;
    table.row("memory", &format!("1/{memory:.0}"));
}

fn compare_one(name: &str, ours: &Figures, theirs: &Figures, table: &mut Table) {
    let cpu = theirs.cpu.as_secs_f64() / ours.cpu.as_secs_f64().max(1e-9);
    let rate = ours.rate / theirs.rate.max(1e-9);
    table.row(&format!("{name}: CPU"), &format!("{cpu:.0} ×"));
    table.row(&format!("{name}: rate"), &format!("{rate:.0} ×"));
}

/// Simulates a fleet, and counts the memory of connections that do nothing.
fn simulate(site: &LoadSite, table: &mut Table) -> Result<()> {
    let machine = Machine::start(site, Kind::Kukla)?;
    let load = Load { site, address: machine.address };
    // The first start waited until the code, which was just written, had not changed for a second.
    load.catalog_of(1)?;
    let taken = machine.since_start().as_secs_f64();
    table.row("Kukla: first catalog after a restart", &format!("{taken:.3} s"));
    load.repeat(CLIENTS, 5, load::catalog)?;
    let fleet = agents::fleet(&load, &machine)?;
    table.row("1 000 agents in 18 s", &fleet);
    machine.stop()?;
    // The server before has left reports in its queue, which the next one would store meanwhile.
    let site = LoadSite::write("idle")?;
    let machine = Machine::start(&site, Kind::Kukla)?;
    let load = Load { site: &site, address: machine.address };
    let idle = agents::idle(&load, &machine)?;
    table.row("5 000 idle connections", &idle);
    machine.stop()
}
