//! Data types that modules define in Ruby: `Puppet::DataTypes.create_type`.
//!
//! The interface of a type is text in the Puppet language, which others read. Its implementation is Ruby code; an object
//! lives in Puppet, so it is made anew from its attributes for each call of a method.

use std::rc::Rc;

use kukla_foreign::{Function, FunctionKind, Unsupported};
use kukla_pcore::Value;

use crate::class::{Class, Data, Native, Special};
use crate::convert::to_ruby;
use crate::function::{Body, Defined};
use crate::methods::table::{Builtin, method, with_block};
use crate::run::{Args, Eval, Run, Stop};
use crate::value::RubyValue;

/// A data type: its name, and its interface in the Puppet language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataTypeText {
    /// The name.
    pub name: String,
    /// The entries of the hash of an Object type.
    pub interface: String,
}

/// The reason why a file defines no data type.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DataTypeError {
    /// The interpreter does not support the code.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The code raised an exception with this message.
    #[error("{0}")]
    Raised(String),
}

/// A data type that a running file has defined.
#[derive(Clone)]
pub(crate) struct DataType {
    interface: Option<String>,
    /// The class with the methods.
    class: Option<Rc<Class>>,
    /// Whether objects are made by the class itself: `implementation_class`.
    has_own_new: bool,
}

impl DataType {
    /// Returns the methods that Puppet code can call.
    pub(crate) fn methods(&self) -> Vec<Function> {
        let Some(class) = &self.class else { return Vec::new() };
        let mut names: Vec<String> =
            class.methods.borrow().keys().map(|name| name.as_str().to_owned()).collect();
        names.sort();
        let kind = FunctionKind::Old { arity: -1, is_rvalue: true };
        names.into_iter().map(|name| Function { name, kind: kind.clone() }).collect()
    }

    /// Returns what Puppet has to know.
    pub(crate) fn text(&self, name: &str) -> Option<DataTypeText> {
        Some(DataTypeText { name: name.to_owned(), interface: self.interface.clone()? })
    }
}

/// The methods for the block of `create_type`.
pub(crate) static DESCRIPTION: &[Builtin<()>] = &[
    method("interface", interface).arity(1, 1),
    with_block("implementation", |run, (), block, _| {
        let base = run.class_named("Object");
        let class = Rc::new(Class { native: Native::Object, ..Class::new("", Some(base)) });
        run.vm.roots.add_class(&class);
        implement(run, &class, false)?;
        let value = RubyValue::Class(Rc::clone(&class));
        run.call_in(block, &value, Some(class), Args::new(&[]), false)
    }),
    method("implementation_class", |run, (), a| match a.get(0) {
        RubyValue::Class(class) => implement(run, &class, true),
        other => run.no_conversion(&other, "Class"),
    })
    .arity(1, 1),
    method("load_file", |run, (), a| {
        let name = run.name_arg(&a.get(0))?;
        run.require(name.as_str(), "load_file").map(RubyValue::Bool)
    })
    .arity(1, 1),
];

fn interface(run: &mut Run<'_>, (): &(), a: Args<'_>) -> Eval {
    let text = run.name_arg(&a.get(0))?.as_str().to_owned();
    let is_first =
        run.describe_type(|it| it.interface.is_none().then(|| it.interface = Some(text)));
    match is_first {
        Some(()) => Ok(RubyValue::Nil),
        None => run.argument_error("a data type can only have one interface"),
    }
}

fn implement(run: &mut Run<'_>, class: &Rc<Class>, has_own_new: bool) -> Eval {
    let is_first = run.describe_type(|it| {
        let is_first = it.class.is_none();
        (it.class, it.has_own_new) = (Some(Rc::clone(class)), has_own_new);
        is_first.then_some(())
    });
    match is_first {
        Some(()) => Ok(RubyValue::Nil),
        None => run.argument_error("a data type can only have one implementation"),
    }
}

impl Run<'_> {
    /// Asks or changes the data type that is being defined; `None` if there is none.
    fn describe_type<T>(&mut self, work: impl FnOnce(&mut DataType) -> Option<T>) -> Option<T> {
        match &mut self.vm.functions.borrow_mut().last_mut()?.body {
            Body::Type(data_type) => work(data_type),
            Body::Old { .. } | Body::New { .. } => None,
        }
    }

    /// `create_type('Name') do … end`
    pub(crate) fn create_type(&mut self, a: Args<'_>) -> Eval {
        let name = self.name_arg(&a.get(0))?;
        let Some(block) = a.block else { return self.argument_error("no block given") };
        let body = DataType { interface: None, class: None, has_own_new: false };
        self.vm.functions.borrow_mut().push(Defined { name: name.clone(), body: Body::Type(body) });
        let builder = self.special(Special::DataType);
        let described = self.call_with_self(block, &builder, Args::new(&[]));
        let message = match described {
            Ok(_) if self.describe_type(|it| it.interface.is_some().then_some(())).is_some() => {
                return Ok(RubyValue::Nil);
            }
            Ok(_) => "a data type must have an interface".to_owned(),
            Err(stop) => match &*stop {
                Stop::Raise(exception) => self.message_of(exception)?,
                _ => return Err(stop),
            },
        };
        self.argument_error(format!("Data Type Load Error for type '{name}': {message}"))
    }

    /// Returns the data type that has a method of this name.
    pub(crate) fn data_type_with(&self, method: &str) -> Option<DataType> {
        self.vm.functions.borrow().iter().find_map(|defined| match &defined.body {
            Body::Type(data_type) => {
                let class = data_type.class.as_ref()?;
                class.methods.borrow().contains_key(method).then(|| data_type.clone())
            }
            Body::Old { .. } | Body::New { .. } => None,
        })
    }

    /// Calls a method of an object; the first argument has its attributes.
    pub(crate) fn call_type_method(
        &mut self,
        data_type: &DataType,
        method: &str,
        args: &[Value],
    ) -> Eval<Value> {
        let (Some(class), Some((Value::Hash(attributes), args))) =
            (&data_type.class, args.split_first())
        else {
            return self.unsupported("a data type without an implementation");
        };
        let object = match data_type.has_own_new {
            true => {
                let values: Vec<RubyValue> = attributes.values().map(to_ruby).collect();
                self.call(&RubyValue::Class(Rc::clone(class)), "new", &values)?
            }
            false => self.object_of(class, attributes)?,
        };
        let args: Vec<RubyValue> = args.iter().map(to_ruby).collect();
        let result = self.call(&object, method, &args)?;
        self.to_puppet(&result)
    }

    /// Makes an object whose instance variables are the attributes.
    fn object_of(&mut self, class: &Rc<Class>, attributes: &kukla_pcore::Hash) -> Eval {
        let object = self.new_object(class, Data::None);
        for (name, value) in attributes.iter() {
            let Some(name) = name.as_str() else { continue };
            object.set_ivar(&format!("@{name}"), to_ruby(value));
            if class.find_method(name).is_none() {
                let class = RubyValue::Class(Rc::clone(class));
                self.call(&class, "attr_reader", &[RubyValue::sym(name)])?;
            }
        }
        Ok(RubyValue::Object(object))
    }
}
