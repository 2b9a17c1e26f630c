//! Catalogs that nodes get again: nothing that was read for them has changed, so a compilation would have the same result.
//!
//! A compilation records what it asks about its node ([`kukla_site::Repeat`]). The catalog is kept with that record, and
//! given again as long as the environment is the same snapshot and all answers are the same. Its version and identifier are
//! new; its warnings are logged again; the store hears of it as after a compilation.
//!
//! It is compiled if anything is unsure: if it has read the clock, randomness, the output of a program or a real Ruby; if
//! the store has lost what it knew of the node; if the code has versions of its own (static catalogs), or PuppetDB is the
//! store, which wants every catalog whole.

use std::sync::Arc;

use kukla_base::Digest;
use kukla_base::cancel::Cancel;
use kukla_catalog::exports::{Exported, Exports};
use kukla_catalog::{Catalog, json};
use kukla_compiler::compile::{Compiled, Request};
use kukla_compiler::log::Level;
use kukla_site::{Member, Repeat, uuid};
use kukla_world::Disk;

use super::catalog::{Wanted, site_failure};
use super::exchange::{AgentRequest, Answer, RouteError};
use super::negotiation::Format;
use super::packed::Packed;
use super::records::{KnownCatalog, Run};
use super::respond::{LEAST_COMPRESSED, compressed, takes_gzip};
use super::reuse::{KeptCatalog, Reuse};
use super::server::AgentServer;

/// The words by which the log marks an answer that needed no compilation.
const REMARK: &str = "catalog reused";

impl AgentServer {
    /// Returns the catalog that a node had before, if a compilation would have the same result.
    pub(super) fn again(
        &self,
        member: &Member,
        format: Format,
        request: &AgentRequest,
        cancel: &Cancel,
    ) -> Result<Option<Answer>, RouteError> {
        let Some(reuse) = &self.reuse else { return Ok(None) };
        let name = &member.node.name;
        let Some(kept) = reuse.get(name) else { return Ok(None) };
        let environment = &member.environment;
        if !kept.repeat.is_of(&environment.snapshot) || !environment.is_whole() {
            return Ok(None);
        }
        let version = self.bounded(cancel, || environment.version());
        let version = version.map_err(site_failure(name))?;
        if !self.bounded(cancel, || self.is_same(member, format, &kept)) {
            reuse.missed(name);
            return Ok(None);
        }
        let catalog_uuid = new_uuid()?;
        if let Some(said) = kept.said {
            let exports_nothing = kept.exports_nothing;
            let (catalog_uuid, environment) = (&*catalog_uuid, &*environment.name);
            let version = &version;
            let known = KnownCatalog {
                node: name,
                environment,
                version,
                said,
                catalog_uuid,
                exports_nothing,
            };
            // The store wants to hear all of it.
            if !self.record_again(&known, &Run::of(&request.query)) {
                return Ok(None);
            }
        }
        reuse.reused(name);
        self.log_entries(name, &kept.log);
        let mut stamp = String::new();
        json::write_stamp(&version, &catalog_uuid, &mut stamp);
        let mut answer = answer(&kept.packed, &stamp, format, request)?;
        answer.remark = Some(REMARK);
        Ok(Some(answer))
    }

    /// Returns whether a compilation would ask the same questions and get the same answers.
    fn is_same(&self, member: &Member, format: Format, kept: &KeptCatalog) -> bool {
        let request =
            self.request(member, Wanted { is_plain: format != Format::RichJson, has_debug: false });
        let environment = &member.environment;
        request.warnings.is_empty()
            && self.has_exports(&member.node.name, kept.exports)
            && kept.repeat.holds(&environment.snapshot, environment.strictness, &request)
    }

    /// Returns whether the store has the exports of a node, if nodes collect.
    fn has_exports(&self, node: &str, exports: Option<Digest>) -> bool {
        let Some(store) = &self.store else { return true };
        store.of_node(node).is_ok_and(|stored| digest(&stored) == exports)
    }

    /// Answers with a catalog that was compiled just now, and keeps it for the next time.
    pub(super) fn kept(
        &self,
        reuse: &Reuse,
        member: &Member,
        compiled: Compiled,
        (format, request): (Format, &AgentRequest),
    ) -> Result<Answer, RouteError> {
        let name = &member.node.name;
        let repeat = Repeat::of(&member.environment.snapshot, &compiled.inputs);
        let Compiled { catalog, mut log, .. } = compiled;
        let catalog = catalog.map_err(|error| RouteError::Failed(error.to_string()))?;
        let (text, stamp) = self.written(member, &catalog, Some(&Run::of(&request.query)))?;
        let (front, rest) = (&text[..stamp.start], &text[stamp.end..]);
        let packed = repeat.and_then(|repeat| Some((repeat, Packed::new(front, rest)?)));
        let Some((repeat, packed)) = packed else {
            reuse.missed(name);
            return Ok(Answer::new(hyper::StatusCode::OK, format.content_type(), text));
        };
        let answer = answer(&packed, &text[stamp], format, request);
        log.retain(|entry| entry.level >= Level::Warning);
        // Warnings about the node itself are no part of the record.
        if member.request().warnings.is_empty() {
            let said = self.records.as_ref().map(|_| self.said(&catalog, &text));
            let exports = digest(&Exported::all_of(&catalog));
            let exports_nothing = exports_nothing(&catalog);
            let kept = KeptCatalog { repeat, packed, log, said, exports, exports_nothing };
            reuse.keep(name, kept);
        }
        answer
    }

    /// Returns the request for the catalog of a node.
    pub(super) fn request(&self, member: &Member, wanted: Wanted) -> Request {
        let own = self.store.clone().map(|store| store as Arc<dyn Exports>);
        let remote = self.remote.as_ref().filter(|_| self.collects);
        let exports = own.or_else(|| Some(remote?.exports(&self.compilers)));
        let Wanted { is_plain, has_debug } = wanted;
        Request { exports, is_plain, has_debug, ..member.request() }
    }
}

/// Returns the identifier of a catalog.
pub(super) fn new_uuid() -> Result<String, RouteError> {
    uuid::random(&Disk).map_err(|error| RouteError::Failed(error.to_string()))
}

/// Returns whether no resource of a catalog is exported.
fn exports_nothing(catalog: &Catalog) -> bool {
    catalog.exported.is_empty() && !catalog.resources.iter().any(|resource| resource.is_exported)
}

/// Returns the digest of exported resources; none if there are none.
fn digest(exports: &[Exported]) -> Option<Digest> {
    (!exports.is_empty()).then(|| Digest::of(format!("{exports:?}").as_bytes()))
}

/// Returns a catalog as an answer: with gzip where the client takes it and it pays.
fn answer(
    packed: &Packed,
    stamp: &str,
    format: Format,
    request: &AgentRequest,
) -> Result<Answer, RouteError> {
    let length = packed.text_length(stamp.len());
    let is_long = length >= LEAST_COMPRESSED && takes_gzip(&request.headers);
    let gzip = is_long.then(|| packed.gzip(stamp)).flatten().filter(|bytes| bytes.len() < length);
    let new = |bytes| Answer::new(hyper::StatusCode::OK, format.content_type(), bytes);
    match gzip {
        Some(bytes) => Ok(compressed(new(bytes))),
        None => Ok(new(packed.text(stamp)?)),
    }
}
