//! The compilation, as a template or function in another language sees it.

use std::any::Any;
use std::rc::Rc;

use ecow::EcoString;
use kukla_base::Symbol;
use kukla_pcore::Value;
use kukla_regex::{Options, Regex, RegexError};

/// A block that code passes to one of the host's functions. It gets the host as an argument, since the caller has lent it
/// to the function.
pub type BlockFn<'a> = dyn FnMut(&mut dyn Host, Vec<Value>) -> Result<Value, HostError> + 'a;

/// An error of the host, with a message in Puppet's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct HostError {
    /// The exception class that Ruby's `rescue` matches, e.g. `Puppet::ParseError`.
    pub class: String,
    /// The message.
    pub message: String,
    /// The key under which the host finds its original error again.
    pub id: Option<u64>,
}

impl HostError {
    /// Returns a `Puppet::ParseError`, which most functions raise.
    pub fn parse_error(message: impl Into<String>) -> Self {
        Self { class: "Puppet::ParseError".to_owned(), message: message.into(), id: None }
    }
}

/// Source of a log message other than Puppet itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogSource<'a> {
    /// The scope in which the code runs.
    Scope,
    /// An object with a name of its own: `template[inline]`.
    Named(&'a str),
}

/// A question to a name server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NameQuestion<'a> {
    /// The name.
    pub name: &'a str,
    /// The number of the type of record.
    pub kind: u16,
    /// The seconds that the server has.
    pub seconds: f64,
}

/// The part of a compilation that Ruby code may place itself by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallSite {
    /// The name of the environment.
    pub environment: Option<String>,
    /// The class or define whose body makes the call: `scope.source`.
    pub definition: Option<SiteDefinition>,
}

/// A class or define that contains a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteDefinition {
    /// True for a class, false for a define.
    pub is_class: bool,
    /// The full name; empty for the main class.
    pub name: String,
}

/// The compilation around a template or function: the only way to everything that the code does not compute itself.
pub trait Host {
    /// Returns the value of a variable, `None` if it is not set: `scope['x']`, `scope.lookupvar('::x')`.
    fn variable(&mut self, name: &str) -> Result<Option<Value>, HostError>;

    /// Returns all variables that are visible without a namespace and are not `undef`: `scope.to_hash`.
    ///
    /// `@x` in a template is one of them; in its name every character but ASCII letters, digits and `_` becomes `_`.
    fn variables(&mut self) -> Vec<(String, Value)>;

    /// Returns the variable behind `@name` of a template, for a name that code computed. Such a name may come from data, so it
    /// never becomes a `Symbol`.
    ///
    /// The default searches [`variables`](Self::variables); a host with an index should override it.
    fn instance_variable(&mut self, name: &str) -> Option<Value> {
        let word = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
        let is_name = |variable: &str| variable.chars().map(word).eq(name.chars());
        let mut variables = self.variables().into_iter().rev();
        variables.find(|(variable, _)| is_name(variable)).map(|(_, value)| value)
    }

    /// Like [`instance_variable`](Self::instance_variable), but for a name that stands in the template's source. It was
    /// interned when the template was read, so a host whose variables have symbols as keys need not compare texts.
    fn written_instance_variable(&mut self, name: Symbol) -> Option<Value> {
        self.instance_variable(name.as_str())
    }

    /// Compiles a regular expression whose source is computed at run time. A host may cache it.
    fn regex(&mut self, source: &str, options: Options) -> Result<Regex, RegexError> {
        Regex::with_options(source, options)
    }

    /// Returns true if the compilation has strings with Ruby's binary encoding.
    fn has_byte_texts(&self) -> bool {
        false
    }

    /// Returns true if a text is a string with Ruby's binary encoding, or a copy of one.
    fn is_byte_text(&self, _text: &EcoString) -> bool {
        false
    }

    /// Returns a text for a string with Ruby's binary encoding: catalogs contain it and its copies as `Binary`.
    fn text_of_bytes(&mut self, text: &str) -> EcoString {
        text.into()
    }

    /// Removes and returns the interpreter state that [`keep_state`](Self::keep_state) stored under a key. State never outlives
    /// the compilation.
    fn take_state(&mut self, _key: usize) -> Option<Box<dyn Any>> {
        None
    }

    /// Stores interpreter state for the next template, or the next call of a function.
    fn keep_state(&mut self, _key: usize, _state: Box<dyn Any>) {}

    /// Sets a variable: `scope.setvar('x', value)`.
    fn set_variable(&mut self, name: &str, _value: Value) -> Result<(), HostError> {
        Err(HostError::parse_error(format!("can't set the variable `{name}` here")))
    }

    /// Reports that a template changed the array or hash in a variable in place, with the value that it has now.
    fn variable_changed(&mut self, _name: &str, _value: Value) {}

    /// Reports that a function changed an array or hash that it was given in place, with the value that it has now.
    fn argument_changed(&mut self, _argument: &Value, _value: &Value) {}

    /// Whether the value of a variable can't be changed in place: facts, trusted data.
    fn is_fixed(&self, _variable: Symbol, _value: &Value) -> bool {
        false
    }

    /// Stores the Ruby object that `setvar` got. Ruby shares the object itself, so a later change in place has to be visible to
    /// all Ruby code that reads the variable.
    fn share_value(&mut self, _variable: &str, _value: Rc<dyn Any>) {}

    /// Returns the Ruby object that [`share_value`](Self::share_value) stored for a variable.
    fn shared_value(&mut self, _variable: &str) -> Option<Rc<dyn Any>> {
        None
    }

    /// Calls a function: `call_function('x', …)`.
    fn call_function(
        &mut self,
        name: &str,
        args: Vec<Value>,
        block: Option<&mut BlockFn<'_>>,
    ) -> Result<Value, HostError>;

    /// Calls a function as `scope.function_x([…])` does: of two functions with one name, the one of the 3.x API.
    fn call_old_function(&mut self, name: &str, args: Vec<Value>) -> Result<Value, HostError> {
        self.call_function(name, args, None)
    }

    /// Returns file and line of each active call, innermost first: `Puppet::Pops::PuppetStack.stacktrace`.
    fn stack(&mut self) -> Vec<(String, u32)> {
        Vec::new()
    }

    /// Calls a method of a value that only the host implements, such as the context of a lookup; `None` if there is no such
    /// method.
    fn call_method(
        &mut self,
        _receiver: &Value,
        _name: &str,
        _args: &[Value],
        _block: Option<&mut BlockFn<'_>>,
    ) -> Option<Result<Value, HostError>> {
        None
    }

    /// A real Ruby is about to run a file, or a text without a file. It may read anything, unseen by the host.
    fn runs_real_ruby(&mut self, _path: Option<&str>) {}

    /// Whether there is a function of that name.
    fn has_function(&mut self, name: &str) -> bool;

    /// Calls the block that the caller passed to a function written in Ruby.
    fn call_block(&mut self, _args: Vec<Value>) -> Result<Value, HostError> {
        Err(HostError::parse_error("no block given (yield)"))
    }

    /// Returns all tags of the catalog: `all_tags` in a template.
    fn tags(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the names of the declared classes: `classes` in a template.
    fn classes(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the text of a file, if the compilation may read it.
    fn read_file(&mut self, path: &str) -> Result<String, HostError> {
        Err(HostError {
            class: "Errno::ENOENT".to_owned(),
            message: format!("No such file or directory @ rb_sysopen - {path}"),
            id: None,
        })
    }

    /// Returns the bytes of a file, if the compilation may read it.
    fn read_bytes(&mut self, path: &str) -> Result<Vec<u8>, HostError> {
        self.read_file(path).map(String::into_bytes)
    }

    /// Returns true if a path leads to a directory.
    fn is_directory(&mut self, _path: &str) -> bool {
        false
    }

    /// Writes a small file of state below `vardir`; `None` for any other path, which only a real Ruby may write to.
    fn write_file(&mut self, _path: &str, _content: &[u8]) -> Option<Result<(), HostError>> {
        None
    }

    /// Makes a directory below `vardir`, and those on the way to it; `None` for any other path.
    fn make_directory(&mut self, _path: &str) -> Option<Result<(), HostError>> {
        None
    }

    /// Returns the number of the user who owns what a path leads to.
    fn owner(&mut self, _path: &str) -> Option<u32> {
        None
    }

    /// Gives a file or directory below `vardir` to a user; `None` for any other path.
    fn set_owner(&mut self, _path: &str, _user: u32) -> Option<Result<(), HostError>> {
        None
    }

    /// Returns the directory of a module: `Puppet::Module.find`.
    fn module_directory(&mut self, _name: &str) -> Option<String> {
        None
    }

    /// Returns true if the code's scope is the top scope.
    fn is_top_scope(&mut self) -> bool {
        false
    }

    /// Returns true if a file exists and the compilation may read it.
    fn file_exists(&mut self, _path: &str) -> bool {
        false
    }

    /// Returns the path of `module/file` below the module's `files` or `templates`.
    fn find_file(&mut self, _folder: &str, _reference: &str) -> Option<String> {
        None
    }

    /// Asks a name server for the records of a name: a hash with the `code` of its reply and its `records`; `undef` if it
    /// does not answer in time. `None` if there are no name servers here.
    fn ask_name_server(
        &mut self,
        _server: &str,
        _port: u16,
        _question: NameQuestion<'_>,
    ) -> Option<Value> {
        None
    }

    /// Returns seconds and nanoseconds since 1970, and the offset of the local time zone in seconds.
    fn now(&mut self) -> (i64, u32, i32) {
        (0, 0, 0)
    }

    /// Returns `n` cryptographically secure random bytes; `None` if the host has no source of randomness.
    fn random(&mut self, _n: usize) -> Option<Vec<u8>> {
        None
    }

    /// Returns whether debug messages are logged.
    fn hears_debug(&self) -> bool {
        true
    }

    /// Logs a message at a level of Puppet's: `warning`, `notice`.
    fn log(&mut self, _level: &str, _message: &str) {}

    /// Logs a message with its source.
    fn log_from(&mut self, _source: LogSource<'_>, level: &str, message: &str) {
        self.log(level, message);
    }

    /// Logs a warning once per key, without file and line: `Puppet.warn_once`.
    fn warn_once(&mut self, _key: &str, message: &str) {
        self.log("warning", &format!("{message}\n   (file & line not available)"));
    }

    /// Returns the environment and the class or define from which the code is called.
    fn call_site(&mut self) -> CallSite {
        CallSite::default()
    }

    /// Returns path and text of a Ruby file that code requires by a name such as `puppet_x/mine/helper`.
    fn ruby_file(&mut self, _name: &str) -> Option<(String, String)> {
        None
    }

    /// Returns `type` if a resource type or define has this name, `class` if a class has it, `None` otherwise.
    fn resource_kind(&mut self, _name: &str) -> Option<&'static str> {
        None
    }

    /// Returns a resource of the catalog so far: a hash with `type`, `title`, `parameters` and `tags`.
    fn resource(&mut self, _type_name: &str, _title: &str) -> Option<Value> {
        None
    }

    /// Returns the resource whose body is being evaluated, as [`resource`](Self::resource) does: `scope.resource`.
    fn own_resource(&mut self) -> Option<Value> {
        None
    }

    /// Returns all resources of the catalog so far, each as [`resource`](Self::resource) does.
    fn resources(&mut self) -> Vec<Value> {
        Vec::new()
    }

    /// Returns the resource defaults of a type that hold in this scope, as a hash: `scope.lookupdefaults('file')`.
    fn defaults(&mut self, _type_name: &str) -> Value {
        Value::hash(kukla_pcore::Hash::with_capacity(0))
    }

    /// Returns whether a value is an instance of the type that a text describes; `None` if the host can't decide.
    fn is_instance(&mut self, _type_text: &str, _value: &Value) -> Option<bool> {
        None
    }
}

/// The host of a file that is read without being called: it has no variables and refuses calls.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost;

impl Host for NoHost {
    fn variable(&mut self, _name: &str) -> Result<Option<Value>, HostError> {
        Ok(None)
    }

    fn variables(&mut self) -> Vec<(String, Value)> {
        Vec::new()
    }

    fn call_function(
        &mut self,
        name: &str,
        _args: Vec<Value>,
        _block: Option<&mut BlockFn<'_>>,
    ) -> Result<Value, HostError> {
        Err(HostError::parse_error(format!(
            "no function `{name}` can be called while a file is read"
        )))
    }

    fn has_function(&mut self, _name: &str) -> bool {
        true
    }
}
