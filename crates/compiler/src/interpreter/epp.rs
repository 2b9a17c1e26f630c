//! Templates that are called with parameters by name: `epp` and `inline_epp`.

use std::sync::Arc;

use kukla_base::Symbol;
use kukla_pcore::types::{StructElement, mismatch};
use kukla_pcore::{Hash, Type, Value};
use kukla_syntax::ast::{Expr, ExprId};
use kukla_syntax::{Language, Options, check};
use kukla_world::{ContentCache, ContentKey};

use super::scope::Variables;
use super::strangers::Strangers;
use super::{CatalogHost, Interpreter, Parameters};
use crate::{Eval, Parsed, Program, Stop, fault, issues, source};

/// A template that is to be rendered.
#[derive(Clone, Copy, Debug)]
pub struct Template<'a> {
    /// The function that was called, for messages.
    pub function: &'a str,
    /// The name of its file.
    pub file: &'a str,
    /// Its text.
    pub text: &'a str,
    /// Whether it sees global variables only, not those where it is called.
    pub is_global: bool,
}

impl<C: CatalogHost> Interpreter<C> {
    /// The text of a template; sensitive if a value in it is.
    pub(crate) fn render(
        &mut self,
        template: &Template<'_>,
        parameters: Option<&Hash>,
    ) -> Eval<Value> {
        let strict = self.strictness.strict;
        let make = || {
            let options = Options {
                language: Language::Template,
                strict,
                file: template.file.to_owned(),
                ..Options::default()
            };
            program(template, &options)
        };
        let program = self.caches.template(template.file, template.text, make)?;
        let Some(lambda) = program.ast().body() else { return Ok(Value::from("")) };
        let has_parameters = declares_parameters(&program, lambda);
        // Parameters for a template that declares none just set variables.
        let is_strict = has_parameters || parameters.is_none();
        let no_parameters = Hash::new();
        let given = parameters.unwrap_or(&no_parameters);
        match template.is_global {
            true => {
                let scopes = self.scopes.enter_global();
                let result = self.call_by_names(&program, lambda, given, is_strict);
                self.scopes.leave(scopes);
                result
            }
            false => self.call_by_names(&program, lambda, given, is_strict),
        }
    }

    /// Calls a lambda with parameters by name.
    fn call_by_names(
        &mut self,
        program: &Program,
        lambda: ExprId,
        given: &Hash,
        is_strict: bool,
    ) -> Eval<Value> {
        let Expr::Lambda { body, .. } = program.ast()[lambda] else { return Ok(Value::Undef) };
        let mut variables = Variables::new();
        for (name, value) in given.iter() {
            let Some(name) = name.as_str() else { continue };
            if !is_strict || !value.is_undef() {
                variables.push((self.scopes.strangers.symbol(name), value.clone()));
            }
        }
        if is_strict {
            let parameters = self.parameters(program, lambda)?;
            self.add_defaults(program, &parameters, given, &mut variables)?;
            validate(&parameters, &variables, &self.scopes.strangers)?;
        }
        self.evaluate_body(program, body, variables)
    }

    /// Gives parameters that have no value their defaults, or `undef` if that was given.
    fn add_defaults(
        &mut self,
        program: &Program,
        parameters: &Parameters,
        given: &Hash,
        variables: &mut Variables,
    ) -> Eval<()> {
        let mark = self.scopes.mark();
        self.scopes.push_parameters(Arc::clone(parameters.numbers()));
        for (name, value) in variables.iter() {
            self.scopes.set_parameter(*name, value.clone());
        }
        let mut result = Ok(());
        for parameter in &parameters.list {
            if variables.iter().any(|(name, _)| *name == parameter.name) {
                continue;
            }
            let value = match parameter.default {
                Some(default) => {
                    let callee = |_: &Self| "lambda".to_owned();
                    match self.default(program, parameters, parameter, default, callee) {
                        Ok(value) => value,
                        Err(stop) => {
                            result = Err(stop);
                            break;
                        }
                    }
                }
                None if given.get_str(parameter.name.as_str()).is_some() => Value::Undef,
                None => continue,
            };
            self.scopes.set_parameter(parameter.name, value.clone());
            variables.push((parameter.name, value));
        }
        self.scopes.restore(mark);
        result
    }
}

fn declares_parameters(program: &Program, lambda: ExprId) -> bool {
    let Expr::Lambda { body: Some(body), .. } = program.ast()[lambda] else { return false };
    matches!(program.ast()[body], Expr::Epp { parameters_specified: true, .. })
}

/// Returns the program of a template.
fn program(template: &Template<'_>, options: &Options) -> Eval<Arc<Program>> {
    let key = ContentKey::new("epp")
        .with(format!("{:?}", options.strict).as_bytes())
        .with(template.text.as_bytes());
    let parsed = ContentCache::of_process().get_or(&key, || parse(template, options))?;
    Ok(Program::of(parsed, template.file, ""))
}

/// Parses a template. A tree does not depend on the name of its file, which only messages have.
fn parse(template: &Template<'_>, options: &Options) -> Eval<(Arc<Parsed>, usize)> {
    let checked = check(template.text, options);
    if let Some(refusal) = source::refusal_of(&checked.diagnostics, template.file, template.text) {
        return Err(refusal.in_template(template.function));
    }
    if !checked.ast.definitions().is_empty() {
        return fault(issues::definitions_in_epp(template.function));
    }
    let parsed = Arc::new(Parsed::new(checked.ast));
    let size = parsed.size();
    Ok((parsed, size))
}

/// Whether all parameters are known, there, and of their types.
fn validate(parameters: &Parameters, variables: &Variables, strangers: &Strangers) -> Eval<()> {
    let elements: Vec<StructElement> = parameters
        .list
        .iter()
        .map(|parameter| StructElement {
            name: parameter.name.as_str().into(),
            optional_key: parameter.default.is_some(),
            value: parameter.type_.clone().unwrap_or(Type::Any),
        })
        .collect();
    let given: Vec<(&str, &Value)> =
        variables.iter().map(|(name, value)| (strangers.text(*name), value)).collect();
    mismatch::validate_parameters("lambda", &elements, &given, false, &|_| None).map_err(|error| {
        let names = parameters.names().map(Symbol::as_str);
        Stop::fault(issues::parameter_mismatch(error, names))
    })
}
