//! TLS and HTTP/2 in front of the proxy, and TLS behind it.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper_util::rt::{TokioExecutor, TokioIo};
use kukla_server::agents::{TlsFiles, TlsKeeper};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::origin::{Server, response};
use crate::running::{Around, Door};

const PROGRAM: &str = "Http := import(\"Http\"); \
    if (Http.request.tls.verified) { Http.request.headers.set(\"X-Who\", Http.request.tls.subjectCn); } Access.allow();";

/// An authority of the tests.
pub(crate) struct Authority {
    pub(crate) pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Self { pem: certificate.pem(), issuer: Issuer::new(params, key) }
    }

    /// Issues a certificate for `localhost`; returns it and its key.
    pub(crate) fn issue(&self, name: &str) -> (String, String) {
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        (certificate.pem(), key.serialize_pem())
    }
}

/// Starts a proxy that speaks TLS in front of an origin.
pub(crate) fn behind_tls(authority: &Authority, name: &str, origin: &Server) -> Door {
    let folder = std::env::temp_dir().join(format!("kukla-doors-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (certificate, key) = authority.issue("proxy");
    for (name, text) in [("cert.pem", &certificate), ("key.pem", &key), ("ca.pem", &authority.pem)]
    {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let keeper = TlsKeeper::open(TlsFiles {
        certificate: folder.join("cert.pem"),
        key: folder.join("key.pem"),
        authorities: folder.join("ca.pem"),
        revocations: None,
    });
    let upstream = [format!("http://{}", origin.address)];
    let around = Around { tls: Some(keeper.unwrap()), ..Around::default() };
    let door = Door::proxy_with(&[PROGRAM], "", &upstream, around);
    let _ = std::fs::remove_dir_all(&folder);
    door
}

/// Returns the configuration of a client that speaks a protocol.
pub(crate) fn config(
    authority: &Authority,
    own: Option<(String, String)>,
    protocol: &[u8],
) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.pem.as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap();
    let builder = builder.with_root_certificates(roots);
    let mut config = match own {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
            builder
                .with_client_auth_cert(
                    chain,
                    PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap(),
                )
                .unwrap()
        }
    };
    config.alpn_protocols = vec![protocol.to_vec()];
    Arc::new(config)
}

#[test]
fn clients_speak_http_2_and_have_names() {
    let authority = Authority::new();
    let origin = Server::start(|got| response("200 OK", "X-Origin: 1\r\n", &got.body));
    let door = behind_tls(&authority, "tls", &origin);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        for (protocol, own) in [(&b"h2"[..], true), (b"h2", false), (b"http/1.1", true)] {
            let own_pair = own.then(|| authority.issue("alice"));
            let connector = TlsConnector::from(config(&authority, own_pair, protocol));
            let stream = TcpStream::connect(door.address).await.unwrap();
            let stream = connector
                .connect(ServerName::try_from("localhost").unwrap(), stream)
                .await
                .unwrap();
            let io = TokioIo::new(stream);
            let body = crate::peers::body(200_000);
            let is_h2 = protocol == b"h2";
            let mut request = Request::post(if is_h2 { "https://app/x?y" } else { "/x?y" });
            request = request.header("cookie", "a=1").header("x-forwarded-for", "6.6.6.6");
            if !is_h2 {
                request = request.header("host", "app");
            }
            let request = request.body(Full::new(Bytes::from(body.clone()))).unwrap();
            let answer = if is_h2 {
                let (mut sender, connection) =
                    hyper::client::conn::http2::handshake(TokioExecutor::new(), io).await.unwrap();
                tokio::spawn(connection);
                sender.send_request(request).await.unwrap()
            } else {
                let (mut sender, connection) =
                    hyper::client::conn::http1::handshake(io).await.unwrap();
                tokio::spawn(connection);
                sender.send_request(request).await.unwrap()
            };
            assert_eq!(
                (answer.status().as_u16(), answer.headers()["x-origin"].as_bytes()),
                (200, &b"1"[..])
            );
            let received = answer.into_body().collect().await.unwrap().to_bytes();
            assert!(received == body, "{} bytes", received.len());
            let seen = origin.last();
            assert_eq!(seen.line(), "POST /x?y HTTP/1.1");
            assert_eq!(
                (seen.field("host"), seen.field("x-who")),
                (Some("app"), own.then_some("alice"))
            );
            assert_eq!(
                (seen.field("x-forwarded-proto"), seen.field("x-forwarded-for")),
                (Some("https"), Some("127.0.0.1"))
            );
        }
    });
}
