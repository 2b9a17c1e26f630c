//! Requests of the server itself to other servers: reports that are posted, and requests for another CA.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::header::{HOST, HeaderValue};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// The most time that connecting, sending and the answer may take together.
const MOST_TIME: Duration = Duration::from_secs(30);
/// The largest answer that is read.
const MOST_ANSWER: usize = 16 << 20;

/// Bounds of an exchange.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// The most time that connecting, sending and the answer may take together.
    pub(super) time: Duration,
    /// The largest answer.
    pub(super) size: usize,
}

/// Another server.
#[derive(Clone, Debug)]
pub(super) struct Destination {
    pub(super) host: String,
    pub(super) port: u16,
    /// Certificates that are trusted and shown; none for plain HTTP.
    pub(super) tls: Option<Arc<ClientConfig>>,
}

/// The reasons why another server gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum OutgoingError {
    /// The host is no valid name for TLS.
    #[error("the host has no name that a certificate could have")]
    Name,
    /// Connecting, or TLS, failed.
    #[error("{0}")]
    Connection(#[from] io::Error),
    /// The exchange failed.
    #[error("{0}")]
    Http(#[from] hyper::Error),
    /// The request can't be made.
    #[error("{0}")]
    Request(#[from] hyper::http::Error),
    /// The answer can't be read, or is too large.
    #[error("the answer can't be read: {0}")]
    Answer(Box<dyn std::error::Error + Send + Sync>),
    /// There is no answer in time.
    #[error("no answer after {} seconds", .0.as_secs())]
    TimedOut(Duration),
}

impl Destination {
    /// Sends a request and waits for the answer. Must not be called on a thread of an async runtime.
    pub(super) fn send(
        &self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Bytes>, OutgoingError> {
        self.send_within(request, Bound { time: MOST_TIME, size: MOST_ANSWER })
    }

    /// Sends a request and waits for the answer, within bounds.
    pub(super) fn send_within(
        &self,
        request: Request<Full<Bytes>>,
        bound: Bound,
    ) -> Result<Response<Bytes>, OutgoingError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            match tokio::time::timeout(bound.time, self.deliver(request, bound.size)).await {
                Ok(answer) => answer,
                Err(_) => Err(OutgoingError::TimedOut(bound.time)),
            }
        })
    }

    async fn deliver(
        &self,
        mut request: Request<Full<Bytes>>,
        most: usize,
    ) -> Result<Response<Bytes>, OutgoingError> {
        let host = HeaderValue::from_str(&format!("{}:{}", self.host, self.port));
        request.headers_mut().insert(HOST, host.map_err(hyper::http::Error::from)?);
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
        match &self.tls {
            None => exchange(stream, request, most).await,
            Some(tls) => {
                let name = ServerName::try_from(self.host.clone());
                let name = name.map_err(|_| OutgoingError::Name)?;
                let stream = TlsConnector::from(Arc::clone(tls)).connect(name, stream).await?;
                exchange(stream, request, most).await
            }
        }
    }
}

async fn exchange<S>(
    stream: S,
    request: Request<Full<Bytes>>,
    most: usize,
) -> Result<Response<Bytes>, OutgoingError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    let connection = tokio::spawn(connection);
    let (head, body) = sender.send_request(request).await?.into_parts();
    let body = Limited::new(body, most).collect().await.map_err(OutgoingError::Answer)?;
    connection.abort();
    Ok(Response::from_parts(head, body.to_bytes()))
}
