//! `cargo xtask docs`: writes the generated parts of the book.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::docs;
use crate::shell::{root, say};

/// Write the generated pages of docs/, or check that they are up to date.
#[derive(Debug, clap::Args)]
pub(crate) struct Docs {
    /// Write nothing; fail if a page is out of date
    #[arg(long)]
    check: bool,
}

impl Docs {
    pub(crate) fn run(&self) -> Result<bool> {
        let stale = stale()?;
        for (path, text) in &stale {
            let name = path.strip_prefix(root()).unwrap_or(path).display().to_string();
            if self.check {
                say(&format!("`{name}` is not current; run `cargo xtask docs`"));
                continue;
            }
            let folder = path.parent().context("a page lies in a folder")?;
            std::fs::create_dir_all(folder)?;
            std::fs::write(path, text).with_context(|| format!("cannot write `{name}`"))?;
            say(&format!("wrote `{name}`"));
        }
        Ok(stale.is_empty() || !self.check)
    }
}

/// Whether all generated pages are up to date.
pub(crate) fn are_current() -> Result<bool> {
    Docs { check: true }.run()
}

/// Returns the generated pages that differ from those in docs/.
fn stale() -> Result<Vec<(PathBuf, String)>> {
    let root = root();
    let pages = docs::generate(&root)?;
    let pages = pages.into_iter().map(|(path, text)| (root.join(path), text));
    Ok(pages
        .filter(|(path, text)| std::fs::read_to_string(path).ok().as_ref() != Some(text))
        .collect())
}
