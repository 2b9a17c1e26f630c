//! Pages of the book that are made from the program.

use std::path::{Path, PathBuf};

use anyhow::Result;
use kukla_syntax::explain;

/// Every generated page: its path below `root`, and its text.
pub(crate) fn generate(_root: &Path) -> Result<Vec<(PathBuf, String)>> {
    let texts = explain::all().iter().map(|explanation| explanation.text);
    let page: String = texts.map(|text| format!("\n#{}\n", text.trim_end())).collect();
    Ok(vec![(PathBuf::from("docs/src/reference/diagnostics.md"), format!("# Diagnostics\n{page}"))])
}
