//! One request: identity, policy, route, body, handler, response.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Request, Response, StatusCode};
use kukla_base::cancel::Cancel;
use rustls::pki_types::CertificateDer;

use super::exchange::{AgentRequest, Answer, Client, RouteError};
use super::identity;
use super::query::Query;
use super::respond::{Body, prepared, response, takes_gzip};
use super::routes::{Place, Route};
use super::server::AgentServer;
use super::target::{Target, not_found};

/// The largest head of a request, which is Jetty's.
const MOST_HEAD: usize = 8192;
/// The time that a client may take for one piece of a body.
const PIECE_TIME: Duration = Duration::from_secs(30);
const PUPPET_VERSION: HeaderName = HeaderName::from_static("x-puppet-version");

/// The other end of a connection.
#[derive(Debug)]
pub(super) struct Peer {
    pub(super) address: SocketAddr,
    /// Certificates of the client, its own first; empty without one.
    pub(super) certificates: Vec<CertificateDer<'static>>,
    /// The generation of TLS that verified them; none on the plain listener.
    pub(super) generation: Option<u64>,
}

/// Answers one request, and writes it to the log.
pub(super) async fn answer(
    server: Arc<AgentServer>,
    peer: Arc<Peer>,
    request: Request<Incoming>,
) -> Response<Body> {
    let start = Instant::now();
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let mut exchange = Exchange {
        server: &server,
        peer: &peer,
        certname: None,
        path: String::new(),
        route: "other",
    };
    let answer = exchange.answer(request).await.unwrap_or_else(|error| error.answer());
    let mut response = response(answer);
    let path = if exchange.path.is_empty() { uri.path() } else { exchange.path.as_str() };
    let is_plain_refusal =
        response.status() == StatusCode::BAD_REQUEST && exchange.route == "other";
    let is_puppet = path.starts_with("/puppet/") || path.starts_with("/puppet-ca/");
    if is_puppet && !is_plain_refusal {
        response.headers_mut().insert(PUPPET_VERSION, HeaderValue::from_static(server.version));
    }
    let took = start.elapsed();
    let status = response.status();
    server.metrics.answered(exchange.route, status.as_u16(), took);
    let (address, took) = (peer.address.ip().to_string(), took.as_micros().to_string());
    server.say(
        "request",
        &[
            ("client", &address),
            ("certname", exchange.certname.as_deref().unwrap_or("-")),
            ("method", method.as_str()),
            ("path", path),
            ("status", status.as_str()),
            ("bytes", &response.body().size_hint().lower().to_string()),
            ("microseconds", &took),
        ],
    );
    response
}

struct Exchange<'a> {
    server: &'a Arc<AgentServer>,
    peer: &'a Peer,
    certname: Option<String>,
    /// The decoded path; empty if it can't be decoded.
    path: String,
    route: &'static str,
}

impl Exchange<'_> {
    async fn answer(&mut self, request: Request<Incoming>) -> Result<Answer, RouteError> {
        let target = Target::read(request.uri())?;
        self.path.clone_from(&target.path);
        refuse_large_head(&request)?;
        let client = self.client(&request)?;
        self.certname = client.certname.clone();
        let found = Route::of(request.method(), &target.path);
        // As in Puppet Server, paths of Puppet's own that no route has are not decided about.
        if found.is_none() && !is_governed(&target.path) {
            return Ok(not_found(&target.path));
        }
        if let Err(rule) = self.server.policy.decide(request.method(), &target, &client) {
            return Ok(self.forbidden(&request, &target, &client, &rule));
        }
        let Some((route, path)) = found else { return Ok(not_found(&target.path)) };
        let ends_in_slash = target.path.ends_with('/');
        self.route = route.name();
        let mut query = target.query()?;
        let gzip = takes_gzip(request.headers());
        let (head, body) = request.into_parts();
        let body = read(body, self.server.most_body).await?;
        if route.takes_form && is_form(&head.headers) {
            let form = std::str::from_utf8(&body).ok().and_then(|text| Query::parse(text).ok());
            let bad = || RouteError::BadRequest("the form can't be read".to_owned());
            query.extend(form.ok_or_else(bad)?);
        }
        let request = AgentRequest {
            method: head.method,
            path,
            ends_in_slash,
            query,
            headers: head.headers,
            body,
            client,
        };
        self.run(route, request, gzip).await
    }

    /// Runs the handler of a route where it belongs.
    async fn run(
        &self,
        route: &'static Route,
        request: AgentRequest,
        gzip: bool,
    ) -> Result<Answer, RouteError> {
        let server = Arc::clone(self.server);
        let client = request.client.certname.clone();
        let client = client.unwrap_or_else(|| request.client.address.to_string());
        let work = move |cancel: &Cancel| {
            let answer = (route.handler)(&server, &request, cancel);
            Ok(prepared(answer.unwrap_or_else(|error| error.answer()), gzip))
        };
        match route.place {
            Place::Compilers => self.server.compilers.run(&client, work).await,
            Place::Workers => self.server.workers.run(&client, work).await,
            Place::Here => work(&Cancel::new()),
        }
    }

    /// Returns the client; a certificate that was revoked since the connection began is refused.
    fn client<B>(&self, request: &Request<B>) -> Result<Client, RouteError> {
        let address: IpAddr = self.peer.address.ip().to_canonical();
        let names = &self.server.names;
        let Some(generation) = self.peer.generation else {
            return match self.server.trusts_headers {
                true => identity::forwarded(request.headers(), address, names),
                false => Ok(identity::anonymous(address)),
            };
        };
        let Some(own) = self.peer.certificates.first() else {
            return Ok(identity::anonymous(address));
        };
        let live = self.server.tls.as_ref().map(super::tls::TlsKeeper::live);
        let is_valid = live.is_some_and(|live| {
            live.generation == generation || live.is_valid(&self.peer.certificates)
        });
        match is_valid {
            true => identity::certified(own, address, names),
            false => Err(RouteError::text(StatusCode::FORBIDDEN, "the certificate is not valid")),
        }
    }

    /// Returns the answer to a request that the rules deny, and logs which of them does.
    fn forbidden<B>(
        &self,
        request: &Request<B>,
        target: &Target,
        client: &Client,
        rule: &str,
    ) -> Answer {
        let certname = client.certname.as_deref().unwrap_or("-");
        let method = request.method().as_str();
        let fields = [("rule", rule), ("certname", certname), ("method", method)];
        self.server.say("denied", &[&fields[..], &[("path", target.path.as_str())]].concat());
        let method = method.to_ascii_lowercase();
        let words = format!(
            "Forbidden request: {} (method :{method}). Please see the server logs for details.",
            target.path
        );
        RouteError::Untyped(StatusCode::FORBIDDEN, words).answer()
    }
}

/// Returns whether paths of this kind are decided about even if no route has them.
fn is_governed(path: &str) -> bool {
    let prefixes = [
        "/puppet-ca/",
        "/puppet-admin-api/",
        "/status/",
        "/metrics",
        "/puppet/v3/plans",
        "/puppet/v3/compile",
    ];
    prefixes.iter().any(|prefix| path.starts_with(prefix))
}

fn refuse_large_head<B>(request: &Request<B>) -> Result<(), RouteError> {
    let field = |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len() + 4;
    let size: usize = request.headers().iter().map(field).sum();
    match size > MOST_HEAD {
        false => Ok(()),
        true => Err(RouteError::text(
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            "Request Header Fields Too Large",
        )),
    }
}

fn is_form(headers: &hyper::HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type.is_some_and(|text| text.starts_with("application/x-www-form-urlencoded"))
}

/// Reads a body of a bounded size, whose pieces must not be long in coming.
async fn read(mut body: Incoming, most: usize) -> Result<Bytes, RouteError> {
    let too_large = || RouteError::text(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large");
    if body.size_hint().lower() > most as u64 {
        return Err(too_large());
    }
    let mut all = Vec::new();
    loop {
        let piece = tokio::time::timeout(PIECE_TIME, body.frame()).await;
        let slow = |_| RouteError::text(StatusCode::REQUEST_TIMEOUT, "the body is too slow");
        let Some(frame) = piece.map_err(slow)? else { return Ok(all.into()) };
        let broken = |_| RouteError::text(StatusCode::BAD_REQUEST, "the body is broken");
        let Ok(data) = frame.map_err(broken)?.into_data() else { continue };
        if all.len() + data.len() > most {
            return Err(too_large());
        }
        all.extend_from_slice(&data);
    }
}

/// Tells the client that the connection ends.
pub(super) fn close(response: &mut Response<Body>) {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
}
