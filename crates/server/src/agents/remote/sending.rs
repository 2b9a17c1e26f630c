//! The thread that sends what waits.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use kukla_store::StoreError;
use kukla_store::puppetdb::{Round, Sender};

use super::{Remote, refused_files};
use crate::agents::server::AgentServer;

/// How long the thread waits for commands before it looks whether the server is still there.
const WAIT: Duration = Duration::from_millis(200);
/// How long it waits after an error of this machine.
const PAUSE: Duration = Duration::from_secs(2);
/// The most of an answer in the log.
const MOST_WORDS: usize = 300;

/// Starts the thread; it ends when the server is gone or closes its queue.
pub(in crate::agents) fn start(server: &Arc<AgentServer>) -> std::io::Result<()> {
    let Some(remote) = &server.remote else { return Ok(()) };
    let (puppetdb, outbox) = (Arc::clone(&remote.puppetdb), Arc::clone(&remote.outbox));
    let mut sender = Sender::new(puppetdb, outbox, refused_files(&server.site));
    let own = Arc::downgrade(server);
    let builder = std::thread::Builder::new().name("puppetdb-queue".to_owned());
    builder.spawn(move || while send(&own, &mut sender) {}).map(drop)
}

/// Sends what waits once; returns whether to go on.
fn send(server: &Weak<AgentServer>, sender: &mut Sender) -> bool {
    let Some(server) = server.upgrade() else { return false };
    let Some(remote) = &server.remote else { return false };
    if !remote.outbox.wait(WAIT) {
        return false;
    }
    // A panic must not end the sending of all other commands.
    let round = catch_unwind(AssertUnwindSafe(|| sender.round()));
    let pause = match round {
        Ok(Ok(round)) => {
            server.say_round(remote, &round);
            let is_idle =
                round.n_sent == 0 && round.refused.is_empty() && round.unusable.is_empty();
            match round.is_stuck {
                true => sender.pause(),
                false if is_idle => WAIT,
                false => return true,
            }
        }
        Ok(Err(error)) => {
            server.say_failure(&error);
            PAUSE
        }
        Err(_) => {
            server.say("internal-error", &[("thread", "puppetdb-queue")]);
            PAUSE
        }
    };
    let outbox = Arc::clone(&remote.outbox);
    // The server may go while this thread waits.
    drop(server);
    outbox.pause(pause)
}

impl AgentServer {
    fn say_failure(&self, error: &StoreError) {
        self.say("store-failed", &[("error", &error.to_string())]);
    }

    /// Writes to the log what a round did that people should know.
    fn say_round(&self, remote: &Remote, round: &Round) {
        for refused in &round.refused {
            remote.n_refused.fetch_add(1, Ordering::Relaxed);
            let status = refused.status.to_string();
            let words: String = refused.words.chars().take(MOST_WORDS).collect();
            self.say(
                "command-refused",
                &[
                    ("node", &refused.node),
                    ("command", &refused.command),
                    ("server", &refused.server),
                    ("status", &status),
                    ("answer", &words),
                ],
            );
        }
        for reason in &round.unusable {
            remote.n_unusable.fetch_add(1, Ordering::Relaxed);
            self.say("discarded", &[("command", "unknown"), ("error", &reason.to_string())]);
        }
        for (server, error) in &round.failures {
            let waiting = remote.outbox.waiting().records.to_string();
            let error = error.to_string();
            let fields = [("server", server.as_str()), ("error", &error), ("waiting", &waiting)];
            self.say("puppetdb-failed", &fields);
        }
        let was_stuck = remote.is_stuck.swap(round.is_stuck, Ordering::Relaxed);
        if was_stuck && !round.is_stuck && round.n_sent > 0 {
            let waiting = remote.outbox.waiting().records.to_string();
            self.say("puppetdb-back", &[("waiting", &waiting)]);
        }
    }

    /// Sends what waits, at the end of the server, unless PuppetDB takes nothing: then it waits for the next start.
    pub(in crate::agents) fn drain_remote(&self, limit: Duration) {
        let Some(remote) = &self.remote else { return };
        let start = Instant::now();
        let is_moving = || !remote.is_stuck.load(Ordering::Relaxed) && start.elapsed() < limit;
        while remote.outbox.waiting().records > 0 && is_moving() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let waiting = remote.outbox.waiting().records;
        if waiting > 0 {
            self.say("commands-wait", &[("waiting", &waiting.to_string())]);
        }
        if let Err(error) = remote.outbox.clear() {
            self.say_failure(&error);
        }
        remote.outbox.close();
    }
}
