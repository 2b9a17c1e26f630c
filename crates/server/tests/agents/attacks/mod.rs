//! Requests that no honest client sends.

mod certificates;
mod second;
mod slow;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kukla_ca::{Autosign, HostFiles, HostIdentity};
use kukla_server::agents::ServerOptions;

use crate::client::{Connection, Received, head, receive};
use crate::fixture::{Fixture, authority};
use crate::pki::{Pair, write};
use table::{Attack, Expected};

/// Names below the directory of the server that requests may have made.
const MADE: &[&str] = &[
    "/var/server_data/facts/agent.example.json",
    "/var/store-queue/0/0000000000000000.segment",
    "/ca/requests/alternative.example.pem",
    "/ca/requests/authority.example.pem",
    "/ca/requests/cli.example.pem",
    "/ca/requests/codes.example.pem",
    "/ca/requests/forged.example.pem",
    "/ca/requests/other-arc.example.pem",
    "/ca/requests/renew.example.pem",
    "/ca/requests/signs.example.pem",
    "/ca/requests/wild.example.pem",
];

/// The servers and certificates that the table names.
struct Stage {
    fixture: Fixture,
    trusting: Fixture,
    clients: BTreeMap<&'static str, Pair>,
}

impl Stage {
    fn new() -> Self {
        let fixture = Fixture::with(|options| signing(options, Autosign::Always));
        let trusting = Fixture::with(|mut options| {
            options.trusts_headers = true;
            options
        });
        let clients = certificates::clients(&fixture.pki, &fixture.agent, &fixture.admin);
        let list = fixture.pki.crl(2, &[&clients["revoked"]]);
        write(&fixture.directory.join("crl.pem"), &list);
        let stage = Self { fixture, trusting, clients };
        let attack = Attack::parse("closed revoked GET /status/v1/simple").expect("an attack");
        let start = Instant::now();
        while stage.send(&attack).is_ok() {
            assert!(start.elapsed() < Duration::from_secs(2), "the revocation list is read");
        }
        stage.fixture.log.lock().expect("a log").clear();
        stage
    }

    /// Sends an attack, and returns the answer.
    fn send(&self, attack: &Attack) -> io::Result<Received> {
        let fields: Vec<(&str, Vec<u8>)> = attack
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), self.filled(value)))
            .collect();
        let bytes = match &attack.raw {
            Some(raw) => raw.clone(),
            None => whole(attack, &fields, attack.body.as_deref().map(certificates::body)),
        };
        match attack.client.as_str() {
            "plain" => on(TcpStream::connect(self.fixture.plain)?, &bytes, attack),
            "proxy" => on(TcpStream::connect(self.trusting.plain)?, &bytes, attack),
            name => {
                let own = (name != "none").then(|| &self.clients[name]);
                let mut connection =
                    Connection::open(self.fixture.address, &self.fixture.pki, own)?;
                connection.stream().sock.set_read_timeout(Some(Duration::from_secs(5)))?;
                exchanged(connection.stream(), &bytes, attack)
            }
        }
    }

    /// Returns the value of a header field; `@certificate-of-x` is the certificate of a client, as proxies send it.
    fn filled(&self, value: &[u8]) -> Vec<u8> {
        let Some(name) = value.strip_prefix(b"@certificate-of-") else { return value.to_owned() };
        let pem = &self.clients[std::str::from_utf8(name).expect("a name")].certificate;
        pem.replace('\n', "%0A").replace(' ', "%20").replace('+', "%2B").into_bytes()
    }
}

fn on(mut stream: TcpStream, bytes: &[u8], attack: &Attack) -> io::Result<Received> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    exchanged(&mut stream, bytes, attack)
}

/// Sends bytes, reads the answer, and sees that a connection with a broken request gives no second one.
fn exchanged(
    stream: &mut (impl Read + Write),
    bytes: &[u8],
    attack: &Attack,
) -> io::Result<Received> {
    // A server that refuses a large body may close the connection before all is sent.
    let _ = stream.write_all(bytes).and_then(|()| stream.flush());
    let received = receive(stream, attack.method == "HEAD")?;
    if attack.raw.is_some() {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        assert!(!rest.windows(5).any(|piece| piece == b"HTTP/"), "two answers: {attack:?}");
    }
    Ok(received)
}

/// Returns a request whose fields may have any bytes.
fn whole(attack: &Attack, fields: &[(&str, Vec<u8>)], body: Option<Vec<u8>>) -> Vec<u8> {
    let accept = [("Accept", "application/json")];
    let has_own = fields.iter().any(|(name, _)| *name == "Accept");
    let head = head(&attack.method, &attack.target, if has_own { &[] } else { &accept }, None);
    let mut bytes = head[..head.len() - 2].to_owned();
    for (name, value) in fields {
        bytes.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
    }
    if let Some(body) = &body {
        bytes.extend(format!("Content-Length: {}\r\n", body.len()).bytes());
    }
    bytes.extend(b"\r\n");
    bytes.extend(body.unwrap_or_default());
    bytes
}

/// Makes the authority of a server one that signs, and has a certificate for `puppet.example`.
fn signing(mut options: ServerOptions, autosign: Autosign) -> ServerOptions {
    let files = options.tls.as_ref().expect("TLS");
    let directory = files.certificate.parent().expect("a directory").to_owned();
    std::fs::remove_dir_all(directory.join("ca")).expect("removed");
    let authority = authority(&directory, autosign);
    let host = HostIdentity {
        name: "puppet.example".to_owned(),
        alt_names: kukla_ca::AltNames::default(),
        key_length: 2048,
        lifetime: None,
        extensions: Vec::new(),
    };
    let files = HostFiles {
        certificate: directory.join("host/cert.pem"),
        private_key: directory.join("host/key.pem"),
        public_key: directory.join("host/pub.pem"),
    };
    authority.server_certificate(&host, &files).expect("a certificate");
    options.authority = Some(Arc::new(authority));
    options
}

#[test]
fn the_table_of_attacks() {
    let stage = Stage::new();
    let before = files(&stage.fixture.directory);
    let attacks = table::attacks();
    let mut problems = Vec::new();
    let mut n_denied = 0;
    for attack in &attacks {
        let answer = stage.send(attack);
        if attack.client != "proxy" && matches!(&answer, Ok(received) if received.status == 403) {
            n_denied += 1;
        }
        if !attack.expected.iter().any(|expected| expected.is(&answer)) {
            let got = answer.map(|received| format!("{} {}", received.status, received.text()));
            problems.push(format!("{}: {got:.300?}", attack.line));
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
    assert!(attacks.len() > 450, "{} attacks", attacks.len());
    let after = files(&stage.fixture.directory);
    let made: Vec<&String> = after.difference(&before).collect();
    let made: Vec<_> = made.iter().filter(|name| !MADE.contains(&name.as_str())).collect();
    assert!(made.is_empty(), "requests made files: {made:?}");
    denials_are_logged(&stage.fixture, n_denied);
    let fine = Attack::parse("200 agent GET /puppet/v3/node/agent.example?environment=production");
    assert!(Expected::Status(200).is(&stage.send(&fine.expect("a request"))));
}

/// Compares the log with the number of answers: each denial has a line with the rule and its place, or the reason.
fn denials_are_logged(fixture: &Fixture, n_denied: usize) {
    let log = fixture.log.lock().expect("a log");
    let parsed = log.iter().map(|line| serde_json::from_str::<serde_json::Value>(line));
    let denied: Vec<_> = parsed.flatten().filter(|line| line["event"] == "denied").collect();
    for line in &denied {
        let number = line["line"].as_str().and_then(|line| line.parse::<usize>().ok());
        assert!(number.is_some() || line["error"].is_string(), "{line}");
    }
    // Some paths are forbidden by their route, for every client.
    let by_route = table::attacks().iter().filter(|attack| attack.is_refused_by_route()).count();
    assert_eq!(denied.len(), n_denied - by_route);
}

fn files(directory: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![directory.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).expect("a directory").flatten() {
            match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                true => open.push(entry.path()),
                false => {
                    let path = entry.path().display().to_string();
                    let root = directory.display().to_string();
                    found.insert(path.strip_prefix(&root).unwrap_or(&path).to_owned());
                }
            }
        }
    }
    found
}
