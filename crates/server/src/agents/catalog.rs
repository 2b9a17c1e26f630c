//! The route `catalog` of version 3, by which agents get their catalogs.

use std::fmt::Write as _;
use std::sync::Arc;

use hyper::StatusCode;
use kukla_base::cancel::Cancel;
use kukla_catalog::exports::Exports;
use kukla_compiler::Limits;
use kukla_compiler::compile::{Compiled, Request};
use kukla_compiler::log::Level;
use kukla_site::{Main, Member, SiteError, store_exports, uuid};
use kukla_world::Disk;

use super::exchange::{AgentRequest, Answer, RouteError};
use super::negotiation::{Format, accepted};
use super::nodes::{
    SentFacts, UNSETTLED_SECONDS, is_environment_name, name_of, not_alphanumeric, words,
};
use super::query::form_decoded;
use super::records::Run;
use super::server::AgentServer;

/// The number of revisions that are tried for one catalog.
const MOST_TRIES: usize = 3;

/// Compiles the catalog of a node.
pub(super) fn catalog(
    server: &AgentServer,
    request: &AgentRequest,
    cancel: &Cancel,
) -> Result<Answer, RouteError> {
    // Fields of the form come behind those of the query, and count before them.
    let requested = request.query.all("environment").last();
    let environment = requested.filter(|name| is_environment_name(name)).ok_or_else(|| {
        let words = not_alphanumeric(requested.unwrap_or("null"));
        RouteError::text(StatusCode::BAD_REQUEST, words)
    })?;
    let format = accepted(&request.headers, Format::CATALOG)?;
    let name = name_of(request)?;
    let sent = sent_facts(request, name)?;
    let is_sent = sent.is_some();
    let facts = match sent {
        Some(sent) => {
            // The catalog needs these facts, and not the disk.
            if let Err(RouteError::Failed(words)) = server.store_facts(name, &sent.text) {
                server.say("facts-not-stored", &[("node", name), ("error", &words)]);
            }
            sent.facts.values
        }
        None => server.bounded(cancel, || server.stored_facts(name))?,
    };
    let failed = |error: SiteError| RouteError::Failed(words(name, &error));
    let node = server.bounded(cancel, || server.node(name, facts, &request.client));
    let mut node = node.map_err(failed)?;
    node.environment = request.environment.clone().or(node.environment);
    if is_sent {
        server.record_facts(&node, environment);
    }
    let mut member = server.member(node, environment).map_err(site_failure(name))?;
    let is_checked = request.query.get("check_environment") == Some("true");
    let is_moved = member.node.environment.as_deref().is_some_and(|own| own != environment);
    let text = match is_checked && is_moved {
        true => {
            let own = &member.environment.name;
            let words = format!(
                "warning: Requested environment '{environment}' did not match server specified environment '{own}'"
            );
            server.say("compile", &[("node", name), ("message", &words)]);
            empty(name, own)
        }
        false => {
            let is_plain = format != Format::RichJson;
            let wanted = Wanted { is_plain, has_debug: false };
            let compiled = server.compile(&mut member, wanted, cancel)?;
            server.versioned_text(&member, compiled, request)?
        }
    };
    Ok(Answer::new(StatusCode::OK, format.content_type(), text))
}

/// Returns the facts of the form; their text was encoded twice.
pub(super) fn sent_facts(
    request: &AgentRequest,
    name: &str,
) -> Result<Option<SentFacts>, RouteError> {
    let Some(encoded) = request.query.get("facts") else { return Ok(None) };
    let failed = |words: &str| RouteError::Failed(words.to_owned());
    match request.query.get("facts_format") {
        Some("application/json" | "pson") => (),
        Some(_) => return Err(failed("Unsupported facts format")),
        None => {
            return Err(failed(&format!("Facts but no fact format provided for {name}")));
        }
    }
    let text = form_decoded(encoded).unwrap_or_else(|_| encoded.to_owned());
    let sent = SentFacts::read(text).map_err(RouteError::Failed)?;
    if sent.name.as_deref() == Some(name) {
        return Ok(Some(sent));
    }
    let other = sent.name.map_or_else(|| "nil".to_owned(), |name| format!("{name:?}"));
    Err(RouteError::Failed(format!(
        "Catalog for {name:?} was requested with fact definition for the wrong node ({other})."
    )))
}

/// Returns the catalog that tells an agent to start over in its environment.
fn empty(name: &str, environment: &str) -> String {
    let uuid = uuid::random(&Disk).unwrap_or_default();
    serde_json::json!({
        "tags": [], "name": name, "version": null, "code_id": null, "catalog_uuid": uuid,
        "catalog_format": 2, "environment": environment, "resources": [], "edges": [],
        "classes": [],
    })
    .to_string()
}

/// Returns the answer to a request whose node or environment can't be had.
fn site_failure(name: &str) -> impl Fn(SiteError) -> RouteError + '_ {
    move |error| match error.root() {
        SiteError::Unsettled(_) => RouteError::Busy(UNSETTLED_SECONDS),
        _ => RouteError::Failed(words(name, &error)),
    }
}

/// The kind of catalog that a client wants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Whether it knows no rich data.
    pub(super) is_plain: bool,
    /// Whether it wants debug messages too.
    pub(super) has_debug: bool,
}

impl AgentServer {
    /// Compiles the catalog of a node of one revision of its environment: if files that were not read yet have changed
    /// meanwhile, the node moves to the next revision.
    pub(super) fn compile(
        &self,
        member: &mut Member,
        wanted: Wanted,
        cancel: &Cancel,
    ) -> Result<Compiled, RouteError> {
        for _ in 0..MOST_TRIES {
            // The command of `config_version` may hang, as any other.
            let version = self.bounded(cancel, || member.environment.version());
            version.map_err(site_failure(&member.node.name))?;
            let compiled = self.compile_once(member, wanted, cancel);
            if member.environment.is_whole() {
                return Ok(compiled);
            }
            let name = member.environment.name.clone();
            self.say("torn", &[("environment", &name), ("node", &member.node.name)]);
            let environment = self.site.environment(&name);
            member.environment = environment.map_err(site_failure(&member.node.name))?;
        }
        Err(RouteError::Busy(UNSETTLED_SECONDS))
    }

    /// Compiles the catalog of a node within the limits of the server.
    fn compile_once(&self, member: &Member, wanted: Wanted, cancel: &Cancel) -> Compiled {
        let own = self.store.clone().map(|store| store as Arc<dyn Exports>);
        let remote = self.remote.as_ref().filter(|_| self.collects);
        let exports = own.or_else(|| Some(remote?.exports(&self.compilers)));
        let cancel = cancel.clone();
        let is_profiled = self.activity.is_profile_due();
        let Wanted { is_plain, has_debug } = wanted;
        let request = member.request();
        let request = Request { exports, is_plain, has_debug, cancel, is_profiled, ..request };
        let limits =
            Limits { deadline: self.deadline(), memory: self.memory_limit, ..Limits::default() };
        let environment = &member.environment;
        let main = Main::Environment;
        let start = std::time::Instant::now();
        let compiled =
            environment.snapshot.compile(&main, environment.strictness, limits, &request);
        let is_good = compiled.catalog.is_ok();
        self.metrics.compiled(&environment.name, is_good, start.elapsed());
        self.activity.compiled(&member.node.name, &environment.name, is_good, start.elapsed());
        self.activity.profiled(&compiled.profile);
        self.log_compilation(&member.node.name, &compiled);
        compiled
    }

    /// Returns the text of a catalog, whose exports are stored; the catalog of a run is stored too.
    pub(super) fn text(
        &self,
        member: &Member,
        compiled: Compiled,
        run: Option<&Run<'_>>,
    ) -> Result<String, RouteError> {
        let catalog = compiled.catalog.map_err(|error| RouteError::Failed(error.to_string()))?;
        if let Some(store) = &self.store {
            store_exports(store, member, &catalog)
                .map_err(|error| RouteError::Failed(error.to_string()))?;
        }
        let uuid = uuid::random(&Disk).map_err(|error| RouteError::Failed(error.to_string()))?;
        let text = kukla_catalog::json::write(&catalog, &uuid);
        if let Some(run) = run {
            self.record_catalog(member, &catalog, &text, &uuid, run);
        }
        Ok(text)
    }

    fn log_compilation(&self, node: &str, compiled: &Compiled) {
        for entry in compiled.log.iter().filter(|entry| entry.level >= Level::Warning) {
            let mut words = format!("{}: {}", entry.level.as_str(), entry.message);
            if let (Some(file), Some(line)) = (&entry.file, entry.line) {
                let _ = write!(words, " (file: {file}, line: {line})");
            }
            self.say("compile", &[("node", node), ("message", &words)]);
        }
    }
}
