//! The processor `store`: one YAML file per report.

use std::collections::HashMap;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use kukla_rubytext::time::civil::Civil;
use kukla_world::durable;

/// Reports of one node in one minute that get files of their own.
const MOST_PER_MINUTE: u32 = 60;

/// The numbers of the reports of this minute, so that a node with many of them does not try all names that are taken.
#[derive(Debug, Default)]
pub(super) struct ReportNumbers(Mutex<Minute>);

#[derive(Debug, Default)]
struct Minute {
    stem: String,
    /// The number of reports by node.
    last: HashMap<String, u32>,
}

impl ReportNumbers {
    /// Returns the number that the next report of a node in a minute is likely to get.
    fn next(&self, stem: &str, host: &str) -> u32 {
        let mut minute = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if minute.stem != stem {
            *minute = Minute { stem: stem.to_owned(), last: HashMap::new() };
        }
        let last = minute.last.entry(host.to_owned()).or_default();
        *last = last.saturating_add(1);
        *last
    }
}

/// Writes `DIRECTORY/HOST/YYYYMMDDHHMM.yaml`, a name with the time of arrival.
///
/// A second report of the same minute gets the suffix `-2`, where Puppet would overwrite the first.
pub(super) fn store(
    numbers: &ReportNumbers,
    directory: &Path,
    host: &str,
    yaml: &str,
) -> io::Result<()> {
    let directory = directory.join(host);
    DirBuilder::new().recursive(true).mode(0o750).create(&directory)?;
    let stem = stem(SystemTime::now());
    let path = |number: u32| {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        directory.join(format!("{stem}{suffix}.yaml"))
    };
    let first = numbers.next(&stem, host);
    let mut paths = (first..=MOST_PER_MINUTE).map(path).peekable();
    if paths.peek().is_some() && durable::create_first(paths, yaml.as_bytes(), 0o640)?.is_some() {
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
