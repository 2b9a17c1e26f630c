//! Server of ICAP: programs of P for Squid and every other ICAP client.
//!
//! `/reqmod` decides about requests, `/respmod` about responses. A program that never looks at bodies asks for a preview
//! of 0 bytes, so that no body is sent to it. A message that stays as it is gets 204; one with another head gets 206 if
//! the client accepts that, and its body stays where it is.

use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::call::IcapMethod;
use super::server_body::SentBody;
use super::server_heads::plain;
use super::server_read::{Failed, read, request_line};
use crate::Log;
use crate::agents::patience::Patient;
use crate::body::Held;
use crate::metrics::Metrics;
use crate::services::Processor;
use crate::wire::{Head, HeadLimits, Input, WireError};

/// The largest number of connections; further ones wait.
const CONNECTIONS: usize = 4096;
/// The number of connections that clients are told to open.
const MAX_CONNECTIONS: usize = 1000;
/// The preview for programs that apply services.
const SERVICES_PREVIEW: u64 = 4096;

/// Configuration and state of the server.
#[derive(Debug)]
pub struct IcapServer {
    /// The program for requests.
    pub requests: Option<Processor>,
    /// The program for responses.
    pub responses: Option<Processor>,
    /// Addresses of proxies that may ask; empty: this machine only.
    pub proxies: Vec<IpAddr>,
    /// Time limits: for the head of a message and the next part of a body; between two messages.
    pub times: (Duration, Duration),
    /// Counters and log.
    pub said: Said,
}

/// The connection of a proxy that asks. One that takes no answer loses it.
pub(super) type AskingProxy = Patient<TcpStream>;

/// Counters and log of the server.
pub struct Said {
    /// Counters.
    pub metrics: Arc<Metrics>,
    /// Receiver of log lines.
    pub log: Log,
}

impl std::fmt::Debug for Said {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Said")
    }
}

/// Serves until `stop` is done.
pub async fn serve(
    server: Arc<IcapServer>,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) -> std::io::Result<()> {
    for is_response in [false, true] {
        let server = Arc::clone(&server);
        tokio::spawn(async move {
            if let Some(processor) = server.processor(is_response) {
                processor.engine.watch().await;
            }
        });
    }
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let accept = async {
        loop {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            let Ok((stream, address)) = listener.accept().await else {
                // Most likely out of file descriptors: wait for connections to close.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let _ = stream.set_nodelay(true);
            let server = Arc::clone(&server);
            tokio::spawn(async move {
                server.connection(stream, address).await;
                drop(place);
            });
        }
    };
    tokio::select! {
        () = accept => (),
        () = stop => (),
    }
    Ok(())
}

impl IcapServer {
    fn processor(&self, is_response: bool) -> Option<&Processor> {
        if is_response { self.responses.as_ref() } else { self.requests.as_ref() }
    }

    fn may_ask(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        if self.proxies.is_empty() { peer.is_loopback() } else { self.proxies.contains(&peer) }
    }

    async fn connection(&self, stream: TcpStream, address: SocketAddr) {
        let mut stream = AskingProxy::new(stream, self.times.0, None);
        let mut input = Input::default();
        if !self.may_ask(address.ip()) {
            self.said.metrics.refused();
            let _ = stream.write_all(&plain(403, "close")).await;
            return;
        }
        loop {
            let head = input.head(&mut stream, HeadLimits::default());
            let status = match tokio::time::timeout(self.times.1, head).await {
                Ok(Ok(Some(head))) => match self.message(&mut stream, &mut input, head).await {
                    Ok(true) => continue,
                    Ok(false) => return,
                    Err(Failed::Status(status)) => status,
                    Err(Failed::Gone) => return,
                },
                Ok(Err(WireError::Malformed(_))) => 400,
                _ => return,
            };
            self.said.metrics.refused();
            let _ = stream.write_all(&plain(status, "close")).await;
            return;
        }
    }

    /// Answers one message; returns whether the connection can be used for another.
    async fn message(
        &self,
        stream: &mut AskingProxy,
        input: &mut Input,
        icap: Head,
    ) -> Result<bool, Failed> {
        let (method, path) = request_line(&icap)?;
        let is_response = match path {
            b"/reqmod" => false,
            b"/respmod" => true,
            _ => return Err(Failed::Status(404)),
        };
        if method == b"OPTIONS" {
            if icap
                .only("encapsulated")
                .map_err(|_| Failed::Status(400))?
                .is_some_and(|v| v != b"null-body=0")
            {
                return Err(Failed::Status(400));
            }
            stream.write_all(&self.options(is_response)).await?;
            return Ok(true);
        }
        let method = match (method, is_response) {
            (b"REQMOD", false) => IcapMethod::Reqmod,
            (b"RESPMOD", true) => IcapMethod::Respmod,
            _ => return Err(Failed::Status(405)),
        };
        let asked = tokio::time::timeout(self.times.0, read(stream, input, icap, method)).await;
        let asked = asked.map_err(|_| Failed::Gone)??;
        let mut body = SentBody::new(stream, input, asked.preview, self.times.0);
        if !asked.has_body {
            body = body.none();
        }
        let Some(processor) = self.processor(is_response) else {
            return self.unchanged(&mut body, &asked, Vec::new(), None).await;
        };
        let live = processor.engine.rules.live();
        if !live.needs_body || !asked.has_body {
            let decided = match live.needs_body {
                true => processor.process(&live, &asked.exchange, None).await?,
                false => processor.decide(&live, &asked.exchange, (!asked.has_body).then_some(0)),
            };
            return self.answer(body, asked, decided, &live.digest, None).await;
        }
        let keep = processor.keep.clone();
        let (decided, held) = {
            let mut held = Held::new(Box::new(&mut body), None, &keep);
            let decided = processor.process(&live, &asked.exchange, Some(&mut held)).await?;
            (decided, held.into_kept())
        };
        self.answer(body, asked, decided, &live.digest, Some(held)).await
    }

    /// Returns the answer to `OPTIONS`.
    fn options(&self, is_response: bool) -> Vec<u8> {
        let method = if is_response { "RESPMOD" } else { "REQMOD" };
        let (istag, preview) = match self.processor(is_response) {
            None => ("none".to_owned(), 0),
            Some(processor) => {
                let live = processor.engine.rules.live();
                let program = &live.compiled.program;
                let least = if live.needs_body { SERVICES_PREVIEW } else { 0 };
                (live.digest.clone(), program.preview.max(least).min(1 << 20))
            }
        };
        format!(
            "ICAP/1.0 200 OK\r\nMethods: {method}\r\nService: Kukla P\r\nISTag: \"{istag}\"\r\nOptions-TTL: 60\r\n\
             Allow: 204, 206\r\nPreview: {preview}\r\nTransfer-Preview: *\r\nMax-Connections: {MAX_CONNECTIONS}\r\n\
             X-Include: X-Client-IP\r\nEncapsulated: null-body=0\r\n\r\n"
        )
        .into_bytes()
    }
}
