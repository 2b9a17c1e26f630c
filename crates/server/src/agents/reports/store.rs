//! The processor `store`: one YAML file per report.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use kukla_rubytext::time::civil::Civil;
use kukla_world::durable;

/// Reports of one node in one minute that get files of their own.
const MOST_PER_MINUTE: u32 = 60;

/// Writes `DIRECTORY/HOST/YYYYMMDDHHMM.yaml`, a name with the time of arrival.
///
/// A second report of the same minute gets the suffix `-2`, where Puppet would overwrite the first.
pub(super) fn store(directory: &Path, host: &str, yaml: &str) -> io::Result<()> {
    let directory = directory.join(host);
    DirBuilder::new().recursive(true).mode(0o750).create(&directory)?;
    let stem = stem(SystemTime::now());
    let path = |number: u32| {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        directory.join(format!("{stem}{suffix}.yaml"))
    };
    let paths = (1..=MOST_PER_MINUTE).map(path);
    if durable::create_first(paths, yaml.as_bytes(), 0o640)?.is_some() {
        return Ok(());
    }
    durable::replace(&directory.join(format!("{stem}.yaml")), yaml.as_bytes(), 0o640)
}

fn stem(now: SystemTime) -> String {
    let seconds = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let Civil { year, month, day, hour, minute, .. } =
        Civil::new(i64::try_from(seconds).unwrap_or(0), 0);
    format!("{year:04}{month:02}{day:02}{hour:02}{minute:02}")
}
