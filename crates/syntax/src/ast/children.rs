//! The shapes of all nodes, in one place.

use kukla_base::Span;

use super::{Ast, Expr, ExprId, ExprList};

/// A child of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Child {
    /// A node of the tree.
    Node(ExprId),
    /// A `QualifiedName` that is a node in Puppet's model and part of its parent here: the name of a variable, the function
    /// of a method call.
    Name(Span),
}

impl Child {
    /// Returns the node, unless it is a name.
    pub fn id(self) -> Option<ExprId> {
        match self {
            Self::Node(id) => Some(id),
            Self::Name(_) => None,
        }
    }
}

impl Ast {
    /// Pushes the children of `id` in the order in which Puppet visits them.
    ///
    /// The only place that lists every shape. No `_` arm: a new node must be added here.
    #[expect(clippy::too_many_lines, reason = "a list of all shapes, an arm each")]
    pub fn push_children(&self, id: ExprId, out: &mut Vec<Child>) {
        match self[id] {
            Expr::Nop
            | Expr::Error
            | Expr::Regexp(_)
            | Expr::String(_)
            | Expr::Integer { .. }
            | Expr::Float(_)
            | Expr::Undef
            | Expr::Default
            | Expr::Boolean(_)
            | Expr::QualifiedName(_)
            | Expr::ReservedWord(_)
            | Expr::QualifiedReference(_)
            | Expr::RenderString(_) => (),
            Expr::Variable(_) => out.push(Child::Name(self.name_span(id))),
            Expr::NamedAccess { left, name: _ } => {
                out.push(Child::Node(left));
                out.push(Child::Name(Span::new(self.span(id).start, 0)));
            }
            Expr::Unary { op: _, expr } | Expr::AttributesOperation(expr) => self.push(expr, out),
            Expr::Binary { op: _, left, right } => self.push_all([left, right], out),
            Expr::Access { left, keys } => {
                self.push(left, out);
                self.push_list(keys, out);
            }
            Expr::List(list)
            | Expr::Hash(list)
            | Expr::Block(list)
            | Expr::ApplyBlock(list)
            | Expr::Concat(list) => self.push_list(list, out),
            Expr::KeyedEntry { key, value } => self.push_all([key, value], out),
            Expr::Case { test, options } => {
                self.push(test, out);
                self.push_list(options, out);
            }
            Expr::CaseOption { values, then } => {
                self.push_list(values, out);
                self.push_all(then, out);
            }
            Expr::Query { exported: _, expr } => self.push_all(expr, out),
            Expr::Collect { type_, query, operations } => {
                self.push_all([type_, query], out);
                self.push_list(operations, out);
            }
            Expr::AttributeOperation { name: _, append: _, value } => self.push(value, out),
            Expr::Parameter { name: _, value, type_, captures_rest: _ } => {
                self.push_all(value.into_iter().chain(type_), out);
            }
            Expr::Named(named) => {
                let named = self.named(named);
                self.push_list(named.parameters, out);
                self.push_all(named.body.into_iter().chain(named.return_type), out);
            }
            Expr::Node { matches, parent, body } => {
                self.push_all(parent, out);
                self.push_list(matches, out);
                self.push_all(body, out);
            }
            Expr::TypeAlias { name: _, type_ } => self.push(type_, out),
            Expr::TypeMapping { type_, mapping } => self.push_all([type_, mapping], out),
            Expr::TypeDefinition(definition) => {
                self.push_all(self.type_definition(definition).body, out);
            }
            Expr::Heredoc { text, syntax: _ } => self.push(text, out),
            Expr::Lambda { parameters, body, return_type } => {
                self.push_list(parameters, out);
                self.push_all(body.into_iter().chain(return_type), out);
            }
            Expr::Apply { arguments, body } => {
                self.push_list(arguments, out);
                self.push(body, out);
            }
            Expr::If { test, then, otherwise } | Expr::Unless { test, then, otherwise } => {
                self.push_all([test].into_iter().chain(then).chain(otherwise), out);
            }
            Expr::Call { kind: _, rvalue: _, functor, arguments, lambda } => {
                self.push(functor, out);
                self.push_list(arguments, out);
                self.push_all(lambda, out);
            }
            Expr::Epp { parameters_specified: _, body } => self.push_all(body, out),
            Expr::ResourceBody { title: first, operations: rest }
            | Expr::Resource { type_name: first, form: _, bodies: rest }
            | Expr::ResourceDefaults { form: _, type_ref: first, operations: rest }
            | Expr::ResourceOverride { form: _, resources: first, operations: rest }
            | Expr::Selector { left: first, selectors: rest } => {
                self.push(first, out);
                self.push_list(rest, out);
            }
            Expr::SelectorEntry { matching, value } => self.push_all([matching, value], out),
        }
    }

    fn push(&self, id: ExprId, out: &mut Vec<Child>) {
        out.push(Child::Node(id));
    }

    fn push_all(&self, ids: impl IntoIterator<Item = ExprId>, out: &mut Vec<Child>) {
        out.extend(ids.into_iter().map(Child::Node));
    }

    fn push_list(&self, list: ExprList, out: &mut Vec<Child>) {
        self.push_all(self.list(list).iter().copied(), out);
    }
}
