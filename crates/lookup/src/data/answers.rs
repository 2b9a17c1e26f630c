//! Answers to questions about data files, as records keep them.
//!
//! Keys are recorded one by one, so that a key that no compilation asks for changes no record.

use kukla_base::Digest;
use kukla_pcore::Value;
use kukla_pcore::digest::digest;
use kukla_world::{Answer, Atom, Kind, Record, Recording};

use super::{Content, DataHash, Format};
use crate::Layers;

impl Format {
    /// Returns the kind of questions about files of this format.
    pub(crate) const fn kind(self) -> Kind {
        match self {
            Self::Yaml => Kind::Data,
            Self::Json => Kind::JsonData,
            Self::Hocon => Kind::HoconData,
        }
    }

    const fn of_kind(kind: Kind) -> Option<Self> {
        match kind {
            Kind::Data => Some(Self::Yaml),
            Kind::JsonData => Some(Self::Json),
            Kind::HoconData => Some(Self::Hocon),
            _ => None,
        }
    }
}

impl DataHash {
    /// Returns the answer of a record to the question for a key.
    pub(crate) fn answer(&self, key: &str) -> Answer {
        let Some(entry) = self.get(key) else { return Answer::Absent };
        let value = digest(&entry.value);
        match self.wrong_type(key).filter(|_| entry.is_wrong) {
            // A symbol has the text of a string, but is refused.
            Some(type_) => Answer::Digest(Digest::of(format!("{type_} {value}").as_bytes())),
            None => Answer::Digest(value),
        }
    }
}

impl Content {
    /// Returns the answer of a record to the question whether a file is a plain hash: if it is, there is nothing else.
    pub(crate) fn form(&self) -> Answer {
        match self {
            Self::Hash(hash) if hash.odd_keys().is_empty() => Answer::Absent,
            Self::Hash(hash) => {
                let keys = digest(&Value::array(hash.odd_keys().iter().cloned()));
                Answer::Digest(Digest::of(format!("keys {keys}").as_bytes()))
            }
            Self::Other(value) => Answer::Digest(digest(value)),
        }
    }
}

impl Layers {
    /// Returns the present answer to a recorded question about data; `None` if the question is not about data.
    pub fn answer(&self, atom: &Atom) -> Option<Answer> {
        let format = Format::of_kind(atom.kind)?;
        let record = Record::off();
        let files = Recording::new(self.world(), &record);
        let content = match self.cache.load(&files, &atom.name, format, &|_| Ok(true)) {
            Ok(Some(content)) => content,
            Ok(None) => return Some(Answer::Absent),
            // A file was read when the question was asked.
            Err(fault) => {
                return Some(Answer::Digest(Digest::of(format!("{fault:?}").as_bytes())));
            }
        };
        Some(match (&atom.part, &content) {
            (None, content) => content.form(),
            (Some(key), Content::Hash(hash)) => hash.answer(key),
            (Some(_), Content::Other(_)) => Answer::Absent,
        })
    }
}
