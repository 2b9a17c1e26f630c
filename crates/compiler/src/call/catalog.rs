//! The catalog, as calls read and change it.

use ecow::EcoString;
use kukla_catalog::origins::OriginId;
use kukla_lookup::Query;
use kukla_pcore::{Hash, Value};

use super::Call;
use crate::compile::Compiler;
use crate::place::At;
use crate::{Eval, Place};

impl Call<'_> {
    /// Returns the call as the origin of what it sets.
    pub(crate) fn origin(&mut self) -> OriginId {
        self.compiler.catalog.origins.expression(self.program, self.id)
    }

    /// Refuses what data may not do.
    fn changes_catalog(&self) -> Eval<()> {
        match self.compiler.catalog.data.n_pure {
            0 => Ok(()),
            _ => crate::fault(crate::issues::not_in_data(self.name())),
        }
    }

    /// Evaluates classes, each once.
    pub fn include(&mut self, names: &[EcoString]) -> Eval<()> {
        self.changes_catalog()?;
        let origin = self.origin();
        self.framed(|compiler| compiler.include(names, origin).map(drop))
    }

    /// Evaluates classes that come before the class or define around the call.
    pub fn require(&mut self, names: &[EcoString]) -> Eval<()> {
        self.changes_catalog()?;
        let origin = self.origin();
        self.framed(|compiler| compiler.require_classes(names, origin))
    }

    /// Evaluates classes that lie within the class or define around the call.
    pub fn contain(&mut self, names: &[EcoString]) -> Eval<()> {
        self.changes_catalog()?;
        let origin = self.origin();
        self.framed(|compiler| compiler.contain_classes(names, origin))
    }

    /// Does something that evaluates other code, which then knows where it was called from.
    fn framed(&mut self, run: impl FnOnce(&mut Compiler) -> Eval<()>) -> Eval<()> {
        let place = self.frame();
        self.compiler.catalog.frames.push(place);
        let result = run(self.compiler);
        self.compiler.catalog.frames.pop();
        result
    }

    /// The call around this one: that which includes the class that is evaluated. Code that belongs to no catalog has
    /// the beginning of its file.
    pub fn outer_place(&self) -> Option<Place> {
        match self.compiler.catalog.node.is_empty() {
            true => Some(Place { line: 0, ..self.frame() }),
            false => self.compiler.catalog.frames.last().cloned(),
        }
    }

    /// Looks something up in the data of the environment; `None` if there is no value.
    pub fn look_up(&mut self, query: &Query<'_>) -> Eval<Option<Value>> {
        let Some(mut found) = self.compiler.look_up(query)? else { return Ok(None) };
        if !found.origins.is_empty() {
            let call = self.origin();
            self.compiler.note_lookup(call, query, &mut found);
        }
        Ok(Some(found.value))
    }

    /// Asks the store a query, PQL or an AST as JSON; returns its rows as JSON.
    pub fn query_store(&mut self, query: &str) -> Eval<String> {
        self.compiler.query_store(query)
    }

    /// Makes virtual resources real.
    pub fn realize(&mut self, references: &[Value]) {
        self.compiler.realize(references);
    }

    /// Adds tags to the class or define around the call.
    pub fn tag(&mut self, tags: &[Value]) -> Eval<()> {
        self.changes_catalog()?;
        let origin = self.origin();
        self.compiler.tag(tags, origin)
    }

    /// Whether the catalog, or the class or define around the call, has a tag.
    pub fn is_tagged(&self, tag: &Value) -> bool {
        self.compiler.is_tagged(tag)
    }

    /// Whether there is a resource of that type and title; of type `Class`, a class.
    pub fn is_declared(&self, type_: &str, title: &str) -> bool {
        self.compiler.find_resource(type_, title).is_some()
    }

    /// The value of a parameter of a resource.
    pub fn resource_parameter(&self, type_: &str, title: &str, name: &str) -> Option<Value> {
        self.compiler.parameter_of(type_, title, name)
    }

    /// Whether there is another resource of that type and title with these parameters; any title if it is empty.
    pub fn is_declared_with(&self, type_: &str, title: &str, parameters: &Hash) -> bool {
        self.compiler.is_declared_with(type_, title, parameters)
    }

    /// The class or define around the call: whether it is a class, and its name.
    pub fn definition(&self) -> Option<(bool, EcoString)> {
        self.compiler.current_definition()
    }

    /// Whether there is a type of resources of that name.
    pub fn is_resource_type(&mut self, name: &str) -> Eval<bool> {
        let found = self.compiler.find_resource_type(name)?;
        self.compiler.read_parameter_types()?;
        Ok(found.is_some())
    }

    /// Whether there is a class of that name.
    pub fn is_class(&mut self, name: &str) -> Eval<bool> {
        Ok(self.compiler.find_class(name)?.is_some())
    }

    /// Parameters of resources as catalogs have them.
    pub fn catalog_parameters(&mut self, parameters: &Hash) -> Eval<Hash> {
        let mut made = Hash::with_capacity(parameters.len());
        for (name, value) in parameters.iter() {
            let text = name.as_str().unwrap_or_default();
            made.insert(name.clone(), self.compiler.parameter_value(text, value.clone())?);
        }
        Ok(made)
    }

    /// Refuses to declare a class virtually, with the line of the call.
    pub fn virtual_class<T>(&self) -> Eval<T> {
        let place = Place { column: 0, ..self.place() };
        Err(crate::Stop::issue(crate::issues::virtual_class(), Some(place)))
    }

    /// Declares a resource, with [`catalog_parameters`](Self::catalog_parameters). The type may begin with `@` or `@@`.
    pub fn declare(&mut self, type_: &str, title: &Value, parameters: &Hash) -> Eval<()> {
        self.changes_catalog()?;
        let at = crate::compile::declare::at(self.program, self.id);
        // As Puppet's stack of calls has it.
        let at = match at.file {
            Some(file) if file.is_empty() => At { file: Some("unknown".into()), line: at.line },
            file => At { file, line: at.line },
        };
        let origin = self.origin();
        self.compiler.declare_by_name(type_, title, parameters, (at, origin))
    }
}
