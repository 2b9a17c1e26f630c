//! Serialized manifests of environments (XPP), built after each deploy by a thread of their own.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use kukla_site::{OpenEnvironment, Trees as Built, Xpp};

use super::server::AgentServer;

/// Environments whose trees are to be built.
#[derive(Debug, Default)]
pub(super) struct Trees(Mutex<Pending>);

#[derive(Debug, Default)]
struct Pending {
    environments: VecDeque<Arc<OpenEnvironment>>,
    is_running: bool,
}

impl Trees {
    /// Builds the tree of an environment if its setting `xpp` is on; does not wait for it.
    pub(super) fn want(&self, server: &Arc<AgentServer>, environment: Arc<OpenEnvironment>) {
        if environment.snapshot.xpp() == Xpp::Off {
            return;
        }
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A revision that was replaced before its turn needs no tree.
        pending.environments.retain(|other| other.name != environment.name);
        pending.environments.push_back(environment);
        if !std::mem::replace(&mut pending.is_running, true) {
            let server = Arc::downgrade(server);
            let builder = std::thread::Builder::new().name("xpp".to_owned());
            if builder.spawn(move || while build_next(&server) {}).is_err() {
                pending.is_running = false;
            }
        }
    }

    fn next(&self) -> Option<Arc<OpenEnvironment>> {
        let mut pending = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = pending.environments.pop_front();
        pending.is_running = next.is_some();
        next
    }
}

/// Builds the next tree; returns whether there may be more.
fn build_next(server: &Weak<AgentServer>) -> bool {
    let Some(server) = server.upgrade() else { return false };
    let Some(environment) = server.trees.next() else { return false };
    let name = environment.name.as_str();
    let built = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        environment.build_trees(server.site.anchor())
    }));
    match built {
        Ok(Ok(Built { n_written, n_kept, n_without })) => {
            let counts = [n_written, n_kept, n_without].map(|count| count.to_string());
            let [written, kept, without] = &counts;
            let fields =
                [("environment", name), ("written", written), ("kept", kept), ("without", without)];
            server.say("xpp", &fields);
        }
        Ok(Err(error)) => {
            let error = error.to_string();
            server.say("xpp-failed", &[("environment", name), ("error", &error)]);
        }
        Err(_) => server.say("internal-error", &[("thread", "xpp"), ("environment", name)]),
    }
    true
}
