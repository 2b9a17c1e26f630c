//! `Object` and `Kernel`: methods that every value has.

use std::rc::Rc;

use kukla_base::Symbol;

use super::tools::int;
use crate::class::{Data, Object};
use crate::run::{Args, Eval, Run};
use crate::show;
use crate::value::{List, Map, Proc, ProcBody, RubyValue};

impl Run<'_> {
    #[expect(clippy::too_many_lines, reason = "a table of names")]
    pub(crate) fn object_method(
        &mut self,
        this: &RubyValue,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        Ok(Some(match name {
            "nil?" => RubyValue::Bool(false),
            "!" => RubyValue::Bool(!this.truthy()),
            "!=" => RubyValue::Bool(!self.call(this, "==", a.items)?.truthy()),
            "==" => RubyValue::Bool(self.equal(this, &a.get(0))?),
            "===" => RubyValue::Bool(self.equal(this, &a.get(0))?),
            "equal?" => RubyValue::Bool(this.is_same(&a.get(0))),
            "eql?" => RubyValue::Bool(crate::value::eql(this, &a.get(0))),
            "=~" => RubyValue::Nil,
            "!~" => RubyValue::Bool(!self.call(this, "=~", a.items)?.truthy()),
            "<=>" => {
                if self.equal(this, &a.get(0))? {
                    RubyValue::Int(0)
                } else {
                    RubyValue::Nil
                }
            }
            "is_a?" | "kind_of?" | "instance_of?" => {
                let RubyValue::Class(class) = a.get(0) else {
                    return self.type_error("class or module required");
                };
                let own = self.class_of(this);
                RubyValue::Bool(match name {
                    "instance_of?" => Rc::ptr_eq(&own, &class),
                    _ => self.is_kind_of(this, &class),
                })
            }
            "class" => RubyValue::Class(self.class_of(this)),
            "singleton_class" => return self.unsupported("singleton classes"),
            "to_s" => RubyValue::str(match this {
                RubyValue::Object(object) => format!("#<{}>", object.class.name.borrow()),
                other => show::to_s(other),
            }),
            "inspect" => RubyValue::str(match this {
                RubyValue::Object(object) => self.inspect_object(object)?,
                other => show::inspect(other),
            }),
            "respond_to?" => {
                let asked = self.name_arg(&a.get(0))?;
                RubyValue::Bool(self.responds(this, &asked, a.get(1).truthy()))
            }
            "send" | "public_send" | "__send__" => {
                self.arity(a, 1, usize::MAX)?;
                let asked = self.name_arg(&a.items[0])?;
                let args = Args { items: &a.items[1..], ..a };
                self.call_function_on(this, &asked, args)?
            }
            "method" => {
                let asked = self.name_arg(&a.get(0))?;
                if !self.responds(this, &asked, true) {
                    let class = show::class_name(this);
                    return self.raise(
                        "NameError",
                        format!("undefined method `{asked}' for class `#<Class:{class}>'"),
                    );
                }
                RubyValue::Proc(Rc::new(Proc {
                    body: ProcBody::Method(this.clone(), asked),
                    is_lambda: true,
                }))
            }
            "tap" => {
                let block = self.need_block(&a, name)?;
                self.yield1(block, this)?;
                this.clone()
            }
            "then" | "yield_self" => {
                let block = self.need_block(&a, name)?;
                self.yield1(block, this)?
            }
            "itself" => this.clone(),
            "dup" | "clone" => self.copied(this, name == "clone", a)?,
            "freeze" => this.clone(),
            "frozen?" => RubyValue::Bool(!matches!(
                this,
                RubyValue::Object(_) | RubyValue::Class(_) | RubyValue::Proc(_)
            )),
            "hash" | "object_id" | "__id__" => int(this.address().unwrap_or(8) & 0xffff_ffff),
            "instance_variable_get" => {
                let asked = self.name_arg(&a.get(0))?;
                match this {
                    RubyValue::Object(object) => {
                        let variable = asked.trim_start_matches('@');
                        let known = object.ivars.borrow().get(&asked).cloned();
                        let fetched = || object.fetched(Symbol::known(variable)?);
                        match known.or_else(fetched) {
                            Some(value) => value,
                            None if object.is_template() => {
                                let found = self.host.instance_variable(variable);
                                found
                                    .map_or(RubyValue::Nil, |value| crate::convert::to_ruby(&value))
                            }
                            None => RubyValue::Nil,
                        }
                    }
                    RubyValue::Class(class) => {
                        class.ivars.borrow().get(&asked).cloned().unwrap_or_default()
                    }
                    _ => RubyValue::Nil,
                }
            }
            "instance_variable_set" => {
                let asked = self.name_arg(&a.get(0))?;
                match this {
                    RubyValue::Object(object) => object.set_ivar(&asked, a.get(1)),
                    RubyValue::Class(class) => {
                        class.ivars.borrow_mut().insert(asked, a.get(1));
                    }
                    other => return self.frozen(other),
                }
                a.get(1)
            }
            "instance_variable_defined?" | "instance_variables" => {
                let RubyValue::Object(object) = this else { return Ok(None) };
                if object.is_template() {
                    let asked = a.get(0).as_name().unwrap_or_default();
                    if name == "instance_variables" {
                        return Ok(Some(self.template_variables(object)));
                    }
                    return Ok(Some(RubyValue::Bool(
                        self.host.instance_variable(asked.trim_start_matches('@')).is_some(),
                    )));
                }
                let ivars = object.ivars.borrow();
                match name {
                    "instance_variables" => RubyValue::array(
                        ivars.keys().map(|name| RubyValue::Sym(name.clone())).collect(),
                    ),
                    _ => RubyValue::Bool(
                        a.get(0).as_name().is_some_and(|asked| ivars.contains_key(&asked)),
                    ),
                }
            }
            "instance_eval" | "instance_exec" => {
                let block = self.need_block(&a, name)?;
                let args =
                    if name == "instance_eval" { std::slice::from_ref(this) } else { a.items };
                self.call_with_self(block, this, Args::new(args))?
            }
            "extend" => {
                for module in a.items {
                    let RubyValue::Class(module) = module else {
                        return self.type_error("wrong argument type (expected module)");
                    };
                    match this {
                        RubyValue::Object(object) => {
                            object.extends.borrow_mut().push(Rc::clone(module))
                        }
                        RubyValue::Class(class) => {
                            class.extends.borrow_mut().push(Rc::clone(module))
                        }
                        _ => return self.unsupported("extend"),
                    }
                }
                this.clone()
            }
            "to_json" => RubyValue::str(self.to_json(this, false)?),
            "to_yaml" | "to_pson" if name == "to_yaml" => RubyValue::str(self.to_yaml(this, a)?),
            "display"
            | "instance_variable_names"
            | "methods"
            | "public_methods"
            | "singleton_methods"
            | "define_singleton_method"
            | "enum_for"
            | "to_enum"
            | "to_pson" => {
                return self.unsupported(format!("method Object#{name}"));
            }
            _ => return Ok(None),
        }))
    }

    pub(crate) fn is_kind_of(
        &mut self,
        value: &RubyValue,
        class: &Rc<crate::class::Class>,
    ) -> bool {
        if let RubyValue::Object(object) = value
            && object.extends.borrow().iter().any(|module| Rc::ptr_eq(module, class))
        {
            return true;
        }
        self.class_of(value).descends_from(class)
    }

    fn inspect_object(&mut self, object: &Rc<Object>) -> Eval<String> {
        let class = object.class.name.borrow().clone();
        let mut shown = Vec::new();
        let ivars: Vec<_> = object
            .ivars
            .borrow()
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        for (name, value) in ivars {
            shown.push(format!("{name}={}", self.inspect(&value)?));
        }
        if shown.is_empty() {
            Ok(format!("#<{class}>"))
        } else {
            Ok(format!("#<{class} {}>", shown.join(", ")))
        }
    }

    fn copied(&mut self, this: &RubyValue, keeps_frozen: bool, a: Args<'_>) -> Eval {
        let keeps_frozen = keeps_frozen && a.option("freeze").is_none_or(|value| value.truthy());
        Ok(match this {
            RubyValue::Str(text) => {
                let copy = text.text.borrow().clone();
                if keeps_frozen && text.frozen.get() {
                    RubyValue::frozen_str(copy)
                } else {
                    RubyValue::str(copy)
                }
            }
            RubyValue::Array(list) => {
                let items = list.items.borrow().clone();
                self.charge(items.len() * 24)?;
                let frozen = (keeps_frozen && list.frozen.get()).into();
                RubyValue::Array(Rc::new(List { items: items.into(), frozen }))
            }
            RubyValue::Hash(map) => {
                self.charge(map.entries.borrow().len() * 64)?;
                RubyValue::Hash(Rc::new(Map {
                    entries: map.entries.clone(),
                    default: map.default.clone(),
                    default_proc: map.default_proc.clone(),
                    frozen: (keeps_frozen && map.frozen.get()).into(),
                }))
            }
            RubyValue::Object(object) => {
                let data = object.data.borrow().copied();
                let Some(data) = data else { return self.unsupported("copy of an object") };
                let copy = Rc::new(Object::new(Rc::clone(&object.class), data));
                let ivars = object.ivars.borrow().clone();
                copy.ivars.replace(ivars);
                RubyValue::Object(copy)
            }
            other => other.clone(),
        })
    }
}

impl Data {
    fn copied(&self) -> Option<Self> {
        Some(match self {
            Self::None => Self::None,
            Self::Raised { file, line } => Self::Raised { file: file.clone(), line: *line },
            Self::Set(RubyValue::Hash(map)) => {
                let entries = map.entries.borrow().clone();
                Self::Set(RubyValue::hash(entries))
            }
            Self::Time { seconds, nanoseconds, offset, utc } => Self::Time {
                seconds: *seconds,
                nanoseconds: *nanoseconds,
                offset: *offset,
                utc: *utc,
            },
            Self::Ip(ip) => Self::Ip(ip.clone()),
            Self::Uri(uri) => Self::Uri(uri.clone()),
            Self::Enumerator(recv, name, args) => {
                Self::Enumerator(recv.clone(), name.clone(), args.clone())
            }
            _ => return None,
        })
    }
}
