//! Connections of clients that speak HTTP/1.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::watch;

use super::answer::{Answer, AnswerBody};
use super::exchange;
use super::forward::RequestBody;
use super::vet::{self, Peer, Refused, Vetted};
use super::{Proxy, tunnel};
use crate::body::{BodyError, BodySource, NextPiece};
use crate::services::{is_hop_by_hop, reason};
use crate::wire::{Decoder, Framing, HeadLimits, Input, WireError, chunk, last_chunk};

/// The number of bytes that are collected before they are written.
const WRITE: usize = 64 << 10;
/// The number of bytes of an unwanted body that are read before a connection is closed, and for how long.
const LINGER: (usize, Duration) = (256 << 10, Duration::from_secs(1));

/// Serves a connection until it ends.
pub(super) async fn serve<S: AsyncRead + AsyncWrite + Send + Unpin>(
    proxy: &Proxy,
    mut stream: S,
    peer: &Peer,
    mut stop: watch::Receiver<bool>,
) {
    let mut input = Input::default();
    let mut is_first = true;
    loop {
        let time = if is_first { proxy.times.head } else { proxy.times.idle };
        let reading = tokio::time::timeout(time, input.head(&mut stream, HeadLimits::default()));
        let head = tokio::select! {
            biased;
            head = reading => head,
            _ = stop.changed() => return,
        };
        let refused = match head {
            Ok(Ok(Some(head))) => match vet::request(proxy, peer, &head) {
                Ok(vetted) =>
                // In a box, a connection that waits is small.
                {
                    match Box::pin(one(proxy, &mut stream, &mut input, vetted)).await {
                        Ok(true) if !*stop.borrow() => {
                            is_first = false;
                            continue;
                        }
                        _ => return,
                    }
                }
                Err(refused) => refused,
            },
            Ok(Err(WireError::Malformed(reason))) => reason.into(),
            Err(_) if !input.buffer.is_empty() => {
                Refused(408, "the head did not arrive in time".to_owned())
            }
            _ => return,
        };
        proxy.refused(peer.address, &refused.1);
        let text = format!("{}\n", refused.1);
        let answer = Answer { closes: true, ..Answer::text(refused.0, &text) };
        let how = How { is_1_1: true, is_head: false, closes: true };
        if write(proxy, &mut stream, answer, how).await.is_ok() {
            linger(&mut stream).await;
        }
        return;
    }
}

/// Handles one request; returns whether the connection can be used for another.
async fn one<S: AsyncRead + AsyncWrite + Send + Unpin>(
    proxy: &Proxy,
    stream: &mut S,
    input: &mut Input,
    vetted: Vetted,
) -> std::io::Result<bool> {
    let Vetted { exchange, framing, keeps_connection, expects_continue, upgrade, is_1_1 } = vetted;
    let is_head = exchange.method == b"HEAD";
    let mut decoder = Decoder::new(framing);
    let answer = {
        let body = match framing {
            Framing::None => RequestBody::None,
            _ => {
                let (limit, time) = (proxy.max_body, proxy.times.body);
                let source = ClientBody {
                    stream,
                    input,
                    decoder: &mut decoder,
                    expects_continue,
                    limit,
                    time,
                };
                RequestBody::Arriving(Box::new(source), framing.size())
            }
        };
        let is_too_large = framing.size().is_some_and(|size| size > proxy.max_body);
        match is_too_large {
            true => Answer { closes: true, ..Answer::text(413, "the body is too large\n") },
            false => exchange::run(proxy, exchange, upgrade.as_deref(), body).await,
        }
    };
    let closes = answer.closes || !keeps_connection || !decoder.is_done();
    let is_unread = !decoder.is_done();
    if let Answer { body: AnswerBody::Tunnel(_), .. } = &answer {
        let connection =
            switch(proxy, stream, answer, upgrade.as_deref().unwrap_or_default()).await?;
        if let Some(connection) = connection {
            tunnel::run(stream, input, *connection, proxy.times.tunnel).await?;
        }
        return Ok(false);
    }
    write(proxy, stream, answer, How { is_1_1, is_head, closes }).await?;
    if is_unread {
        linger(stream).await;
    }
    Ok(!closes)
}

/// Reads what the client still sends, so that it gets the answer instead of an error.
async fn linger<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S) {
    let _ = stream.shutdown().await;
    let drain = async {
        let (mut n_read, mut bytes) = (0, vec![0; 16 << 10]);
        while n_read < LINGER.0 {
            match stream.read(&mut bytes).await {
                Ok(n) if n > 0 => n_read += n,
                _ => break,
            }
        }
    };
    let _ = tokio::time::timeout(LINGER.1, drain).await;
}

/// The way in which a response is written.
#[derive(Clone, Copy)]
struct How {
    is_1_1: bool,
    is_head: bool,
    closes: bool,
}

fn status_line(out: &mut Vec<u8>, status: u16) {
    out.extend_from_slice(format!("HTTP/1.1 {status} {}\r\n", reason(status)).as_bytes());
}

fn field(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    for part in [name, b": ", value, b"\r\n"] {
        out.extend_from_slice(part);
    }
}

/// Writes a response. A body that ends too early ends the connection, so that it can't pass for a whole one.
async fn write<S: AsyncWrite + Unpin>(
    proxy: &Proxy,
    stream: &mut S,
    mut answer: Answer,
    how: How,
) -> std::io::Result<()> {
    let mut out = Vec::with_capacity(2048);
    status_line(&mut out, answer.status);
    let has_body = !how.is_head && !matches!(answer.status, 204 | 304);
    for (name, value) in &answer.fields {
        // The length of a response to HEAD says what GET would give.
        let is_length = name.eq_ignore_ascii_case(b"content-length");
        let is_kept = is_length && !has_body && answer.status != 204;
        // Only a forward proxy itself answers 407.
        let is_challenge = answer.status == 407 && name.eq_ignore_ascii_case(b"proxy-authenticate");
        if is_kept || is_challenge || !is_hop_by_hop(name) {
            field(&mut out, name, value);
        }
    }
    field(&mut out, b"Via", format!("1.1 {}", proxy.name).as_bytes());
    let is_chunked = has_body && answer.size.is_none() && how.is_1_1;
    let closes = how.closes || (has_body && answer.size.is_none() && !how.is_1_1);
    match answer.size {
        Some(size) if has_body => field(&mut out, b"Content-Length", size.to_string().as_bytes()),
        _ if is_chunked => field(&mut out, b"Transfer-Encoding", b"chunked"),
        _ => (),
    }
    if closes {
        field(&mut out, b"Connection", b"close");
    }
    out.extend_from_slice(b"\r\n");
    let mut taker = Taker::new(stream, proxy.times.body);
    let passed = match has_body {
        true => body(&mut taker, &mut out, &mut answer.body, is_chunked).await,
        false => Ok(()),
    };
    // The client gets what there is of a body that ends too early, and sees that it is not whole.
    taker.put(&out).await?;
    passed
}

/// A client that takes a response, within a time for each part.
struct Taker<'s, S> {
    stream: &'s mut S,
    time: Duration,
    /// Whether a part was not taken; nothing may follow it.
    is_gone: bool,
}

impl<'s, S: AsyncWrite + Unpin> Taker<'s, S> {
    fn new(stream: &'s mut S, time: Duration) -> Self {
        Self { stream, time, is_gone: false }
    }

    /// Writes a part, and waits until the client's side has taken it.
    async fn put(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        if self.is_gone {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        }
        self.is_gone = true;
        let put = async {
            self.stream.write_all(bytes).await?;
            self.stream.flush().await
        };
        let timed_out = |_| std::io::Error::from(std::io::ErrorKind::TimedOut);
        tokio::time::timeout(self.time, put).await.map_err(timed_out)??;
        self.is_gone = false;
        Ok(())
    }
}

/// Writes a body; the last part is left in `out`.
async fn body<S: AsyncWrite + Unpin>(
    taker: &mut Taker<'_, S>,
    out: &mut Vec<u8>,
    body: &mut AnswerBody,
    is_chunked: bool,
) -> std::io::Result<()> {
    loop {
        // What has arrived is written together with what is waiting.
        let piece = match body.ready() {
            Some(piece) => Some(piece),
            None => {
                if out.len() > WRITE / 4 {
                    taker.put(out).await?;
                    out.clear();
                }
                let next = body.next();
                let mut next = std::pin::pin!(next);
                let ready = futures_poll(next.as_mut()).await;
                match ready {
                    Some(piece) => piece.map_err(std::io::Error::other)?,
                    None => {
                        taker.put(out).await?;
                        out.clear();
                        next.await.map_err(std::io::Error::other)?
                    }
                }
            }
        };
        match piece {
            Some(bytes) if is_chunked => chunk(out, &bytes),
            Some(bytes) => out.extend_from_slice(&bytes),
            None => {
                if is_chunked {
                    out.extend_from_slice(last_chunk());
                }
                return Ok(());
            }
        }
        if out.len() >= WRITE {
            taker.put(out).await?;
            out.clear();
        }
    }
}

/// Polls a future once.
async fn futures_poll<F: Future + Unpin>(mut future: F) -> Option<F::Output> {
    std::future::poll_fn(|context| {
        let polled = std::pin::Pin::new(&mut future).poll(context);
        std::task::Poll::Ready(match polled {
            std::task::Poll::Ready(output) => Some(output),
            std::task::Poll::Pending => None,
        })
    })
    .await
}

/// Writes the response that changes the protocol or opens a tunnel; returns the connection to the server.
async fn switch<S: AsyncWrite + Unpin>(
    proxy: &Proxy,
    stream: &mut S,
    answer: Answer,
    protocol: &[u8],
) -> std::io::Result<Option<Box<super::upstream::Connection>>> {
    let mut out = Vec::new();
    status_line(&mut out, answer.status);
    for (name, value) in &answer.fields {
        if !is_hop_by_hop(name) {
            field(&mut out, name, value);
        }
    }
    field(&mut out, b"Via", format!("1.1 {}", proxy.name).as_bytes());
    // A tunnel has the same protocol: its connection is passed on unread.
    if answer.status == 101 {
        field(&mut out, b"Connection", b"upgrade");
        field(&mut out, b"Upgrade", protocol);
    }
    out.extend_from_slice(b"\r\n");
    Taker::new(stream, proxy.times.body).put(&out).await?;
    match answer.body {
        AnswerBody::Tunnel(connection) => Ok(Some(connection)),
        _ => Ok(None),
    }
}

/// The body of a request that arrives.
struct ClientBody<'c, S> {
    stream: &'c mut S,
    input: &'c mut Input,
    decoder: &'c mut Decoder,
    expects_continue: bool,
    /// The number of bytes that may still come.
    limit: u64,
    time: Duration,
}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> BodySource for ClientBody<'_, S> {
    fn next(&mut self) -> NextPiece<'_> {
        Box::pin(async move {
            if std::mem::take(&mut self.expects_continue) && self.input.buffer.is_empty() {
                let text = b"HTTP/1.1 100 Continue\r\n\r\n";
                self.stream.write_all(text).await.map_err(WireError::Io)?;
                self.stream.flush().await.map_err(WireError::Io)?;
            }
            let next = self.input.body(&mut *self.stream, self.decoder);
            let timed_out = |_| WireError::Io(std::io::ErrorKind::TimedOut.into());
            let piece = tokio::time::timeout(self.time, next).await.map_err(timed_out)??;
            let length = piece.as_ref().map_or(0, |bytes| bytes.len() as u64);
            self.limit = self.limit.checked_sub(length).ok_or(BodyError::TooLarge)?;
            Ok(piece)
        })
    }
}
