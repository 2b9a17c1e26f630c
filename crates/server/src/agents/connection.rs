//! One request: identity, policy, route, body, handler, response.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use hyper::body::{Body as _, Incoming};
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode, Uri, Version};
use kukla_base::cancel::Cancel;
use rustls::pki_types::CertificateDer;

use super::access_log::AccessEntry;
use super::bodies::drain;
use super::brought::{self, Brings};
use super::exchange::{AgentRequest, Answer, Client, Early, RouteError};
use super::groups::{Group, HandedOn};
use super::guard;
use super::identity;
use super::keep_alive::Tracked;
use super::listener::Door;
use super::page;
use super::pdb;
use super::policy::Denial;
use super::query::Query;
use super::respond::{Body, prepared, response, takes_gzip};
use super::routes::{Place, Route};
use super::server::AgentServer;
use super::site_rules::{Known, RequestHead};
use super::target::{Target, not_found};

/// The words for a client whose certificate has expired, was revoked, or is that of a proxy.
const INVALID: &str = "the certificate is not valid";

const PUPPET_VERSION: HeaderName = HeaderName::from_static("x-puppet-version");

/// The other end of a connection.
#[derive(Debug)]
pub(super) struct Peer {
    pub(super) address: SocketAddr,
    /// Certificates of the client, its own first; empty without one.
    pub(super) certificates: Vec<CertificateDer<'static>>,
    /// The generation of TLS that verified them; none on the plain listener.
    pub(super) generation: Option<u64>,
    /// The name of the server that the client asked for in the handshake.
    pub(super) asked: Option<String>,
    /// The listener: those for tools and for the page have few routes.
    pub(super) door: Door,
}

impl Peer {
    /// Returns the other end of a connection without TLS.
    pub(super) fn plain(address: SocketAddr) -> Self {
        let certificates = Vec::new();
        Self { address, certificates, generation: None, asked: None, door: Door::Plain }
    }
}

/// Answers one request, and writes it to the log.
pub(super) async fn answer(
    server: Arc<AgentServer>,
    peer: Arc<Peer>,
    request: Request<Tracked<Incoming>>,
) -> Response<Body> {
    let start = Instant::now();
    let (method, uri, version) =
        (request.method().clone(), request.uri().clone(), request.version());
    let entry = server.access_log.as_ref().map(|_| AccessEntry::of(&request));
    let mut exchange = Exchange {
        server: &server,
        peer: &peer,
        certname: None,
        path: String::new(),
        route: "other",
    };
    let (head, body) = request.into_parts();
    let mut body = Some(body);
    let answer = exchange.answer(Request::from_parts(head, ()), &mut body).await;
    if let Some(body) = body.filter(|body| !body.is_end_stream()) {
        drain(body);
    }
    let answer = answer.unwrap_or_else(|error| error.answer());
    let remark = answer.remark;
    let mut response = response(answer);
    let path = if exchange.path.is_empty() { uri.path() } else { exchange.path.as_str() };
    let is_plain_refusal =
        response.status() == StatusCode::BAD_REQUEST && exchange.route == "other";
    if is_plain_refusal && version < Version::HTTP_2 {
        // The client and the server may not agree where the next request begins.
        close(&mut response);
    }
    let is_puppet = path.starts_with("/puppet/") || path.starts_with("/puppet-ca/");
    if is_puppet && !is_plain_refusal {
        response.headers_mut().insert(PUPPET_VERSION, HeaderValue::from_static(server.version));
    }
    let took = start.elapsed();
    let status = response.status();
    server.metrics.answered(exchange.route, status.as_u16(), took);
    server.activity.answered(exchange.route, took);
    let n_bytes = response.body().size_hint().lower();
    if let (Some(log), Some(entry)) = (&server.access_log, entry) {
        let address = peer.address.ip().to_canonical();
        log.write(&entry, address, exchange.certname.as_deref(), status.as_u16(), n_bytes, took);
    }
    let (address, took) = (peer.address.ip().to_string(), took.as_micros().to_string());
    let n_bytes = n_bytes.to_string();
    let fields = [
        ("client", &*address),
        ("certname", exchange.certname.as_deref().unwrap_or("-")),
        ("method", method.as_str()),
        ("path", path),
        ("status", status.as_str()),
        ("bytes", &n_bytes),
        ("microseconds", &took),
        ("remark", remark.unwrap_or_default()),
    ];
    let n_fields = fields.len() - usize::from(remark.is_none());
    server.say("request", &fields[..n_fields]);
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
    /// Answers a request, whose body is taken only if it is needed.
    async fn answer(
        &mut self,
        request: Request<()>,
        body: &mut Option<Tracked<Incoming>>,
    ) -> Result<Answer, RouteError> {
        let target = Target::read(request.uri())?;
        self.path.clone_from(&target.path);
        guard::check(&request, self.peer.asked.as_deref())?;
        let client = match self.client(&request) {
            Ok(client) => client,
            Err(error) => return Err(self.unidentified(request.method(), &target, error)),
        };
        self.certname = client.certname.clone();
        let found = Route::of(request.method(), &target.path);
        if self.peer.door == Door::Page && target.path == "/" {
            page::refuse_others(&request)?;
            return Ok(page::start());
        }
        let is_open = self.opens(&request, &target)?;
        if is_open == Some(false) {
            return Ok(not_found(&target.path));
        }
        // As in Puppet Server, paths of Puppet's own that no route has are not decided about.
        if found.is_none() && !is_governed(&target.path) {
            return Ok(not_found(&target.path));
        }
        // Where the rules ask for data that a request brings, it is decided about with its body.
        let is_decided = is_open.is_none();
        let rules = self.server.rules.as_ref().filter(|_| is_decided);
        let brings = found.as_ref().map_or(Brings::Nothing, |(route, _)| route.brings);
        let is_late =
            client.certname.is_some() && rules.is_some_and(|rules| brings.any_of(rules.wants()));
        let mut group = None;
        if is_decided && !is_late {
            match self.decide(&request, &target, &client) {
                Ok(chosen) => group = chosen,
                Err(denial) => {
                    return Ok(self.forbidden(request.method(), &target, &client, &denial));
                }
            }
        }
        let Some((route, path)) = found else { return Ok(not_found(&target.path)) };
        let ends_in_slash = target.path.ends_with('/');
        self.route = route.name();
        let mut query = target.query()?;
        let gzip = takes_gzip(request.headers());
        let (uri, version) = (request.uri().clone(), request.version());
        let (head, ()) = request.into_parts();
        let name = client.certname.clone().unwrap_or_else(|| client.address.to_string());
        // The reservation is held until the answer is made.
        let (body, _reserved) =
            self.server.bodies.read(body.take(), &name, route.takes_large_body).await?;
        if route.takes_form && is_form(&head.headers) {
            extend(&mut query, read_form(&body)?, rules.is_some())?;
        }
        let mut request = AgentRequest {
            method: head.method,
            path,
            ends_in_slash,
            query,
            headers: head.headers,
            body,
            client,
            environment: None,
            early: Early::default(),
        };
        if is_late {
            match self.decide_late(&request, (&target, version), brings, &name).await? {
                Ok(chosen) => group = chosen,
                Err(denial) => {
                    let AgentRequest { method, client, .. } = &request;
                    return Ok(self.forbidden(method, &target, client, &denial));
                }
            }
        }
        match group.filter(|_| route.takes_group) {
            None => self.run(route, request, &name, gzip).await,
            Some(group) => match self.server.groups.find(&group) {
                Some(Group::Environment(environment)) => {
                    request.environment = Some(environment.clone());
                    self.run(route, request, &name, gzip).await
                }
                Some(Group::Compilers(_)) => self.hand_on(group, uri, request, &name).await,
                // The check of the rules knows the names.
                None => Err(RouteError::Failed(format!("there is no group `{group}`"))),
            },
        }
    }

    /// Returns whether a door without rules has a path; nothing if the door has rules.
    fn opens(&self, request: &Request<()>, target: &Target) -> Result<Option<bool>, RouteError> {
        match self.peer.door {
            Door::Tools => {
                pdb::refuse_pages(request)?;
                Ok(Some(pdb::is_path(&target.path)))
            }
            Door::Page => {
                page::refuse_others(request)?;
                Ok(Some(page::is_path(&target.path)))
            }
            Door::Tls | Door::Plain => Ok(None),
        }
    }

    /// Asks the rules about a request; returns the group that it is handed to.
    fn decide(
        &self,
        request: &Request<()>,
        target: &Target,
        client: &Client,
    ) -> Result<Option<String>, Denial> {
        let (method, headers, version) = (request.method(), request.headers(), request.version());
        match &self.server.rules {
            None => self.server.policy.decide(method, target, client).map(|()| None),
            Some(rules) => {
                let method = method.as_str();
                let head = RequestHead { method, target, headers, version, client };
                rules.decide(head, Known::default())
            }
        }
    }

    /// Asks the rules about a request with the data that it brings.
    async fn decide_late(
        &self,
        request: &AgentRequest,
        (target, version): (&Target, Version),
        brings: Brings,
        name: &str,
    ) -> Result<Result<Option<String>, Denial>, RouteError> {
        let (server, request, target) = (Arc::clone(self.server), request.clone(), target.clone());
        let work = move |cancel: &Cancel| {
            brought::decide(&server, &request, (&target, version), brings, cancel)
        };
        self.server.compilers.run(name, work).await
    }

    /// Hands a request to another compiler.
    async fn hand_on(
        &self,
        group: String,
        uri: Uri,
        request: AgentRequest,
        name: &str,
    ) -> Result<Answer, RouteError> {
        let server = Arc::clone(self.server);
        let node = name.to_owned();
        let work = move |_: &Cancel| {
            let Some(Group::Compilers(compilers)) = server.groups.find(&group) else {
                return Err(RouteError::Busy(1));
            };
            let target = uri.path_and_query().map_or("/", |target| target.as_str());
            let AgentRequest { method, headers, body, client, .. } = &request;
            let failed = |words: &str| {
                let fields = [("group", group.as_str()), ("certname", &node), ("error", words)];
                server.say("compiler-failed", &fields);
            };
            compilers.answer(&HandedOn { method, target, headers, body, client }, failed)
        };
        self.server.workers.run(name, work).await
    }

    /// Runs the handler of a route where it belongs.
    async fn run(
        &self,
        route: &'static Route,
        mut request: AgentRequest,
        client: &str,
        gzip: bool,
    ) -> Result<Answer, RouteError> {
        let server = Arc::clone(self.server);
        let early = route.begins_early.then(|| {
            let (early, receiver) = Early::new();
            request.early = early;
            receiver
        });
        let work = move |cancel: &Cancel| {
            let answer = (route.handler)(&server, &request, cancel);
            Ok(prepared(answer.unwrap_or_else(|error| error.answer()), gzip))
        };
        match route.place {
            Place::Compilers => self.server.compilers.run(client, work).await,
            Place::Workers => {
                let whole = self.server.workers.run(client, work);
                let Some(early) = early else { return whole.await };
                tokio::select! {
                    biased;
                    Ok(answer) = early => Ok(answer),
                    whole = whole => whole,
                }
            }
            Place::Here => work(&Cancel::new()),
        }
    }

    /// Returns the client; a certificate that was revoked since the connection began is refused.
    fn client<B>(&self, request: &Request<B>) -> Result<Client, RouteError> {
        let address: IpAddr = self.peer.address.ip().to_canonical();
        let names = &self.server.names;
        let Some(generation) = self.peer.generation else {
            return match self.server.trusts_headers && self.peer.door == Door::Plain {
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
        if !is_valid {
            return Err(RouteError::text(StatusCode::FORBIDDEN, INVALID));
        }
        let client = identity::certified(own, address, names)?;
        let is_proxy = client.certname.as_ref().is_some_and(|n| self.server.proxies.contains(n));
        match is_proxy {
            true => self.behind_proxy(request, address),
            false => Ok(client),
        }
    }

    /// Returns the client of a proxy that has shown a certificate of its own. The client's certificate is verified here
    /// too, so that a revocation counts at once, and that the proxy can't name a client whose certificate it never saw.
    fn behind_proxy<B>(&self, request: &Request<B>, address: IpAddr) -> Result<Client, RouteError> {
        let client = identity::forwarded(request.headers(), address, &self.server.names)?;
        let Some(certname) = &client.certname else { return Ok(client) };
        let Some(der) = &client.certificate else {
            let words =
                "missing header `X-Client-Cert`, by which the proxy shows the client's certificate";
            return Err(RouteError::text(StatusCode::BAD_REQUEST, words));
        };
        let live = self.server.tls.as_ref().map(super::tls::TlsKeeper::live);
        let shown = [CertificateDer::from(der.to_vec())];
        // A proxy that acts in its own name would act for everybody.
        let is_valid = live.is_some_and(|live| live.is_valid(&shown));
        match is_valid && !self.server.proxies.contains(certname) {
            true => Ok(client),
            false => Err(RouteError::text(StatusCode::FORBIDDEN, INVALID)),
        }
    }

    /// Returns the answer to a request that the rules deny, and logs which of them does.
    fn forbidden(
        &self,
        method: &Method,
        target: &Target,
        client: &Client,
        denial: &Denial,
    ) -> Answer {
        let line = denial.line.map_or_else(|| "-".to_owned(), |line| line.to_string());
        let file = denial.file.clone().unwrap_or_else(|| self.server.rules_name());
        self.say_denied(
            method,
            target,
            client.certname.as_deref(),
            &[("rule", &denial.rule), ("file", &file), ("line", &line)],
        );
        let method = method.as_str().to_ascii_lowercase();
        let words = format!(
            "Forbidden request: {} (method :{method}). Please see the server logs for details.",
            target.path
        );
        RouteError::Untyped(StatusCode::FORBIDDEN, words).answer()
    }

    /// Logs a request whose client can't be identified, and returns its error.
    fn unidentified(&self, method: &Method, target: &Target, error: RouteError) -> RouteError {
        self.say_denied(method, target, None, &[("error", &error.to_string())]);
        error
    }

    fn say_denied(
        &self,
        method: &Method,
        target: &Target,
        certname: Option<&str>,
        reason: &[(&str, &str)],
    ) {
        let address = self.peer.address.ip().to_string();
        let fields = [
            ("client", address.as_str()),
            ("certname", certname.unwrap_or("-")),
            ("method", method.as_str()),
            ("path", target.path.as_str()),
        ];
        self.server.say("denied", &[reason, &fields[..]].concat());
    }
}

/// Reads a form, whose fields occur once.
fn read_form(body: &[u8]) -> Result<Query, RouteError> {
    let form = std::str::from_utf8(body).ok().and_then(|text| Query::parse(text).ok());
    let form = form.ok_or_else(|| RouteError::BadRequest("the form can't be read".to_owned()))?;
    form.refuse_repeated()?;
    Ok(form)
}

/// Adds the fields of a form to a query. Where rules decide, both name one environment: rules and the compiler might take
/// different ones.
fn extend(query: &mut Query, form: Query, has_rules: bool) -> Result<(), RouteError> {
    let words = match (query.get("environment"), form.get("environment")) {
        (Some(one), Some(other)) if one != other => Some("the request names two environments"),
        (None, Some(_)) => Some("the query names no environment"),
        _ => None,
    };
    if let Some(words) = words.filter(|_| has_rules) {
        return Err(RouteError::BadRequest(words.to_owned()));
    }
    query.extend(form);
    Ok(())
}

/// Returns whether paths of this kind are decided about even if no route has them.
fn is_governed(path: &str) -> bool {
    let prefixes = [
        "/puppet-ca/",
        "/puppet-admin-api/",
        "/status/",
        "/metrics",
        "/pdb/",
        "/kukla",
        "/puppet/v3/plans",
        "/puppet/v3/compile",
    ];
    prefixes.iter().any(|prefix| path.starts_with(prefix))
}

fn is_form(headers: &hyper::HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type.is_some_and(|text| text.starts_with("application/x-www-form-urlencoded"))
}

/// Tells the client that the connection ends.
pub(super) fn close(response: &mut Response<Body>) {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
}
