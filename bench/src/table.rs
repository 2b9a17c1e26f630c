//! Table of results, for people.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the table is what was asked for")]

use std::time::Duration;

/// Rows of a name and a figure; each is printed as soon as it is known.
#[derive(Debug)]
pub(crate) struct Table {
    title: String,
    rows: Vec<(String, String)>,
}

impl Table {
    pub(crate) fn new(title: &str) -> Self {
        Self { title: title.to_owned(), rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, name: &str, figure: &str) {
        eprintln!("  measured: {}", name.trim());
        self.rows.push((name.to_owned(), figure.to_owned()));
    }

    /// Adds a row with the ratio of two times.
    pub(crate) fn ratio(&mut self, name: &str, long: Duration, short: Duration) {
        let ratio = long.as_secs_f64() / short.as_secs_f64().max(f64::MIN_POSITIVE);
        self.row(name, &format!("{ratio:.1} ×"));
    }

    pub(crate) fn print(&self) {
        let width =
            self.rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
        println!("{}\n", self.title);
        for (name, figure) in &self.rows {
            println!("{name:width$}  {figure}");
        }
    }
}

/// Prints why nothing was measured.
pub(crate) fn complain(message: &str) {
    eprintln!("error: {message}");
}

/// Formats `12.3 ms`.
pub(crate) fn milliseconds(time: Duration) -> String {
    let milliseconds = time.as_secs_f64() * 1e3;
    match milliseconds {
        long if long >= 100.0 => format!("{long:.0} ms"),
        short => format!("{short:.2} ms"),
    }
}

/// Formats `120.5 MB/s`.
pub(crate) fn megabytes_per_second(bytes: usize, time: Duration) -> String {
    let speed = bytes as f64 / 1e6 / time.as_secs_f64().max(f64::MIN_POSITIVE);
    format!("{speed:.1} MB/s")
}
