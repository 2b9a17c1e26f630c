//! Who owns what is written.

use std::fs;

use anyhow::{Context, anyhow};
use kukla_world::tree::Configured;

/// Owner, group and mode of the files of a tree.
#[derive(Debug, clap::Args)]
pub(super) struct Ownership {
    /// The user, by name or number, that files belong to; that of each manifest by default
    #[arg(long, value_name = "USER")]
    owner: Option<String>,
    /// The group, by name or number; that of each manifest by default
    #[arg(long, value_name = "GROUP")]
    group: Option<String>,
    /// The mode in octal, such as 640; that of each manifest by default
    #[arg(long, value_name = "MODE", value_parser = mode)]
    mode: Option<u32>,
}

impl Ownership {
    /// In numbers.
    pub(super) fn configured(&self) -> anyhow::Result<Configured> {
        let number = |name: &Option<String>, list: &str, what: &str| {
            name.as_ref().map(|name| number(name, list, what)).transpose()
        };
        Ok(Configured {
            owner: number(&self.owner, "/etc/passwd", "user")?,
            group: number(&self.group, "/etc/group", "group")?,
            mode: self.mode,
        })
    }
}

/// The number of a user or group: itself, or the third column of its line in a list.
fn number(name: &str, list: &str, what: &str) -> anyhow::Result<u32> {
    if let Ok(number) = name.parse() {
        return Ok(number);
    }
    let text = fs::read_to_string(list).with_context(|| format!("cannot read `{list}`"))?;
    let mut lines = text.lines().map(|line| line.split(':'));
    let found = lines.find_map(|mut columns| {
        let is_it = columns.next() == Some(name);
        columns.nth(1).filter(|_| is_it)?.parse().ok()
    });
    found.ok_or_else(|| anyhow!("no {what} `{name}` in `{list}`"))
}

fn mode(text: &str) -> Result<u32, String> {
    match u32::from_str_radix(text, 8) {
        Ok(mode) if mode <= 0o777 && mode & 0o400 != 0 => Ok(mode),
        Ok(_) => Err("a mode is at most 777, and the owner must be able to read".to_owned()),
        Err(_) => Err("a mode is an octal number".to_owned()),
    }
}
