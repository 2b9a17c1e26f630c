//! `type { title: attribute => value }`

use std::sync::Arc;

use ecow::EcoString;
use kukla_base::Symbol;
use kukla_base::cancel::walk;
use kukla_catalog::origins::OriginId;
use kukla_pcore::types::{ResourceType as Reference, capitalize_segments};
use kukla_pcore::{Type, Value, types};
use kukla_syntax::ast::{Expr, ExprId, ExprList, Form};
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use super::Compiler;
use super::definition::Definition;
use super::reference;
use super::resource::{Kind, Parameter, Parameters, Resource, ResourceId, SourceId};
use super::shared_arrays::own_array;
use super::state::{AddError, flatten};
use super::tags::TagSet;
use crate::interpreter::scope::ScopeId;
use crate::library::ResourceType;
use crate::log::Level;
use crate::place::At;
use crate::program::NodeInfo;
use crate::{Eval, Program, Stop, fault, issues};

/// A type of resources that a declaration names.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    Native(Arc<ResourceType>),
    Define(Arc<Definition>),
}

/// A declaration, before it becomes resources.
#[derive(Debug)]
pub(crate) struct Declaration {
    /// In lower case.
    pub(crate) type_name: EcoString,
    pub(crate) titles: Titles,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) form: Form,
    pub(crate) at: At,
    /// The body or call that declares it.
    pub(crate) origin: OriginId,
    /// Whether a function declares it.
    pub(crate) is_by_function: bool,
    /// Whether the title is no text.
    pub(crate) has_odd_title: bool,
}

/// Titles of a declaration: mostly one.
pub(crate) type Titles = SmallVec<[EcoString; 1]>;

struct Body {
    id: ExprId,
    titles: Titles,
    is_default: bool,
    parameters: Vec<Parameter>,
}

/// The titles of a declaration: most have few, which need no table.
#[derive(Default)]
struct Seen {
    n_titles: usize,
    many: FxHashSet<EcoString>,
}

impl Seen {
    const FEW: usize = 16;

    /// Whether a title does not stand in these bodies yet, nor among these titles.
    fn is_new(&mut self, title: &EcoString, bodies: &[Body], titles: &[EcoString]) -> bool {
        let before = bodies.iter().flat_map(|body| &body.titles).chain(titles);
        self.n_titles += 1;
        if self.n_titles <= Self::FEW {
            return !before.into_iter().any(|known| known == title);
        }
        if self.many.is_empty() {
            self.many = before.cloned().collect();
        }
        self.many.insert(title.clone())
    }
}

impl Compiler {
    /// `type { bodies }`; its value, if it is used, is a list of references.
    pub(crate) fn resource_expression(
        &mut self,
        program: &Program,
        id: ExprId,
        type_name: ExprId,
        form: Form,
        bodies: ExprList,
    ) -> Eval<Value> {
        let type_name = self.declared_type(program, type_name)?;
        if form == Form::Exported && !self.catalog.storeconfigs() {
            let place = program.place(id);
            let message = "You cannot collect exported resources without storeconfigs being set; \
                           the export is ignored";
            self.say(Level::Warning, message.to_owned(), Some(&place));
        }
        let bodies = self.bodies(program, id, bodies)?;
        let defaults =
            bodies.iter().find(|body| body.is_default).map(|body| body.parameters.clone());
        let has_value = !matches!(program.node_info(id), NodeInfo::Statement);
        let mut made = has_value.then(Vec::new);
        for body in bodies {
            let parameters = match &defaults {
                Some(defaults) => merge(defaults, body.parameters),
                None => body.parameters,
            };
            let titles = body.titles;
            let (type_name, at) = (type_name.clone(), at(program, id));
            let origin = self.catalog.origins.expression(program, body.id);
            self.declare(
                Declaration {
                    type_name,
                    titles,
                    parameters,
                    form,
                    at,
                    origin,
                    is_by_function: false,
                    has_odd_title: false,
                },
                &mut made,
            )?;
        }
        Ok(made.map_or(Value::Undef, Value::array))
    }

    /// Returns the type that a declaration names, in lower case.
    fn declared_type(&mut self, program: &Program, at: ExprId) -> Eval<EcoString> {
        let ast = program.ast();
        if let (Expr::QualifiedName(_), Some(Value::String(name))) = (ast[at], program.constant(at))
        {
            // The parser takes names in lower case only.
            return Ok(name.clone());
        }
        let is_reference = |id: ExprId| matches!(ast[id], Expr::QualifiedReference(_));
        let is_acceptable = match ast[at] {
            Expr::Access { left, .. } => is_reference(left),
            _ => is_reference(at),
        };
        let value = self.eval(program, at)?;
        let refuse = |actual: &str| issues::at(program, at, issues::illegal_resource_type(&actual));
        if let (Value::Type(type_), true) = (&value, is_acceptable) {
            match &**type_ {
                Type::Class(None) => return Ok("class".into()),
                Type::Class(Some(_)) => return refuse(&type_.to_string()),
                Type::Resource(resource) => match reference::untitled(type_) {
                    Some(name) => return Ok(lower(name)),
                    None if resource.title.is_some() => return refuse(&type_.to_string()),
                    None => (),
                },
                _ => (),
            }
        }
        refuse(&types::infer(&value).generalize().to_string())
    }

    fn bodies(
        &mut self,
        program: &Program,
        id: ExprId,
        bodies: ExprList,
    ) -> Eval<SmallVec<[Body; 1]>> {
        let ast = program.ast();
        let mut list: SmallVec<[Body; 1]> = SmallVec::with_capacity(bodies.len());
        let mut seen = Seen::default();
        let mut has_default = false;
        for &body in ast.list(bodies) {
            let Expr::ResourceBody { title, operations } = ast[body] else { continue };
            let value = self.eval(program, title)?;
            if value.is_undef() {
                return issues::at(program, title, issues::undef_title());
            }
            let mut titles = Titles::new();
            let mut is_default = false;
            for (index, value) in flatten_with_undef(value).into_iter().enumerate() {
                match value {
                    Value::String(text) if text.is_empty() => {
                        return issues::at(program, title, issues::empty_title(index));
                    }
                    Value::String(text) => {
                        if !seen.is_new(&text, &list, &titles) {
                            return duplicate_title(program, id, &text);
                        }
                        titles.push(text);
                    }
                    Value::Default if has_default => {
                        return duplicate_title(program, id, "default");
                    }
                    Value::Default => (is_default, has_default) = (true, true),
                    Value::Undef => {
                        return issues::at(program, title, issues::undef_title_at(index));
                    }
                    other => {
                        let actual = types::infer(&other).generalize();
                        return issues::at(
                            program,
                            title,
                            issues::title_type(index, &actual.text()),
                        );
                    }
                }
            }
            let parameters = self.operations(program, operations)?;
            if let Some(name) = repeated(&parameters) {
                return issues::at(
                    program,
                    id,
                    issues::duplicate_attribute(self.scopes.strangers.text(name)),
                );
            }
            list.push(Body { id: body, titles, is_default, parameters });
        }
        Ok(list)
    }

    /// `attribute => value, * => hash`
    pub(crate) fn operations(
        &mut self,
        program: &Program,
        operations: ExprList,
    ) -> Eval<Vec<Parameter>> {
        let ast = program.ast();
        let source = self.catalog.scope_source(self.scopes.current);
        let base = self.catalog.origins.base(program);
        // Arrows may add `before` and `notify`.
        let mut parameters = Vec::with_capacity(operations.len() + 2);
        for &operation in ast.list(operations) {
            match ast[operation] {
                Expr::AttributeOperation { value, append, .. } => {
                    let value = self.eval(program, value)?;
                    let name = program.name(operation);
                    let value = self.parameter_value(name.as_str(), value);
                    let value = value.map_err(|stop| issues::locate(stop, program, operation))?;
                    let origin = base.expression(operation);
                    parameters.push(Parameter { name, value, source, origin, adds: append });
                }
                Expr::AttributesOperation(expr) => {
                    let value = self.eval(program, expr)?;
                    let Value::Hash(hash) = value else {
                        let actual = types::infer(&value).generalize();
                        return issues::at(program, expr, issues::attributes_not_hash(&actual));
                    };
                    for (key, value) in hash.iter() {
                        let text = crate::interpreter::text::of(key);
                        let name = self.scopes.strangers.symbol(&text);
                        let value = self.parameter_value(&text, value.clone());
                        let value =
                            value.map_err(|stop| issues::locate(stop, program, operation))?;
                        let origin = base.expression(operation);
                        parameters.push(Parameter { name, value, source, origin, adds: false });
                    }
                }
                _ => (),
            }
        }
        Ok(parameters)
    }

    /// The value of a parameter as catalogs have it.
    pub(crate) fn parameter_value(&self, name: &str, value: Value) -> Eval<Value> {
        Ok(own_array(name, self.catalog_value(value)?))
    }

    /// Makes the resources of a declaration, and adds references to them.
    pub(crate) fn declare(&mut self, what: Declaration, made: &mut Option<Vec<Value>>) -> Eval<()> {
        if what.type_name == "class" {
            return self.declare_classes(what, made);
        }
        let found = self.find_resource_type(&what.type_name)?;
        self.read_parameter_types()?;
        let Some(found) = found else {
            let name = &what.type_name;
            return fault(self.with_likely_types(issues::unknown_resource_type(name), name));
        };
        let type_ = found.symbol();
        let mut titles = what.titles.into_iter().peekable();
        let mut parameters = Some(what.parameters);
        while let Some(title) = titles.next() {
            // The last one takes them.
            let parameters = match titles.peek() {
                Some(_) => parameters.clone(),
                None => parameters.take(),
            };
            let mut resource = self.new_resource(found.kind(), type_, title.clone());
            resource.is_virtual = what.form != Form::Regular;
            resource.is_exported = what.form == Form::Exported;
            resource.is_by_function = what.is_by_function;
            resource.has_odd_title = what.has_odd_title;
            resource.at = what.at.clone();
            resource.origin = what.origin;
            self.give_parameters(&mut resource, parameters.unwrap_or_default())?;
            self.add_resource(resource)?;
            if let Some(made) = made {
                made.push(Value::type_(reference::resource(type_.as_str(), title)));
            }
        }
        Ok(())
    }

    /// A resource that is declared here.
    pub(crate) fn new_resource(&self, kind: Kind, type_: Symbol, title: EcoString) -> Resource {
        let scope = self.scopes.current;
        Resource {
            kind,
            type_,
            title,
            has_odd_title: false,
            parameters: Parameters::new(),
            tags: TagSet::default(),
            at: At::default(),
            origin: OriginId::COMPILER,
            is_virtual: false,
            is_exported: false,
            is_by_function: false,
            is_evaluated: false,
            has_scope_tags: false,
            n_scope_tags: 0,
            is_finished: false,
            is_checked: false,
            scope,
            source: self.catalog.scope_source(scope),
            sensitive: Vec::new(),
            contains: Vec::new(),
            contained_in: SmallVec::new(),
        }
    }

    /// Gives a new resource its parameters, its tags and the defaults of its scope.
    pub(crate) fn give_parameters(
        &mut self,
        resource: &mut Resource,
        parameters: Vec<Parameter>,
    ) -> Eval<()> {
        let tag_name = self.catalog.names.tag;
        if let Some(name) = repeated(&parameters) {
            let issue = issues::duplicate_parameter(
                self.scopes.strangers.text(name),
                &resource.reference(),
            );
            return Err(Stop::fault_at_line(issue, &resource.at));
        }
        if let Some(tag) = parameters.iter().find(|parameter| parameter.name == tag_name) {
            self.add_tags(resource, &tag.value)?;
        }
        resource.parameters = parameters;
        let tags = &mut self.catalog.tags;
        tags.add_type(&mut resource.tags, resource.type_);
        if !resource.has_odd_title {
            tags.add_if_valid(&mut resource.tags, &resource.title);
        }
        self.add_resource_defaults(resource)?;
        self.name_strangers(resource);
        Ok(())
    }

    /// Gives parameters whose names come from data the symbols that the resource's type has brought.
    fn name_strangers(&self, resource: &mut Resource) {
        if self.scopes.strangers.is_empty() {
            return;
        }
        for parameter in &mut resource.parameters {
            parameter.name = self.parameter_symbol(&resource.kind, parameter.name);
        }
    }

    /// Returns the symbol of a parameter of a resource; a name that its type does not accept keeps its stand-in, and is
    /// refused when the resource is finished.
    pub(super) fn parameter_symbol(&self, kind: &Kind, name: Symbol) -> Symbol {
        let Some(text) = self.scopes.strangers.name(name) else { return name };
        match kind {
            Kind::Native(type_) if type_.is_valid_parameter(text) => Symbol::new(text),
            _ => Symbol::known(text).unwrap_or(name),
        }
    }

    fn add_resource_defaults(&mut self, resource: &mut Resource) -> Eval<()> {
        if !self.catalog.has_defaults(resource.type_) {
            return Ok(());
        }
        let tag_name = self.catalog.names.tag;
        let mut tags = None;
        for default in self.defaults_of(resource.scope, resource.type_) {
            if resource.parameter(default.name).is_none() {
                if default.name == tag_name {
                    tags = Some(default.value.clone());
                }
                resource.parameters.push(default.clone());
            }
        }
        tags.map_or(Ok(()), |tags| self.add_tags(resource, &tags))
    }

    /// The defaults of a type that hold in a scope: those of outer scopes first, with the values of inner ones.
    pub(crate) fn defaults_of(&self, scope: ScopeId, type_: Symbol) -> SmallVec<[&Parameter; 8]> {
        let mut lists: SmallVec<[&[Parameter]; 4]> = SmallVec::new();
        let mut at = Some(scope);
        while let Some(scope) = at {
            let own = self.catalog.own_defaults(scope, type_);
            if !own.is_empty() {
                lists.push(own);
            }
            at = self.catalog.scope_parent(scope);
        }
        let mut defaults: SmallVec<[&Parameter; 8]> = SmallVec::new();
        for list in lists.into_iter().rev() {
            if defaults.is_empty() {
                // Each of them has a name of its own.
                defaults.extend(list);
                continue;
            }
            for parameter in list {
                match defaults.iter_mut().find(|known| known.name == parameter.name) {
                    Some(known) => *known = parameter,
                    None => defaults.push(parameter),
                }
            }
        }
        defaults
    }

    /// Adds the tags that a parameter `tag` names.
    pub(crate) fn add_tags(&mut self, resource: &mut Resource, value: &Value) -> Eval<()> {
        for tag in flatten(value) {
            let text = crate::interpreter::text::of(&tag);
            if let Err(issue) = self.catalog.tags.add(&mut resource.tags, &text) {
                return Err(Stop::fault_at_line(issue, &resource.at));
            }
        }
        Ok(())
    }

    /// Adds a resource to the catalog.
    pub(crate) fn add_resource(&mut self, resource: Resource) -> Eval<ResourceId> {
        let (at, scope, origin) = (resource.at.clone(), resource.scope, resource.origin);
        let is_class = resource.is_class();
        let is_stage = resource.type_ == self.catalog.names.stage_type;
        let stage = resource.get(self.catalog.names.stage).is_some_and(Value::is_truthy);
        let id = match self.catalog.add(resource) {
            Ok(id) => id,
            Err(AddError::Duplicate { resource, at: known_at }) => {
                let (known_at, at) = (known_at.text(), at.text_with_space());
                return fault(issues::duplicate_declaration(&resource, &known_at, &at));
            }
            Err(AddError::Alias(issue)) => return fault(issue),
            Err(AddError::TooMany(n)) => {
                return Err(Stop::final_fault(issues::too_many_resources(n)));
            }
        };
        self.catalog.note_declared(id);
        if stage && !is_class {
            let name = self.catalog.reference(id);
            return fault(issues::illegal_stage(&name));
        }
        if !is_stage
            && !is_class
            && let Some(container) = self.catalog.scope_resource(scope)
        {
            self.catalog.add_edge(container, id, origin);
        }
        Ok(id)
    }

    /// The type of resources of a name: one that agents know, or a defined one.
    pub(crate) fn find_resource_type(&self, name: &str) -> Eval<Option<Found>> {
        if let Some(known) = self.catalog.found_types.borrow().get(name) {
            return Ok(Some(known.clone()));
        }
        let native = match name.contains(':') {
            true => None,
            false => self.native_type(name).map(Found::Native),
        };
        let found = match native {
            Some(native) => Some(native),
            None => {
                let define = self.catalog.definitions.define(name, &self.inputs, &self.types)?;
                define.map(Found::Define)
            }
        };
        if let Some(found) = &found {
            self.catalog.found_types.borrow_mut().insert(name.into(), found.clone());
        }
        Ok(found)
    }

    /// The type of a name that agents know.
    pub(crate) fn native_type(&self, name: &str) -> Option<Arc<ResourceType>> {
        if let Some(known) = self.catalog.native_types.borrow().get(name) {
            return known.clone();
        }
        let found = match name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => self.inputs.resource_type(&name.to_lowercase()),
            false => self.inputs.resource_type(name),
        };
        self.catalog.native_types.borrow_mut().insert(name.into(), found.clone());
        found
    }

    /// The class of a name.
    pub(crate) fn find_class(&mut self, name: &str) -> Eval<Option<Arc<Definition>>> {
        let found = self.catalog.definitions.class(name, &self.inputs, &self.types);
        self.log.extend(self.catalog.definitions.take_log());
        let found = found?;
        self.read_parameter_types()?;
        Ok(found)
    }

    /// Reads the types of the parameters of what was loaded: Puppet says there and then which of them are unknown.
    pub(crate) fn read_parameter_types(&mut self) -> Eval<()> {
        loop {
            let fresh = self.catalog.definitions.take_fresh();
            if fresh.is_empty() {
                return Ok(());
            }
            for definition in fresh {
                self.parameters(&definition.program, definition.id)?;
            }
        }
    }

    /// The resource that a reference names.
    pub(crate) fn find_resource(&self, type_name: &str, title: &str) -> Option<ResourceId> {
        if type_name.eq_ignore_ascii_case("class") {
            return self.catalog.find_class(title);
        }
        let type_ = match type_name.starts_with(|first: char| first.is_ascii_uppercase()) {
            true => Symbol::known(type_name)?,
            false => Symbol::known(&capitalize_segments(type_name))?,
        };
        if let Some(id) = self.catalog.of_title(type_, title) {
            return Some(id);
        }
        let native = match type_name.contains(':') {
            true => return None,
            false => self.native_type(type_name)?,
        };
        self.catalog.find(type_, title, &native)
    }

    /// The resource that a text such as `File[/tmp]` names.
    pub(crate) fn find_reference(&self, text: &str) -> Option<ResourceId> {
        let (type_, title) = text.strip_suffix(']')?.split_once('[')?;
        self.find_resource(type_, title)
    }

    /// A value as catalogs have it: references are to types that are there.
    pub(super) fn catalog_value(&self, value: Value) -> Eval<Value> {
        match &value {
            Value::Type(type_) => Ok(match self.catalog_type(type_)? {
                Some(known) => Value::type_(known),
                None => value,
            }),
            // A walk that has to end returns any value: the compilation fails.
            Value::Array(values) if values.iter().any(has_reference) => {
                walk(Ok(Value::Undef), || {
                    let values: Eval<Vec<Value>> =
                        values.iter().map(|value| self.catalog_value(value.clone())).collect();
                    Ok(Value::array(values?))
                })
            }
            Value::Hash(hash) if hash.values().any(has_reference) => walk(Ok(Value::Undef), || {
                let mut made = kukla_pcore::Hash::with_capacity(hash.len());
                for (key, value) in hash.iter() {
                    made.insert(key.clone(), self.catalog_value(value.clone())?);
                }
                Ok(Value::hash(made))
            }),
            Value::Rare(rare) if matches!(**rare, kukla_pcore::value::Rare::Iterator(_)) => {
                fault(issues::iterator_not_supported())
            }
            _ => Ok(value),
        }
    }

    /// A reference as catalogs have it; `None` if it is so already.
    pub(super) fn catalog_type(&self, type_: &Type) -> Eval<Option<Type>> {
        match type_ {
            Type::Resource(reference) => self.catalog_reference(reference),
            Type::Class(None) => fault(issues::illegal_reference("\"class\"")),
            _ => Ok(None),
        }
    }

    fn catalog_reference(&self, reference: &Reference) -> Eval<Option<Type>> {
        let title = reference.title.clone().unwrap_or_default();
        let Some(name) = &reference.name else {
            return Ok(Some(Type::Class(Some(lower(&title)))));
        };
        if name.eq_ignore_ascii_case("class") || name == "::Class" {
            let title = title.strip_prefix("::").unwrap_or(&title);
            return Ok(Some(Type::Class(Some(lower(title)))));
        }
        let Some(found) = self.find_resource_type(name)? else {
            // Puppet takes what is of no type for a class.
            return Ok(Some(Type::Class(Some(lower(&title)))));
        };
        if let (Found::Native(type_), None) = (&found, &reference.title)
            && let Err(error) = type_.parse_title("")
        {
            let _ = self.catalog.late_issue.set(issues::title_mismatch(&error));
        }
        let symbol = found.symbol();
        let is_same =
            symbol.as_str() == name && reference.title.is_some() && reference.is_parameter_value;
        Ok((!is_same).then(|| reference::given_resource(symbol.as_str(), title)))
    }

    /// Returns the source of settings in the current scope.
    pub(crate) fn current_source(&self) -> SourceId {
        self.catalog.scope_source(self.scopes.current)
    }
}

impl Found {
    /// Its name with capital letters.
    pub(crate) fn symbol(&self) -> Symbol {
        match self {
            Self::Native(type_) => type_.symbol(),
            Self::Define(definition) => definition.type_,
        }
    }

    /// Returns the kind of its resources.
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Native(type_) => Kind::Native(Arc::clone(type_)),
            Self::Define(definition) => Kind::Define(Arc::clone(definition)),
        }
    }
}

/// Where a node is written.
pub(crate) fn at(program: &Program, id: ExprId) -> At {
    At { file: Some(Arc::clone(program.file())), line: Some(program.line(id)) }
}

/// In lower case.
pub(crate) fn lower(text: &str) -> EcoString {
    match text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        true => text.into(),
        false => text.to_lowercase().into(),
    }
}

fn has_reference(value: &Value) -> bool {
    match value {
        Value::Type(_) | Value::Rare(_) => true,
        Value::Array(values) => walk(true, || values.iter().any(has_reference)),
        Value::Hash(hash) => walk(true, || hash.values().any(has_reference)),
        _ => false,
    }
}

/// The defaults with the values that a body sets, which may be others.
fn merge(defaults: &[Parameter], own: Vec<Parameter>) -> Vec<Parameter> {
    let mut merged = defaults.to_vec();
    for parameter in own {
        match merged.iter_mut().find(|known| known.name == parameter.name) {
            Some(known) => *known = parameter,
            None => merged.push(parameter),
        }
    }
    merged
}

fn flatten_with_undef(value: Value) -> SmallVec<[Value; 1]> {
    match value {
        Value::Array(values) => {
            walk(SmallVec::new(), || values.into_iter().flat_map(flatten_with_undef).collect())
        }
        other => smallvec![other],
    }
}

/// The first name that two of them have.
fn repeated(parameters: &[Parameter]) -> Option<Symbol> {
    // Has the bit of every name so far: most names that are new are told by it.
    let mut bits = 0_u64;
    for (n, Parameter { name, .. }) in parameters.iter().enumerate() {
        let bit = 1 << (name.index() % 64);
        if bits & bit != 0 && parameters[..n].iter().any(|known| known.name == *name) {
            return Some(*name);
        }
        bits |= bit;
    }
    None
}

fn duplicate_title<T>(program: &Program, id: ExprId, title: &str) -> Eval<T> {
    issues::at(program, id, issues::duplicate_title(title))
}
