//! Rules of access: `auth.conf` as a program of P, read again when the file changes.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use bumpalo::Bump;
use hyper::Method;
use kukla_plang::compiled::{self, Compiled};
use kukla_plang::message::{Clock, Message, Request, Tls};
use kukla_plang::services::NoServices;
use kukla_plang::transaction::Transaction;
use kukla_plang::verdict::Verdict;
use kukla_plang::{Options, check};

use super::exchange::Client;
use super::stamps::Stamps;
use super::target::Target;
use crate::auth_conf::{self, ImportError};
use crate::files::read_regular;

/// The rules of a server without an `auth.conf`: those that Puppet Server has.
const STOCK: &str = include_str!("stock_auth.conf");

/// Rules that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The file can't be read.
    #[error("cannot read `{}`: {error}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        error: std::io::Error,
    },
    /// The file can't be translated.
    #[error("`{path}`: {error}")]
    Import {
        /// The file.
        path: String,
        /// The reason.
        error: ImportError,
    },
    /// The translation has errors.
    #[error("`{path}`: {message}")]
    Invalid {
        /// The file.
        path: String,
        /// The first error.
        message: String,
    },
}

/// A rule that denies a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Denial {
    /// The name of the rule, or the reason if none decides.
    pub(super) rule: String,
    /// The file, if it is not the one with the rules but one that it imports.
    pub(super) file: Option<String>,
    /// The line of the file that denies, or on which the rule has its name.
    pub(super) line: Option<usize>,
}

/// A translated file.
#[derive(Debug)]
struct LivePolicy {
    compiled: Compiled,
    /// Names of rules and their lines.
    lines: Vec<(String, usize)>,
}

/// Rules in use.
#[derive(Debug)]
pub struct Policy {
    path: Option<PathBuf>,
    live: RwLock<Arc<LivePolicy>>,
    stamps: RwLock<Stamps>,
}

impl Policy {
    /// Reads the rules of a file; without one, those that Puppet Server has.
    pub fn open(path: Option<PathBuf>) -> Result<Self, PolicyError> {
        let stamps = Stamps::of(path.as_slice());
        let live = load(path.as_deref())?;
        Ok(Self { path, live: RwLock::new(Arc::new(live)), stamps: RwLock::new(stamps) })
    }

    /// Reads the file again if it has changed; a file with errors leaves the rules as they were.
    pub(super) fn refresh(&self) -> Option<Result<(), PolicyError>> {
        let stamps = Stamps::of(self.path.as_slice());
        if *self.stamps.read().unwrap_or_else(PoisonError::into_inner) == stamps {
            return None;
        }
        *self.stamps.write().unwrap_or_else(PoisonError::into_inner) = stamps;
        Some(load(self.path.as_deref()).map(|live| {
            *self.live.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(live);
        }))
    }

    /// Returns the name of the file for people.
    pub(super) fn name(&self) -> String {
        name(self.path.as_deref())
    }

    /// Decides about a request; the error is the rule that denies it.
    pub(super) fn decide(
        &self,
        method: &Method,
        target: &Target,
        client: &Client,
    ) -> Result<(), Denial> {
        let live = Arc::clone(&self.live.read().unwrap_or_else(PoisonError::into_inner));
        let arena = Bump::new();
        let tls = Tls {
            is_verified: client.certname.is_some(),
            common_name: client.certname.as_deref().map(str::as_bytes),
            alt_names: &client.alt_names,
            extensions: &client.extensions,
        };
        let request = Request {
            method: method.as_str().as_bytes(),
            scheme: b"https",
            path: target.path.as_bytes(),
            raw_path: target.path.as_bytes(),
            query: target.raw_query.as_bytes(),
            version: b"HTTP/1.1",
            is_persistent: true,
            tls,
            ..Request::default()
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let clock = Clock::at(i64::try_from(now).unwrap_or(0), 0);
        let message = Message { clock, ..Message::new(request) };
        let transaction = Transaction::new(&message, &arena, &live.compiled.program.limits);
        let outcome = compiled::run(&live.compiled, transaction, &mut NoServices);
        match outcome.verdict(&live.compiled.program) {
            Verdict::Allow | Verdict::Pass => Ok(()),
            Verdict::Deny(rule) => Err(live.denial(String::from_utf8_lossy(rule).into_owned())),
            Verdict::Fail(fail) => {
                Err(live.denial(format!("the rules failed: {}", fail.code().words())))
            }
            Verdict::Challenge(_)
            | Verdict::Respond(..)
            | Verdict::Answered
            | Verdict::NoDecision => Err(live.denial("no decision".to_owned())),
        }
    }
}

impl LivePolicy {
    fn denial(&self, rule: String) -> Denial {
        let line = self.lines.iter().find(|(name, _)| *name == rule).map(|(_, line)| *line);
        Denial { rule, file: None, line }
    }
}

fn name(path: Option<&Path>) -> String {
    path.map_or_else(|| "stock rules".to_owned(), |path| path.display().to_string())
}

fn load(path: Option<&Path>) -> Result<LivePolicy, PolicyError> {
    let name = name(path);
    let text = match path {
        None => STOCK.to_owned(),
        Some(path) => {
            let bytes = read_regular(path)
                .map_err(|error| PolicyError::Unreadable { path: path.to_owned(), error })?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
    };
    let program = auth_conf::program(&text)
        .map_err(|error| PolicyError::Import { path: name.clone(), error })?;
    let checked = check(&program, &Options::default());
    match checked.program {
        Some(program) => {
            Ok(LivePolicy { compiled: Compiled::new(program), lines: auth_conf::lines(&text) })
        }
        None => {
            let first = checked.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
            let message = first.map_or_else(String::new, |error| error.message.clone());
            Err(PolicyError::Invalid { path: name, message })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    fn client(certname: Option<&str>, extension: Option<(&str, &str)>) -> Client {
        let extension = extension.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Client {
            certname: certname.map(str::to_owned),
            extensions: extension.into_iter().collect(),
            alt_names: Vec::new(),
            certificate: None,
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
        }
    }

    #[test]
    fn denials_name_the_line_of_the_rule() {
        let policy = Policy::open(None).expect("the stock rules are valid");
        let target =
            Target { path: "/puppet/v3/node/b.example".to_owned(), raw_query: String::new() };
        let denial = policy.decide(&Method::GET, &target, &client(Some("a.example"), None));
        let rule = "the own node".to_owned();
        assert_eq!(denial, Err(Denial { rule: rule.clone(), file: None, line: line_of(&rule) }));
        let target = Target { path: "/x".to_owned(), raw_query: String::new() };
        let denial = policy.decide(&Method::GET, &target, &client(None, None));
        let rule = "everything else".to_owned();
        assert_eq!(denial, Err(Denial { rule: rule.clone(), file: None, line: line_of(&rule) }));
    }

    /// A rule may ask for an alternative name of the certificate, which is none of the client's own.
    #[test]
    fn rules_see_alternative_names() {
        let rule = "authorization: { version: 1, rules: [ {\n\
            match-request: { path: \"/\", type: path }\n\
            allow: { subject-alt-name: { dns-name: \"deploy.example\" } }\n\
            sort-order: 1, name: \"deployers\" } ] }\n";
        let path = std::env::temp_dir().join(format!("kukla-alt-{}.conf", std::process::id()));
        std::fs::write(&path, rule).expect("written");
        let policy = Policy::open(Some(path.clone())).expect("a rule");
        let target = Target { path: "/x".to_owned(), raw_query: String::new() };
        let named = |names: &[&str]| Client {
            alt_names: names.iter().map(|&name| name.to_owned()).collect(),
            ..client(Some("deploy.example"), None)
        };
        let decide = |names: &[&str]| policy.decide(&Method::GET, &target, &named(names));
        assert_eq!(decide(&["a.example", "deploy.example"]), Ok(()));
        let denial = Denial { rule: "deployers".to_owned(), file: None, line: Some(4) };
        assert_eq!(decide(&["a.example"]), Err(denial.clone()));
        assert_eq!(decide(&[]), Err(denial));
        std::fs::remove_file(&path).expect("removed");
    }

    fn line_of(rule: &str) -> Option<usize> {
        STOCK.lines().position(|line| line.contains(&format!("name: \"{rule}\""))).map(|n| n + 1)
    }

    /// The table of SERVER's stock rules: who may do what without an `auth.conf`.
    #[test]
    fn stock_rules_let_agents_do_what_they_need() {
        let policy = Policy::open(None).expect("the stock rules are valid");
        let (none, own) = (client(None, None), client(Some("a.example"), None));
        let cli = client(Some("p.example"), Some(("pp_cli_auth", "true")));
        let may = |method: Method, path: &str, client: &Client| {
            let target = Target { path: path.to_owned(), raw_query: String::new() };
            policy.decide(&method, &target, client).is_ok()
        };
        assert!(may(Method::POST, "/puppet/v3/catalog/a.example", &own));
        assert!(may(Method::POST, "/puppet/v3/catalog/A.EXAMPLE", &own));
        assert!(!may(Method::POST, "/puppet/v3/catalog/b.example", &own));
        assert!(!may(Method::POST, "/puppet/v3/catalog/a.example", &none));
        assert!(!may(Method::POST, "/puppet/v4/catalog", &cli));
        assert!(may(Method::GET, "/puppet/v3/file_metadatas/plugins", &own));
        assert!(!may(Method::GET, "/puppet/v3/file_metadatas/plugins", &none));
        assert!(may(Method::PUT, "/puppet-ca/v1/certificate_request/a.example", &none));
        assert!(may(Method::GET, "/puppet-ca/v1/certificate/ca", &none));
        assert!(may(Method::GET, "/status/v1/simple/server", &none));
        assert!(may(Method::PUT, "/puppet-ca/v1/certificate_status/x", &cli));
        assert!(!may(Method::PUT, "/puppet-ca/v1/certificate_status/x", &own));
        for (method, path) in [
            (Method::DELETE, "/puppet-admin-api/v1/environment-cache"),
            (Method::GET, "/metrics"),
            (Method::POST, "/puppet-ca/v1/sign/all"),
        ] {
            assert!(may(method.clone(), path, &cli), "{path}");
            assert!(!may(method.clone(), path, &own), "{path}");
            assert!(!may(method, path, &none), "{path}");
        }
        assert!(!may(Method::DELETE, "/puppet-admin-api/v1/jruby-pool", &cli));
    }
}
