//! One exchange: programs decide on the request, a server answers, programs decide on the response.

use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};

use super::Proxy;
use super::answer::{Answer, AnswerBody, Arriving, ArrivingSource};
use super::upstream::Connection;
use super::vet::check_host;
use crate::body::{BodyError, BodySource, Held};
use crate::services::{Decided, Exchange, Fate, FinalBody, is_hop_by_hop};
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
enum NoResponse {
    /// The server failed or sent something that is no response.
    Server(String),
    /// The server closed a connection that was kept, before it answered.
    Stale,
    /// It did not answer in time.
    Time,
    /// The client's body can't be read.
    Request(BodyError),
}

/// Runs an exchange; returns the response for the client.
pub(super) async fn run(
    proxy: &Proxy,
    mut exchange: Exchange,
    upgrade: Option<&[u8]>,
    mut body: RequestBody<'_>,
) -> Answer {
    let mut route = Route { group: None, time: proxy.times.response };
    for point in [1, 2] {
        if let Some(answer) =
            decide_request(proxy, point, &mut exchange, &mut body, &mut route).await
        {
            return answer;
        }
    }
    let mut hosts = exchange.request.iter().filter(|(name, _)| name.eq_ignore_ascii_case(b"host"));
    let is_host =
        hosts.next().is_some_and(|(_, host)| check_host(host).is_ok()) && hosts.next().is_none();
    if !is_host {
        return Answer::text(502, "the rules made a request without a host\n");
    }
    let head = request_head(proxy, &exchange, upgrade, &body);
    let response = match forward(proxy, &exchange, &route, &head, upgrade, &mut body).await {
        Ok(response) => response,
        Err(NoResponse::Request(error)) => return unreadable(&error),
        Err(NoResponse::Time) => return failed(proxy, 504, "no answer in time"),
        Err(NoResponse::Stale) => return failed(proxy, 502, "the server closed the connection"),
        Err(NoResponse::Server(reason)) => return failed(proxy, 502, &reason),
    };
    decide_response(proxy, exchange, response).await
}

/// The chosen servers.
struct Route {
    group: Option<String>,
    time: Duration,
}

/// Runs the program at a point of the request; returns the answer if it does not pass.
async fn decide_request(
    proxy: &Proxy,
    point: u8,
    exchange: &mut Exchange,
    body: &mut RequestBody<'_>,
    route: &mut Route,
) -> Option<Answer> {
    let processor = proxy.points[usize::from(point) - 1].as_ref()?;
    exchange.point = Some(point);
    let live = processor.engine.rules.live();
    let decided = if live.needs_body {
        if let RequestBody::Arriving(..) = body
            && let RequestBody::Arriving(source, size) = std::mem::replace(body, RequestBody::None)
        {
            *body = RequestBody::Kept(Held::new(source, size, &processor.keep));
        }
        let held = if let RequestBody::Kept(held) = body { Some(held) } else { None };
        match processor.process(&live, exchange, held).await {
            Ok(decided) => decided,
            Err(error) => return Some(unreadable(&error)),
        }
    } else {
        processor.decide(&live, exchange)
    };
    if decided.fate != Fate::Pass {
        return Some(refused(decided));
    }
    if let Some(fields) = decided.fields {
        exchange.request = fields;
    }
    if !decided.applied.is_empty() {
        trace(proxy, &mut exchange.request, &decided.applied);
    }
    if let Some(path) = decided.path {
        exchange.target = path;
    }
    if let Some(pool) = decided.pool {
        route.group = Some(pool);
    }
    if let Some(time) = decided.timeout {
        route.time = Duration::from_millis(time);
    }
    if let FinalBody::Made(held) = decided.body {
        *body = RequestBody::Kept(held);
    }
    None
}

/// Says which services adapted a message (RFC 3897, RFC 4236).
fn trace(proxy: &Proxy, fields: &mut Fields, applied: &[String]) {
    let mut uris: Vec<&str> = Vec::new();
    applied.iter().filter(|uri| uri.is_ascii()).for_each(|uri| {
        if !uris.contains(&uri.as_str()) {
            uris.push(uri);
        }
    });
    fields.push((b"OPES-System".to_vec(), format!("http://{}/", proxy.name).into_bytes()));
    fields.push((b"OPES-Via".to_vec(), uris.join(", ").into_bytes()));
}

/// Returns the answer to a client whose message does not pass.
fn refused(decided: Decided) -> Answer {
    match decided.fate {
        Fate::Pass | Fate::Deny => Answer::text(403, "denied\n"),
        Fate::Challenge(scheme) => {
            let mut answer = Answer::text(401, "authentication is needed\n");
            if scheme.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ') {
                answer.fields.push((b"WWW-Authenticate".to_vec(), scheme));
            }
            answer
        }
        Fate::Respond(status, text) => {
            let size = Some(text.len() as u64);
            Answer { size, body: AnswerBody::Whole(text.into()), ..Answer::text(status, "") }
        }
        Fate::Answered(status) => {
            let body = match decided.body {
                FinalBody::Made(held) => held,
                FinalBody::Received => return Answer::text(502, "a service made no answer\n"),
            };
            let size = body.size();
            let fields = decided.fields.unwrap_or_default();
            Answer {
                status,
                fields,
                size,
                body: AnswerBody::Kept(Box::new(body), 0),
                closes: false,
            }
        }
    }
}

fn unreadable(error: &BodyError) -> Answer {
    let status = match error {
        BodyError::TooLarge => 413,
        BodyError::Wire(_) => 400,
        BodyError::Spool(_) => 503,
    };
    Answer { closes: true, ..Answer::text(status, "the body can't be read\n") }
}

fn failed(proxy: &Proxy, status: u16, reason: &str) -> Answer {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    if proxy.metrics.may_report(now.unwrap_or_default().as_secs()) {
        let event = serde_json::json!({ "event": "upstream", "status": status, "error": reason });
        (proxy.log)(&event.to_string());
    }
    Answer::text(
        status,
        if status == 504 { "the server did not answer in time\n" } else { "the server failed\n" },
    )
}

/// Returns the head of the request for the server.
fn request_head(
    proxy: &Proxy,
    exchange: &Exchange,
    upgrade: Option<&[u8]>,
    body: &RequestBody<'_>,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    let mut write = |parts: &[&[u8]]| parts.iter().for_each(|part| out.extend_from_slice(part));
    write(&[&exchange.method, b" ", &exchange.target, b" HTTP/1.1\r\n"]);
    for (name, value) in &exchange.request {
        if !is_hop_by_hop(name) {
            write(&[name, b": ", value, b"\r\n"]);
        }
    }
    let version: &[u8] = exchange.version.strip_prefix("HTTP/").unwrap_or("1.1").as_bytes();
    write(&[b"Via: ", version, b" ", proxy.name.as_bytes(), b"\r\n"]);
    if let Some(client) = exchange.client {
        write(&[b"X-Forwarded-For: ", client.to_string().as_bytes(), b"\r\n"]);
    }
    write(&[b"X-Forwarded-Proto: ", exchange.scheme.as_bytes(), b"\r\n"]);
    if let Some(protocol) = upgrade {
        write(&[b"Connection: upgrade\r\nUpgrade: ", protocol, b"\r\n"]);
    }
    match size(body) {
        // A server waits for no body without a length; methods that have one get a length of 0.
        Some(0) if !matches!(exchange.method.as_slice(), b"POST" | b"PUT" | b"PATCH") => (),
        Some(size) => write(&[b"Content-Length: ", size.to_string().as_bytes(), b"\r\n"]),
        None => write(&[b"Transfer-Encoding: chunked\r\n"]),
    }
    write(&[b"\r\n"]);
    out
}

fn size(body: &RequestBody<'_>) -> Option<u64> {
    match body {
        RequestBody::None => Some(0),
        RequestBody::Arriving(_, size) => *size,
        RequestBody::Kept(held) => held.size(),
    }
}

/// The head of a response, and the connection on which its body arrives.
struct Response {
    status: u16,
    fields: Fields,
    framing: Framing,
    arriving: Arriving,
    closes: bool,
}

/// Sends the request to a server and reads the head of its response.
async fn forward(
    proxy: &Proxy,
    exchange: &Exchange,
    route: &Route,
    head: &[u8],
    upgrade: Option<&[u8]>,
    body: &mut RequestBody<'_>,
) -> Result<Response, NoResponse> {
    let is_repeatable = matches!(body, RequestBody::None)
        && matches!(exchange.method.as_slice(), b"GET" | b"HEAD" | b"OPTIONS");
    let may_reuse = [upgrade.is_none(), false];
    let mut last = NoResponse::Stale;
    for may_reuse in may_reuse {
        let connected = proxy.upstreams.connect(route.group.as_deref(), may_reuse).await;
        let (server, mut connection) =
            connected.map_err(|error| NoResponse::Server(error.to_string()))?;
        let is_kept = connection.is_kept;
        let speak = speak(&mut connection, head, upgrade, body, &exchange.method);
        let spoken = tokio::time::timeout(route.time, speak).await.unwrap_or(Err(NoResponse::Time));
        match spoken {
            Err(NoResponse::Stale) if is_kept && is_repeatable => last = NoResponse::Stale,
            Err(error) => return Err(error),
            Ok(Spoken { head, status, framing, is_sent, is_1_1 }) => {
                let keeps = is_1_1 && is_sent && !head.lists("connection", "close");
                let arriving = Arriving {
                    connection: Some(connection),
                    server,
                    decoder: Decoder::new(framing),
                    is_reusable: keeps && framing != Framing::UntilClose && status != 101,
                    time: proxy.times.body,
                };
                return Ok(Response {
                    status,
                    fields: cleaned(&head),
                    framing,
                    arriving,
                    closes: !is_sent,
                });
            }
        }
    }
    Err(last)
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

/// Sends a request and reads the head of the response, which may come before all is sent.
async fn speak(
    connection: &mut Connection,
    head: &[u8],
    upgrade: Option<&[u8]>,
    body: &mut RequestBody<'_>,
    method: &[u8],
) -> Result<Spoken, NoResponse> {
    let Connection { stream, input, .. } = connection;
    if let RequestBody::None = body {
        let is_sent = stream.write_all(head).await.is_ok() && stream.flush().await.is_ok();
        return if is_sent {
            read(input, stream, upgrade, method).await
        } else {
            Err(NoResponse::Stale)
        };
    }
    let (mut reader, mut writer) = tokio::io::split(stream);
    let mut sending = std::pin::pin!(send(&mut writer, head, body));
    let mut reading = std::pin::pin!(read(input, &mut reader, upgrade, method));
    let mut is_sent = false;
    loop {
        tokio::select! {
            biased;
            spoken = &mut reading => {
                return spoken.map(|spoken| Spoken { is_sent, ..spoken });
            }
            sent = &mut sending, if !is_sent => {
                sent.map_err(NoResponse::Request)?;
                is_sent = true;
            }
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
    for _ in 0..INFORMATIONAL {
        let head = match input.head(reader, HeadLimits::default()).await {
            Ok(Some(head)) => head,
            Ok(None) => return Err(NoResponse::Stale),
            Err(WireError::Io(_)) if input.buffer.is_empty() => return Err(NoResponse::Stale),
            Err(error) => return Err(NoResponse::Server(error.to_string())),
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
) -> Result<(), BodyError> {
    let is_chunked = size(body).is_none();
    let mut out = head.to_vec();
    let mut offset = 0;
    loop {
        let piece = match body {
            RequestBody::None => None,
            RequestBody::Arriving(source, _) => source.next().await?,
            RequestBody::Kept(held) => held.pass(offset).await?,
        };
        match &piece {
            Some(bytes) if is_chunked => chunk(&mut out, bytes),
            Some(bytes) => out.extend_from_slice(bytes),
            None if is_chunked => out.extend_from_slice(last_chunk()),
            None => (),
        }
        offset += piece.as_ref().map_or(0, |bytes| bytes.len() as u64);
        if writer.write_all(&out).await.is_err() || writer.flush().await.is_err() {
            // The server has closed: its response, if there is one, says why.
            std::future::pending::<()>().await;
        }
        if piece.is_none() {
            return Ok(());
        }
        out.clear();
    }
}

/// Runs the programs at the points of the response.
async fn decide_response(proxy: &Proxy, mut exchange: Exchange, response: Response) -> Answer {
    let Response { mut status, mut fields, framing, mut arriving, closes } = response;
    if status == 101 {
        let Some(connection) = arriving.connection.take() else {
            return failed(proxy, 502, "no connection");
        };
        let body = AnswerBody::Tunnel(Box::new(connection));
        return Answer { status, fields, size: None, body, closes: true };
    }
    let mut size = framing.size();
    let mut body = match framing {
        Framing::None => {
            // The connection is free at once.
            if let (Some(connection), true) = (arriving.connection.take(), arriving.is_reusable) {
                arriving.server.put(connection);
            }
            AnswerBody::Whole(Bytes::new())
        }
        _ => AnswerBody::Arriving(Box::new(arriving)),
    };
    for point in [3, 4] {
        let Some(processor) = &proxy.points[usize::from(point) - 1] else { continue };
        exchange.point = Some(point);
        exchange.response = Some((status, fields));
        let live = processor.engine.rules.live();
        let decided = if live.needs_body {
            let mut held = match body {
                AnswerBody::Arriving(arriving) => {
                    Some(Held::new(Box::new(ArrivingSource(*arriving)), size, &processor.keep))
                }
                AnswerBody::Kept(held, _) => Some(*held),
                AnswerBody::Whole(_) | AnswerBody::Tunnel(_) => None,
            };
            let decided = processor.process(&live, &exchange, held.as_mut()).await;
            size = held.as_ref().map_or(Some(0), |held| held.size());
            body = match held {
                Some(held) => AnswerBody::Kept(Box::new(held), 0),
                None => AnswerBody::Whole(Bytes::new()),
            };
            match decided {
                Ok(decided) => decided,
                Err(error) => return failed(proxy, 502, &error.to_string()),
            }
        } else {
            processor.decide(&live, &exchange)
        };
        if decided.fate != Fate::Pass {
            return Answer { closes, ..refused(decided) };
        }
        let before = exchange.response.take().map(|(_, fields)| fields).unwrap_or_default();
        fields = decided.fields.unwrap_or(before);
        status = if (200..600).contains(&decided.status) { decided.status } else { status };
        if !decided.applied.is_empty() {
            trace(proxy, &mut fields, &decided.applied);
        }
        if let FinalBody::Made(held) = decided.body {
            size = held.size();
            body = AnswerBody::Kept(Box::new(held), 0);
        }
    }
    Answer { status, fields, size, body, closes }
}
