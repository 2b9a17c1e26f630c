//! Static catalogs: metadata of sources in the catalog itself, and contents by version.
//!
//! An agent that has such a catalog asks for no metadata, and gets the content of the version that was compiled, also
//! after the next deploy.

use std::collections::BTreeMap;
use std::path::Path;

use hyper::StatusCode;
use kukla_base::cancel::Cancel;
use kukla_catalog::{Catalog, Resource};
use kukla_compiler::compile::Compiled;
use kukla_pcore::Value;
use kukla_rubytext::json::push_string;
use kukla_site::Member;
use kukla_world::Disk;

use super::exchange::{AgentRequest, Answer, OCTETS, RouteError};
use super::files::{ChecksumType, FileEnvironment, FileError, FileRequest, Inlined};
use super::nodes::{is_environment_name, not_alphanumeric};
use super::query::Query;
use super::records::Run;
use super::server::AgentServer;
use super::versioned_code::is_id;

/// Members that a static catalog has beside others.
#[derive(Debug)]
struct StaticParts {
    code_id: String,
    /// JSON by title.
    metadata: BTreeMap<String, String>,
    recursive: BTreeMap<String, String>,
}

/// Everything that decides about the metadata of one catalog.
struct Inliner<'a> {
    server: &'a AgentServer,
    member: &'a Member,
    directory: &'a Path,
    code_id: &'a str,
    checksum: &'static str,
    client: &'a str,
}

impl AgentServer {
    /// Returns the text of a catalog, with the identifier of its code, and static if the agent asks for that.
    pub(super) fn versioned_text(
        &self,
        member: &Member,
        compiled: Compiled,
        request: &AgentRequest,
    ) -> Result<String, RouteError> {
        let environment = &member.environment;
        let directory = environment.snapshot.environment().directory.clone();
        let id = self.files.versioned_code.id(&environment.name, &directory);
        let id = id.map_err(|error| RouteError::Failed(error.to_string()))?;
        let (Some(code_id), Ok(catalog)) = (id, &compiled.catalog) else {
            return self.text(member, compiled, Some(&Run::of(&request.query)));
        };
        let mut parts =
            StaticParts { code_id, metadata: BTreeMap::new(), recursive: BTreeMap::new() };
        if is_requested(self, member, request) {
            let client = request.client.certname.as_deref().unwrap_or_default();
            let checksum = common_checksum(request.query.get("checksum_type"))?;
            let code_id = parts.code_id.clone();
            let inliner = Inliner {
                server: self,
                member,
                directory: &directory,
                code_id: &code_id,
                checksum,
                client,
            };
            inliner.inline(catalog, &mut parts)?;
        }
        let run = Run { code_id: Some(&parts.code_id), ..Run::of(&request.query) };
        Ok(parts.spliced(self.text(member, compiled, Some(&run))?))
    }
}

/// Returns whether agent and environment want a static catalog.
fn is_requested(server: &AgentServer, member: &Member, request: &AgentRequest) -> bool {
    let environment = member.environment.snapshot.environment();
    let setting = environment.conf_text("static_catalogs", &Disk);
    let setting = setting.or_else(|| server.site.settings().text("static_catalogs"));
    request.query.get("static_catalog") == Some("true") && setting.as_deref() != Some("false")
}

/// Returns the first checksum type of the agent's list that the server has.
fn common_checksum(list: Option<&str>) -> Result<&'static str, RouteError> {
    let list = list.unwrap_or("sha256");
    let known = list.split('.').find_map(ChecksumType::named);
    known.map(ChecksumType::name).ok_or_else(|| {
        RouteError::Failed(format!(
            "Unable to find a common checksum type between agent '{list}' and master."
        ))
    })
}

impl StaticParts {
    /// Adds the members to the text of a catalog.
    fn spliced(&self, mut text: String) -> String {
        // Quotes within texts are escaped, so the first of these is the member itself.
        text = text.replacen("\"code_id\":null", &format!("\"code_id\":\"{}\"", self.code_id), 1);
        for (name, members) in
            [("metadata", &self.metadata), ("recursive_metadata", &self.recursive)]
        {
            if members.is_empty() {
                continue;
            }
            // The brace that closes the catalog.
            text.pop();
            text.extend([",\"", name, "\":{"]);
            for (n, (title, json)) in members.iter().enumerate() {
                if n > 0 {
                    text.push(',');
                }
                push_string(&mut text, title);
                text.push(':');
                text.push_str(json);
            }
            text.push_str("}}");
        }
        text
    }
}

impl Inliner<'_> {
    fn inline(&self, catalog: &Catalog, parts: &mut StaticParts) -> Result<(), RouteError> {
        for resource in catalog.resources.iter().filter(|it| it.type_.as_str() == "File") {
            let sources = texts(resource, "source");
            let is_local = |source: &String| source.starts_with("puppet:///");
            let is_absent = text(resource, "ensure").as_deref() == Some("absent");
            if sources.is_empty() || is_absent || !sources.iter().all(is_local) {
                continue;
            }
            let sources: Vec<_> = sources.iter().map(|it| it.trim_end_matches('/')).collect();
            let recurse = text(resource, "recurse");
            match recurse.as_deref() {
                Some("true" | "remote") => self.inline_list(resource, &sources, parts)?,
                _ => self.inline_one(resource, &sources, parts)?,
            }
        }
        Ok(())
    }

    fn inline_one(
        &self,
        resource: &Resource,
        sources: &[&str],
        parts: &mut StaticParts,
    ) -> Result<(), RouteError> {
        let query = self.query(resource, false);
        for source in sources {
            let uri = |path: &str| {
                let path = self.described(source, path)?;
                let versions = &self.server.files.versioned_code;
                let is_current = Path::new(&self.directory.join(path)).is_dir()
                    || versions.is_current(self.directory, self.code_id, path);
                is_current.then(|| format!("puppet:///{path}"))
            };
            let inlined = self.ask(source, &query, |request| {
                self.server.files.files.inlined(request, source, uri)
            })?;
            match inlined {
                Inlined::Missing => continue,
                Inlined::Outside => return Ok(()),
                Inlined::Metadata(json) => {
                    parts.metadata.insert(resource.title.to_string(), json);
                    return Ok(());
                }
            }
        }
        Err(RouteError::Failed(format!("Could not get metadata for {}", shown(sources))))
    }

    fn inline_list(
        &self,
        resource: &Resource,
        sources: &[&str],
        parts: &mut StaticParts,
    ) -> Result<(), RouteError> {
        let query = self.query(resource, true);
        let takes_all = text(resource, "sourceselect").is_some_and(|it| it != "first");
        let mut members = String::new();
        for source in sources {
            let uri = |path: &str| Some(format!("puppet:///{}", self.described(source, path)?));
            let is_current = |start: &str, relative: &str| {
                let path = Path::new(start).join(relative);
                let path = path.strip_prefix(self.directory).ok().and_then(Path::to_str);
                let versions = &self.server.files.versioned_code;
                path.is_some_and(|path| versions.is_current(self.directory, self.code_id, path))
            };
            let inlined = self.ask(source, &query, |request| {
                self.server.files.files.inlined_list(request, uri, is_current)
            })?;
            match inlined {
                Inlined::Missing => continue,
                Inlined::Outside => return Ok(()),
                Inlined::Metadata(json) => {
                    members.push(if members.is_empty() { '{' } else { ',' });
                    push_string(&mut members, source);
                    members.push(':');
                    members.push_str(&json);
                }
            }
            if !takes_all {
                break;
            }
        }
        if !members.is_empty() {
            members.push('}');
            parts.recursive.insert(resource.title.to_string(), members);
        }
        Ok(())
    }

    fn ask(
        &self,
        source: &str,
        query: &Query,
        serve: impl FnOnce(&FileRequest<'_>) -> Result<Inlined, FileError>,
    ) -> Result<Inlined, RouteError> {
        let environment = FileEnvironment {
            modulepath: &self.member.environment.snapshot.environment().modulepath,
            codedir: self.server.files.codedir(),
        };
        let key = source.trim_start_matches("puppet:///");
        Ok(serve(&FileRequest { key, query, environment, client: self.client })?)
    }

    /// Returns the path from the environment on, if it is `MODULEDIR/MODULE/files/PATH` and the mount is `modules`.
    fn described<'p>(&self, source: &str, path: &'p str) -> Option<&'p str> {
        let below = Path::new(path).strip_prefix(self.directory).ok()?.to_str()?;
        let mut parts = below.splitn(4, '/');
        let is_file =
            parts.nth(2) == Some("files") && parts.next().is_some_and(|it| !it.is_empty());
        (is_file && source.starts_with("puppet:///modules/")).then_some(below)
    }

    /// Returns the parameters of a request for the metadata that a resource needs.
    fn query(&self, resource: &Resource, is_list: bool) -> Query {
        let mut pairs = vec![(
            "checksum_type".to_owned(),
            text(resource, "checksum").unwrap_or_else(|| self.checksum.to_owned()),
        )];
        let mut names = vec!["links", "source_permissions"];
        if is_list {
            names.extend(["recurselimit", "max_files"]);
            pairs.push(("recurse".to_owned(), "true".to_owned()));
            let ignored = texts(resource, "ignore").into_iter();
            pairs.extend(ignored.map(|pattern| ("ignore".to_owned(), pattern)));
        }
        let given =
            names.into_iter().filter_map(|name| Some((name.to_owned(), text(resource, name)?)));
        pairs.into_iter().chain(given).collect()
    }
}

/// Answers `static_file_content`.
pub(super) fn content(
    server: &AgentServer,
    request: &AgentRequest,
    _: &Cancel,
) -> Result<Answer, RouteError> {
    let refused = |status, words: &str| Err(RouteError::text(status, words));
    let value = |name: &str| request.query.get(name).unwrap_or_default();
    let (environment, code_id, path) =
        (value("environment"), value("code_id"), request.path.join("/"));
    if environment.is_empty() || code_id.is_empty() || path.is_empty() {
        let words = "Error: A /static_file_content request requires an environment, a code-id, and a file-path";
        return refused(StatusCode::BAD_REQUEST, words);
    }
    if !is_environment_name(environment) {
        return refused(StatusCode::BAD_REQUEST, &not_alphanumeric(environment));
    }
    if !is_id(code_id) {
        let words = super::versioned_code::CodeError::Identifier(code_id.to_owned()).to_string();
        return refused(StatusCode::BAD_REQUEST, &words);
    }
    if !is_content_path(&path) {
        let words = "Request Denied: A /static_file_content request must be a file within the files, lib, scripts, or tasks directory of a module.";
        return Ok(Answer::new(StatusCode::FORBIDDEN, "text/plain", words));
    }
    let opened = server.site.environment(environment);
    let failed = |words: String| RouteError::text(StatusCode::INTERNAL_SERVER_ERROR, words);
    let opened = opened.map_err(|error| failed(error.to_string()))?;
    let directory = &opened.snapshot.environment().directory;
    let content = server.files.versioned_code.content(environment, directory, code_id, &path);
    let content = content.map_err(|error| failed(error.to_string()))?;
    Ok(Answer::new(StatusCode::OK, OCTETS, content))
}

/// Returns whether a path is `MODULEDIR/MODULE/(files|lib|scripts|tasks)/…`, without `..` and zero bytes.
fn is_content_path(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let is_plain = |part: &&str| !matches!(*part, "" | "." | "..") && !part.contains('\0');
    let has_mount = matches!(parts.get(2), Some(&("files" | "lib" | "scripts" | "tasks")));
    parts.len() > 3 && has_mount && parts.iter().all(is_plain)
}

/// Returns a parameter of a resource as text; none if it is undef or no scalar.
fn text(resource: &Resource, name: &str) -> Option<String> {
    let found = resource.parameters.iter().find(|(known, _)| known.as_str() == name);
    found.and_then(|(_, value)| scalar(value))
}

/// Returns the elements of a parameter that is a scalar or an array.
fn texts(resource: &Resource, name: &str) -> Vec<String> {
    let found = resource.parameters.iter().find(|(known, _)| known.as_str() == name);
    match found.map(|(_, value)| value) {
        Some(Value::Array(items)) => items.iter().filter_map(scalar).collect(),
        Some(value) => scalar(value).into_iter().collect(),
        None => Vec::new(),
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Boolean(flag) => Some(flag.to_string()),
        Value::Integer(number) => Some(number.to_string()),
        other => other.as_str().map(str::to_owned),
    }
}

/// Returns sources as Ruby prints the parameter.
fn shown(sources: &[&str]) -> String {
    match sources {
        [source] => (*source).to_owned(),
        sources => format!("{sources:?}"),
    }
}
