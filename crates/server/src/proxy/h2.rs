//! Connections of clients that speak HTTP/2.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use http_body_util::channel::Channel;
use hyper::body::Incoming;
use hyper::header::{HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

use super::Proxy;
use super::answer::Answer;
use super::exchange;
use super::forward::RequestBody;
use super::vet::{self, Peer, Refused};
use crate::body::{BodyError, BodySource, NextPiece};
use crate::services::{Exchange, is_hop_by_hop};
use crate::wire::{Fields, WireError};

/// The largest number of requests at a time on a connection.
const STREAMS: u32 = 100;

/// How often a connection that is about to close is looked at.
const TICK: Duration = Duration::from_millis(100);
/// The time for exchanges to end when a connection is about to close.
const DRAIN: Duration = Duration::from_secs(10);

/// Serves a connection until it ends, has been quiet for long, or the proxy stops.
pub(super) async fn serve<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
    proxy: Arc<Proxy>,
    stream: S,
    peer: Arc<Peer>,
    mut stop: watch::Receiver<bool>,
) {
    let idle = proxy.times.idle;
    let running = Arc::new(Running::default());
    let begun = Arc::clone(&running);
    let service = service_fn(move |request: Request<Incoming>| {
        let (proxy, peer, one_more) = (Arc::clone(&proxy), Arc::clone(&peer), begun.one_more());
        async move { Ok::<_, Infallible>(one(&proxy, &peer, request, one_more).await) }
    });
    let mut builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(64 << 10)
        .keep_alive_interval(idle)
        .keep_alive_timeout(Duration::from_secs(10));
    let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service));
    // An error of one connection must not affect others.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = stop.changed() => (),
        () = running.quiet(idle) => (),
    }
    connection.as_mut().graceful_shutdown();
    tokio::select! {
        _ = connection => (),
        () = async { running.quiet(Duration::ZERO).await; tokio::time::sleep(DRAIN).await } => (),
    }
}

/// The exchanges of a connection.
#[derive(Debug, Default)]
struct Running {
    n_now: AtomicUsize,
    n_ever: AtomicUsize,
}

/// An exchange that runs until this is dropped.
#[derive(Debug)]
struct OneMore(Arc<Running>);

impl Running {
    fn one_more(self: &Arc<Self>) -> OneMore {
        self.n_now.fetch_add(1, Ordering::Relaxed);
        self.n_ever.fetch_add(1, Ordering::Relaxed);
        OneMore(Arc::clone(self))
    }

    /// Waits until no exchange has run for a time.
    async fn quiet(&self, time: Duration) {
        loop {
            let n_before = self.n_ever.load(Ordering::Relaxed);
            tokio::time::sleep(time.max(TICK)).await;
            let is_same = self.n_ever.load(Ordering::Relaxed) == n_before;
            if is_same && self.n_now.load(Ordering::Relaxed) == 0 {
                return;
            }
        }
    }
}

impl Drop for OneMore {
    fn drop(&mut self) {
        self.0.n_now.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn one(
    proxy: &Proxy,
    peer: &Peer,
    request: Request<Incoming>,
    running: OneMore,
) -> Response<Channel<Bytes, std::io::Error>> {
    let is_head = request.method() == hyper::Method::HEAD;
    let answer = match vetted(proxy, peer, &request) {
        Ok(exchange) => {
            let incoming = request.into_body();
            let size = hyper::body::Body::size_hint(&incoming).exact();
            let body = match size {
                Some(0) => RequestBody::None,
                size if size.is_some_and(|size| size > proxy.max_body) => {
                    let answer = Answer::text(413, "the body is too large\n");
                    return respond(proxy, answer, is_head, running);
                }
                size => {
                    let (limit, time) = (proxy.max_body, proxy.times.body);
                    RequestBody::Arriving(Box::new(StreamBody { incoming, limit, time }), size)
                }
            };
            exchange::run(proxy, exchange, None, body).await
        }
        Err(refused) => {
            proxy.refused(peer.address, &refused.1);
            Answer::text(refused.0, &format!("{}\n", refused.1))
        }
    };
    respond(proxy, answer, is_head, running)
}

/// Vets a request; hyper has checked the pseudo fields.
fn vetted(proxy: &Proxy, peer: &Peer, request: &Request<Incoming>) -> Result<Exchange, Refused> {
    let bad = |words: &str| Refused(400, words.to_owned());
    let mut fields: Fields = Vec::with_capacity(request.headers().len() + 1);
    let authority = request.uri().authority().map(|authority| authority.as_str().as_bytes());
    let mut hosts = request.headers().get_all("host").iter();
    let host = match (authority, hosts.next(), hosts.next()) {
        (Some(authority), None, None) => authority,
        (None, Some(host), None) => host.as_bytes(),
        (Some(authority), Some(host), None) if authority == host.as_bytes() => authority,
        _ => return Err(bad("the host is missing or ambiguous")),
    };
    vet::check_host(host)?;
    fields.push((b"Host".to_vec(), host.to_vec()));
    for (name, value) in request.headers() {
        // The connection's own fields have no place in HTTP/2, and a length is checked by hyper.
        let is_known = ["content-length", "te", "expect"].iter().any(|known| name == known);
        let is_own = is_hop_by_hop(name.as_str().as_bytes()) && !is_known;
        if is_own {
            return Err(bad("a header field that HTTP/2 does not have"));
        }
        let is_text =
            value.as_bytes().iter().all(|byte| *byte == b'\t' || (*byte >= b' ' && *byte != 0x7F));
        if !is_text {
            return Err(bad("a header field has a control character"));
        }
        if name != "host" {
            fields.push((name.as_str().as_bytes().to_vec(), value.as_bytes().to_vec()));
        }
    }
    match request.headers().get("expect") {
        None => (),
        // The body is asked for by its window.
        Some(value) if value.as_bytes().eq_ignore_ascii_case(b"100-continue") => (),
        Some(_) => {
            return Err(Refused(417, "an expectation that is not `100-continue`".to_owned()));
        }
    }
    let cookies: Vec<&[u8]> =
        fields.iter().filter(|(name, _)| name == b"cookie").map(|(_, v)| v.as_slice()).collect();
    if cookies.len() > 1 {
        // HTTP/2 splits this field; a server of HTTP/1 expects one.
        let joined = cookies.join(&b"; "[..]);
        fields.retain(|(name, _)| name != b"cookie");
        fields.push((b"cookie".to_vec(), joined));
    }
    let method = request.method().as_str();
    if !method.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-') {
        return Err(bad("the method is malformed"));
    }
    let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
    if !target.starts_with('/') {
        return Err(Refused(405, "the target is not a path".to_owned()));
    }
    vet::clean(proxy, peer, method.as_bytes(), target.as_bytes(), fields, &[])
}

fn respond(
    proxy: &Proxy,
    answer: Answer,
    is_head: bool,
    running: OneMore,
) -> Response<Channel<Bytes, std::io::Error>> {
    let (mut sender, body) = Channel::new(4);
    let mut response = Response::new(body);
    let has_body = !is_head && !matches!(answer.status, 204 | 304);
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::BAD_GATEWAY);
    let headers = response.headers_mut();
    for (name, value) in &answer.fields {
        let is_length =
            name.eq_ignore_ascii_case(b"content-length") && !has_body && answer.status != 204;
        let pair = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value));
        if let (true, (Ok(name), Ok(value))) = (is_length || !is_hop_by_hop(name), pair) {
            headers.append(name, value);
        }
    }
    if let Ok(via) = HeaderValue::from_str(&format!("1.1 {}", proxy.name)) {
        headers.append("via", via);
    }
    if let (Some(size), true) = (answer.size, has_body) {
        headers.insert("content-length", size.into());
    }
    let (mut body, time) = (answer.body, proxy.times.body);
    if has_body {
        tokio::spawn(async move {
            let _running = running;
            loop {
                let sent = match body.next().await {
                    Ok(Some(bytes)) => tokio::time::timeout(time, sender.send_data(bytes)).await,
                    Ok(None) => return,
                    // The stream is reset, so that the body can't pass for a whole one.
                    Err(_) => return sender.abort(std::io::Error::other("the body ended early")),
                };
                match sent {
                    Ok(Ok(())) => (),
                    Ok(Err(_)) => return,
                    Err(_) => {
                        return sender.abort(std::io::Error::other("the client takes nothing"));
                    }
                }
            }
        });
    }
    response
}

/// The body of a request that arrives.
struct StreamBody {
    incoming: Incoming,
    limit: u64,
    time: Duration,
}

impl BodySource for StreamBody {
    fn next(&mut self) -> NextPiece<'_> {
        Box::pin(async move {
            loop {
                let frame = tokio::time::timeout(self.time, self.incoming.frame());
                let timed_out = |_| WireError::Io(std::io::ErrorKind::TimedOut.into());
                let Some(frame) = frame.await.map_err(timed_out)? else { return Ok(None) };
                let frame = frame.map_err(|error| WireError::Io(std::io::Error::other(error)))?;
                // Trailers are dropped, as those of HTTP/1.
                let Ok(bytes) = frame.into_data() else { continue };
                self.limit =
                    self.limit.checked_sub(bytes.len() as u64).ok_or(BodyError::TooLarge)?;
                if !bytes.is_empty() {
                    return Ok(Some(bytes));
                }
            }
        })
    }
}
