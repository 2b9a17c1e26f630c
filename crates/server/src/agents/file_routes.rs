//! The routes of files, of the bucket and of reports.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::{Method, StatusCode};
use kukla_base::cancel::Cancel;
use kukla_site::{ProcessorError, Site, SiteError};
use kukla_store::Store;
use rustls::client::WantsClientCert;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, ConfigBuilder, RootCertStore};

use super::bucket::Bucket;
use super::code::CodeInformation;
use super::exchange::{AgentRequest, Answer, OCTETS, RouteError};
use super::files::{Confinement, FileEnvironment, FileError, FileRequest, FileServer};
use super::negotiation::{Format, accepted};
use super::nodes::{existing_environment, name_of};
use super::reports::http::ReportUrl;
use super::reports::{self, ReportOptions, Reports};
use super::server::AgentServer;
use super::versioned_code::VersionedCode;
use crate::Log;

/// Options of files that no setting of Puppet has.
#[derive(Clone, Debug, Default)]
pub struct FileOptions {
    /// The treatment of links that lead out of a mount.
    pub confinement: Confinement,
    /// The source of versions for static catalogs.
    pub versioned_code: VersionedCode,
}

/// Everything that these routes keep between requests.
#[derive(Debug)]
pub(super) struct FileRoutes {
    pub(super) files: FileServer,
    pub(super) versioned_code: VersionedCode,
    bucket: Bucket,
    reports: Reports,
    pub(super) code: CodeInformation,
    codedir: PathBuf,
}

impl FileRoutes {
    /// Returns the directory of reports.
    pub(super) fn report_directory(&self) -> &Path {
        self.reports.directory()
    }

    /// Reads the settings of a site.
    pub(super) fn open(
        site: &Site,
        options: FileOptions,
        store: Option<&Arc<Store>>,
        log: Log,
    ) -> Result<Self, SiteError> {
        let text = |name: &str| site.settings().text(name).unwrap_or_default();
        let path = |name: &str| site.anchor().absolute(Path::new(&text(name)));
        let reports = ReportOptions {
            processors: text("reports"),
            directory: path("reportdir"),
            url: report_url(site, &log),
            excludes_unchanged: site.settings().flag("exclude_unchanged_resources"),
        };
        let (bucketdir, algorithm) = (path("bucketdir"), text("digest_algorithm"));
        let has_bucket = site.settings().has_bucket_in(&site.store_choice()?.place)?;
        Ok(Self {
            bucket: match store.filter(|_| has_bucket) {
                Some(store) => Bucket::in_store(Arc::clone(store), bucketdir, &algorithm),
                None => Bucket::new(bucketdir, &algorithm),
            },
            reports: Reports::new(reports, Arc::clone(&log)),
            files: FileServer::new(path("fileserverconfig"), options.confinement, log),
            versioned_code: options.versioned_code,
            code: CodeInformation::default(),
            codedir: path("codedir"),
        })
    }

    /// Returns the setting `codedir`.
    pub(super) fn codedir(&self) -> &Path {
        &self.codedir
    }
}

/// Returns where the processor `http` posts to, if it is one of the processors.
fn report_url(site: &Site, log: &Log) -> Option<ReportUrl> {
    let processors = site.settings().text("reports")?;
    if !processors.split(',').any(|name| name.trim() == "http") {
        return None;
    }
    let parsed = ReportUrl::parse(&site.settings().text("reporturl")?, || client_config(site));
    parsed.inspect_err(|error| log(&error.to_string())).ok()
}

/// Returns a configuration that trusts the CA of the site and shows the server's own certificate.
pub(super) fn client_config(site: &Site) -> Option<Arc<ClientConfig>> {
    let builder = trusting(site)?;
    let own: Option<Vec<_>> = path_of(site, "hostcert")
        .and_then(|path| CertificateDer::pem_file_iter(path).ok())
        .map(|certificates| certificates.flatten().collect());
    let key = path_of(site, "hostprivkey").and_then(|path| PrivateKeyDer::from_pem_file(path).ok());
    let config = match (own, key) {
        (Some(own), Some(key)) => builder.with_client_auth_cert(own, key).ok()?,
        _ => builder.with_no_client_auth(),
    };
    Some(Arc::new(config))
}

/// Returns a configuration that trusts the CA of the site and shows no certificate.
pub(super) fn anonymous_config(site: &Site) -> Option<Arc<ClientConfig>> {
    Some(Arc::new(trusting(site)?.with_no_client_auth()))
}

fn trusting(site: &Site) -> Option<ConfigBuilder<ClientConfig, WantsClientCert>> {
    let mut roots = RootCertStore::empty();
    let certificates = CertificateDer::pem_file_iter(path_of(site, "localcacert")?).ok()?.flatten();
    if roots.add_parsable_certificates(certificates).0 == 0 {
        return None;
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    Some(builder.with_safe_default_protocol_versions().ok()?.with_root_certificates(roots))
}

fn path_of(site: &Site, name: &str) -> Option<PathBuf> {
    Some(site.anchor().absolute(Path::new(&site.settings().text(name)?)))
}

/// Answers `file_metadata`.
pub(super) fn metadata(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    data(server, request, "file_metadata", FileServer::metadata)
}

/// Answers `file_metadatas`.
pub(super) fn metadatas(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    data(server, request, "file_metadatas", FileServer::metadatas)
}

/// Answers `file_content`.
pub(super) fn content(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    if request.query.get("environment").is_none() {
        let words = "A file_content request must include an `environment` or `versioned_project` query parameter.";
        return Ok(Answer::new(StatusCode::BAD_REQUEST, "text/plain", words));
    }
    let answer = served(server, request, "file_content", FileServer::content)?;
    expect_octets(&request.headers)?;
    Ok(answer)
}

/// Answers `file_bucket_file`.
pub(super) fn bucket(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    existing_environment(server, request)?;
    let AgentRequest { method, query, headers, body, .. } = request;
    let key = key(request, "file_bucket_file")?;
    let answer = server.files.bucket.answer(method, &key, query, headers, body)?;
    if *method == Method::GET || *method == Method::POST {
        expect_octets(headers)?;
    }
    Ok(answer)
}

/// Answers `report`.
pub(super) fn report(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    let environment = existing_environment(server, request)?;
    let format = match request.headers.contains_key(ACCEPT) {
        true => accepted(&request.headers, Format::DATA)?,
        false => Format::Json,
    };
    let ruby = |name: &str, json: &str| {
        // That processor is PuppetDB's way to the store.
        if name == "puppetdb" && (server.records.is_some() || server.remote.is_some()) {
            return Ok(());
        }
        let opened = server.site.environment(&environment).map_err(ProcessorError::new)?;
        opened.snapshot.process_report(name, json, &processor_settings(&server.site))
    };
    let AgentRequest { headers, body, .. } = request;
    let name = name_of(request)?;
    let report = reports::read(name, headers, body)?;
    let answer = server.files.reports.process(&report, body, &ruby)?;
    let recorded = server.record_report(&report);
    recorded.map_err(|error| RouteError::Failed(error.to_string()))?;
    Ok(typed(answer, format))
}

/// Returns the settings that report processors read: their files lie below these directories.
fn processor_settings(site: &Site) -> Vec<(String, String)> {
    let value = |name: &str| Some((name.to_owned(), site.settings().text(name)?));
    PROCESSOR_SETTINGS.iter().filter_map(|name| value(name)).collect()
}

const PROCESSOR_SETTINGS: [&str; 14] = [
    "confdir",
    "vardir",
    "logdir",
    "rundir",
    "ssldir",
    "certname",
    "hostcert",
    "hostprivkey",
    "localcacert",
    "hostcrl",
    "reportdir",
    "reporturl",
    "reports",
    "codedir",
];

type Serve = fn(&FileServer, &FileRequest<'_>) -> Result<Answer, FileError>;

/// Answers with metadata in the format that the client takes; a missing file comes first, as in Puppet.
fn data(
    server: &AgentServer,
    request: &AgentRequest,
    route: &str,
    serve: Serve,
) -> Result<Answer, RouteError> {
    let answer = served(server, request, route, serve)?;
    Ok(typed(answer, accepted(&request.headers, Format::DATA)?))
}

fn served(
    server: &AgentServer,
    request: &AgentRequest,
    route: &str,
    serve: Serve,
) -> Result<Answer, RouteError> {
    let name = existing_environment(server, request)?;
    let key = key(request, route)?;
    let environment = server.site.environment(&name);
    let environment = environment.map_err(|error| RouteError::Failed(error.to_string()))?;
    let environment = FileEnvironment {
        modulepath: &environment.snapshot.environment().modulepath,
        codedir: &server.files.codedir,
    };
    let client = request.client.certname.as_deref().unwrap_or_default();
    let request = FileRequest { key: &key, query: &request.query, environment, client };
    Ok(serve(&server.files.files, &request)?)
}

fn key(request: &AgentRequest, route: &str) -> Result<String, RouteError> {
    match request.path.join("/") {
        key if key.is_empty() => {
            let words = format!("No request key specified in /puppet/v3/{route}/");
            Err(RouteError::BadRequest(words))
        }
        // A file with a slash at its end is missing.
        key if request.ends_in_slash => Ok(key + "/"),
        key => Ok(key),
    }
}

fn typed(mut answer: Answer, format: Format) -> Answer {
    answer.headers.insert(CONTENT_TYPE, HeaderValue::from_static(format.content_type()));
    answer
}

/// Refuses clients that don't take bytes.
fn expect_octets(headers: &HeaderMap) -> Result<(), RouteError> {
    let Some(accept) = headers.get(ACCEPT) else {
        return Err(RouteError::MissingHeader("Missing required Accept header".to_owned()));
    };
    let accept = accept.to_str().unwrap_or_default();
    let mut words = accept.split(',').map(|word| word.split(';').next().unwrap_or_default().trim());
    match words.any(|word| matches!(word, "*/*" | OCTETS | "binary")) {
        true => Ok(()),
        false => Err(RouteError::NotAcceptable(format!(
            "No supported formats are acceptable (Accept: {accept})"
        ))),
    }
}
