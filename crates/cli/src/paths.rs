//! Paths as users of a terminal write and see them.

use std::path::Path;

use anyhow::Context;
use kukla_world::paths::Anchor;

/// Returns the current directory, at which relative paths start.
pub(crate) fn current() -> anyhow::Result<Anchor> {
    Ok(Anchor::new(std::env::current_dir().context("cannot find the current directory")?))
}

/// Returns a path as people see it: relative if it is below the current directory.
pub(crate) fn shown(path: &str, anchor: &Anchor) -> String {
    match Path::new(path).strip_prefix(anchor.directory()) {
        Ok(below) => below.to_string_lossy().into_owned(),
        Err(_) => path.to_owned(),
    }
}
