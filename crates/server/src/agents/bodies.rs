//! Bodies of requests: each is bounded in size and time, and all of them together in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http_body_util::BodyExt as _;
use hyper::StatusCode;
use hyper::body::{Body as _, Bytes, Incoming};
use tokio::time::{Duration, Instant, timeout, timeout_at};

use super::exchange::RouteError;
use super::keep_alive::Tracked;
use super::patience::Patience;

/// The largest body of a request that carries no data of a node.
const SMALL: usize = 64 << 10;
/// How many of the largest bodies all clients together may have in memory; one client may have one.
const LARGEST_AT_ONCE: usize = 8;

/// The bytes of a refused body that are taken, and the time for them.
const MOST_DRAINED: usize = 4 << 20;
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// The bodies that are in memory.
#[derive(Debug)]
pub(super) struct Bodies {
    most: usize,
    patience: Patience,
    held: Arc<Mutex<Held>>,
}

#[derive(Debug, Default)]
struct Held {
    by_client: HashMap<String, usize>,
    total: usize,
}

/// Memory that a body takes, until it is dropped.
#[derive(Debug)]
pub(super) struct Reserved {
    held: Arc<Mutex<Held>>,
    client: String,
    n_bytes: usize,
}

impl Bodies {
    /// Makes the bounds for bodies of at most so many bytes.
    pub(super) fn new(most: usize, patience: Patience) -> Self {
        Self { most, patience, held: Arc::default() }
    }

    /// Reads the body of a client's request.
    pub(super) async fn read(
        &self,
        body: Option<Tracked<Incoming>>,
        client: &str,
        is_large: bool,
    ) -> Result<(Bytes, Reserved), RouteError> {
        let held = Arc::clone(&self.held);
        let mut reserved = Reserved { held, client: client.to_owned(), n_bytes: 0 };
        let Some(mut body) = body else { return Ok((Bytes::new(), reserved)) };
        let most = if is_large { self.most } else { SMALL.min(self.most) };
        if body.size_hint().lower() > most as u64 {
            return Err(too_large(body));
        }
        let start = Instant::now();
        let mut pieces: Vec<Bytes> = Vec::new();
        loop {
            let whole = start + self.patience.whole_body(reserved.n_bytes);
            let piece = timeout_at(whole.min(Instant::now() + self.patience.body), body.frame());
            let slow = |_| RouteError::text(StatusCode::REQUEST_TIMEOUT, "the body is too slow");
            let Some(frame) = piece.await.map_err(slow)? else { break };
            let broken = |_| RouteError::text(StatusCode::BAD_REQUEST, "the body is broken");
            let Ok(data) = frame.map_err(broken)?.into_data() else { continue };
            if reserved.n_bytes + data.len() > most {
                return Err(too_large(body));
            }
            if !reserved.grow(data.len(), self.most) {
                drain(body);
                return Err(RouteError::Busy(10));
            }
            pieces.push(data);
        }
        let bytes = match pieces.len() {
            1 => pieces.swap_remove(0),
            _ => pieces.concat().into(),
        };
        Ok((bytes, reserved))
    }
}

fn too_large(body: Tracked<Incoming>) -> RouteError {
    drain(body);
    RouteError::text(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large")
}

/// Takes the rest of a body for a while: a client that still sends would lose the answer with its connection.
pub(super) fn drain(mut body: Tracked<Incoming>) {
    let pieces = async move {
        let mut n_bytes = 0;
        while let Some(Ok(frame)) = body.frame().await {
            n_bytes += frame.into_data().map_or(0, |data| data.len());
            if n_bytes > MOST_DRAINED {
                return;
            }
        }
    };
    tokio::spawn(timeout(DRAIN_TIME, pieces));
}

impl Reserved {
    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes more memory, unless the client or all clients together have too much.
    fn grow(&mut self, n_bytes: usize, most: usize) -> bool {
        let mut held = self.lock();
        let own = held.by_client.get(&self.client).copied().unwrap_or_default();
        if own + n_bytes > most || held.total + n_bytes > most * LARGEST_AT_ONCE {
            return false;
        }
        held.total += n_bytes;
        held.by_client.insert(self.client.clone(), own + n_bytes);
        drop(held);
        self.n_bytes += n_bytes;
        true
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        let mut held = self.lock();
        held.total -= self.n_bytes;
        if let Some(own) = held.by_client.get_mut(&self.client) {
            *own -= self.n_bytes;
            if *own == 0 {
                held.by_client.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_share_the_memory_for_bodies() {
        let held: Arc<Mutex<Held>> = Arc::default();
        let reserve = |client: &str, n_bytes: usize| {
            let held = Arc::clone(&held);
            let mut reserved = Reserved { held, client: client.to_owned(), n_bytes: 0 };
            reserved.grow(n_bytes, 100).then_some(reserved)
        };
        let first = reserve("a", 60).expect("free");
        assert!(reserve("a", 50).is_none());
        let others: Vec<_> = (0..7).map(|n| reserve(&format!("b{n}"), 100)).collect();
        assert!(others.iter().all(Option::is_some));
        assert!(reserve("c", 41).is_none());
        drop(first);
        assert!(reserve("c", 100).is_some());
        drop(others);
        let held = held.lock().expect("not poisoned");
        assert!(held.total == 0 && held.by_client.is_empty());
    }
}
