//! Classes, modules and their instances.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use foldhash::fast::FixedState;
use indexmap::IndexMap;
use kukla_base::Symbol;

use crate::read::tree::{Def, Name};
use crate::value::{Map, Proc, RubyValue};

pub(crate) type Names<T> = IndexMap<Name, T, FixedState>;

/// A class or module.
#[derive(Default)]
pub(crate) struct Class {
    pub(crate) name: RefCell<Name>,
    pub(crate) is_module: bool,
    pub(crate) superclass: Option<Rc<Class>>,
    pub(crate) includes: RefCell<Vec<Rc<Class>>>,
    /// Modules whose methods come before those of the class.
    pub(crate) prepends: RefCell<Vec<Rc<Class>>>,
    pub(crate) extends: RefCell<Vec<Rc<Class>>>,
    pub(crate) methods: RefCell<Names<Method>>,
    pub(crate) own_methods: RefCell<Names<Method>>,
    pub(crate) constants: RefCell<Names<RubyValue>>,
    pub(crate) variables: RefCell<Names<RubyValue>>,
    pub(crate) ivars: RefCell<Names<RubyValue>>,
    pub(crate) lexical_parent: Option<Rc<Class>>,
    /// The kind of object that `new` creates.
    pub(crate) native: Native,
    /// True if the module is an ancestor of one of Ruby's own classes.
    pub(crate) is_above_rubys: Cell<bool>,
}

/// The representation of a class's instances.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Native {
    #[default]
    Object,
    Exception,
    Struct,
    /// One of Ruby's own classes, selected by its name: `String`, `Time`.
    Builtin,
}

/// A method that Ruby code defines.
#[derive(Clone)]
pub(crate) enum Method {
    Def(Arc<Def>, /* where it was defined */ Rc<Class>),
    Proc(Rc<Proc>),
    Reader(Name),
    Writer(Name),
    /// The built-in method of another name.
    Alias(Name),
    Undefined,
}

/// An instance of a class that Ruby code defines, or of one of the library.
pub(crate) struct Object {
    pub(crate) class: Rc<Class>,
    pub(crate) ivars: RefCell<Names<RubyValue>>,
    pub(crate) own_methods: RefCell<Names<Method>>,
    pub(crate) extends: RefCell<Vec<Rc<Class>>>,
    pub(crate) data: RefCell<Data>,
}

/// The content of an object that Ruby code can't access directly.
#[derive(Default)]
pub(crate) enum Data {
    #[default]
    None,
    /// An exception, with the place where it was raised.
    Raised {
        file: Name,
        line: u32,
    },
    /// The set's members are the keys.
    Set(Rc<Map>),
    Time(crate::library::time::Time),
    Ip(crate::library::ip::Ip),
    Uri(crate::library::uri::Uri),
    Random(Box<kukla_rubytext::random::Random>),
    /// `Gem::Version`
    Version(EcoString),
    /// `Pathname`
    Path(EcoString),
    Digest(Box<crate::library::openssl::Digester>),
    File(Box<crate::library::io::OpenFile>),
    /// `File::Stat`, of which only the owner is known.
    Owner(u32),
    /// A parameter of a resource: name and value.
    Param(Name, RubyValue),
    /// A module: name and directory.
    Module(Rc<(EcoString, String)>),
    /// A resource of the catalog: the hash that describes it.
    Resource(Rc<Map>),
    /// The scope of the manifest.
    Scope,
    /// `self` in a template: the variables that it has read so far.
    Template(Vec<(Symbol, RubyValue)>),
    Special(Special),
    /// An `Enumerator`: receiver, method and arguments of the call that it delays.
    Enumerator(RubyValue, Name, Vec<RubyValue>),
}

/// An object of Puppet's that has no data of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    /// `self` at the top of a file.
    Main,
    Catalog,
    Compiler,
    Environment,
    Autoloader,
    /// `Puppet.settings`
    Settings,
    /// `self` in the block of `dispatch`.
    Dispatch,
    /// `self` in the block of `create_type`.
    DataType,
}

impl Special {
    /// Returns the name of the object in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Catalog => "catalog",
            Self::Compiler => "compiler",
            Self::Environment => "environment",
            Self::Autoloader => "autoloader",
            Self::Settings => "settings",
            Self::Dispatch => "dispatch",
            Self::DataType => "data type",
        }
    }
}

impl Class {
    /// Drops all references that may form a cycle with the class.
    pub(crate) fn dismantle(&self) {
        self.includes.take();
        self.prepends.take();
        self.extends.take();
        self.methods.take();
        self.own_methods.take();
        self.variables.take();
        self.ivars.take();
    }

    pub(crate) fn new(name: &str, superclass: Option<Rc<Class>>) -> Self {
        let native = superclass.as_ref().map_or(Native::Object, |class| class.native);
        Self { name: RefCell::new(name.into()), superclass, native, ..Self::default() }
    }

    /// Returns the class, its modules, and those of its superclasses, in the order of method lookup.
    pub(crate) fn ancestors(self: &Rc<Self>) -> Vec<Rc<Class>> {
        let mut ancestors = Vec::new();
        let mut class = Some(Rc::clone(self));
        while let Some(this) = class {
            push_with_modules(&this, &mut ancestors);
            class = this.superclass.clone();
        }
        ancestors
    }

    pub(crate) fn find_method(self: &Rc<Self>, name: &str) -> Option<(Method, Rc<Class>)> {
        let mut class = Some(self);
        while let Some(this) = class {
            if let Some(method) = find_here(this, name) {
                return Some(method);
            }
            class = this.superclass.as_ref();
        }
        None
    }

    pub(crate) fn is_a(self: &Rc<Self>, name: &str) -> bool {
        self.ancestors().iter().any(|class| *class.name.borrow() == name)
    }

    pub(crate) fn descends_from(self: &Rc<Self>, other: &Rc<Class>) -> bool {
        self.ancestors().iter().any(|class| Rc::ptr_eq(class, other))
    }
}

fn find_here(class: &Rc<Class>, name: &str) -> Option<(Method, Rc<Class>)> {
    let prepended = class.prepends.borrow().iter().rev().find_map(|module| find_here(module, name));
    if prepended.is_some() {
        return prepended;
    }
    if let Some(method) = class.methods.borrow().get(name) {
        return Some((method.clone(), Rc::clone(class)));
    }
    class.includes.borrow().iter().rev().find_map(|module| find_here(module, name))
}

fn push_with_modules(class: &Rc<Class>, ancestors: &mut Vec<Rc<Class>>) {
    if ancestors.iter().any(|ancestor| Rc::ptr_eq(ancestor, class)) {
        return;
    }
    for module in class.prepends.borrow().iter().rev() {
        push_with_modules(module, ancestors);
    }
    ancestors.push(Rc::clone(class));
    for module in class.includes.borrow().iter().rev() {
        push_with_modules(module, ancestors);
    }
}

impl Object {
    /// Returns true if the object is `self` in a template.
    pub(crate) fn is_template(&self) -> bool {
        matches!(*self.data.borrow(), Data::Template(_))
    }

    /// Returns true if the object is `self` at the top of a file.
    pub(crate) fn is_main(&self) -> bool {
        matches!(*self.data.borrow(), Data::Special(Special::Main))
    }

    /// Returns the value of a variable that the template has read before.
    pub(crate) fn fetched(&self, variable: Symbol) -> Option<RubyValue> {
        match &*self.data.borrow() {
            Data::Template(fetched) => {
                let mut variables = fetched.iter();
                variables.find(|(name, _)| *name == variable).map(|(_, value)| value.clone())
            }
            _ => None,
        }
    }

    pub(crate) fn new(class: Rc<Class>, data: Data) -> Self {
        Self {
            class,
            ivars: RefCell::default(),
            own_methods: RefCell::default(),
            extends: RefCell::default(),
            data: RefCell::new(data),
        }
    }

    pub(crate) fn ivar(&self, name: &str) -> RubyValue {
        self.ivars.borrow().get(name).cloned().unwrap_or_default()
    }

    pub(crate) fn set_ivar(&self, name: &str, value: RubyValue) {
        self.ivars.borrow_mut().insert(name.into(), value);
    }
}
