//! Variables.

use kukla_base::Symbol;
use kukla_pcore::Value;
use kukla_syntax::Strict;
use kukla_syntax::ast::{Expr, ExprId};

use super::scope::Lookup;
use super::table::Variable;
use super::{CatalogHost, Interpreter};
use crate::program::NodeInfo;
use crate::{Eval, Program, Stop, issues};

impl<C: CatalogHost> Interpreter<C> {
    /// `$name`
    #[inline(never)]
    pub(super) fn variable(
        &mut self,
        program: &Program,
        id: ExprId,
        variable: Variable,
        out: &mut Value,
    ) -> Eval<()> {
        match self.scopes.get(variable) {
            Lookup::Found(value) => value.copy_to(out),
            Lookup::Unset(name) => return Err(Box::new(Stop::UnsetParameter(name))),
            Lookup::Missing => match variable.name.as_str() {
                "module_name" | "caller_module_name" => (),
                _ => out.put(self.unknown_variable(program, id)?),
            },
        }
        Ok(())
    }

    /// `$name`, a parameter of the block or function that it stands in.
    #[inline]
    pub(super) fn parameter(
        &mut self,
        program: &Program,
        id: ExprId,
        (name, number): (Symbol, u32),
        is_last_use: bool,
        out: &mut Value,
    ) -> Eval<()> {
        match self.scopes.parameter_mut(number, name) {
            Some(Value::Integer(number)) => out.put(Value::Integer(*number)),
            Some(value) if is_last_use => out.put(std::mem::take(value)),
            Some(value) => value.copy_to(out),
            None => return self.variable(program, id, Variable::new(name), out),
        }
        Ok(())
    }

    /// `$1` and `$a::b`
    pub(super) fn special_variable(&mut self, program: &Program, id: ExprId) -> Eval<Value> {
        match *program.node_info(id) {
            NodeInfo::Group(group) => Ok(self.group(group)),
            NodeInfo::Qualified { class, leaf } => match self.scopes.get_qualified(class, leaf) {
                Lookup::Found(value) => Ok(value.clone()),
                Lookup::Unset(name) => Err(Box::new(Stop::UnsetParameter(name))),
                Lookup::Missing => self.unknown_variable(program, id),
            },
            _ => self.unknown_variable(program, id),
        }
    }

    fn unknown_variable(&mut self, program: &Program, id: ExprId) -> Eval<Value> {
        let Expr::Variable(name) = program.ast()[id] else { return Ok(Value::Undef) };
        if let NodeInfo::Qualified { .. } = program.node_info(id)
            && let Some(value) = C::qualified_variable(self, program.ast().text(name))?
        {
            return Ok(value);
        }
        let name = program.ast().text(name);
        let issue = issues::unknown_variable(name);
        match self.strictness.strict_variables {
            true => issues::at(program, id, self.with_likely_variables(issue, name)),
            false if self.strictness.strict == Strict::Off => Ok(Value::Undef),
            false => self.complain(issue, program, id).map(|()| Value::Undef),
        }
    }
}
