//! Small files, read in few steps.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::Attributes;
use crate::files::{Status, check_regular};

/// A file with its content and status, still open.
#[derive(Debug)]
pub struct Whole {
    file: File,
    /// The status when it was opened.
    pub status: Status,
    /// The content.
    pub bytes: Vec<u8>,
}

impl Whole {
    /// Reads a file.
    ///
    /// Most of the time that a build without changes takes is spent in system calls. So the size is asked for once and
    /// believed: bytes that are added at this very moment are seen the next time.
    pub fn read(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let status = Status::new(file.metadata()?);
        check_regular(&status)?;
        let mut bytes = vec![0; usize::try_from(status.size()).unwrap_or_default()];
        let mut n_read = 0;
        while n_read < bytes.len() {
            match file.read(&mut bytes[n_read..])? {
                0 => break,
                n => n_read += n,
            }
        }
        bytes.truncate(n_read);
        Ok(Self { file, status, bytes })
    }

    /// Gives the file these attributes, as far as the system allows it.
    pub fn set_attributes(&self, attributes: Attributes) -> io::Result<()> {
        attributes.replace(Attributes::of(&self.status), &self.file)
    }
}
