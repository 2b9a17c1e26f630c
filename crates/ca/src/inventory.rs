//! The list of all certificates that were ever signed (`inventory.txt`).

use std::path::Path;

use der::DateTime;

use crate::{CaError, Serial, pem, time};

/// A line: serial number, period and subject.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) serial: Serial,
    pub(crate) until: Option<DateTime>,
    pub(crate) subject: String,
}

impl Entry {
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.trim_end().splitn(4, ' ');
        let serial = fields.next()?;
        let digits = serial.strip_prefix("0x").or_else(|| serial.strip_prefix("0X"))?;
        let (_, until, subject) = (fields.next()?, fields.next()?, fields.next()?);
        let subject = subject.strip_prefix("/CN=")?.to_owned();
        Some(Self { serial: Serial::from_hex(digits)?, until: time::parse(until), subject })
    }

    /// Returns whether the certificate is expired. One without a date is not.
    pub(crate) fn is_expired(&self) -> bool {
        self.until.is_some_and(|until| until.unix_duration() <= time::now())
    }
}

/// Reads the inventory; lines that are none of it are skipped.
pub(crate) fn read(path: &Path) -> Result<Vec<Entry>, CaError> {
    let bytes = pem::read_if_present(path)?.unwrap_or_default();
    Ok(String::from_utf8_lossy(&bytes).lines().filter_map(Entry::parse).collect())
}
