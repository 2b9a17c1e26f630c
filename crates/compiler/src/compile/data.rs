//! Data for parameters of classes, and for `lookup`.
//!
//! [`host`] is what a search asks of the compilation, [`context`] what functions that give data are given,
//! [`lookups`] the way in for those who want data and no catalog, and [`uses`] lists what classes got.

mod context;
mod host;
mod lookups;
mod uses;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use kukla_catalog::origins::OriginId;
use kukla_lookup::{Fault, FaultKind, FoundValue, Layers, Places, Query, Session, Trace};
use kukla_pcore::Value;
use kukla_pcore::types::capitalize_segments;
use kukla_world::Memory;

use super::Compiler;
use super::definition::Definition;
use super::resource::ResourceId;
use crate::{Eval, PartKind, Place, Stop, issues};
use host::DataHost;

use context::Contexts;
pub(crate) use context::number;
pub use lookups::{ClassParameter, ClassSignature, Lookups};
pub use uses::{ParameterSource, ParameterUse, SourcePlace};

/// So many calls that look up data are remembered: a loop may make any number of them.
const MAX_LOOKUPS: usize = 100_000;

/// The state of a compilation that lookups need.
#[derive(Default, Debug)]
pub(crate) struct DataState {
    /// The data of the environment, once it was asked for.
    session: Option<Rc<Session>>,
    /// Whether everything that lookups find is remembered.
    records_reads: bool,
    /// The contexts of functions that give data.
    contexts: Contexts,
    /// Calls under way that may not change the catalog.
    pub(crate) n_pure: u32,
}

impl Compiler {
    /// The data of the environment.
    fn lookups(&mut self) -> Rc<Session> {
        let inputs = &self.inputs;
        let records = self.catalog.data.records_reads;
        let session = self.catalog.data.session.get_or_insert_with(|| {
            let layers = inputs.data();
            let layers = layers.unwrap_or_else(|| {
                Arc::new(Layers::new(Arc::new(Memory::default()), Places::default()))
            });
            let session = Session::recorded(layers, Rc::clone(inputs.record()));
            session.record_reads(records);
            session
        });
        Rc::clone(session)
    }

    /// Looks something up; `None` if there is no value.
    pub(crate) fn look_up(&mut self, query: &Query<'_>) -> Eval<Option<FoundValue>> {
        self.look_up_traced(query, None).map_err(stop)
    }

    /// Remembers what a call found.
    pub(crate) fn note_lookup(
        &mut self,
        call: OriginId,
        query: &Query<'_>,
        found: &mut FoundValue,
    ) {
        let origins = &mut self.catalog.origins;
        if origins.lookups.len() < MAX_LOOKUPS {
            let key = query.names.join(", ").into();
            let data = origins.data(key, found);
            origins.lookups.push((call, data));
        }
    }

    fn look_up_traced(
        &mut self,
        query: &Query<'_>,
        trace: Option<&Rc<RefCell<Trace>>>,
    ) -> Result<Option<FoundValue>, Fault> {
        let session = self.lookups();
        session.lookup(&mut DataHost(self), query, trace)
    }

    /// Values from data for parameters of a class that have none.
    pub(super) fn look_up_parameters(
        &mut self,
        id: ResourceId,
        definition: &Definition,
    ) -> Eval<()> {
        let session = self.lookups();
        if session.has_no_data(&mut DataHost(self), &definition.name) {
            return Ok(());
        }
        let parameters = self.parameters(&definition.program, definition.id)?;
        for parameter in &parameters.list {
            let given = self.catalog.resource(id).get(parameter.name);
            if given.is_some_and(|value| !value.is_undef()) {
                continue;
            }
            let key = format!("{}::{}", definition.name, parameter.name);
            self.begin_part(|| (PartKind::Lookup, key.clone()));
            let found = session.parameter(&mut DataHost(self), &key);
            self.end_part();
            let found = found.map_err(stop)?;
            let Some(mut found) = found else { continue };
            if found.value.is_undef() && parameter.default.is_some() {
                continue;
            }
            if found.is_secret
                && !matches!(found.value, Value::Sensitive(_))
                && let Some(type_) = &parameter.type_
                && !type_.is_instance(&found.value)
            {
                // Puppet would show the value where the type lists what is allowed.
                let class = capitalize_segments(&definition.name);
                let (name, type_) = (parameter.name, type_.text());
                return Err(Stop::fault(issues::secret_mismatch(&class, name, &type_)));
            }
            let origin = self.catalog.origins.data(key.into(), &mut found);
            let value = self.catalog_value(found.value)?;
            self.catalog.resource_mut(id).set(parameter.name, value, origin);
        }
        Ok(())
    }

    /// Returns the value of `$class::name` before the class is evaluated, if the class has PDL.
    ///
    /// It is what a lookup gives, or else the default. Without PDL there is no such value, as in Puppet.
    pub(crate) fn data_variable(&mut self, name: &str) -> Eval<Option<Value>> {
        let name = name.strip_prefix("::").unwrap_or(name);
        let Some((class, leaf)) = name.rsplit_once("::") else { return Ok(None) };
        let session = self.lookups();
        if !session.has_pdl(&mut DataHost(self), class).map_err(stop)? {
            return Ok(None);
        }
        let Some(definition) = self.find_class(class)? else { return Ok(None) };
        if self.catalog.find_class(class).is_some() {
            return Ok(None);
        }
        let parameters = self.parameters(&definition.program, definition.id)?;
        let mut list = parameters.list.iter();
        let Some(parameter) = list.find(|parameter| parameter.name.as_str() == leaf) else {
            return Ok(None);
        };
        if let Some(found) = session.parameter(&mut DataHost(self), name).map_err(stop)? {
            return Ok(Some(found.value));
        }
        let Some(default) = parameter.default else { return Ok(None) };
        let scopes = self.scopes.enter_global();
        let value = self.eval(&definition.program, default);
        self.scopes.leave(scopes);
        value.map(Some)
    }
}

/// A fault of a lookup as one of the evaluation.
fn stop(fault: Fault) -> Box<Stop> {
    match (fault.kind, fault.place.is_some()) {
        (FaultKind::Lookup, false) => {
            let issue = issues::lookup_failed_at_place(&fault);
            let place = fault.file.map(|file| Place {
                file: file.into(),
                line: fault.line.unwrap_or(0),
                column: fault.column.unwrap_or(0),
            });
            Stop::issue(issue, place)
        }
        (FaultKind::Lookup, true) => Stop::issue(issues::lookup_failed(&fault), None),
        (FaultKind::Puppet | FaultKind::Other, _) => Stop::fault(issues::lookup_failed(&fault)),
    }
}
