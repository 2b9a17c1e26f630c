//! Methods of types and modules: the vocabulary of Puppet's declarations.

use std::rc::Rc;

use super::model::{Draft, Module, ModuleId};
use super::value::{Closure, Frame, Value};
use super::{Eval, Jump, Reader};
use kukla_catalog::types::AppliesTo;

/// Methods that a type may call without declaring an attribute.
#[rustfmt::skip]
const HARMLESS: &[&str] = &[
    "desc", "doc", "doc=", "validate", "autorequire", "autobefore", "autonotify", "autosubscribe", "feature", "features", "feature?",
    "attr", "attr_reader", "attr_writer", "attr_accessor", "private", "public", "protected", "private_class_method",
    "public_class_method", "private_constant", "module_function", "undef_method", "remove_method", "remove_const",
    "mk_resource_methods", "puts", "print", "p", "warn", "debug", "info", "notice", "warning", "err", "raise", "using", "autoload",
    "deprecation_warning", "provider", "providers", "defaultprovider", "suitable_provider", "initvars", "name", "to_s", "inspect",
    "validattr?", "validproperty?", "validparameter?", "valid_parameter?", "validproperties", "properties", "parameters",
    "metaparams", "key_attributes", "attrclass", "attrtype", "allattrs", "paramclass", "propertybyname", "respond_to?", "is_a?",
    "method_defined?", "instance_method", "instance_methods", "const_defined?", "class", "hash", "object_id", "instances",
    "binding", "caller", "format", "sprintf", "rand", "sleep", "gem", "_", "n_", "confine", "commands", "has_feature", "defaultfor",
    "instance_variable_get", "instance_variable_defined?", "eachmetaparam", "isomorphic?", "title_patterns", "self_refresh",
    "self_refresh=", "uniqueness_key", "method", "apply_to", "can_apply_to", "singleton_class", "ancestors", "superclass", "new",
    "refreshable?", "block_given?", "lambda?", "at_exit", "srand", "trap", "set_trace_func", "catch", "throw", "exit", "abort",
];

impl Reader<'_> {
    pub(super) fn send_module(
        &mut self,
        id: ModuleId,
        name: &Rc<str>,
        args: &[Value],
        block: Option<Rc<Closure>>,
        line: u32,
        frame: &Frame,
    ) -> Eval {
        if let Some(value) = self.call_method(id, name, 0, args.to_vec(), block.clone())? {
            return Ok(value);
        }
        let path = Rc::clone(&self.modules[id.0].path);
        if let Some(value) = self.send_const(&path, name, args, block.as_ref(), line, frame)? {
            return Ok(value);
        }
        self.declare(id, name, args, block, line, frame)
    }

    /// Calls a method that Puppet or Ruby defines for a type or module.
    pub(super) fn declare(
        &mut self,
        id: ModuleId,
        name: &Rc<str>,
        args: &[Value],
        block: Option<Rc<Closure>>,
        line: u32,
        frame: &Frame,
    ) -> Eval {
        let is_type = self.draft(id).is_some();
        match &**name {
            "include" | "prepend" => self.include(id, args, line, frame)?,
            "extend" => self.extend(id, args, line, frame)?,
            "const_get" => return Ok(self.const_get(id, args)),
            "const_set" => self.const_set(id, args),
            "define_singleton_method" => self.define_method(id, args, block, true),
            "define_method" => self.define_method(id, args, block, false),
            "alias_method" => {}
            "instance_variable_set" => self.set_variable_of(id, args),
            "newparam" if is_type => return self.attribute(id, false, args, block, line, frame),
            "newproperty" | "newstate" if is_type => {
                return self.attribute(id, true, args, block, line, frame);
            }
            "ensurable" if is_type => {
                let args = [Value::Sym("ensure".into())];
                return self.attribute(id, true, &args, block, line, frame);
            }
            "apply_to_device" => self.apply_to(id, AppliesTo::Device),
            "apply_to_host" => self.apply_to(id, AppliesTo::Host),
            "apply_to_all" => self.apply_to(id, AppliesTo::Both),
            "provide" | "providify" if is_type => {
                if let Some(draft) = &mut self.module(id).draft {
                    draft.has_provider = true;
                }
            }
            "title_patterns" if is_type => return Ok(self.default_patterns(id)),
            "name" if is_type => {
                let name = self.draft(id).map(|draft| Rc::clone(&draft.name));
                return Ok(name.map_or(Value::Unknown, Value::Sym));
            }
            word if is_type && !HARMLESS.contains(&word) && !word.ends_with('?') => {
                self.report(frame, line, format!("it calls `{word}`, which is not known here"));
            }
            _ => {}
        }
        Ok(Value::Unknown)
    }

    fn apply_to(&mut self, id: ModuleId, applies_to: AppliesTo) {
        if let Some(draft) = &mut self.module(id).draft {
            draft.applies_to = applies_to;
        }
    }

    /// Declares an attribute: `newparam` and `newproperty`.
    pub(super) fn attribute(
        &mut self,
        id: ModuleId,
        is_property: bool,
        args: &[Value],
        block: Option<Rc<Closure>>,
        line: u32,
        frame: &Frame,
    ) -> Eval {
        let Some(name) = args.first().and_then(Value::text) else {
            self.report(frame, line, "it declares an attribute whose name is not known".to_owned());
            return Ok(Value::Unknown);
        };
        let name: Rc<str> = name.to_lowercase().into();
        let options = args.get(1);
        let is_namevar = options.and_then(|options| options.at("namevar")).and_then(Value::truth);
        if let Some(draft) = &mut self.module(id).draft
            && !draft.add(&name, is_property)
        {
            self.report(frame, line, format!("it declares `{name}` twice"));
        }
        if is_namevar == Some(true) && !is_property {
            self.mark_namevar(id, &name);
        }
        // A property is never a key, whatever its block says.
        let this = match is_property {
            true => Value::Attribute(ModuleId(0), Rc::clone(&name)),
            false => Value::Attribute(id, Rc::clone(&name)),
        };
        if let Some(block) = block {
            match self.call_block(&block, vec![this.clone()], Some(this.clone())) {
                Err(Jump::Stop) => return Err(Jump::Stop),
                Err(Jump::Raise) => return Err(Jump::Raise),
                _ => {}
            }
        }
        Ok(this)
    }

    pub(super) fn mark_namevar(&mut self, id: ModuleId, attribute: &Rc<str>) {
        let Some(draft) = &mut self.module(id).draft else { return };
        for (name, is_namevar) in &mut draft.parameters {
            *is_namevar |= name == attribute;
        }
    }

    /// Declares a type: `Puppet::Type.newtype`.
    pub(super) fn new_type(
        &mut self,
        args: &[Value],
        block: Option<&Rc<Closure>>,
        line: u32,
        frame: &Frame,
    ) -> Eval {
        let Some(name) = args.first().and_then(Value::text) else {
            self.report(frame, line, "it declares a type whose name is not known".to_owned());
            return Ok(Value::Unknown);
        };
        let name: Rc<str> = name.to_lowercase().into();
        let draft = Some(Draft { name: Rc::clone(&name), line, ..Draft::default() });
        let id = self.add_module(Module { path: name, draft, ..Module::default() });
        if let Some(block) = block {
            self.call_block(block, vec![Value::Module(id)], Some(Value::Module(id)))?;
        }
        Ok(Value::Module(id))
    }
}

impl Draft {
    /// Adds an attribute; returns false if the type has one of this name.
    fn add(&mut self, name: &Rc<str>, is_property: bool) -> bool {
        if is_property {
            let is_new = !self.properties.contains(name);
            if is_new && &**name == "ensure" {
                self.properties.insert(0, Rc::clone(name));
            } else if is_new {
                self.properties.push(Rc::clone(name));
            }
            is_new
        } else {
            let is_new = !self.parameters.iter().any(|(parameter, _)| parameter == name);
            if is_new {
                self.parameters.push((Rc::clone(name), false));
            }
            is_new
        }
    }
}
