//! What a program defines: functions and types.

use std::sync::Arc;

use kukla_base::Symbol;
use kukla_pcore::types::TypeAlias;
use kukla_pcore::{Type, Value};
use kukla_syntax::ast::{Expr, NamedKind};

use crate::library::{FunctionRef, PuppetFunction};
use crate::{Evaluator, Program};

impl Evaluator {
    /// Makes the functions and types of a program known.
    pub(crate) fn define(&mut self, program: &Arc<Program>) {
        let ast = program.ast();
        let mut aliases = Vec::new();
        for &definition in ast.definitions() {
            match ast[definition] {
                Expr::Named(named) if ast.named(named).kind == NamedKind::Function => {
                    let name = Symbol::new(ast.text(ast.named(named).name));
                    let function =
                        PuppetFunction { name, program: Arc::clone(program), definition };
                    self.functions.insert(name, FunctionRef::Puppet(Arc::new(function)));
                }
                Expr::TypeAlias { name, type_ } => {
                    let name = ast.text(name);
                    let alias = Arc::new(TypeAlias::new(name));
                    self.types.insert(name.to_lowercase(), Type::Alias(Arc::clone(&alias)));
                    aliases.push((alias, type_));
                }
                _ => (),
            }
        }
        for (alias, type_) in aliases {
            if let Ok(Value::Type(type_)) = self.eval(program, type_) {
                // What stands for nothing stays unresolved, and says so where it is used.
                let _ = alias.resolve(&type_);
            }
        }
    }
}
