//! Classes: `include`, `class { name: }`, and how their code is evaluated.

use std::sync::Arc;

use ecow::EcoString;
use kukla_base::Symbol;
use kukla_catalog::origins::OriginId;
use kukla_pcore::{Type, Value};
use kukla_syntax::ast::Form;
use smallvec::SmallVec;

use super::Compiler;
use super::declare::{Declaration, lower};
use super::definition::{Definition, DefinitionKind};
use super::resource::{Kind, Parameter, Resource, ResourceId, SourceId};
use crate::interpreter::scope::{Match, ScopeId};
use crate::issues::Issue;
use crate::{Eval, NODE, NameKind, PartKind, Stop, fault, issues};

/// The stack that the code of a class may need, and what is added when it is not there.
const RED_ZONE: usize = 256 << 10;
const STACK: usize = 2 << 20;

/// The classes of a call, and their resources: mostly one.
type Definitions = SmallVec<[Arc<Definition>; 2]>;
type ResourceIds = SmallVec<[ResourceId; 4]>;

impl Compiler {
    /// `class { name: parameters }`
    pub(super) fn declare_classes(
        &mut self,
        what: Declaration,
        made: &mut Option<Vec<Value>>,
    ) -> Eval<()> {
        let mut classes = Vec::with_capacity(what.titles.len());
        for title in what.titles {
            classes.push((self.find_class(&title)?, title));
        }
        for (class, title) in classes {
            let Some(class) = class else {
                let issue = issues::unknown_declared_class(&title);
                return fault(self.with_likely_classes(issue, &title));
            };
            let mut resource = self.class_resource(&class);
            resource.is_virtual = what.form != Form::Regular;
            resource.is_exported = what.form == Form::Exported;
            resource.is_by_function = what.is_by_function;
            (resource.at, resource.origin) = (what.at.clone(), what.origin);
            self.give_parameters(&mut resource, what.parameters.clone())?;
            let id = self.instantiate(&class, resource)?;
            self.evaluate_resource(id)?;
            if let Some(made) = made {
                made.push(Value::type_(Type::Class(Some(class.name.clone()))));
            }
        }
        Ok(())
    }

    fn class_resource(&self, class: &Arc<Definition>) -> Resource {
        let kind = Kind::Class(Some(Arc::clone(class)));
        let title = class.type_.as_str().into();
        self.new_resource(kind, self.catalog.names.class, title)
    }

    /// Puts the resource of a class or node into the catalog, and that of the inherited class before it.
    fn instantiate(&mut self, class: &Arc<Definition>, resource: Resource) -> Eval<ResourceId> {
        if let Some(parent) = &class.parent
            && self.catalog.find_class(parent).is_none()
            && let Some(parent) = self.parent_of(class)?
        {
            self.depth += 1;
            let result = match self.depth > self.limits.depth {
                // Here Puppet runs out of stack, and does not say where.
                true => Err(Stop::fault_at_line(issues::inherits_itself(&class.name), &class.at())),
                false => {
                    let origin = self.catalog.origins.expression(&class.program, class.id);
                    let ensure = || self.ensure_in_catalog(&parent, origin);
                    stacker::maybe_grow(RED_ZONE, STACK, ensure)
                }
            };
            self.depth -= 1;
            result?;
        }
        self.catalog.catalog_tags.merge(&resource.tags);
        self.add_resource(resource)
    }

    /// The class that a class inherits.
    fn parent_of(&mut self, class: &Definition) -> Eval<Option<Arc<Definition>>> {
        let Some(name) = &class.parent else { return Ok(None) };
        match self.find_class(name)? {
            Some(parent) => Ok(Some(parent)),
            None => {
                let issue = issues::unknown_parent_class(name, &self.catalog.environment);
                let issue = self.with_likely_classes(issue, name);
                Err(Stop::fault_at_line(issue, &class.at()))
            }
        }
    }

    /// The resource of a class, which is made if it is not there.
    fn ensure_in_catalog(&mut self, class: &Arc<Definition>, origin: OriginId) -> Eval<ResourceId> {
        if let Some(id) = self.catalog.find_class(&class.name) {
            return Ok(id);
        }
        let mut resource = self.class_resource(class);
        resource.source = self.catalog.add_source(class);
        resource.origin = origin;
        self.give_parameters(&mut resource, Vec::new())?;
        self.instantiate(class, resource)
    }

    /// `include`: classes by name, each of which is evaluated unless it was before.
    pub(crate) fn include(&mut self, names: &[EcoString], origin: OriginId) -> Eval<ResourceIds> {
        let classes = self.find_classes(names)?;
        let (mut known, new) = self.ensure_classes(&classes, origin)?;
        for &id in &new {
            self.evaluate_resource(id)?;
        }
        known.extend(new);
        Ok(known)
    }

    pub(super) fn find_classes(&mut self, names: &[EcoString]) -> Eval<Definitions> {
        let mut classes = Definitions::with_capacity(names.len());
        for name in names {
            match self.find_class(name)? {
                Some(class) => classes.push(class),
                None => {
                    let node = match self.catalog.node.as_str() {
                        "" => NODE,
                        node => node,
                    };
                    let issue = issues::unknown_class(name, node);
                    return fault(self.with_likely_classes(issue, name));
                }
            }
        }
        Ok(classes)
    }

    /// The resources of classes that were evaluated before, and of those that are new.
    pub(super) fn ensure_classes(
        &mut self,
        classes: &[Arc<Definition>],
        origin: OriginId,
    ) -> Eval<(ResourceIds, ResourceIds)> {
        let (mut known, mut new) = (ResourceIds::new(), ResourceIds::new());
        for class in classes {
            let scope = self.scopes.class_scope(class.symbol);
            match scope.and_then(|scope| self.catalog.scope_resource(scope)) {
                Some(id) => known.push(id),
                None => new.push(self.ensure_in_catalog(class, origin)?),
            }
        }
        Ok((known, new))
    }

    /// Classes that a node classifier names, with parameters.
    pub(super) fn ensure_class_with(
        &mut self,
        class: &Arc<Definition>,
        parameters: Vec<(Symbol, Value)>,
    ) -> Eval<ResourceId> {
        let mut resource = self.class_resource(class);
        let source = self.catalog.add_source(class);
        (resource.source, resource.origin) = (source, OriginId::CLASSIFIER);
        let parameters = parameters
            .into_iter()
            .map(|(name, value)| Parameter {
                name,
                value,
                source,
                origin: OriginId::CLASSIFIER,
                adds: false,
            })
            .collect();
        self.give_parameters(&mut resource, parameters)?;
        self.instantiate(class, resource)
    }

    /// Adds the classes whose names are most like an unknown one.
    #[cold]
    fn with_likely_classes(&self, issue: Issue, name: &str) -> Issue {
        let plain = name.strip_prefix("::").unwrap_or(name);
        let mut names = self.inputs.names(NameKind::Manifest);
        names.extend(self.catalog.definitions.class_names());
        issue.did_you_mean(plain, names.iter().map(String::as_str))
    }

    /// The scope of a class that was evaluated.
    pub(crate) fn class_scope(&self, name: &str) -> Option<ScopeId> {
        self.scopes.class_scope(Symbol::known(name)?)
    }

    /// Evaluates the code of a class, define or node, once.
    pub(crate) fn evaluate_resource(&mut self, id: ResourceId) -> Eval<()> {
        let resource = self.catalog.resource_mut(id);
        if resource.is_evaluated {
            return Ok(());
        }
        resource.is_evaluated = true;
        let Some(definition) = resource.definition().cloned() else { return Ok(()) };
        self.add_scope_tags(id);
        self.begin_call()?;
        self.begin_part(|| {
            let kind = match definition.kind {
                DefinitionKind::Class => PartKind::Class,
                DefinitionKind::Define => PartKind::Define,
                DefinitionKind::Node => PartKind::Node,
            };
            (kind, definition.name.to_string())
        });
        let result = stacker::maybe_grow(RED_ZONE, STACK, || self.evaluate_code(id, &definition));
        self.end_part();
        self.depth -= 1;
        result.map_err(|stop| stop.framed(|| self.frame(id)))
    }

    fn evaluate_code(&mut self, id: ResourceId, definition: &Arc<Definition>) -> Eval<()> {
        let parent = self.evaluate_parent(definition)?;
        let declared_in = self.catalog.resource(id).scope;
        let outer = parent.unwrap_or(declared_in);
        let is_node = definition.kind == DefinitionKind::Node;
        let layout = definition.program.layout(definition.id);
        let scope = self.scopes.add_named(outer, parent, layout, is_node);
        let source = self.catalog.add_source(definition);
        self.catalog.describe_scope(scope, outer, id, source);
        if definition.kind != DefinitionKind::Define {
            self.add_class(&definition.name);
        }
        let caller = self.scopes.enter_named(scope);
        let result = self.evaluate_in_scope(id, definition, scope, outer);
        self.scopes.leave(caller);
        match result.map_err(|stop| *stop) {
            Ok(()) => Ok(()),
            Err(Stop::Return(..) | Stop::Next(..)) if !is_node => Ok(()),
            Err(stop) => Err(Box::new(stop)),
        }
    }

    fn evaluate_in_scope(
        &mut self,
        id: ResourceId,
        definition: &Arc<Definition>,
        scope: ScopeId,
        outer: ScopeId,
    ) -> Eval<()> {
        let program = Arc::clone(&definition.program);
        self.set_names(id, definition, scope, outer)?;
        if definition.kind == DefinitionKind::Node {
            if let Some(pattern) = &definition.pattern {
                self.push_node_match(pattern);
            }
        } else {
            self.set_parameters(id, definition)?;
            if definition.kind == DefinitionKind::Class {
                self.add_edge_to_stage(id)?;
            }
        }
        match definition.body() {
            Some(body) => self.eval(&program, body).map(drop),
            None => Ok(()),
        }
    }

    fn push_node_match(&mut self, pattern: &kukla_pcore::regex::Regex) {
        let name = self.catalog.node.to_lowercase();
        if let Ok(Some(groups)) = pattern.spans(&name, 0) {
            self.scopes.push_match(Match { text: name, groups });
        }
    }

    /// Evaluates the class that a class inherits; its scope.
    fn evaluate_parent(&mut self, definition: &Definition) -> Eval<Option<ScopeId>> {
        let Some(parent) = self.parent_of(definition)? else { return Ok(None) };
        let Some(id) = self.catalog.find_class(&parent.name) else { return Ok(None) };
        self.evaluate_resource(id)?;
        match self.scopes.class_scope(parent.symbol) {
            Some(scope) => Ok(Some(scope)),
            None => fault(issues::unknown_parent_scope(&parent.name)),
        }
    }

    /// A class is evaluated: its name is one of the catalog's, and a tag of it.
    pub(crate) fn add_class(&mut self, name: &EcoString) {
        self.catalog.classes.push(name.clone());
        let mut tags = std::mem::take(&mut self.catalog.catalog_tags);
        let _ = self.catalog.tags.add(&mut tags, name);
        self.catalog.catalog_tags = tags;
    }

    /// `$module_name`, `$caller_module_name`, `$title` and `$name`; makes the scope known by the class's name.
    fn set_names(
        &mut self,
        id: ResourceId,
        definition: &Arc<Definition>,
        scope: ScopeId,
        outer: ScopeId,
    ) -> Eval<()> {
        let names = &self.catalog.names;
        let (module_name, caller_module_name) = (names.module_name, names.caller_module_name);
        let (title_name, name_name) = (names.title, names.name);
        let resource = self.catalog.resource(id);
        let module = match resource.get(module_name) {
            Some(value) if !value.is_undef() => value.clone(),
            _ => Value::String(definition.module.clone()),
        };
        let caller = match resource.get(caller_module_name) {
            Some(value) if !value.is_undef() => Some(value.clone()),
            _ => {
                let source = self.catalog.scope_source(outer);
                let caller = match self.catalog.source(source) {
                    Some(caller) => Some(caller.module.clone()),
                    None => Some(EcoString::new()).filter(|_| source == SourceId::MAIN),
                };
                caller.map(Value::String)
            }
        };
        let (title, name) = match definition.kind {
            DefinitionKind::Class => {
                let name = resource.get(name_name).cloned();
                let title = Value::String(lower(&resource.title));
                let name =
                    name.map(|name| Value::String(lower(&crate::interpreter::text::of(&name))));
                (title.clone(), name.unwrap_or(title))
            }
            _ => {
                let title = Value::String(resource.title.clone());
                let name = resource.get(name_name).filter(|name| !name.is_undef());
                (title.clone(), name.cloned().unwrap_or(title))
            }
        };
        self.scopes.set_named(scope, module_name, module);
        if let Some(caller) = caller {
            self.scopes.set_named(scope, caller_module_name, caller);
        }
        if definition.kind == DefinitionKind::Class {
            self.look_up_parameters(id, definition)?;
        }
        self.scopes.set_named(scope, title_name, title);
        self.scopes.set_named(scope, name_name, name);
        if definition.kind != DefinitionKind::Define {
            self.scopes.set_class(definition.symbol, scope);
        }
        Ok(())
    }

    /// A class belongs to its stage.
    pub(super) fn add_edge_to_stage(&mut self, id: ResourceId) -> Eval<()> {
        let stage_name = self.catalog.names.stage;
        let stage_type = self.catalog.names.stage_type;
        let resource = self.catalog.resource(id);
        let own = resource.get(stage_name).filter(|value| value.is_truthy()).cloned();
        let outer = || {
            let around = self.catalog.scope_resource(resource.scope)?;
            let stage = self.catalog.resource(around).get(stage_name)?;
            Some((stage.clone(), around)).filter(|(stage, _)| stage.is_truthy())
        };
        let outer = if own.is_none() { outer() } else { None };
        let wanted = own.clone().or_else(|| outer.as_ref().map(|(stage, _)| stage.clone()));
        let title = match &wanted {
            Some(value) => crate::interpreter::text::of(value),
            None => "main".into(),
        };
        let Some(stage) = self.catalog.of_title(stage_type, &title) else {
            let name = resource.reference();
            let shown =
                own.map_or_else(|| "main".into(), |value| crate::interpreter::text::of(&value));
            return fault(issues::unknown_stage(&shown, &name));
        };
        let title = self.catalog.resource(stage).title.clone();
        if own.is_none() && title != "main" {
            let inherit = |(_, around)| self.catalog.origins.inherited(around);
            let origin = outer.map_or(OriginId::COMPILER, inherit);
            self.catalog.resource_mut(id).set(stage_name, Value::String(title), origin);
        }
        let origin = self.catalog.resource(id).origin;
        self.catalog.add_edge(stage, id, origin);
        Ok(())
    }

    /// A resource has the tags of what it was declared in.
    pub(super) fn add_scope_tags(&mut self, id: ResourceId) {
        let resource = self.catalog.resource_mut(id);
        if std::mem::replace(&mut resource.has_scope_tags, true) {
            return;
        }
        let scope = resource.scope;
        if let Some(around) = self.catalog.scope_resource(scope) {
            self.catalog.merge_tags(around, id);
        }
    }
}
