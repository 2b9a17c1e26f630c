//! The parameters of classes and defines: how they get their values, and whether those are fine.
//!
//! A value goes to two places: into the resource, for the catalog, and into the scope, for the code. There may be
//! hundreds of parameters and most have constant defaults, so those are copied in one go and were checked before.
//! [`Compiler::set_parameters`] is the way in.

use std::sync::Arc;

use kukla_base::Symbol;
use kukla_catalog::origins::OriginId;
use kukla_catalog::types::METAPARAMETERS;
use kukla_pcore::types::{StructElement, mismatch};
use kukla_pcore::{Type, Value};
use smallvec::SmallVec;

use super::Compiler;
use super::definition::Definition;
use super::resource::ResourceId;
use crate::interpreter::Parameters;
use crate::interpreter::table::{Table, Variable};
use crate::{Eval, Program, Stop, issues};

impl Compiler {
    /// Gives the parameters of the class or define that is the current scope their values, and checks those.
    pub(super) fn set_parameters(&mut self, id: ResourceId, definition: &Definition) -> Eval<()> {
        let parameters = self.parameters(&definition.program, definition.id)?;
        let mark = self.scopes.mark();
        self.scopes.push_own_parameters(Arc::clone(parameters.numbers()));
        let mut progress = Progress::new(self.scopes.own_variables().all().len(), &parameters);
        let result = self.assign_parameters(id, definition, &parameters, &mut progress);
        let result = result.and_then(|()| self.check_parameters(id, &parameters, &progress));
        self.scopes.restore(mark);
        result?;
        match progress.taken {
            None => Ok(()),
            Some(name) => {
                let issue = issues::parameter_reassignment(name);
                Err(Stop::fault_at_line(issue, &definition.at()))
            }
        }
    }

    /// Parameters get the values that were given, and those without a value their default.
    fn assign_parameters(
        &mut self,
        id: ResourceId,
        definition: &Definition,
        parameters: &Parameters,
        progress: &mut Progress,
    ) -> Eval<()> {
        self.assign_given(id, parameters, progress);
        let program = &definition.program;
        self.catalog.resource_mut(id).parameters.reserve(parameters.list.len());
        let mut n = 0;
        while n < parameters.list.len() {
            n = self.assign_constants(id, parameters, program, n, progress);
            let Some(parameter) = parameters.list.get(n) else { break };
            if let (Some(default), Given::Nothing | Given::Undef) =
                (parameter.default, progress.given[n])
            {
                let callee = |this: &Self| this.catalog.reference(id).into();
                let value = self.default(program, parameters, parameter, default, callee);
                let value = value.map_err(|stop| at_definition(stop, definition))?;
                let value = self.catalog_value(value)?;
                let origin = self.catalog.origins.expression(program, default);
                self.assign_default(id, parameter.name, n, (value, origin), progress);
            }
            n += 1;
        }
        Ok(())
    }

    /// Parameters get the values that the resource was given.
    fn assign_given(&mut self, id: ResourceId, parameters: &Parameters, progress: &mut Progress) {
        let numbers = parameters.numbers();
        let (name, title) = (self.catalog.names.name, self.catalog.names.title);
        let variables = self.scopes.own_variables_mut();
        for (at, parameter) in self.catalog.resource(id).parameters.iter().enumerate() {
            let number = numbers.get(&parameter.name).copied();
            // `$name` and `$title` are there already.
            let is_shown = parameter.name != name && parameter.name != title;
            if let Some(number) = number {
                let number = number as usize;
                progress.given[number] = match parameter.value.is_undef() {
                    true => {
                        let variable = is_shown.then(|| variables.all().len());
                        progress.undefs.push(GivenUndef { number, at, variable });
                        Given::Undef
                    }
                    false => Given::Value,
                };
            }
            if is_shown {
                let value = parameter.value.clone();
                progress.set(variables, parameter.name, Slot { number, is_checked: false }, value);
            }
        }
    }

    /// A parameter gets its default, which takes the place of an `undef` that was given.
    fn assign_default(
        &mut self,
        id: ResourceId,
        name: Symbol,
        number: usize,
        (value, origin): (Value, OriginId),
        progress: &mut Progress,
    ) {
        let resource = self.catalog.resource_mut(id);
        let variables = self.scopes.own_variables_mut();
        let undef = progress.undefs.iter().find(|undef| undef.number == number);
        let variable = match undef {
            Some(undef) => {
                resource.replace(undef.at, value.clone(), origin);
                undef.variable
            }
            None => {
                resource.add(name, value.clone(), origin);
                None
            }
        };
        match variable {
            Some(place) => variables.replace_at(place, value),
            None => {
                let slot = Slot { number: u32::try_from(number).ok(), is_checked: false };
                progress.set(variables, name, slot, value);
            }
        }
    }

    /// Parameters from a number on get their defaults, up to one whose default is to be evaluated: its number.
    ///
    /// Most parameters of large definitions are such.
    fn assign_constants(
        &mut self,
        id: ResourceId,
        parameters: &Parameters,
        program: &Program,
        first: usize,
        progress: &mut Progress,
    ) -> usize {
        let base = self.catalog.origins.base(program);
        let resource = self.catalog.resource_mut(id);
        let variables = self.scopes.own_variables_mut();
        let constants = parameters.constants(program);
        for (n, (parameter, constant)) in
            parameters.list.iter().zip(constants).enumerate().skip(first)
        {
            match (progress.given[n], constant) {
                (Given::Value, _) => (),
                (Given::Nothing, Some((value, fits))) => {
                    let origin = parameter.default.map(|default| base.expression(default));
                    let origin = origin.unwrap_or(OriginId::COMPILER);
                    resource.add(parameter.name, value.clone(), origin);
                    let slot = Slot { number: u32::try_from(n).ok(), is_checked: *fits };
                    progress.set(variables, parameter.name, slot, value.clone());
                }
                (Given::Nothing, None) if parameter.default.is_none() => (),
                (Given::Undef, _) | (Given::Nothing, None) => return n,
            }
        }
        parameters.list.len()
    }

    /// Checks the values that parameters have got.
    fn check_parameters(
        &mut self,
        id: ResourceId,
        parameters: &Parameters,
        progress: &Progress,
    ) -> Eval<()> {
        let values = progress.values(self.scopes.own_variables());
        if values.iter().any(|(_, value)| matches!(value, Value::Rare(_))) {
            let value = |wanted| values.iter().find(|(name, _)| *name == wanted);
            let declared: Vec<Value> =
                parameters.names().filter_map(value).map(|(_, value)| value.clone()).collect();
            self.read_deferred(declared.iter());
        }
        let values = progress.values(self.scopes.own_variables());
        if !self.are_fine(parameters, values, &progress.slots) {
            let values = values.iter().map(|(name, value)| (*name, value));
            self.validate_values(id, parameters, values)?;
        }
        let title = self.catalog.names.title;
        let resource = self.catalog.resource_mut(id);
        resource.is_checked = resource.get(title).is_none();
        Ok(())
    }

    /// Whether all variables are parameters with values of their types, and none is missing.
    fn are_fine(
        &self,
        parameters: &Parameters,
        values: &[(Symbol, Value)],
        slots: &[Slot],
    ) -> bool {
        let mut n_required = 0;
        let is_valid = values.iter().zip(slots).all(|((name, value), slot)| {
            let Some(number) = slot.number else {
                return self.catalog.names.is_metaparameter(*name);
            };
            let parameter = &parameters.list[number as usize];
            n_required += usize::from(parameter.default.is_none());
            slot.is_checked || parameter.accepts(value)
        });
        is_valid && n_required == parameters.n_required()
    }

    /// Checks that all parameters are known, of their types, and none is missing.
    pub(super) fn validate_values<'v>(
        &self,
        id: ResourceId,
        parameters: &Parameters,
        values: impl Iterator<Item = (Symbol, &'v Value)> + Clone,
    ) -> Eval<()> {
        let numbers = parameters.numbers();
        let mut n_required = 0;
        let is_valid = values.clone().all(|(name, value)| match numbers.get(&name) {
            Some(&number) => {
                let parameter = &parameters.list[number as usize];
                n_required += usize::from(parameter.default.is_none());
                parameter.accepts(value)
            }
            None => self.catalog.names.is_metaparameter(name),
        });
        if is_valid && n_required == parameters.n_required() {
            return Ok(());
        }
        let elements = self.parameter_struct(parameters);
        let given: Vec<(&str, &Value)> =
            values.map(|(name, value)| (self.scopes.strangers.text(name), value)).collect();
        let reference = self.catalog.reference(id);
        let deferred = |value: &Value| {
            let mut types = self.catalog.deferred_types.iter().rev();
            types.find(|(known, _)| known == value).map(|(_, type_)| type_.clone())
        };
        mismatch::validate_parameters(&reference, &elements, &given, false, &deferred).map_err(
            |error| {
                let names = parameters.names().map(Symbol::as_str).chain(METAPARAMETERS);
                Stop::fault(issues::parameter_mismatch(error, names))
            },
        )
    }

    /// The parameters of a definition as elements of a Struct, metaparameters first.
    fn parameter_struct(&self, parameters: &Parameters) -> Vec<StructElement> {
        let element = |name: &str, value: Type, optional_key: bool| StructElement {
            name: name.into(),
            value,
            optional_key,
        };
        let mut elements = vec![element("name", Type::Any, true)];
        elements.extend(METAPARAMETERS.iter().map(|name| element(name, Type::Any, true)));
        for parameter in &parameters.list {
            let type_ = parameter.type_.clone().unwrap_or(Type::Any);
            let name = parameter.name.as_str();
            elements.push(element(name, type_, parameter.default.is_some()));
        }
        elements
    }
}

/// How far parameters have got their values.
struct Progress {
    /// How many variables there were before.
    first: usize,
    /// The state of each variable that was set since.
    slots: Vec<Slot>,
    /// The value that the declaration has for each parameter.
    given: Vec<Given>,
    /// Those of them that were given `undef`.
    undefs: SmallVec<[GivenUndef; 4]>,
    /// The name of one that is a variable already.
    taken: Option<Symbol>,
}

/// The state of a variable that is set from a parameter of a resource.
struct Slot {
    /// The number of the parameter; metaparameters have none.
    number: Option<u32>,
    /// Whether the value is known to be of the parameter's type.
    is_checked: bool,
}

impl Progress {
    fn new(first: usize, parameters: &Parameters) -> Self {
        let n = parameters.list.len();
        let slots = Vec::with_capacity(n);
        let given = vec![Given::Nothing; n];
        Self { first, slots, given, undefs: SmallVec::new(), taken: None }
    }

    #[inline]
    fn set(&mut self, variables: &mut Table, name: Symbol, slot: Slot, value: Value) {
        let is_new = match slot.number {
            Some(number) => variables.set_parameter(name, number, value),
            None => variables.set(Variable::new(name), value),
        };
        match is_new {
            true => self.slots.push(slot),
            false => self.taken = self.taken.or(Some(name)),
        }
    }

    /// The variables that were set since.
    fn values<'t>(&self, variables: &'t Table) -> &'t [(Symbol, Value)] {
        &variables.all()[self.first..]
    }
}

/// The value that a declaration has for a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    Nothing,
    Value,
    /// `undef`, which the default takes the place of.
    Undef,
}

/// A parameter that was given `undef`.
struct GivenUndef {
    /// The number of the parameter.
    number: usize,
    /// Where it is in the resource.
    at: usize,
    /// Where it is among the variables of the scope, if it is one.
    variable: Option<usize>,
}

/// An error in a default that has no place, such as missing data, gets the place of the definition.
fn at_definition(stop: Box<Stop>, definition: &Definition) -> Box<Stop> {
    match *stop {
        Stop::Fault(fault) if fault.is_nowhere() => {
            let place = definition.at().place();
            let message = fault.message().to_owned();
            fault.wrapped_at(message, place).into()
        }
        _ => stop,
    }
}
