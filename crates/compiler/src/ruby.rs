//! The Ruby that modules carry: templates and functions that are run by the room `ruby`.

use std::any::Any;
use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use ecow::EcoString;
use kukla_base::{Source, Symbol};
use kukla_foreign::{
    BlockFn, CallSite, FunctionKind, Host, HostError, LogSource, NameQuestion, NeedsRuby,
    ParamKind, Render, RubyError, RunFunctions, SiteDefinition,
};
use kukla_pcore::regex::{Options, Regex, RegexError};
use kukla_pcore::types::{self, Names, TypeAlias};
use kukla_pcore::{Type, Value};
use kukla_syntax::ast::ExprId;
use kukla_world::{Answer, Atom, Change, Kind, Reads};

use crate::call::{Call, ForeignBlock};
use crate::compile::Compiler;
use crate::interpreter::scope::{Lookup, ScopeId};
use crate::interpreter::table::Variable;
use crate::interpreter::{Block, BlockParameter, Parameter, Parameters};
use crate::interpreter::{mismatch, signature, with_stack};
use crate::issues::{self, Issue};
use crate::library::{ForeignFunction, FunctionRef, ModuleFolder};
use crate::log::Level;
use crate::resolve;
use crate::{Eval, Fault, Frame, FrameKind, Located, Program, SourceSpan, Stop, Strict, fault};

impl Call<'_> {
    /// The text of an ERB template, or what went wrong.
    pub fn render_erb(&mut self, template: &dyn Render) -> Result<String, Box<TemplateFailure>> {
        let mut host = CallHost { call: self, stops: Vec::new() };
        template.render(&mut host).map_err(|error| {
            let cause = host.original(&error).cloned();
            Box::new(TemplateFailure { error, cause })
        })
    }

    /// Returns the fault of an ERB template, with the place in the template and what led there.
    pub fn template_fault(
        &self,
        issue: Issue,
        reference: &str,
        failure: TemplateFailure,
    ) -> Box<Stop> {
        let mut fault = Fault::new(issue, Located::ByInnermostExpression);
        if let Some(Stop::Fault(cause)) = failure.cause {
            fault.caused_by(*cause);
        }
        if let Some(at) = self.line_of_file(&failure.error.file, failure.error.line) {
            fault = fault.underlined(at);
        }
        let (kind, name) = (FrameKind::Template, reference.to_owned());
        fault.push_frame(|| Frame { kind, name, place: Some(self.place()) });
        fault.into()
    }

    /// A line of a file that can be read, to underline.
    fn line_of_file(&self, path: &str, line: u32) -> Option<SourceSpan> {
        let text = String::from_utf8(self.inputs().read(path).ok()?).ok()?;
        SourceSpan::of_line(Arc::new(Source::new(path, text)), line)
    }

    /// The template of a file.
    pub fn erb(&self, path: &str) -> Eval<Result<Arc<dyn Render>, NeedsRuby>> {
        match self.compiler.inputs.erb(path) {
            Ok(template) => Ok(template),
            Err(error) => fault(issues::unreadable_file(format!("{error} - {path}"))),
        }
    }

    /// The template of a text, or why it can't be rendered.
    pub fn inline_erb(&self, text: &str) -> Result<Arc<dyn Render>, NeedsRuby> {
        self.compiler.caches.erb(text, || self.compiler.inputs.inline_erb(text))
    }
}

/// Why an ERB template can't be rendered.
#[derive(Debug)]
pub struct TemplateFailure {
    /// The error of the template's own code.
    pub error: RubyError,
    /// The stop of Puppet code that the template called, if that is the reason.
    cause: Option<Stop>,
}

/// A function that is written in Ruby.
#[derive(Debug)]
pub struct RubyFunction {
    name: Symbol,
    file: Arc<dyn RunFunctions>,
    kind: FunctionKind,
    /// The parameters of the signatures, once they were needed; or the error in them.
    parameters: OnceLock<Accepted>,
}

/// The parameters of all signatures, or why they make no sense, with the questions behind them.
type Accepted = (Result<Vec<Parameters>, Issue>, Arc<Reads>);

impl RubyFunction {
    /// The function of a name in a file; `None` if it is not there.
    pub fn new(name: Symbol, file: Arc<dyn RunFunctions>) -> Option<Self> {
        let found = file.functions().iter().find(|function| function.name == name.as_str())?;
        let kind = found.kind.clone();
        Some(Self { name, file, kind, parameters: OnceLock::new() })
    }

    fn run(
        &self,
        call: &mut Call<'_>,
        signature: Option<usize>,
        arguments: &[Value],
    ) -> Eval<Value> {
        let has_block = call.has_block();
        let mut host = CallHost { call, stops: Vec::new() };
        let name = self.name.as_str();
        match self.file.call(&mut host, name, signature, arguments, has_block) {
            Ok(value) => Ok(value),
            Err(error) => Err(host.stop(&error)),
        }
    }

    /// Runs a function of the new kind, whose scope is the top scope wherever the call is, unless it asks for another.
    fn run_at_top(&self, call: &mut Call<'_>, n: usize, takes_scope: bool) -> Eval<Value> {
        if takes_scope {
            return self.run(call, Some(n), call.arguments);
        }
        let entered = call.compiler.scopes.enter_named(ScopeId::TOP);
        let value = self.run(call, Some(n), call.arguments);
        call.compiler.scopes.leave(entered);
        value
    }

    fn call_new(&self, call: &mut Call<'_>) -> Eval<Value> {
        let FunctionKind::New { signatures, local_types } = &self.kind else {
            return Ok(Value::Undef);
        };
        let (parameters, reads) = self.parameters.get_or_init(|| {
            call.compiler.gather(|compiler| {
                let others = compiler.names();
                let names = LocalNames::read(local_types, &others)?;
                signatures.iter().map(|signature| read(signature, &names)).collect()
            })
        });
        call.compiler.inputs.replay(reads);
        let parameters = match parameters {
            Ok(parameters) => parameters,
            Err(issue) => return fault(issue.clone()),
        };
        let block = call.block_type();
        for (n, (signature, accepted)) in signatures.iter().zip(parameters).enumerate() {
            if !signature::accepts(accepted, call.arguments, block) {
                continue;
            }
            let value = self.run_at_top(call, n, signature.takes_scope);
            let changed = std::mem::take(&mut call.compiler.catalog.foreign.changed);
            for (argument, value) in &changed {
                call.compiler.change_argument(argument, value);
            }
            let value = value?;
            if signature.is_mismatch {
                let words = kukla_pcore::ruby::to_s(&value);
                return fault(issues::refused_arguments(self.name, &words));
            }
            return match &accepted.returns {
                Some(type_) if !type_.is_instance(&value) => {
                    fault(mismatch::returned(self.name.as_str(), type_, &value))
                }
                _ => Ok(value),
            };
        }
        let described: Vec<Parameters> = signatures
            .iter()
            .zip(parameters)
            .filter(|(signature, _)| !signature.is_mismatch)
            .map(|(_, parameters)| parameters.clone())
            .collect();
        let block = call.block;
        call.compiler.no_signature(self.name, &described, call.arguments, block)
    }
}

impl ForeignFunction for RubyFunction {
    fn companions(&self) -> Vec<(Symbol, Arc<dyn ForeignFunction>)> {
        let is_old = |kind: &FunctionKind| matches!(kind, FunctionKind::Old { .. });
        if !is_old(&self.kind) || self.file.functions().len() == 1 {
            return Vec::new();
        }
        let others = self.file.functions().iter().filter(|other| is_old(&other.kind));
        let others = others.map(|other| Symbol::new(&other.name)).filter(|&name| name != self.name);
        let made = others.filter_map(|name| {
            let function: Arc<dyn ForeignFunction> =
                Arc::new(Self::new(name, Arc::clone(&self.file))?);
            Some((name, function))
        });
        made.collect()
    }

    fn call(&self, call: &mut Call<'_>) -> Eval<Value> {
        match &self.kind {
            FunctionKind::Old { .. } => {
                let arguments: Eval<Vec<Value>> =
                    call.arguments.iter().map(signature::untyped_argument).collect();
                self.run(call, None, &arguments?)
            }
            FunctionKind::New { .. } => self.call_new(call),
        }
    }

    fn call_as_is(&self, call: &mut Call<'_>) -> Eval<Value> {
        match &self.kind {
            FunctionKind::Old { .. } => {
                let arguments = call.arguments.to_vec();
                self.run(call, None, &arguments)
            }
            FunctionKind::New { .. } => self.call_new(call),
        }
    }

    fn deferred_type(&self, arguments: &[Value], names: &dyn Names) -> Option<Type> {
        let FunctionKind::New { signatures, local_types } = &self.kind else { return None };
        let names = LocalNames::read(local_types, names).ok()?;
        let described = signatures.iter().filter(|signature| !signature.is_mismatch);
        let mut parameters = described.filter_map(|signature| read(signature, &names).ok());
        parameters.find(|accepted| signature::accepts(accepted, arguments, None))?.returns
    }

    fn returns(&self, names: &dyn Names) -> Vec<Option<Type>> {
        let FunctionKind::New { signatures, local_types } = &self.kind else { return vec![None] };
        let Ok(names) = LocalNames::read(local_types, names) else { return vec![None] };
        let described = signatures.iter().filter(|signature| !signature.is_mismatch);
        let returned = |signature: &kukla_foreign::Signature| {
            let text = signature.return_type.as_deref()?;
            types::parse(text, &names).ok()
        };
        described.map(returned).collect()
    }
}

/// The types that a function names for itself, and all others.
struct LocalNames<'a> {
    local: Vec<Arc<TypeAlias>>,
    others: &'a dyn Names,
}

impl<'a> LocalNames<'a> {
    /// Reads lines such as `Port = Integer[1, 65535]`.
    fn read(lines: &[String], others: &'a dyn Names) -> Result<Self, Issue> {
        let mut names = Self { local: Vec::new(), others };
        let pairs = lines.iter().filter_map(|line| line.split_once('='));
        let pairs: Vec<(&str, &str)> =
            pairs.map(|(name, type_)| (name.trim(), type_.trim())).collect();
        names.local = pairs.iter().map(|(name, _)| Arc::new(TypeAlias::new(*name))).collect();
        for (alias, (_, text)) in names.local.iter().zip(&pairs) {
            let type_ = types::parse(text, &names)
                .map_err(|error| issues::illegal_type_expression(&error))?;
            alias.resolve(&type_).map_err(Issue::from)?;
        }
        Ok(names)
    }
}

impl Names for LocalNames<'_> {
    fn find(&self, name: &str) -> Option<Type> {
        let own = self.local.iter().find(|alias| alias.name.eq_ignore_ascii_case(name));
        own.map(|alias| Type::Alias(Arc::clone(alias))).or_else(|| self.others.find(name))
    }
}

fn read(signature: &kukla_foreign::Signature, names: &LocalNames<'_>) -> Result<Parameters, Issue> {
    let parse = |text: &str| {
        types::parse(text, names).map_err(|error| issues::illegal_type_expression(&error))
    };
    let mut list = Vec::with_capacity(signature.params.len());
    let (mut min, mut max) = (0, Some(0));
    for param in &signature.params {
        let captures_rest = matches!(param.kind, ParamKind::Repeated | ParamKind::RequiredRepeated);
        min += usize::from(matches!(param.kind, ParamKind::Required | ParamKind::RequiredRepeated));
        max = if captures_rest { None } else { max.map(|max: usize| max + 1) };
        list.push(Parameter {
            name: Symbol::new(&param.name),
            type_: Some(parse(&param.type_text)?),
            default: None,
            captures_rest,
            at: None,
        });
    }
    let block = match &signature.block {
        Some((text, is_required)) => Some(BlockParameter {
            name: Symbol::new("block"),
            type_: parse(text)?,
            is_optional: !is_required,
        }),
        None => None,
    };
    let returns = signature.return_type.as_deref().map(parse).transpose()?;
    Ok(Parameters {
        list,
        min,
        max,
        block,
        returns,
        is_plain: false,
        as_type: OnceLock::new(),
        numbers: OnceLock::new(),
        constants: OnceLock::new(),
    })
}

/// A block of Ruby code that was given to a function, and the call that has given it.
struct RubyBlock<'a, 'b> {
    block: RefCell<&'a mut BlockFn<'b>>,
    place: (&'a Program, ExprId, Symbol, Option<Block<'a>>),
}

impl std::fmt::Debug for RubyBlock<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RubyBlock")
    }
}

impl ForeignBlock for RubyBlock<'_, '_> {
    fn call(&self, compiler: &mut Compiler, arguments: &[Value]) -> Eval<Value> {
        let Ok(mut run) = self.block.try_borrow_mut() else {
            return fault(issues::recursive_ruby_block());
        };
        // What the block asks for comes from the call in which it is written.
        let (program, id, name, block) = self.place;
        let mut call = Call { compiler, name, arguments: &[], block, program, id };
        call.deeper(|call| {
            let mut host = CallHost { call, stops: Vec::new() };
            run(&mut host, arguments.to_vec())
                .map_err(|error| Stop::fault(issues::ruby_block_error(&error)))
        })
    }
}

/// Returns Ruby's error for a file that can't be read.
fn missing_file(path: &str) -> HostError {
    HostError {
        class: "Errno::ENOENT".to_owned(),
        message: format!("No such file or directory @ rb_sysopen - {path}"),
        id: None,
    }
}

/// The compilation, as Ruby code sees it from a call.
struct CallHost<'a, 'c> {
    call: &'a mut Call<'c>,
    /// Faults that passed through Ruby code.
    stops: Vec<Stop>,
}

impl CallHost<'_, '_> {
    /// The stop that passed through Ruby code, if the error is that.
    fn original(&self, error: &RubyError) -> Option<&Stop> {
        self.stops.get(usize::try_from(error.host_id?).ok()?)
    }

    /// Turns an error of Ruby code into one of the evaluation.
    fn stop(&mut self, error: &RubyError) -> Box<Stop> {
        if let Some(stop) = self.original(error) {
            return Box::new(stop.clone());
        }
        Stop::fault(issues::ruby_error(error))
    }

    /// Returns Puppet's answer to Ruby code that asks for an unknown variable.
    fn unknown_variable(&mut self, name: &str) -> Result<Option<Value>, HostError> {
        let is_built_in = matches!(name, "module_name" | "caller_module_name");
        let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
        if is_built_in || is_number || self.call.strict() != Strict::Error {
            return Ok(None);
        }
        let plain = name.strip_prefix("::").unwrap_or(name);
        let (name, reason) = match plain.rsplit_once("::") {
            Some((class, variable)) => self.unknown_in(class, variable),
            None => (name.to_owned(), String::new()),
        };
        let message = format!("Undefined variable '{name}'; {reason}");
        Err(HostError { class: "ArgumentError".to_owned(), message, id: None })
    }

    /// The name that Puppet gives to a variable that a class does not have, and why it is not there.
    fn unknown_in(&mut self, class: &str, variable: &str) -> (String, String) {
        let compiler = &mut *self.call.compiler;
        let is_evaluated = |class: &str| {
            Symbol::known(class).is_some_and(|class| compiler.scopes.class_scope(class).is_some())
        };
        if is_evaluated(class) {
            // It was looked for in the classes that this one inherits from too, and the last of them is named.
            let mut last = EcoString::from(class);
            let parent_of =
                |class: &str| compiler.catalog.definitions.loaded_class(class)?.parent.clone();
            while let Some(parent) = parent_of(&last).filter(|parent| is_evaluated(parent)) {
                last = parent;
            }
            return (format!("::{last}::{variable}"), String::new());
        }
        let reason = match compiler.find_class(class) {
            Ok(Some(_)) => format!("class {class} has not been evaluated"),
            Ok(None) => format!("class {class} could not be found"),
            Err(stop) => self.passed(*stop).message,
        };
        (format!("{class}::{variable}"), reason)
    }

    /// Returns `vardir` if a path lies below it: files there change while a snapshot lives.
    fn state_directory(&mut self, path: &str) -> Option<EcoString> {
        let Some(Value::String(directory)) = self.call.variable("settings::vardir") else {
            return None;
        };
        let below = path.strip_prefix(directory.trim_end_matches('/'))?;
        (below.starts_with('/') && below.len() > 1).then_some(directory)
    }

    /// Changes the state below `vardir`, which has to exist; `None` for a path outside of it.
    fn change_state(&mut self, path: &str, change: &Change<'_>) -> Option<Result<(), HostError>> {
        let directory = self.state_directory(path)?;
        let changed = self.call.inputs().change_state(&directory, change);
        Some(changed.map_err(|error| {
            let (class, words) = match error.kind() {
                io::ErrorKind::NotFound => ("Errno::ENOENT", "No such file or directory"),
                _ => ("Errno::EACCES", "Permission denied"),
            };
            let message = format!("{words} @ rb_sysopen - {path}");
            HostError { class: class.to_owned(), message, id: None }
        }))
    }

    fn passed(&mut self, stop: Stop) -> HostError {
        let message = match &stop {
            Stop::Fault(fault) => fault.full_message(),
            Stop::NotFound => issues::uncaught_not_found().to_string(),
            _ => issues::jump_through_ruby().to_owned(),
        };
        // Ruby throws this past every `rescue`; so nothing that is rescued by default may stand for it.
        let class = match &stop {
            Stop::NotFound => "NotImplementedError",
            _ => "Puppet::PreformattedError",
        };
        let id = u64::try_from(self.stops.len()).ok();
        self.stops.push(stop);
        HostError { class: class.to_owned(), message, id }
    }
}

impl Host for CallHost<'_, '_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, HostError> {
        match self.call.variable(name) {
            Some(value) => Ok(Some(value)),
            None => self.unknown_variable(name),
        }
    }

    fn regex(&mut self, source: &str, options: Options) -> Result<Regex, RegexError> {
        self.call.compiler.caches.regex(source, options)
    }

    fn has_byte_texts(&self) -> bool {
        !self.call.compiler.byte_texts.is_empty()
    }

    fn is_byte_text(&self, text: &EcoString) -> bool {
        self.call.compiler.byte_texts.contains(text)
    }

    fn text_of_bytes(&mut self, text: &str) -> EcoString {
        self.call.compiler.byte_texts.add(text)
    }

    fn runs_real_ruby(&mut self, path: Option<&str>) {
        let record = self.call.compiler.inputs.record();
        let name = path.unwrap_or_default();
        record.note_now(|| Atom::new(Kind::Ruby, name, Answer::Volatile));
    }

    fn variables(&mut self) -> Vec<(String, Value)> {
        self.call.compiler.scopes.visible()
    }

    fn instance_variable(&mut self, name: &str) -> Option<Value> {
        self.call.variable(name).filter(|value| !value.is_undef())
    }

    fn written_instance_variable(&mut self, name: Symbol) -> Option<Value> {
        match self.call.compiler.scopes.get(Variable::new(name)) {
            Lookup::Found(value) if !value.is_undef() => Some(value.clone()),
            _ => None,
        }
    }

    fn call_old_function(&mut self, name: &str, args: Vec<Value>) -> Result<Value, HostError> {
        let Some(function) = self.call.compiler.inputs.old_function(name) else {
            return self.call_function(name, args, None);
        };
        // There is a file of that name.
        let symbol = Symbol::new(name);
        let (program, id) = (self.call.program, self.call.id);
        let compiler = &mut *self.call.compiler;
        let mut call = Call { compiler, name: symbol, arguments: &args, block: None, program, id };
        let result = match function {
            FunctionRef::Foreign(function) => call.deeper(|call| function.call_as_is(call)),
            FunctionRef::Native(function) => call.deeper(|call| {
                let Call { name, arguments, block, program, id, .. } = *call;
                let compiler = &mut *call.compiler;
                let call = Call { compiler, name, arguments, block, program, id };
                crate::call::call_native(&function, call)
            }),
            FunctionRef::Puppet(_) => return self.call_function(name, args, None),
        };
        result.map_err(|stop| self.passed(*stop))
    }

    fn stack(&mut self) -> Vec<(String, u32)> {
        let outer = self.call.compiler.catalog.frames.iter().rev();
        let all = std::iter::once(self.call.frame()).chain(outer.cloned());
        all.map(|place| (place.file.to_string(), place.line)).collect()
    }

    fn variable_changed(&mut self, name: &str, value: Value) {
        // The template has read it, so its name is written there.
        if self.call.variable(name).is_some() {
            self.call.compiler.change_variable(Symbol::new(name), &value);
        }
    }

    fn argument_changed(&mut self, argument: &Value, value: &Value) {
        let changed = &mut self.call.compiler.catalog.foreign.changed;
        changed.push((argument.clone(), value.clone()));
    }

    fn is_fixed(&self, variable: Symbol, value: &Value) -> bool {
        self.call.compiler.scopes.is_fixed(variable, value)
    }

    fn set_variable(&mut self, name: &str, value: Value) -> Result<(), HostError> {
        let scopes = &mut self.call.compiler.scopes;
        let variable = Variable::new(scopes.strangers.symbol(name));
        match scopes.set(variable, value) {
            crate::interpreter::scope::Assigned::Done => Ok(()),
            _ => Err(HostError::parse_error(format!("Cannot reassign variable '${name}'"))),
        }
    }

    fn take_state(&mut self, key: usize) -> Option<Box<dyn Any>> {
        self.call.compiler.catalog.foreign.states.remove(&key)
    }

    fn keep_state(&mut self, key: usize, state: Box<dyn Any>) {
        self.call.compiler.catalog.foreign.states.insert(key, state);
    }

    fn share_value(&mut self, variable: &str, value: Rc<dyn Any>) {
        let scope = self.call.compiler.scopes.current;
        let values = self.call.compiler.catalog.foreign.values.entry(scope).or_default();
        values.insert(variable.to_owned(), value);
    }

    fn shared_value(&mut self, variable: &str) -> Option<Rc<dyn Any>> {
        let scope = self.call.compiler.scopes.current;
        self.call.compiler.catalog.foreign.values.get(&scope)?.get(variable).cloned()
    }

    fn call_function(
        &mut self,
        name: &str,
        args: Vec<Value>,
        block: Option<&mut BlockFn<'_>>,
    ) -> Result<Value, HostError> {
        let result = match block {
            None => self.call.deeper(|call| call.call_function(name, &args)),
            Some(block) => {
                let (program, id, called) = (self.call.program, self.call.id, self.call.name);
                let place = (program, id, called, self.call.block);
                let block = RubyBlock { block: RefCell::new(block), place };
                self.call.deeper(|call| call.call_function_with(name, &args, &block))
            }
        };
        result.map_err(|stop| self.passed(*stop))
    }

    fn call_method(
        &mut self,
        receiver: &Value,
        name: &str,
        args: &[Value],
        block: Option<&mut BlockFn<'_>>,
    ) -> Option<Result<Value, HostError>> {
        let number = crate::compile::data::number(receiver)?;
        let compiler = &mut *self.call.compiler;
        if let Err(stop) = compiler.begin_call() {
            return Some(Err(self.passed(*stop)));
        }
        let result = match block {
            None => with_stack(|| compiler.context_member(number, name, args, None)),
            Some(block) => {
                // The block is Ruby code, which needs a host; what it asks for comes from the same call.
                let (program, id, called) = (self.call.program, self.call.id, self.call.name);
                let mut run = |compiler: &mut Compiler, arguments: &[Value]| {
                    let mut call =
                        Call { compiler, name: called, arguments: &[], block: None, program, id };
                    let mut host = CallHost { call: &mut call, stops: Vec::new() };
                    block(&mut host, arguments.to_vec())
                        .map_err(|error| Stop::fault(issues::ruby_block_error(&error)))
                };
                with_stack(|| compiler.context_member(number, name, args, Some(&mut run)))
            }
        };
        self.call.compiler.depth -= 1;
        Some(result?.map_err(|stop| self.passed(*stop)))
    }

    fn has_function(&mut self, name: &str) -> bool {
        self.call.is_function(name)
    }

    fn call_block(&mut self, args: Vec<Value>) -> Result<Value, HostError> {
        let result = self.call.deeper(|call| call.call_block(&args));
        result.map_err(|stop| self.passed(*stop))
    }

    fn tags(&mut self) -> Vec<String> {
        self.call.compiler.catalog_tags()
    }

    fn classes(&mut self) -> Vec<String> {
        self.call.compiler.catalog.classes.iter().map(ToString::to_string).collect()
    }

    fn read_file(&mut self, path: &str) -> Result<String, HostError> {
        let bytes = self.read_bytes(path)?;
        String::from_utf8(bytes).map_err(|_| missing_file(path))
    }

    fn read_bytes(&mut self, path: &str) -> Result<Vec<u8>, HostError> {
        let bytes = match self.state_directory(path) {
            Some(_) => self.call.inputs().read_state(path),
            None => self.call.inputs().read(path),
        };
        bytes.map_err(|_| missing_file(path))
    }

    fn is_directory(&mut self, path: &str) -> bool {
        let is_state = self.state_directory(path).is_some();
        self.call.inputs().is_directory(path, is_state)
    }

    fn write_file(&mut self, path: &str, content: &[u8]) -> Option<Result<(), HostError>> {
        self.change_state(path, &Change::Write(path, content))
    }

    fn make_directory(&mut self, path: &str) -> Option<Result<(), HostError>> {
        self.change_state(path, &Change::MakeDirectory(path))
    }

    fn owner(&mut self, path: &str) -> Option<u32> {
        self.call.inputs().owner(path)
    }

    fn set_owner(&mut self, path: &str, user: u32) -> Option<Result<(), HostError>> {
        self.change_state(path, &Change::Own(path, user))
    }

    fn module_directory(&mut self, name: &str) -> Option<String> {
        self.call.inputs().module_directory(name)
    }

    fn is_top_scope(&mut self) -> bool {
        self.call.compiler.scopes.current == ScopeId::TOP
    }

    fn find_file(&mut self, folder: &str, reference: &str) -> Option<String> {
        let kind = if folder == "files" { ModuleFolder::Files } else { ModuleFolder::Templates };
        let inputs = self.call.inputs();
        inputs.find(kind, reference).filter(|path| inputs.exists(path))
    }

    fn file_exists(&mut self, path: &str) -> bool {
        match self.state_directory(path) {
            Some(_) => self.call.inputs().state_exists(path),
            None => self.call.inputs().exists(path),
        }
    }

    fn ask_name_server(
        &mut self,
        server: &str,
        port: u16,
        question: NameQuestion<'_>,
    ) -> Option<Value> {
        let reply = resolve::query(server, port, question)
            .and_then(|query| self.call.inputs().ask_name_server(&query));
        Some(reply.map_or(Value::Undef, |reply| resolve::value(&reply)))
    }

    fn now(&mut self) -> (i64, u32, i32) {
        let now = self.call.inputs().now();
        let seconds = i64::try_from(now.div_euclid(1_000_000_000)).unwrap_or_default();
        (seconds, u32::try_from(now.rem_euclid(1_000_000_000)).unwrap_or_default(), 0)
    }

    fn random(&mut self, n: usize) -> Option<Vec<u8>> {
        self.call.inputs().random(n)
    }

    fn hears_debug(&self) -> bool {
        self.call.compiler.has_debug
    }

    fn log(&mut self, level: &str, message: &str) {
        self.call.say(log_level(level), message);
    }

    fn log_from(&mut self, source: LogSource<'_>, level: &str, message: &str) {
        let level = log_level(level);
        match source {
            LogSource::Scope => self.call.say_in_scope(level, message),
            LogSource::Named(name) => {
                self.call.say_as(Some(name.into()), level, message.to_owned())
            }
        }
    }

    fn warn_once(&mut self, key: &str, message: &str) {
        self.call.warn_once(key, message);
    }

    fn call_site(&mut self) -> CallSite {
        let (is_class, name) = self.call.definition().unwrap_or((true, "".into()));
        CallSite {
            environment: Some(self.call.compiler.catalog.environment.to_string()),
            definition: Some(SiteDefinition { is_class, name: name.into() }),
        }
    }

    fn resource_kind(&mut self, name: &str) -> Option<&'static str> {
        if self.call.is_resource_type(name).unwrap_or(false) {
            return Some("type");
        }
        self.call.is_class(name).unwrap_or(false).then_some("class")
    }

    fn ruby_file(&mut self, name: &str) -> Option<(String, String)> {
        self.call.compiler.inputs.ruby_file(name)
    }

    fn resource(&mut self, type_name: &str, title: &str) -> Option<Value> {
        self.call.compiler.describe(type_name, title)
    }

    fn own_resource(&mut self) -> Option<Value> {
        self.call.compiler.describe_own()
    }

    fn resources(&mut self) -> Vec<Value> {
        self.call.compiler.describe_all()
    }

    fn defaults(&mut self, type_name: &str) -> Value {
        self.call.compiler.describe_defaults(type_name)
    }

    fn is_instance(&mut self, type_text: &str, value: &Value) -> Option<bool> {
        self.call.parse_type(type_text).ok().map(|type_| type_.is_instance(value))
    }
}

/// Returns the level of a name in Ruby.
fn log_level(name: &str) -> Level {
    match name {
        "error" => Level::Err,
        name => Level::parse(name).unwrap_or(Level::Warning),
    }
}
