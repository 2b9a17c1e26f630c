//! What a function sees of a call.

use std::sync::{Arc, OnceLock};

use ecow::EcoString;
use kukla_base::Symbol;
use kukla_catalog::origins::OriginId;
use kukla_lookup::Query;
use kukla_pcore::regex::{Options, Regex};
use kukla_pcore::types::{self, CallableType, IntegerRange, TupleType};
use kukla_pcore::{Hash, Type, Value};
use kukla_syntax::ast::ExprId;

use crate::compile::resource::At;
use crate::eval::Values;
use crate::issues::Issue;
use crate::log::Level;
use crate::scope::Closure;
use crate::table::Numbers;
use crate::{Eval, Evaluator, Frame, FrameKind, Inputs, Place, Program, Stop, Template};

/// One call of a function: its arguments, its block, and what it may ask for.
#[derive(Debug)]
pub struct Call<'a> {
    pub(crate) evaluator: &'a mut Evaluator,
    pub(crate) name: Symbol,
    pub(crate) arguments: &'a [Value],
    pub(crate) block: Option<Block<'a>>,
    pub(crate) program: &'a Program,
    pub(crate) id: ExprId,
}

/// Puppet's stack of calls has a name for code that is in no file.
pub(crate) fn on_stack(place: Place) -> Place {
    match place.file.is_empty() {
        true => Place { file: "unknown".into(), ..place },
        false => place,
    }
}

/// The block of a call: `|$x| { … }`
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    pub(crate) program: &'a Program,
    pub(crate) closure: Closure,
    pub(crate) parameters: &'a Parameters,
    /// What runs it if it is no code of the Puppet language; program and closure mean nothing then.
    pub(crate) foreign: Option<&'a dyn ForeignBlock>,
}

/// A block that is no code of the Puppet language.
pub(crate) trait ForeignBlock: std::fmt::Debug {
    fn call(&self, evaluator: &mut Evaluator, arguments: &[Value]) -> Eval<Value>;
}

impl<'a> Call<'a> {
    /// The name that was called.
    pub fn name(&self) -> &'static str {
        self.name.as_str()
    }

    /// All arguments.
    pub fn arguments(&self) -> &'a [Value] {
        self.arguments
    }

    /// An argument; `undef` if there are not that many.
    #[inline]
    pub fn value(&self, n: usize) -> &'a Value {
        self.arguments.get(n).unwrap_or(&Value::Undef)
    }

    /// An argument that the signature says is a string.
    pub fn string(&self, n: usize) -> &'a str {
        match self.value(n) {
            Value::String(text) => text,
            _ => "",
        }
    }

    /// An argument that the signature says is an integer.
    pub fn integer(&self, n: usize) -> i64 {
        match self.value(n) {
            Value::Integer(value) => *value,
            _ => 0,
        }
    }

    /// An argument that the signature says is an array.
    pub fn array(&self, n: usize) -> &'a [Value] {
        match self.value(n) {
            Value::Array(values) => values,
            _ => &[],
        }
    }

    /// An argument that the signature says is a hash.
    pub fn hash(&self, n: usize) -> Option<&'a Hash> {
        match self.value(n) {
            Value::Hash(hash) => Some(hash),
            _ => None,
        }
    }

    /// Whether there is a block.
    pub fn has_block(&self) -> bool {
        self.block.is_some()
    }

    /// The number of parameters of the block: least and most, if there is an end.
    pub fn block_arity(&self) -> (usize, Option<usize>) {
        self.block.map_or((0, Some(0)), |block| (block.parameters.min, block.parameters.max))
    }

    /// The type of the block.
    pub(crate) fn block_type(&self) -> Option<&'a Type> {
        let parameters = self.block?.parameters;
        Some(parameters.as_type.get_or_init(|| Type::Callable(parameters.callable().into())))
    }

    /// Calls the block.
    pub fn call_block(&mut self, arguments: &[Value]) -> Eval<Value> {
        let mut value = Value::Undef;
        self.call_block_into(arguments, &mut value)?;
        Ok(value)
    }

    /// Calls the block and puts its value into an empty place, so that it need not be moved.
    #[inline]
    pub fn call_block_into(&mut self, arguments: &[Value], out: &mut Value) -> Eval<()> {
        match self.block {
            Some(block) => self.evaluator.call_block(block, arguments, out),
            None => crate::fault(crate::issues::no_block()),
        }
    }

    /// The same with arguments that nobody else has, so that what the block adds to them need not be a copy.
    #[inline]
    pub fn give_to_block(&mut self, arguments: &mut [Value], out: &mut Value) -> Eval<()> {
        match self.block {
            Some(block) => self.evaluator.call_block_taking(block, arguments, out),
            None => crate::fault(crate::issues::no_block()),
        }
    }

    /// Calls the block of a function that iterates; `None` is the end that `break()` wants.
    pub fn iterate(&mut self, arguments: &[Value]) -> Eval<Option<Value>> {
        match self.call_block(arguments) {
            Ok(value) => Ok(Some(value)),
            Err(stop) if stop.is_break() => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    /// Whether the block surely does not call `break()`.
    pub fn block_never_breaks(&self) -> bool {
        self.block.is_some_and(|block| {
            block.foreign.is_none()
                && block.program.callee(block.closure.lambda).is_some_and(|callee| callee.is_simple)
        })
    }

    /// Calls the block of a function that iterates with arguments that nobody else has.
    ///
    /// The value comes into an empty place; `false` is the end that `break()` wants.
    pub fn iterate_taking(&mut self, arguments: &mut [Value], out: &mut Value) -> Eval<bool> {
        match self.give_to_block(arguments, out) {
            Ok(()) => Ok(true),
            Err(stop) if stop.is_break() => Ok(false),
            Err(stop) => Err(stop),
        }
    }

    /// The annotation of a value that is of an annotation type.
    pub fn annotation(&self, value: &Value, type_: &str) -> Option<Value> {
        self.evaluator.annotations.get(value, type_).cloned()
    }

    /// Annotates a value; `false` if values of its kind can't be.
    pub fn annotate(&mut self, value: &Value, type_: &str, annotation: Value) -> bool {
        self.evaluator.annotations.set(value, type_, annotation)
    }

    /// Takes an annotation off a value.
    pub fn remove_annotation(&mut self, value: &Value, type_: &str) -> Option<Value> {
        self.evaluator.annotations.remove(value, type_)
    }

    /// Returns a text that Ruby makes of bytes, without an encoding: catalogs have it as Binary.
    pub fn text_of_bytes(&mut self, text: &str) -> Value {
        Value::String(self.evaluator.byte_texts.add(text))
    }

    /// Calls another function.
    pub fn call_function(&mut self, name: &str, arguments: &[Value]) -> Eval<Value> {
        self.call_named(name, arguments, None)
    }

    /// Calls another function with this call's block.
    pub fn call_function_with_block(&mut self, name: &str, arguments: &[Value]) -> Eval<Value> {
        self.call_named(name, arguments, self.block)
    }

    /// Calls another function with a block that is not of the Puppet language.
    pub(crate) fn call_function_with(
        &mut self,
        name: &str,
        arguments: &[Value],
        foreign: &dyn ForeignBlock,
    ) -> Eval<Value> {
        let parameters = Parameters::one();
        let (scope, top) = (self.evaluator.scopes.current, self.evaluator.scopes.top());
        let closure = Closure { lambda: self.id, scope, top };
        let block = Block {
            program: self.program,
            closure,
            parameters: &parameters,
            foreign: Some(foreign),
        };
        self.call_named(name, arguments, Some(block))
    }

    fn call_named(
        &mut self,
        name: &str,
        arguments: &[Value],
        block: Option<Block<'_>>,
    ) -> Eval<Value> {
        let mut arguments: Values = arguments.iter().cloned().collect();
        let mut value = Value::Undef;
        let (program, id) = (self.program, self.id);
        let name = self.evaluator.function_symbol(program, id, name)?;
        self.evaluator.call_by_name(program, id, name, &mut arguments, block, &mut value)?;
        Ok(value)
    }

    /// Whether there is a function of that name.
    pub fn is_function(&self, name: &str) -> bool {
        matches!(self.evaluator.find_named_function(name, self.program.module()), Ok(Some(_)))
    }

    /// The names of the block's parameters.
    pub fn block_parameter_names(&mut self) -> Eval<Vec<&'static str>> {
        let Some(block) = self.block.filter(|block| block.foreign.is_none()) else {
            return Ok(Vec::new());
        };
        let parameters = self.evaluator.parameters(block.program, block.closure.lambda)?;
        Ok(parameters.list.iter().map(|parameter| parameter.name.as_str()).collect())
    }

    /// The value of a variable as code at the place of the call sees it.
    pub fn variable(&self, name: &str) -> Option<Value> {
        self.evaluator.scopes.get_text(name)
    }

    /// The value of a variable at top scope.
    pub fn top_variable(&self, name: &str) -> Option<Value> {
        self.evaluator.scopes.get_text(&format!("::{name}"))
    }

    /// What becomes of things that are wrong but work.
    pub fn strict(&self) -> kukla_syntax::Strict {
        self.evaluator.strictness.strict
    }

    /// Returns the way to everything outside.
    pub fn inputs(&self) -> &Inputs {
        &self.evaluator.inputs
    }

    /// A regular expression, which is kept for the next time.
    pub fn regex(&mut self, source: &str, options: Options) -> Eval<Regex> {
        let regex = self.evaluator.caches.regex(source, options);
        regex.map_err(|error| Stop::fault(crate::issues::invalid_regexp(&error)))
    }

    /// The type that a text describes.
    pub fn parse_type(&self, text: &str) -> Eval<Type> {
        types::parse(text, &self.evaluator.names())
            .map_err(|error| Stop::fault(crate::issues::illegal_type_expression(&error)))
    }

    /// `type.new(arguments)`
    pub fn instance(&mut self, type_: &Type, arguments: &[Value]) -> Eval<Value> {
        self.evaluator.instance(type_, arguments)
    }

    /// The text of a template with these parameters; `None` if there are none.
    pub fn render(&mut self, template: &Template<'_>, parameters: Option<&Hash>) -> Eval<Value> {
        self.evaluator.render(template, parameters).map_err(|stop| {
            stop.framed(|| Frame {
                kind: FrameKind::Template,
                name: template.file.to_owned(),
                place: Some(self.place()),
            })
        })
    }

    /// What Puppet calls the kind of a value.
    pub fn label(&self, value: &Value) -> String {
        crate::label::label(value)
    }

    /// Warns, unless it did before; `key` tells what is the same.
    pub fn warn_once(&mut self, key: &str, message: &str) {
        if self.evaluator.caches.is_new_warning(key) {
            let message = format!("{message}\n   (file & line not available)");
            self.evaluator.say(Level::Warning, message, None);
        }
    }

    /// Warns with the place of the call, unless it did before.
    pub fn warn_once_here(&mut self, key: &str, message: &str) {
        if self.evaluator.caches.is_new_warning(key) {
            let place = Place { column: 0, ..self.place() };
            let message = format!("{message}\n  {place}");
            self.evaluator.say(Level::Warning, message, None);
        }
    }

    /// Something is wrong with the call as it is written.
    pub fn fault_here<T>(&self, issue: Issue) -> Eval<T> {
        crate::issues::at(self.program, self.id, issue)
    }

    /// What `"${value}"` shows.
    pub fn text(&self, value: &Value) -> String {
        crate::text::of(value).into()
    }

    /// Says something.
    pub fn say(&mut self, level: Level, message: impl Into<String>) {
        self.evaluator.say(level, message.into(), None);
    }

    /// Says something with the place of the call.
    pub fn say_at(&mut self, level: Level, message: impl Into<String>) {
        let place = self.place();
        self.evaluator.say(level, message.into(), Some(&place));
    }

    /// The place of the call.
    pub fn place(&self) -> Place {
        self.program.place(self.id)
    }

    /// The place of the call as Puppet's stack of calls has it.
    pub fn frame(&self) -> Place {
        on_stack(self.place())
    }

    /// Returns the call as the origin of what it sets.
    pub(crate) fn origin(&mut self) -> OriginId {
        self.evaluator.compilation.origins.expression(self.program, self.id)
    }

    /// Refuses what data may not do.
    fn changes_catalog(&self) -> Eval<()> {
        match self.evaluator.n_pure {
            0 => Ok(()),
            _ => crate::fault(crate::issues::not_in_data(self.name())),
        }
    }

    /// Evaluates classes, each once.
    pub fn include(&mut self, names: &[EcoString]) -> Eval<()> {
        self.changes_catalog()?;
        let origin = self.origin();
        self.framed(|evaluator| evaluator.include(names, origin).map(drop))
    }

    /// Evaluates classes that come before the class or define around the call.
    pub fn require(&mut self, names: &[EcoString]) -> Eval<()> {
        self.changes_catalog()?;
        let origin = self.origin();
        self.framed(|evaluator| evaluator.require_classes(names, origin))
    }

    /// Evaluates classes that lie within the class or define around the call.
    pub fn contain(&mut self, names: &[EcoString]) -> Eval<()> {
        self.changes_catalog()?;
        let origin = self.origin();
        self.framed(|evaluator| evaluator.contain_classes(names, origin))
    }

    /// Does something that evaluates other code, which then knows where it was called from.
    fn framed(&mut self, run: impl FnOnce(&mut Evaluator) -> Eval<()>) -> Eval<()> {
        let place = self.frame();
        self.evaluator.frames.push(place);
        let result = run(self.evaluator);
        self.evaluator.frames.pop();
        result
    }

    /// The call around this one: that which includes the class that is evaluated. Code that belongs to no catalog has
    /// the beginning of its file.
    pub fn outer_place(&self) -> Option<Place> {
        match self.evaluator.compilation.node.is_empty() {
            true => Some(Place { line: 0, ..self.frame() }),
            false => self.evaluator.frames.last().cloned(),
        }
    }

    /// Looks something up in the data of the environment; `None` if there is no value.
    pub fn look_up(&mut self, query: &Query<'_>) -> Eval<Option<Value>> {
        let Some(mut found) = self.evaluator.look_up(query)? else { return Ok(None) };
        if !found.origins.is_empty() {
            let call = self.origin();
            self.evaluator.note_lookup(call, query, &mut found);
        }
        Ok(Some(found.value))
    }

    /// Makes virtual resources real.
    pub fn realize(&mut self, references: &[Value]) {
        self.evaluator.realize(references);
    }

    /// Adds tags to the class or define around the call.
    pub fn tag(&mut self, tags: &[Value]) -> Eval<()> {
        self.changes_catalog()?;
        let origin = self.origin();
        self.evaluator.tag(tags, origin)
    }

    /// Whether the catalog, or the class or define around the call, has a tag.
    pub fn is_tagged(&self, tag: &Value) -> bool {
        self.evaluator.is_tagged(tag)
    }

    /// Whether there is a resource of that type and title; of type `Class`, a class.
    pub fn is_declared(&self, type_: &str, title: &str) -> bool {
        self.evaluator.find_resource(type_, title).is_some()
    }

    /// The value of a parameter of a resource.
    pub fn resource_parameter(&self, type_: &str, title: &str, name: &str) -> Option<Value> {
        self.evaluator.parameter_of(type_, title, name)
    }

    /// Whether there is another resource of that type and title with these parameters; any title if it is empty.
    pub fn is_declared_with(&self, type_: &str, title: &str, parameters: &Hash) -> bool {
        self.evaluator.is_declared_with(type_, title, parameters)
    }

    /// The class or define around the call: whether it is a class, and its name.
    pub fn definition(&self) -> Option<(bool, EcoString)> {
        self.evaluator.current_definition()
    }

    /// Whether there is a type of resources of that name.
    pub fn is_resource_type(&mut self, name: &str) -> Eval<bool> {
        let found = self.evaluator.find_resource_type(name)?;
        self.evaluator.read_parameter_types()?;
        Ok(found.is_some())
    }

    /// Whether there is a class of that name.
    pub fn is_class(&mut self, name: &str) -> Eval<bool> {
        Ok(self.evaluator.find_class(name)?.is_some())
    }

    /// Parameters of resources as catalogs have them.
    pub fn catalog_parameters(&mut self, parameters: &Hash) -> Eval<Hash> {
        let mut made = Hash::with_capacity(parameters.len());
        for (name, value) in parameters.iter() {
            let text = name.as_str().unwrap_or_default();
            made.insert(name.clone(), self.evaluator.parameter_value(text, value.clone())?);
        }
        Ok(made)
    }

    /// Declares a resource, with [`catalog_parameters`](Self::catalog_parameters). The type may begin with `@` or `@@`.
    pub fn declare(&mut self, type_: &str, title: &Value, parameters: &Hash) -> Eval<()> {
        self.changes_catalog()?;
        let at = crate::compile::declare::at(self.program, self.id);
        // As Puppet's stack of calls has it.
        let at = match at.file {
            Some(file) if file.is_empty() => At { file: Some("unknown".into()), line: at.line },
            file => At { file, line: at.line },
        };
        let origin = self.origin();
        self.evaluator.declare_by_name(type_, title, parameters, (at, origin))
    }

    /// The evaluator, for the few functions that are part of the language.
    pub fn evaluator(&mut self) -> &mut Evaluator {
        self.evaluator
    }

    /// `break()`
    pub fn break_(&self) -> Box<Stop> {
        Box::new(Stop::Break(self.place()))
    }

    /// `next(value)`
    pub fn next(&self, value: Value) -> Box<Stop> {
        Box::new(Stop::Next(value, self.place()))
    }

    /// `return(value)`
    pub fn return_(&self, value: Value) -> Box<Stop> {
        Box::new(Stop::Return(value, self.place()))
    }
}

/// The parameters of a function, lambda or signature.
#[derive(Debug, Clone)]
pub struct Parameters {
    /// Each of them.
    pub list: Vec<Parameter>,
    /// How many arguments there must be.
    pub min: usize,
    /// How many there may be; `None` is no limit.
    pub max: Option<usize>,
    /// The block, of a signature.
    pub block: Option<BlockParameter>,
    /// The type of the result.
    pub returns: Option<Type>,
    /// Whether no parameter has a type, a default, or takes the rest.
    pub(crate) is_plain: bool,
    /// The type of what can be called with these, once it was asked for.
    pub(crate) as_type: OnceLock<Type>,
    /// Their numbers by name, once they were asked for.
    pub(crate) numbers: OnceLock<Arc<Numbers>>,
    /// Defaults that are always the same value, and whether that is of the parameter's type.
    pub(crate) constants: OnceLock<Vec<Option<(Value, bool)>>>,
}

/// A parameter.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name.
    pub name: Symbol,
    /// The type of one argument.
    pub type_: Option<Type>,
    /// Its default.
    pub default: Option<ExprId>,
    /// Whether it takes the rest.
    pub captures_rest: bool,
    /// Its node, where it has one.
    pub at: Option<ExprId>,
}

impl Parameter {
    /// Whether a value is surely of its type.
    pub(crate) fn accepts(&self, value: &Value) -> bool {
        match &self.type_ {
            Some(type_) => !matches!(value, Value::Rare(_)) && type_.is_instance(value),
            None => true,
        }
    }
}

/// What block a signature takes.
#[derive(Debug, Clone)]
pub struct BlockParameter {
    /// Its name.
    pub name: Symbol,
    /// A `Callable`.
    pub type_: Type,
    /// Whether it may be left out.
    pub is_optional: bool,
}

impl Parameters {
    /// Their numbers by name.
    pub(crate) fn numbers(&self) -> &Arc<Numbers> {
        self.numbers.get_or_init(|| Arc::new(self.names().zip(0..).collect()))
    }

    /// Defaults that are always the same value, and whether that is of the parameter's type.
    pub(crate) fn constants(&self, program: &Program) -> &[Option<(Value, bool)>] {
        self.constants.get_or_init(|| {
            let constant = |parameter: &Parameter| {
                let value = program.constant(parameter.default?)?;
                Some((value.clone(), parameter.accepts(value)))
            };
            self.list.iter().map(constant).collect()
        })
    }

    /// How many of them have no default.
    pub(crate) fn n_required(&self) -> usize {
        self.list.iter().filter(|parameter| parameter.default.is_none()).count()
    }

    /// The names of all of them.
    #[inline]
    pub(crate) fn names(&self) -> impl Iterator<Item = Symbol> {
        self.list.iter().map(|parameter| parameter.name)
    }

    /// Whether so many arguments are the values of the parameters, with no default and no rest.
    #[inline]
    pub(crate) fn takes_just(&self, n: usize) -> bool {
        n >= self.list.len() && self.list.last().is_none_or(|last| !last.captures_rest)
    }

    /// One argument of any type: `|$argument|`
    fn one() -> Self {
        let argument = Parameter {
            name: Symbol::new("argument"),
            type_: None,
            default: None,
            captures_rest: false,
            at: None,
        };
        Self {
            list: vec![argument],
            min: 1,
            max: Some(1),
            block: None,
            returns: None,
            is_plain: false,
            as_type: OnceLock::new(),
            numbers: OnceLock::new(),
            constants: OnceLock::new(),
        }
    }

    /// The type of what can be called with these.
    pub fn callable(&self) -> CallableType {
        let types = self.list.iter().map(|p| p.type_.clone().unwrap_or(Type::Any)).collect();
        let size = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
        let size = IntegerRange::new(Some(size(self.min)), self.max.map(size));
        let block = self.block.as_ref().map(|block| match block.is_optional {
            true => Type::Optional(Some(block.type_.clone().into())),
            false => block.type_.clone(),
        });
        CallableType {
            parameters: Some(TupleType { types, size: Some(size) }),
            block,
            returns: self.returns.clone(),
        }
    }
}
