//! A server: connections to it, exchanges over them, and whether it worked lately.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
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
use super::pass::{self, PassReceiver};
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

    /// Sends a request, and waits for the whole answer. The body of a successful one goes to the receiver, if there is
    /// one; then the time is that for the head, and for each piece.
    pub(super) async fn exchange(
        &self,
        asked: &Asked,
        receiver: Option<&mut dyn PassReceiver>,
    ) -> Result<Reply, PeerError> {
        if receiver.is_some() {
            return self.attempt(asked, receiver).await;
        }
        in_time(asked.time, self.attempt(asked, None)).await
    }

    async fn attempt(
        &self,
        asked: &Asked,
        mut receiver: Option<&mut dyn PassReceiver>,
    ) -> Result<Reply, PeerError> {
        // A server may close a connection at any time; then another one is made.
        if let Some(sender) = self.waiting() {
            let receiver: Option<&mut dyn PassReceiver> = match &mut receiver {
                Some(receiver) => Some(&mut **receiver),
                None => None,
            };
            let reply = self.over(sender, asked, receiver).await;
            if matches!(reply, Ok(_) | Err(PeerError::Unwanted | PeerError::TimedOut(_))) {
                return reply;
            }
        }
        let sender = in_time(asked.time, self.connect(asked.patience)).await?;
        let reply = self.over(sender, asked, receiver).await;
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

    async fn over(
        &self,
        mut sender: Sender,
        asked: &Asked,
        receiver: Option<&mut dyn PassReceiver>,
    ) -> Result<Reply, PeerError> {
        let mut request = Request::builder().method(asked.method.clone()).uri(&asked.target);
        for (name, value) in &asked.headers {
            request = request.header(name, value);
        }
        let host = HeaderValue::from_str(&self.url.authority()).map_err(hyper::http::Error::from);
        let request = request.header(HOST, host?).body(Full::new(asked.body.clone()))?;
        let answer = in_time(asked.time, async {
            sender.ready().await?;
            Ok(sender.send_request(request).await?)
        });
        let (head, body) = answer.await?.into_parts();
        let text = |name: &str| Some(head.headers.get(name)?.to_str().ok()?.to_owned());
        let mut reply = Reply {
            status: head.status,
            content_type: text(CONTENT_TYPE.as_str()).unwrap_or_default(),
            n_records: text("x-records"),
            body: Bytes::new(),
        };
        let body = Limited::new(body, asked.size);
        match receiver.filter(|_| reply.status.is_success()) {
            None => {
                let whole = body.collect();
                let whole = async { whole.await.map_err(PeerError::Answer) };
                reply.body = in_time(asked.time, whole).await?.to_bytes();
            }
            Some(receiver) => {
                receiver.begin(pass::head(&reply))?;
                hand_over(body, asked.time, receiver).await?;
            }
        }
        let mut idle = lock(&self.idle);
        if idle.len() < MOST_IDLE {
            idle.push((sender, Stopwatch::start()));
        }
        Ok(reply)
    }
}

/// Hands a body over while it comes.
async fn hand_over(
    mut body: Limited<Incoming>,
    limit: Duration,
    receiver: &mut dyn PassReceiver,
) -> Result<(), PeerError> {
    loop {
        let frame = async { body.frame().await.transpose().map_err(PeerError::Answer) };
        let Some(frame) = in_time(limit, frame).await? else { return Ok(()) };
        if let Ok(piece) = frame.into_data() {
            receiver.piece(piece)?;
        }
    }
}

/// Waits for something, but not longer than the limit.
async fn in_time<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, PeerError>>,
) -> Result<T, PeerError> {
    tokio::time::timeout(limit, work).await.unwrap_or(Err(PeerError::TimedOut(limit)))
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
