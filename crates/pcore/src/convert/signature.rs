//! The signatures of `new`, and the choice among them.

use std::sync::Arc;

use ecow::EcoString;

use super::{Convert, ConvertError};
use crate::types::mismatch::{self, describe_signatures};
use crate::types::{CallableType, IntegerRange, Names, TupleType, TypeAlias, infer_set, parse};
use crate::{Type, Value};

/// Creates a value of arguments that match the signature.
type Make = fn(&Convert<'_>, &[Value]) -> Result<Value, ConvertError>;

/// Returns the message for arguments that can't be converted.
type Refuse = fn(&[Value]) -> Result<String, ConvertError>;

/// Names and types of parameters; a name with `?` at its end is optional.
type Parameters<'a> = &'a [(&'a str, &'a str)];

/// A signature as written in a table.
pub(super) enum SignatureRow<'a> {
    /// Arguments that make a value.
    Make(Parameters<'a>, Make),
    /// Arguments with a message of their own, which is better than a list of signatures.
    Refuse(Parameters<'a>, Refuse),
}

/// All signatures of `new` of a type.
pub(super) struct NewFunction {
    /// The name in Puppet's messages.
    name: &'static str,
    locals: LocalTypes,
    dispatches: Vec<(NewSignature, SignatureAction)>,
}

/// The action for matching arguments.
enum SignatureAction {
    Make(Make),
    Refuse(Refuse),
}

impl NewFunction {
    /// Creates a function with its local types.
    pub(super) fn new(
        name: &'static str,
        locals: &[(&str, &str)],
        rows: &[SignatureRow<'_>],
    ) -> Self {
        let locals = LocalTypes::new(locals);
        let dispatches = rows.iter().map(|row| match row {
            SignatureRow::Make(parameters, make) => {
                (NewSignature::read(parameters, &locals), SignatureAction::Make(*make))
            }
            SignatureRow::Refuse(parameters, refuse) => {
                (NewSignature::read(parameters, &locals), SignatureAction::Refuse(*refuse))
            }
        });
        Self { name, dispatches: dispatches.collect(), locals }
    }

    /// Returns a local type.
    pub(super) fn local_type(&self, name: &str) -> Type {
        self.locals.find(name).expect("the table has it")
    }

    /// Calls the first signature that matches.
    pub(super) fn call(
        &self,
        convert: &Convert<'_>,
        arguments: &[Value],
    ) -> Result<Value, ConvertError> {
        let fitting = self.dispatches.iter().find(|(signature, _)| signature.accepts(arguments));
        match fitting {
            Some((_, SignatureAction::Make(make))) => make(convert, arguments),
            Some((_, SignatureAction::Refuse(refuse))) => {
                let message = refuse(arguments)?;
                Err(ConvertError(format!("'{}' {message}", self.name)))
            }
            None => Err(NewSignature::mismatch(self.name, self.signatures(), arguments)),
        }
    }

    /// Returns the parameters of each signature.
    pub(super) fn tuples(&self) -> Vec<TupleType> {
        self.signatures().map(|signature| signature.parameters().clone()).collect()
    }

    fn signatures(&self) -> impl Iterator<Item = &NewSignature> {
        let makes =
            |(_, run): &&(NewSignature, SignatureAction)| matches!(run, SignatureAction::Make(_));
        self.dispatches.iter().filter(makes).map(|(signature, _)| signature)
    }
}

/// A signature of `new`.
#[derive(Debug)]
pub(super) struct NewSignature {
    names: Vec<EcoString>,
    type_: CallableType,
}

impl NewSignature {
    /// Creates a signature whose last parameters are optional.
    pub(super) fn new(names: Vec<EcoString>, types: Vec<Type>, required: usize) -> Self {
        let size = IntegerRange::sizes(required, types.len());
        // A size that equals the number of types is redundant.
        let size = Some(size).filter(|size| size.min != size.max || types.is_empty());
        let parameters = Some(TupleType { types, size });
        Self { names, type_: CallableType { parameters, block: None, returns: None } }
    }

    fn read(parameters: Parameters<'_>, locals: &LocalTypes) -> Self {
        let required = parameters.iter().filter(|(name, _)| !name.ends_with('?')).count();
        let names = parameters.iter().map(|(name, _)| name.trim_end_matches('?').into()).collect();
        let types = parameters.iter().map(|(_, text)| built_in(text, locals)).collect();
        Self::new(names, types, required)
    }

    /// Returns true if arguments match.
    pub(super) fn accepts(&self, arguments: &[Value]) -> bool {
        let TupleType { types, size } = self.parameters();
        let n_required = size.map_or(types.len(), |size| usize::try_from(size.min).unwrap_or(0));
        (n_required..=types.len()).contains(&arguments.len())
            && types.iter().zip(arguments).all(|(type_, argument)| type_.is_instance(argument))
    }

    /// Returns the types of the parameters.
    pub(super) fn parameters(&self) -> &TupleType {
        self.type_.parameters.as_ref().expect("a signature has parameters")
    }

    /// Describes why arguments match none of the signatures.
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

/// The local types of a function.
#[derive(Default)]
struct LocalTypes(Vec<(EcoString, Type)>);

impl LocalTypes {
    /// Creates local types; each may use those before it.
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

impl Names for LocalTypes {
    fn find(&self, name: &str) -> Option<Type> {
        let entry = self.0.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        entry.map(|(_, type_)| type_.clone())
    }
}
