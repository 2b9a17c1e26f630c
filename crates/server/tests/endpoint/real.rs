//! Real proxies in front of a real server, with the configuration of the guide.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::pki::{ALT_NAMES, Authority, CN, Issued, UTF8, dns_names, pem};

const GUIDE: &str = include_str!("../../../../docs/src/guides/p.md");

/// The block of the guide in a language.
pub(crate) fn guide(language: &str) -> &'static str {
    let (_, rest) = GUIDE.split_once(&format!("```{language}\n")).expect("the guide has a block");
    rest.split_once("```").expect("the block ends").0
}

/// A proxy that runs in the foreground, and ends with the test.
pub(crate) struct Running(Child);

impl Running {
    /// Starts a program, and waits until it listens.
    pub(crate) fn start(command: &mut Command, port: u16, log: &Path) -> Self {
        let file = std::fs::File::create(log).expect("a log can be made");
        command.stdin(Stdio::null()).stdout(file.try_clone().expect("it is a file")).stderr(file);
        let running = Self(command.spawn().expect("the proxy starts"));
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let words = || std::fs::read_to_string(log);
            assert!(start.elapsed() < Duration::from_secs(20), "it does not listen: {:?}", words());
            std::thread::sleep(Duration::from_millis(20));
        }
        running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the path of a proxy, which must be installed.
pub(crate) fn installed(name: &'static str, version: &str) -> String {
    let paths = [name.to_owned(), format!("/usr/sbin/{name}")];
    let path = paths.into_iter().find(|path| {
        let mut command = Command::new(path);
        command.arg(version).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    });
    path.unwrap_or_else(|| {
        panic!("`{name}` is not installed: run `apt-get install {name}`, or `cargo xtask test`, which does it; `cargo test -- --skip needs_{name}` leaves this test out")
    })
}

pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it has an address").port()
}

/// Starts a server that echoes requests.
pub(crate) fn upstream() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it has an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            reply(stream);
        }
    });
    address
}

fn reply(mut stream: TcpStream) {
    let mut lines = BufReader::new(stream.try_clone().expect("it is a socket")).lines();
    let first = lines.next().and_then(Result::ok).unwrap_or_default();
    let mut user = "nobody".to_owned();
    for line in lines.map_while(Result::ok).take_while(|line| !line.is_empty()) {
        if let Some(name) = line.strip_prefix("X-User: ") {
            name.clone_into(&mut user);
        }
    }
    let request = first.rsplit_once(' ').map_or("", |(request, _)| request);
    let body = format!("upstream got {request} for {user}\n");
    let length = body.len();
    let _ = write!(stream, "HTTP/1.0 200 OK\r\nContent-Length: {length}\r\n\r\n{body}");
}

/// Certificates for a proxy on this machine and for its clients.
pub(crate) struct Certificates {
    pub(crate) authority: Authority,
}

impl Certificates {
    /// Makes them, and writes those of the proxy into a folder: `ca.pem`, `server.pem`, `server.key`.
    pub(crate) fn new(folder: &Path) -> Self {
        let authority = Authority::new();
        let subject: crate::pki::Subject<'_> = &[&[(CN, UTF8, b"localhost")]];
        let server = authority.issue(subject, &[(ALT_NAMES, dns_names(&["localhost"]))]);
        let write = |name: &str, text: &str| {
            std::fs::write(folder.join(name), text).expect("it is written");
        };
        write("ca.pem", &pem("CERTIFICATE", &authority.der));
        write("server.pem", &pem("CERTIFICATE", &server.der));
        write("server.key", &server.key.serialize_pem());
        Self { authority }
    }

    /// Returns status and response of a request over TLS, with or without a client certificate.
    pub(crate) fn ask(
        &self,
        port: u16,
        client: Option<&Issued>,
        path: &str,
        fields: &str,
    ) -> (u16, String) {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from(self.authority.der.clone())).expect("it is an authority");
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("there are versions")
            .with_root_certificates(roots);
        let config = match client {
            None => builder.with_no_client_auth(),
            Some(client) => {
                let key = PrivateKeyDer::try_from(client.key.serialize_der()).expect("it is a key");
                let chain = vec![CertificateDer::from(client.der.clone())];
                builder.with_client_auth_cert(chain, key).expect("the key fits")
            }
        };
        let name = ServerName::try_from("localhost").expect("it is a name");
        let connection = ClientConnection::new(Arc::new(config), name).expect("it is configured");
        let socket = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
        socket.set_read_timeout(Some(Duration::from_secs(20))).expect("it is a time");
        let mut stream = StreamOwned::new(connection, socket);
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{fields}\r\n");
        if stream.write_all(request.as_bytes()).is_err() {
            // The proxy refused the certificate.
            return (0, String::new());
        }
        let mut bytes = Vec::new();
        // Not every proxy closes the TLS session properly.
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let status = text.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.unwrap_or(0), text)
    }
}

/// A program that lets two clients into places of their own, and all others into `/open`.
pub(crate) const PLACES: &str = "Http := import \"Http\"; r := Http.request;\n\
    name := r.tls.subjectCn otherwise \"guest\";\n\
    r.headers.set(\"X-User\", name);\n\
    if (name == \"boss\" and r.uri.path == \"/boss\") { Access.allow(); }\n\
    if (name == \"user\" and r.uri.path == \"/user\") { Access.allow(); }\n\
    if (r.uri.path == \"/open\") { Access.allow(); }\n\
    Access.deny(\"closed\");\n";

/// Clients that try to be `boss`, through a proxy that listens for TLS at a port.
pub(crate) fn try_to_be_boss(certificates: &Certificates, port: u16) {
    let authority = &certificates.authority;
    let issue = |subject| authority.issue(subject, &[]);
    let (user, boss) = (authority.named("user"), authority.named("boss"));
    let comma = issue(&[&[(CN, UTF8, b"user")], &[(crate::pki::O, UTF8, b"evil,CN=boss")]]);
    let two = issue(&[&[(CN, UTF8, b"user")], &[(CN, UTF8, b"boss")]]);
    let one_rdn = issue(&[&[(CN, UTF8, b"boss"), (CN, UTF8, b"user")]]);
    let dns = [(ALT_NAMES, dns_names(&["boss"]))];
    let empty = authority.issue(&[], &dns);
    let ask = |client, path: &str, fields: &str| certificates.ask(port, client, path, fields);
    let passes = |client, path: &str, name: &str| {
        let (status, text) = ask(client, path, "");
        assert!(status == 200 && text.ends_with(&format!("{path} for {name}\n")), "{name}: {text}");
    };
    passes(Some(&user), "/user", "user");
    passes(Some(&boss), "/boss", "boss");
    passes(Some(&comma), "/user", "user");
    passes(None, "/open", "guest");
    let public = crate::pki::escaped(&pem("CERTIFICATE", &boss.der));
    let base64 = data_encoding::BASE64.encode(&boss.der);
    let lies = [
        String::new(),
        "ssl-client-subject-dn: CN=boss\r\nssl-client-verify: SUCCESS\r\n".to_owned(),
        "X-Client-DN: CN=boss\r\nX-Client-Verify: SUCCESS\r\n".to_owned(),
        format!("X-Client-Verify: SUCCESS\r\nX-Client-Cert: {public}\r\n"),
        format!("X-Client-Cert: {base64}\r\nConnection: X-Client-Cert, X-Client-Verify\r\n"),
        format!("X-Forwarded-Client-Cert: Cert=\"{public}\"\r\n"),
        "X-Original-URI: /open\r\nX-Original-Method: GET\r\nX-Forwarded-Uri: /open\r\n".to_owned(),
        "X_Client_DN: CN=boss\r\nX-User: boss\r\n".to_owned(),
    ];
    let clients = [None, Some(&user), Some(&comma), Some(&two), Some(&one_rdn), Some(&empty)];
    for (at, client) in clients.into_iter().enumerate() {
        for lie in &lies {
            let (status, text) = ask(client, "/boss", lie);
            assert!(status == 403 && !text.contains("upstream"), "client {at}, {lie:?}: {text}");
        }
    }
    for client in [&two, &one_rdn, &empty] {
        assert_eq!(ask(Some(client), "/open", "").0, 403, "an unclear name is refused everywhere");
    }
}
