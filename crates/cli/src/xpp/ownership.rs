//! Owner and mode of written files.

use kukla_world::files;

use anyhow::{Context, anyhow};
use kukla_world::tree::Configured;

/// Owner, group and mode of the files of a tree.
#[derive(Debug, clap::Args)]
pub(super) struct Ownership {
    /// User who owns the files, by name or number [default: that of each manifest]
    #[arg(long, value_name = "USER")]
    owner: Option<String>,
    /// Group of the files, by name or number [default: that of each manifest]
    #[arg(long, value_name = "GROUP")]
    group: Option<String>,
    /// Mode of the files in octal, such as 640 [default: that of each manifest]
    #[arg(long, value_name = "MODE", value_parser = mode)]
    mode: Option<u32>,
}

impl Ownership {
    /// Converts names to numbers.
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

/// Returns the number of a user or group: itself, or the third column of its line in a list.
fn number(name: &str, list: &str, what: &str) -> anyhow::Result<u32> {
    if let Ok(number) = name.parse() {
        return Ok(number);
    }
    let text = files::read_text(list.as_ref()).with_context(|| format!("cannot read `{list}`"))?;
    let mut lines = text.lines().map(|line| line.split(':'));
    let number = lines.find_map(|mut columns| {
        let is_name = columns.next() == Some(name);
        columns.nth(1).filter(|_| is_name)?.parse().ok()
    });
    number.ok_or_else(|| anyhow!("no {what} `{name}` in `{list}`"))
}

fn mode(text: &str) -> Result<u32, String> {
    match u32::from_str_radix(text, 8) {
        Ok(mode) if mode <= 0o777 && mode & 0o400 != 0 => Ok(mode),
        Ok(_) => Err("a mode is at most 777, and the owner must be able to read".to_owned()),
        Err(_) => Err("a mode is an octal number".to_owned()),
    }
}
