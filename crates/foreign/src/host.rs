//! What a template or function sees of the compilation around it.

use std::any::Any;
use std::rc::Rc;

use ecow::EcoString;
use kukla_base::Symbol;
use kukla_pcore::Value;
use kukla_regex::{Options, Regex, RegexError};

/// A block that is passed to one of the host's functions. It is given the host back, since it may need it.
pub type BlockFn<'a> = dyn FnMut(&mut dyn Host, Vec<Value>) -> Result<Value, HostError> + 'a;

/// Why the host could not do what it was asked: a message in Puppet's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct HostError {
    /// The class that Ruby's `rescue` sees, e.g. `Puppet::ParseError`.
    pub class: String,
    /// The message.
    pub message: String,
    /// A number by which the host knows the original error again.
    pub id: Option<u64>,
}

impl HostError {
    /// A `Puppet::ParseError`, which most functions raise.
    pub fn parse_error(message: impl Into<String>) -> Self {
        Self { class: "Puppet::ParseError".to_owned(), message: message.into(), id: None }
    }
}

/// The compilation around a template or function. Everything that is not computed comes from here.
pub trait Host {
    /// `scope['x']`, `scope.lookupvar('::x')`: the value of a variable, `None` if there is none.
    fn variable(&mut self, name: &str) -> Result<Option<Value>, HostError>;

    /// `scope.to_hash`: all variables that can be seen without a namespace and are not `undef`. `@x` in a template is
    /// one of them, with everything but letters, digits and `_` in the name turned into `_`.
    fn variables(&mut self) -> Vec<(String, Value)>;

    /// The variable that `@name` is in a template, for a name that code has made: it may be that of a fact which no
    /// manifest names, so it is no symbol. A host that can find it without listing all should.
    fn instance_variable(&mut self, name: &str) -> Option<Value> {
        let word = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
        let all = self.variables();
        let found =
            all.into_iter().rev().find(|(known, _)| known.chars().map(word).eq(name.chars()));
        found.map(|(_, value)| value)
    }

    /// The same for a name that is written in the template, as most are: they have been symbols since it was read, and
    /// a host that knows its variables by symbols need not look for their texts.
    fn written_instance_variable(&mut self, name: Symbol) -> Option<Value> {
        self.instance_variable(name.as_str())
    }

    /// The regular expression of a text that is made while code runs. A host that can keep it should.
    fn regex(&mut self, source: &str, options: Options) -> Result<Regex, RegexError> {
        Regex::with_options(source, options)
    }

    /// Whether the compilation has strings of bytes without an encoding.
    fn has_byte_texts(&self) -> bool {
        false
    }

    /// Whether a text is a string of bytes without an encoding, or a copy of one.
    fn is_byte_text(&self, _text: &EcoString) -> bool {
        false
    }

    /// Returns a text for a string that code has made of bytes, without an encoding: catalogs have copies of it as Binary.
    fn text_of_bytes(&mut self, text: &str) -> EcoString {
        text.into()
    }

    /// What was kept under a number, which the host does not have any more then. Nothing of it leaves a compilation.
    fn take_state(&mut self, _key: usize) -> Option<Box<dyn Any>> {
        None
    }

    /// Keeps what is needed again for the next template, or the next call of a function.
    fn keep_state(&mut self, _key: usize, _state: Box<dyn Any>) {}

    /// `scope.setvar('x', value)`
    fn set_variable(&mut self, name: &str, _value: Value) -> Result<(), HostError> {
        Err(HostError::parse_error(format!("can't set the variable `{name}` here")))
    }

    /// A template has changed the array or hash that is the value of a variable, in place.
    fn changed(&mut self, _name: &str, _value: Value) {}

    /// Keeps a value of Ruby's that was given to `setvar`: what is changed in it later is seen by whoever reads the
    /// variable, since Ruby hands out the thing itself.
    fn keep(&mut self, _name: &str, _value: Rc<dyn Any>) {}

    /// What was kept under the name of a variable.
    fn kept(&mut self, _name: &str) -> Option<Rc<dyn Any>> {
        None
    }

    /// `call_function('x', …)` and `scope.function_x([…])`.
    fn call_function(
        &mut self,
        name: &str,
        args: Vec<Value>,
        block: Option<&mut BlockFn<'_>>,
    ) -> Result<Value, HostError>;

    /// `scope.function_x([…])`: a function of the old kind, where there are two of a name.
    fn call_old_function(&mut self, name: &str, args: Vec<Value>) -> Result<Value, HostError> {
        self.call_function(name, args, None)
    }

    /// `Puppet::Pops::PuppetStack.stacktrace`: files and lines of the calls under way, the innermost first.
    fn stack(&mut self) -> Vec<(String, u32)> {
        Vec::new()
    }

    /// A method of a value that only the host knows, such as the context of a lookup; `None` if there is none.
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

    /// Calls the block that a function written in Ruby was given by its caller.
    fn call_block(&mut self, _args: Vec<Value>) -> Result<Value, HostError> {
        Err(HostError::parse_error("no block given (yield)"))
    }

    /// `all_tags` in a template.
    fn tags(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// `classes` in a template.
    fn classes(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// The text of a file, if the compilation may read it.
    fn read_file(&mut self, path: &str) -> Result<String, HostError> {
        Err(HostError {
            class: "Errno::ENOENT".to_owned(),
            message: format!("No such file or directory @ rb_sysopen - {path}"),
            id: None,
        })
    }

    /// Whether a file exists, as far as the compilation may know.
    fn file_exists(&mut self, _path: &str) -> bool {
        false
    }

    /// The path of `module/file` below the module's `files` or `templates`.
    fn find_file(&mut self, _folder: &str, _reference: &str) -> Option<String> {
        None
    }

    /// Seconds and nanoseconds since 1970, and the offset of the local zone.
    fn now(&mut self) -> (i64, u32, i32) {
        (0, 0, 0)
    }

    /// Bytes that nobody can guess; `None` if there are none to be had.
    fn random(&mut self, _n: usize) -> Option<Vec<u8>> {
        None
    }

    /// A message for the log: `warning`, `notice` and their kind.
    fn log(&mut self, _level: &str, _message: &str) {}

    /// `Puppet.warn_once`: a warning that is said once for a key, without a place.
    fn warn_once(&mut self, _key: &str, message: &str) {
        self.log("warning", &format!("{message}\n   (file & line not available)"));
    }

    /// Where we are: `environment`, `module`; `source`, which is `hostclass` or `definition` and a name. Unknown facts are
    /// `None`.
    fn fact(&mut self, _what: &str) -> Option<String> {
        None
    }

    /// The source of a Ruby file that is required by its name, e.g. `puppet_x/mine/helper`: its path and text.
    fn ruby_file(&mut self, _name: &str) -> Option<(String, String)> {
        None
    }

    /// What resources have the name as their type: `type`, or `class` for a class of that name; `None` if there is neither.
    fn kind_of(&mut self, _name: &str) -> Option<&'static str> {
        None
    }

    /// A resource of the catalog so far: a hash with `type`, `title`, `parameters` and `tags`.
    fn resource(&mut self, _type_name: &str, _title: &str) -> Option<Value> {
        None
    }

    /// `scope.resource`: what the code belongs to that is being evaluated, as `resource` gives it.
    fn own_resource(&mut self) -> Option<Value> {
        None
    }

    /// All resources of the catalog so far, each as `resource` gives it.
    fn resources(&mut self) -> Vec<Value> {
        Vec::new()
    }

    /// `scope.lookupdefaults('file')`: the defaults that hold for a type of resources here, as a hash.
    fn defaults(&mut self, _type_name: &str) -> Value {
        Value::hash(kukla_pcore::Hash::with_capacity(0))
    }

    /// Whether a value is of a type, which is given as text.
    fn is_instance(&mut self, _type_text: &str, _value: &Value) -> Option<bool> {
        None
    }
}

/// The host of a file that is only read.
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
