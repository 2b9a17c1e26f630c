//! Lanes of other processes.

use std::io;
use std::path::Path;

use kukla_world::files;
use kukla_world::journal::Journal;

use crate::queue::MOST_LANES;

/// The lanes of other processes.
#[derive(Debug)]
pub(super) enum Left {
    /// They were not looked at yet, or one of them is in use.
    Unknown,
    /// This one has commands.
    Some(Journal),
    /// There are none any more.
    Nothing,
}

impl Left {
    /// Looks for commands that another process left; nothing while one writes.
    pub(super) fn look(directory: &Path, own_lane: usize) -> io::Result<Option<Self>> {
        for lane in (0..MOST_LANES).filter(|lane| *lane != own_lane) {
            let path = directory.join(lane.to_string());
            if !files::exists(&path) {
                continue;
            }
            match Journal::open(&path) {
                Ok(journal) if journal.waiting().records > 0 => {
                    return Ok(Some(Self::Some(journal)));
                }
                Ok(_) => (),
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(Self::Nothing))
    }
}
