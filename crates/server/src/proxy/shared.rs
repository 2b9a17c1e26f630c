//! Connections of HTTP/2 to servers, which exchanges share.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::channel::{Channel, Sender};
use http_body_util::{Either, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};

use super::upstream::IDLE;
use crate::net::Stream;

/// The largest number of exchanges at a time on a connection; a server may want fewer.
const STREAMS: usize = 100;
/// The number of bytes that may wait in an exchange. All exchanges of a connection may have as many, so that a
/// client that does not read holds no other back.
const WINDOW: u32 = 64 << 10;
/// The largest number of connections that are kept for a server.
const CONNECTIONS: usize = 64;
/// The largest head of a response.
const HEAD: u32 = 64 << 10;
/// The time after which a quiet connection is asked for a sign of life, and the time for its answer.
const ALIVE: (Duration, Duration) = (Duration::from_secs(15), Duration::from_secs(10));

/// The body of a request.
pub(super) type Outgoing = Either<Empty<Bytes>, Channel<Bytes, io::Error>>;

/// A connection.
#[derive(Clone)]
pub(super) struct Shared {
    sender: SendRequest<Outgoing>,
    n_exchanges: Arc<AtomicUsize>,
    /// The number of exchanges that the server allows.
    most: Arc<AtomicUsize>,
}

impl Shared {
    /// Begins to speak HTTP/2.
    pub(super) async fn open(stream: Stream) -> hyper::Result<Self> {
        let (sender, connection) = Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(WINDOW * u32::try_from(STREAMS).unwrap_or(1))
            .max_header_list_size(HEAD)
            .keep_alive_interval(ALIVE.0)
            .keep_alive_timeout(ALIVE.1)
            .keep_alive_while_idle(true)
            .handshake(TokioIo::new(stream))
            .await?;
        let most = Arc::new(AtomicUsize::new(STREAMS));
        let told = Arc::clone(&most);
        tokio::spawn(async move {
            let mut connection = std::pin::pin!(connection);
            // Its error is that of each exchange.
            let _ = std::future::poll_fn(|context| {
                let polled = connection.as_mut().poll(context);
                told.store(connection.current_max_send_streams(), Ordering::Relaxed);
                polled
            })
            .await;
        });
        Ok(Self { sender, n_exchanges: Arc::default(), most })
    }

    /// Takes a place; `None`: all are taken, or the connection is closed.
    fn lease(&self, is_kept: bool) -> Option<Lease> {
        let most = STREAMS.min(self.most.load(Ordering::Relaxed));
        let take = |n: usize| (n < most && !self.sender.is_closed()).then_some(n + 1);
        self.n_exchanges.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
        Some(Lease { shared: self.clone(), is_kept })
    }
}

/// A place on a connection, for one exchange.
pub(super) struct Lease {
    shared: Shared,
    /// Whether others have used the connection before.
    pub(super) is_kept: bool,
}

impl fmt::Debug for Lease {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Lease(kept: {})", self.is_kept)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.shared.n_exchanges.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Lease {
    /// Sends a request; returns the head of the response.
    pub(super) async fn send(
        &mut self,
        request: Request<Outgoing>,
    ) -> hyper::Result<Response<Incoming>> {
        self.shared.sender.send_request(request).await
    }

    /// Asks for a path; returns the status.
    pub(super) async fn status_of(
        mut self,
        host: &str,
        path: &str,
        is_tls: bool,
    ) -> io::Result<Option<u16>> {
        let scheme = if is_tls { "https" } else { "http" };
        let request = Request::get(format!("{scheme}://{host}{path}"))
            .body(Either::Left(Empty::new()))
            .map_err(io::Error::other)?;
        let response = self.send(request).await.map_err(io::Error::other)?;
        Ok(Some(response.status().as_u16()))
    }
}

/// The connections to a server, and when each was used last.
#[derive(Default)]
pub(super) struct SharedPool(Mutex<Vec<(Instant, Shared)>>);

impl fmt::Debug for SharedPool {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "SharedPool({})", self.all().len())
    }
}

impl SharedPool {
    fn all(&self) -> std::sync::MutexGuard<'_, Vec<(Instant, Shared)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place on a connection that has one; the first are filled first, so that the others can end.
    pub(super) fn take(&self) -> Option<Lease> {
        let mut all = self.all();
        if all.is_empty() {
            return None;
        }
        all.retain(|(_, shared)| !shared.sender.is_closed());
        all.iter_mut().find_map(|(used, shared)| {
            let lease = shared.lease(true)?;
            *used = Instant::now();
            Some(lease)
        })
    }

    /// Keeps a new connection, and takes a place on it.
    pub(super) fn add(&self, shared: Shared) -> Lease {
        shared.n_exchanges.fetch_add(1, Ordering::Relaxed);
        let mut all = self.all();
        if all.len() < CONNECTIONS {
            all.push((Instant::now(), shared.clone()));
        }
        Lease { shared, is_kept: false }
    }

    /// Forgets connections that were not used for long; they close when their exchanges are over.
    pub(super) fn prune(&self) {
        self.all().retain(|(used, shared)| {
            let is_used = shared.n_exchanges.load(Ordering::Relaxed) > 0;
            !shared.sender.is_closed() && (is_used || used.elapsed() < IDLE.1)
        });
    }
}

/// The body of a request that is being sent. A body that was not sent whole is broken off, so that it can't pass for
/// a whole one.
#[derive(Debug)]
pub(super) struct Unfinished(pub(super) Option<Sender<Bytes, io::Error>>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(sender) = self.0.take() {
            sender.abort(io::Error::other("the body ended early"));
        }
    }
}
