//! Connections to a service that are kept.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::idle::IdleConnections;
use crate::net::Stream;
use crate::wire::Input;

/// The time for which an idle connection is kept.
const IDLE: Duration = Duration::from_secs(30);
/// The number of idle connections that are kept.
const MOST_IDLE: usize = 64;

/// A connection with what was read ahead.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) stream: Stream,
    pub(super) input: Input,
}

impl AsRef<Stream> for Connection {
    fn as_ref(&self) -> &Stream {
        &self.stream
    }
}

/// Idle connections, and places for those in use.
#[derive(Debug)]
pub(super) struct Pool {
    idle: IdleConnections<Connection>,
    places: Arc<Semaphore>,
    n_places: Mutex<usize>,
    most: usize,
}

impl Pool {
    pub(super) fn new(most: usize) -> Self {
        let places = Arc::new(Semaphore::new(most));
        Self {
            idle: IdleConnections::new(MOST_IDLE, IDLE),
            places,
            n_places: Mutex::new(most),
            most,
        }
    }

    /// Waits for a place.
    pub(super) async fn place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).acquire_owned().await.ok()
    }

    /// Takes an idle connection.
    pub(super) fn take(&self) -> Option<Connection> {
        self.idle.take()
    }

    /// Keeps a connection, unless there are bytes behind the last answer.
    pub(super) fn put(&self, connection: Connection) {
        if connection.input.buffer.is_empty() {
            self.idle.put(connection);
        }
    }

    /// Takes over the number of connections that the service accepts.
    pub(super) fn resize(&self, wanted: Option<usize>) {
        let wanted = wanted.unwrap_or(self.most).min(self.most);
        let mut n_places = self.n_places.lock().unwrap_or_else(PoisonError::into_inner);
        if wanted > *n_places {
            self.places.add_permits(wanted - *n_places);
            *n_places = wanted;
        } else {
            // Places in use are given up later, when the options are read again.
            *n_places -= self.places.forget_permits(*n_places - wanted);
        }
    }
}
