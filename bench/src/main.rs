//! Benchmark of Kukla and real Puppet: in one run, on the same files.
//!
//! Run by `cargo xtask bench`, with the programs that `cargo xtask dist` builds. Without Debian's modules the files are
//! generated ([`inputs`]); without Puppet only Kukla is measured.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "benchmarks run programs and measure time"
)]

mod catalogs;
mod clock;
mod cores;
mod data;
mod erb;
mod evaluation;
mod inputs;
mod library;
mod loading;
mod programs;
mod records;
mod server;
mod sites;
mod store;
mod table;
mod tasks;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use inputs::Tree;
use table::Table;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measure speed and memory, compared with real Puppet if it is installed.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench --")]
pub(crate) struct Options {
    /// Measure generated manifests even if Debian's modules are installed
    #[arg(long)]
    generated: bool,
    /// Measure catalogs only
    #[arg(long)]
    catalogs: bool,
    /// Measure only the nodes of these requests, one per line as `kukla compile --jsonl` takes them: whole nodes of a site
    #[arg(long, value_name = "FILE")]
    cases: Option<PathBuf>,
    /// Measure the cost of records only
    #[arg(long)]
    records: bool,
    /// Measure ERB templates only
    #[arg(long)]
    erb: bool,
    /// Measure evaluation only
    #[arg(long)]
    eval: bool,
    /// Measure only evaluation tasks and loading operations whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    only: String,
    /// Measure lookups and checks of data only
    #[arg(long)]
    data: bool,
    /// Measure the server for agents only, beside Puppet Server
    #[arg(long)]
    server: bool,
    /// Measure the store only, beside PuppetDB
    #[arg(long)]
    store: bool,
    /// Nodes with a catalog of 700 resources and a report of 1 MB that are stored
    #[arg(long, default_value_t = 100, requires = "store")]
    large_nodes: u32,
    /// Nodes with 20 reports whose queries are measured
    #[arg(long, default_value_t = 1000, requires = "store")]
    nodes: u32,
    /// Nodes to which the store grows, without PuppetDB
    #[arg(long, default_value_t = 20_000, requires = "store")]
    growth: u32,
    /// Fill both stores, make the file PAUSE.filled, and ask the queries when there is a file PAUSE.go
    #[arg(long, requires = "store")]
    pause: Option<std::path::PathBuf>,
    /// Do not measure Puppet
    #[arg(long)]
    no_puppet: bool,
    /// Measure the loading of trees only
    #[arg(long)]
    loading: bool,
    /// Seconds for which each measurement of Kukla is repeated
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Megabytes of the larger of two manifests that show how time scales
    #[arg(long, default_value_t = 50)]
    large: usize,
}

fn main() -> ExitCode {
    match measure(&Options::parse()) {
        Ok(table) => {
            table.print();
            ExitCode::SUCCESS
        }
        Err(error) => {
            table::complain(&format!("{error:#}"));
            ExitCode::from(2)
        }
    }
}

fn measure(options: &Options) -> Result<Table> {
    if let Some(path) = &options.cases {
        let mut table = Table::new("nodes of sites, CPU time");
        sites::requested(path, options, &mut table)?;
        return Ok(table);
    }
    if options.catalogs {
        let mut table = Table::new("catalogs, CPU time");
        catalogs::nodes(options, &mut table)?;
        sites::generated(options, &mut table)?;
        records::nodes(&mut table)?;
        return Ok(table);
    }
    if options.records {
        let mut table = Table::new("records, warm");
        records::nodes(&mut table)?;
        return Ok(table);
    }
    if options.server {
        let mut table = Table::new("server for agents, four clients");
        server::measure(options.no_puppet, options.seconds * 5.0, &mut table)?;
        return Ok(table);
    }
    if options.store {
        let mut table = Table::new("store, four clients");
        let Options { large_nodes: large, nodes, growth, .. } = *options;
        let (extent, pause) = (store::Extent { large, nodes, growth }, options.pause.as_deref());
        store::measure(options.no_puppet, extent, pause, &mut table)?;
        return Ok(table);
    }
    if options.data {
        let mut table = Table::new("data");
        data::all(options, &mut table)?;
        return Ok(table);
    }
    if options.erb {
        let mut table = Table::new("ERB templates, CPU time");
        erb::templates(options, &mut table)?;
        return Ok(table);
    }
    if options.eval {
        let mut table = Table::new("evaluation, CPU time");
        evaluation::tasks(options, &mut table)?;
        return Ok(table);
    }
    let tree = if options.generated { Tree::generated()? } else { Tree::installed_or_generated()? };
    let mut table = Table::new(&tree.describe());
    if options.loading {
        loading::tree(options, &tree, &mut table);
        return Ok(table);
    }
    library::sizes(options, &mut table);
    library::beside_puppet(options, &tree, &mut table)?;
    loading::tree(options, &tree, &mut table);
    programs::tree(options, &tree, &mut table)?;
    programs::small_file(options, &mut table)?;
    programs::growth(options, &mut table)?;
    evaluation::tasks(options, &mut table)?;
    erb::templates(options, &mut table)?;
    catalogs::nodes(options, &mut table)?;
    sites::generated(options, &mut table)?;
    records::nodes(&mut table)?;
    data::all(options, &mut table)?;
    Ok(table)
}
