//! Folders and streams of recorded messages.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use kukla_plang::recorded::Recorded;

use super::message::recorded;
use crate::inputs::{STANDARD_INPUT, problem};

/// A message of a folder or a stream.
#[derive(Debug)]
pub(super) struct NamedMessage {
    /// Its path below the folder, without `.http` or `.smtp`; in a stream its name, or its line.
    pub(super) name: String,
    pub(super) recorded: Recorded,
}

/// Iterator over messages.
pub(super) type Messages = Box<dyn Iterator<Item = anyhow::Result<NamedMessage>>>;

/// Reads the messages of a folder, or lazily of a file with one message per line.
pub(super) fn messages(path: &Path) -> anyhow::Result<Messages> {
    if path == Path::new(STANDARD_INPUT) {
        return Ok(stream(BufReader::new(std::io::stdin())));
    }
    if path.is_dir() {
        return Ok(Box::new(of_folder(path)?.into_iter().map(Ok)));
    }
    let file = std::fs::File::open(path);
    let file = file.map_err(|error| anyhow!(problem(&path.to_string_lossy(), &error)))?;
    Ok(stream(BufReader::new(file)))
}

fn stream(input: impl BufRead + 'static) -> Messages {
    let lines = (1..).zip(input.lines());
    let lines =
        lines.filter(|(_, line)| line.as_ref().map_or(true, |line| !line.trim().is_empty()));
    Box::new(lines.map(|(number, line)| {
        let place = format!("line {number}");
        let read = Recorded::from_line(&line.with_context(|| place.clone())?);
        let (name, recorded) = read.with_context(|| format!("can't use {place}"))?;
        Ok(NamedMessage { name: name.unwrap_or(place), recorded })
    }))
}

/// Returns all `.http` and `.smtp` files below a folder, by name.
fn of_folder(folder: &Path) -> anyhow::Result<Vec<NamedMessage>> {
    let mut paths = Vec::new();
    find(folder, &mut paths)?;
    paths.sort();
    if paths.is_empty() {
        bail!("`{}` has no `.http` or `.smtp` files", folder.display());
    }
    let named = paths.iter().map(|path| {
        let name = path.strip_prefix(folder).unwrap_or(path).with_extension("");
        Ok(NamedMessage {
            name: name.to_string_lossy().into_owned(),
            recorded: recorded(path, None)?,
        })
    });
    named.collect()
}

fn find(folder: &Path, out: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(folder);
    for entry in entries.with_context(|| format!("cannot read `{}`", folder.display()))? {
        let entry = entry?;
        let path = entry.path();
        // Symbolic links are not followed: they could form a cycle.
        if entry.file_type()?.is_dir() {
            find(&path, out)?;
        } else if path.extension().is_some_and(|own| own == "http" || own == "smtp") {
            out.push(path);
        }
    }
    Ok(())
}
