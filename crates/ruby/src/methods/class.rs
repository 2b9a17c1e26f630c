//! Classes and modules themselves.

use std::rc::Rc;

use crate::class::{Class, Data, Method, Native, Object};
use crate::run::{Args, Eval, Run};
use crate::value::{Entries, Key, Map, RubyValue};

impl Run<'_> {
    #[expect(clippy::too_many_lines, reason = "a table of names")]
    pub(crate) fn class_method(
        &mut self,
        this: &Rc<Class>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        if let Some(value) = self.library_method(this, name, a)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.module_method(this, name, a)? {
            return Ok(Some(value));
        }
        let own = RubyValue::Class(Rc::clone(this));
        Ok(Some(match name {
            "new" if !this.is_module => self.instantiate(this, a)?,
            "exception" if this.native == Native::Exception => self.instantiate(this, a)?,
            "allocate" => RubyValue::Object(Rc::new(Object::new(Rc::clone(this), Data::None))),
            "name" | "to_s" | "inspect" => {
                let shown = this.name.borrow().clone();
                if shown.is_empty() { RubyValue::Nil } else { RubyValue::str(shown) }
            }
            "===" => RubyValue::Bool(self.is_kind_of(&a.get(0), this)),
            "==" | "eql?" | "equal?" => RubyValue::Bool(
                matches!(a.get(0), RubyValue::Class(other) if Rc::ptr_eq(&other, this)),
            ),
            "<" | "<=" | ">" | ">=" => {
                let RubyValue::Class(other) = a.get(0) else {
                    return self.type_error("compared with non class/module");
                };
                let (below, above) =
                    if name.starts_with('<') { (this, &other) } else { (&other, this) };
                let same = Rc::ptr_eq(this, &other);
                if same {
                    RubyValue::Bool(name.len() == 2)
                } else if below.descends_from(above) {
                    RubyValue::Bool(true)
                } else if above.descends_from(below) {
                    RubyValue::Bool(false)
                } else {
                    RubyValue::Nil
                }
            }
            "superclass" => this.superclass.clone().map_or(RubyValue::Nil, RubyValue::Class),
            "ancestors" => {
                RubyValue::array(this.ancestors().into_iter().map(RubyValue::Class).collect())
            }
            "instance_methods"
            | "public_instance_methods"
            | "instance_method"
            | "class_variable_get"
            | "class_variable_set"
            | "const_missing"
            | "autoload"
            | "singleton_methods" => {
                return self.unsupported(format!("method Module#{name}"));
            }
            "const_get" => {
                let path = self.name_arg(&a.get(0))?;
                let mut value = own;
                for part in path.split("::").filter(|part| !part.is_empty()) {
                    value = match &value {
                        RubyValue::Class(class) => {
                            match self.find_constant(part, &Rc::clone(class))? {
                                Some(value) => value,
                                None => self.constant_in(&value, &part.into())?,
                            }
                        }
                        _ => self.constant_in(&value, &part.into())?,
                    };
                }
                value
            }
            "const_defined?" => {
                let path = self.name_arg(&a.get(0))?;
                let mut class = Rc::clone(this);
                for part in path.split("::").filter(|part| !part.is_empty()) {
                    match self.find_constant(part, &class)? {
                        Some(RubyValue::Class(next)) => class = next,
                        Some(_) => (),
                        None => return Ok(Some(RubyValue::Bool(false))),
                    }
                }
                RubyValue::Bool(true)
            }
            "const_set" => {
                let constant = self.name_arg(&a.get(0))?;
                self.set_constant(this, &constant, a.get(1));
                a.get(1)
            }
            "method_defined?" | "instance_methods?" | "public_method_defined?" => {
                let asked = self.name_arg(&a.get(0))?;
                let found = this.find_method(&asked).is_some()
                    || this
                        .ancestors()
                        .iter()
                        .any(|class| crate::names::has_method(&class.name.borrow(), &asked));
                RubyValue::Bool(found)
            }
            "class_eval" | "module_eval" | "class_exec" => {
                let block = self.need_block(&a, name)?;
                self.call_in(
                    block,
                    &own,
                    Some(Rc::clone(this)),
                    Args::new(std::slice::from_ref(&own)),
                    false,
                )?
            }
            "hash" => super::tools::int(Rc::as_ptr(this).addr()),
            "freeze" => own,
            _ => return Ok(None),
        }))
    }

    /// `include`, `attr_reader` and so on.
    pub(super) fn module_method(
        &mut self,
        this: &Rc<Class>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        let own = || Ok(Some(RubyValue::Class(Rc::clone(this))));
        match name {
            "include" | "prepend" => {
                for module in a.items {
                    let RubyValue::Class(module) = module else {
                        return self.type_error("wrong argument type (expected module)");
                    };
                    this.includes.borrow_mut().push(Rc::clone(module));
                    self.vm.found_constants.clear();
                    if this.is_module || this.native == Native::Builtin {
                        self.vm.reopened.set(true);
                    }
                    let hook = module.own_methods.borrow().get("included").cloned();
                    if let Some(hook) = hook {
                        let args = [RubyValue::Class(Rc::clone(this))];
                        let value = RubyValue::Class(Rc::clone(module));
                        self.invoke(&hook, module, &value, "included", Args::new(&args))?;
                    }
                }
                own()
            }
            "attr_reader" | "attr_accessor" | "attr_writer" => {
                for attribute in a.items {
                    let attribute = self.name_arg(attribute)?;
                    let ivar = ecow::eco_format!("@{attribute}");
                    if name != "attr_writer" {
                        this.methods
                            .borrow_mut()
                            .insert(attribute.clone(), Method::Reader(ivar.clone()));
                    }
                    if name != "attr_reader" {
                        this.methods
                            .borrow_mut()
                            .insert(ecow::eco_format!("{attribute}="), Method::Writer(ivar));
                    }
                }
                Ok(Some(RubyValue::Nil))
            }
            "define_method" => {
                let method = self.name_arg(&a.get(0))?;
                let block = match (a.block, a.get(1)) {
                    (Some(block), _) => Rc::clone(block),
                    (None, RubyValue::Proc(proc)) => proc,
                    _ => return self.argument_error("tried to create Proc object without a block"),
                };
                self.define(this, &method, Method::Proc(block));
                Ok(Some(RubyValue::Sym(method)))
            }
            "alias_method" => {
                let (new, old) = (self.name_arg(&a.get(0))?, self.name_arg(&a.get(1))?);
                self.alias(this, &new, &old, false);
                Ok(Some(RubyValue::Sym(new)))
            }
            "remove_method" | "undef_method" => {
                for method in a.items {
                    let method = self.name_arg(method)?;
                    this.methods.borrow_mut().insert(method, Method::Undefined);
                }
                own()
            }
            "private_class_method"
            | "private_constant"
            | "public_class_method"
            | "private"
            | "public"
            | "protected" => Ok(Some(RubyValue::Nil)),
            _ => Ok(None),
        }
    }

    fn instantiate(&mut self, class: &Rc<Class>, a: Args<'_>) -> Eval {
        if class.native == Native::Builtin {
            return self.new_builtin(class, a);
        }
        let data = if class.native == Native::Exception {
            Data::Raised { file: self.vm.file.clone(), line: 0 }
        } else {
            Data::None
        };
        let object = Rc::new(Object::new(Rc::clone(class), data));
        let value = RubyValue::Object(Rc::clone(&object));
        match class.find_method("initialize") {
            Some((method, owner)) => {
                self.invoke(&method, &owner, &value, "initialize", a)?;
            }
            None if class.native == Native::Exception => {
                if let Some(message) = a.items.first() {
                    object.set_ivar("@message", message.clone());
                }
            }
            None if class.native == Native::Struct => self.fill_struct(&object, a)?,
            None if !a.is_empty() => return self.wrong_arity(a.len(), "0"),
            None => (),
        }
        Ok(value)
    }

    fn fill_struct(&mut self, object: &Rc<Object>, a: Args<'_>) -> Eval<()> {
        let members = object.class.ivars.borrow().get("__members__").cloned();
        let Some(RubyValue::Array(members)) = members else { return Ok(()) };
        let members = members.items.borrow().clone();
        if a.len() > members.len() {
            return self.argument_error("struct size differs");
        }
        let by_keyword = object.class.ivars.borrow().contains_key("__keyword_init__");
        for (index, member) in members.iter().enumerate() {
            let name = member.as_name().unwrap_or_default();
            let value = if by_keyword { a.option(&name).unwrap_or_default() } else { a.get(index) };
            object.set_ivar(&ecow::eco_format!("@{name}"), value);
        }
        Ok(())
    }

    /// `String.new`, `Array.new(3) { … }`, `Hash.new { … }` and the like.
    fn new_builtin(&mut self, class: &Rc<Class>, a: Args<'_>) -> Eval {
        let name = class.name.borrow().clone();
        match name.as_str() {
            "Object" | "BasicObject" => {
                Ok(RubyValue::Object(Rc::new(Object::new(Rc::clone(class), Data::None))))
            }
            "String" => match a.items.first() {
                Some(RubyValue::Str(text)) => Ok(RubyValue::str(text.text.borrow().clone())),
                Some(RubyValue::Hash(_)) | None => Ok(RubyValue::str("")),
                Some(other) => self.no_conversion(other, "String"),
            },
            "Array" => match (a.get(0), a.block) {
                (RubyValue::Array(list), _) => Ok(RubyValue::array(list.items.borrow().clone())),
                (RubyValue::Nil, _) if a.is_empty() => Ok(RubyValue::array(Vec::new())),
                (n, block) => {
                    let n = self.usize_arg(&n, "negative array size")?;
                    self.charge(n.saturating_mul(24))?;
                    let mut items = Vec::new();
                    for index in 0..n {
                        items.push(match block {
                            Some(block) => self.yield1(block, &super::tools::int(index))?,
                            None => a.get(1),
                        });
                    }
                    Ok(RubyValue::array(items))
                }
            },
            "Hash" => {
                let map = Map::default();
                if let Some(block) = a.block {
                    map.default_proc.replace(Some(Rc::clone(block)));
                } else {
                    map.default.replace(a.get(0));
                }
                Ok(RubyValue::Hash(Rc::new(map)))
            }
            "Range" => self.make_range(a.get(0), a.get(1), a.get(2).truthy()),
            "Regexp" => match a.get(0) {
                regex @ RubyValue::Regexp(_) => Ok(regex),
                source => {
                    let source = self.text_arg(&source)?;
                    let bits = match a.get(1) {
                        RubyValue::Int(bits) => bits,
                        RubyValue::Nil | RubyValue::Bool(false) => 0,
                        _ => 1,
                    };
                    let options = kukla_regex::Options {
                        ignore_case: bits & 1 != 0,
                        extended: bits & 2 != 0,
                        multi_line: bits & 4 != 0,
                    };
                    self.make_regex(&source, options)
                }
            },
            "Proc" => {
                let block = self.need_block(&a, "Proc.new")?;
                Ok(RubyValue::Proc(Rc::clone(block)))
            }
            "Class" | "Module" => self.anonymous_class(name == "Module", a),
            "Struct" => self.new_struct(class, a),
            "Set" => {
                let items = if a.get(0).is_nil() { Vec::new() } else { self.items_of(&a.get(0))? };
                let mut mapped = Vec::new();
                for item in items {
                    mapped.push(match a.block {
                        Some(block) => self.yield1(block, &item)?,
                        None => item,
                    });
                }
                self.make_set(&mapped)
            }
            other => match self.library_new(class, other, a)? {
                Some(value) => Ok(value),
                None => self.unsupported(format!("{other}.new")),
            },
        }
    }

    fn anonymous_class(&mut self, is_module: bool, a: Args<'_>) -> Eval {
        let superclass = match a.get(0) {
            RubyValue::Class(class) => Some(class),
            _ if is_module => None,
            _ => Some(Rc::clone(&self.vm.top)),
        };
        let native = superclass.as_ref().map_or(Native::Object, |class| class.native);
        let class = Rc::new(Class { is_module, native, ..Class::new("", superclass) });
        let value = RubyValue::Class(Rc::clone(&class));
        if let Some(block) = a.block {
            self.call_in(
                block,
                &value,
                Some(class),
                Args::new(std::slice::from_ref(&value)),
                false,
            )?;
        }
        Ok(value)
    }

    fn new_struct(&mut self, struct_class: &Rc<Class>, a: Args<'_>) -> Eval {
        let mut names = Vec::new();
        for item in a.items {
            if let RubyValue::Sym(name) = item {
                names.push(name.clone());
            }
        }
        let class = Rc::new(Class {
            native: Native::Struct,
            ..Class::new("", Some(Rc::clone(struct_class)))
        });
        for name in &names {
            let ivar = ecow::eco_format!("@{name}");
            class.methods.borrow_mut().insert(name.clone(), Method::Reader(ivar.clone()));
            class.methods.borrow_mut().insert(ecow::eco_format!("{name}="), Method::Writer(ivar));
        }
        let members = RubyValue::array(names.into_iter().map(RubyValue::Sym).collect());
        class.ivars.borrow_mut().insert("__members__".into(), members);
        if a.option("keyword_init").is_some_and(|value| value.truthy()) {
            class.ivars.borrow_mut().insert("__keyword_init__".into(), RubyValue::Bool(true));
        }
        let value = RubyValue::Class(Rc::clone(&class));
        if let Some(block) = a.block {
            self.call_in(
                block,
                &value,
                Some(class),
                Args::new(std::slice::from_ref(&value)),
                false,
            )?;
        }
        Ok(value)
    }

    pub(crate) fn make_set(&mut self, items: &[RubyValue]) -> Eval {
        let entries: Entries =
            items.iter().map(|item| (Key::new(item), RubyValue::Bool(true))).collect();
        let class = self.class_named("Set");
        let data = Data::Set(RubyValue::hash(entries));
        Ok(RubyValue::Object(Rc::new(Object::new(class, data))))
    }
}
