//! Servers and services that speak TLS, and want to know who asks.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_server::net::ClientTlsFiles;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::origin::{Got, Server, response};
use crate::running::{Around, Door, ask};
use crate::tls::Authority;

/// Certificates in a folder that is removed with it.
pub(crate) struct Pki {
    authority: Authority,
    folder: PathBuf,
}

impl Pki {
    pub(crate) fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("kukla-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let authority = Authority::new();
        let (certificate, key) = authority.issue("proxy");
        let other = Authority::new();
        let (stranger, stranger_key) = other.issue("proxy");
        for (name, text) in [
            ("ca.pem", &authority.pem),
            ("cert.pem", &certificate),
            ("key.pem", &key),
            ("other-ca.pem", &other.pem),
            ("other-cert.pem", &stranger),
            ("other-key.pem", &stranger_key),
        ] {
            std::fs::write(folder.join(name), text).unwrap();
        }
        Self { authority, folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Puts TLS in front of a server: clients need a certificate of the authority.
    fn in_front_of(&self, server: SocketAddr, runtime: &tokio::runtime::Runtime) -> SocketAddr {
        self.in_front_of_with(server, runtime, &[])
    }

    /// Puts TLS with these protocols in front of a server.
    pub(crate) fn in_front_of_with(
        &self,
        server: SocketAddr,
        runtime: &tokio::runtime::Runtime,
        protocols: &[&[u8]],
    ) -> SocketAddr {
        let (certificate, key) = self.authority.issue("server");
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.authority.pem.as_bytes()).unwrap()).unwrap();
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
                .build()
                .unwrap();
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(verifier)
            .with_single_cert(
                vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()],
                PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap(),
            )
            .unwrap();
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let Ok(mut stream) = acceptor.accept(stream).await else { return };
                    let Ok(mut plain) = TcpStream::connect(server).await else { return };
                    let _ = tokio::io::copy_bidirectional(&mut stream, &mut plain).await;
                });
            }
        });
        address
    }
}

impl Drop for Pki {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

#[test]
fn servers_know_the_proxy_and_are_known_by_it() {
    let (pki, runtime) = (Pki::new("tls-upstream"), runtime());
    let origin = Server::start(|got| response("200 OK", "", &got.body));
    let port = pki.in_front_of(origin.address, &runtime).port();
    let cases = [
        ("localhost", "ca.pem", Some(("cert.pem", "key.pem")), true),
        // Without a certificate, with one of another authority, from a server of another one, with another name.
        ("localhost", "ca.pem", None, false),
        ("localhost", "ca.pem", Some(("other-cert.pem", "other-key.pem")), false),
        ("localhost", "other-ca.pem", Some(("cert.pem", "key.pem")), false),
        ("127.0.0.1", "ca.pem", Some(("cert.pem", "key.pem")), false),
    ];
    for (host, authorities, own, is_good) in cases {
        let identity = own.map(|(certificate, key)| (pki.path(certificate), pki.path(key)));
        let files = ClientTlsFiles { authorities: Some(pki.path(authorities)), identity };
        let around = Around { upstream_tls: Some(files.config().unwrap()), ..Around::default() };
        let upstream = [format!("https://{host}:{port}")];
        let door = Door::proxy_with(&["Access.allow();"], "", &upstream, around);
        let n_before = origin.all().len();
        for round in 0..3 {
            let body = crate::peers::body(100_000);
            let got = ask(door.address, "POST /a", "", &body);
            let words = (host, authorities, own, round);
            assert_eq!(got.line().contains(" 200 "), is_good, "{words:?} {}", got.head);
            assert_eq!(got.line().contains(" 502 "), !is_good, "{words:?} {}", got.head);
            assert!(!is_good || got.body == body);
        }
        assert_eq!(origin.all().len() - n_before, if is_good { 3 } else { 0 });
    }
}

/// Returns the registry with a service in each protocol, with these files.
fn registry(folder: &Path, ports: (u16, u16), files: (&str, Option<(&str, &str)>)) -> String {
    let at = folder.display();
    let own = files.1.map_or(String::new(), |(certificate, key)| {
        format!("cert = \"{at}/{certificate}\"\nkey = \"{at}/{key}\"\n")
    });
    let service = |kind: &str, port: u16, path: &str| {
        format!(
            "[[service]]\nuri = \"opes://x/{kind}\"\nkind = \"{kind}\"\nurl = \"{kind}://localhost:{port}{path}\"\n\
             ca = \"{at}/{}\"\n{own}",
            files.0
        )
    };
    service("https", ports.0, "/") + &service("icaps", ports.1, "/reqmod")
}

const BOTH: &str = r#"
    Http := import("Http");
    { Services.applyOne(Services.findOne("opes://x/https")); } otherwise { Http.request.headers.add("X-Failed", "https"); }
    { Services.applyOne(Services.findOne("opes://x/icaps")); } otherwise { Http.request.headers.add("X-Failed", "icaps"); }
    Access.allow();"#;

#[test]
fn services_know_the_proxy_and_are_known_by_it() {
    let (pki, runtime) = (Pki::new("tls-services"), runtime());
    let https = Server::service(|got: &Got| {
        let message = got.text().replacen("\r\n\r\n", "\r\nX-Https: 1\r\n\r\n", 1);
        Some(message.into_bytes())
    });
    let marks =
        "Http := import(\"Http\"); Http.request.headers.add(\"X-Icaps\", \"1\"); Access.allow();";
    let icap = Door::icap(&[marks], "");
    let ports = (
        pki.in_front_of(https.address, &runtime).port(),
        pki.in_front_of(icap.address, &runtime).port(),
    );
    let origin = Server::start(|got| response("200 OK", "", &got.body));
    let cases = [
        ("ca.pem", Some(("cert.pem", "key.pem")), true),
        ("ca.pem", None, false),
        ("ca.pem", Some(("other-cert.pem", "other-key.pem")), false),
        ("other-ca.pem", Some(("cert.pem", "key.pem")), false),
    ];
    for (authorities, own, is_good) in cases {
        let registry = registry(&pki.folder, ports, (authorities, own));
        let door = Door::proxy(&[BOTH], &registry, &[format!("http://{}", origin.address)]);
        let got = ask(door.address, "POST /a", "", b"hello");
        assert_eq!(got.text(), "hello", "{}", door.log_text());
        let seen = origin.last();
        let marks = (seen.field("x-https"), seen.field("x-icaps"), seen.field("x-failed"));
        let wanted = match is_good {
            true => (Some("1"), Some("1"), None),
            false => (None, None, Some("https")),
        };
        assert_eq!(marks, wanted, "{authorities} {own:?} {}", door.log_text());
        let n_failed = seen.head.matches("X-Failed").count();
        assert_eq!(n_failed, if is_good { 0 } else { 2 });
    }
}
