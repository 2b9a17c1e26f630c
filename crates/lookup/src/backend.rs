//! Entries of a hierarchy, and the functions that provide their data.
//!
//! An [`Entry`] is queried location by location ([`At`]); [`hash`] has the functions that return all data at once,
//! [`call`] those that are called per key.

mod call;
mod entry;
mod hash;

use std::rc::Rc;

use kukla_pcore::Value;

use entry::CachedLocation;
pub(crate) use entry::{Answer, Entry, FunctionKind, Location, Source};

use crate::merge::Merge;
use crate::provider::Provider;
use crate::run::Run;
use crate::trace::{Event, Origin, StepKind};
use crate::{Fault, Key, Miss, Search};

/// The location of an entry that is being queried, and its context.
pub(crate) struct At<'a> {
    provider: &'a Rc<Provider>,
    entry: &'a Entry,
    location: Option<&'a Location>,
    source: &'a Rc<Source>,
}

impl At<'_> {
    /// Returns the start of a message about the function's result.
    fn subject(&self, start: &str) -> String {
        self.entry.subject(start, self.location)
    }

    /// Returns the path of a file.
    fn path(&self) -> Option<&str> {
        self.location.filter(|location| !location.is_uri).map(|location| location.path.as_str())
    }
}

impl Run<'_> {
    /// Looks a key up in all locations of an entry.
    pub(crate) fn entry_lookup(
        &mut self,
        provider: &Rc<Provider>,
        entry: &Entry,
        key: &Key,
        merge: &Merge,
    ) -> Search<Value> {
        let is_v3 = matches!(entry.kind, FunctionKind::V3DataHash | FunctionKind::V3LookupKey);
        let all: Vec<CachedLocation>;
        let places = match &self.invocation.extra_paths {
            Some(extra) if is_v3 => {
                let extra = Rc::clone(extra);
                let extension = format!(".{}", entry.name);
                let found = self.resolve_paths(&entry.datadir, &extra, false, Some(&extension))?;
                let found = found.into_iter().map(|location| entry.extra(location));
                all = found.chain(entry.places.iter().cloned()).collect();
                &all
            }
            _ => &entry.places,
        };
        let kind = || StepKind::Provider { name: entry.shown_name(), config: None, module: None };
        self.with(kind, |run| {
            run.merged(merge, places, |run, (location, source)| {
                let location = location.as_ref();
                run.at_location(location, |run| {
                    run.source_lookup(&At { provider, entry, location, source }, key)
                })
            })
        })
    }

    fn at_location(
        &mut self,
        location: Option<&Location>,
        work: impl FnOnce(&mut Self) -> Search<Value>,
    ) -> Search<Value> {
        let Some(location) = location else { return work(self) };
        let kind = || StepKind::Location {
            original: location.original.clone(),
            location: location.path.clone(),
            is_uri: location.is_uri,
        };
        self.with(kind, |run| {
            let is_readable =
                location.exists && (location.is_uri || run.may_read(&location.path)?);
            if !is_readable {
                run.update_trace(|trace| trace.event(Event::LocationNotFound));
                return Err(Miss::NotFound);
            }
            work(run)
        })
    }

    fn source_lookup(&mut self, at: &At<'_>, key: &Key) -> Search<Value> {
        match at.entry.kind {
            FunctionKind::DataHash | FunctionKind::V3DataHash | FunctionKind::V4DataHash => {
                self.data_hash_value(at, key)
            }
            FunctionKind::LookupKey | FunctionKind::V3LookupKey => self.lookup_key_value(at, key),
            FunctionKind::DataDig => self.data_dig_value(at, key),
            FunctionKind::Hiera3Backend => {
                let name = &at.entry.function;
                self.update_trace(|trace| {
                    trace.text(format!("Unable to load backend '{name}': backends of version 3 are written in Ruby and not supported"));
                });
                Err(Miss::NotFound)
            }
        }
    }

    /// Records a found value and its origin.
    fn found_at(&self, key: &str, answer: &Answer, at: &At<'_>) {
        if answer.is_secret {
            self.invocation.is_secret.set(true);
        }
        self.found(key, &answer.value);
        let entry = at.entry;
        if let Some(location) = at.location {
            let origin = Origin {
                file: location.path.clone(),
                line: answer.line,
                level: entry.level.clone(),
            };
            self.record_origin(origin, &answer.value);
        }
    }
}

fn wrong_type(subject: &str, type_: &str) -> Fault {
    Fault::puppet(format!("{subject} has wrong type, expects Puppet::LookupValue, got {type_}"))
}
