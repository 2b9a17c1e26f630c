//! Commands as the journal has them.

use crate::CommandError;
use crate::puppetdb::sender::Outgoing;
use crate::queue::record;

/// A command as the journal has it, or why it can't be sent.
pub(in crate::puppetdb) enum Item {
    Outgoing(Outgoing),
    Unusable { place: Place, reason: CommandError },
}

/// The place of a command: the journal (0 is the own one, 1 one that was left), and its number there.
pub(in crate::puppetdb) type Place = (usize, u64);

impl Item {
    pub(super) fn read(place: Place, record: Option<&[u8]>) -> Self {
        let damaged = || CommandError::Json("its record is damaged".to_owned());
        let read = record.ok_or_else(damaged).and_then(record::unread);
        match read {
            Ok(record) => Self::Outgoing(Outgoing::new(place, record)),
            Err(reason) => Self::Unusable { place, reason },
        }
    }

    pub(super) fn received(&self) -> i64 {
        match self {
            Self::Outgoing(outgoing) => outgoing.record.received,
            Self::Unusable { .. } => 0,
        }
    }

    pub(super) fn n_bytes(&self) -> usize {
        match self {
            Self::Outgoing(outgoing) => outgoing.record.payload.len(),
            Self::Unusable { .. } => 0,
        }
    }
}
