//! Methods of objects that are written in Ruby.

use std::sync::{Arc, LazyLock};

use kukla_base::Symbol;
use kukla_pcore::types::{Member, MemberKind, ObjectType};
use kukla_pcore::value::{Object, Rare};
use kukla_pcore::{Hash, Type, Value};
use kukla_syntax::Options;

use super::Compiler;
use crate::interpreter::{Invocation, check_member, find_member, mismatch};
use crate::{Call, Eval, FunctionRef, InlineMethod, Program, fault, source};

/// Where such calls stand: the expression that calls adds its own place.
static NOWHERE: LazyLock<Arc<Program>> = LazyLock::new(|| {
    let program = source::program("undef", &Options::default(), &mut Vec::new());
    program.expect("a literal is a program")
});

impl Compiler {
    /// `$object.name(arguments)`, if Ruby code implements it; `None` if it does not.
    pub(super) fn object_method(
        &mut self,
        receiver: &Value,
        name: Symbol,
        arguments: &[Value],
    ) -> Eval<Option<Value>> {
        let Value::Rare(rare) = receiver else { return Ok(None) };
        let Rare::Object(object) = &**rare else { return Ok(None) };
        let Some((owner, member)) = find_member(&object.type_, name.as_str()) else {
            return Ok(None);
        };
        let Some(function) = self.implementation(owner, member, name) else { return Ok(None) };
        check_member(&object.type_, name.as_str(), arguments)?;
        let all: Vec<Value> =
            std::iter::once(attributes(object)).chain(arguments.iter().cloned()).collect();
        let value = self.call_implementation(&function, name, &all)?;
        match returned_type(member) {
            Some(type_) if !type_.is_instance(&value) => {
                fault(mismatch::returned(&format!("function '{name}'"), type_, &value))
            }
            _ => Ok(Some(value)),
        }
    }

    fn implementation(
        &self,
        owner: &ObjectType,
        member: &Member,
        name: Symbol,
    ) -> Option<FunctionRef> {
        let Some(annotation) = ruby_method(member) else {
            return self.inputs.method(owner.name.as_deref()?, name);
        };
        let text = |key| annotation.get_str(key).and_then(Value::as_str).unwrap_or_default();
        let attributes = owner.attributes();
        let names: Vec<&str> = attributes.iter().map(|member| member.name.as_str()).collect();
        self.inputs.inline_method(&InlineMethod {
            name,
            parameters: text("parameters"),
            body: text("body"),
            attributes: &names.join(" "),
        })
    }

    fn call_implementation(
        &mut self,
        function: &FunctionRef,
        name: Symbol,
        arguments: &[Value],
    ) -> Eval<Value> {
        let (FunctionRef::Foreign(function), Some(id)) = (function, NOWHERE.ast().body()) else {
            return Ok(Value::Undef);
        };
        let site = Invocation { name, arguments, block: None, program: &NOWHERE, id };
        Call::new(self, site).deeper(|call| function.call_as_is(call))
    }
}

/// Returns the annotation `RubyMethod` of a member.
fn ruby_method(member: &Member) -> Option<&Hash> {
    let Some(Value::Hash(annotations)) = &member.annotations else { return None };
    annotations.iter().find_map(|(type_, annotation)| match (type_, annotation) {
        (Value::Type(type_), Value::Hash(hash)) if type_.name() == "RubyMethod" => Some(&**hash),
        _ => None,
    })
}

/// Returns the attributes that `new` has set, by name.
fn attributes(object: &Object) -> Value {
    let attributes = object.type_.attributes().into_iter().zip(&object.values);
    let known = attributes.filter(|(member, _)| member.kind.is_new_argument());
    let entry =
        |(member, value): (&Member, &Value)| (Value::String(member.name.clone()), value.clone());
    Value::hash(known.map(entry).collect::<Hash>())
}

/// Returns the type of the result of a function, if it says one.
fn returned_type(member: &Member) -> Option<&Type> {
    match (&member.kind, &member.type_) {
        (MemberKind::Function, Type::Callable(callable)) => callable.returns.as_ref(),
        _ => None,
    }
}
