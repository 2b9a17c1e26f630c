//! Requests to the server for agents, as bytes on a connection.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use kukla_server::agents::{AgentServer, Patience, ServerOptions, converse};
use kukla_site::settings::{ConfigFile, Settings};
use kukla_site::{EnvironmentChoice, ServerIdentity, Site, SiteOptions, Timeout, Warn};
use kukla_world::paths::Anchor;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// A request behind the input, after which the server closes the connection.
const LAST: &[u8] =
    b"\r\n\r\nGET /status/v1/simple HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
/// Bytes that a connection holds.
const BUFFER: usize = 1 << 20;

static SERVER: LazyLock<Arc<AgentServer>> = LazyLock::new(|| Arc::new(server()));

thread_local! {
    static RUNTIME: tokio::runtime::Runtime = runtime();
}

/// Returns a runtime whose clock jumps ahead where all tasks wait: the server's patience with a client that sends too
/// little takes no time.
fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().start_paused(true).build().expect("a runtime")
}

/// Sends the bytes; whatever they are, the server answers in HTTP or closes the connection, and gives a node of
/// another name to no client but the one that may have all of them.
pub(crate) fn run(bytes: &[u8]) {
    let answer = RUNTIME.with(|runtime| runtime.block_on(exchange(bytes)));
    let text = String::from_utf8_lossy(&answer);
    assert!(answer.is_empty() || text.starts_with("HTTP/1."), "no answer of HTTP");
    assert!(!text.contains("internal error"), "a handler panicked");
    let is_admin = bytes.windows(13).any(|part| part == b"admin.example");
    assert!(is_admin || !text.contains("\"name\":\"other.example\""), "the node of another client");
    assert!(!text.contains("root:x:0:0"), "a file of the machine");
}

async fn exchange(bytes: &[u8]) -> Vec<u8> {
    let (mut own, other) = tokio::io::duplex(BUFFER);
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
    let served = tokio::spawn(converse(Arc::clone(&SERVER), other, address));
    let mut answer = Vec::new();
    // A server that has closed the connection takes nothing more.
    let _ = own.write_all(&[bytes, LAST].concat()).await;
    let _ = own.read_to_end(&mut answer).await;
    served.await.expect("a connection does not panic");
    answer
}

fn server() -> AgentServer {
    let code = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/server/tests/agents/site"));
    let directory = std::env::temp_dir().join(format!("kukla-fuzz-{}", std::process::id()));
    let overrides = [
        ("edition", "7".to_owned()),
        ("codedir", code.display().to_string()),
        ("vardir", directory.display().to_string()),
        ("node_terminus", "plain".to_owned()),
    ];
    let overrides = overrides.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let anchor = Anchor::new("/");
    let settings = Settings::load(&ConfigFile::At(code.join("puppet.conf")), overrides, &anchor);
    let options = SiteOptions {
        anchor,
        choice: EnvironmentChoice::default(),
        server: ServerIdentity { name: "puppet".to_owned(), address: "192.0.2.1".to_owned() },
        timeout: Timeout::default(),
        settle: None,
        warn: Warn::new(|_| ()),
    };
    let site = Site::open(settings.expect("settings"), options).expect("a site");
    let short = Duration::from_secs(20);
    let options = ServerOptions {
        auth_conf: Some(code.join("auth.conf")),
        trusts_headers: true,
        patience: Patience { handshake: short, head: short, body: short, answer: short },
        ..ServerOptions::default()
    };
    AgentServer::open(site, options, Arc::new(|_: &str| ())).expect("a server")
}

/// Returns a recorded request as bytes, with the identity of a client in the fields of a proxy.
pub(crate) fn seed(recorded: &serde_json::Value) -> Vec<u8> {
    let text = |name: &str| recorded[name].as_str().unwrap_or_default();
    let client = if text("client").is_empty() { "agent.example" } else { text("client") };
    let mut head = format!(
        "{} {} HTTP/1.1\r\nHost: localhost\r\nX-Client-Verify: SUCCESS\r\nX-Client-DN: CN={client}\r\n",
        text("method"),
        text("path")
    );
    for (name, value) in recorded["headers"].as_object().into_iter().flatten() {
        head += &format!("{name}: {}\r\n", value.as_str().unwrap_or_default());
    }
    let body = text("body");
    if !body.is_empty() {
        head += &format!("Content-Length: {}\r\n", body.len());
    }
    format!("{head}\r\n{body}").into_bytes()
}
