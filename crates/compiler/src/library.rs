//! Definitions that an evaluation can ask for by name.

use std::fmt::Debug;
use std::io;
use std::sync::{Arc, LazyLock};

use kukla_base::{Edition, Symbol};
use kukla_foreign::{NeedsRuby, NoTemplates, ReadTemplates, Render};
use kukla_lookup::Layers;
use kukla_pcore::types::Names;
use kukla_pcore::{Type, Value};
use kukla_syntax::ast::ExprId;
use kukla_world::{MAX_FILE, Memory, Record, Recording, World};

use crate::compile::Definition;
use crate::function::NativeFunction;
use crate::interpreter::Shared;
use crate::log::Entry;
use crate::source::Refusal;
use crate::{Call, Eval, Program};

use kukla_catalog::types::Builtins;
pub use kukla_catalog::types::ResourceType;

/// The types that agents know of themselves.
static BUILT_IN: LazyLock<Builtins> = LazyLock::new(|| Builtins::new(Edition::default()));

/// A world without anything in it.
static NO_WORLD: LazyLock<Memory> = LazyLock::new(Memory::default);

/// A folder of modules that functions find files in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModuleFolder {
    /// `files`
    Files,
    /// `templates`
    Templates,
}

impl ModuleFolder {
    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Templates => "templates",
        }
    }
}

/// A method of an Object type whose body is a text in Ruby: the annotation `RubyMethod`.
#[derive(Clone, Copy, Debug)]
pub struct InlineMethod<'a> {
    /// The name.
    pub name: Symbol,
    /// The parameters, as Ruby has them between parentheses.
    pub parameters: &'a str,
    /// The body.
    pub body: &'a str,
    /// The names of the object's attributes, separated by blanks.
    pub attributes: &'a str,
}

/// Definitions of an environment: functions, types, classes and defined types.
pub trait Library: Debug + Send + Sync {
    /// The function of a name, as code of a module sees it; the module is empty for code of the environment itself.
    fn function(&self, name: Symbol, module: &str, record: &Record) -> Eval<Option<FunctionRef>>;

    /// Returns whether there may be a function of a name that no code has. Such a name becomes a symbol.
    fn may_have_function(&self, _name: &str, _module: &str, _record: &Record) -> bool {
        false
    }

    /// The function of the old kind of a name that a module has.
    fn old_function(&self, _name: &str, _record: &Record) -> Option<FunctionRef> {
        None
    }

    /// The type of a name, written with capital letters.
    fn type_(&self, name: &str, record: &Record) -> Option<Type>;

    /// The refusal of the file that is to define a type, which [`type_`](Self::type_) did not find.
    fn refused_type(&self, _name: &str, _record: &Record) -> Option<Refusal> {
        None
    }

    /// The method of an Object type that is written in Ruby; it takes the attributes of the object as a hash first.
    fn method(&self, _type: &str, _name: Symbol, _record: &Record) -> Option<FunctionRef> {
        None
    }

    /// The method that a text in Ruby implements, like [`method`](Self::method).
    fn inline_method(&self, _method: &InlineMethod<'_>) -> Option<FunctionRef> {
        None
    }

    /// The manifest that is to define the name which is given with `/` in place of `::`; `module/` is the main one
    /// of a module. `None` if there is no such file.
    fn manifest(&self, _path: &str, _record: &Record) -> Option<Eval<Arc<Manifest>>> {
        None
    }

    /// The type of resources of a name in lower case, if agents know it.
    fn resource_type(&self, name: &str, _record: &Record) -> Option<Arc<ResourceType>> {
        BUILT_IN.find(name).cloned()
    }

    /// Reads the ERB template of a file; the inner error says why it can't be rendered.
    fn erb(&self, path: &str, record: &Record) -> io::Result<Result<Arc<dyn Render>, NeedsRuby>> {
        let bytes = Recording::new(self.world(), record).read(path, MAX_FILE)?.bytes;
        let text = String::from_utf8(bytes.to_vec());
        let text = text.map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
        Ok(self.templates().read(Some(path), &text))
    }

    /// Reads the ERB template of a text; the error says why it can't be rendered.
    fn inline_erb(&self, text: &str) -> Result<Arc<dyn Render>, NeedsRuby> {
        self.templates().read(None, text)
    }

    /// Returns the reader of ERB templates.
    fn templates(&self) -> &dyn ReadTemplates {
        &NoTemplates
    }

    /// The path and text of a Ruby file that modules have: `puppet_x/mine/helper`.
    fn ruby_file(&self, _name: &str, _record: &Record) -> Option<(String, String)> {
        None
    }

    /// The data that values are looked up in.
    fn data(&self) -> Option<Arc<Layers>> {
        None
    }

    /// Returns the caches that all users of this library share.
    fn shared(&self) -> Arc<Shared> {
        Arc::default()
    }

    /// All names of a kind, for advice on unknown ones: only asked for when something is wrong.
    fn names(&self, kind: NameKind) -> Vec<String> {
        match kind {
            NameKind::ResourceType => BUILT_IN.names().map(str::to_owned).collect(),
            NameKind::Function | NameKind::Manifest => Vec::new(),
        }
    }

    /// Returns the path of `module/file` in a folder of modules; `None` if there is no such module or file.
    fn find_file(
        &self,
        _folder: ModuleFolder,
        _reference: &str,
        _record: &Record,
    ) -> Option<String> {
        None
    }

    /// Returns the directory of a module.
    fn module_directory(&self, _name: &str, _record: &Record) -> Option<String> {
        None
    }

    /// Returns the world outside.
    fn world(&self) -> &dyn World {
        &*NO_WORLD
    }
}

/// A kind of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// Functions.
    Function,
    /// Classes and defined types, as the names of their manifests tell.
    Manifest,
    /// Types of resources that agents know.
    ResourceType,
}

/// A manifest that was read.
#[derive(Debug)]
pub struct Manifest {
    /// Its code.
    pub program: Arc<Program>,
    /// The classes, defined types and nodes in it.
    pub definitions: Vec<Arc<Definition>>,
    /// Warnings about it.
    pub log: Vec<Entry>,
}

impl Manifest {
    /// A manifest of a module; the module is empty for main manifests.
    pub fn new(program: Arc<Program>, module: &str, log: Vec<Entry>, edition: Edition) -> Self {
        Self { definitions: Definition::all_of(&program, module, edition), program, log }
    }
}

/// A function, wherever it comes from.
#[derive(Clone, Debug)]
pub enum FunctionRef {
    /// Written in Rust.
    Native(Arc<NativeFunction>),
    /// Written in the Puppet language.
    Puppet(Arc<PuppetFunction>),
    /// Written in another language.
    Foreign(Arc<dyn ForeignFunction>),
}

/// A function that another interpreter runs.
pub trait ForeignFunction: Debug + Send + Sync {
    /// Runs it.
    fn call(&self, call: &mut Call<'_>) -> Eval<Value>;

    /// Calls it as Ruby code does, which hands over what it has: no `undef` becomes an empty text.
    fn call_as_is(&self, call: &mut Call<'_>) -> Eval<Value> {
        self.call(call)
    }

    /// The types that its signatures say they return; `None` for one that does not say.
    fn returns(&self, _names: &dyn Names) -> Vec<Option<Type>> {
        vec![None]
    }

    /// Returns the return type of the signature that takes these arguments, for a call that an agent makes.
    fn deferred_type(&self, _arguments: &[Value], _names: &dyn Names) -> Option<Type> {
        None
    }

    /// Functions that its file defines beside it, under names of their own: they are there as soon as it is found.
    fn companions(&self) -> Vec<(Symbol, Arc<dyn ForeignFunction>)> {
        Vec::new()
    }
}

/// `function name(parameters) >> type { body }`
#[derive(Debug)]
pub struct PuppetFunction {
    /// Its name.
    pub name: Symbol,
    /// Where it is written.
    pub program: Arc<Program>,
    /// Its node there.
    pub definition: ExprId,
}

/// A library without anything in it.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLibrary;

impl Library for NoLibrary {
    fn function(
        &self,
        _name: Symbol,
        _module: &str,
        _record: &Record,
    ) -> Eval<Option<FunctionRef>> {
        Ok(None)
    }

    fn type_(&self, _name: &str, _record: &Record) -> Option<Type> {
        None
    }
}
