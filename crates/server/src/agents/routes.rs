//! Routes: which handler answers which method and path.

use hyper::{Method, StatusCode};
use kukla_base::cancel::Cancel;

use super::brought::Brings;
use super::exchange::{AgentRequest, Answer, RouteError};
use super::server::AgentServer;
use super::{
    authority_routes, catalog, catalog_v4, code_routes, file_routes, node_routes, page, pdb,
    static_catalog, status,
};

/// A handler.
type Handler = fn(&AgentServer, &AgentRequest, &Cancel) -> Result<Answer, RouteError>;

/// Where a handler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Among the threads that compile.
    Compilers,
    /// Among the threads for everything that reads or writes files.
    Workers,
    /// At once: it touches memory only.
    Here,
}

/// A route.
#[derive(Debug)]
pub(super) struct Route {
    /// The path; one with a slash at its end has segments behind it.
    prefix: &'static str,
    /// Its methods; none means any.
    methods: &'static [Method],
    pub(super) place: Place,
    pub(super) handler: Handler,
    /// Whether the body is a form whose fields count as those of the query.
    pub(super) takes_form: bool,
    /// Whether the body holds data of a node, or a list without a bound.
    pub(super) takes_large_body: bool,
    /// Whether rules can hand it to a group.
    pub(super) takes_group: bool,
    /// The data about a node that rules may ask for.
    pub(super) brings: Brings,
}

const fn route(
    prefix: &'static str,
    methods: &'static [Method],
    place: Place,
    handler: Handler,
) -> Route {
    Route {
        prefix,
        methods,
        place,
        handler,
        takes_form: false,
        takes_large_body: false,
        takes_group: false,
        brings: Brings::Nothing,
    }
}

impl Route {
    /// Returns the route for requests with large bodies.
    const fn large(self) -> Self {
        Self { takes_large_body: true, ..self }
    }

    /// Returns the route for requests with data about a node.
    const fn about(self, brings: Brings) -> Self {
        Self { brings, ..self }
    }

    /// Returns the route for requests that can be handed to a group.
    const fn grouped(self) -> Self {
        Self { takes_group: true, ..self }
    }
}

const GET: &[Method] = &[Method::GET];
const QUERY: &[Method] = &[Method::GET, Method::POST];
const BUCKET: &[Method] = &[Method::GET, Method::HEAD, Method::POST, Method::PUT];

/// All routes; the first that fits counts.
static ROUTES: &[Route] = &[
    Route {
        takes_form: true,
        ..route(
            "/puppet/v3/catalog/",
            &[Method::GET, Method::POST],
            Place::Compilers,
            catalog::catalog,
        )
        .large()
        .grouped()
        .about(Brings::Form)
    },
    route("/puppet/v4/catalog", &[Method::POST], Place::Compilers, catalog_v4::catalog)
        .large()
        .about(Brings::Order),
    route("/puppet/v3/node/", &[Method::GET], Place::Compilers, node_routes::node)
        .grouped()
        .about(Brings::Name),
    route("/puppet/v3/facts/", &[Method::PUT], Place::Workers, node_routes::facts)
        .large()
        .about(Brings::Facts),
    route("/puppet/v3/file_metadata/", GET, Place::Workers, file_routes::metadata),
    route("/puppet/v3/file_metadatas/", GET, Place::Workers, file_routes::metadatas),
    route("/puppet/v3/file_content/", GET, Place::Workers, file_routes::content),
    route("/puppet/v3/static_file_content/", GET, Place::Workers, static_catalog::content),
    route("/puppet/v3/file_bucket_file/", BUCKET, Place::Workers, file_routes::bucket).large(),
    route("/puppet/v3/report/", &[Method::PUT], Place::Workers, file_routes::report)
        .large()
        .about(Brings::Name),
    route("/puppet/v3/environments", GET, Place::Workers, code_routes::environments),
    route("/puppet/v3/environment_classes", GET, Place::Workers, code_routes::classes),
    route("/puppet/v3/environment_modules", GET, Place::Workers, code_routes::modules),
    route("/puppet/v3/environment_transports", GET, Place::Workers, code_routes::transports),
    route("/puppet/v3/tasks", GET, Place::Workers, code_routes::tasks),
    route("/puppet/v3/tasks/", GET, Place::Workers, code_routes::tasks),
    route("/puppet-ca/v1/certificate/", GET, Place::Workers, authority_routes::certificate),
    route(
        "/puppet-ca/v1/certificate_request/",
        &[Method::GET, Method::PUT, Method::DELETE],
        Place::Workers,
        authority_routes::request,
    ),
    route("/puppet-ca/v1/certificate_revocation_list/", GET, Place::Workers, authority_routes::crl),
    route(
        "/puppet-ca/v1/certificate_revocation_list",
        &[Method::PUT],
        Place::Workers,
        authority_routes::update_crls,
    )
    .large(),
    route(
        "/puppet-ca/v1/certificate_status/",
        &[Method::GET, Method::PUT, Method::DELETE],
        Place::Workers,
        authority_routes::status,
    ),
    route("/puppet-ca/v1/certificate_statuses/", &[], Place::Workers, authority_routes::statuses),
    route("/puppet-ca/v1/clean", &[Method::PUT], Place::Workers, authority_routes::clean).large(),
    route("/puppet-ca/v1/sign", &[Method::POST], Place::Workers, authority_routes::sign).large(),
    route("/puppet-ca/v1/sign/", &[Method::POST], Place::Workers, authority_routes::sign).large(),
    route("/puppet-ca/v1/expirations", GET, Place::Workers, authority_routes::expirations),
    route(
        "/puppet-ca/v1/certificate_renewal",
        &[Method::POST],
        Place::Workers,
        authority_routes::renew,
    ),
    route("/pdb/cmd/v1", &[Method::POST], Place::Workers, pdb::command).large(),
    route("/pdb/cmd/v2", &[Method::POST], Place::Workers, pdb::command).large(),
    route("/pdb/query/v4", QUERY, Place::Workers, pdb::query).large(),
    route("/pdb/query/v4/", QUERY, Place::Workers, pdb::query).large(),
    route("/pdb/admin/v1/archive", QUERY, Place::Workers, pdb::archive).large(),
    route("/pdb/meta/v1/version", GET, Place::Workers, pdb::version),
    route("/pdb/meta/v1/server-time", GET, Place::Workers, pdb::server_time),
    route("/kukla", GET, Place::Workers, page::fleet),
    route("/kukla/page.css", GET, Place::Here, page::style),
    route("/kukla/node/", GET, Place::Workers, page::node),
    route("/kukla/values/", GET, Place::Compilers, page::values),
    route("/kukla/changes/", GET, Place::Workers, page::changes),
    route("/kukla/facts/", GET, Place::Workers, page::facts),
    route("/kukla/uses/", GET, Place::Workers, page::uses),
    route("/kukla/", GET, Place::Workers, page::fleet),
    route("/metrics/v2/list", GET, Place::Workers, pdb::metrics),
    route("/metrics/v2/read/", GET, Place::Workers, pdb::metric),
    route("/status/v1/services/puppetdb-status", GET, Place::Workers, pdb::status),
    route("/status/v1/simple", &[], Place::Here, |server, request, _| {
        status::simple(server, request)
    }),
    route("/status/v1/simple/", &[], Place::Here, |server, request, _| {
        status::simple(server, request)
    }),
    route("/status/v1/services", &[], Place::Here, |server, request, _| {
        status::services(server, request)
    }),
    route("/status/v1/services/", &[], Place::Here, |server, request, _| {
        status::services(server, request)
    }),
    route("/puppet-admin-api/v1/", &[], Place::Here, |server, request, _| {
        status::admin(server, request)
    }),
    route("/metrics/activity", &[Method::GET], Place::Here, |server, _, _| {
        Ok(Answer::json(server.activity().to_string()))
    }),
    route("/metrics", &[Method::GET], Place::Here, |server, _, _| {
        let mut text = server.metrics.text(server.compilers.n_queued() + server.workers.n_queued());
        if let Some(remote) = &server.remote {
            remote.metrics(&mut text);
        }
        Ok(Answer::text(StatusCode::OK, text))
    }),
];

impl Route {
    /// Returns the route of a request, and the segments of the path behind the prefix.
    pub(super) fn of(method: &Method, path: &str) -> Option<(&'static Self, Vec<String>)> {
        ROUTES.iter().find_map(|route| {
            let rest = path.strip_prefix(route.prefix)?;
            let takes_segments = route.prefix.ends_with('/');
            let is_method = route.methods.is_empty() || route.methods.contains(method);
            // Puppet Server keeps the slash at the end of a path of files, and has no other route with one.
            let is_whole = !rest.ends_with('/') || route.prefix.starts_with("/puppet/v3/file_");
            let fits = is_method && (takes_segments && is_whole || rest.is_empty());
            let segments = rest.split('/').filter(|segment| !segment.is_empty());
            fits.then(|| (route, segments.map(str::to_owned).collect()))
        })
    }

    /// Returns the name of the route in metrics.
    pub(super) fn name(&self) -> &'static str {
        self.prefix.trim_end_matches('/')
    }
}
