//! The thread that stores commands, and another that removes what is old.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use kukla_store::Drained;

use super::Records;
use crate::agents::server::AgentServer;

/// How long the thread waits for commands before it looks whether the server stops.
const WAIT: Duration = Duration::from_millis(200);
/// How long it waits after an error of the store.
const PAUSE: Duration = Duration::from_secs(2);
/// How often old things are removed.
const COMPACTION: Duration = Duration::from_secs(3600);
/// How long after the start they are removed for the first time.
const FIRST_COMPACTION: Duration = Duration::from_secs(300);

/// Starts the threads; they end when the server is gone.
pub(in crate::agents) fn start(server: &Arc<AgentServer>) -> std::io::Result<()> {
    if server.records.is_none() {
        return Ok(());
    }
    let own = Arc::downgrade(server);
    std::thread::Builder::new().name("store".to_owned()).spawn(move || while store(&own) {})?;
    let own = Arc::downgrade(server);
    let mut due = Instant::now() + FIRST_COMPACTION;
    let builder = std::thread::Builder::new().name("compaction".to_owned());
    builder.spawn(move || while compact(&own, &mut due) {}).map(drop)
}

/// Stores what waits; returns whether to go on.
fn store(server: &Weak<AgentServer>) -> bool {
    let Some(server) = server.upgrade() else { return false };
    let Some(records) = &server.records else { return false };
    if !records.queue.wait(WAIT) {
        return false;
    }
    // A panic must not end the storing of all other commands.
    let drain = std::panic::AssertUnwindSafe(|| server.drain(records));
    if !std::panic::catch_unwind(drain).unwrap_or(false) {
        std::thread::sleep(PAUSE);
    }
    true
}

/// Removes old things when it is time; returns whether to go on.
fn compact(server: &Weak<AgentServer>, due: &mut Instant) -> bool {
    std::thread::sleep(WAIT);
    let Some(server) = server.upgrade().filter(|server| !server.is_stopping()) else {
        return false;
    };
    let Some(records) = &server.records else { return false };
    if Instant::now() < *due {
        return true;
    }
    *due = Instant::now() + COMPACTION;
    match records.store.compact(records.retention) {
        Ok(done) => {
            let numbers = [done.expired_nodes, done.purged_nodes, done.reports, done.content];
            let [expired, purged, reports, content] = numbers.map(|n| n.to_string());
            server.say(
                "compaction",
                &[
                    ("expired_nodes", &expired),
                    ("purged_nodes", &purged),
                    ("reports", &reports),
                    ("content", &content),
                ],
            );
        }
        Err(error) => server.say("store-failed", &[("error", &error.to_string())]),
    }
    true
}

impl AgentServer {
    /// Stores a group of commands; returns whether the store works.
    fn drain(&self, records: &Records) -> bool {
        match records.queue.drain(&records.store) {
            Ok(Drained { discarded, .. }) => {
                for (command, error) in discarded {
                    let error = error.to_string();
                    self.say("discarded", &[("command", &command), ("error", &error)]);
                }
                true
            }
            Err(error) => {
                self.say("store-failed", &[("error", &error.to_string())]);
                false
            }
        }
    }

    /// Stores everything that waits, at the end of the server.
    pub(in crate::agents) fn drain_records(&self, limit: Duration) {
        let Some(records) = &self.records else { return };
        let start = Instant::now();
        while records.queue.waiting().records > 0 && start.elapsed() < limit {
            std::thread::sleep(Duration::from_millis(5));
        }
        if let Err(error) = records.queue.clear() {
            self.say("store-failed", &[("error", &error.to_string())]);
        }
        records.queue.close();
    }
}
