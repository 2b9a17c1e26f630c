//! The store: its setting, and PuppetDB if that is it.

use kukla_site::settings::StorePlace;
use kukla_site::{Sent, StoreReason};
use kukla_store::puppetdb::{PeerError, PuppetDb};

use super::findings::{Findings, Severity};
use crate::serve::layout::Layout;

/// Checks the setting, and asks each server of PuppetDB for its version.
pub(super) fn check(layout: &Layout, findings: &mut Findings) {
    let settings = &layout.settings;
    let path = settings.text("route_file").unwrap_or_default();
    // The choice of the store reads the routes too, and a mistake is said once.
    let Some(routes) = findings.take(&path, settings.routes(&layout.anchor)) else { return };
    for note in &routes.notes {
        let words = format!("line {}: {}", note.line, note.words);
        findings.add(Severity::Note, path.clone(), words);
    }
    let choice = settings.store_choice(&layout.anchor);
    let Some(choice) = findings.take("puppet.conf", choice) else { return };
    findings.take("puppet.conf", settings.has_bucket_in(&choice.place));
    if layout.conf_d.flag(&["jruby-puppet", "track-lookups"]) {
        let words = "`track-lookups` has no effect: catalog inputs are not made";
        findings.add(Severity::Note, "puppetserver.conf", words.to_owned());
    }
    let StorePlace::PuppetDb(place) = choice.place else { return };
    let path = place.clone().unwrap_or_else(|| settings.puppetdb_conf(&layout.anchor));
    let subject = path.display().to_string();
    if choice.reason != StoreReason::Setting {
        let words = format!(
            "{} go to PuppetDB, because of {}; `store = sqlite` keeps them here",
            sent(choice.sent),
            choice.reason
        );
        findings.add(Severity::Note, "store", words);
    }
    let conf = settings.read_puppetdb_conf(place.as_deref(), &layout.anchor);
    let Some(conf) = findings.take(&subject, conf) else { return };
    for note in &conf.notes {
        let words = format!("line {}: `{}`: {}", note.line, note.setting, note.reason);
        findings.add(Severity::Note, subject.clone(), words);
    }
    let files = settings.puppetdb_files(&layout.anchor);
    if !files.certificate.exists() && layout.has_authority() {
        // A start makes it; the check of certificates says so.
        return;
    }
    let Some(puppetdb) = findings.take("certificates", PuppetDb::open(conf, files)) else { return };
    for (server, version) in puppetdb.versions() {
        match version {
            Ok(version) => findings.add(Severity::Note, server, format!("PuppetDB {version}")),
            Err(error) => findings.add(severity(&error), server, format!("PuppetDB: {error}")),
        }
    }
}

/// Returns the data that PuppetDB gets, in words.
fn sent(Sent { facts, catalogs, reports }: Sent) -> &'static str {
    match (facts, catalogs, reports) {
        (true, true, true) => "facts, catalogs and reports",
        (true, true, false) => "facts and catalogs",
        (true, false, true) => "facts and reports",
        (false, true, true) => "catalogs and reports",
        (true, false, false) => "facts",
        (false, true, false) => "catalogs",
        (false, false, true) => "reports",
        (false, false, false) => "questions",
    }
}

/// Returns how bad it is that a server gives no version: the queue bridges a server that is down.
fn severity(error: &PeerError) -> Severity {
    match error.is_of_certificates() {
        true => Severity::Error,
        false => Severity::Warning,
    }
}
