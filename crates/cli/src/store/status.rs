//! `kukla store status` and `kukla store check`.

use std::fmt::Write;
use std::path::Path;

use kukla_base::render::printable;
use kukla_store::Queue;

use crate::Exit;
use crate::exports::store;
use crate::settings::{SettingArgs, StoreArgs};
use crate::shell::{Shell, Stream, TextOrJson};
use crate::site;
use crate::store::remote;

/// Less space than this is too little: a write-ahead log, and a segment of the queue.
const LITTLE: u64 = 32 << 20;

/// Show what the store has
#[derive(Debug, clap::Args)]
pub(crate) struct StatusArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
    #[command(flatten)]
    settings: StoreArgs,
}

/// Check that the store is sound, and that there is room for more
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

/// Returns whether the disk of a path is so full that commands are refused soon, or already.
fn shortage(path: &Path) -> Option<String> {
    let present = path.ancestors().find(|path| path.exists())?;
    let space = rustix::fs::statvfs(present).ok()?;
    let left = space.f_bavail.saturating_mul(space.f_frsize);
    let words = format!(
        "the disk of `{}` has {left} bytes left: commands of nodes are refused when it is full",
        printable(&path.display().to_string())
    );
    (left < LITTLE).then_some(words)
}

/// Prints everything that is wrong with the store.
pub(super) fn check(args: &CheckArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let site = site::open(&SettingArgs::from(&args.settings), shell)?;
    if let Some(puppetdb) = site.puppetdb()? {
        return remote::check(&site, &puppetdb, shell);
    }
    let store = store(&site)?;
    let mut problems = store.problems()?;
    let file = site.store_file(&site.store_choice()?.place);
    problems.extend(file.as_deref().and_then(shortage));
    problems.extend(shortage(&site.queue_directory()));
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
