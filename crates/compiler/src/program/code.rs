//! Programs as the code that origins lead to.

use ecow::EcoString;
use kukla_catalog::origins::{Code, Definition, Input, Role};
use kukla_syntax::ast::{BinaryOp, Expr, ExprId, NamedKind};

use super::Program;
use super::inputs::Inputs;

impl Code for Program {
    fn n_expressions(&self) -> u32 {
        u32::try_from(self.ast().len() + 1).unwrap_or(u32::MAX)
    }

    fn file(&self) -> &str {
        &self.file
    }

    fn position(&self, expression: u32) -> (u32, u32) {
        let Some(id) = self.node(expression) else { return (0, 0) };
        let id = match self.ast()[id] {
            // A resource is declared where its expression begins; the body has the place of the title.
            Expr::ResourceBody { .. } => self.parent(id).unwrap_or(id),
            _ => id,
        };
        let place = self.place(id);
        (place.line, place.column)
    }

    fn role(&self, expression: u32) -> Role {
        let Some(id) = self.node(expression) else { return Role::Declaration };
        match self.ast()[id] {
            Expr::AttributeOperation { .. } | Expr::AttributesOperation(_) => {
                self.attribute_role(id)
            }
            Expr::ResourceBody { .. } => Role::Declaration,
            Expr::Named(_) | Expr::Node { .. } => Role::Definition,
            Expr::Binary { op, .. } if is_arrow(op) => Role::Arrow,
            _ if self.is_default_of_parameter(id) => Role::ParameterDefault,
            _ => Role::Call,
        }
    }

    fn inputs(&self, expression: u32) -> Vec<Input> {
        self.node(expression).map(|id| Inputs::of(self, id)).unwrap_or_default()
    }

    fn title_position(&self, declaration: u32) -> Option<(u32, u32)> {
        let id = self.node(declaration)?;
        let place = match self.ast()[id] {
            Expr::ResourceBody { title, .. } => self.place(title),
            _ => self.place(id),
        };
        Some((place.line, place.column))
    }

    fn title_inputs(&self, declaration: u32) -> Vec<Input> {
        let Some(id) = self.node(declaration) else { return Vec::new() };
        match self.ast()[id] {
            Expr::ResourceBody { title, .. } => Inputs::of(self, title),
            // The name of a class or node is written in its definition.
            Expr::Named(_) | Expr::Node { .. } => vec![Input::Literal(declaration)],
            _ => Inputs::of(self, id),
        }
    }

    fn variable_inputs(&self, definition: u32, name: &str) -> Option<Vec<Input>> {
        Inputs::of_variable(self, self.node(definition)?, name)
    }

    fn arguments(&self, function: &str, number: usize) -> Vec<(u32, Vec<Input>)> {
        let calls = self.ast().ids().filter_map(|id| {
            let argument = self.argument(id, function, number)?;
            Some((u32::try_from(id.index()).ok()?, Inputs::of(self, argument)))
        });
        calls.collect()
    }

    fn parent(&self, definition: u32) -> Option<EcoString> {
        match self.ast()[self.node(definition)?] {
            Expr::Named(named) => {
                let parent = self.ast().named(named).parent_class?;
                Some(self.ast().text(parent).to_lowercase().into())
            }
            _ => None,
        }
    }

    fn definition(&self, expression: u32) -> Option<Definition> {
        let id = self.definition_around(self.node(expression)?)?;
        let Expr::Named(named) = self.ast()[id] else { return Some(Definition::Node) };
        let named = self.ast().named(named);
        let name = self.ast().text(named.name).trim_start_matches("::").to_lowercase().into();
        Some(match named.kind {
            NamedKind::Class => Definition::Class(name),
            NamedKind::Define => Definition::Define(name),
            NamedKind::Function | NamedKind::Plan => Definition::Function,
        })
    }
}

impl Program {
    fn node(&self, expression: u32) -> Option<ExprId> {
        self.ast().id(expression as usize)
    }

    /// Returns the definition that a node is part of.
    pub(super) fn definition_around(&self, id: ExprId) -> Option<ExprId> {
        let mut around = Some(id);
        while let Some(id) = around {
            if matches!(self.ast()[id], Expr::Named(_) | Expr::Node { .. }) {
                return Some(id);
            }
            around = self.parent(id);
        }
        None
    }

    fn attribute_role(&self, id: ExprId) -> Role {
        match self.parent(id).map(|parent| self.ast()[parent]) {
            Some(Expr::ResourceDefaults { .. }) => Role::ResourceDefault,
            Some(Expr::ResourceOverride { .. }) => Role::Override,
            Some(Expr::Collect { .. }) => Role::Collector,
            Some(Expr::ResourceBody { title, .. }) if self.is_default_title(title) => {
                Role::BodyDefault
            }
            _ => Role::Attribute,
        }
    }

    fn is_default_title(&self, title: ExprId) -> bool {
        match self.ast()[title] {
            Expr::Default => true,
            Expr::List(titles) => self
                .ast()
                .list(titles)
                .iter()
                .any(|&title| matches!(self.ast()[title], Expr::Default)),
            _ => false,
        }
    }

    fn is_default_of_parameter(&self, id: ExprId) -> bool {
        let parent = self.parent(id).map(|parent| self.ast()[parent]);
        matches!(parent, Some(Expr::Parameter { value: Some(value), .. }) if value == id)
    }

    /// Returns an argument of a call of a function.
    fn argument(&self, call: ExprId, function: &str, number: usize) -> Option<ExprId> {
        let Expr::Call { functor, arguments, .. } = self.ast()[call] else { return None };
        let (name, receiver) = match self.ast()[functor] {
            Expr::QualifiedName(name) => (name, None),
            Expr::NamedAccess { left, name } => (name, Some(left)),
            _ => return None,
        };
        let name = self.ast().text(name);
        let is_called = name.trim_start_matches("::") == function.trim_start_matches("::");
        let mut all = receiver.into_iter().chain(self.ast().list(arguments).iter().copied());
        if is_called { all.nth(number) } else { None }
    }
}

const fn is_arrow(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Before | BinaryOp::Require | BinaryOp::Notify | BinaryOp::Subscribe)
}
