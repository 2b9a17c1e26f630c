//! Services of the interpreter for calls: other functions, variables, types, templates, the log.

use std::sync::Arc;

use kukla_base::Edition;
use kukla_pcore::regex::{Options, Regex};
use kukla_pcore::{Hash, Type, Value, types};

use super::{Call, ForeignBlock};
use crate::interpreter::scope::Closure;
use crate::interpreter::{Block, Parameters, Values};
use crate::issues::Issue;
use crate::log::{Entry, Level};
use crate::{Eval, Frame, FrameKind, Inputs, Place, Stop, Template};

impl Call<'_> {
    /// The annotation of a value that is of an annotation type.
    pub fn annotation(&self, value: &Value, type_: &str) -> Option<Value> {
        self.compiler.annotations.get(value, type_).cloned()
    }

    /// Annotates a value; `false` if values of its kind can't be.
    pub fn annotate(&mut self, value: &Value, type_: &str, annotation: Value) -> bool {
        self.compiler.annotations.set(value, type_, annotation)
    }

    /// Takes an annotation off a value.
    pub fn remove_annotation(&mut self, value: &Value, type_: &str) -> Option<Value> {
        self.compiler.annotations.remove(value, type_)
    }

    /// Returns a text that Ruby makes of bytes, without an encoding: catalogs have it as Binary.
    pub fn text_of_bytes(&mut self, text: &str) -> Value {
        Value::String(self.compiler.byte_texts.add(text))
    }

    /// Does something one call deeper, with enough stack: code in another language calls back.
    pub(crate) fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Eval<T>) -> Eval<T> {
        self.compiler.begin_call()?;
        let result = crate::interpreter::with_stack(|| work(self));
        self.compiler.depth -= 1;
        result
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
        let (scope, top) = (self.compiler.scopes.current, self.compiler.scopes.top());
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
        let name = self.compiler.function_symbol(program, id, name)?;
        self.compiler.call_by_name(program, id, name, &mut arguments, block, &mut value)?;
        Ok(value)
    }

    /// Whether there is a function of that name.
    pub fn is_function(&self, name: &str) -> bool {
        matches!(self.compiler.find_named_function(name, self.program.module()), Ok(Some(_)))
    }

    /// The names of the block's parameters.
    pub fn block_parameter_names(&mut self) -> Eval<Vec<&'static str>> {
        let Some(block) = self.block.filter(|block| block.foreign.is_none()) else {
            return Ok(Vec::new());
        };
        let parameters = self.compiler.parameters(block.program, block.closure.lambda)?;
        Ok(parameters.list.iter().map(|parameter| parameter.name.as_str()).collect())
    }

    /// The value of a variable as code at the place of the call sees it.
    pub fn variable(&self, name: &str) -> Option<Value> {
        self.compiler.scopes.get_text(name)
    }

    /// The value of a variable at top scope.
    pub fn top_variable(&self, name: &str) -> Option<Value> {
        self.compiler.scopes.get_text(&format!("::{name}"))
    }

    /// Returns the setting `strict`.
    pub fn strict(&self) -> kukla_syntax::Strict {
        self.compiler.strictness.strict
    }

    /// Returns the edition of Puppet whose rules hold.
    pub const fn edition(&self) -> Edition {
        self.compiler.strictness.editions.puppet
    }

    /// Returns the way to everything outside.
    pub fn inputs(&self) -> &Inputs {
        &self.compiler.inputs
    }

    /// A regular expression, which is kept for the next time.
    pub fn regex(&mut self, source: &str, options: Options) -> Eval<Regex> {
        let regex = self.compiler.caches.regex(source, options);
        regex.map_err(|error| Stop::fault(crate::issues::invalid_regexp(&error)))
    }

    /// The type that a text describes.
    pub fn parse_type(&self, text: &str) -> Eval<Type> {
        types::parse(text, &self.compiler.names())
            .map_err(|error| Stop::fault(crate::issues::illegal_type_expression(&error)))
    }

    /// `type.new(arguments)`
    pub fn instance(&mut self, type_: &Type, arguments: &[Value]) -> Eval<Value> {
        self.compiler.instance(type_, arguments)
    }

    /// The text of a template with these parameters; `None` if there are none.
    pub fn render(&mut self, template: &Template<'_>, parameters: Option<&Hash>) -> Eval<Value> {
        self.compiler.render(template, parameters).map_err(|stop| {
            stop.framed(|| Frame {
                kind: FrameKind::Template,
                name: template.file.to_owned(),
                place: Some(self.place()),
            })
        })
    }

    /// Returns Puppet's name for the kind of a value.
    pub fn label(&self, value: &Value) -> String {
        crate::interpreter::label::label(value)
    }

    /// Warns, unless it did before; `key` tells what is the same.
    pub fn warn_once(&mut self, key: &str, message: &str) {
        if self.compiler.caches.is_new_warning(key) {
            let message = format!("{message}\n   (file & line not available)");
            self.compiler.say(Level::Warning, message, None);
        }
    }

    /// Warns with the place of the call, unless it did before.
    pub fn warn_once_here(&mut self, key: &str, message: &str) {
        if self.compiler.caches.is_new_warning(key) {
            let place = Place { column: 0, ..self.place() };
            let message = format!("{message}\n  {place}");
            self.compiler.say(Level::Warning, message, None);
        }
    }

    /// Something is wrong with the call as it is written.
    pub fn fault_here<T>(&self, issue: Issue) -> Eval<T> {
        crate::issues::at(self.program, self.id, issue)
    }

    /// Returns the text of `"${value}"`.
    pub fn text(&self, value: &Value) -> String {
        crate::interpreter::text::of(value).into()
    }

    /// Says something.
    pub fn say(&mut self, level: Level, message: impl Into<String>) {
        self.compiler.say(level, message.into(), None);
    }

    /// Logs a message with the current scope as its source.
    pub fn say_in_scope(&mut self, level: Level, message: impl Into<String>) {
        let source = self.compiler.log_source();
        self.say_as(source, level, message.into());
    }

    /// Logs a message with a source.
    pub(crate) fn say_as(&mut self, source: Option<Arc<str>>, level: Level, message: String) {
        self.compiler.keep(Entry { source, ..Entry::new(level, message) });
    }

    /// Says something with the place of the call.
    pub fn say_at(&mut self, level: Level, message: impl Into<String>) {
        let place = self.place();
        self.compiler.say(level, message.into(), Some(&place));
    }
}
