//! Connections of HTTP/1, which keep nothing between two requests but their stream.
//!
//! A waiting connection of hyper has a buffer for the next head and the state of its machine, more than its stream takes. So one that
//! has been quiet for a while is taken apart, and a new one is made with the first byte of the next request. That is
//! sound only between two messages: [`InFlight`] knows of each request and answer when it has ended.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::sync::watch;
use tokio::time::{Sleep, sleep, timeout};

use super::patience::{Patience, Patient};
use super::respond;

/// The largest head that is read at all; smaller ones are refused with a proper answer.
const HEAD_SIZE: usize = 64 << 10;
/// How long a connection is quiet before it is taken apart: longer than agents think between two requests of a run, but
/// so short that many clients that connect at once don't hold buffers together.
const QUIET: Duration = Duration::from_millis(50);

/// Serves one connection until its end, or until `ending` is closed and its request is answered.
pub(super) async fn serve<S, H>(
    stream: S,
    patience: Patience,
    ending: watch::Receiver<()>,
    mut handler: impl FnMut(Arc<InFlight>) -> H,
) where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    H: Service<Request<Incoming>, Response = Response<Tracked<respond::Body>>, Error = Infallible>,
{
    let mut stream = Patient::new(stream, patience.answer, None);
    let mut begun = Bytes::new();
    loop {
        if begun.is_empty() {
            match first_byte(&mut stream, patience.head, ending.clone()).await {
                Some(byte) => begun = Bytes::copy_from_slice(&[byte]),
                None => {
                    let _ = stream.shutdown().await;
                    return;
                }
            }
        }
        let in_flight = Arc::<InFlight>::default();
        let watched = Watched { stream, begun, in_flight: Arc::clone(&in_flight) };
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(patience.head)
            .max_buf_size(HEAD_SIZE)
            .serve_connection(TokioIo::new(watched), handler(Arc::clone(&in_flight)));
        // In a box, so that a quiet connection does not have the room for it.
        let Some(parts) = Box::pin(until_quiet(connection, in_flight, ending.clone())).await else {
            return;
        };
        (stream, begun) = (parts.io.into_inner().stream, parts.read_buf);
    }
}

/// Waits for a request; nothing if none comes.
async fn first_byte<S: AsyncRead + Unpin>(
    stream: &mut S,
    most: Duration,
    mut ending: watch::Receiver<()>,
) -> Option<u8> {
    tokio::select! {
        byte = timeout(most, stream.read_u8()) => byte.ok()?.ok(),
        _ = ending.changed() => None,
    }
}

/// Drives a connection to its end, or takes it apart when it is quiet.
async fn until_quiet<S, H>(
    mut connection: http1::Connection<TokioIo<Watched<S>>, H>,
    in_flight: Arc<InFlight>,
    mut ending: watch::Receiver<()>,
) -> Option<http1::Parts<TokioIo<Watched<S>>, H>>
where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
    H: Service<Request<Incoming>, Response = Response<Tracked<respond::Body>>, Error = Infallible>,
{
    let mut is_ending = false;
    let mut ended = std::pin::pin!(async move { drop(ending.changed().await) });
    let mut quiet: Option<Pin<Box<Sleep>>> = None;
    let is_over = poll_fn(|context| {
        if !is_ending && ended.as_mut().poll(context).is_ready() {
            is_ending = true;
            Pin::new(&mut connection).graceful_shutdown();
        }
        // An error of one connection must not affect others.
        if Pin::new(&mut connection).poll(context).is_ready() {
            return Poll::Ready(true);
        }
        if is_ending || !in_flight.is_quiet() {
            quiet = None;
            return Poll::Pending;
        }
        let waiting = quiet.get_or_insert_with(|| Box::pin(sleep(QUIET)));
        waiting.as_mut().poll(context).map(|()| false)
    });
    (!is_over.await).then(|| connection.into_parts())
}

/// Requests and answers in flight on one connection.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    /// Requests and answers that have not ended.
    n_open: AtomicUsize,
    n_answered: AtomicUsize,
    /// Bytes came since the last of them ended.
    has_read: AtomicBool,
    /// The end of an answer may wait in a buffer.
    is_unflushed: AtomicBool,
    /// A request was not read to its end, so that what comes next may be a part of it.
    is_torn: AtomicBool,
}

impl InFlight {
    fn is_quiet(&self) -> bool {
        let is = |flag: &AtomicBool| flag.load(Ordering::Acquire);
        self.n_open.load(Ordering::Acquire) == 0
            && self.n_answered.load(Ordering::Acquire) > 0
            && !is(&self.has_read)
            && !is(&self.is_unflushed)
            && !is(&self.is_torn)
    }
}

/// A request, an answer or the work between them, until it is dropped.
#[derive(Debug)]
pub(super) struct Open(Arc<InFlight>);

impl Open {
    /// Begins one.
    pub(super) fn new(in_flight: &Arc<InFlight>) -> Self {
        in_flight.n_open.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(in_flight))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let InFlight { n_open, has_read, is_unflushed, .. } = &*self.0;
        has_read.store(false, Ordering::Release);
        is_unflushed.store(true, Ordering::Release);
        n_open.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The body of a request or an answer, whose end the connection's [`InFlight`] sees.
#[derive(Debug)]
pub(super) struct Tracked<B: Body> {
    body: B,
    open: Open,
    is_request: bool,
    has_ended: bool,
}

impl<B: Body> Tracked<B> {
    /// Tracks the body of a request.
    pub(super) fn request(body: B, in_flight: &Arc<InFlight>) -> Self {
        Self { body, open: Open::new(in_flight), is_request: true, has_ended: false }
    }

    /// Tracks the body of an answer.
    pub(super) fn answer(body: B, in_flight: &Arc<InFlight>) -> Self {
        in_flight.n_answered.fetch_add(1, Ordering::AcqRel);
        Self { body, open: Open::new(in_flight), is_request: false, has_ended: false }
    }
}

impl<B: Body + Unpin> Body for Tracked<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        self.has_ended |= matches!(frame, Poll::Ready(None));
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B: Body> Drop for Tracked<B> {
    fn drop(&mut self) {
        if self.is_request && !self.has_ended && !self.body.is_end_stream() {
            self.open.0.is_torn.store(true, Ordering::Release);
        }
    }
}

/// A stream that begins with bytes that were read before, and tells of what passes.
struct Watched<S> {
    stream: S,
    begun: Bytes,
    in_flight: Arc<InFlight>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let begun = self.begun.len().min(buffer.remaining());
        if begun > 0 {
            buffer.put_slice(&self.begun.split_to(begun));
            if buffer.remaining() == 0 {
                return Poll::Ready(Ok(()));
            }
        }
        let before = buffer.filled().len();
        let result = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.in_flight.has_read.store(true, Ordering::Release);
        }
        match result {
            // hyper looks at a head that it knows in part only when its end has come: it gets what is there as one piece.
            Poll::Pending if begun > 0 => Poll::Ready(Ok(())),
            result => result,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.in_flight.is_unflushed.store(true, Ordering::Release);
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.in_flight.is_unflushed.store(true, Ordering::Release);
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_flush(context);
        if matches!(result, Poll::Ready(Ok(()))) {
            self.in_flight.is_unflushed.store(false, Ordering::Release);
        }
        result
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
