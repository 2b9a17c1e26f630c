//! Activity of the server, which `kukla top` shows: slowest nodes, slowest classes, requests by route.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use kukla_compiler::{Part, PartKind};
use serde_json::{Value, json};

/// One compilation of so many is measured by class: measuring costs some percent.
const PROFILE_SHARE: u64 = 16;
/// The most names that are kept; names come from the outside.
const MOST_NAMES: usize = 10_000;
/// The number of names that are shown.
const SHOWN: usize = 20;

/// Counters by name.
#[derive(Debug)]
pub(super) struct Activity {
    start: Instant,
    n_compilations: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    nodes: HashMap<String, NodeTimes>,
    parts: HashMap<(PartKind, String), Times>,
    routes: HashMap<&'static str, Times>,
    n_failed: u64,
}

#[derive(Clone, Debug, Default)]
struct NodeTimes {
    environment: String,
    times: Times,
    last: Duration,
    has_failed: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Times {
    n: u64,
    sum: Duration,
    most: Duration,
}

impl Times {
    fn add(&mut self, time: Duration) {
        self.n += 1;
        self.sum += time;
        self.most = self.most.max(time);
    }

    fn mean(&self) -> Duration {
        self.sum.checked_div(u32::try_from(self.n).unwrap_or(u32::MAX)).unwrap_or_default()
    }
}

impl Default for Activity {
    fn default() -> Self {
        let (start, n_compilations) = (Instant::now(), AtomicU64::new(0));
        Self { start, n_compilations, state: Mutex::default() }
    }
}

impl Activity {
    /// Returns whether the next compilation is to be measured by class.
    pub(super) fn is_profile_due(&self) -> bool {
        self.n_compilations.fetch_add(1, Ordering::Relaxed).is_multiple_of(PROFILE_SHARE)
    }

    /// Counts a request.
    pub(super) fn answered(&self, route: &'static str, took: Duration) {
        self.lock().routes.entry(route).or_default().add(took);
    }

    /// Counts a compilation.
    pub(super) fn compiled(&self, node: &str, environment: &str, is_good: bool, took: Duration) {
        let mut state = self.lock();
        state.n_failed += u64::from(!is_good);
        if let Some(times) = entry(&mut state.nodes, node.to_owned()) {
            environment.clone_into(&mut times.environment);
            times.times.add(took);
            times.last = took;
            times.has_failed = !is_good;
        }
    }

    /// Counts the parts of a compilation that was measured.
    pub(super) fn profiled(&self, parts: &[Part]) {
        if parts.is_empty() {
            return;
        }
        let mut state = self.lock();
        for part in parts {
            if let Some(times) = entry(&mut state.parts, (part.kind, part.name.clone())) {
                times.add(part.own);
            }
        }
    }

    /// Returns everything as JSON, the slowest first.
    pub(super) fn json(&self) -> Value {
        let state = self.lock();
        let mut nodes: Vec<_> = state.nodes.iter().collect();
        nodes.sort_by_key(|(name, node)| (std::cmp::Reverse(node.times.mean()), *name));
        let node = |(name, node): &(&String, &NodeTimes)| {
            json!({
                "name": name, "environment": node.environment, "compilations": node.times.n,
                "mean_ms": milliseconds(node.times.mean()), "last_ms": milliseconds(node.last),
                "most_ms": milliseconds(node.times.most), "failed": node.has_failed,
            })
        };
        let mut parts: Vec<_> = state.parts.iter().collect();
        parts.sort_by_key(|((kind, name), times)| (std::cmp::Reverse(times.sum), *kind, name));
        let part = |((kind, name), times): &(&(PartKind, String), &Times)| {
            json!({
                "kind": kind.as_str(), "name": name, "catalogs": times.n,
                "mean_ms": milliseconds(times.mean()), "most_ms": milliseconds(times.most),
            })
        };
        let mut routes: Vec<_> = state.routes.iter().collect();
        routes.sort_by_key(|(name, times)| (std::cmp::Reverse(times.n), **name));
        let route = |(name, times): &(&&str, &Times)| {
            json!({
                "route": name, "requests": times.n, "mean_ms": milliseconds(times.mean()),
                "most_ms": milliseconds(times.most),
            })
        };
        json!({
            "version": 1,
            "uptime_seconds": self.start.elapsed().as_secs(),
            "compilations": self.n_compilations.load(Ordering::Relaxed),
            "failed_compilations": state.n_failed,
            "known_nodes": state.nodes.len(),
            "nodes": nodes.iter().take(SHOWN).map(node).collect::<Vec<_>>(),
            "code": parts.iter().take(SHOWN).map(part).collect::<Vec<_>>(),
            "routes": routes.iter().take(SHOWN).map(route).collect::<Vec<_>>(),
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the entry of a name; none for a new name when there are too many.
fn entry<K: Hash + Eq, V: Default>(map: &mut HashMap<K, V>, key: K) -> Option<&mut V> {
    match map.len() < MOST_NAMES {
        true => Some(map.entry(key).or_default()),
        false => map.get_mut(&key),
    }
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_come_first() {
        let activity = Activity::default();
        activity.compiled("quick", "production", true, Duration::from_millis(1));
        activity.compiled("slow", "production", false, Duration::from_millis(9));
        let all = activity.json();
        assert_eq!(all["nodes"][0]["name"], "slow");
        assert_eq!(all["nodes"][0]["mean_ms"], 9.0);
        assert_eq!((&all["known_nodes"], &all["failed_compilations"]), (&2.into(), &1.into()));
    }
}
