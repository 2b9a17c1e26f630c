//! Listeners: they accept connections, speak TLS and HTTP, and end without losing a request.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::{Service, service_fn};
use hyper::{Request, Response, Version};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::connection::{Peer, answer, close};
use super::keep_alive::{self, InFlight, Open, Tracked};
use super::patience::Patient;
use super::respond;
use super::server::AgentServer;

/// The largest number of connections; further ones wait.
const CONNECTIONS: u32 = 10_000;
/// The time for which a server that stops still answers on connections that are idle: agents use one that was idle for 4
/// seconds at most.
const LINGER: Duration = Duration::from_secs(5);
/// How often revocation lists are looked at, and files that killed processes left are removed.
const UPKEEP: Duration = Duration::from_secs(3600);
/// How often files are looked at.
const REFRESH: Duration = Duration::from_millis(200);

/// A socket, and what it is for.
#[derive(Debug)]
pub struct Listener {
    /// The socket.
    pub socket: TcpListener,
    /// The clients that it is for.
    pub door: Door,
}

/// The clients that a listener is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// Agents, who speak TLS.
    Tls,
    /// A proxy that speaks TLS with agents.
    Plain,
    /// Tools on this machine that ask the store; nothing else is served there, and nothing is asked of clients.
    Tools,
    /// A browser on this machine that shows the page; nothing else is served there, and nothing is asked of clients.
    Page,
}

/// Serves until `stop` is done; then requests that have begun are answered, within a time.
pub async fn serve(
    server: Arc<AgentServer>,
    listeners: Vec<Listener>,
    stop: impl Future<Output = ()>,
    drain: Duration,
) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(CONNECTIONS as usize));
    super::keeper::start(&server)?;
    super::records::start(&server)?;
    super::remote::start(&server)?;
    super::follow::start(&server)?;
    let refreshed = Arc::clone(&server);
    let refresh = tokio::spawn(async move {
        let mut last_upkeep: Option<tokio::time::Instant> = None;
        loop {
            let is_due = last_upkeep.is_none_or(|last| last.elapsed() >= UPKEEP);
            if is_due {
                last_upkeep = Some(tokio::time::Instant::now());
                let server = Arc::clone(&refreshed);
                let _ = tokio::task::spawn_blocking(move || server.keep_up()).await;
            }
            tokio::time::sleep(REFRESH).await;
            let server = Arc::clone(&refreshed);
            let _ = tokio::task::spawn_blocking(move || server.refresh()).await;
        }
    });
    let (stopping, _) = watch::channel(());
    let (ending, _) = watch::channel(());
    let accepts: Vec<_> = listeners
        .into_iter()
        .map(|listener| {
            let connections = Connections {
                server: Arc::clone(&server),
                ending: ending.subscribe(),
                door: listener.door,
            };
            let accept = Accept {
                socket: listener.socket,
                connections,
                places: Arc::clone(&places),
                stopping: stopping.subscribe(),
            };
            tokio::spawn(accept.run())
        })
        .collect();
    stop.await;
    server.stop();
    drop(stopping);
    for accept in accepts {
        let _ = accept.await;
    }
    refresh.abort();
    linger(&places).await;
    drop(ending);
    let all = places.acquire_many(CONNECTIONS);
    let drained = tokio::time::timeout(drain, async { drop(all.await) }).await;
    let _ = tokio::task::spawn_blocking(move || {
        server.drain_records(drain);
        server.drain_remote(drain);
    })
    .await;
    drained.map_err(|_| io::Error::new(io::ErrorKind::TimedOut, "requests were not done in time"))
}

/// Waits until all connections are closed, but not longer than clients use idle ones: a request that is on its way on an
/// idle connection is answered, and told that the connection ends.
async fn linger(places: &Semaphore) {
    let end = tokio::time::Instant::now() + LINGER;
    while places.available_permits() < CONNECTIONS as usize && tokio::time::Instant::now() < end {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

struct Accept {
    socket: TcpListener,
    connections: Connections,
    places: Arc<Semaphore>,
    stopping: watch::Receiver<()>,
}

/// The connections of one listener.
struct Connections {
    server: Arc<AgentServer>,
    /// Is closed when requests that have begun are the last ones.
    ending: watch::Receiver<()>,
    door: Door,
}

impl Connections {
    /// Serves a connection by a task of its own.
    fn start(&self, stream: TcpStream, address: SocketAddr, place: OwnedSemaphorePermit) {
        let _ = stream.set_nodelay(true);
        self.server.metrics.connected();
        let (server, ending) = (Arc::clone(&self.server), self.ending.clone());
        let door = self.door;
        tokio::spawn(async move {
            if door == Door::Tls {
                // In a box, so that a connection does not keep the room for its handshake.
                if let Some((stream, peer)) = Box::pin(handshake(&server, stream, address)).await {
                    let is_second = stream.get_ref().1.alpn_protocol() == Some(b"h2");
                    http(server, stream, peer, is_second, ending).await;
                }
            } else {
                let peer = Peer { door, ..Peer::plain(address) };
                http(server, stream, peer, false, ending).await;
            }
            drop(place);
        });
    }
}

impl Accept {
    async fn run(mut self) {
        loop {
            let place = Arc::clone(&self.places).acquire_owned();
            let place = tokio::select! {
                place = place => place,
                _ = self.stopping.changed() => break,
            };
            let Ok(place) = place else { break };
            let accepted = tokio::select! {
                accepted = self.socket.accept() => accepted,
                _ = self.stopping.changed() => break,
            };
            match accepted {
                Ok((stream, address)) => self.connections.start(stream, address, place),
                // Most likely out of file descriptors: wait for connections to close.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
        self.finish();
    }

    /// Takes the connections that the kernel has accepted already: closing the socket would reset them.
    fn finish(self) {
        let Ok(socket) = self.socket.into_std() else { return };
        while let Ok((stream, address)) = socket.accept() {
            let stream = stream.set_nonblocking(true).and_then(|()| TcpStream::from_std(stream));
            let place = Arc::clone(&self.places).try_acquire_owned();
            let (Ok(stream), Ok(place)) = (stream, place) else { return };
            self.connections.start(stream, address, place);
        }
    }
}

/// Serves one connection that is no socket, as the plain listener would; for tests and tools.
pub async fn converse(
    server: Arc<AgentServer>,
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    address: SocketAddr,
) {
    let (_ending, ended) = watch::channel(());
    http(server, stream, Peer::plain(address), false, ended).await;
}

/// Lets a client and the server agree on TLS; nothing if they don't.
async fn handshake(
    server: &AgentServer,
    stream: TcpStream,
    address: SocketAddr,
) -> Option<(Box<TlsStream<TcpStream>>, Peer)> {
    let live = server.tls.as_ref()?.live();
    let handshake = TlsAcceptor::from(Arc::clone(&live.config)).accept(stream);
    let stream = match tokio::time::timeout(server.patience.handshake, handshake).await {
        Ok(Ok(stream)) => Box::new(stream),
        Ok(Err(error)) => {
            server.metrics.refused();
            let address = address.ip().to_string();
            server.say("handshake", &[("client", &address), ("error", &error.to_string())]);
            return None;
        }
        Err(_) => {
            server.metrics.refused();
            return None;
        }
    };
    let session = stream.get_ref().1;
    let certificates = session.peer_certificates().unwrap_or_default();
    let certificates = certificates.iter().map(|own| own.clone().into_owned()).collect();
    let asked = session.server_name().map(str::to_owned);
    let generation = Some(live.generation);
    let peer = Peer { address, certificates, generation, asked, door: Door::Tls };
    Some((stream, peer))
}

/// Speaks HTTP on a connection, in its second version where the client chose that in the handshake.
async fn http(
    server: Arc<AgentServer>,
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    peer: Peer,
    is_second: bool,
    ending: watch::Receiver<()>,
) {
    let (peer, patience) = (Arc::new(peer), server.patience);
    if is_second {
        let service = service(server, peer, Arc::default());
        // A client of the second version answers pings, or it is gone.
        let stream = Patient::new(stream, patience.answer, Some(patience.head * 2));
        let connection = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .max_concurrent_streams(100)
            .max_header_list_size(16 << 10)
            .keep_alive_interval(patience.head)
            .keep_alive_timeout(patience.head)
            .serve_connection(TokioIo::new(stream), service);
        Box::pin(second(connection, ending)).await;
    } else {
        let handler = |in_flight| service(Arc::clone(&server), Arc::clone(&peer), in_flight);
        keep_alive::serve(stream, patience, ending, handler).await;
    }
}

/// Serves a connection of the second version until its end, or until no requests begin any more.
async fn second<T, H>(
    mut connection: http2::Connection<T, H, TokioExecutor>,
    mut ending: watch::Receiver<()>,
) where
    T: hyper::rt::Read + hyper::rt::Write + Unpin,
    H: Service<Request<Incoming>, Response = Response<Tracked<respond::Body>>, Error = Infallible>,
    H::Future: Send + 'static,
{
    // An error of one connection must not affect others.
    tokio::select! {
        _ = &mut connection => return,
        _ = ending.changed() => (),
    }
    Pin::new(&mut connection).graceful_shutdown();
    let _ = connection.await;
}

/// Returns the service that answers the requests of a connection.
fn service(
    server: Arc<AgentServer>,
    peer: Arc<Peer>,
    in_flight: Arc<InFlight>,
) -> impl Service<
    Request<Incoming>,
    Response = Response<Tracked<respond::Body>>,
    Error = Infallible,
    Future: Send,
> {
    service_fn(move |request: Request<Incoming>| {
        let (server, peer) = (Arc::clone(&server), Arc::clone(&peer));
        let in_flight = Arc::clone(&in_flight);
        let open = Open::new(&in_flight);
        async move {
            let is_first = request.version() < Version::HTTP_2;
            let is_stopping = server.is_stopping();
            let request = request.map(|body| Tracked::request(body, &in_flight));
            let mut response = answer(server, peer, request).await;
            if is_first && is_stopping {
                close(&mut response);
            }
            let response = response.map(|body| Tracked::answer(body, &in_flight));
            drop(open);
            Ok(response)
        }
    })
}
