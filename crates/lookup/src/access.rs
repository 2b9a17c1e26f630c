//! `data_access`: which nodes may see which data.
//!
//! A file of the environment with a line for each pattern: `key "db::*" where $trusted['extensions']['pp_role'] == 'db'`
//! or `file "data/secret/*" where …`. What a pattern fits is only for nodes for which a line with such a pattern holds;
//! everything else is for all. Conditions may use trusted data only, since nodes may lie about their facts.

use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;

use crate::pdl::{Condition, parse_rules};
use crate::run::Run;
use crate::session::{Use, UseKind};
use crate::trace::Origin;
use crate::{Fault, Level, data};

/// The name of the file.
const FILE: &str = "data_access";

/// Who may see what.
#[derive(Debug)]
pub(crate) struct Access {
    file: EcoString,
    rules: Vec<Rule>,
}

/// A line of the file.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) subject: Subject,
    pub(crate) pattern: EcoString,
    pub(crate) line: u32,
    pub(crate) condition: Option<Condition>,
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

impl Run<'_> {
    fn access(&mut self) -> Result<Option<Rc<Access>>, Fault> {
        let known = self.session.known.borrow().access.clone();
        if let Some(access) = known {
            return Ok(access);
        }
        let layers = Arc::clone(&self.session.layers);
        let path = layers.places.directory.as_ref().map(|place| format!("{place}/{FILE}"));
        let path = path.filter(|path| layers.files.stamp(path).is_some());
        let access = match path {
            Some(path) => {
                let text = data::text(&*layers.files, &path)?;
                let rules = parse_rules(&text).map_err(|error| error.at(&path))?;
                Some(Rc::new(Access { file: path.into(), rules }))
            }
            None => None,
        };
        self.session.known.borrow_mut().access = Some(access.clone());
        Ok(access)
    }

    fn verdict(&mut self, subject: Subject, name: &str) -> Result<Verdict, Fault> {
        if self.session.known.borrow().is_open() {
            return Ok(Verdict::Free);
        }
        let Some(access) = self.access()? else { return Ok(Verdict::Free) };
        let mut verdict = Verdict::Free;
        for rule in access.rules.iter().filter(|rule| rule.subject == subject) {
            if !fits(&rule.pattern, name) {
                continue;
            }
            let origin = Origin::new(access.file.clone(), rule.line);
            let holds = match &rule.condition {
                Some(condition) => condition.holds(self.host).map_err(|fault| Fault {
                    file: Some(access.file.to_string()),
                    line: Some(rule.line),
                    ..fault
                })?,
                None => true,
            };
            match holds {
                true => return Ok(Verdict::Allowed(origin)),
                false => verdict = Verdict::Denied(origin),
            }
        }
        Ok(verdict)
    }

    /// Whether the node may see a key, as far as its name says.
    pub(crate) fn key_verdict(&mut self, key: &str) -> Result<Verdict, Fault> {
        let verdict = self.verdict(Subject::Key, key)?;
        if let Verdict::Denied(rule) = &verdict {
            self.deny(key, rule);
        }
        Ok(verdict)
    }

    /// Whether the node may see the data of a file.
    pub(crate) fn may_read(&mut self, path: &str) -> Result<bool, Fault> {
        if self.session.known.borrow().is_open() || self.access()?.is_none() {
            return Ok(true);
        }
        let directory = self.session.layers.places.directory.clone().unwrap_or_default();
        let own = path.strip_prefix(directory.as_str()).and_then(|rest| rest.strip_prefix('/'));
        match self.verdict(Subject::File, own.unwrap_or(path))? {
            Verdict::Denied(rule) => {
                let key = self.invocation.top_key.clone();
                // Options are asked for with every key.
                if key != crate::LOOKUP_OPTIONS {
                    self.deny(&key, &rule);
                }
                Ok(false)
            }
            Verdict::Free | Verdict::Allowed(_) => Ok(true),
        }
    }

    /// What is denied is told once; for the search itself the key is just not there.
    fn deny(&mut self, key: &str, rule: &Origin) {
        let origins = vec![rule.clone()];
        if self.session.note(Use { key: key.into(), kind: UseKind::Denied, origins }) {
            let Origin { file, line, .. } = rule;
            let message =
                format!("the key `{key}` is not for this node (file: {file}, line: {line})");
            self.host.log(Level::Warning, &message);
        }
    }
}

/// Whether a name fits a pattern, in which `*` stands for anything.
pub fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}
