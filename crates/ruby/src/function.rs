//! Functions that modules define in Ruby: `Puppet::Functions.create_function` and `newfunction`.

use std::cell::{RefCell, RefMut};
use std::rc::Rc;
use std::sync::Arc;

use kukla_pcore::Value;

use crate::class::{Class, Data, Native, Special};
use crate::convert::{to_old_ruby, to_ruby};
use crate::data_type::{DataType, DataTypeError, DataTypeText};
use crate::methods::table::{Builtin, method, refused, with_block};
use crate::read::tree::{Name, Program};
use crate::run::{Args, Eval, Process, Run, Vm};
use crate::template::error_of;
use crate::value::{Proc, ProcBody, RubyValue};
use crate::{judge, library, read};
use kukla_foreign::{
    ErrorKind, Function, FunctionKind, Host, NoHost, Param, ParamKind, RubyError, RunFunctions,
    Signature, Unsupported,
};

/// The files that Ruby code may require.
pub trait RequiredFiles {
    /// Returns path and text of a file, by a name such as `puppet_x/mine/helper` or an absolute path without `.rb`.
    fn ruby_file(&mut self, name: &str) -> Option<(String, String)>;
}

/// The files that a file requires, by their names.
pub(crate) type Helpers = Arc<[(Name, Arc<Program>)]>;

/// A file with functions that was read and judged to be supported. Threads can share it.
#[derive(Debug, Clone)]
pub struct FunctionFile {
    program: Arc<Program>,
    helpers: Helpers,
    functions: Vec<Function>,
}

/// A function that a running file has defined.
pub(crate) struct Defined {
    pub(crate) name: Name,
    pub(crate) body: Body,
}

/// The parts of a function that a call needs.
enum Callee {
    Old { arity: i64, is_rvalue: bool, block: Rc<Proc> },
    New { class: Rc<Class>, method: Name, takes_scope: bool },
}

/// The functions of a file that has run, at the host.
struct Loaded(Rc<RefCell<Vec<Defined>>>);

pub(crate) enum Body {
    Old {
        arity: i64,
        is_rvalue: bool,
        block: Rc<Proc>,
    },
    New {
        class: Rc<Class>,
        signatures: Vec<Signature>,
        local_types: Vec<String>,
    },
    /// A data type, whose methods are functions that take the attributes of an object first.
    Type(DataType),
}

/// The most files that one file may require, directly or through others.
const MAX_FILES: usize = 100;

impl FunctionFile {
    /// Returns whether it is made of other files too.
    pub fn requires_others(&self) -> bool {
        !self.helpers.is_empty()
    }

    /// Reads a file and all files that it requires, and runs it once to list its functions.
    pub fn read(
        path: &str,
        text: &str,
        sources: &mut dyn RequiredFiles,
    ) -> Result<Self, Unsupported> {
        let mut file = Self::parse(path, text, sources)?;
        let mut vm = file.vm(&Process::new());
        let mut run = Run { vm: &mut vm, host: &mut NoHost };
        if let Err(stop) = run.run_file(&file.program) {
            let error = error_of(&mut run, *stop);
            return Err(Unsupported::new(
                format!("reading it fails: {}", error.message),
                error.line,
            ));
        }
        file.functions = run.vm.functions.borrow().iter().flat_map(Defined::info).collect();
        if file.functions.is_empty() {
            return Err(Unsupported::new("it defines no function", 1));
        }
        Ok(file)
    }

    /// Reads a file with a data type, and all files that it requires, and runs it once.
    pub fn read_type(
        path: &str,
        text: &str,
        sources: &mut dyn RequiredFiles,
    ) -> Result<(Self, DataTypeText), DataTypeError> {
        let mut file = Self::parse(path, text, sources)?;
        let mut vm = file.vm(&Process::new());
        let mut run = Run { vm: &mut vm, host: &mut NoHost };
        if let Err(stop) = run.run_file(&file.program) {
            let error = error_of(&mut run, *stop);
            return Err(match error.kind {
                ErrorKind::Raised => DataTypeError::Raised(error.message),
                _ => Unsupported::new(error.message, error.line).into(),
            });
        }
        let functions = run.vm.functions.borrow();
        let described = functions.iter().find_map(Defined::described);
        let described = described.ok_or_else(|| Unsupported::new("it defines no data type", 1))?;
        file.functions = functions.iter().flat_map(Defined::info).collect();
        drop(functions);
        Ok((file, described))
    }

    /// Reads a file and all files that it requires, without running anything.
    fn parse(path: &str, text: &str, sources: &mut dyn RequiredFiles) -> Result<Self, Unsupported> {
        let program = read::read(path, text)?;
        let mut helpers = Vec::new();
        collect(&program, sources, &mut helpers)?;
        let mut all: Vec<&Program> =
            helpers.iter().map(|(_, program): &(Name, Arc<Program>)| &**program).collect();
        all.push(&program);
        judge::judge(&all)?;
        Ok(Self { program, helpers: helpers.into(), functions: Vec::new() })
    }

    fn vm(&self, process: &Rc<Process>) -> Vm {
        let mut vm = Vm::new(&self.program.file, process);
        vm.helpers = Arc::clone(&self.helpers);
        vm
    }
}

impl RunFunctions for FunctionFile {
    fn functions(&self) -> &[Function] {
        &self.functions
    }

    fn call(
        &self,
        host: &mut dyn Host,
        name: &str,
        signature: Option<usize>,
        args: &[Value],
        has_block: bool,
    ) -> Result<Value, RubyError> {
        // As in Ruby, the file runs once per compilation.
        let key = Arc::as_ptr(&self.program).addr();
        let state = host.take_state(key).and_then(|state| state.downcast::<Loaded>().ok());
        let mut vm = self.vm(&Process::of(host));
        let is_loaded = state.is_some();
        if let Some(loaded) = state {
            vm.functions = Rc::clone(&loaded.0);
            host.keep_state(key, loaded);
        }
        let mut run = Run { vm: &mut vm, host: &mut *host };
        if !is_loaded {
            run.run_file(&self.program).map_err(|stop| error_of(&mut run, *stop))?;
            let loaded = Loaded(Rc::clone(&run.vm.functions));
            run.host.keep_state(key, Box::new(loaded));
        }
        let result = run.call_defined(name, signature, args, has_block);
        result.map_err(|stop| error_of(&mut run, *stop))
    }
}

/// Reads the files that a program requires, recursively.
fn collect(
    program: &Program,
    sources: &mut dyn RequiredFiles,
    helpers: &mut Vec<(Name, Arc<Program>)>,
) -> Result<(), Unsupported> {
    for (required, line) in &program.uses.requires {
        let plain = required.trim_end_matches(".rb");
        let base = program.file.rsplit_once('/').map_or("", |(base, _)| base);
        let relative = ecow::eco_format!("{base}/{plain}");
        if library::is_library(plain)
            || helpers.iter().any(|(name, _)| *name == plain || *name == relative)
        {
            continue;
        }
        let helper = sources.ruby_file(plain).map(|file| (plain.into(), file));
        let helper =
            helper.or_else(|| sources.ruby_file(&relative).map(|file| (relative.clone(), file)));
        let Some((name, (path, text))) = helper else {
            return Err(Unsupported::new(format!("require {plain}"), *line));
        };
        if helpers.len() > MAX_FILES {
            return Err(Unsupported::new("too many files", *line));
        }
        let helper = read::read(&path, &text)?;
        helpers.push((name, Arc::clone(&helper)));
        collect(&helper, sources, helpers)?;
    }
    Ok(())
}

impl Defined {
    fn info(&self) -> Vec<Function> {
        let kind = match &self.body {
            Body::Type(data_type) => return data_type.methods(),
            Body::Old { arity, is_rvalue, .. } => {
                FunctionKind::Old { arity: *arity, is_rvalue: *is_rvalue }
            }
            Body::New { signatures, local_types, .. } => FunctionKind::New {
                signatures: signatures.clone(),
                local_types: local_types.clone(),
            },
        };
        vec![Function { name: self.name.as_str().to_owned(), kind }]
    }

    fn described(&self) -> Option<DataTypeText> {
        match &self.body {
            Body::Type(data_type) => data_type.text(self.name.as_str()),
            Body::Old { .. } | Body::New { .. } => None,
        }
    }
}

impl Run<'_> {
    fn call_defined(
        &mut self,
        name: &str,
        signature: Option<usize>,
        args: &[Value],
        has_block: bool,
    ) -> Eval<Value> {
        if let Some(data_type) = self.data_type_with(name) {
            return self.call_type_method(&data_type, name, args);
        }
        let Some(callee) = self.callee(name, signature) else {
            return self.unsupported(format!("function {name}, which is not there"));
        };
        match callee {
            Callee::Old { arity, is_rvalue, block } => {
                let args: Vec<RubyValue> = args.iter().map(to_old_ruby).collect();
                self.check_old_arity(name, arity, args.len())?;
                let scope = self.scope_value();
                let args = [RubyValue::array(args)];
                let result = self.call_in(&block, &scope, None, Args::new(&args), true)?;
                if is_rvalue { self.to_puppet(&result) } else { Ok(Value::Undef) }
            }
            Callee::New { class, method, takes_scope } => {
                let object = self.new_object(&class, Data::None);
                let mut values = Vec::new();
                if takes_scope {
                    values.push(self.scope_value());
                }
                let n_own = values.len();
                values.extend(args.iter().map(to_ruby));
                let block =
                    has_block.then(|| Rc::new(Proc { body: ProcBody::Host, is_lambda: true }));
                let call = Args::with_block(&values, block.as_ref());
                let result = self.call_with(&RubyValue::Object(object), &method, call)?;
                self.report_arguments(args, &values[n_own..])?;
                self.to_puppet(&result)
            }
        }
    }

    /// Reports arguments that were changed in place to the host. In Ruby the function and its caller share them.
    fn report_arguments(&mut self, args: &[Value], values: &[RubyValue]) -> Eval<()> {
        if !self.vm.has_changed {
            return Ok(());
        }
        for (argument, value) in args.iter().zip(values) {
            if value.is_collection() && value.take_changed() {
                let value = self.to_puppet(value)?;
                self.acting().argument_changed(argument, &value);
            }
        }
        Ok(())
    }

    /// Finds a function of the file; what it needs is copied, since it may define others.
    fn callee(&self, name: &str, signature: Option<usize>) -> Option<Callee> {
        let functions = self.vm.functions.borrow();
        let defined = functions.iter().find(|defined| defined.name == name)?;
        Some(match &defined.body {
            Body::Type(_) => return None,
            Body::Old { arity, is_rvalue, block } => {
                Callee::Old { arity: *arity, is_rvalue: *is_rvalue, block: Rc::clone(block) }
            }
            Body::New { class, signatures, .. } => {
                let signature = signatures.get(signature.unwrap_or(0));
                Callee::New {
                    class: Rc::clone(class),
                    method: signature.map_or_else(Name::new, |it| it.method.as_str().into()),
                    takes_scope: signature.is_some_and(|signature| signature.takes_scope),
                }
            }
        })
    }

    fn check_old_arity(&mut self, name: &str, arity: i64, n_args: usize) -> Eval<()> {
        let n = i64::try_from(n_args).unwrap_or(i64::MAX);
        if arity >= 0 && n != arity {
            let message =
                format!("{name}(): Wrong number of arguments given ({n_args} for {arity})");
            return self.argument_error(message);
        }
        let least = (arity + 1).abs();
        if arity < 0 && n < least {
            let message =
                format!("{name}(): Wrong number of arguments given ({n_args} for minimum {least})");
            return self.argument_error(message);
        }
        Ok(())
    }

    /// `newfunction(:name, :type => :rvalue, :arity => 1) { |args| … }`
    pub(crate) fn new_function(&mut self, a: Args<'_>) -> Eval {
        let name = self.name_arg(&a.get(0))?;
        let arity = a.option("arity").and_then(|arity| arity.as_int()).unwrap_or(-1);
        let is_rvalue =
            a.option("type").and_then(|kind| kind.as_name()).is_some_and(|kind| kind == "rvalue");
        let Some(block) = a.block else { return self.argument_error("no block given") };
        let body = Body::Old { arity, is_rvalue, block: Rc::clone(block) };
        self.vm.functions.borrow_mut().push(Defined { name, body });
        Ok(RubyValue::Nil)
    }

    /// `create_function(:name) do … end`
    pub(crate) fn create_function(&mut self, a: Args<'_>) -> Eval {
        let name = self.name_arg(&a.get(0))?;
        let base = match a.get(1) {
            RubyValue::Class(class) => class,
            _ => self.class_named("Puppet::Functions::Function"),
        };
        let class = Rc::new(Class { native: Native::Object, ..Class::new("", Some(base)) });
        self.vm.roots.add_class(&class);
        let Some(block) = a.block else { return self.argument_error("no block given") };
        let body =
            Body::New { class: Rc::clone(&class), signatures: Vec::new(), local_types: Vec::new() };
        self.vm.functions.borrow_mut().push(Defined { name: name.clone(), body });
        let value = RubyValue::Class(Rc::clone(&class));
        self.call_in(block, &value, Some(Rc::clone(&class)), Args::new(&[]), false)?;
        self.default_signature(&name, &class);
        self.pass_scope(&class);
        Ok(value)
    }

    /// Adds a signature that accepts anything to a function without a `dispatch`: the method with the function's name.
    fn default_signature(&mut self, name: &str, class: &Rc<Class>) {
        let method = name.rsplit("::").next().unwrap_or(name);
        let mut functions = self.vm.functions.borrow_mut();
        let Some(Defined { body: Body::New { signatures, .. }, .. }) = functions.last_mut() else {
            return;
        };
        if signatures.iter().any(|signature| !signature.is_mismatch) {
            return;
        }
        let Some((crate::class::Method::Def(def, _), _)) = class.find_method(method) else {
            return;
        };
        let param = |index: usize, kind| Param {
            name: format!("p{index}"),
            type_text: "Any".to_owned(),
            kind,
        };
        let mut params = Vec::new();
        params
            .extend((0..def.params.required.len()).map(|index| param(index, ParamKind::Required)));
        params
            .extend((0..def.params.optional.len()).map(|index| param(index, ParamKind::Optional)));
        if def.params.rest.is_some() {
            params.push(param(params.len(), ParamKind::Repeated));
        }
        signatures.push(Signature { method: method.to_owned(), params, ..Signature::default() });
    }

    /// Makes signatures take the scope if the function overrides the method `call`, as old modules do.
    fn pass_scope(&mut self, class: &Rc<Class>) {
        let mut functions = self.vm.functions.borrow_mut();
        let Some(Defined { body: Body::New { signatures, .. }, .. }) = functions.last_mut() else {
            return;
        };
        if !class.methods.borrow().contains_key("call") {
            return;
        }
        for signature in signatures.iter_mut().filter(|signature| !signature.params.is_empty()) {
            signature.params.remove(0);
            signature.takes_scope = true;
        }
    }
}

/// The methods for the body of `create_function`.
pub(crate) static DECLARATIONS: &[Builtin<Rc<Class>>] = &[
    method("dispatch", |run, _, a| declare(run, "dispatch", false, a)).when(is_function),
    method("argument_mismatch", |run, _, a| declare(run, "argument_mismatch", true, a))
        .when(is_function),
    with_block("local_types", |run, _, block, _| describe(run, block)).when(is_function),
    refused("dispatcher", "the dispatcher of a function").when(is_function),
];

/// The methods for the blocks of `dispatch` and `local_types`.
pub(crate) static DISPATCH: &[Builtin<()>] = &[
    method("type", local_type),
    method("param", |run, (), a| parameter(run, ParamKind::Required, a)),
    method("required_param", |run, (), a| parameter(run, ParamKind::Required, a)),
    method("optional_param", |run, (), a| parameter(run, ParamKind::Optional, a)),
    method("repeated_param", |run, (), a| parameter(run, ParamKind::Repeated, a)),
    method("optional_repeated_param", |run, (), a| parameter(run, ParamKind::Repeated, a)),
    method("required_repeated_param", |run, (), a| parameter(run, ParamKind::RequiredRepeated, a)),
    method("block_param", |run, (), a| block_parameter(run, true, a)),
    method("required_block_param", |run, (), a| block_parameter(run, true, a)),
    method("optional_block_param", |run, (), a| block_parameter(run, false, a)),
    method("return_type", return_type),
    method("scope_param", scope_parameter),
    refused("cache_param", "injected parameter cache_param"),
    refused("compiler_param", "injected parameter compiler_param"),
    refused("pal_script_compiler", "injected parameter pal_script_compiler"),
];

fn is_function(class: &Rc<Class>, _a: Args<'_>) -> bool {
    class.is_a("Puppet::Functions::Function")
}

/// Adds a signature and runs the block that describes it.
fn declare(run: &mut Run<'_>, name: &str, is_mismatch: bool, a: Args<'_>) -> Eval {
    let method = run.name_arg(&a.get(0))?.as_str().to_owned();
    if let Some(Body::New { signatures, .. }) = run.last_body().as_deref_mut() {
        signatures.push(Signature { method, is_mismatch, ..Signature::default() });
    }
    match a.block {
        Some(block) => describe(run, block),
        None => run.unsupported(format!("{name} without a block")),
    }
}

/// Runs the block of `dispatch` or `local_types`.
fn describe(run: &mut Run<'_>, block: &Rc<Proc>) -> Eval {
    let builder = run.special(Special::Dispatch);
    run.call_with_self(block, &builder, Args::new(&[]))?;
    Ok(RubyValue::Nil)
}

/// Returns the text of an argument.
fn argument(a: Args<'_>, index: usize) -> Option<String> {
    a.items.get(index).and_then(RubyValue::as_name).map(|text| text.as_str().to_owned())
}

fn local_type(run: &mut Run<'_>, (): &(), a: Args<'_>) -> Eval {
    if let Some(Body::New { local_types, .. }) = run.last_body().as_deref_mut() {
        local_types.extend(argument(a, 0));
    }
    Ok(RubyValue::Nil)
}

fn parameter(run: &mut Run<'_>, kind: ParamKind, a: Args<'_>) -> Eval {
    let type_text = argument(a, 0).unwrap_or_default();
    let name = argument(a, 1).unwrap_or_default();
    run.describe_signature(|signature| signature.params.push(Param { name, type_text, kind }))
}

fn block_parameter(run: &mut Run<'_>, is_required: bool, a: Args<'_>) -> Eval {
    let type_text = match a.items.first() {
        Some(RubyValue::Str(text)) => text.to_text().as_str().to_owned(),
        _ => "Callable".to_owned(),
    };
    run.describe_signature(|signature| signature.block = Some((type_text, is_required)))
}

fn return_type(run: &mut Run<'_>, (): &(), a: Args<'_>) -> Eval {
    run.describe_signature(|signature| signature.return_type = argument(a, 0))
}

fn scope_parameter(run: &mut Run<'_>, (): &(), _a: Args<'_>) -> Eval {
    run.describe_signature(|signature| signature.takes_scope = true)
}

impl Run<'_> {
    /// Returns the body of the function that is being defined.
    fn last_body(&mut self) -> Option<RefMut<'_, Body>> {
        let last =
            |functions| RefMut::filter_map(functions, |all: &mut Vec<Defined>| all.last_mut());
        let defined = last(self.vm.functions.borrow_mut()).ok()?;
        Some(RefMut::map(defined, |defined| &mut defined.body))
    }

    /// Changes the signature that is being described.
    fn describe_signature(&mut self, change: impl FnOnce(&mut Signature)) -> Eval {
        if let Some(Body::New { signatures, .. }) = self.last_body().as_deref_mut()
            && let Some(signature) = signatures.last_mut()
        {
            change(signature);
        }
        Ok(RubyValue::Nil)
    }
}
