//! Times that clients may take, and a stream that ends when a client does not read.

use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// The bytes of a body that a client has to send in a second, on average.
const LEAST_RATE: u64 = 10_000;

/// Times that a client may take before its connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// The handshake of TLS.
    pub handshake: Duration,
    /// The head of a request, and the time between two requests.
    pub head: Duration,
    /// One piece of a body; the whole body may take longer by its size.
    pub body: Duration,
    /// One piece of an answer.
    pub answer: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(10),
            head: Duration::from_secs(30),
            body: Duration::from_secs(30),
            answer: Duration::from_secs(60),
        }
    }
}

impl Patience {
    /// Returns the time for the whole of a body of which so many bytes have come.
    pub(super) fn whole_body(&self, n_bytes: usize) -> Duration {
        self.body + Duration::from_millis(n_bytes as u64 * 1000 / LEAST_RATE)
    }
}

/// A stream that fails when the other end takes nothing for a time, or sends nothing where that is bounded too.
pub(crate) struct Patient<S> {
    stream: S,
    reading: Limit,
    writing: Limit,
}

/// A bound of the time that one step may wait.
#[derive(Default)]
struct Limit {
    most: Option<Duration>,
    /// Runs while a step waits.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    /// Wraps a stream; `reading` bounds the time without any byte of the other end.
    pub(crate) fn new(stream: S, writing: Duration, reading: Option<Duration>) -> Self {
        let limit = |most| Limit { most, waiting: None };
        Self { stream, reading: limit(reading), writing: limit(Some(writing)) }
    }

    /// Returns the stream.
    pub(crate) fn into_inner(self) -> S {
        self.stream
    }
}

impl Limit {
    /// Returns the result of a step, or an error for one that waits too long.
    fn bounded<T>(
        &mut self,
        context: &mut Context<'_>,
        result: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let Some(most) = self.most.filter(|_| result.is_pending()) else {
            self.waiting = None;
            return result;
        };
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(most)));
        match waiting.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.reading.bounded(context, result)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.writing.bounded(context, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.writing.bounded(context, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_flush(context);
        self.writing.bounded(context, result)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_shutdown(context);
        self.writing.bounded(context, result)
    }
}
