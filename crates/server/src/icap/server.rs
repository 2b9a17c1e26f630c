//! Server of ICAP: programs of P for Squid and every other ICAP client.
//!
//! `/reqmod` decides about requests, `/respmod` about responses. A program that never looks at bodies asks for a preview
//! of 0 bytes, so that no body is sent to it. A message that stays as it is gets 204; one with another head gets 206 if
//! the client accepts that, and its body stays where it is.

use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use kukla_plang::ip::Ip;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::client::IcapMethod;
use super::encapsulated::{Encapsulated, EncapsulatedBody};
use super::server_body::SentBody;
use crate::Log;
use crate::body::{BodyError, Held};
use crate::metrics::Metrics;
use crate::services::{Decided, Exchange, Fate, FinalBody, Processor, is_hop_by_hop, reason};
use crate::wire::{
    Fields, Head, HeadLimits, Input, Malformed, RequestLine, StatusLine, WireError, chunk,
    last_chunk,
};

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

/// A message that was read, but for its body.
struct Asked {
    method: IcapMethod,
    icap: Head,
    exchange: Exchange,
    has_body: bool,
    preview: Option<u64>,
}

/// Reason why a message gets an error: its status.
struct IcapRefusal(u16);

impl From<Malformed> for IcapRefusal {
    fn from(reason: Malformed) -> Self {
        Self(if reason == Malformed::Version { 505 } else { 400 })
    }
}

impl IcapServer {
    fn processor(&self, is_response: bool) -> Option<&Processor> {
        if is_response { self.responses.as_ref() } else { self.requests.as_ref() }
    }

    fn may_ask(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        if self.proxies.is_empty() { peer.is_loopback() } else { self.proxies.contains(&peer) }
    }

    async fn connection(&self, mut stream: TcpStream, address: SocketAddr) {
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
        stream: &mut TcpStream,
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
                false => processor.decide(&live, &asked.exchange),
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

    async fn answer(
        &self,
        mut body: SentBody<'_>,
        asked: Asked,
        decided: Decided,
        istag: &str,
        held: Option<Held<'static>>,
    ) -> Result<bool, Failed> {
        let mut fields = vec![("ISTag".to_owned(), format!("\"{istag}\""))];
        if !decided.next.is_empty() {
            fields.push(("X-Next-Services".to_owned(), decided.next.join(", ")));
        }
        let (status, text) = match &decided.fate {
            Fate::Pass => {
                let is_same =
                    decided.fields.is_none() && matches!(decided.body, FinalBody::Received);
                let is_status =
                    asked.exchange.response.as_ref().is_none_or(|(own, _)| *own == decided.status);
                if is_same && is_status && decided.path.is_none() {
                    return self.unchanged(&mut body, &asked, fields, held).await;
                }
                return self.adapted(body, asked, decided, fields, held).await;
            }
            Fate::Answered(status) => {
                let FinalBody::Made(made) = decided.body else { return Err(Failed::Status(500)) };
                let head = response_head(*status, &decided.fields.unwrap_or_default(), made.size());
                return self.satisfied(&mut body, head, made, fields).await;
            }
            Fate::Deny => (403, b"denied\n".to_vec()),
            Fate::Challenge(_) => (401, b"authentication is needed\n".to_vec()),
            Fate::Respond(status, text) => (*status, text.clone()),
        };
        let mut own: Fields = vec![(b"Content-Type".to_vec(), b"text/plain".to_vec())];
        if let Fate::Challenge(scheme) = decided.fate
            && scheme.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ')
        {
            own.push((b"WWW-Authenticate".to_vec(), scheme));
        }
        let head = response_head(status, &own, Some(text.len() as u64));
        let made = Held::from_bytes(text.into(), &crate::body::Keep::default());
        self.satisfied(&mut body, head, made, fields).await
    }

    /// Answers with a response in place of the message.
    async fn satisfied(
        &self,
        body: &mut SentBody<'_>,
        head: Vec<u8>,
        mut made: Held<'static>,
        fields: Vec<(String, String)>,
    ) -> Result<bool, Failed> {
        let keeps = body.finish_preview().await?;
        let has_body = made.size() != Some(0);
        let kind = if has_body { EncapsulatedBody::Response } else { EncapsulatedBody::None };
        let parts = Encapsulated { request: None, response: Some(head.len()), body: kind };
        let mut out = start(200, &fields, Some(parts), keeps);
        out.extend_from_slice(&head);
        if has_body {
            write_body(body, &mut out, &mut made).await?;
        }
        body.stream.write_all(&out).await?;
        Ok(keeps)
    }

    /// Says that the message stays as it is, or sends it back if the client wants that.
    async fn unchanged(
        &self,
        body: &mut SentBody<'_>,
        asked: &Asked,
        fields: Vec<(String, String)>,
        held: Option<Held<'static>>,
    ) -> Result<bool, Failed> {
        let is_in_preview = asked.preview.is_some() && !body.has_continued();
        if is_in_preview || asked.icap.lists("allow", "204") {
            let keeps = body.finish_preview().await?;
            body.stream.write_all(&start(204, &fields, None, keeps)).await?;
            return Ok(keeps);
        }
        let head = match &asked.exchange.response {
            Some((status, own)) => response_head(*status, own, None),
            None => request_head(&asked.exchange, &asked.exchange.target, None),
        };
        self.echo(body, asked, head, fields, held).await
    }

    /// Sends a message with another head or body.
    async fn adapted(
        &self,
        mut body: SentBody<'_>,
        asked: Asked,
        decided: Decided,
        fields: Vec<(String, String)>,
        held: Option<Held<'static>>,
    ) -> Result<bool, Failed> {
        let size = match &decided.body {
            FinalBody::Made(made) => made.size(),
            FinalBody::Received => None,
        };
        let keeps_length = matches!(decided.body, FinalBody::Received);
        let length = if keeps_length { declared(&asked) } else { size };
        let head = match &asked.exchange.response {
            Some((_, own)) => {
                response_head(decided.status, decided.fields.as_ref().unwrap_or(own), length)
            }
            None => {
                let mut exchange = asked.exchange.clone();
                let target = decided.path.as_ref().map_or_else(
                    || asked.exchange.target.clone(),
                    |path| rewritten(&asked.exchange.target, path),
                );
                if let Some(own) = decided.fields {
                    exchange.request = own;
                }
                request_head(&exchange, &target, length)
            }
        };
        match decided.body {
            FinalBody::Received => self.echo(&mut body, &asked, head, fields, held).await,
            FinalBody::Made(mut made) => {
                let keeps = body.finish_preview().await?;
                let has_body = made.size() != Some(0);
                let mut out = start(200, &fields, Some(parts(&asked, head.len(), has_body)), keeps);
                out.extend_from_slice(&head);
                if has_body {
                    write_body(&mut body, &mut out, &mut made).await?;
                }
                body.stream.write_all(&out).await?;
                Ok(keeps)
            }
        }
    }

    /// Sends a head, and the body as it came.
    async fn echo(
        &self,
        body: &mut SentBody<'_>,
        asked: &Asked,
        head: Vec<u8>,
        fields: Vec<(String, String)>,
        held: Option<Held<'static>>,
    ) -> Result<bool, Failed> {
        let parts = parts(asked, head.len(), asked.has_body);
        let takes_part = asked.icap.lists("allow", "206") && asked.has_body;
        if takes_part {
            let keeps = body.finish_preview().await?;
            let mut out = start(206, &fields, Some(parts), keeps);
            out.extend_from_slice(&head);
            out.extend_from_slice(b"0; use-original-body=0\r\n\r\n");
            body.stream.write_all(&out).await?;
            return Ok(keeps);
        }
        let mut out = start(200, &fields, Some(parts), true);
        out.extend_from_slice(&head);
        if asked.has_body {
            if let Some(mut held) = held {
                write_body(body, &mut out, &mut held).await?;
                let end = out.len() - last_chunk().len();
                out.truncate(end);
            }
            while let Some(bytes) = body.read_next().await? {
                chunk(&mut out, &bytes);
                body.stream.write_all(&out).await?;
                out.clear();
            }
            out.extend_from_slice(last_chunk());
        }
        body.stream.write_all(&out).await?;
        Ok(true)
    }
}

/// Returns the length that the head of the message says.
fn declared(asked: &Asked) -> Option<u64> {
    let fields =
        asked.exchange.response.as_ref().map_or(&asked.exchange.request, |(_, fields)| fields);
    let mut lengths =
        fields.iter().filter(|(name, _)| name.eq_ignore_ascii_case(b"content-length"));
    lengths.next().and_then(|(_, value)| std::str::from_utf8(value).ok()?.parse().ok())
}

/// Puts another path into a target, which may be absolute.
fn rewritten(target: &[u8], path: &[u8]) -> Vec<u8> {
    match memchr::memmem::find(target, b"://") {
        Some(at) if !target.starts_with(b"/") => {
            let authority = &target[at + 3..];
            let end = memchr::memchr2(b'/', b'?', authority).unwrap_or(authority.len());
            [&target[..at + 3], &authority[..end], path].concat()
        }
        _ => path.to_vec(),
    }
}

fn parts(asked: &Asked, length: usize, has_body: bool) -> Encapsulated {
    match (asked.method, has_body) {
        (IcapMethod::Reqmod, true) => {
            Encapsulated { request: Some(length), response: None, body: EncapsulatedBody::Request }
        }
        (IcapMethod::Reqmod, false) => {
            Encapsulated { request: Some(length), ..Encapsulated::default() }
        }
        (IcapMethod::Respmod, true) => {
            Encapsulated { request: None, response: Some(length), body: EncapsulatedBody::Response }
        }
        (IcapMethod::Respmod, false) => {
            Encapsulated { response: Some(length), ..Encapsulated::default() }
        }
    }
}

/// Reason why a message gets no answer of a program.
enum Failed {
    /// An error of ICAP, and the connection ends.
    Status(u16),
    /// The connection is gone.
    Gone,
}

impl From<std::io::Error> for Failed {
    fn from(_: std::io::Error) -> Self {
        Self::Gone
    }
}

impl From<IcapRefusal> for Failed {
    fn from(refusal: IcapRefusal) -> Self {
        Self::Status(refusal.0)
    }
}

impl From<Malformed> for Failed {
    fn from(reason: Malformed) -> Self {
        IcapRefusal::from(reason).into()
    }
}

impl From<BodyError> for Failed {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::Wire(WireError::Malformed(_)) => Self::Status(400),
            BodyError::Wire(_) => Self::Gone,
            BodyError::TooLarge => Self::Status(413),
            BodyError::Spool(_) => Self::Status(500),
        }
    }
}

impl From<WireError> for Failed {
    fn from(error: WireError) -> Self {
        BodyError::Wire(error).into()
    }
}

/// Returns method and path of a message.
fn request_line(icap: &Head) -> Result<(&[u8], &[u8]), Failed> {
    let words: Vec<&[u8]> = icap.line().split(|byte| *byte == b' ').collect();
    let [method, url, b"ICAP/1.0"] = words.as_slice() else {
        let is_version = words.len() == 3 && words[2].starts_with(b"ICAP/");
        return Err(Failed::Status(if is_version { 505 } else { 400 }));
    };
    let rest = url.strip_prefix(b"icap://").or(url.strip_prefix(b"icaps://"));
    let rest = rest.ok_or(Failed::Status(400))?;
    let at = memchr::memchr(b'/', rest).ok_or(Failed::Status(404))?;
    let path = &rest[at..];
    let end = memchr::memchr(b'?', path).unwrap_or(path.len());
    Ok((method, &path[..end]))
}

/// Reads the heads of the HTTP messages inside of a message.
async fn read(
    stream: &mut TcpStream,
    input: &mut Input,
    icap: Head,
    method: IcapMethod,
) -> Result<Asked, Failed> {
    let value = icap.only("encapsulated").map_err(|_| Malformed::Encapsulated)?;
    let parts = Encapsulated::parse(value.ok_or(Malformed::Encapsulated)?)?;
    let limits = HeadLimits::default();
    let (mut request, mut response) = (None, None);
    for (length, head) in [(parts.request, &mut request), (parts.response, &mut response)] {
        if let Some(length) = length {
            *head = Some(Head::parse(input.exactly(stream, length).await?, limits)?);
        }
    }
    let has_body = match (method, parts.body) {
        (_, EncapsulatedBody::None) => false,
        (IcapMethod::Reqmod, EncapsulatedBody::Request)
        | (IcapMethod::Respmod, EncapsulatedBody::Response) => true,
        _ => return Err(Malformed::Encapsulated.into()),
    };
    let preview = match icap.only("preview").map_err(|_| Malformed::IcapField)? {
        None => None,
        Some(digits) => {
            let is_number =
                (1..=9).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
            let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
            Some(number.filter(|_| is_number).ok_or(Malformed::IcapField)?)
        }
    };
    let exchange = exchange(&icap, request.as_ref(), response.as_ref(), method)?;
    Ok(Asked { method, icap, exchange, has_body, preview: preview.filter(|_| has_body) })
}

fn exchange(
    icap: &Head,
    request: Option<&Head>,
    response: Option<&Head>,
    method: IcapMethod,
) -> Result<Exchange, Failed> {
    let mut exchange = Exchange {
        method: b"GET".to_vec(),
        target: b"/".to_vec(),
        version: "HTTP/1.1",
        scheme: "http",
        is_persistent: true,
        ..Exchange::default()
    };
    let own = |head: &Head| {
        let mut fields = head.to_fields();
        fields.retain(|(name, _)| {
            !is_hop_by_hop(name) || name.eq_ignore_ascii_case(b"content-length")
        });
        fields
    };
    match request {
        Some(head) => {
            let line = RequestLine::parse(head)?;
            line.target()?;
            (exchange.method, exchange.target) = (line.method.to_vec(), line.target.to_vec());
            exchange.version = if line.is_1_1 { "HTTP/1.1" } else { "HTTP/1.0" };
            exchange.request = own(head);
        }
        None if method == IcapMethod::Reqmod => return Err(Malformed::Encapsulated.into()),
        None => (),
    }
    if method == IcapMethod::Respmod {
        let head = response.ok_or(Malformed::Encapsulated)?;
        exchange.response = Some((StatusLine::parse(head)?.status, own(head)));
    }
    exchange.client = icap.only("x-client-ip").ok().flatten().and_then(Ip::parse);
    Ok(exchange)
}

fn plain(status: u16, connection: &str) -> Vec<u8> {
    let words = words(status);
    format!(
        "ICAP/1.0 {status} {words}\r\nConnection: {connection}\r\nEncapsulated: null-body=0\r\n\r\n"
    )
    .into_bytes()
}

fn words(status: u16) -> &'static str {
    match status {
        204 => "No Modifications Needed",
        206 => "Partial Content",
        404 => "ICAP Service not found",
        405 => "Method not allowed for service",
        other => reason(other),
    }
}

fn start(
    status: u16,
    fields: &[(String, String)],
    parts: Option<Encapsulated>,
    keeps: bool,
) -> Vec<u8> {
    let mut out = format!("ICAP/1.0 {status} {}\r\n", words(status)).into_bytes();
    for (name, value) in fields {
        out.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    if !keeps {
        out.extend_from_slice(b"Connection: close\r\n");
    }
    let parts = parts.unwrap_or_default();
    out.extend_from_slice(format!("Encapsulated: {}\r\n\r\n", parts.text()).as_bytes());
    out
}

fn response_head(status: u16, fields: &Fields, size: Option<u64>) -> Vec<u8> {
    let mut out = format!("HTTP/1.1 {status} {}\r\n", reason(status)).into_bytes();
    write_fields(&mut out, fields, size);
    out
}

fn request_head(exchange: &Exchange, target: &[u8], size: Option<u64>) -> Vec<u8> {
    let version =
        if exchange.version == "HTTP/1.0" { &b" HTTP/1.0\r\n"[..] } else { b" HTTP/1.1\r\n" };
    let mut out = [&exchange.method, &b" "[..], target, version].concat();
    write_fields(&mut out, &exchange.request, size);
    out
}

fn write_fields(out: &mut Vec<u8>, fields: &Fields, size: Option<u64>) {
    for (name, value) in fields {
        if !is_hop_by_hop(name) {
            out.extend_from_slice(&[name, &b": "[..], value, b"\r\n"].concat());
        }
    }
    if let Some(size) = size {
        out.extend_from_slice(format!("Content-Length: {size}\r\n").as_bytes());
    }
    out.extend_from_slice(b"\r\n");
}

/// Writes a body that is kept; its end is left in `out`.
async fn write_body(
    body: &mut SentBody<'_>,
    out: &mut Vec<u8>,
    made: &mut Held<'static>,
) -> Result<(), Failed> {
    let mut offset = 0;
    while let Some(bytes) = made.read(offset).await? {
        offset += bytes.len() as u64;
        chunk(out, &bytes);
        if out.len() > 64 << 10 {
            body.stream.write_all(out).await?;
            out.clear();
        }
    }
    out.extend_from_slice(last_chunk());
    Ok(())
}
