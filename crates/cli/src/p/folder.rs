//! Folders of recorded messages.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use kukla_plang::recorded::Recorded;

use super::message::recorded;

/// A message of a folder.
#[derive(Debug)]
pub(super) struct Named {
    /// Its path below the folder, without `.http`.
    pub(super) name: String,
    pub(super) recorded: Recorded,
}

/// All `.http` files below a folder, by name.
pub(super) fn messages(folder: &Path) -> anyhow::Result<Vec<Named>> {
    let mut paths = Vec::new();
    find(folder, &mut paths)?;
    paths.sort();
    if paths.is_empty() {
        bail!("`{}` has no `.http` files", folder.display());
    }
    let named = paths.iter().map(|path| {
        let name = path.strip_prefix(folder).unwrap_or(path).with_extension("");
        Ok(Named { name: name.to_string_lossy().into_owned(), recorded: recorded(path, None)? })
    });
    named.collect()
}

fn find(folder: &Path, out: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(folder);
    for entry in entries.with_context(|| format!("can't read `{}`", folder.display()))? {
        let entry = entry?;
        let path = entry.path();
        // Links are not followed: they could lead round in a circle.
        if entry.file_type()?.is_dir() {
            find(&path, out)?;
        } else if path.extension().is_some_and(|extension| extension == "http") {
            out.push(path);
        }
    }
    Ok(())
}
