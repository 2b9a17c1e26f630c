//! Connections to services that wait for another call.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::{Handle, Id};

use crate::net::Stream;

/// Idle connections to a service.
#[derive(Debug)]
pub(crate) struct IdleConnections<C> {
    all: Mutex<Vec<Waiting<C>>>,
    /// The largest number that is kept, and for how long.
    bounds: (usize, Duration),
}

/// An idle connection.
#[derive(Debug)]
struct Waiting<C> {
    since: Instant,
    /// The runtime that watches its socket.
    runtime: Option<Id>,
    connection: C,
}

impl<C: AsRef<Stream>> IdleConnections<C> {
    /// Creates an empty list.
    pub(crate) fn new(n_most: usize, time: Duration) -> Self {
        Self { all: Mutex::default(), bounds: (n_most, time) }
    }

    /// Takes the latest connection of this runtime.
    ///
    /// One of another runtime would wait for that one's work. If there are only such ones, the oldest is closed in favour
    /// of the connection that the caller opens, since a service may accept only so many.
    pub(crate) fn take(&self) -> Option<C> {
        let own = runtime();
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let Some(found) = all.iter().rposition(|waiting| waiting.runtime == own) else {
                drop((!all.is_empty()).then(|| all.remove(0)));
                return None;
            };
            let Waiting { since, connection, .. } = all.remove(found);
            // One that the service has closed must not fail a call.
            if since.elapsed() < self.bounds.1 && connection.as_ref().is_quiet() {
                return Some(connection);
            }
        }
    }

    /// Keeps a connection of this runtime.
    pub(crate) fn put(&self, connection: C) {
        let waiting = Waiting { since: Instant::now(), runtime: runtime(), connection };
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < self.bounds.0 {
            all.push(waiting);
        }
    }
}

fn runtime() -> Option<Id> {
    Handle::try_current().ok().map(|handle| handle.id())
}
