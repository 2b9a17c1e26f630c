//! Names of types.

use std::sync::Arc;

use kukla_pcore::{Type, Value, types};
use kukla_syntax::ast::{Expr, ExprId};

use super::definitions::{KnownNames, resource_type};
use super::{CatalogHost, Interpreter};
use crate::program::Cached;
use crate::{Eval, Program, Stop, fault, issues};

impl<C: CatalogHost> Interpreter<C> {
    /// `Name`
    pub(super) fn qualified_reference(&mut self, program: &Program, id: ExprId) -> Eval<Value> {
        if let Some(cache) = program.type_cache(id)
            && let Some(cached) = cache.get()
        {
            self.inputs.replay(&cached.reads);
            return Ok(Value::Type(Arc::clone(&cached.value)));
        }
        let Expr::QualifiedReference(name) = program.ast()[id] else { return Ok(Value::Undef) };
        let name = program.ast().text(name);
        let (found, reads) = self.gather(|interpreter| {
            let found = interpreter.find_type(name)?;
            C::complete_definitions(interpreter)?;
            Ok::<_, Box<Stop>>(found)
        });
        let found = found?;
        let Some(type_) = found else {
            if let Some(refusal) = self.inputs.refused_type(name.trim_start_matches("::")) {
                return Err(Stop::refused(refusal));
            }
            let issue = self.with_likely_types(issues::unknown_type(name), name);
            return issues::at(program, id, issue);
        };
        let type_ = Arc::new(type_);
        if let Some(cache) = program.type_cache(id) {
            let _ = cache.set(Cached { value: Arc::clone(&type_), reads });
        }
        Ok(Value::Type(type_))
    }

    /// The type of a name.
    pub(crate) fn find_type(&self, name: &str) -> Eval<Option<Type>> {
        let name = name.strip_prefix("::").unwrap_or(name);
        if let Some(type_) = types::named(name) {
            return Ok(Some(type_));
        }
        match self.types.find(name, &self.inputs) {
            Some(Ok(type_)) => Ok(Some(type_)),
            Some(Err(issue)) => fault(issue),
            None => match self.inputs.type_(name) {
                Some(type_) => Ok(Some(type_)),
                None => self.type_of_resources(name),
            },
        }
    }

    /// A type of resources: one that agents know, or a defined one.
    fn type_of_resources(&self, name: &str) -> Eval<Option<Type>> {
        if let Some(type_) = resource_type(name, &self.inputs) {
            return Ok(Some(type_));
        }
        C::find_type(self, name)
    }

    /// Returns the types that code can name.
    pub(crate) fn names(&self) -> KnownNames<'_> {
        KnownNames { types: &self.types, inputs: &self.inputs }
    }
}
