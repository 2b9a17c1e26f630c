//! Where the time of a compilation goes: by class, define, function, template and lookup.

use std::time::Duration;

use indexmap::IndexMap;
use kukla_pcore::Value;
use kukla_world::clock::Stopwatch;

use super::{CatalogHost, Interpreter};

/// The kind of a part of a compilation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum PartKind {
    /// The code of a class.
    Class,
    /// The code of a defined type, all resources together.
    Define,
    /// The code of a node.
    Node,
    /// A function, all calls together.
    Function,
    /// A template.
    Template,
    /// A key that was looked up.
    Lookup,
}

impl PartKind {
    /// As people call it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Define => "define",
            Self::Node => "node",
            Self::Function => "function",
            Self::Template => "template",
            Self::Lookup => "lookup",
        }
    }
}

/// A part of a compilation, and its time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its kind.
    pub kind: PartKind,
    /// `apache::vhost`
    pub name: String,
    /// How often it was run.
    pub n_runs: usize,
    /// From its beginning to its end.
    pub total: Duration,
    /// The time that it took, without the parts in it.
    pub own: Duration,
}

/// The times of a compilation.
#[derive(Debug, Default)]
pub(crate) struct Profile {
    times: IndexMap<(PartKind, String), Times>,
    /// Parts that have begun and not ended.
    running: Vec<Running>,
}

#[derive(Debug, Default)]
struct Times {
    n_runs: usize,
    /// How often it has begun without having ended: what calls itself counts once.
    n_running: usize,
    total: Duration,
    own: Duration,
}

#[derive(Debug)]
struct Running {
    part: usize,
    start: Stopwatch,
    inner: Duration,
}

impl Profile {
    fn begin(&mut self, kind: PartKind, name: String) {
        let entry = self.times.entry((kind, name));
        let part = entry.index();
        let times = entry.or_default();
        times.n_runs += 1;
        times.n_running += 1;
        self.running.push(Running { part, start: Stopwatch::start(), inner: Duration::ZERO });
    }

    fn end(&mut self) {
        let Some(ended) = self.running.pop() else { return };
        let spent = ended.start.elapsed();
        if let Some(outer) = self.running.last_mut() {
            outer.inner += spent;
        }
        let Some((_, times)) = self.times.get_index_mut(ended.part) else { return };
        times.own += spent.saturating_sub(ended.inner);
        times.n_running -= 1;
        if times.n_running == 0 {
            times.total += spent;
        }
    }

    /// All parts, those with most time of their own first.
    pub(crate) fn parts(self) -> Vec<Part> {
        let part = |((kind, name), times): ((PartKind, String), Times)| {
            let Times { n_runs, total, own, .. } = times;
            Part { kind, name, n_runs, total, own }
        };
        let mut parts: Vec<Part> = self.times.into_iter().map(part).collect();
        parts.sort_by(|left, right| {
            let by_time = right.own.cmp(&left.own);
            by_time.then_with(|| (left.kind, &left.name).cmp(&(right.kind, &right.name)))
        });
        parts
    }
}

impl<C: CatalogHost> Interpreter<C> {
    /// Notes that a part begins, if times are measured.
    #[inline]
    pub(crate) fn begin_part(&mut self, part: impl FnOnce() -> (PartKind, String)) {
        if let Some(profile) = &mut self.profile {
            let (kind, name) = part();
            profile.begin(kind, name);
        }
    }

    /// Notes that the part that began last has ended.
    #[inline]
    pub(crate) fn end_part(&mut self) {
        if let Some(profile) = &mut self.profile {
            profile.end();
        }
    }
}

/// The part that a call of a function is: templates and lookups go by what they are asked for.
pub(crate) fn of_call(name: &str, arguments: &[Value]) -> (PartKind, String) {
    let first = arguments.first().and_then(Value::as_str);
    match (name, first) {
        ("template" | "epp", Some(file)) => (PartKind::Template, file.to_owned()),
        ("lookup" | "hiera" | "hiera_array" | "hiera_hash" | "hiera_include", Some(key)) => {
            (PartKind::Lookup, key.to_owned())
        }
        _ => (PartKind::Function, name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_calls_itself_counts_once_and_own_times_add_up() {
        let mut profile = Profile::default();
        let begin = |profile: &mut Profile, name: &str| {
            profile.begin(PartKind::Function, name.to_owned());
        };
        begin(&mut profile, "f");
        begin(&mut profile, "f");
        begin(&mut profile, "g");
        kukla_world::clock::pause(Duration::from_millis(5));
        profile.end();
        profile.end();
        profile.end();
        // One end too many does no harm.
        profile.end();
        let parts = profile.parts();
        let names: Vec<(&str, usize)> =
            parts.iter().map(|part| (part.name.as_str(), part.n_runs)).collect();
        assert_eq!(names, [("g", 1), ("f", 2)]);
        let (g, f) = (&parts[0], &parts[1]);
        assert!(g.own >= Duration::from_millis(5) && f.own < g.own, "{parts:?}");
        assert!(f.total >= g.total && f.total < g.total * 2, "{parts:?}");
        assert_eq!(f.own + g.own, f.total);
    }
}
