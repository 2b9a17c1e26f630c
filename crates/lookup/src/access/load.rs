//! Loading of rules: from the file to rules that hold.

use std::rc::Rc;
use std::sync::Arc;

use kukla_world::World;

use super::guard::{Guard, is_below};
use super::pattern::{literal_directory, problem};
use super::reach::Reach;
use super::{Access, DecidedRule, Rule, Rules, Subject};
use crate::pdl::{PdlError, parse_rules};
use crate::run::Run;
use crate::{Fault, FaultKind, data};

/// The name of the file.
const FILE: &str = "data_access";

/// Maximum size in bytes.
const MAX_RULES: u64 = 1 << 20;

impl Run<'_> {
    /// Returns the rules of the environment, which are read once per session.
    pub(crate) fn access(&mut self) -> Rules {
        if let Some(rules) = &self.session.cache.borrow().access {
            return rules.clone();
        }
        let rules = match self.load_rules() {
            Ok(access) => Ok(access.map(Rc::new)),
            Err(faults) => Err(faults.into_iter().next().unwrap_or_else(|| Fault::lookup(FILE))),
        };
        self.session.cache.borrow_mut().access = Some(rules.clone());
        rules
    }

    /// Returns all errors in the rules of the environment.
    pub(crate) fn access_faults(&mut self) -> Vec<Fault> {
        self.load_rules().err().unwrap_or_default()
    }

    fn load_rules(&mut self) -> Result<Option<Access>, Vec<Fault>> {
        let layers = Arc::clone(&self.session.layers);
        let Some(directory) = layers.places.directory.as_deref() else { return Ok(None) };
        let path = format!("{directory}/{FILE}");
        let Some(rules) = read(&self.session.files(), &path).map_err(|fault| vec![fault])? else {
            return Ok(None);
        };
        let guard = self.guard(directory, &rules).map_err(|problems| {
            let at = |(line, message)| Fault {
                file: Some(path.clone()),
                line,
                ..Fault::puppet(message)
            };
            problems.into_iter().map(at).collect::<Vec<_>>()
        })?;
        let rules = rules.into_iter().map(|rule| {
            let at = |fault: Fault| {
                let line = fault.line.or(Some(rule.line));
                Fault { file: Some(path.clone()), line, ..fault }
            };
            DecidedRule { holds: rule.condition.holds_for_sure(self.host).map_err(at), rule }
        });
        let rules = rules.collect();
        Ok(Some(Access { file: path.as_str().into(), rules, guard, verdicts: Default::default() }))
    }

    /// Finds the files that rules match. Errors are lines and messages.
    fn guard(
        &mut self,
        directory: &str,
        rules: &[Rule],
    ) -> Result<Guard, Vec<(Option<u32>, String)>> {
        let session = Rc::clone(&self.session);
        let files = &session.files();
        let mut reach = None;
        let mut problems: Vec<(Option<u32>, String)> = Vec::new();
        for rule in rules {
            let message = problem(rule.subject, &rule.pattern).or_else(|| {
                let is_outside = is_outside(files, directory, rule);
                is_outside.then(|| loaded(&mut reach, self).outside(files, rule)).flatten()
            });
            problems.extend(message.map(|message| (Some(rule.line), message)));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let guard = Guard::new(files, directory, rules);
        let guard = guard.map_err(|fault| vec![(None, fault.message)])?;
        for (index, rule) in rules.iter().enumerate() {
            if rule.subject == Subject::File && !guard.has_file(index) {
                let message = loaded(&mut reach, self).problem(files, directory, rule, &guard);
                problems.extend(message.map(|message| (Some(rule.line), message)));
            }
        }
        if problems.is_empty() { Ok(guard) } else { Err(problems) }
    }
}

fn loaded<'a>(reach: &'a mut Option<Reach>, run: &mut Run<'_>) -> &'a Reach {
    reach.get_or_insert_with(|| run.reach())
}

/// Whether an absolute pattern leads out of the environment.
fn is_outside(files: &dyn World, directory: &str, rule: &Rule) -> bool {
    if rule.subject != Subject::File || !rule.pattern.starts_with('/') {
        return false;
    }
    let own = literal_directory(&rule.pattern);
    let real = files.resolve(directory).unwrap_or_else(|_| directory.to_owned());
    !is_below(own, directory) && !is_below(own, &real)
}

/// Reads the file; `None` if the name does not exist, not even as a dangling link.
fn read(files: &dyn World, path: &str) -> Result<Option<Vec<Rule>>, Fault> {
    let closed = |why: String| {
        let message = format!("all data is denied, since the rules can't be read: {why}");
        Fault { file: Some(path.to_owned()), ..Fault::puppet(message) }
    };
    match files.has_entry(path) {
        Ok(false) => return Ok(None),
        Ok(true) => (),
        Err(error) => return Err(closed(error.to_string())),
    }
    let text = data::text_and_stamp(files, path, MAX_RULES);
    let (text, _) = text.map_err(|fault| closed(fault.message))?;
    let closed = |error: PdlError| Fault { kind: FaultKind::Puppet, ..error.at(path) };
    parse_rules(&text).map(Some).map_err(closed)
}
