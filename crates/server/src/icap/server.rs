//! Server of ICAP: programs of P for Squid and every other ICAP client.
//!
//! `/reqmod` decides about requests, `/respmod` about responses. A program that never looks at bodies asks for a preview
//! of 0 bytes, so that no body is sent to it. A message that stays as it is gets 204; one with another head gets 206 if
//! the client accepts that, and its body stays where it is.

use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};

use super::call::IcapMethod;
use super::server_body::SentBody;
use super::server_heads::{IcapFields, plain};
use super::server_read::{Failed, read, request_line};
use crate::Log;
use crate::agents::patience::Patient;
use crate::body::Held;
use crate::deadline::Deadline;
use crate::metrics::Metrics;
use crate::services::{Bypass, Exchange, Processor, system};
use crate::threads::{self, Connected, DoorBounds, Seat};
use crate::wire::{Head, HeadLimits, Input, Malformed, WireError};

/// The bounds of the server.
const BOUNDS: DoorBounds = DoorBounds { connections: 4096, drain: Duration::from_secs(10) };
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
    /// Its name in `OPES-System`.
    pub name: String,
    /// Whether clients may bypass services by `OPES-Bypass`.
    pub allows_bypass: bool,
    /// Whether clients may ask by `X-P-Trace` which rules and services touched a message.
    pub allows_trace: bool,
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

impl Said {
    fn refused(&self, client: IpAddr, reason: &str) {
        self.metrics.refuse(&self.log, client, reason);
    }
}

/// Serves until `stop` is done; then messages that have begun are answered.
pub async fn serve(
    server: Arc<IcapServer>,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) -> std::io::Result<()> {
    let watch = |is_response| {
        let server = Arc::clone(&server);
        tokio::spawn(async move {
            if let Some(processor) = server.processor(is_response) {
                processor.engine.watch().await;
            }
        })
    };
    let watches = [false, true].map(watch);
    let connection = move |open, seat| {
        let server = Arc::clone(&server);
        async move { server.connection(open, seat).await }
    };
    let served = threads::serve(listener, BOUNDS, stop, connection).await;
    watches.iter().for_each(tokio::task::JoinHandle::abort);
    served
}

impl IcapServer {
    fn processor(&self, is_response: bool) -> Option<&Processor> {
        if is_response { self.responses.as_ref() } else { self.requests.as_ref() }
    }

    fn may_ask(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        if self.proxies.is_empty() { peer.is_loopback() } else { self.proxies.contains(&peer) }
    }

    async fn connection(
        &self,
        open: Connected<TcpStream>,
        mut seat: Seat,
    ) -> Option<Connected<TcpStream>> {
        let Connected { stream, address, mut input } = open;
        let mut stream = AskingProxy::new(stream, self.times.0, None);
        let mut deadline = Deadline::default();
        if !self.may_ask(address.ip()) {
            self.said.refused(address.ip(), "this address may not ask");
            let _ = stream.write_all(&plain(403, "close")).await;
            return None;
        }
        loop {
            if seat.must_move() {
                return Some(Connected { stream: stream.into_inner(), address, input });
            }
            let head = input.head(&mut stream, HeadLimits::default());
            let head = tokio::select! {
                biased;
                head = deadline.bound(self.times.1, head) => head,
                () = seat.stopped() => return None,
            };
            let (status, reason) = match head {
                Ok(Ok(Some(head))) => {
                    match self.message(&mut stream, &mut input, &mut deadline, head).await {
                        Ok(true) if !seat.is_stopped() => continue,
                        Ok(_) | Err(Failed::Gone) => return None,
                        Err(Failed::Status(status, reason)) => (status, reason),
                    }
                }
                Ok(Err(WireError::Malformed(reason))) => (400, reason.words()),
                _ => return None,
            };
            self.said.refused(address.ip(), reason);
            let _ = stream.write_all(&plain(status, "close")).await;
            return None;
        }
    }

    /// Answers one message; returns whether the connection can be used for another.
    async fn message(
        &self,
        stream: &mut AskingProxy,
        input: &mut Input,
        deadline: &mut Deadline,
        icap: Head,
    ) -> Result<bool, Failed> {
        let (method, path) = request_line(&icap)?;
        let is_response = match path {
            b"/reqmod" => false,
            b"/respmod" => true,
            _ => return Err(Failed::Status(404, "there is no such service")),
        };
        if method == b"OPTIONS" {
            let parts = icap.only("encapsulated").map_err(|_| Malformed::Encapsulated)?;
            if parts.is_some_and(|parts| parts != b"null-body=0") {
                return Err(Malformed::Encapsulated.into());
            }
            stream.write_all(&self.options(is_response)).await?;
            return Ok(true);
        }
        let method = match (method, is_response) {
            (b"REQMOD", false) => IcapMethod::Reqmod,
            (b"RESPMOD", true) => IcapMethod::Respmod,
            _ => return Err(Failed::Status(405, "the service has no such method")),
        };
        let asked = deadline.bound(self.times.0, read(stream, input, icap, method)).await;
        let mut asked = asked.map_err(|_| Failed::Gone)??;
        asked.heads.traces = self.allows_trace && asked.heads.asks_for("x-p-trace");
        let mut body = SentBody::new(stream, input, asked.preview, self.times.0);
        if !asked.has_body {
            body = body.none();
        }
        let Some(processor) = self.processor(is_response) else {
            return self.unchanged(&mut body, &asked, &IcapFields::default(), None).await;
        };
        let live = processor.engine.rules.live();
        if !live.needs_body {
            let size = (!asked.has_body).then_some(0);
            let decided = processor.decide(&live, &asked.heads, size);
            return self.answer(body, asked, decided, &live.digest, None).await;
        }
        let bypassing = self.allows_bypass.then(|| self.bypassing(asked.exchange()));
        let exchange = bypassing.as_ref().unwrap_or_else(|| asked.exchange());
        if !asked.has_body {
            let decided = processor.process(&live, exchange, None).await?;
            return self.answer(body, asked, decided, &live.digest, None).await;
        }
        let keep = processor.keep.clone();
        let (decided, held) = {
            let mut held = Held::new(Box::new(&mut body), None, &keep);
            let decided = processor.process(&live, exchange, Some(&mut held)).await?;
            (decided, held.into_kept())
        };
        self.answer(body, asked, decided, &live.digest, Some(held)).await
    }

    /// Returns the message with the services that the client wants to bypass.
    fn bypassing(&self, exchange: &Exchange) -> Exchange {
        let bypass = Bypass::of(&exchange.request, &system(&self.name));
        Exchange { bypass, ..exchange.clone() }
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
