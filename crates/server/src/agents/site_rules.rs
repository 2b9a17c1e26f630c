//! Rules of access that a site writes itself in P, in place of `auth.conf`.
//!
//! They see what `auth.conf` can't say: facts, classes, addresses, times. A request is decided about before its body is
//! read, unless the program asks for data that it brings ([`super::brought`]).
//! `Route.to` hands the node's requests to a group ([`super::groups`]).

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use bumpalo::Bump;
use hyper::{HeaderMap, Version};
use kukla_plang::check::Options;
use kukla_plang::compiled;
use kukla_plang::ip::Ip;
use kukla_plang::message::{Clock, Message, Order, Pair, Request, Tls};
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

/// The head of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestHead<'a> {
    pub(super) method: &'a str,
    pub(super) target: &'a Target,
    pub(super) headers: &'a HeaderMap,
    pub(super) version: Version,
    pub(super) client: &'a Client,
}

/// Data of a request beside its head.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known<'a> {
    pub(super) facts: Option<&'a serde_json::Value>,
    pub(super) classes: Option<&'a [String]>,
    /// The node and environment that the body names.
    pub(super) order: Option<Order<'a>>,
    pub(super) code_id: Option<&'a str>,
}

/// The data that a program asks for and that are not in the head of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wants {
    pub(super) facts: bool,
    pub(super) classes: bool,
    /// The node or the environment, which a body may name.
    pub(super) names: bool,
    pub(super) code: bool,
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
        head: RequestHead<'_>,
        known: Known<'_>,
    ) -> Result<Option<String>, Denial> {
        let RequestHead { method, target, headers, version, client } = head;
        let live = self.rules.live();
        let arena = Bump::new();
        let headers = headers
            .iter()
            .map(|(name, value)| Pair { name: name.as_str().as_bytes(), value: value.as_bytes() });
        let headers: Vec<Pair<'_>> = headers.collect();
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
            version: version_text(version),
            headers: &headers,
            client: Ip::parse(client.address.to_canonical().to_string().as_bytes()),
            is_persistent: true,
            tls,
            ..Request::default()
        };
        let request = request.with_host(&arena);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let clock = Clock::at(i64::try_from(now).unwrap_or(0), 0);
        let Known { facts, classes, order, code_id } = known;
        let message = Message { clock, facts, classes, order, code_id, ..Message::new(request) };
        let transaction = Transaction::new(&message, &arena, &live.compiled.program.limits);
        let outcome = compiled::run(&live.compiled, transaction, &mut NoServices);
        let denied = |rule: String| {
            let (file, line) = live.file_and_line(&outcome);
            Err(Denial { rule, file: Some(file), line })
        };
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
}

fn version_text(version: Version) -> &'static [u8] {
    match version {
        Version::HTTP_10 => b"HTTP/1.0",
        Version::HTTP_2 => b"HTTP/2",
        _ => b"HTTP/1.1",
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
            let is_named = |name: &str| access.member.name == name;
            wants.names |=
                is_of(puppet::REQUEST.members) && (is_named("node") || is_named("environment"));
            wants.code |= is_of(puppet::MODULE.members) && is_named("codeId");
        }
    }
    wants
}
