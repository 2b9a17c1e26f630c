//! A thread that looks after environments, off the path of requests.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::server::AgentServer;

/// How often files are looked at.
const TICK: Duration = Duration::from_millis(100);

/// Starts the thread; it ends when the server is gone or stops.
pub(super) fn start(server: &Arc<AgentServer>) -> std::io::Result<()> {
    let server = Arc::downgrade(server);
    let builder = std::thread::Builder::new().name("deploys".to_owned());
    builder.spawn(move || while tend(&server) {}).map(drop)
}

/// Looks once; returns whether to go on.
fn tend(server: &Weak<AgentServer>) -> bool {
    std::thread::sleep(TICK);
    let Some(server) = server.upgrade().filter(|server| !server.is_stopping()) else {
        return false;
    };
    // A panic must not end the look after all other environments.
    let tended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| server.tend()));
    if tended.is_err() {
        server.say("internal-error", &[("thread", "deploys")]);
    }
    true
}
