//! The chains from a parameter to the sources of its value.
//!
//! An origin leads to an expression, the expression reads variables, and those were set by parameters, which have
//! origins themselves. The code alone decides which variables an expression reads, so where branches set one variable
//! in two ways, both are followed.

use ecow::EcoString;
use rustc_hash::FxHashSet;

use super::tracer::Tracer;
use super::{Code, Input, Leaf, OriginEntry, OriginId, OriginTable, Role};

/// The maximum number of steps of a chain.
const MAX_STEPS: usize = 100_000;

/// The maximum depth of variables that read variables: a bound for the stack.
const MAX_DEPTH: usize = 256;

/// One chain, or several with the same start.
pub(super) struct Chain<'t, 'c> {
    tracer: &'t Tracer<'c>,
    leaves: Vec<Leaf>,
    visited: FxHashSet<(Option<usize>, OriginId, EcoString)>,
    n_steps: usize,
    depth: usize,
}

/// An expression, and the resource whose code it is part of.
#[derive(Clone, Copy)]
struct Scene<'c> {
    code: &'c dyn Code,
    base: u32,
    /// The class, define or node.
    resource: Option<usize>,
    /// Set if literals are defaults of parameters.
    is_default: bool,
}

impl<'c> Chain<'_, 'c> {
    /// Returns the ends of the chains that begin at a parameter.
    pub(super) fn leaves(
        tracer: &Tracer<'_>,
        resource: usize,
        name: &str,
        origin: OriginId,
    ) -> Vec<Leaf> {
        let (leaves, visited) = (Vec::new(), FxHashSet::default());
        let mut chain = Chain { tracer, leaves, visited, n_steps: 0, depth: 0 };
        chain.origin(resource, name, origin);
        if chain.leaves.is_empty() {
            chain.leaves.push(Leaf::Unknown(name.into()));
        }
        chain.leaves
    }

    fn table(&self) -> &'c OriginTable {
        &self.tracer.catalog.origins.table
    }

    fn end(&mut self, leaf: Leaf) {
        if !self.leaves.contains(&leaf) {
            self.leaves.push(leaf);
        }
    }

    /// Returns true if a step is new; a chain that is too long ends.
    fn is_new(&mut self, resource: Option<usize>, origin: OriginId, name: &str) -> bool {
        self.n_steps += 1;
        if self.n_steps > MAX_STEPS {
            self.end(Leaf::Unknown(name.into()));
            return false;
        }
        self.visited.insert((resource, origin, name.into()))
    }

    /// Follows the origin of a parameter of a resource.
    fn origin(&mut self, resource: usize, name: &str, origin: OriginId) {
        if !self.is_new(Some(resource), origin, name) {
            return;
        }
        if self.table().code(origin).is_some() {
            return self.expression(resource, origin);
        }
        match self.table().entry(origin) {
            Some(OriginEntry::Data(_)) => self.end(Leaf::Data(origin)),
            Some(OriginEntry::Exported(node)) => self.end(Leaf::Exported(node.clone())),
            Some(OriginEntry::Replaced { by, .. }) => self.origin(resource, name, *by),
            Some(OriginEntry::Parts(parts)) => {
                self.origin(resource, name, parts.first);
                parts.rest.iter().for_each(|(by, _)| self.origin(resource, name, *by));
            }
            Some(OriginEntry::Inherited(container)) => {
                let container = *container as usize;
                match self.tracer.catalog.named_origin(container, name) {
                    Some(origin) => self.origin(container, name, origin),
                    None => self.end(Leaf::Compiler),
                }
            }
            None => match origin {
                OriginId::CLASSIFIER => self.end(Leaf::Classifier),
                OriginId::TITLE => self.title(resource),
                _ => self.end(Leaf::Compiler),
            },
        }
    }

    fn scene(&self, origin: OriginId, near: Option<usize>) -> Option<(Scene<'c>, u32)> {
        let (code, expression) = self.table().code(origin)?;
        let base = self.table().base(origin)?;
        let resource = self.tracer.around(code, expression, near);
        Some((Scene { code, base, resource, is_default: false }, expression))
    }

    fn expression(&mut self, resource: usize, origin: OriginId) {
        let near = self.tracer.declared_in(resource);
        let Some((mut scene, expression)) = self.scene(origin, near) else { return };
        if scene.code.role(expression) == Role::ParameterDefault {
            (scene.resource, scene.is_default) = (Some(resource), true);
        }
        self.inputs(scene, scene.code.inputs(expression));
    }

    /// Follows the title of a resource.
    fn title(&mut self, resource: usize) {
        let Some(origins) = self.tracer.catalog.origins.resources.get(resource) else { return };
        let declaration = origins.declaration;
        if !self.is_new(Some(resource), declaration, "title of") {
            return;
        }
        match self.scene(declaration, self.tracer.declared_in(resource)) {
            Some((scene, expression)) => {
                self.inputs(scene, scene.code.title_inputs(expression));
            }
            None => self.origin(resource, "title", declaration),
        }
    }

    fn inputs(&mut self, scene: Scene<'c>, inputs: Vec<Input>) {
        if self.depth == MAX_DEPTH {
            return self.end(Leaf::Unknown("more".into()));
        }
        self.depth += 1;
        for input in inputs {
            self.input(scene, input);
        }
        self.depth -= 1;
    }

    fn input(&mut self, scene: Scene<'c>, input: Input) {
        match input {
            Input::Literal(expression) => {
                let origin = OriginTable::expression(scene.base, expression);
                self.end(match scene.is_default {
                    true => Leaf::Default(origin),
                    false => Leaf::Literal(origin),
                });
            }
            Input::Fact(path) => self.end(Leaf::Fact(path)),
            Input::Compiler => self.end(Leaf::Compiler),
            Input::Title => match scene.resource {
                Some(resource) => self.title(resource),
                None => self.end(Leaf::Compiler),
            },
            Input::Parameter(name) => {
                let origin = scene.resource.and_then(|resource| {
                    let origin = self.tracer.catalog.named_origin(resource, &name)?;
                    Some((resource, origin))
                });
                match origin {
                    Some((resource, origin)) => self.origin(resource, &name, origin),
                    None => self.end(Leaf::Unknown(name)),
                }
            }
            Input::Outer(name) => self.outer(scene.resource, name),
            Input::Qualified(class, name) if class.is_empty() => self.outer(None, name),
            Input::Qualified(class, name) if class == "settings" => self.end(Leaf::Setting(name)),
            Input::Qualified(class, name) => {
                let resource = self.tracer.class(&class);
                if !resource.is_some_and(|resource| self.variable(resource, &name)) {
                    self.end(Leaf::Unknown(format!("{class}::{name}").into()));
                }
            }
            Input::Call(call) => {
                let call = OriginTable::expression(scene.base, call);
                let lookups = self.tracer.lookups.get(&call);
                for &data in lookups.into_iter().flatten() {
                    self.end(Leaf::Data(data));
                }
            }
            Input::Argument(function, number) => self.argument(&function, number),
            Input::Attribute(type_, title, name) => self.attribute(&type_, &title, &name),
        }
    }

    /// Follows a variable of a class, or of a class that it inherits; `false` if there is none.
    fn variable(&mut self, resource: usize, name: &str) -> bool {
        let mut class = resource;
        // Classes that inherit themselves have no catalog; the bound is a safeguard.
        for _ in 0..64 {
            let origins = self.tracer.catalog.origins.resources.get(class);
            let Some(definition) = origins.and_then(|origins| origins.definition) else {
                return false;
            };
            let Some((mut scene, expression)) = self.scene(definition, None) else { return false };
            scene.resource = Some(class);
            if let Some(inputs) = scene.code.variable_inputs(expression, name) {
                if self.is_new(Some(class), definition, name) {
                    self.inputs(scene, inputs);
                }
                return true;
            }
            let parent = scene.code.parent(expression).and_then(|name| self.tracer.class(&name));
            let Some(parent) = parent else { return false };
            class = parent;
        }
        false
    }

    /// Follows a variable that a class inherits, or of the node or the top scope.
    fn outer(&mut self, resource: Option<usize>, name: EcoString) {
        if matches!(name.as_str(), "facts" | "trusted" | "server_facts" | "environment") {
            return self.end(Leaf::Fact(name));
        }
        let node = self.tracer.by_type.get("Node").copied();
        if [resource, node].into_iter().flatten().any(|scope| self.variable(scope, &name)) {
            return;
        }
        let origins = &self.tracer.catalog.origins;
        for &main in &origins.main {
            let Some((scene, expression)) = self.scene(main, None) else { continue };
            if let Some(inputs) = scene.code.variable_inputs(expression, &name) {
                if self.is_new(None, main, &name) {
                    self.inputs(scene, inputs);
                }
                return;
            }
        }
        let has = |hash: &kukla_pcore::Hash| hash.get_str(&name).is_some();
        self.end(match (has(&origins.facts), has(&origins.variables)) {
            (true, _) => Leaf::Fact(name),
            (false, true) => Leaf::Classifier,
            (false, false) => Leaf::Unknown(name),
        });
    }

    /// Follows an argument of a function of the Puppet language: of all its calls.
    fn argument(&mut self, function: &EcoString, number: usize) {
        let step = EcoString::from(format!("{function}({number})"));
        if !self.is_new(None, OriginId::COMPILER, &step) {
            return;
        }
        let mut is_called = false;
        for (base, code) in self.table().codes() {
            for (call, inputs) in code.arguments(function, number) {
                is_called = true;
                let resource = self.tracer.around(code, call, None);
                self.inputs(Scene { code, base, resource, is_default: false }, inputs);
            }
        }
        if !is_called {
            self.end(Leaf::Unknown(step));
        }
    }

    /// Follows an attribute of another resource.
    fn attribute(&mut self, type_: &str, title: &str, name: &str) {
        let target = self.tracer.by_reference.get(&(type_, title)).copied();
        let origin = target.and_then(|resource| {
            Some((resource, self.tracer.catalog.named_origin(resource, name)?))
        });
        match origin {
            Some((resource, origin)) => self.origin(resource, name, origin),
            None => self.end(Leaf::Unknown(format!("{type_}[{title}][{name}]").into())),
        }
    }
}
