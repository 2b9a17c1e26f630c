//! Lists of the cases in which Kukla is expected to differ from Puppet, one name per line.
//!
//! A list only gets shorter: a case that is listed and no longer differs must be removed from it.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};

use crate::ROOM;

/// One list.
#[derive(Clone, Copy, Debug)]
pub struct KnownDifferences {
    /// Its path below `tests/`.
    path: &'static str,
}

/// The list for the small catalogs of `spec/catalog`: `topic: title`.
pub const CATALOG_SPECS: KnownDifferences =
    KnownDifferences { path: "spec/catalog/known-differences.txt" };

/// The list for the recorded catalogs of Debian's modules: `class @ facts`.
pub const CATALOGS: KnownDifferences =
    KnownDifferences { path: "digests/catalogs/known-differences.txt" };

impl KnownDifferences {
    /// Reads the names.
    pub fn names(self) -> Result<BTreeSet<String>> {
        let path = Path::new(ROOM).join(self.path);
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read `{}`", path.display()))?;
        Ok(text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect())
    }

    /// Replaces the listed names.
    pub fn write(self, names: &BTreeSet<String>) -> Result<()> {
        let head =
            "# Where Kukla differs from what Puppet answered. This list only gets shorter.\n";
        let lines: String = names.iter().map(|name| format!("{name}\n")).collect();
        let path = Path::new(ROOM).join(self.path);
        std::fs::write(&path, format!("{head}{lines}"))
            .with_context(|| format!("cannot write `{}`", path.display()))
    }

    /// Compares the list with the cases that ran and those that differ; returns one message per fault.
    pub fn faults(
        self,
        cases: &BTreeSet<String>,
        differing: &BTreeSet<String>,
    ) -> Result<Vec<String>> {
        Ok(faults(&self.names()?, cases, differing, self.path))
    }
}

fn faults(
    listed: &BTreeSet<String>,
    cases: &BTreeSet<String>,
    differing: &BTreeSet<String>,
    path: &str,
) -> Vec<String> {
    let new = differing.difference(listed).map(|name| format!("{name}: differs from Puppet"));
    let outdated = listed.difference(differing).map(|name| {
        let reason = if cases.contains(name) { "no longer differs" } else { "is no case" };
        format!("{name}: {reason}; remove it from `tests/{path}`")
    });
    new.chain(outdated).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::faults;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_listed_case_must_differ() {
        let judge = |listed: &[&str], differing: &[&str]| {
            faults(&set(listed), &set(&["a", "b"]), &set(differing), "list")
        };
        assert_eq!(judge(&["a"], &["a"]), [""; 0]);
        assert_eq!(judge(&["a"], &["a", "b"]), ["b: differs from Puppet"]);
        assert_eq!(judge(&["a"], &[]), ["a: no longer differs; remove it from `tests/list`"]);
        assert_eq!(judge(&["c"], &[]), ["c: is no case; remove it from `tests/list`"]);
        // A fixed case does not hide a new difference.
        assert_eq!(judge(&["a"], &["b"]).len(), 2);
    }
}
