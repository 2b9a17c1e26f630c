//! Answers to questions about a request, as records keep them.

use kukla_base::Digest;
use kukla_catalog::exports::{ExportSearch, ExportsError, Filter, Stored};
use kukla_pcore::digest::digest;
use kukla_pcore::{Hash, Value};
use kukla_world::{Answer, Atom, Kind};

use super::Request;
use crate::interpreter::watch::{ALL, Root};
use crate::{Strictness, fact_path};

impl Request {
    /// Returns the answer that this request gives to a recorded question; `None` if the question is not about requests.
    pub fn answer(&self, strictness: Strictness, atom: &Atom) -> Option<Answer> {
        let name = &*atom.name;
        Some(match atom.kind {
            Kind::Compiler => {
                let version = env!("CARGO_PKG_VERSION");
                of_text(&format!("{version} {strictness:?} {}", self.is_plain))
            }
            Kind::Node if name.is_empty() => of_text(&self.node),
            Kind::Node => of_text(&self.environment),
            Kind::Classification => self.classification(),
            Kind::Variable if name == ALL => self.everything(),
            Kind::Variable => of_value(self.parameters.get_str(name)),
            Kind::Fact => self.at_path(Root::Facts, name),
            Kind::Trusted => self.at_path(Root::Trusted, name),
            Kind::ServerFact => self.at_path(Root::ServerFacts, name),
            Kind::Setting if name == ALL => of_hash(&self.settings),
            Kind::Setting => of_value(self.settings.get_str(name)),
            Kind::Exported => self.exported(name, atom.part.as_deref()),
            Kind::StoreQuery => match &self.exports {
                Some(exports) => of_query(&exports.query(name)),
                None => Answer::Absent,
            },
            _ => return None,
        })
    }

    /// Returns a question with the answer that this request gives.
    pub(crate) fn atom(&self, strictness: Strictness, kind: Kind, name: &str) -> Atom {
        let atom = Atom::new(kind, name, Answer::Absent);
        let answer = self.answer(strictness, &atom).unwrap_or(Answer::Absent);
        Atom { answer, ..atom }
    }

    /// Classes in their order, each with its parameters.
    fn classification(&self) -> Answer {
        let class = |(name, parameters): &(String, Hash)| {
            Value::array([Value::from(name.as_str()), Value::hash(parameters.clone())])
        };
        of_value(Some(&Value::array(self.classes.iter().map(class))))
    }

    /// All that the top scope has from the beginning.
    fn everything(&self) -> Answer {
        let all = [&self.parameters, &self.facts, &self.trusted, &self.server_facts];
        of_value(Some(&Value::array(all.map(|hash| Value::Hash(hash.clone())))))
    }

    fn at_path(&self, root: Root, name: &str) -> Answer {
        let hash = match root {
            Root::Facts => &self.facts,
            Root::Trusted => &self.trusted,
            Root::ServerFacts => &self.server_facts,
        };
        match name {
            ALL => of_hash(hash),
            path => fact_path::answer(hash, &fact_path::parse(path)),
        }
    }

    fn exported(&self, type_: &str, filter: Option<&str>) -> Answer {
        let Some(exports) = &self.exports else { return Answer::Absent };
        let filter = filter.map(Filter::from_text);
        // A filter of another version of Kukla.
        if filter == Some(None) {
            return Answer::Volatile;
        }
        let filter = filter.flatten();
        let search = ExportSearch { type_, node: &self.node, filter: filter.as_ref() };
        of_exports(&exports.search(&search))
    }
}

/// Returns the answer that exported resources are.
pub(super) fn of_exports(found: &Result<Vec<Stored>, ExportsError>) -> Answer {
    of_text(&format!("{found:?}"))
}

/// Returns the answer that rows of a query are.
pub(super) fn of_query(found: &Result<String, ExportsError>) -> Answer {
    of_text(&format!("{found:?}"))
}

fn of_text(text: &str) -> Answer {
    Answer::Digest(Digest::of(text.as_bytes()))
}

fn of_hash(hash: &std::sync::Arc<Hash>) -> Answer {
    of_value(Some(&Value::Hash(std::sync::Arc::clone(hash))))
}

fn of_value(value: Option<&Value>) -> Answer {
    value.map_or(Answer::Absent, |value| Answer::Digest(digest(value)))
}
