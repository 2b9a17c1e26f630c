//! `kukla store export` and `kukla store import`: commands as lines of JSON, which make a store anew.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use kukla_store::{Command, Outcome, Receipt, Store, time};
use serde_json::{Value, json};

use crate::Exit;
use crate::exports::store;
use crate::settings::{SettingArgs, StoreArgs};
use crate::shell::{Shell, Stream};
use crate::site;

/// The longest line of an archive.
const MOST_LINE: u64 = 256 << 20;
/// The number of commands in one transaction.
const GROUP: usize = 64;

/// Write all that the store has as commands, one JSON object per line
#[derive(Debug, clap::Args)]
pub(crate) struct ExportArgs {
    /// File to write, which must not exist
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    settings: StoreArgs,
}

/// Store the commands of a file that `kukla store export` has written
#[derive(Debug, clap::Args)]
pub(crate) struct ImportArgs {
    /// File to read
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    settings: StoreArgs,
}

/// Writes an archive.
pub(super) fn export(args: &ExportArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let site = site::open(&SettingArgs::from(&args.settings), shell)?;
    let store = store(&site)?;
    // Facts and parameters may be secret.
    let file = File::options().write(true).create_new(true).mode(0o600).open(&args.file);
    let named = || format!("cannot write `{}`", args.file.display());
    let mut out = BufWriter::new(file.with_context(named)?);
    let mut n_commands = 0_usize;
    let mut failed = None;
    store.export(&mut |command| {
        n_commands += 1;
        let line = json!({
            "command": command.name, "version": command.version,
            "received": time::written(command.received), "payload": command.payload,
        });
        let written = writeln!(out, "{line}");
        failed = written.err();
        failed.is_none()
    })?;
    match failed {
        Some(error) => return Err(error).with_context(named),
        None => out.flush().with_context(named)?,
    }
    shell.print(Stream::Output, &format!("{n_commands} commands\n"))?;
    Ok(Exit::Success)
}

/// Reads an archive.
pub(super) fn import(args: &ImportArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let site = site::open(&SettingArgs::from(&args.settings), shell)?;
    let Some(store) = site.open_store()? else { bail!("the setting `store` is `none`") };
    let file = File::open(&args.file);
    let file = file.with_context(|| format!("cannot read `{}`", args.file.display()))?;
    let mut lines = BufReader::new(file);
    let (mut n_stored, mut n_known, mut group) = (0, 0, Vec::new());
    for number in 1.. {
        let Some(line) = next_line(&mut lines, &args.file)? else { break };
        let place = || format!("`{}`, line {number}", args.file.display());
        group.push(read(&line).with_context(place)?);
        if group.len() == GROUP {
            apply(&store, &mut group, &mut n_stored, &mut n_known)?;
        }
    }
    apply(&store, &mut group, &mut n_stored, &mut n_known)?;
    let text = format!("{n_stored} commands stored, {n_known} said nothing new\n");
    shell.print(Stream::Output, &text)?;
    Ok(Exit::Success)
}

fn next_line(lines: &mut impl BufRead, path: &Path) -> anyhow::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read = lines.take(MOST_LINE + 1).read_until(b'\n', &mut line);
    read.with_context(|| format!("cannot read `{}`", path.display()))?;
    if line.len() as u64 > MOST_LINE {
        bail!("`{}` has a line of more than {MOST_LINE} bytes", path.display());
    }
    Ok(if line.is_empty() { None } else { Some(line) })
}

/// Reads a line: the command, and when it came.
fn read(line: &[u8]) -> anyhow::Result<(Command, Receipt)> {
    let line: Value = serde_json::from_slice(line)?;
    let (name, version) = (line["command"].as_str(), line["version"].as_i64());
    let (Some(name), Some(version)) = (name, version) else {
        bail!("a line has `command`, `version` and `payload`");
    };
    let received = line["received"].as_str().and_then(time::read).unwrap_or_else(time::now);
    let command = Command::read(name, version, line["payload"].to_string().as_bytes())?;
    Ok((command, Receipt { received, keeps_exports: false }))
}

fn apply(
    store: &Store,
    group: &mut Vec<(Command, Receipt)>,
    n_stored: &mut usize,
    n_known: &mut usize,
) -> anyhow::Result<()> {
    let commands: Vec<(&Command, Receipt)> =
        group.iter().map(|(command, receipt)| (command, *receipt)).collect();
    for applied in store.apply(&commands)? {
        match applied? {
            Outcome::Stored => *n_stored += 1,
            Outcome::Stale | Outcome::Duplicate | Outcome::Changed => *n_known += 1,
        }
    }
    group.clear();
    Ok(())
}
