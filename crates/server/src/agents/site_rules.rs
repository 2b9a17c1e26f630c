//! Rules of access that a site writes itself in P, in place of `auth.conf`.
//!
//! They see what `auth.conf` can't say: facts, classes, addresses, times. A request is decided about before its body is
//! read, unless the program asks for facts or classes; then a request for a catalog waits until both are there.
//! `Route.to` hands the node's requests to a group ([`super::groups`]).

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use bumpalo::Bump;
use kukla_plang::check::Options;
use kukla_plang::compiled;
use kukla_plang::ip::Ip;
use kukla_plang::message::{Clock, Message, Request, Tls};
use kukla_plang::modules::puppet;
use kukla_plang::program::Node;
use kukla_plang::registry::Registry;
use kukla_plang::services::NoServices;
use kukla_plang::transaction::Transaction;
use kukla_plang::verdict::Verdict;

use super::exchange::Client;
use super::policy::{Denial, PolicyError};
use super::target::Target;
use crate::rules::{Live, Rules, Tried};

/// The program of a site.
#[derive(Debug)]
pub struct SiteRules {
    path: PathBuf,
    rules: Rules,
    tried: Mutex<Tried>,
}

/// Facts and classes of the node whose catalog is requested.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known<'a> {
    pub(super) facts: Option<&'a serde_json::Value>,
    pub(super) classes: &'a [String],
}

/// The parts of a request that a program asks for and that are not in its head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wants {
    pub(super) facts: bool,
    pub(super) classes: bool,
}

impl Wants {
    /// Whether there is any.
    pub(super) fn any(self) -> bool {
        self.facts || self.classes
    }
}

impl SiteRules {
    /// Reads a program, which may name these groups.
    pub fn open(path: &Path, groups: Vec<String>) -> Result<Self, PolicyError> {
        let invalid =
            |message: String| PolicyError::Invalid { path: path.display().to_string(), message };
        let registry = Some(Registry { pools: Some(groups), ..Registry::default() });
        let options = Options { registry, ..Options::default() };
        let rules = Rules::open(path, options).map_err(|error| invalid(error.to_string()))?;
        let live = rules.live();
        if !live.compiled.program.decides {
            return Err(invalid("it decides nothing: every request would be denied".to_owned()));
        }
        Ok(Self { path: path.to_owned(), rules, tried: Mutex::default() })
    }

    /// Returns the name of the file.
    pub(super) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Reads the program again if its files have changed; one with errors leaves the rules as they were.
    pub(super) fn refresh(&self) -> Option<Result<(), PolicyError>> {
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        let reloaded = self.rules.refresh(&mut tried)?;
        Some(reloaded.map(|_| ()).map_err(|error| PolicyError::Invalid {
            path: self.name(),
            message: error.to_string(),
        }))
    }

    /// Returns what the program asks for beside the head of a request.
    pub(super) fn wants(&self) -> Wants {
        wants(&self.rules.live())
    }

    /// Decides about a request; returns the group that it is handed to.
    pub(super) fn decide(
        &self,
        method: &str,
        target: &Target,
        client: &Client,
        known: Known<'_>,
    ) -> Result<Option<String>, Denial> {
        let live = self.rules.live();
        let arena = Bump::new();
        let tls = Tls {
            is_verified: client.certname.is_some(),
            common_name: client.certname.as_deref().map(str::as_bytes),
            alt_names: &client.alt_names,
            extensions: &client.extensions,
        };
        let request = Request {
            method: method.as_bytes(),
            scheme: b"https",
            path: target.path.as_bytes(),
            raw_path: target.path.as_bytes(),
            query: target.raw_query.as_bytes(),
            version: b"HTTP/1.1",
            client: Ip::parse(client.address.to_canonical().to_string().as_bytes()),
            is_persistent: true,
            tls,
            ..Request::default()
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let clock = Clock::at(i64::try_from(now).unwrap_or(0), 0);
        let Known { facts, classes } = known;
        let message = Message { clock, facts, classes, ..Message::new(request) };
        let transaction = Transaction::new(&message, &arena, &live.compiled.program.limits);
        let outcome = compiled::run(&live.compiled, transaction, &mut NoServices);
        let denied = |rule: String| Err(self.denial(rule, &live.place(&outcome)));
        match outcome.verdict(&live.compiled.program) {
            Verdict::Allow => {
                let pool = outcome.transaction.state().route.pool;
                Ok(pool.map(|pool| String::from_utf8_lossy(pool).into_owned()))
            }
            Verdict::Deny(rule) => denied(String::from_utf8_lossy(rule).into_owned()),
            Verdict::Fail(fail) => denied(format!("the rules failed: {}", fail.code().words())),
            Verdict::Pass
            | Verdict::Challenge(_)
            | Verdict::Respond(..)
            | Verdict::Answered
            | Verdict::NoDecision => denied("no decision".to_owned()),
        }
    }

    /// Returns a denial with the line in a place, `policy.p:12`.
    fn denial(&self, rule: String, place: &str) -> Denial {
        let line = place.rsplit_once(':').and_then(|(_, line)| line.parse().ok());
        Denial { rule, line }
    }
}

fn wants(live: &Live) -> Wants {
    let mut wants = Wants::default();
    for node in &live.compiled.program.nodes {
        if let Node::Read(access) | Node::Act(access) = node {
            let is_of = |members: &'static [kukla_plang::module::Member]| {
                members.iter().any(|member| std::ptr::eq(member, access.member))
            };
            wants.facts |= is_of(puppet::FACTS.members);
            wants.classes |= is_of(puppet::NODE.members);
        }
    }
    wants
}
