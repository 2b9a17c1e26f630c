//! A client of HTTP/1.1 with a certificate, which keeps its connection.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::site::{Credentials, SERVER};

/// A connection.
pub(super) struct Client {
    stream: BufReader<StreamOwned<ClientConnection, TcpStream>>,
}

/// An answer.
pub(super) struct Received {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

/// Returns the configuration of a client.
pub(super) fn config(authority: &str, own: &Credentials) -> Result<Arc<ClientConfig>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.as_bytes())?)?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let chain = vec![CertificateDer::from_pem_slice(own.certificate.as_bytes())?];
    let key = PrivateKeyDer::from_pem_slice(own.key.as_bytes())?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_client_auth_cert(chain, key)?;
    Ok(Arc::new(config))
}

impl Client {
    /// Connects.
    pub(super) fn connect(address: SocketAddr, config: &Arc<ClientConfig>) -> Result<Self> {
        let name = ServerName::try_from(SERVER)?;
        let connection = ClientConnection::new(Arc::clone(config), name)?;
        let socket = TcpStream::connect(address)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(Duration::from_secs(300)))?;
        Ok(Self {
            stream: BufReader::with_capacity(16 << 10, StreamOwned::new(connection, socket)),
        })
    }

    /// Sends a request and reads its answer.
    pub(super) fn send(&mut self, request: &[u8]) -> Result<Received> {
        let stream = self.stream.get_mut();
        stream.write_all(request)?;
        stream.flush()?;
        let status = self.line()?;
        let status = status.split(' ').nth(1).and_then(|text| text.parse().ok());
        let status: u16 = status.context("the answer has a status")?;
        let (mut length, mut is_chunked) = (0, false);
        loop {
            let line = self.line()?.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(text) = line.strip_prefix("content-length:") {
                length = text.trim().parse()?;
            }
            is_chunked |= line == "transfer-encoding: chunked";
        }
        let mut body = Vec::new();
        match is_chunked {
            false => self.read(length, &mut body)?,
            true => loop {
                let size = usize::from_str_radix(self.line()?.trim(), 16)?;
                self.read(size, &mut body)?;
                self.line()?;
                if size == 0 {
                    break;
                }
            },
        }
        Ok(Received { status, body })
    }

    /// Returns whether the server has not closed the connection.
    pub(super) fn is_open(&self) -> bool {
        let socket = &self.stream.get_ref().sock;
        let _ = socket.set_nonblocking(true);
        let mut byte = [0];
        matches!(socket.peek(&mut byte), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        ensure!(self.stream.read_line(&mut line)? > 0, "the server closed the connection");
        Ok(line.trim_end().to_owned())
    }

    fn read(&mut self, length: usize, body: &mut Vec<u8>) -> Result<()> {
        let n_read = (&mut self.stream).take(length as u64).read_to_end(body)?;
        ensure!(n_read == length, "the answer is cut off");
        Ok(())
    }
}
