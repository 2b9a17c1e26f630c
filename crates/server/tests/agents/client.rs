//! A client that sends exactly what a test says, over TLS.

use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::pki::{Pair, Pki};

/// A connection.
pub(crate) struct Connection(StreamOwned<ClientConnection, TcpStream>);

/// An answer.
#[derive(Debug, Default)]
pub(crate) struct Received {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Connection {
    /// Connects with a certificate, or without one.
    pub(crate) fn open(address: SocketAddr, pki: &Pki, own: Option<&Pair>) -> io::Result<Self> {
        Self::open_for(address, pki, own, b"http/1.1")
    }

    /// Connects for a protocol.
    pub(crate) fn open_for(
        address: SocketAddr,
        pki: &Pki,
        own: Option<&Pair>,
        protocol: &[u8],
    ) -> io::Result<Self> {
        let mut roots = RootCertStore::empty();
        let ca = CertificateDer::from_pem_slice(pki.ca_pem.as_bytes()).expect("PEM");
        roots.add(ca).expect("a certificate");
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_root_certificates(roots);
        let mut config = match own {
            None => builder.with_no_client_auth(),
            Some(pair) => {
                let chain = CertificateDer::pem_slice_iter(pair.certificate.as_bytes());
                let chain = chain.collect::<Result<Vec<_>, _>>().expect("PEM");
                let key = PrivateKeyDer::from_pem_slice(pair.key.as_bytes()).expect("PEM");
                builder.with_client_auth_cert(chain, key).expect("a pair")
            }
        };
        config.alpn_protocols = vec![protocol.to_vec()];
        let name = ServerName::try_from("localhost").expect("a name");
        let connection = ClientConnection::new(Arc::new(config), name).map_err(io::Error::other)?;
        let socket = TcpStream::connect(address)?;
        socket.set_read_timeout(Some(Duration::from_secs(20)))?;
        Ok(Self(StreamOwned::new(connection, socket)))
    }

    /// Returns the stream.
    pub(crate) fn stream(&mut self) -> &mut StreamOwned<ClientConnection, TcpStream> {
        &mut self.0
    }

    /// Sends bytes and reads one answer.
    pub(crate) fn exchange(&mut self, bytes: &[u8], is_head: bool) -> io::Result<Received> {
        self.0.write_all(bytes)?;
        self.0.flush()?;
        receive(&mut self.0, is_head)
    }

    /// Sends a request and reads its answer.
    pub(crate) fn request(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&[u8]>,
    ) -> io::Result<Received> {
        self.exchange(&head(method, path, headers, body), method == "HEAD")
    }
}

/// Returns the bytes of a request.
pub(crate) fn head(
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&[u8]>,
) -> Vec<u8> {
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n");
    for (name, value) in headers {
        text.extend([name, ": ", value, "\r\n"]);
    }
    if let Some(body) = body {
        text.extend(["Content-Length: ", &body.len().to_string(), "\r\n"]);
    }
    [text.as_bytes(), b"\r\n", body.unwrap_or_default()].concat()
}

/// Reads bytes to the end of a head, and more if they came with it; returns the length of the head, nothing at the end.
pub(crate) fn receive_head(stream: &mut impl io::Read) -> io::Result<Option<(Vec<u8>, usize)>> {
    let mut bytes = Vec::new();
    let mut piece = [0; 16 << 10];
    loop {
        if let Some(at) = bytes.windows(4).position(|window: &[u8]| window == b"\r\n\r\n") {
            return Ok(Some((bytes, at + 4)));
        }
        match stream.read(&mut piece)? {
            0 => return Ok(None),
            n => bytes.extend_from_slice(&piece[..n]),
        }
    }
}

/// Reads one answer.
pub(crate) fn receive(stream: &mut impl io::Read, is_head: bool) -> io::Result<Received> {
    let mut piece = [0; 16 << 10];
    let ended = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let (mut bytes, end) = receive_head(stream)?.ok_or_else(ended)?;
    let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = text.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
    let field = |line: &str| line.split_once(": ").map(|(n, v)| (n.to_owned(), v.to_owned()));
    let headers: Vec<(String, String)> = lines.filter_map(field).collect();
    let mut received =
        Received { status: status.unwrap_or_default(), headers, body: bytes.split_off(end) };
    let length = received.header("content-length").and_then(|text| text.parse::<usize>().ok());
    while !is_head && received.body.len() < length.unwrap_or_default() {
        match stream.read(&mut piece)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            n => received.body.extend_from_slice(&piece[..n]),
        }
    }
    Ok(received)
}
