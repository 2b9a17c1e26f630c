//! A PuppetDB that does what a test says: it takes commands and answers queries over TLS, with certificates of clients.

use std::collections::VecDeque;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use flate2::read::GzDecoder;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;

use crate::pki::{Pair, Pki};

/// The answer to the next request.
#[derive(Clone, Debug)]
pub(crate) enum Does {
    /// A status and a body.
    Says(u16, String),
    /// Less than was promised.
    Half,
    /// Chunks of so many bytes, and no end.
    Chunks(usize),
    /// Nothing for a while, and then as usual.
    Sleeps(Duration),
}

/// A command that came.
#[derive(Clone, Debug)]
pub(crate) struct Came {
    pub(crate) target: String,
    pub(crate) head: String,
    pub(crate) payload: Value,
}

#[derive(Default)]
struct Inner {
    came: Vec<Came>,
    asked: Vec<(String, String)>,
    next: VecDeque<Does>,
    /// Names of nodes whose commands are refused.
    refused: Vec<String>,
    /// Answers to queries whose targets begin with a text.
    answers: Vec<(String, String)>,
    streams: Vec<TcpStream>,
}

/// The server.
#[derive(Clone)]
pub(crate) struct Fake {
    pub(crate) address: SocketAddr,
    config: Arc<ServerConfig>,
    inner: Arc<Mutex<Inner>>,
    is_down: Arc<AtomicBool>,
}

impl Fake {
    /// Chooses a port; nothing listens yet. The certificate is of an authority, and so must be those of clients.
    pub(crate) fn down(own: &Pki, clients: &Pki) -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = socket.local_addr().expect("an address");
        let Pair { certificate, key, .. } = own.sign(77, &["puppetdb.example"], &[]);
        let mut roots = RootCertStore::empty();
        let ca = CertificateDer::from_pem_slice(clients.ca_pem.as_bytes()).expect("PEM");
        roots.add(ca).expect("a certificate");
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
        let chain = CertificateDer::pem_slice_iter(certificate.as_bytes());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_client_cert_verifier(verifier.build().expect("a verifier"))
            .with_single_cert(
                chain.collect::<Result<_, _>>().expect("PEM"),
                PrivateKeyDer::from_pem_slice(key.as_bytes()).expect("PEM"),
            )
            .expect("a pair");
        let is_down = Arc::new(AtomicBool::new(true));
        Self { address, config: Arc::new(config), inner: Arc::default(), is_down }
    }

    /// Starts to listen.
    pub(crate) fn up(&self) {
        let socket = TcpListener::bind(self.address).expect("the port is free");
        self.is_down.store(false, Ordering::Relaxed);
        let own = self.clone();
        std::thread::spawn(move || {
            while let Ok((stream, _)) = socket.accept() {
                if own.is_down.load(Ordering::Relaxed) {
                    return;
                }
                let other = own.clone();
                std::thread::spawn(move || other.serve(stream));
            }
        });
    }

    /// Ends all connections, and listens no more.
    pub(crate) fn stop(&self) {
        self.is_down.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
        for stream in self.lock().streams.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
        while TcpStream::connect(self.address).is_ok() {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("https://localhost:{}", self.address.port())
    }

    /// Says what happens to the next requests.
    pub(crate) fn next(&self, does: &[Does]) {
        self.lock().next.extend(does.iter().cloned());
    }

    pub(crate) fn refuse(&self, node: &str) {
        self.lock().refused.push(node.to_owned());
    }

    pub(crate) fn answer(&self, prefix: &str, body: &Value) {
        self.lock().answers.push((prefix.to_owned(), body.to_string()));
    }

    pub(crate) fn came(&self) -> Vec<Came> {
        self.lock().came.clone()
    }

    /// Returns the targets and bodies of queries.
    pub(crate) fn asked(&self) -> Vec<(String, String)> {
        self.lock().asked.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().expect("not poisoned")
    }

    fn serve(&self, stream: TcpStream) {
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
        self.lock().streams.push(stream.try_clone().expect("a copy"));
        let connection = ServerConnection::new(Arc::clone(&self.config)).expect("a connection");
        let mut stream = StreamOwned::new(connection, stream);
        while let Ok(Some((head, body))) = request(&mut stream) {
            let does = self.lock().next.pop_front();
            let answer = match does {
                Some(Does::Half) => {
                    let _ = stream.write_all(
                        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"uuid\":\"half",
                    );
                    let _ = stream.flush();
                    return;
                }
                Some(Does::Chunks(n_bytes)) => {
                    let mut text = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\
                        Transfer-Encoding: chunked\r\n\r\n1\r\n[\r\n"
                        .to_owned();
                    let chunk = format!("10000\r\n{}\r\n", "1,".repeat(32 << 10));
                    (0..n_bytes / (64 << 10)).for_each(|_| text.push_str(&chunk));
                    let _ = stream.write_all(text.as_bytes());
                    let _ = stream.flush();
                    return;
                }
                Some(Does::Says(status, body)) => (status, body),
                Some(Does::Sleeps(time)) => {
                    std::thread::sleep(time);
                    self.reply(&head, &body)
                }
                None => self.reply(&head, &body),
            };
            let (status, body) = answer;
            let text = format!(
                "HTTP/1.1 {status} X\r\nContent-Type: application/json;charset=utf-8\r\nX-Records: 7\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            if stream.write_all(text.as_bytes()).and_then(|()| stream.flush()).is_err() {
                return;
            }
        }
    }

    fn reply(&self, head: &str, body: &[u8]) -> (u16, String) {
        let target = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut inner = self.lock();
        if !target.starts_with("/pdb/cmd/v1?") {
            inner.asked.push((target.clone(), String::from_utf8_lossy(body).into_owned()));
            let found = inner.answers.iter().find(|(prefix, _)| target.starts_with(prefix));
            let missing = (404, "{\"error\":\"not found\"}".to_owned());
            return found.map_or(missing, |(_, body)| (200, body.clone()));
        }
        let mut payload = Vec::new();
        GzDecoder::new(body).read_to_end(&mut payload).expect("gzip");
        let payload: Value = serde_json::from_slice(&payload).expect("JSON");
        if inner.refused.iter().any(|node| payload["certname"] == node.as_str()) {
            return (400, "{\"error\":\"no\nsuch thing\"}".to_owned());
        }
        inner.came.push(Came { target, head: head.to_ascii_lowercase(), payload });
        (200, "{\"uuid\":\"00000000-0000-4000-8000-000000000000\"}".to_owned())
    }
}

/// Reads a request: its head and its body.
fn request(stream: &mut impl io::Read) -> io::Result<Option<(String, Vec<u8>)>> {
    let mut piece = [0; 16 << 10];
    let Some((mut bytes, end)) = crate::client::receive_head(stream)? else { return Ok(None) };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    let length: usize = length.unwrap_or(0);
    while bytes.len() < end + length {
        match stream.read(&mut piece)? {
            0 => return Ok(None),
            n => bytes.extend_from_slice(&piece[..n]),
        }
    }
    Ok(Some((head, bytes[end..end + length].to_vec())))
}
