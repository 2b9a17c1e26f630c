//! `new` of Object types: arguments by position, or a hash with all of them by name.

use std::sync::Arc;

use super::ConvertError;
use super::signature::NewSignature;
use crate::types::{
    Member, MemberKind, ObjectType, StructElement, TupleType, TypeError, lookup_context, mismatch,
};
use crate::value::{Object, Rare};
use crate::{Type, Value};

/// Implements `Name.new(arguments)`.
pub(super) fn new(type_: &Arc<ObjectType>, arguments: &[Value]) -> Result<Value, ConvertError> {
    let [from_hash, from_args] = signatures(type_);
    let takes_hash = !is_lookup_context(type_);
    let values = match arguments {
        [Value::Hash(hash)] if takes_hash && from_hash.accepts(arguments) => {
            fill(type_, |member| hash.get_str(&member.name))
        }
        _ if from_args.accepts(arguments) => {
            let order = in_order(&parameters(type_));
            check_count(&order, arguments.len())?;
            fill(type_, |member| {
                let place = order.iter().position(|other| other.name == member.name);
                place.and_then(|place| arguments.get(place))
            })
        }
        _ => {
            let name = format!("new_{}", type_.name.as_deref().unwrap_or_default());
            let all = [&from_hash, &from_args];
            let signatures = if takes_hash { &all[..] } else { &all[1..] };
            return Err(NewSignature::mismatch(&name, signatures.iter().copied(), arguments));
        }
    };
    Ok(Value::Rare(Arc::new(Rare::Object(Object { type_: type_.clone(), values }))))
}

/// Returns true for `Puppet::LookupContext`, which Puppet can't make from a hash, nor show as one.
fn is_lookup_context(type_: &ObjectType) -> bool {
    std::ptr::eq(type_, &raw const *lookup_context())
}

/// Creates an object from a hash of all its attributes, which is checked.
pub fn from_hash(type_: &Arc<ObjectType>, init: &Value) -> Result<Value, TypeError> {
    let [from_hash, _] = signatures(type_);
    let expected = &from_hash.parameters().types[0];
    mismatch::assert_instance(&format!("{} initializer", type_.label()), expected, init)?;
    let Value::Hash(hash) = init else { return Ok(Value::Undef) };
    let values = fill(type_, |member| hash.get_str(&member.name));
    Ok(Value::Rare(Arc::new(Rare::Object(Object { type_: type_.clone(), values }))))
}

/// Returns the parameters of each signature.
pub(super) fn tuples(type_: &ObjectType) -> Vec<TupleType> {
    signatures(type_).iter().map(|signature| signature.parameters().clone()).collect()
}

/// Returns the parameters of `new`, in the order of the type, the parent's first.
fn parameters(type_: &ObjectType) -> Vec<&Member> {
    type_.all_members(MemberKind::is_new_argument)
}

/// Returns the signatures: a hash of all attributes, and by position, where those without a default come first.
fn signatures(type_: &ObjectType) -> [NewSignature; 2] {
    let parameters = parameters(type_);
    let elements = parameters.iter().map(|member| StructElement {
        name: member.name.clone(),
        optional_key: is_optional(member),
        value: member.type_.clone(),
    });
    let hash = Type::Struct(elements.collect());
    let required = parameters.iter().filter(|member| !is_optional(member)).count();
    let ordered = in_order(&parameters);
    let names = ordered.iter().map(|member| member.name.clone()).collect();
    let types = ordered.iter().map(|member| member.type_.clone()).collect();
    [
        NewSignature::new(vec!["hash".into()], vec![hash], 1),
        NewSignature::new(names, types, required),
    ]
}

/// Returns true if a signature may omit it: an attribute that may be undefined need not be in a hash.
fn is_optional(member: &Member) -> bool {
    member.value.is_some() || member.type_.is_assignable(&Type::Undef)
}

/// Checks the number of arguments: by position, only those with a default can be left out.
fn check_count(order: &[&Member], count: usize) -> Result<(), ConvertError> {
    let required = order.iter().filter(|member| member.value.is_none()).count();
    if count >= required {
        return Ok(());
    }
    let expected = match order.len() == required {
        true => required.to_string(),
        false => format!("{required}..{}", order.len()),
    };
    Err(ConvertError(format!("wrong number of arguments (given {count}, expected {expected})")))
}

fn in_order<'a>(parameters: &[&'a Member]) -> Vec<&'a Member> {
    let required = parameters.iter().filter(|member| member.value.is_none());
    required.chain(parameters.iter().filter(|member| member.value.is_some())).copied().collect()
}

/// Returns the values of all attributes: arguments, defaults, or constants.
fn fill<'a>(type_: &ObjectType, find: impl Fn(&Member) -> Option<&'a Value>) -> Vec<Value> {
    let value = |member: &&Member| {
        let argument = if member.kind.is_new_argument() { find(member) } else { None };
        argument.or(member.value.as_ref()).cloned().unwrap_or_default()
    };
    type_.attributes().iter().map(value).collect()
}

impl Object {
    /// Returns the attributes that `new` takes, in the order of the type.
    fn parameters(&self) -> impl Iterator<Item = (&Member, &Value)> {
        let attributes = self.type_.attributes().into_iter().zip(&self.values);
        attributes.filter(|(member, _)| member.kind.is_new_argument())
    }

    /// Returns the entries of the hash from which `new` recreates this object.
    pub fn init_entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        let is_shown = !is_lookup_context(&self.type_);
        let parameters = self.parameters().filter(move |_| is_shown);
        let needed = parameters.filter(|(member, value)| member.value.as_ref() != Some(*value));
        needed.map(|(member, value)| (member.name.as_str(), value))
    }

    /// Returns the arguments by position from which `new` recreates this object.
    pub fn arguments(&self) -> impl Iterator<Item = (&str, &Value)> {
        let (required, mut all): (Vec<_>, Vec<_>) =
            self.parameters().partition(|(member, _)| member.value.is_none());
        let is_default =
            |(member, value): &(&Member, &Value)| member.value.as_ref() == Some(*value);
        while all.last().is_some_and(is_default) {
            all.pop();
        }
        required.into_iter().chain(all).map(|(member, value)| (member.name.as_str(), value))
    }
}
