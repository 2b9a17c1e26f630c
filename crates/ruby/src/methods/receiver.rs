//! Selects the method table for a receiver.

use std::rc::Rc;

use super::registry::registry;
use super::{bytes, scope, structs};
use crate::class::{Class, Data, Native, Object, Special};
use crate::run::{Args, Eval, Run};
use crate::value::{RubyValue, eql};

type CallResult = Eval<Option<RubyValue>>;

impl Run<'_> {
    /// Calls one of Ruby's own methods; `None` if there is none of that name.
    pub(crate) fn builtin(&mut self, recv: &RubyValue, name: &str, a: Args<'_>) -> CallResult {
        self.weigh(recv, a)?;
        let tables = registry();
        match recv {
            RubyValue::Nil => tables.nil.call(self, recv, &(), name, a),
            RubyValue::Bool(this) => tables.bool.call(self, recv, this, name, a),
            RubyValue::Int(this) => tables.integer.call(self, recv, this, name, a),
            RubyValue::Big(this) => tables.big.call(self, recv, this, name, a),
            RubyValue::Float(this) => tables.float.call(self, recv, this, name, a),
            RubyValue::Sym(this) => tables.symbol.call(self, recv, this, name, a),
            RubyValue::Str(this) if self.host.has_byte_texts() => {
                self.byte_text_builtin(recv, this, name, a)
            }
            RubyValue::Str(this) => tables.string.call(self, recv, this, name, a),
            RubyValue::Bytes(this) => self.bytes_builtin(recv, this, name, a),
            RubyValue::Array(this) => tables.array.call(self, recv, this, name, a),
            RubyValue::Hash(this) => tables.hash.call(self, recv, this, name, a),
            RubyValue::Range(this) => tables.range.call(self, recv, this, name, a),
            RubyValue::Regexp(this) => tables.regexp.call(self, recv, this, name, a),
            RubyValue::Match(this) => tables.match_data.call(self, recv, this, name, a),
            RubyValue::Proc(this) => tables.proc.call(self, recv, this, name, a),
            RubyValue::Class(this) => self.class_builtin(recv, this, name, a),
            RubyValue::Object(this) => self.object_builtin(recv, this, name, a),
            RubyValue::Puppet(this) => tables.puppet.call(self, recv, this, name, a),
        }
    }

    /// Of a string of bytes: a method that would take it for text is left to a real Ruby.
    fn bytes_builtin(
        &mut self,
        recv: &RubyValue,
        this: &Rc<[u8]>,
        name: &str,
        a: Args<'_>,
    ) -> CallResult {
        if let Some(value) = registry().bytes.call(self, recv, this, name, a)? {
            return Ok(Some(value));
        }
        match bytes::INHERITED.contains(&name) {
            true => registry().object.call(self, recv, recv, name, a),
            false => self.unsupported(format!("method String#{name} of bytes")),
        }
    }

    /// Of a class or module: methods that it has for itself come first.
    fn class_builtin(
        &mut self,
        recv: &RubyValue,
        this: &Rc<Class>,
        name: &str,
        a: Args<'_>,
    ) -> CallResult {
        let tables = registry();
        let class = this.name.borrow().clone();
        if let Some(singleton) = tables.singletons.get(class.as_str())
            && let Some(value) = singleton.call(self, recv, this, name, a)?
        {
            return Ok(Some(value));
        }
        match class.as_str() {
            "Kernel" => {
                let top = Rc::clone(&self.vm.top);
                let value = RubyValue::Class(Rc::clone(&top));
                let frame = self.top_frame(value.clone(), top, 0);
                if let Some(value) = self.kernel(&value, name, a, &frame)? {
                    return Ok(Some(value));
                }
            }
            "Process" | "Random" if name != "new" => {
                return self.unsupported(format!("{class}.{name}"));
            }
            _ => (),
        }
        tables.class.call(self, recv, this, name, a)
    }

    /// Of an object: methods by what it holds, then those of the modules that its class includes.
    fn object_builtin(
        &mut self,
        recv: &RubyValue,
        this: &Rc<Object>,
        name: &str,
        a: Args<'_>,
    ) -> CallResult {
        let tables = registry();
        let whole = match (&*this.data.borrow(), this.class.native) {
            (Data::Enumerator(..), _) => Some(&tables.enumerator),
            (_, Native::Exception) => Some(&tables.exception),
            (_, Native::Struct) => Some(&tables.structs),
            (Data::Set(_), _) => Some(&tables.set),
            _ => None,
        };
        if let Some(table) = whole {
            return table.call(self, recv, this, name, a);
        }
        if let Some(value) = self.library_builtin(recv, this, name, a)? {
            return Ok(Some(value));
        }
        let is_ordered = tables.comparable.has(name) && name != "<=>";
        if is_ordered && this.class.is_a("Comparable") {
            return tables.comparable.call(self, recv, recv, name, a);
        }
        if tables.enumerable.has(name) && this.class.is_a("Enumerable") {
            return tables.enumerable.call(self, recv, recv, name, a);
        }
        tables.object.call(self, recv, recv, name, a)
    }

    /// Of an object of Ruby's library or of Puppet's; its data is copied, since a method may change the object.
    fn library_builtin(
        &mut self,
        recv: &RubyValue,
        this: &Rc<Object>,
        name: &str,
        a: Args<'_>,
    ) -> CallResult {
        let tables = registry();
        let data = this.data.borrow();
        match &*data {
            Data::Ip(ip) => {
                let ip = ip.clone();
                drop(data);
                tables.ip.call(self, recv, &ip, name, a)
            }
            Data::Uri(uri) => {
                let uri = uri.clone();
                drop(data);
                tables.uri.call(self, recv, &uri, name, a)
            }
            Data::Time(time) => {
                let time = *time;
                drop(data);
                tables.time.call(self, recv, &time, name, a)
            }
            Data::Version(version) => {
                let version = version.clone();
                drop(data);
                tables.version.call(self, recv, &version, name, a)
            }
            Data::Resource(resource) => {
                let resource = Rc::clone(resource);
                drop(data);
                tables.resource.call(self, recv, &resource, name, a)
            }
            Data::Random(_) => {
                drop(data);
                tables.random.call(self, recv, this, name, a)
            }
            Data::Path(path) => {
                let path = path.clone();
                drop(data);
                tables.path.call(self, recv, &path, name, a)
            }
            Data::Digest(_) => {
                drop(data);
                tables.digest.call(self, recv, this, name, a)
            }
            Data::File(_) => {
                drop(data);
                tables.file.call(self, recv, this, name, a)
            }
            Data::Owner(owner) => {
                let owner = *owner;
                drop(data);
                tables.file_status.call(self, recv, &owner, name, a)
            }
            Data::Param(parameter, value) => {
                let parameter = (parameter.clone(), value.clone());
                drop(data);
                tables.param.call(self, recv, &parameter, name, a)
            }
            Data::Module(module) => {
                let module = Rc::clone(module);
                drop(data);
                tables.module.call(self, recv, &module, name, a)
            }
            Data::Scope => {
                drop(data);
                self.scope_builtin(recv, name, a)
            }
            Data::Template(_) => {
                drop(data);
                tables.template.call(self, recv, &(), name, a)
            }
            Data::Special(special) => {
                let special = *special;
                drop(data);
                self.special_builtin(special, recv, name, a)
            }
            Data::None | Data::Raised { .. } | Data::Set(_) | Data::Enumerator(..) => Ok(None),
        }
    }

    /// Of the scope: whatever else Puppet's scope can do is left to a real Ruby.
    fn scope_builtin(&mut self, recv: &RubyValue, name: &str, a: Args<'_>) -> CallResult {
        if let Some(function) = name.strip_prefix("function_") {
            return self.scope_function(name, function, a).map(Some);
        }
        if let Some(value) = registry().scope.call(self, recv, &(), name, a)? {
            return Ok(Some(value));
        }
        match scope::SCOPE_INHERITS.contains(&name) {
            true => Ok(None),
            false => self.unsupported(format!("method {name} of the scope")),
        }
    }

    fn special_builtin(
        &mut self,
        special: Special,
        recv: &RubyValue,
        name: &str,
        a: Args<'_>,
    ) -> CallResult {
        let tables = registry();
        let table = match special {
            Special::Main => return tables.main.call(self, recv, &(), name, a),
            Special::Dispatch => return tables.dispatch.call(self, recv, &(), name, a),
            Special::DataType => return tables.data_type.call(self, recv, &(), name, a),
            Special::Catalog => &tables.catalog,
            Special::Compiler => &tables.compiler,
            Special::Environment => &tables.environment,
            Special::Autoloader => &tables.autoloader,
            Special::Settings => &tables.settings,
        };
        match table.call(self, recv, &(), name, a)? {
            Some(value) => Ok(Some(value)),
            None => self.unsupported(format!("method {name} of the {}", special.name())),
        }
    }

    /// `==` of objects that we make.
    pub(crate) fn equal_data(&mut self, this: &Rc<Object>, other: &RubyValue) -> Eval<bool> {
        let RubyValue::Object(other_object) = other else { return Ok(false) };
        if Rc::ptr_eq(this, other_object) {
            return Ok(true);
        }
        if this.class.native == Native::Struct {
            return structs::is_equal(self, this, other);
        }
        Ok(match (&*this.data.borrow(), &*other_object.data.borrow()) {
            (Data::Set(a), Data::Set(b)) => {
                eql(&RubyValue::Hash(Rc::clone(a)), &RubyValue::Hash(Rc::clone(b)))
            }
            (Data::Ip(a), Data::Ip(b)) => a == b,
            (Data::Uri(a), Data::Uri(b)) => a == b,
            (Data::Time(a), Data::Time(b)) => {
                (a.seconds, a.nanoseconds) == (b.seconds, b.nanoseconds)
            }
            _ => false,
        })
    }
}
