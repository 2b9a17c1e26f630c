//! The way of a request to a server that speaks HTTP/2, and of its response back.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::channel::Channel;
use http_body_util::{BodyExt as _, Either, Empty};
use hyper::body::{Body as _, Incoming};
use hyper::header::{HeaderName, HeaderValue};
use hyper::http::uri::{Authority, PathAndQuery, Scheme, Uri};
use hyper::{Method, Request};

use super::Proxy;
use super::answer::AnswerBody;
use super::forward::{NoResponse, RequestBody, Response, each_field};
use super::shared::{Lease, Outgoing, Unfinished};
use crate::body::{BodyError, BodySource, NextPiece};
use crate::services::{Exchange, is_hop_by_hop};
use crate::wire::WireError;

/// The number of parts of a body that wait for the connection.
const PARTS: usize = 2;

/// Sends the request and reads the head of its response.
pub(super) async fn speak(
    proxy: &Proxy,
    exchange: &Exchange,
    mut lease: Lease,
    body: &mut RequestBody<'_>,
    (is_tls, time): (bool, Duration),
) -> Result<Response, NoResponse> {
    let is_kept = lease.is_kept;
    let (outgoing, mut unfinished) = outgoing(body);
    let request = request(proxy, exchange, outgoing, body.size(), is_tls)?;
    let answer = {
        let mut reading = std::pin::pin!(lease.send(request));
        let mut sending = std::pin::pin!(send(&mut unfinished, body, proxy.times.body));
        let mut limit = std::pin::pin!(tokio::time::sleep(time));
        let mut is_sent = false;
        loop {
            tokio::select! {
                biased;
                answer = &mut reading => break answer,
                sent = &mut sending, if !is_sent => {
                    sent?;
                    is_sent = true;
                    limit.as_mut().reset(tokio::time::Instant::now() + time);
                }
                () = &mut limit, if is_sent => return Err(NoResponse::Time),
            }
        }
    };
    let answer = answer.map_err(|error| match is_kept {
        true => NoResponse::Stale,
        false => NoResponse::Server(words(&error)),
    })?;
    let status = answer.status().as_u16();
    if status < 200 {
        return Err(NoResponse::Server("a change of protocol that was not asked for".to_owned()));
    }
    let fields = answer.headers().iter().map(|(name, value)| (name.as_str().as_bytes(), value));
    let passes = |name: &[u8]| !is_hop_by_hop(name) || name == b"content-length";
    let fields = fields
        .filter(|(name, _)| passes(name))
        .map(|(name, value)| (name.to_vec(), value.as_bytes().to_vec()))
        .collect();
    let closes = unfinished.0.is_some();
    let incoming = answer.into_body();
    if incoming.is_end_stream() {
        let body = AnswerBody::Whole(Bytes::new());
        return Ok(Response { status, fields, size: Some(0), body, closes });
    }
    let size = incoming.size_hint().exact();
    let streaming =
        Streaming { incoming, time: proxy.times.body, _lease: lease, _rest: unfinished };
    let body = AnswerBody::Streaming(Box::new(streaming));
    Ok(Response { status, fields, size, body, closes })
}

/// Returns the words for an error and its cause.
fn words(error: &hyper::Error) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

fn outgoing(body: &RequestBody<'_>) -> (Outgoing, Unfinished) {
    if let RequestBody::None = body {
        return (Either::Left(Empty::new()), Unfinished(None));
    }
    let (sender, channel) = Channel::new(PARTS);
    (Either::Right(channel), Unfinished(Some(sender)))
}

/// Returns the request; what HTTP/2 can't say is an error.
fn request(
    proxy: &Proxy,
    exchange: &Exchange,
    outgoing: Outgoing,
    size: Option<u64>,
    is_tls: bool,
) -> Result<Request<Outgoing>, NoResponse> {
    let bad = |words: &str| NoResponse::Server(words.to_owned());
    let host = exchange.host().unwrap_or_default();
    let uri = Uri::builder()
        .scheme(if is_tls { Scheme::HTTPS } else { Scheme::HTTP })
        .authority(Authority::try_from(host).map_err(|_| bad("HTTP/2 has no such host"))?)
        .path_and_query(
            PathAndQuery::try_from(exchange.target.as_slice())
                .map_err(|_| bad("HTTP/2 has no such path"))?,
        )
        .build()
        .map_err(|_| bad("HTTP/2 has no such target"))?;
    let method =
        Method::from_bytes(&exchange.method).map_err(|_| bad("HTTP/2 has no such method"))?;
    let mut request = Request::new(outgoing);
    (*request.uri_mut(), *request.method_mut()) = (uri, method);
    let headers = request.headers_mut();
    let mut is_good = true;
    each_field(proxy, exchange, |name, value| {
        if name.eq_ignore_ascii_case(b"host") {
            return;
        }
        match (HeaderName::from_bytes(name), HeaderValue::from_bytes(value)) {
            (Ok(name), Ok(value)) => drop(headers.append(name, value)),
            _ => is_good = false,
        }
    });
    if let Some(size) = size.filter(|size| *size > 0) {
        headers.insert("content-length", size.into());
    }
    if is_good { Ok(request) } else { Err(bad("HTTP/2 has no such header field")) }
}

/// Sends the body of a request.
async fn send(
    unfinished: &mut Unfinished,
    body: &mut RequestBody<'_>,
    time: Duration,
) -> Result<(), NoResponse> {
    let mut offset = 0;
    loop {
        let Some(piece) = body.next(offset).await.map_err(NoResponse::Request)? else { break };
        offset += piece.len() as u64;
        let Some(sender) = &mut unfinished.0 else { break };
        match tokio::time::timeout(time, sender.send_data(piece)).await {
            Ok(Ok(())) => (),
            // The server wants no more: its response, if there is one, says why.
            Ok(Err(_)) => std::future::pending().await,
            Err(_) => return Err(NoResponse::Time),
        }
    }
    // The body is whole: nothing breaks it off.
    unfinished.0 = None;
    Ok(())
}

/// The body of a response that arrives.
#[derive(Debug)]
pub(super) struct Streaming {
    incoming: Incoming,
    time: Duration,
    _lease: Lease,
    /// A request that was answered early: breaking it off would end the response too.
    _rest: Unfinished,
}

impl Streaming {
    /// Reads the next part; trailers are dropped, as those of HTTP/1.
    pub(super) async fn next_piece(&mut self) -> Result<Option<Bytes>, BodyError> {
        loop {
            let timed_out = |_| WireError::Io(std::io::ErrorKind::TimedOut.into());
            let frame = tokio::time::timeout(self.time, self.incoming.frame());
            let Some(frame) = frame.await.map_err(timed_out)? else { return Ok(None) };
            let frame = frame.map_err(|error| WireError::Io(std::io::Error::other(error)))?;
            match frame.into_data() {
                Ok(bytes) if !bytes.is_empty() => return Ok(Some(bytes)),
                _ => (),
            }
        }
    }
}

impl BodySource for Streaming {
    fn next(&mut self) -> NextPiece<'_> {
        Box::pin(self.next_piece())
    }
}
