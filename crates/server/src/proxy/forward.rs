//! The way of a request to a server, and of the head of its response back.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};

use super::answer::{AnswerBody, Arriving};
use super::exchange::Route;
use super::upstream::{Connection, Link, Server, Wish};
use super::{Proxy, forward_h2};
use crate::body::{BodyError, BodySource, Held};
use crate::services::{Exchange, is_hop_by_hop};
use crate::wire::{
    Decoder, Fields, Framing, Head, HeadLimits, Input, Malformed, StatusLine, WireError, chunk,
    last_chunk,
};

/// The largest number of informational responses before the response itself.
const INFORMATIONAL: usize = 10;

/// The body of a request.
pub(super) enum RequestBody<'c> {
    /// There is none.
    None,
    /// It arrives, with its size if it is known.
    Arriving(Box<dyn BodySource + 'c>, Option<u64>),
    /// A program or a service has looked at it.
    Kept(Held<'c>),
}

/// Reason why there is no response.
pub(super) enum NoResponse {
    /// The server failed or sent something that is no response.
    Server(String),
    /// The server closed a connection that was kept, before it answered.
    Stale,
    /// It did not answer in time.
    Time,
    /// The client's body can't be read.
    Request(BodyError),
}

impl From<WireError> for NoResponse {
    fn from(error: WireError) -> Self {
        Self::Server(error.to_string())
    }
}

/// Calls `write` with each field of the request for a server but those of the framing: name, and value.
pub(super) fn each_field(proxy: &Proxy, exchange: &Exchange, mut write: impl FnMut(&[u8], &[u8])) {
    for (name, value) in &exchange.request {
        if !is_hop_by_hop(name) {
            write(name, value);
        }
    }
    let version = exchange.version.strip_prefix("HTTP/").unwrap_or("1.1");
    write(b"Via", [version, " ", &proxy.name].concat().as_bytes());
    // Servers all over the world need not know the clients of a forward proxy.
    if !proxy.forwards {
        if let Some(client) = exchange.client {
            write(b"X-Forwarded-For", client.to_string().as_bytes());
        }
        write(b"X-Forwarded-Proto", exchange.scheme.as_bytes());
    }
}

/// Returns the head of the request for a server of HTTP/1.1.
fn request_head(
    proxy: &Proxy,
    exchange: &Exchange,
    upgrade: Option<&[u8]>,
    body: &RequestBody<'_>,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    let mut write = |parts: &[&[u8]]| parts.iter().for_each(|part| out.extend_from_slice(part));
    write(&[&exchange.method, b" ", &exchange.target, b" HTTP/1.1\r\n"]);
    each_field(proxy, exchange, |name, value| write(&[name, b": ", value, b"\r\n"]));
    if let Some(protocol) = upgrade {
        write(&[b"Connection: upgrade\r\nUpgrade: ", protocol, b"\r\n"]);
    }
    match body.size() {
        // A server waits for no body without a length; methods that have one get a length of 0.
        Some(0) if !matches!(exchange.method.as_slice(), b"POST" | b"PUT" | b"PATCH") => (),
        Some(size) => write(&[b"Content-Length: ", size.to_string().as_bytes(), b"\r\n"]),
        None => write(&[b"Transfer-Encoding: chunked\r\n"]),
    }
    write(&[b"\r\n"]);
    out
}

impl RequestBody<'_> {
    /// Returns its size, if it is known.
    pub(super) fn size(&self) -> Option<u64> {
        match self {
            Self::None => Some(0),
            Self::Arriving(_, size) => *size,
            Self::Kept(held) => held.size(),
        }
    }

    /// Returns the part at an offset, in their order; `None`: the end.
    pub(super) async fn next(&mut self, offset: u64) -> Result<Option<Bytes>, BodyError> {
        match self {
            Self::None => Ok(None),
            Self::Arriving(source, _) => source.next().await,
            Self::Kept(held) => held.pass(offset).await,
        }
    }
}

/// A response: its head, and its body that may still arrive.
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) fields: Fields,
    /// The size of the body, if the head says it.
    pub(super) size: Option<u64>,
    pub(super) body: AnswerBody,
    /// Whether the rest of the request was not read.
    pub(super) closes: bool,
}

/// Sends the request to a server and reads the head of its response.
pub(super) async fn forward(
    proxy: &Proxy,
    exchange: &Exchange,
    route: &Route,
    upgrade: Option<&[u8]>,
    body: &mut RequestBody<'_>,
) -> Result<Response, NoResponse> {
    let is_repeatable = matches!(body, RequestBody::None)
        && matches!(exchange.method.as_slice(), b"GET" | b"HEAD" | b"OPTIONS");
    let wishes = if upgrade.is_some() { [Wish::Change; 2] } else { [Wish::Any, Wish::New] };
    let head = request_head(proxy, exchange, upgrade, body);
    for wish in wishes {
        let linked = proxy.upstreams.link(route.group.as_deref(), route.named.as_deref(), wish);
        let linked = linked.await.map_err(|error| NoResponse::Server(error.to_string()));
        let (is_kept, spoken) = match linked? {
            (server, Link::Shared(lease)) => {
                let context = (server.is_tls(), route.time);
                (lease.is_kept, forward_h2::speak(proxy, exchange, lease, body, context).await)
            }
            (server, Link::Own(mut connection)) => {
                let times = (proxy.times.body, route.time);
                let spoken =
                    speak(&mut connection, &head, upgrade, body, (&exchange.method, times)).await;
                let is_kept = connection.is_kept;
                (is_kept, spoken.map(|spoken| spoken.response(proxy, server, connection)))
            }
        };
        match spoken {
            Err(NoResponse::Stale) if is_kept && is_repeatable => (),
            spoken => return spoken,
        }
    }
    Err(NoResponse::Stale)
}

impl Spoken {
    /// Returns the response, whose body arrives on the connection.
    fn response(self, proxy: &Proxy, server: Arc<Server>, connection: Connection) -> Response {
        let Self { head, status, framing, is_sent, is_1_1 } = self;
        let keeps = is_1_1 && is_sent && !head.lists("connection", "close");
        let (fields, closes) = (cleaned(&head), !is_sent);
        let body = match framing {
            _ if status == 101 => AnswerBody::Tunnel(Box::new(connection)),
            Framing::None => {
                // The connection is free at once.
                if keeps {
                    server.put(connection);
                }
                AnswerBody::Whole(Bytes::new())
            }
            _ => AnswerBody::Arriving(Box::new(Arriving {
                connection: Some(connection),
                server,
                decoder: Decoder::new(framing),
                is_reusable: keeps && framing != Framing::UntilClose,
                time: proxy.times.body,
            })),
        };
        Response { status, fields, size: framing.size(), body, closes }
    }
}

/// Returns the fields of a response that are not the connection's own.
fn cleaned(head: &Head) -> Fields {
    let elements = head.all("connection").flat_map(|value| value.split(|byte| *byte == b','));
    let nominated: Vec<&[u8]> = elements.map(<[u8]>::trim_ascii).collect();
    let is_own = |name: &[u8]| {
        let is_length = name.eq_ignore_ascii_case(b"content-length");
        (is_hop_by_hop(name) && !is_length)
            || nominated.iter().any(|own| name.eq_ignore_ascii_case(own))
    };
    head.fields()
        .filter(|(name, _)| !is_own(name))
        .map(|(name, value)| (name.to_vec(), value.to_vec()))
        .collect()
}

/// The head of a response.
struct Spoken {
    head: Head,
    status: u16,
    framing: Framing,
    /// Whether all of the request was sent.
    is_sent: bool,
    is_1_1: bool,
}

/// Sends a request and reads the head of the response, which may come before all is sent. The time for the response
/// begins when all is sent.
async fn speak(
    connection: &mut Connection,
    head: &[u8],
    upgrade: Option<&[u8]>,
    body: &mut RequestBody<'_>,
    (method, (write_time, time)): (&[u8], (Duration, Duration)),
) -> Result<Spoken, NoResponse> {
    let Connection { stream, input, .. } = connection;
    if let RequestBody::None = body {
        let write = async { stream.write_all(head).await.is_ok() && stream.flush().await.is_ok() };
        match tokio::time::timeout(write_time, write).await {
            Ok(true) => (),
            Ok(false) => return Err(NoResponse::Stale),
            Err(_) => return Err(NoResponse::Time),
        }
        let spoken = tokio::time::timeout(time, read(input, stream, upgrade, method)).await;
        return spoken.unwrap_or(Err(NoResponse::Time));
    }
    let (mut reader, mut writer) = tokio::io::split(stream);
    let mut sending = std::pin::pin!(send(&mut writer, head, body, write_time));
    let mut reading = std::pin::pin!(read(input, &mut reader, upgrade, method));
    let mut limit = std::pin::pin!(tokio::time::sleep(time));
    let mut is_sent = false;
    loop {
        tokio::select! {
            biased;
            spoken = &mut reading => {
                return spoken.map(|spoken| Spoken { is_sent, ..spoken });
            }
            sent = &mut sending, if !is_sent => {
                sent?;
                is_sent = true;
                limit.as_mut().reset(tokio::time::Instant::now() + time);
            }
            () = &mut limit, if is_sent => return Err(NoResponse::Time),
        }
    }
}

/// Reads the head of a response; informational responses before it are dropped.
async fn read<R: AsyncRead + Unpin>(
    input: &mut Input,
    reader: &mut R,
    upgrade: Option<&[u8]>,
    method: &[u8],
) -> Result<Spoken, NoResponse> {
    let malformed = |reason: Malformed| NoResponse::Server(reason.words().to_owned());
    for n_before in 0..INFORMATIONAL {
        let head = match input.head(reader, HeadLimits::default()).await {
            Ok(Some(head)) => head,
            // A server that has begun to answer has the request, which must not be sent again.
            Ok(None) if n_before > 0 => return Err(WireError::Truncated.into()),
            Ok(None) => return Err(NoResponse::Stale),
            Err(WireError::Io(_)) if input.buffer.is_empty() && n_before == 0 => {
                return Err(NoResponse::Stale);
            }
            Err(error) => return Err(error.into()),
        };
        let line = StatusLine::parse(&head).map_err(malformed)?;
        let (status, is_1_1) = (line.status, line.is_1_1);
        let framing = Framing::of_response(&head, status, is_1_1, method).map_err(malformed)?;
        if (100..200).contains(&status) && status != 101 {
            continue;
        }
        let agreed = head.only("upgrade").ok().flatten();
        let is_agreed =
            upgrade.zip(agreed).is_some_and(|(one, other)| one.eq_ignore_ascii_case(other));
        if status == 101 && !is_agreed {
            return Err(NoResponse::Server(
                "a change of protocol that was not asked for".to_owned(),
            ));
        }
        return Ok(Spoken { head, status, framing, is_sent: true, is_1_1 });
    }
    Err(NoResponse::Server("too many informational responses".to_owned()))
}

/// Sends the head and the body of a request. An error of the connection shows when the response is read.
async fn send<W: AsyncWrite + Unpin>(
    writer: &mut W,
    head: &[u8],
    body: &mut RequestBody<'_>,
    time: Duration,
) -> Result<(), NoResponse> {
    let is_chunked = body.size().is_none();
    let mut out = head.to_vec();
    let mut offset = 0;
    loop {
        let piece = body.next(offset).await.map_err(NoResponse::Request)?;
        match &piece {
            Some(bytes) if is_chunked => chunk(&mut out, bytes),
            Some(bytes) => out.extend_from_slice(bytes),
            None if is_chunked => out.extend_from_slice(last_chunk()),
            None => (),
        }
        offset += piece.as_ref().map_or(0, |bytes| bytes.len() as u64);
        let write = async { writer.write_all(&out).await.is_ok() && writer.flush().await.is_ok() };
        match tokio::time::timeout(time, write).await {
            Ok(true) => (),
            // The server has closed: its response, if there is one, says why.
            Ok(false) => std::future::pending::<()>().await,
            Err(_) => return Err(NoResponse::Time),
        }
        if piece.is_none() {
            return Ok(());
        }
        out.clear();
    }
}
