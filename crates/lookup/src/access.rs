//! `data_access`: rules that restrict data to some nodes.
//!
//! A file of the environment with one rule per line: `key "db::*" where $trusted['extensions']['pp_role'] == 'db'` or
//! `file "data/secret/*" where …`. Data that a pattern matches is visible only to nodes for which a rule with such a
//! pattern holds; all other data is public. Conditions may only use trusted data, since nodes can forge their facts.
//!
//! [`load`] reads the file and refuses rules that can't protect anything, [`pattern`] matches patterns, [`guard`] finds
//! the files that they match, by whatever name, and [`reach`] the files that hierarchies can read.
//! Anything undecidable is denied: a session whose rules can't be used has no data.

mod guard;
mod load;
mod pattern;
mod reach;

use kukla_world::World;
use std::cell::RefCell;
use std::rc::Rc;

use ecow::EcoString;
use rustc_hash::FxHashMap;

use crate::pdl::Condition;
use crate::run::Run;
use crate::session::{DataUse, UseKind};
use crate::trace::Origin;
use crate::{Fault, LogLevel};
use guard::Guard;
use kukla_world::Stamp;
pub use pattern::fits;

/// The rules of an environment, evaluated for one node.
#[derive(Debug)]
pub(crate) struct Access {
    file: EcoString,
    rules: Vec<DecidedRule>,
    guard: Guard,
    /// Verdicts by path, so that each path is resolved once.
    verdicts: RefCell<FxHashMap<EcoString, Verdict>>,
}

/// A rule, and whether its condition holds for the node.
#[derive(Debug)]
struct DecidedRule {
    rule: Rule,
    holds: Result<bool, Fault>,
}

/// A line of the file.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) subject: Subject,
    pub(crate) pattern: EcoString,
    pub(crate) line: u32,
    pub(crate) condition: Condition,
}

/// Kind of data that a rule restricts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Subject {
    Key,
    File,
}

/// Verdict of the rules on a key or file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// No rule matches: the data is public.
    Free,
    /// Restricted, and this node may see it.
    Allowed(Origin),
    /// Restricted to other nodes.
    Denied(Origin),
}

impl Access {
    /// Returns the verdict of all rules that match: one of them must hold.
    fn verdict(&self, rules: impl Iterator<Item = usize>) -> Result<Verdict, Fault> {
        let mut verdict = Verdict::Free;
        for DecidedRule { rule, holds } in rules.filter_map(|index| self.rules.get(index)) {
            let origin = Origin::new(self.file.clone(), rule.line);
            match holds.clone()? {
                true => return Ok(Verdict::Allowed(origin)),
                false => verdict = Verdict::Denied(origin),
            }
        }
        Ok(verdict)
    }

    fn key_verdict(&self, key: &str) -> Result<Verdict, Fault> {
        let rules = self.rules.iter().map(|decided| &decided.rule).enumerate();
        let fitting =
            rules.filter(|(_, rule)| rule.subject == Subject::Key && fits(&rule.pattern, key));
        self.verdict(fitting.map(|(index, _)| index))
    }

    /// Returns the verdict on a file that was opened by a path: all of its names must be allowed.
    ///
    /// One allowed name is not enough, or a link in a public directory would expose its target.
    fn file_verdict(&self, files: &dyn World, path: &str, stamp: Stamp) -> Result<Verdict, Fault> {
        let mut verdict = Verdict::Free;
        for rules in self.guard.rules_of(files, path, stamp)? {
            match self.verdict(rules.into_iter())? {
                Verdict::Free => (),
                Verdict::Denied(rule) => return Ok(Verdict::Denied(rule)),
                allowed @ Verdict::Allowed(_) => verdict = allowed,
            }
        }
        Ok(verdict)
    }

    /// Whether the node may see a file that was opened by a path.
    pub(crate) fn permits(
        &self,
        files: &dyn World,
        path: &str,
        stamp: Stamp,
    ) -> Result<bool, Fault> {
        Ok(!matches!(self.file_verdict(files, path, stamp)?, Verdict::Denied(_)))
    }

    /// Fails if the node may not see a file that was opened by a path.
    pub(crate) fn check_file(
        &self,
        files: &dyn World,
        path: &str,
        stamp: Stamp,
    ) -> Result<(), Fault> {
        match self.file_verdict(files, path, stamp)? {
            Verdict::Denied(Origin { file, line, .. }) => Err(Fault {
                file: Some(file.to_string()),
                line: Some(line),
                ..Fault::lookup(format!("the file `{path}` is not for this node"))
            }),
            Verdict::Free | Verdict::Allowed(_) => Ok(()),
        }
    }
}

impl Run<'_> {
    /// Returns the verdict on a key by its name.
    pub(crate) fn key_verdict(&mut self, key: &str) -> Result<Verdict, Fault> {
        if self.session.cache.borrow().is_open() {
            return Ok(Verdict::Free);
        }
        let Some(access) = self.access()? else { return Ok(Verdict::Free) };
        let verdict = access.key_verdict(key)?;
        if let Verdict::Denied(rule) = &verdict {
            self.deny(key, rule);
        }
        Ok(verdict)
    }

    /// Whether the node may see the data of the file that a path leads to.
    pub(crate) fn may_read(&mut self, path: &str) -> Result<bool, Fault> {
        if self.session.cache.borrow().is_open() {
            return Ok(true);
        }
        let Some(access) = self.access()? else { return Ok(true) };
        let cached = access.verdicts.borrow().get(path).cloned();
        let verdict = match cached {
            Some(verdict) => verdict,
            None => {
                let Some(stamp) = self.session.files().stamp(path) else { return Ok(false) };
                let verdict = access.file_verdict(&self.session.files(), path, stamp)?;
                access.verdicts.borrow_mut().insert(path.into(), verdict.clone());
                verdict
            }
        };
        Ok(self.accept(&verdict))
    }

    /// Whether the node may see the data of a file that was opened by a path.
    pub(crate) fn may_see(&mut self, path: &str, stamp: Stamp) -> Result<bool, Fault> {
        let Some(access) = self.access()? else { return Ok(true) };
        let verdict = access.file_verdict(&self.session.files(), path, stamp)?;
        Ok(self.accept(&verdict))
    }

    fn accept(&mut self, verdict: &Verdict) -> bool {
        let Verdict::Denied(rule) = verdict else { return true };
        let key = self.invocation.top_key.clone();
        // Options are looked up with every key.
        if key != crate::LOOKUP_OPTIONS {
            self.deny(&key, rule);
        }
        false
    }

    /// Logs a denial once; the search treats the key as not found.
    fn deny(&mut self, key: &str, rule: &Origin) {
        let origins = vec![rule.clone()];
        if self.session.note(DataUse { key: key.into(), kind: UseKind::Denied, origins }) {
            let Origin { file, line, .. } = rule;
            let message =
                format!("the key `{key}` is not for this node (file: {file}, line: {line})");
            self.host.log(LogLevel::Warning, &message);
        }
    }

    /// Fails if interpolated variables make a path leave the data directory, and there are rules.
    ///
    /// Nodes can put anything into their facts, and no rule of this environment covers files outside of it.
    pub(crate) fn check_climbing(&mut self, written: &str, path: &str) -> Result<(), Fault> {
        let n_climbs = |path: &str| path.split('/').filter(|part| *part == "..").count();
        let is_moved = path.starts_with('/') && !written.starts_with('/');
        let climbs = is_moved || (path.contains("..") && n_climbs(path) > n_climbs(written));
        if !climbs || self.invocation.is_survey || self.access()?.is_none() {
            return Ok(());
        }
        Err(Fault::lookup(format!(
            "a variable leads out of the data directory: `{written}` has become `{path}`, which is not allowed where there is a file `data_access`"
        )))
    }
}

/// The rules of a session, once they were read; an error if they can't be used.
pub(crate) type Rules = Result<Option<Rc<Access>>, Fault>;
