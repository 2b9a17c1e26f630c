//! `$a = 1` and `[$a, $b] = [1, 2]`

use kukla_base::Symbol;
use kukla_pcore::{Type, Value};
use kukla_syntax::ast::{Expr, ExprId, ExprList};

use super::scope::{Assigned, Lookup};
use super::table::Variable;
use super::{CatalogHost, Interpreter, text};
use crate::program::NodeInfo;
use crate::{Eval, Program, fault, issues};

impl<C: CatalogHost> Interpreter<C> {
    /// `left = right`; its value is that of the right side.
    pub(super) fn assignment(
        &mut self,
        program: &Program,
        id: ExprId,
        left: ExprId,
        right: ExprId,
        out: &mut Value,
    ) -> Eval<()> {
        self.eval_into(program, right, out)?;
        self.assign(program, id, left, out)
    }

    fn assign(&mut self, program: &Program, id: ExprId, left: ExprId, value: &Value) -> Eval<()> {
        match program.ast()[left] {
            Expr::List(targets) => self.assign_all(program, id, targets, value),
            _ => match *program.node_info(left) {
                NodeInfo::Variable(variable) => {
                    self.set_variable(program, id, variable, value.clone())
                }
                NodeInfo::Parameter { name, .. } => {
                    self.set_variable(program, id, Variable::new(name), value.clone())
                }
                // Validation has refused all others.
                _ => issues::at(program, id, issues::illegal_assignment()),
            },
        }
    }

    fn set_variable(
        &mut self,
        program: &Program,
        id: ExprId,
        variable: Variable,
        value: Value,
    ) -> Eval<()> {
        let text = variable.name.as_str();
        if text == "server_facts" {
            return issues::at(program, id, issues::reserved_assignment(text));
        }
        match self.scopes.set(variable, value) {
            Assigned::Done if matches!(text, "trusted" | "facts") => {
                fault(issues::reserved_name(text))
            }
            Assigned::Done => Ok(()),
            Assigned::Bound if matches!(text, "trusted" | "facts") => {
                issues::at(program, id, issues::reserved_assignment(text))
            }
            Assigned::Bound => issues::at(program, id, issues::reassignment(text)),
            Assigned::ReadOnly => fault(issues::assignment_in_parameters(text)),
        }
    }

    fn assign_all(
        &mut self,
        program: &Program,
        id: ExprId,
        targets: ExprList,
        value: &Value,
    ) -> Eval<()> {
        let targets = program.ast().list(targets);
        match value {
            Value::Hash(hash) => {
                for &target in targets {
                    let key = target_key(program, target);
                    let Some(value) = hash.get(&key) else {
                        let issue = issues::multi_assignment_key(&text::of(&key));
                        return issues::at(program, id, issue);
                    };
                    self.assign(program, id, target, &value.clone())?;
                }
                Ok(())
            }
            Value::Array(values) => self.assign_each(program, id, targets, values),
            Value::Type(type_) if let Type::Class(Some(class)) = &**type_ => {
                self.assign_from_class(program, id, targets, class)
            }
            single => self.assign_each(program, id, targets, std::slice::from_ref(single)),
        }
    }

    /// `[$a, $b] = Class['c']` takes the variables of those names of a class that is declared.
    fn assign_from_class(
        &mut self,
        program: &Program,
        id: ExprId,
        targets: &[ExprId],
        class: &str,
    ) -> Eval<()> {
        let declared = Symbol::known(class).filter(|&name| self.scopes.class_scope(name).is_some());
        let Some(class) = declared else {
            let right = match program.ast()[id] {
                Expr::Binary { right, .. } => right,
                _ => id,
            };
            return issues::at(program, right, issues::resource_not_found("Class", class));
        };
        for &target in targets {
            let key = target_key(program, target);
            let name = key.as_str().unwrap_or_default();
            let value = match Symbol::known(name).map(|name| self.scopes.get_qualified(class, name))
            {
                Some(Lookup::Found(value)) => value.clone(),
                _ => {
                    let issue = issues::multi_assignment_variable(class, name);
                    return issues::at(program, target, issue);
                }
            };
            self.assign(program, id, target, &value)?;
        }
        Ok(())
    }

    fn assign_each(
        &mut self,
        program: &Program,
        id: ExprId,
        targets: &[ExprId],
        values: &[Value],
    ) -> Eval<()> {
        if targets.len() != values.len() {
            let issue = issues::multi_assignment_size(targets.len(), values.len());
            return issues::at(program, id, issue);
        }
        for (&target, value) in targets.iter().zip(values) {
            self.assign(program, id, target, value)?;
        }
        Ok(())
    }
}

/// The key of a hash that a variable gets its value from; of a list of variables, a list of names.
fn target_key(program: &Program, target: ExprId) -> Value {
    match program.ast()[target] {
        Expr::List(targets) => Value::array(
            program.ast().list(targets).iter().map(|&inner| target_key(program, inner)),
        ),
        Expr::Variable(name) => Value::from(program.ast().text(name)),
        _ => Value::Undef,
    }
}
