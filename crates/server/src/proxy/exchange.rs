//! One exchange: programs decide on the request, a server answers, programs decide on the response.

use std::time::Duration;

use bytes::Bytes;

use super::Proxy;
use super::answer::{Answer, AnswerBody};
use super::forward::{NoResponse, RequestBody, Response, forward};
use super::upstream::{Link, Wish};
use super::vet::check_host;
use crate::body::{BodyError, Held};
use crate::services::{Decided, Exchange, Fate, FinalBody, mark};

/// Runs an exchange; returns the response for the client.
pub(super) async fn run(
    proxy: &Proxy,
    exchange: Exchange,
    upgrade: Option<&[u8]>,
    body: RequestBody<'_>,
) -> Answer {
    let mut traces = Vec::new();
    let mut answer = through(proxy, exchange, upgrade, body, &mut traces).await;
    let field = |trace: String| (b"X-P-Trace".to_vec(), trace.into_bytes());
    answer.fields.extend(traces.into_iter().map(field));
    answer
}

/// Runs an exchange; collects the traces that the client asked for.
async fn through(
    proxy: &Proxy,
    mut exchange: Exchange,
    upgrade: Option<&[u8]>,
    mut body: RequestBody<'_>,
    traces: &mut Vec<String>,
) -> Answer {
    let mut route = Route::new(proxy, &exchange);
    for point in [1, 2] {
        if let Some(answer) =
            decide_request(proxy, point, &mut exchange, &mut body, (&mut route, traces)).await
        {
            return answer;
        }
    }
    if exchange.host().is_none_or(|host| check_host(host).is_err()) {
        return Answer::text(502, "the rules made a request without a host\n");
    }
    if route.is_elsewhere(&exchange) {
        return Answer::text(502, "the rules changed the host of a request to a forward proxy\n");
    }
    if exchange.method == b"CONNECT" {
        return tunnel(proxy, &route).await;
    }
    let upgrade = upgrade.filter(|protocol| exchange.wishes(protocol));
    let response = match forward(proxy, &exchange, &route, upgrade, &mut body).await {
        Ok(response) => response,
        Err(NoResponse::Request(error)) => return unreadable(&error),
        Err(NoResponse::Time) => return failed(proxy, 504, "no answer in time"),
        Err(NoResponse::Stale) => return failed(proxy, 502, "the server closed the connection"),
        Err(NoResponse::Server(reason)) => return failed(proxy, 502, &reason),
    };
    decide_response(proxy, exchange, response, traces).await
}

/// The chosen servers.
pub(super) struct Route {
    pub(super) group: Option<String>,
    /// The server that the client named, of a forward proxy.
    pub(super) named: Option<Vec<u8>>,
    pub(super) time: Duration,
}

impl Route {
    fn new(proxy: &Proxy, exchange: &Exchange) -> Self {
        let named = exchange.host().filter(|_| proxy.forwards).map(<[u8]>::to_vec);
        Self { group: None, named, time: proxy.times.response }
    }

    /// Whether the request is for another host than the one that was decided on.
    fn is_elsewhere(&self, exchange: &Exchange) -> bool {
        self.named.is_some() && exchange.host() != self.named.as_deref()
    }
}

/// Connects to the server of a tunnel.
async fn tunnel(proxy: &Proxy, route: &Route) -> Answer {
    let linked =
        proxy.upstreams.link(route.group.as_deref(), route.named.as_deref(), Wish::Change).await;
    match linked {
        Ok((_, Link::Shared(_))) => failed(proxy, 502, "the server speaks HTTP/2 only"),
        Ok((_, Link::Own(connection))) => {
            let body = AnswerBody::Tunnel(Box::new(connection));
            Answer { status: 200, fields: Vec::new(), size: None, body, closes: true }
        }
        Err(error) => failed(proxy, 502, &error.to_string()),
    }
}

/// Runs the program at a point of the request; returns the answer if it does not pass.
async fn decide_request(
    proxy: &Proxy,
    point: u8,
    exchange: &mut Exchange,
    body: &mut RequestBody<'_>,
    (route, traces): (&mut Route, &mut Vec<String>),
) -> Option<Answer> {
    let Some(processor) = proxy.points[usize::from(point) - 1].as_ref() else {
        let is_open = proxy.forwards && point == 1;
        return is_open.then(|| Answer::text(403, "denied\n"));
    };
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
        processor.decide(&live, exchange, body.size())
    };
    traces.extend(decided.trace.clone());
    // A forward proxy without rules would connect every client to every server.
    let is_unasked = proxy.forwards && point == 1 && !decided.is_explicit;
    if decided.fate != Fate::Pass || is_unasked {
        return Some(refused(proxy, decided));
    }
    if let Some(fields) = decided.fields {
        exchange.request = fields;
    }
    if !decided.adapted.is_empty() {
        mark(&proxy.name, &mut exchange.request, &decided.adapted);
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

/// Returns the answer to a client whose message does not pass.
fn refused(proxy: &Proxy, decided: Decided) -> Answer {
    match decided.fate {
        Fate::Pass | Fate::Deny => Answer::text(403, "denied\n"),
        Fate::Challenge(scheme) => {
            let (status, name) = match proxy.forwards {
                true => (407, "Proxy-Authenticate"),
                false => (401, "WWW-Authenticate"),
            };
            let mut answer = Answer::text(status, "authentication is needed\n");
            if scheme.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ') {
                answer.fields.push((name.into(), scheme));
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
            let mut fields = decided.fields.unwrap_or_default();
            mark(&proxy.name, &mut fields, &decided.adapted);
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

/// Runs the programs at the points of the response.
async fn decide_response(
    proxy: &Proxy,
    mut exchange: Exchange,
    response: Response,
    traces: &mut Vec<String>,
) -> Answer {
    if response.status == 101 {
        return decide_change(proxy, exchange, response, traces).await;
    }
    let Response { mut status, mut fields, mut size, mut body, closes } = response;
    for point in [3, 4] {
        let Some(processor) = &proxy.points[usize::from(point) - 1] else { continue };
        exchange.point = Some(point);
        exchange.response = Some((status, fields));
        let live = processor.engine.rules.live();
        let decided = if live.needs_body {
            let mut held = match body {
                AnswerBody::Arriving(source) => Some(Held::new(source, size, &processor.keep)),
                AnswerBody::Streaming(source) => Some(Held::new(source, size, &processor.keep)),
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
            processor.decide(&live, &exchange, size)
        };
        traces.extend(decided.trace.clone());
        if decided.fate != Fate::Pass {
            return Answer { closes, ..refused(proxy, decided) };
        }
        let before = exchange.response.take().map(|(_, fields)| fields).unwrap_or_default();
        fields = decided.fields.unwrap_or(before);
        status = if (200..600).contains(&decided.status) { decided.status } else { status };
        if !decided.adapted.is_empty() {
            mark(&proxy.name, &mut fields, &decided.adapted);
        }
        if let FinalBody::Made(held) = decided.body {
            size = held.size();
            body = AnswerBody::Kept(Box::new(held), 0);
        }
    }
    Answer { status, fields, size, body, closes }
}

/// Runs the programs at the points of the response on a change of protocol, whose head they may edit but not replace.
async fn decide_change(
    proxy: &Proxy,
    mut exchange: Exchange,
    response: Response,
    traces: &mut Vec<String>,
) -> Answer {
    let Response { status, mut fields, body, .. } = response;
    for point in [3, 4] {
        let Some(processor) = &proxy.points[usize::from(point) - 1] else { continue };
        exchange.point = Some(point);
        exchange.response = Some((status, fields));
        let live = processor.engine.rules.live();
        let decided = match processor.process(&live, &exchange, None).await {
            Ok(decided) => decided,
            Err(error) => return failed(proxy, 502, &error.to_string()),
        };
        traces.extend(decided.trace.clone());
        if decided.fate != Fate::Pass {
            return Answer { closes: true, ..refused(proxy, decided) };
        }
        if decided.status != status || matches!(decided.body, FinalBody::Made(_)) {
            return failed(proxy, 502, "a service replaced a change of protocol");
        }
        let before = exchange.response.take().map(|(_, fields)| fields).unwrap_or_default();
        fields = decided.fields.unwrap_or(before);
    }
    Answer { status, fields, size: None, body, closes: true }
}
