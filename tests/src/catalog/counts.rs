//! How many catalogs were equal, kept so that the number does not sink unnoticed.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::score::{Kind, Score};
use crate::ROOM;

/// Writes down how many are equal.
pub fn write(score: &Score) -> Result<()> {
    let head = "# Catalogs that are equal to Puppet's, written by `cargo xtask compare catalogs --recorded --keep`.\n";
    let line = |(kind, name): (Kind, &str)| {
        let count = score.of(kind);
        let all = count.equal + count.different + count.failed;
        format!("{} of {all} {name}\n", count.equal)
    };
    let lines: String = Kind::ALL.into_iter().map(line).collect();
    std::fs::write(path(), format!("{head}{lines}")).context("cannot write the counts")
}

/// What has sunk below what was written down, in words.
pub fn sunk(score: &Score) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(path()).context("cannot read the counts")?;
    let mut sunk = Vec::new();
    for (kind, name) in Kind::ALL {
        let line = text.lines().find(|line| line.ends_with(name)).unwrap_or_default();
        let kept: usize = line.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0);
        let now = score.of(kind).equal;
        if now < kept {
            sunk.push(format!("catalogs {name}: {now} are equal, and {kept} were"));
        }
    }
    Ok(sunk)
}

fn path() -> PathBuf {
    Path::new(ROOM).join("digests/catalogs/counts.txt")
}
