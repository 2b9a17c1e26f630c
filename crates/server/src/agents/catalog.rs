//! The route `catalog` of version 3, by which agents get their catalogs.

use std::fmt::Write as _;
use std::ops::Range;

use hyper::StatusCode;
use kukla_base::cancel::Cancel;
use kukla_catalog::Catalog;
use kukla_compiler::Limits;
use kukla_compiler::compile::{Compiled, Request};
use kukla_compiler::log::{Entry, Level};
use kukla_site::{Main, Member, SiteError, store_exports, uuid};
use kukla_world::Disk;

use super::again::new_uuid;
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
    if is_checked && is_moved {
        let own = &member.environment.name;
        let words = format!(
            "warning: Requested environment '{environment}' did not match server specified environment '{own}'"
        );
        server.say("compile", &[("node", name), ("message", &words)]);
        return Ok(Answer::new(StatusCode::OK, format.content_type(), empty(name, own)));
    }
    if let Some(answer) = server.again(&member, format, request, cancel)? {
        return Ok(answer);
    }
    let wanted = Wanted { is_plain: format != Format::RichJson, has_debug: false };
    let reuse = server.reuse.as_ref().filter(|reuse| reuse.is_due(name));
    let compiled = server.compile(&mut member, wanted, reuse.is_some(), cancel)?;
    match reuse {
        Some(reuse) => server.kept(reuse, &member, compiled, (format, request)),
        None => {
            let text = server.versioned_text(&member, compiled, request)?;
            Ok(Answer::new(StatusCode::OK, format.content_type(), text))
        }
    }
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
pub(super) fn site_failure(name: &str) -> impl Fn(SiteError) -> RouteError + '_ {
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
        is_repeatable: bool,
        cancel: &Cancel,
    ) -> Result<Compiled, RouteError> {
        for _ in 0..MOST_TRIES {
            // The command of `config_version` may hang, as any other.
            let version = self.bounded(cancel, || member.environment.version());
            version.map_err(site_failure(&member.node.name))?;
            let compiled = self.compile_once(member, wanted, is_repeatable, cancel);
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
    fn compile_once(
        &self,
        member: &Member,
        wanted: Wanted,
        is_repeatable: bool,
        cancel: &Cancel,
    ) -> Compiled {
        let cancel = cancel.clone();
        let is_profiled = self.activity.is_profile_due();
        let request = self.request(member, wanted);
        let request = Request { cancel, is_profiled, is_repeatable, ..request };
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
        self.log_entries(&member.node.name, &compiled.log);
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
        Ok(self.written(member, &catalog, run)?.0)
    }

    /// Returns the text of a catalog, and where its stamp is. Its exports are stored; the catalog of a run is stored too.
    pub(super) fn written(
        &self,
        member: &Member,
        catalog: &Catalog,
        run: Option<&Run<'_>>,
    ) -> Result<(String, Range<usize>), RouteError> {
        if let Some(store) = &self.store {
            store_exports(store, member, catalog)
                .map_err(|error| RouteError::Failed(error.to_string()))?;
        }
        let uuid = new_uuid()?;
        let mut text = String::new();
        let stamp = kukla_catalog::json::write_parts(catalog, &uuid, &mut text);
        if let Some(run) = run {
            self.record_catalog(member, catalog, &text, &uuid, run);
        }
        Ok((text, stamp))
    }

    /// Logs the warnings and errors of a compilation.
    pub(super) fn log_entries(&self, node: &str, entries: &[Entry]) {
        for entry in entries.iter().filter(|entry| entry.level >= Level::Warning) {
            let mut words = format!("{}: {}", entry.level.as_str(), entry.message);
            if let (Some(file), Some(line)) = (&entry.file, entry.line) {
                let _ = write!(words, " (file: {file}, line: {line})");
            }
            self.say("compile", &[("node", node), ("message", &words)]);
        }
    }
}
