//! Connections to other servers: addresses, TLS, and streams of both kinds.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// The authorities of the system.
const SYSTEM_AUTHORITIES: &str = "/etc/ssl/certs/ca-certificates.crt";

/// The address of a server, from a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The host: a name, or an IP address without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
    /// Whether the server speaks TLS.
    pub is_tls: bool,
    /// The path and query; `/` if the URL has none.
    pub path: String,
}

/// A URL that is no address of a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no URL of {1}")]
pub struct AddressError(String, &'static str);

impl Address {
    /// Parses a URL with one of the schemes: name, default port, whether it means TLS.
    pub fn parse(
        url: &str,
        schemes: &[(&str, u16, bool)],
        words: &'static str,
    ) -> Result<Self, AddressError> {
        let bad = || AddressError(url.to_owned(), words);
        let (scheme, rest) = url.split_once("://").ok_or_else(bad)?;
        let (_, default, is_tls) =
            schemes.iter().find(|(name, ..)| *name == scheme).ok_or_else(bad)?;
        let (authority, path) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, "/"),
        };
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']').ok_or_else(bad)?;
                (host, rest.strip_prefix(':').map_or((!rest.is_empty()).then_some(""), Some))
            }
            None => match authority.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            },
        };
        let port = port.map_or(Ok(*default), |port| port.parse().map_err(|_| bad()))?;
        let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
        let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte);
        if host.is_empty() || !host.bytes().all(is_host) || !is_plain(path) || path.contains('#') {
            return Err(bad());
        }
        Ok(Self { host: host.to_owned(), port, is_tls: *is_tls, path: path.to_owned() })
    }

    /// Returns host and port as in `Host`; the port is left out if it is the default.
    pub fn authority(&self, default: u16) -> String {
        let host =
            if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if self.port == default { host } else { format!("{host}:{}", self.port) }
    }
}

/// Files for TLS to a server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClientTlsFiles {
    /// Certificates of trusted authorities; `None`: those of the system.
    pub authorities: Option<PathBuf>,
    /// The own certificate and key.
    pub identity: Option<(PathBuf, PathBuf)>,
}

/// TLS that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ClientTlsError {
    /// A file can't be read, or is not in the form of PEM.
    #[error("cannot use `{}`: {reason}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The files don't go together.
    #[error("certificates can't be used: {0}")]
    Unusable(String),
}

impl ClientTlsFiles {
    /// Reads the files.
    pub fn config(&self) -> Result<Arc<ClientConfig>, ClientTlsError> {
        let unusable = |error: rustls::Error| ClientTlsError::Unusable(error.to_string());
        let path = self.authorities.as_deref().unwrap_or(Path::new(SYSTEM_AUTHORITIES));
        let mut roots = RootCertStore::empty();
        let (n_added, _) = roots.add_parsable_certificates(certificates(path)?);
        if n_added == 0 {
            let reason = "there is no certificate in it".to_owned();
            return Err(ClientTlsError::File { path: path.to_owned(), reason });
        }
        let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .with_root_certificates(roots);
        let config = match &self.identity {
            None => builder.with_no_client_auth(),
            Some((certificate, key)) => {
                let own = PrivateKeyDer::from_pem_file(key).map_err(|error| file(key, &error))?;
                builder.with_client_auth_cert(certificates(certificate)?, own).map_err(unusable)?
            }
        };
        Ok(Arc::new(config))
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, ClientTlsError> {
    let all = CertificateDer::pem_file_iter(path).map_err(|error| file(path, &error))?;
    all.collect::<Result<_, _>>().map_err(|error| file(path, &error))
}

fn file(path: &Path, reason: &dyn fmt::Display) -> ClientTlsError {
    ClientTlsError::File { path: path.to_owned(), reason: reason.to_string() }
}

/// A connection to a server.
#[derive(Debug)]
pub enum Stream {
    /// Without TLS.
    Plain(TcpStream),
    /// With TLS.
    Tls(Box<TlsStream<TcpStream>>),
}

impl Stream {
    /// Returns the protocol that the server chose in the handshake of TLS.
    pub fn protocol(&self) -> Option<&[u8]> {
        match self {
            Self::Plain(_) => None,
            Self::Tls(stream) => stream.get_ref().1.alpn_protocol(),
        }
    }

    /// Whether nothing has arrived on a connection that waits, not even its end.
    pub fn is_quiet(&self) -> bool {
        let stream = match self {
            Self::Plain(stream) => stream,
            Self::Tls(stream) => stream.get_ref().0,
        };
        let read = stream.try_read(&mut [0]);
        matches!(read, Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }
}

/// Connects to a server within a time.
pub async fn connect(
    address: &Address,
    tls: Option<&Arc<ClientConfig>>,
    time: Duration,
) -> io::Result<Stream> {
    let connect = async {
        let stream = TcpStream::connect((address.host.as_str(), address.port)).await?;
        stream.set_nodelay(true)?;
        if !address.is_tls {
            return Ok(Stream::Plain(stream));
        }
        let config = tls.ok_or_else(|| io::Error::other("TLS is not configured"))?;
        let name = ServerName::try_from(address.host.clone()).map_err(io::Error::other)?;
        let stream = TlsConnector::from(Arc::clone(config)).connect(name, stream).await?;
        Ok(Stream::Tls(Box::new(stream)))
    };
    let timed_out = |_| io::Error::new(io::ErrorKind::TimedOut, "no connection in time");
    tokio::time::timeout(time, connect).await.map_err(timed_out)?
}

impl AsRef<Self> for Stream {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(context),
            Self::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
