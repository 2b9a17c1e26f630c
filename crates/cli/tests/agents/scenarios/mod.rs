//! The table of scenarios.

mod catalogs;
mod certificates;
mod files;
mod plugins;

use crate::stage::Stage;

/// A scenario.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// Whether every test run plays it: it takes few runs of an agent.
    pub(crate) is_quick: bool,
    pub(crate) place: Where,
    pub(crate) play: fn(&Stage),
}

/// The servers and agents that a scenario is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// All.
    Beside,
    /// Kukla: Puppet Server 7 alone can't do it.
    Alone,
    /// Kukla, with an agent of version 8 or later.
    Later,
}

impl Where {
    /// Returns whether Kukla plays the scenario with an agent of this version.
    pub(crate) fn takes(self, version: u32) -> bool {
        self != Self::Later || version >= 8
    }
}

const fn quick(name: &'static str, play: fn(&Stage)) -> Scenario {
    Scenario { name, is_quick: true, place: Where::Beside, play }
}

const fn beside(name: &'static str, play: fn(&Stage)) -> Scenario {
    Scenario { name, is_quick: false, place: Where::Beside, play }
}

const fn alone(name: &'static str, place: Where, play: fn(&Stage)) -> Scenario {
    Scenario { name, is_quick: false, place, play }
}

pub(crate) static SCENARIOS: &[Scenario] = &[
    quick("first run, signed by a list; second run", certificates::first_run),
    quick("manual signing", certificates::manual),
    beside("signed by a program", certificates::program),
    beside("revoked and cleaned agents", certificates::revoked),
    beside("a list of revoked certificates that agents refresh", certificates::refreshed),
    beside("extensions of a request in trusted facts", certificates::extensions),
    // Puppet 7.23 can't with OpenSSL 3.
    alone("an agent with a key on a curve", Where::Later, certificates::curve),
    alone("renewal of a certificate", Where::Later, certificates::renewal),
    beside("types, facts and functions of modules", plugins::own),
    beside("plugins of Debian's modules", plugins::debian),
    quick("files: single, recursive, binary, links, names", files::sources),
    beside("a file of 200 MB", files::large),
    beside("backup in the bucket, and back", files::bucket),
    beside("environment of the agent and of the classifier", catalogs::environments),
    beside("noop", catalogs::noop),
    quick("Sensitive, Binary, Deferred", catalogs::rich),
    alone("exported resources", Where::Alone, catalogs::exported),
    // Puppet Server 7 would do it too, but takes minutes to start with another setting.
    alone("a report processor of a module", Where::Alone, catalogs::processor),
    beside("cached catalog on failure", catalogs::cached),
    beside("errors of the compiler and of resources", catalogs::errors),
    beside("commands of Puppet", catalogs::commands),
];
