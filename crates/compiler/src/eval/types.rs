//! Names of types.

use std::sync::Arc;

use kukla_pcore::{Type, Value, types};
use kukla_syntax::ast::{Expr, ExprId};

use crate::{Eval, Evaluator, Program, issues};

impl Evaluator {
    /// `Name`
    pub(super) fn qualified_reference(&mut self, program: &Program, id: ExprId) -> Eval<Value> {
        if let Some(cache) = program.type_cache(id)
            && let Some(type_) = cache.get()
        {
            return Ok(Value::Type(Arc::clone(type_)));
        }
        let Expr::QualifiedReference(name) = program.ast()[id] else { return Ok(Value::Undef) };
        let name = program.ast().text(name);
        let Some(type_) = self.find_type(name) else {
            return issues::at(program, id, &issues::unknown_resource_type(name));
        };
        let type_ = Arc::new(type_);
        if let Some(cache) = program.type_cache(id) {
            let _ = cache.set(Arc::clone(&type_));
        }
        Ok(Value::Type(type_))
    }

    /// The type of a name.
    pub(crate) fn find_type(&mut self, name: &str) -> Option<Type> {
        if let Some(type_) = types::named(name) {
            return Some(type_);
        }
        let lower = name.to_lowercase();
        if let Some(type_) = self.types.get(&lower) {
            return Some(type_.clone());
        }
        self.library.type_(name)
    }
}

impl types::Names for Evaluator {
    fn find(&self, name: &str) -> Option<Type> {
        self.types.get(&name.to_lowercase()).cloned().or_else(|| self.library.type_(name))
    }
}
