//! Paths of users: input and display.

use std::path::Path;

use anyhow::Context;
use kukla_world::paths::Anchor;

/// Returns the current directory, the base of relative paths.
pub(crate) fn current() -> anyhow::Result<Anchor> {
    Ok(Anchor::new(std::env::current_dir().context("cannot find the current directory")?))
}

/// Returns a path for display: relative if it is below the current directory.
pub(crate) fn display(path: &str, anchor: &Anchor) -> String {
    match Path::new(path).strip_prefix(anchor.directory()) {
        Ok(below) => below.to_string_lossy().into_owned(),
        Err(_) => path.to_owned(),
    }
}
