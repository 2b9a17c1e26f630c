//! `kukla store status` and `kukla store check`.

use std::fmt::Write;

use kukla_base::render::printable;
use kukla_store::Queue;

use crate::Exit;
use crate::exports::store;
use crate::settings::{SettingArgs, StoreArgs};
use crate::shell::{Shell, Stream, TextOrJson};
use crate::site;
use crate::store::remote;

/// Show what the store has
#[derive(Debug, clap::Args)]
pub(crate) struct StatusArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
    #[command(flatten)]
    settings: StoreArgs,
}

/// Check that the store is sound
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    settings: StoreArgs,
}

/// Prints numbers of rows, and of commands that wait.
pub(super) fn status(args: &StatusArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let site = site::open(&SettingArgs::from(&args.settings), shell)?;
    if let Some(puppetdb) = site.puppetdb()? {
        return remote::status(&site, &puppetdb, args.format, shell);
    }
    let status = store(&site)?.status()?;
    let waiting = Queue::waiting_in(&site.queue_directory())?;
    let text = match args.format {
        TextOrJson::Json => {
            let rows = status.tables.iter().map(|table| (table.name.to_owned(), table.rows.into()));
            let tables: serde_json::Map<String, serde_json::Value> = rows.collect();
            let json = serde_json::json!({
                "place": status.place, "version": status.version, "bytes": status.bytes,
                "active_nodes": status.active_nodes, "waiting_bytes": waiting, "rows": tables,
            });
            format!("{json:#}\n")
        }
        TextOrJson::Text => {
            let mut out = format!(
                "{}: version {}, {} bytes, {} active nodes, {} bytes of commands wait\n",
                printable(&status.place),
                status.version,
                status.bytes,
                status.active_nodes,
                waiting
            );
            for table in &status.tables {
                let _ = writeln!(out, "{:10} {}", table.rows, table.name);
            }
            out
        }
    };
    shell.print(Stream::Output, &text)?;
    Ok(Exit::Success)
}

/// Prints everything that is wrong with the store.
pub(super) fn check(args: &CheckArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let site = site::open(&SettingArgs::from(&args.settings), shell)?;
    if let Some(puppetdb) = site.puppetdb()? {
        return remote::check(&site, &puppetdb, shell);
    }
    let store = store(&site)?;
    let problems = store.problems()?;
    for problem in &problems {
        shell.problem(problem);
    }
    match problems.is_empty() {
        true => {
            shell.print(Stream::Output, &format!("{} is sound\n", printable(&store.place())))?;
            Ok(Exit::Success)
        }
        false => Ok(Exit::Findings),
    }
}
