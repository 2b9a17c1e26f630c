//! `data_access`: which nodes may see which data.
//!
//! A file of the environment with a line for each pattern: `key "db::*" where $trusted['extensions']['pp_role'] == 'db'`
//! or `file "data/secret/*" where …`. What a pattern fits is only for nodes for which a line with such a pattern holds;
//! everything else is for all. Conditions may use trusted data only, since nodes may lie about their facts.
//!
//! [`load`] reads the file and refuses rules that can't protect anything, [`pattern`] knows what patterns are,
//! [`guard`] knows the files that they fit, by whatever name, and [`reach`] the files that hierarchies can read.
//! Whatever can't be told is denied: a session whose rules can't be used has no data.

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
use crate::session::{Use, UseKind};
use crate::trace::Origin;
use crate::{Fault, Level};
use guard::Guard;
use kukla_world::Stamp;
pub use pattern::fits;

/// The rules of an environment, decided for a node.
#[derive(Debug)]
pub(crate) struct Access {
    file: EcoString,
    rules: Vec<DecidedRule>,
    guard: Guard,
    /// Verdicts on paths, so that a path is resolved once.
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

/// What a rule is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Subject {
    Key,
    File,
}

/// What the rules say of something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// Nothing.
    Free,
    /// It is for some nodes, and this is one of them.
    Allowed(Origin),
    /// It is for other nodes.
    Denied(Origin),
}

impl Access {
    /// Returns the verdict on something that some rules fit: one of them must hold.
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

    /// Returns the verdict on a file that was opened by a path: it must be allowed by all of its names.
    ///
    /// One name alone must never do, or a link in a directory for all would open what it leads to.
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

    /// Returns whether the node may see a file that was opened by a path.
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
    /// Returns whether the node may see a key, as far as its name says.
    pub(crate) fn key_verdict(&mut self, key: &str) -> Result<Verdict, Fault> {
        if self.session.known.borrow().is_open() {
            return Ok(Verdict::Free);
        }
        let Some(access) = self.access()? else { return Ok(Verdict::Free) };
        let verdict = access.key_verdict(key)?;
        if let Verdict::Denied(rule) = &verdict {
            self.deny(key, rule);
        }
        Ok(verdict)
    }

    /// Returns whether the node may see the data of the file that a path leads to.
    pub(crate) fn may_read(&mut self, path: &str) -> Result<bool, Fault> {
        if self.session.known.borrow().is_open() {
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

    /// Returns whether the node may see the data of a file that was opened by a path.
    pub(crate) fn may_see(&mut self, path: &str, stamp: Stamp) -> Result<bool, Fault> {
        let Some(access) = self.access()? else { return Ok(true) };
        let verdict = access.file_verdict(&self.session.files(), path, stamp)?;
        Ok(self.accept(&verdict))
    }

    fn accept(&mut self, verdict: &Verdict) -> bool {
        let Verdict::Denied(rule) = verdict else { return true };
        let key = self.invocation.top_key.clone();
        // Options are asked for with every key.
        if key != crate::LOOKUP_OPTIONS {
            self.deny(&key, rule);
        }
        false
    }

    /// Logs a denial once; for the search itself the key is just not there.
    fn deny(&mut self, key: &str, rule: &Origin) {
        let origins = vec![rule.clone()];
        if self.session.note(Use { key: key.into(), kind: UseKind::Denied, origins }) {
            let Origin { file, line, .. } = rule;
            let message =
                format!("the key `{key}` is not for this node (file: {file}, line: {line})");
            self.host.log(Level::Warning, &message);
        }
    }

    /// Fails if variables have brought a way out of the data directory into a path, and there are rules.
    ///
    /// Nodes say what they like in their facts, and there may be files outside that no rule of this environment knows.
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
