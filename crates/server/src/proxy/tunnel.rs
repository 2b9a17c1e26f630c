//! Connections that become one after a change of protocol, or by `CONNECT`.

use std::io;
use std::pin::Pin;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::time::Instant;

use super::upstream::Connection;
use crate::wire::Input;

/// Copies both ways until one side ends, or nothing moves for a time; what was read ahead goes first.
pub(super) async fn run<S: AsyncRead + AsyncWrite + Unpin>(
    client: &mut S,
    client_input: &mut Input,
    mut server: Connection,
    idle: Duration,
) -> io::Result<()> {
    let moved = Mutex::new(Instant::now());
    let mut client = Watched { stream: client, moved: &moved };
    let mut stream = Watched { stream: &mut server.stream, moved: &moved };
    let copy = async {
        client.write_all(&server.input.buffer).await?;
        client.flush().await?;
        stream.write_all(&client_input.buffer).await?;
        stream.flush().await?;
        tokio::io::copy_bidirectional(&mut client, &mut stream).await.map(|_| ())
    };
    let watch = async {
        loop {
            let until = *moved.lock().unwrap_or_else(PoisonError::into_inner) + idle;
            if until <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(until).await;
        }
    };
    tokio::select! {
        copied = copy => copied,
        () = watch => Err(io::ErrorKind::TimedOut.into()),
    }
}

/// A stream that says when a byte moved last.
struct Watched<'a, S> {
    stream: &'a mut S,
    moved: &'a Mutex<Instant>,
}

impl<S> Watched<'_, S> {
    fn note(&self) {
        *self.moved.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<'_, S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut *self.stream).poll_read(context, buffer);
        if polled.is_ready() {
            self.note();
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<'_, S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut *self.stream).poll_write(context, bytes);
        if polled.is_ready() {
            self.note();
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream).poll_shutdown(context)
    }
}
