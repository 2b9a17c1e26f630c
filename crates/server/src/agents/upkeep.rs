//! Work that is done now and then: revocation lists that are about to expire, and files that killed processes left.

use std::path::Path;
use std::time::Duration;

use kukla_world::durable;

use super::server::AgentServer;

/// A file that is being written is finished long before it has this age.
const STALE: Duration = Duration::from_secs(600);

impl AgentServer {
    /// Signs revocation lists anew in time, and removes what killed processes left.
    pub(super) fn keep_up(&self) {
        self.keep_up_lists();
        let facts = self.site.vardir().join("server_data/facts");
        let swept = durable::sweep_stale(&facts, STALE);
        let reports = self.files.report_directory();
        let hosts = std::fs::read_dir(reports).into_iter().flatten().flatten();
        let swept = hosts.fold(swept, |swept, host| swept + sweep(&host.path()));
        if swept > 0 {
            self.say("swept", &[("files", &swept.to_string())]);
        }
    }

    fn keep_up_lists(&self) {
        let refreshed = self.authority.as_ref().map(|authority| authority.refresh_crls());
        match refreshed {
            Some(Ok(true)) => {
                self.say(
                    "crl",
                    &[("message", "the revocation list was signed anew before its end")],
                );
            }
            Some(Err(error)) => {
                let error = error.to_string();
                self.say("crl-failed", &[("error", &error)]);
            }
            Some(Ok(false)) | None => (),
        }
        for issuer in self.tls.iter().flat_map(|tls| tls.expired_lists()) {
            let words =
                "the revocation list has expired: certificates that were revoked later still count";
            self.say("crl-expired", &[("issuer", &issuer), ("message", words)]);
        }
    }
}

fn sweep(directory: &Path) -> usize {
    durable::sweep_stale(directory, STALE)
}
