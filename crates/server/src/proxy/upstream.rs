//! Servers behind the proxy: groups, health, and connections that are kept.
//!
//! A server with TLS chooses between HTTP/2 and HTTP/1.1; one whose URL begins with `h2c` speaks HTTP/2 without TLS.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustls::ClientConfig;
use tokio::io::AsyncWriteExt as _;

use super::shared::{Lease, Shared, SharedPool};
use crate::net::{Address, AddressError, Stream, connect};
use crate::wire::{HeadLimits, Input, StatusLine};

/// The number of idle connections that are kept for a server, and for how long.
pub(super) const IDLE: (usize, Duration) = (256, Duration::from_secs(30));
/// The time for which a server that can't be reached is left alone.
const DOWN: Duration = Duration::from_secs(5);
/// The time between two checks of a server.
const CHECK: Duration = Duration::from_secs(5);
/// The time for a connection.
const CONNECT: Duration = Duration::from_secs(3);

/// All groups of servers; the first is the default.
#[derive(Debug)]
pub struct Upstreams {
    groups: Vec<Group>,
    tls: Option<Tls>,
    /// The path that healthy servers answer; `None`: a connection is enough.
    health: Option<String>,
}

/// TLS to servers.
#[derive(Debug)]
struct Tls {
    /// For HTTP/1.1 alone: a connection that changes its protocol.
    only_h1: Arc<ClientConfig>,
    /// For HTTP/2, or HTTP/1.1.
    any: Arc<ClientConfig>,
}

/// A group of servers that answer alike.
#[derive(Debug)]
struct Group {
    name: String,
    servers: Vec<Arc<Server>>,
    next: AtomicUsize,
}

/// A server.
#[derive(Debug)]
pub(super) struct Server {
    address: Address,
    /// Whether it speaks HTTP/2 without TLS.
    is_h2c: bool,
    idle: Mutex<Vec<(Instant, Connection)>>,
    shared: SharedPool,
    /// Whether the last check failed.
    is_sick: AtomicBool,
    /// Milliseconds after the start until which it is left alone.
    down_until: AtomicU64,
    start: Instant,
}

/// A connection to a server, with what was read ahead.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) stream: Stream,
    pub(super) input: Input,
    pub(super) is_kept: bool,
}

/// A way to a server.
#[derive(Debug)]
pub(super) enum Link {
    /// A connection of HTTP/1.1, for one exchange at a time.
    Own(Connection),
    /// A place on a connection of HTTP/2.
    Shared(Lease),
}

/// The kind of connection that an exchange needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// One that is kept, or a new one.
    Any,
    /// A new one.
    New,
    /// A new one that can change its protocol.
    Change,
}

/// An upstream that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum UpstreamError {
    /// Its URL is malformed.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// Its URL has a path.
    #[error("`{0}` has a path: rules choose paths, by `Route.rewrite`")]
    Path(String),
    /// There is none.
    #[error("there is no upstream")]
    Missing,
}

impl Upstreams {
    /// Parses `[NAME=]URL` of each server; servers of one name are a group.
    pub fn parse(
        texts: &[String],
        tls: Option<Arc<ClientConfig>>,
        health: Option<String>,
    ) -> Result<Self, UpstreamError> {
        let mut groups: Vec<Group> = Vec::new();
        for text in texts {
            let (name, url) = match text.split_once('=') {
                Some((name, url)) if !name.contains("://") => (name, url),
                _ => ("default", text.as_str()),
            };
            let schemes = [("http", 80, false), ("https", 443, true), ("h2c", 80, false)];
            let address = Address::parse(url, &schemes, "an upstream")?;
            if address.path != "/" {
                return Err(UpstreamError::Path(text.clone()));
            }
            let server = Arc::new(Server::new(address, url.starts_with("h2c:")));
            match groups.iter_mut().find(|group| group.name == name) {
                Some(group) => group.servers.push(server),
                None => {
                    let name = name.to_owned();
                    groups.push(Group { name, servers: vec![server], next: AtomicUsize::new(0) });
                }
            }
        }
        if groups.is_empty() {
            return Err(UpstreamError::Missing);
        }
        let tls = tls.map(|config| {
            let with = |protocols: &[&[u8]]| {
                let mut config = ClientConfig::clone(&config);
                config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
                Arc::new(config)
            };
            Tls { only_h1: with(&[b"http/1.1"]), any: with(&[b"h2", b"http/1.1"]) }
        });
        Ok(Self { groups, tls, health })
    }

    /// Whether a server speaks TLS.
    pub fn need_tls(texts: &[String]) -> bool {
        texts.iter().any(|text| text.starts_with("https://") || text.contains("=https://"))
    }

    /// Returns the names of the groups.
    pub fn names(&self) -> Vec<String> {
        self.groups.iter().map(|group| group.name.clone()).collect()
    }

    /// Returns the servers of a forward proxy: none but those that clients name.
    pub fn named() -> Self {
        Self { groups: Vec::new(), tls: None, health: None }
    }

    /// Returns a way to the server that a client named, or to one of a group.
    pub(super) async fn link(
        &self,
        group: Option<&str>,
        named: Option<&[u8]>,
        wish: Wish,
    ) -> io::Result<(Arc<Server>, Link)> {
        if let Some(authority) = named {
            return self.link_to(authority).await;
        }
        let found = match group {
            None => self.groups.first(),
            Some(name) => self.groups.iter().find(|group| group.name == name),
        };
        let group = found.ok_or_else(|| io::Error::other("there is no such group of servers"))?;
        let first = group.next.fetch_add(1, Ordering::Relaxed);
        let n_servers = group.servers.len();
        let in_turn = |skip: usize| &group.servers[first.wrapping_add(skip) % n_servers];
        let (up, down): (Vec<_>, Vec<_>) =
            (0..n_servers).map(in_turn).partition(|server| server.is_up());
        let mut error = io::Error::other("there is no server");
        for server in up.into_iter().chain(down) {
            if wish == Wish::Any
                && let Some(link) = server.take()
            {
                return Ok((Arc::clone(server), link));
            }
            match self.open(server, wish).await {
                Ok(link) => {
                    server.down_until.store(0, Ordering::Relaxed);
                    return Ok((Arc::clone(server), link));
                }
                Err(failed) => {
                    server.down_until.store(server.now() + millis(DOWN), Ordering::Relaxed);
                    error = failed;
                }
            }
        }
        Err(error)
    }

    /// Opens a connection to a server.
    async fn open(&self, server: &Server, wish: Wish) -> io::Result<Link> {
        let tls = self.tls.as_ref();
        let tls = tls.map(|tls| if wish == Wish::Change { &tls.only_h1 } else { &tls.any });
        let stream = connect(&server.address, tls, CONNECT).await?;
        if server.is_h2c || stream.protocol() == Some(b"h2") {
            let shared = Shared::open(stream).await.map_err(io::Error::other)?;
            return Ok(Link::Shared(server.shared.add(shared)));
        }
        Ok(Link::Own(Connection { stream, input: Input::default(), is_kept: false }))
    }

    /// Connects to a server that a client named; such connections are not kept.
    async fn link_to(&self, authority: &[u8]) -> io::Result<(Arc<Server>, Link)> {
        let url = format!("http://{}", String::from_utf8_lossy(authority));
        let address = Address::parse(&url, &[("http", 80, false)], "a server");
        let server = Server::new(address.map_err(io::Error::other)?, false);
        let link = self.open(&server, Wish::New).await?;
        Ok((Arc::new(server), link))
    }

    /// Checks all servers from time to time, and closes connections that were not used for long.
    pub(super) async fn check(&self) {
        loop {
            for server in self.groups.iter().flat_map(|group| &group.servers) {
                let is_well = tokio::time::timeout(CONNECT, self.is_well(server)).await;
                server.is_sick.store(!matches!(is_well, Ok(Ok(true))), Ordering::Relaxed);
                server.prune();
            }
            tokio::time::sleep(CHECK).await;
        }
    }

    async fn is_well(&self, server: &Server) -> io::Result<bool> {
        let Some(path) = &self.health else {
            return connect(&server.address, self.tls.as_ref().map(|tls| &tls.any), CONNECT)
                .await
                .map(|_| true);
        };
        let host = server.address.authority(0);
        let status = match self.open(server, Wish::New).await? {
            Link::Shared(lease) => lease.status_of(&host, path, server.address.is_tls).await,
            Link::Own(connection) => status_of(connection, &host, path).await,
        };
        Ok(status?.is_some_and(|status| status < 400))
    }
}

/// Asks a server of HTTP/1.1 for a path; returns the status.
async fn status_of(mut connection: Connection, host: &str, path: &str) -> io::Result<Option<u16>> {
    let text = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    let Connection { stream, input, .. } = &mut connection;
    stream.write_all(text.as_bytes()).await?;
    stream.flush().await?;
    let head = input.head(stream, HeadLimits::default()).await.map_err(io::Error::other)?;
    Ok(head.and_then(|head| StatusLine::parse(&head).ok().map(|line| line.status)))
}

impl Server {
    fn new(address: Address, is_h2c: bool) -> Self {
        Self {
            address,
            is_h2c,
            idle: Mutex::default(),
            shared: SharedPool::default(),
            is_sick: AtomicBool::new(false),
            down_until: AtomicU64::new(0),
            start: Instant::now(),
        }
    }

    fn is_up(&self) -> bool {
        !self.is_sick.load(Ordering::Relaxed)
            && self.down_until.load(Ordering::Relaxed) <= self.now()
    }

    fn now(&self) -> u64 {
        millis(self.start.elapsed())
    }

    /// Whether it speaks TLS.
    pub(super) fn is_tls(&self) -> bool {
        self.address.is_tls
    }

    /// Takes a place on a shared connection, or an idle connection that the server has not closed.
    fn take(&self) -> Option<Link> {
        if let Some(lease) = self.shared.take() {
            return Some(Link::Shared(lease));
        }
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((since, connection)) = idle.pop() {
            if since.elapsed() < IDLE.1 && connection.stream.is_quiet() {
                return Some(Link::Own(Connection { is_kept: true, ..connection }));
            }
        }
        None
    }

    /// Closes connections that were not used for long. Those that are used come from the end.
    fn prune(&self) {
        self.shared.prune();
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let n_old = idle.iter().take_while(|(since, _)| since.elapsed() >= IDLE.1).count();
        idle.drain(..n_old);
    }

    /// Keeps a connection.
    pub(super) fn put(&self, connection: Connection) {
        if connection.input.buffer.is_empty() {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            if idle.len() < IDLE.0 {
                idle.push((Instant::now(), connection));
            }
        }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl fmt::Display for Server {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.address.authority(0))
    }
}
