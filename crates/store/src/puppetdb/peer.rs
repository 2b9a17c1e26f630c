//! A server: connections to it, exchanges over them, and whether it worked lately.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use kukla_world::clock::Stopwatch;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::ServerUrl;
use super::error::PeerError;
use super::tls::Tls;

/// The most connections that wait for their next use, and how long they do.
const MOST_IDLE: usize = 8;
const IDLE: Duration = Duration::from_secs(20);
/// The pause after a first failure, and the longest one.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How long a new connection is looked at before it is used, to see whether the server refuses the certificate.
pub(super) const PROBE: Duration = Duration::from_millis(300);

type Sender = SendRequest<Full<Bytes>>;

/// A server of `puppetdb.conf`.
#[derive(Debug)]
pub(super) struct Peer {
    pub(super) url: ServerUrl,
    tls: Option<Arc<Tls>>,
    idle: Mutex<Vec<(Sender, Stopwatch)>>,
    health: Mutex<Health>,
}

/// Failures since the last success.
#[derive(Debug, Default)]
struct Health {
    n_failures: u32,
    last: Option<Stopwatch>,
}

/// A request without the fields that depend on the server.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) method: hyper::Method,
    /// The path with its query.
    pub(super) target: String,
    pub(super) headers: Vec<(hyper::header::HeaderName, String)>,
    pub(super) body: Bytes,
    pub(super) time: Duration,
    /// How long a new connection is looked at before it is used: a server that refuses a certificate says so only after the
    /// handshake, and a request may cross its words.
    pub(super) patience: Duration,
    /// The largest answer.
    pub(super) size: usize,
}

/// An answer.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) content_type: String,
    /// The field `X-Records`.
    pub(super) n_records: Option<String>,
    pub(super) body: Bytes,
}

impl Peer {
    pub(super) fn new(url: ServerUrl, tls: Option<&Arc<Tls>>) -> Self {
        let tls = tls.filter(|_| url.is_tls).map(Arc::clone);
        Self { url, tls, idle: Mutex::default(), health: Mutex::default() }
    }

    /// Returns whether it failed so short a time ago that others are asked first.
    pub(super) fn is_paused(&self) -> bool {
        let health = lock(&self.health);
        health.last.is_some_and(|last| last.elapsed() < pause(health.n_failures))
    }

    /// Notes a failure; those that come during a pause, of other requests at the same time, count once.
    pub(super) fn has_failed(&self) {
        let mut health = lock(&self.health);
        if health.last.is_some_and(|last| last.elapsed() < pause(health.n_failures)) {
            return;
        }
        health.n_failures = health.n_failures.saturating_add(1);
        health.last = Some(Stopwatch::start());
    }

    pub(super) fn has_worked(&self) {
        *lock(&self.health) = Health::default();
    }

    /// Sends a request, and waits for the whole answer.
    pub(super) async fn exchange(&self, asked: &Asked) -> Result<Reply, PeerError> {
        let limit = asked.time;
        match tokio::time::timeout(limit, self.attempt(asked)).await {
            Ok(answer) => answer,
            Err(_) => Err(PeerError::TimedOut(limit)),
        }
    }

    async fn attempt(&self, asked: &Asked) -> Result<Reply, PeerError> {
        // A server may close a connection at any time; then another one is made.
        if let Some(sender) = self.waiting()
            && let Ok(reply) = self.over(sender, asked).await
        {
            return Ok(reply);
        }
        let reply = self.over(self.connect(asked.patience).await?, asked).await;
        if let (Err(PeerError::Http(_)), Some(_)) = (&reply, &self.tls)
            && let Err(reason) = self.connect(PROBE).await
            && reason.is_of_certificates()
        {
            return Err(reason);
        }
        reply
    }

    fn waiting(&self) -> Option<Sender> {
        let mut idle = lock(&self.idle);
        idle.retain(|(sender, since)| !sender.is_closed() && since.elapsed() < IDLE);
        idle.pop().map(|(sender, _)| sender)
    }

    async fn connect(&self, patience: Duration) -> Result<Sender, PeerError> {
        let stream = TcpStream::connect((self.url.host.as_str(), self.url.port())).await?;
        stream.set_nodelay(true)?;
        let Some(tls) = &self.tls else { return open(stream, patience).await };
        let name = ServerName::try_from(self.url.host.clone());
        let name = name.map_err(|_| PeerError::Name)?;
        let stream = TlsConnector::from(tls.config()).connect(name, stream).await?;
        open(stream, patience).await
    }

    async fn over(&self, mut sender: Sender, asked: &Asked) -> Result<Reply, PeerError> {
        let mut request = Request::builder().method(asked.method.clone()).uri(&asked.target);
        for (name, value) in &asked.headers {
            request = request.header(name, value);
        }
        let host = HeaderValue::from_str(&self.url.authority()).map_err(hyper::http::Error::from);
        let request = request.header(HOST, host?).body(Full::new(asked.body.clone()))?;
        sender.ready().await?;
        let (head, body) = sender.send_request(request).await?.into_parts();
        let body = Limited::new(body, asked.size).collect().await.map_err(PeerError::Answer)?;
        let text = |name: &str| Some(head.headers.get(name)?.to_str().ok()?.to_owned());
        let reply = Reply {
            status: head.status,
            content_type: text(CONTENT_TYPE.as_str()).unwrap_or_default(),
            n_records: text("x-records"),
            body: body.to_bytes(),
        };
        let mut idle = lock(&self.idle);
        if idle.len() < MOST_IDLE {
            idle.push((sender, Stopwatch::start()));
        }
        Ok(reply)
    }
}

async fn open<S>(stream: S, patience: Duration) -> Result<Sender, PeerError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (sender, mut connection) = handshake(TokioIo::new(stream)).await?;
    if !patience.is_zero()
        && let Ok(ended) = tokio::time::timeout(patience, &mut connection).await
    {
        ended?;
        return Err(PeerError::Foreign);
    }
    tokio::spawn(connection);
    Ok(sender)
}

/// Returns how long a server is left alone after failures in a row.
pub(super) fn pause(n_failures: u32) -> Duration {
    let factor = 1_u32.checked_shl(n_failures.saturating_sub(1)).unwrap_or(u32::MAX);
    FIRST_PAUSE.saturating_mul(factor).min(LONGEST_PAUSE)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl From<io::Error> for PeerError {
    fn from(error: io::Error) -> Self {
        Self::Connection(error)
    }
}
