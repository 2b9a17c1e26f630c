//! A server with the environments, classifier and rules of `tests/agents/site`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kukla_ca::{Authority, Autosign, CaOptions};
use kukla_server::agents::{AgentServer, Door, Listener, ServerOptions, TlsFiles, serve};
use kukla_site::settings::{ConfigFile, Settings};
use kukla_site::{EnvironmentChoice, ServerIdentity, Settle, Site, SiteOptions, Timeout, Warn};
use kukla_world::paths::Anchor;
use tokio::sync::oneshot;

use crate::client::Connection;
use crate::pki::{Pair, Pki, write};

pub(crate) struct Fixture {
    pub(crate) pki: Pki,
    pub(crate) address: SocketAddr,
    pub(crate) plain: SocketAddr,
    /// Where tools ask the store.
    pub(crate) tools: SocketAddr,
    /// Where a browser finds the page.
    pub(crate) page: SocketAddr,
    pub(crate) directory: PathBuf,
    pub(crate) agent: Pair,
    pub(crate) admin: Pair,
    pub(crate) trusted: Pair,
    pub(crate) cli: Pair,
    pub(crate) log: Arc<std::sync::Mutex<Vec<String>>>,
    stop: Option<oneshot::Sender<()>>,
    _runtime: tokio::runtime::Runtime,
}

/// The directory with environments and settings.
pub(crate) fn site() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/site")
}

impl Fixture {
    pub(crate) fn start() -> Self {
        Self::with(|options| options)
    }

    /// Starts a server with other options.
    pub(crate) fn with(change: impl FnOnce(ServerOptions) -> ServerOptions) -> Self {
        Self::with_code(&site(), change)
    }

    /// Starts a server with other options, for the code of a directory.
    pub(crate) fn with_code(
        code: &Path,
        change: impl FnOnce(ServerOptions) -> ServerOptions,
    ) -> Self {
        Self::settling(code, Duration::from_millis(100), change)
    }

    /// Starts a server for code that counts as deployed when it has not changed for this long.
    pub(crate) fn settling(
        code: &Path,
        settle: Duration,
        change: impl FnOnce(ServerOptions) -> ServerOptions,
    ) -> Self {
        Self::configured(code, settle, |_, _| Vec::new(), change)
    }

    /// Starts a server with settings that depend on its directory and its certificates.
    pub(crate) fn configured(
        code: &Path,
        settle: Duration,
        settings: impl FnOnce(&Path, &Pki) -> Vec<(String, String)>,
        change: impl FnOnce(ServerOptions) -> ServerOptions,
    ) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("kukla-agents-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&directory).expect("a directory");
        let pki = Pki::new("Test CA");
        let own = pki.sign(1, &["puppet.example"], &[]);
        let file = |name: &str| directory.join(name);
        write(&file("cert.pem"), &own.certificate);
        write(&file("key.pem"), &own.key);
        write(&file("ca.pem"), &pki.ca_pem);
        write(&file("crl.pem"), &pki.crl(1, &[]));
        std::fs::copy(site().join("auth.conf"), file("auth.conf")).expect("copied");
        let tls = TlsFiles {
            certificate: file("cert.pem"),
            key: file("key.pem"),
            authorities: file("ca.pem"),
            revocations: Some(file("crl.pem")),
        };
        let options = ServerOptions {
            tls: Some(tls),
            auth_conf: Some(file("auth.conf")),
            oid_mapping: Some(site().join("trusted_oid_mapping.yaml")),
            authority: Some(Arc::new(authority(
                &directory,
                Autosign::File(site().join("autosign.conf")),
            ))),
            n_compilers: 2,
            ..ServerOptions::default()
        };
        let log: Arc<std::sync::Mutex<Vec<String>>> = Arc::default();
        let lines = Arc::clone(&log);
        let say = Arc::new(move |line: &str| lines.lock().expect("a log").push(line.to_owned()));
        let site = open_site(&directory, code, settle, settings(&directory, &pki));
        let server = AgentServer::open(site, change(options), say);
        let server = Arc::new(server.expect("a server"));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let bind = || runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"));
        let (socket, other) = (bind().expect("a socket"), bind().expect("a socket"));
        let (third, fourth) = (bind().expect("a socket"), bind().expect("a socket"));
        let page = fourth.local_addr().expect("an address");
        let tools = third.local_addr().expect("an address");
        let address = socket.local_addr().expect("an address");
        let plain = other.local_addr().expect("an address");
        let listeners =
            [(socket, Door::Tls), (other, Door::Plain), (third, Door::Tools), (fourth, Door::Page)];
        let listeners = listeners.map(|(socket, door)| Listener { socket, door }).into();
        let (stop, stopped) = oneshot::channel();
        let stopped = async move { drop(stopped.await) };
        runtime.spawn(serve(server, listeners, stopped, Duration::from_secs(5)));
        Self {
            agent: pki.sign(2, &["agent.example"], &[]),
            admin: pki.sign(3, &["admin.example"], &[]),
            trusted: pki.sign(
                4,
                &["trusted.example"],
                &[(&[1, 13], "web"), (&[2, 7], "x"), (&[2, 1, 1], "blue")],
            ),
            cli: pki.sign(5, &["cli.example"], &[(&[3, 39], "true")]),
            pki,
            address,
            plain,
            tools,
            page,
            directory,
            log,
            stop: Some(stop),
            _runtime: runtime,
        }
    }

    pub(crate) fn connect(&self, client: Option<&str>) -> std::io::Result<Connection> {
        let pair = client.map(|name| match name {
            "agent.example" => &self.agent,
            "admin.example" => &self.admin,
            "trusted.example" => &self.trusted,
            "cli.example" => &self.cli,
            other => panic!("there is no certificate for {other}"),
        });
        Connection::open(self.address, &self.pki, pair)
    }

    /// Tells the server to stop.
    pub(crate) fn stop(&mut self) {
        drop(self.stop.take());
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        self.stop();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// Makes an authority for the routes of the CA; clients of these tests have certificates of another one.
pub(crate) fn authority(directory: &Path, autosign: Autosign) -> Authority {
    let mut options = CaOptions::new(&directory.join("ca"));
    options.key_length = 2048;
    options.ca_name = "Puppet CA: puppet.example".to_owned();
    options.autosign = autosign;
    Authority::create(options).expect("an authority")
}

fn open_site(
    directory: &Path,
    code: &Path,
    settle: Duration,
    settings: Vec<(String, String)>,
) -> Site {
    let site = site();
    let overrides = [
        // The answers were recorded from a server of version 7.
        ("edition", "7".to_owned()),
        ("codedir", code.display().to_string()),
        ("vardir", directory.join("var").display().to_string()),
        ("edition", "7".to_owned()),
    ];
    let overrides = overrides.map(|(name, value)| (name.to_owned(), value));
    let overrides = overrides.into_iter().chain(settings).collect();
    let anchor = Anchor::new("/");
    let config = ConfigFile::At(site.join("puppet.conf"));
    let settings = Settings::load(&config, overrides, &anchor).expect("settings");
    let server =
        ServerIdentity { name: "puppet.example".to_owned(), address: "192.0.2.1".to_owned() };
    let options = SiteOptions {
        anchor,
        choice: EnvironmentChoice::default(),
        server,
        timeout: Timeout::default(),
        settle: Some(Settle(settle)),
        warn: Warn::new(|_| ()),
    };
    Site::open(settings, options).expect("a site")
}
