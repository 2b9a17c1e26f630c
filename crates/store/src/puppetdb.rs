//! An existing PuppetDB as the store: commands are sent to it from a queue, and queries are asked of it.
//!
//! Start reading at [`PuppetDb`] (servers and questions) and at [`Outbox`] (commands that wait). It is asked as a Puppet
//! Server with PuppetDB's terminus asks it: `puppetdb.conf`, the certificate of the server, fail-over in order. But a
//! command never waits for PuppetDB: [`Sender`] sends what the outbox has, in the order of each node.
//!
//! Invariant: what was accepted is sent at least once, or set aside where it can be read.

mod ask;
mod collect;
mod conf;
mod counters;
mod error;
mod outbox;
mod pass;
mod peer;
mod refused;
mod sender;
mod submit;
mod tls;
mod url;

pub use conf::{ConfError, ConfNote, ConfProblem, PuppetDbConf};
pub use counters::{Direction, PuppetDbCount};
pub use error::{AskError, PeerError, PuppetDbError};
pub use outbox::Outbox;
pub use pass::{PassReceiver, PassedHead, Question};
pub use refused::{RefusedCommand, RefusedFiles};
pub use sender::{Round, Sender};
pub use tls::{PuppetDbFiles, PuppetDbTlsError};
pub use url::{ServerUrl, UrlError};

use std::fmt;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

use tokio::runtime::{Builder, Runtime};

use counters::Counters;
use peer::Peer;
use tls::Tls;

/// The number of threads for connections; those who ask wait on their own.
const THREADS: usize = 2;

/// A function that is told of each server that gave no answer: the server, the path that was asked, and the reason.
pub type OnFailure = Box<dyn Fn(&str, &str, &PeerError) + Send + Sync>;

/// The servers of `puppetdb.conf`. Must not be used on a thread of an async runtime.
pub struct PuppetDb {
    conf: PuppetDbConf,
    /// Those of `server_urls`, and behind them those of `submit_only_server_urls`.
    peers: Vec<Arc<Peer>>,
    /// The server that answered a query last, among `server_urls`.
    sticky: AtomicUsize,
    counters: Arc<Counters>,
    runtime: Option<Runtime>,
    on_failure: OnceLock<OnFailure>,
}

impl fmt::Debug for PuppetDb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PuppetDb").field("place", &self.place()).finish_non_exhaustive()
    }
}

impl PuppetDb {
    /// Reads certificates; nothing is connected yet.
    pub fn open(conf: PuppetDbConf, files: PuppetDbFiles) -> Result<Self, PuppetDbError> {
        let urls = || conf.server_urls.iter().chain(&conf.submit_only_server_urls);
        let tls = match urls().any(|url| url.is_tls) {
            true => Some(Arc::new(Tls::open(files, conf.verify_client_certificate)?)),
            false => None,
        };
        let peers = urls().map(|url| Arc::new(Peer::new(url.clone(), tls.as_ref()))).collect();
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("puppetdb")
            .enable_all()
            .build()
            .map_err(PuppetDbError::Threads)?;
        let (sticky, counters, on_failure) = Default::default();
        Ok(Self { conf, peers, sticky, counters, runtime: Some(runtime), on_failure })
    }

    /// Sets the function that is told of servers which gave no answer to a question; the first one counts.
    pub fn on_failure(&self, tell: OnFailure) {
        let _ = self.on_failure.set(tell);
    }

    fn say_failure(&self, server: &str, target: &str, error: &PeerError) {
        if let Some(tell) = self.on_failure.get() {
            tell(server, target, error);
        }
    }

    /// Returns the settings.
    pub fn conf(&self) -> &PuppetDbConf {
        &self.conf
    }

    /// Returns the addresses of all servers.
    pub fn place(&self) -> String {
        let urls: Vec<String> = self.peers.iter().map(|peer| peer.url.to_string()).collect();
        urls.join(", ")
    }

    /// Returns counts of exchanges.
    pub fn counts(&self) -> Vec<PuppetDbCount> {
        self.counters.list()
    }

    /// Returns `server_urls` as the terminus writes them into its messages.
    fn named(&self) -> String {
        let urls: Vec<String> = self.conf.server_urls.iter().map(ToString::to_string).collect();
        urls.join(", ")
    }

    /// Drives a future on this thread.
    fn wait<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.runtime.as_ref().map(|runtime| runtime.block_on(work))
    }
}

impl Drop for PuppetDb {
    fn drop(&mut self) {
        // The last owner may be a task of another runtime, which must not wait.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
