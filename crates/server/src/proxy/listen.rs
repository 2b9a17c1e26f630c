//! The listener of the proxy.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio_rustls::TlsAcceptor;

use super::vet::Peer;
use super::{Proxy, h1, h2};
use crate::forwarded::certificate::Identity;

/// The largest number of connections; further ones wait.
const CONNECTIONS: usize = 20_000;
/// The time for exchanges to end after the proxy was stopped.
const DRAIN: Duration = Duration::from_secs(10);
/// How often files of certificates are looked at.
const REFRESH: Duration = Duration::from_secs(1);

/// Serves until `stop` is done; then exchanges that have begun are finished.
pub async fn serve(
    proxy: Arc<Proxy>,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) -> std::io::Result<()> {
    let beside = watch_files(&proxy);
    let (stopping, stopped) = watch::channel(false);
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let accept = async {
        loop {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            let (stream, address) = match listener.accept().await {
                Ok(accepted) => accepted,
                Err(_) => {
                    // Most likely out of file descriptors: wait for connections to close.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            };
            let _ = stream.set_nodelay(true);
            let (proxy, stopped) = (Arc::clone(&proxy), stopped.clone());
            tokio::spawn(async move {
                connection(proxy, stream, address, stopped).await;
                drop(place);
            });
        }
    };
    tokio::select! {
        () = accept => (),
        () = stop => (),
    }
    let _ = stopping.send(true);
    let all = u32::try_from(CONNECTIONS).unwrap_or(u32::MAX);
    let _ = tokio::time::timeout(DRAIN, places.acquire_many(all)).await;
    beside.iter().for_each(tokio::task::JoinHandle::abort);
    Ok(())
}

/// Starts the tasks that follow files, and the one that checks servers.
fn watch_files(proxy: &Arc<Proxy>) -> Vec<tokio::task::JoinHandle<()>> {
    let mut tasks = Vec::new();
    for index in 0..proxy.points.len() {
        let proxy = Arc::clone(proxy);
        tasks.push(tokio::spawn(async move {
            if let Some(processor) = &proxy.points[index] {
                processor.engine.watch().await;
            }
        }));
    }
    let checked = Arc::clone(proxy);
    tasks.push(tokio::spawn(async move { checked.upstreams.check().await }));
    let followed = Arc::clone(proxy);
    tasks.push(tokio::spawn(async move {
        loop {
            tokio::time::sleep(REFRESH).await;
            let proxy = Arc::clone(&followed);
            let refreshed = tokio::task::spawn_blocking(move || {
                proxy.tls.as_ref().and_then(crate::agents::tls::TlsKeeper::refresh)
            });
            if let Ok(Some(Err(error))) = refreshed.await {
                let event = serde_json::json!({ "event": "tls", "error": error.to_string() });
                (followed.log)(&event.to_string());
            }
        }
    }));
    tasks
}

async fn connection(
    proxy: Arc<Proxy>,
    stream: TcpStream,
    address: SocketAddr,
    stopped: watch::Receiver<bool>,
) {
    let Some(keeper) = &proxy.tls else {
        let peer = Peer { address: address.ip(), identity: None, is_tls: false };
        return h1::serve(&proxy, stream, &peer, stopped).await;
    };
    let handshake = TlsAcceptor::from(Arc::clone(&keeper.live().config)).accept(stream);
    let stream = match tokio::time::timeout(proxy.times.head, handshake).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return proxy.refused(address.ip(), &format!("no handshake: {error}")),
        Err(_) => return proxy.refused(address.ip(), "no handshake in time"),
    };
    let session = stream.get_ref().1;
    let is_h2 = session.alpn_protocol() == Some(b"h2");
    let identity = match session.peer_certificates().and_then(<[_]>::first) {
        None => None,
        Some(certificate) => match Identity::from_der(certificate) {
            Ok(identity) => Some(identity),
            Err(error) => return proxy.refused(address.ip(), &format!("the certificate: {error}")),
        },
    };
    let peer = Peer { address: address.ip(), identity, is_tls: true };
    match is_h2 {
        true => h2::serve(Arc::clone(&proxy), stream, Arc::new(peer), stopped).await,
        false => h1::serve(&proxy, stream, &peer, stopped).await,
    }
}
