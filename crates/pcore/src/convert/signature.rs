//! The signatures of `new`, and which of them arguments fit.

use std::sync::Arc;

use ecow::EcoString;

use super::{Convert, ConvertError};
use crate::types::mismatch::{self, describe_signatures};
use crate::types::{CallableType, IntegerRange, Names, TupleType, TypeAlias, infer_set, parse};
use crate::{Type, Value};

/// Makes a value of arguments that fit the signature.
type Make = fn(&Convert<'_>, &[Value]) -> Result<Value, ConvertError>;

/// Says why there can't be a value.
type Refuse = fn(&[Value]) -> Result<String, ConvertError>;

/// Names and types of parameters; a name with `?` at its end may be left out.
type Parameters<'a> = &'a [(&'a str, &'a str)];

/// A signature as it is written in a table.
pub(super) enum Row<'a> {
    /// Arguments that make a value.
    Make(Parameters<'a>, Make),
    /// Arguments for which there is a message that is better than a list of signatures.
    Refuse(Parameters<'a>, Refuse),
}

/// All signatures of `new` of a type.
pub(super) struct NewFunction {
    /// The name that Puppet's messages have.
    name: &'static str,
    locals: Locals,
    dispatches: Vec<(Signature, Run)>,
}

/// What to do with arguments that fit.
enum Run {
    Make(Make),
    Refuse(Refuse),
}

impl NewFunction {
    /// A function with the types that only it knows.
    pub(super) fn new(name: &'static str, locals: &[(&str, &str)], rows: &[Row<'_>]) -> Self {
        let locals = Locals::new(locals);
        let dispatches = rows.iter().map(|row| match row {
            Row::Make(parameters, make) => (Signature::read(parameters, &locals), Run::Make(*make)),
            Row::Refuse(parameters, refuse) => {
                (Signature::read(parameters, &locals), Run::Refuse(*refuse))
            }
        });
        Self { name, dispatches: dispatches.collect(), locals }
    }

    /// One of the types that only it knows.
    pub(super) fn local_type(&self, name: &str) -> Type {
        self.locals.find(name).expect("the table has it")
    }

    /// Calls what fits first.
    pub(super) fn call(
        &self,
        convert: &Convert<'_>,
        arguments: &[Value],
    ) -> Result<Value, ConvertError> {
        let fitting = self.dispatches.iter().find(|(signature, _)| signature.accepts(arguments));
        match fitting {
            Some((_, Run::Make(make))) => make(convert, arguments),
            Some((_, Run::Refuse(refuse))) => {
                let message = refuse(arguments)?;
                Err(ConvertError(format!("'{}' {message}", self.name)))
            }
            None => Err(Signature::mismatch(self.name, self.signatures(), arguments)),
        }
    }

    /// What the parameters may be.
    pub(super) fn tuples(&self) -> Vec<TupleType> {
        self.signatures().map(|signature| signature.parameters().clone()).collect()
    }

    fn signatures(&self) -> impl Iterator<Item = &Signature> {
        let makes = |(_, run): &&(Signature, Run)| matches!(run, Run::Make(_));
        self.dispatches.iter().filter(makes).map(|(signature, _)| signature)
    }
}

/// One way to call `new`.
#[derive(Debug)]
pub(super) struct Signature {
    names: Vec<EcoString>,
    type_: CallableType,
}

impl Signature {
    /// Parameters of which the last may be missing.
    pub(super) fn new(names: Vec<EcoString>, types: Vec<Type>, required: usize) -> Self {
        let size = IntegerRange::sizes(required, types.len());
        // A size that says no more than the types is no size.
        let size = Some(size).filter(|size| size.min != size.max || types.is_empty());
        let parameters = Some(TupleType { types, size });
        Self { names, type_: CallableType { parameters, block: None, returns: None } }
    }

    fn read(parameters: Parameters<'_>, locals: &Locals) -> Self {
        let required = parameters.iter().filter(|(name, _)| !name.ends_with('?')).count();
        let names = parameters.iter().map(|(name, _)| name.trim_end_matches('?').into()).collect();
        let types = parameters.iter().map(|(_, text)| built_in(text, locals)).collect();
        Self::new(names, types, required)
    }

    /// Whether arguments fit.
    pub(super) fn accepts(&self, arguments: &[Value]) -> bool {
        let TupleType { types, size } = self.parameters();
        let n_required = size.map_or(types.len(), |size| usize::try_from(size.min).unwrap_or(0));
        (n_required..=types.len()).contains(&arguments.len())
            && types.iter().zip(arguments).all(|(type_, argument)| type_.is_instance(argument))
    }

    /// The types of the parameters.
    pub(super) fn parameters(&self) -> &TupleType {
        self.type_.parameters.as_ref().expect("a signature has parameters")
    }

    /// Why arguments fit none of the signatures.
    pub(super) fn mismatch<'a>(
        name: &str,
        signatures: impl Iterator<Item = &'a Self>,
        arguments: &[Value],
    ) -> ConvertError {
        let signatures: Vec<_> = signatures.collect();
        let names =
            signatures.iter().map(|signature| signature.names.iter().map(EcoString::as_str));
        let names: Vec<Vec<&str>> = names.map(Iterator::collect).collect();
        let described = signatures.iter().zip(&names).map(|(signature, names)| {
            mismatch::Signature { type_: &signature.type_, names, block_name: "" }
        });
        let types: Vec<Type> = arguments.iter().map(infer_set).collect();
        let text = describe_signatures(name, &described.collect::<Vec<_>>(), &types);
        ConvertError(text.unwrap_or_default())
    }
}

fn built_in(text: &str, names: &dyn Names) -> Type {
    parse(text, names).expect("a type of ours is one")
}

/// Types that only one function knows.
#[derive(Default)]
struct Locals(Vec<(EcoString, Type)>);

impl Locals {
    /// Each may use those before it.
    fn new(definitions: &[(&str, &str)]) -> Self {
        let mut locals = Self::default();
        for (name, text) in definitions {
            let alias = TypeAlias::new(*name);
            alias.resolve(&built_in(text, &locals)).expect("it does not contain itself");
            locals.0.push(((*name).into(), Type::Alias(Arc::new(alias))));
        }
        locals
    }
}

impl Names for Locals {
    fn find(&self, name: &str) -> Option<Type> {
        let found = self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, type_)| type_.clone())
    }
}
