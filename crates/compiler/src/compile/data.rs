//! Data for parameters of classes, and for `lookup`.

use std::rc::Rc;
use std::sync::Arc;

use kukla_lookup::{
    Fault, FaultKind, Host, Layers, Level, Memory, Places, Query, Session, Variable,
};
use kukla_pcore::types::Names;
use kukla_pcore::{Type, Value};

use super::definition::Definition;
use super::resource::ResourceId;
use crate::{Eval, Evaluator, PartKind, Place, Stop, log};

impl Evaluator {
    /// The data of the environment.
    fn lookups(&mut self) -> Rc<Session> {
        let library = &self.library;
        let session = self.data.get_or_insert_with(|| {
            let layers = library.data();
            Session::new(layers.unwrap_or_else(|| {
                Arc::new(Layers::new(Arc::new(Memory::default()), Places::default()))
            }))
        });
        Rc::clone(session)
    }

    /// Looks something up; `None` if there is no value.
    pub(crate) fn look_up(&mut self, query: &Query<'_>) -> Eval<Option<Value>> {
        let session = self.lookups();
        let found = session.lookup(&mut DataHost(self), query, None).map_err(stop)?;
        Ok(found.map(|found| found.value))
    }

    /// Values from data for parameters of a class that have none.
    pub(super) fn look_up_parameters(
        &mut self,
        id: ResourceId,
        definition: &Definition,
    ) -> Eval<()> {
        let parameters = self.parameters(&definition.program, definition.id)?;
        for parameter in &parameters.list {
            let given = self.compilation.resource(id).get(parameter.name);
            if given.is_some_and(|value| !value.is_undef()) {
                continue;
            }
            let key = format!("{}::{}", definition.name, parameter.name);
            let session = self.lookups();
            self.begin_part(|| (PartKind::Lookup, key.clone()));
            let found = session.parameter(&mut DataHost(self), &key);
            self.end_part();
            let found = found.map_err(stop)?;
            let Some(found) = found else { continue };
            if found.value.is_undef() && parameter.default.is_some() {
                continue;
            }
            let value = self.catalog_value(found.value)?;
            self.compilation.resource_mut(id).set(parameter.name, value);
        }
        Ok(())
    }
}

/// A fault of a lookup as one of the evaluation.
fn stop(fault: Fault) -> Box<Stop> {
    match fault.kind {
        FaultKind::Lookup => {
            let place = fault.file.map(|file| Place {
                file: file.into(),
                line: fault.line.unwrap_or(0),
                column: 0,
            });
            Stop::issue(fault.message, place)
        }
        FaultKind::Puppet | FaultKind::Other => Stop::fault(fault.to_string()),
    }
}

/// The evaluation around a lookup.
struct DataHost<'a>(&'a mut Evaluator);

impl Host for DataHost<'_> {
    fn variable(&mut self, name: &str) -> Variable {
        if let Some(value) = self.0.scopes.get_text(name) {
            return Variable::Value(value);
        }
        let class = name.strip_prefix("::").unwrap_or(name).rsplit_once("::");
        Variable::Unknown(class.map(|(class, _)| match self.0.find_class(class) {
            Ok(Some(_)) => format!("class {class} has not been evaluated"),
            _ => format!("class {class} could not be found"),
        }))
    }

    fn calling_class(&mut self) -> Option<String> {
        self.0.current_definition().filter(|(is_class, _)| *is_class).map(|(_, name)| name.into())
    }

    fn convert(&mut self, type_: &Type, arguments: &[Value]) -> Result<Value, String> {
        self.0.instance(type_, arguments).map_err(|stop| match *stop {
            Stop::Fault(fault) => fault.message,
            _ => "it can't be converted".to_owned(),
        })
    }

    fn names(&self) -> &dyn Names {
        self
    }

    fn log(&mut self, level: Level, message: &str) {
        let level = match level {
            Level::Warning => log::Level::Warning,
            Level::Debug => log::Level::Debug,
        };
        self.0.say(level, message.to_owned(), None);
    }
}

impl Names for DataHost<'_> {
    fn find(&self, name: &str) -> Option<Type> {
        self.0.names().find(name)
    }
}
