//! The catalog builder, as the interpreter sees it: the one door in the wall between them.

use kukla_base::Symbol;
use kukla_pcore::types::capitalize_segments;
use kukla_pcore::{Type, Value};
use kukla_syntax::ast::{BinaryOp, Expr, ExprId};

use super::{Compilation, Compiler};
use crate::call::{Call, ForeignBlock, call_native};
use crate::interpreter::{CatalogHost, Invocation};
use crate::library::{FunctionRef, NameKind};
use crate::{Eval, Program};

impl CatalogHost for Compilation {
    fn expression(compiler: &mut Compiler, program: &Program, id: ExprId) -> Eval<Value> {
        match program.ast()[id] {
            Expr::Resource { type_name, form, bodies } => {
                compiler.resource_expression(program, id, type_name, form, bodies)
            }
            Expr::ResourceDefaults { type_ref, operations, .. } => {
                compiler.resource_defaults(program, type_ref, operations)
            }
            Expr::ResourceOverride { resources, operations, .. } => {
                compiler.resource_override(program, id, resources, operations)
            }
            Expr::Collect { type_, query, operations } => {
                compiler.collect(program, id, type_, query, operations).map(|_| Value::Undef)
            }
            _ => Ok(Value::Undef),
        }
    }

    fn relationship(
        compiler: &mut Compiler,
        program: &Program,
        (id, op): (ExprId, BinaryOp),
        left: ExprId,
        right: ExprId,
    ) -> Eval<Value> {
        compiler.relationship(program, id, op, left, right)
    }

    fn attributes(
        compiler: &mut Compiler,
        program: &Program,
        at: ExprId,
        type_: &Type,
        keys: &[Value],
        as_array: bool,
    ) -> Eval<Value> {
        compiler.attributes(program, at, type_, keys, as_array)
    }

    fn qualified_variable(compiler: &mut Compiler, name: &str) -> Eval<Option<Value>> {
        compiler.data_variable(name)
    }

    fn call_method(
        compiler: &mut Compiler,
        program: &Program,
        receiver: &Value,
        name: Symbol,
        arguments: &[Value],
        lambda: Option<ExprId>,
    ) -> Eval<Option<Value>> {
        match super::data::number(receiver) {
            Some(number) => compiler.context_call_in(program, number, name, arguments, lambda),
            None => compiler.object_method(receiver, name, arguments),
        }
    }

    fn adopt(compiler: &mut Compiler, made: Value) -> Value {
        compiler.adopt_context(made)
    }

    fn find_type(compiler: &Compiler, name: &str) -> Eval<Option<Type>> {
        let definitions = &compiler.catalog.definitions;
        let define = definitions.define(name, &compiler.inputs, &compiler.types)?;
        Ok(define
            .map(|define| Type::resource(Some(capitalize_segments(&define.name).into()), None)))
    }

    fn complete_definitions(compiler: &mut Compiler) -> Eval<()> {
        compiler.read_parameter_types()
    }

    fn note_function(&self, function: &FunctionRef) {
        if let FunctionRef::Foreign(function) = function {
            self.definitions.add_companions(&**function);
        }
    }

    fn function(&self, name: Symbol) -> Option<FunctionRef> {
        self.definitions.function(name)
    }

    fn names(&self, kind: NameKind) -> Vec<String> {
        match kind {
            NameKind::Function => self.definitions.function_names(),
            NameKind::Manifest => self.definitions.class_names(),
            NameKind::ResourceType => self.definitions.define_names(),
        }
    }

    fn run_function(
        compiler: &mut Compiler,
        function: &FunctionRef,
        site: Invocation<'_>,
    ) -> Eval<Value> {
        let mut call = Call::new(compiler, site);
        match function {
            FunctionRef::Native(function) => {
                call.name = function.name;
                call_native(function, call)
            }
            FunctionRef::Foreign(function) => function.call(&mut call),
            FunctionRef::Puppet(_) => Ok(Value::Undef),
        }
    }

    fn run_block(
        compiler: &mut Compiler,
        block: &dyn ForeignBlock,
        arguments: &[Value],
    ) -> Eval<Value> {
        block.call(compiler, arguments)
    }
}
