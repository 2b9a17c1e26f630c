//! A client for a server's own routes, with the certificate of the machine: `kukla top` uses it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::body::Bytes;
use hyper::header::HOST;
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::tls::{TlsError, TlsFiles, pem};

/// The time for one exchange.
const MOST_TIME: Duration = Duration::from_secs(10);
/// The largest answer.
const MOST_BYTES: usize = 16 << 20;

/// The reasons why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Certificates can't be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// Connecting failed.
    #[error("{0}")]
    Connection(#[from] io::Error),
    /// The exchange failed.
    #[error("{0}")]
    Http(#[from] hyper::Error),
    /// The answer is broken or too large.
    #[error("the answer can't be read: {0}")]
    Body(String),
    /// The server refuses the request.
    #[error("the server answers {}: {text}", .status.as_u16())]
    Refused {
        /// The status.
        status: StatusCode,
        /// The body.
        text: String,
    },
    /// There is no answer in time.
    #[error("no answer after {} seconds", MOST_TIME.as_secs())]
    TimedOut,
}

/// A client of one server.
pub struct AdminClient {
    host: String,
    port: u16,
    tls: TlsConnector,
}

impl std::fmt::Debug for AdminClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AdminClient({}:{})", self.host, self.port)
    }
}

impl AdminClient {
    /// Makes a client with a certificate and the authorities that it trusts.
    pub fn new(host: &str, port: u16, files: &TlsFiles) -> Result<Self, ClientError> {
        let unusable = |error: &dyn std::fmt::Display| TlsError::Unusable(error.to_string());
        let mut roots = RootCertStore::empty();
        for authority in pem(&files.authorities)? {
            roots.add(authority).map_err(|error| unusable(&error))?;
        }
        let key = pem(&files.key)?.into_iter().next();
        let key = key.ok_or_else(|| unusable(&"there is no key"))?;
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| unusable(&error))?
            .with_root_certificates(roots)
            .with_client_auth_cert(pem(&files.certificate)?, key)
            .map_err(|error| unusable(&error))?;
        Ok(Self { host: host.to_owned(), port, tls: TlsConnector::from(Arc::new(config)) })
    }

    /// Gets a path. Must not be called on a thread of an async runtime.
    pub fn get(&self, path: &str) -> Result<String, ClientError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            match tokio::time::timeout(MOST_TIME, self.exchange(path)).await {
                Ok(answer) => answer,
                Err(_) => Err(ClientError::TimedOut),
            }
        })
    }

    async fn exchange(&self, path: &str) -> Result<String, ClientError> {
        let name = ServerName::try_from(self.host.clone());
        let name = name.map_err(|error| TlsError::Unusable(error.to_string()))?;
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
        let stream = self.tls.connect(name, stream).await?;
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        let connection = tokio::spawn(connection);
        let request = Request::get(path).header(HOST, format!("{}:{}", self.host, self.port));
        let request = request.body(Empty::<Bytes>::new());
        let request = request.map_err(|error| ClientError::Body(error.to_string()))?;
        let answer = sender.send_request(request).await?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), MOST_BYTES).collect().await;
        let body = body.map_err(|error| ClientError::Body(error.to_string()))?.to_bytes();
        connection.abort();
        let text = String::from_utf8_lossy(&body).into_owned();
        if status.is_success() { Ok(text) } else { Err(ClientError::Refused { status, text }) }
    }
}
