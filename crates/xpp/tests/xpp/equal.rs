//! Comparison of two trees.

use kukla_base::Source;
use kukla_syntax::ast::{Child, Expr, ExprId};
use kukla_syntax::{Ast, pn, tree};

/// Asserts that both trees are equal, by every accessor.
pub(crate) fn assert_equal(name: &str, expected: &Ast, found: &Ast) {
    assert_eq!(expected.source(), found.source(), "source of {name}");
    assert_eq!(expected.puppet_nodes(), found.puppet_nodes(), "nodes of {name}");
    assert_eq!(pn::pn(expected), pn::pn(found), "pn of {name}");
    assert_eq!(pn::json(expected), pn::json(found), "json of {name}");
    let definitions = |ast: &Ast| -> Vec<_> {
        ast.definitions()
            .iter()
            .map(|&id| (ast.class_name(id), ast.span(id), own(ast, id)))
            .collect()
    };
    assert_eq!(definitions(expected), definitions(found), "definitions of {name}");
    let all = |ast: &Ast| -> Vec<_> { nodes(ast).into_iter().map(|id| own(ast, id)).collect() };
    assert_eq!(all(expected), all(found), "attributes of {name}");
    let source = Source::new("source", expected.source());
    assert_eq!(tree::tree(expected, &source), tree::tree(found, &source), "tree of {name}");
}

/// Returns all nodes of the tree, parents first.
fn nodes(ast: &Ast) -> Vec<ExprId> {
    let mut nodes = Vec::new();
    let mut rest: Vec<Child> = ast.body().map(Child::Node).into_iter().collect();
    while let Some(child) = rest.pop() {
        if let Some(id) = child.id() {
            nodes.push(id);
            ast.push_children(id, &mut rest);
        }
    }
    nodes
}

/// Returns the data of a node beside its children.
fn own(ast: &Ast, id: ExprId) -> String {
    match ast[id] {
        Expr::String(text)
        | Expr::RenderString(text)
        | Expr::Regexp(text)
        | Expr::QualifiedName(text)
        | Expr::QualifiedReference(text)
        | Expr::ReservedWord(text)
        | Expr::Float(text)
        | Expr::Variable(text)
        | Expr::NamedAccess { name: text, .. }
        | Expr::TypeAlias { name: text, .. }
        | Expr::Heredoc { syntax: text, .. } => ast.text(text).to_owned(),
        Expr::Integer { digits, radix } => format!("{} {radix}", ast.text(digits)),
        Expr::Parameter { name, captures_rest, .. } => {
            format!("{} {captures_rest}", ast.text(name))
        }
        Expr::AttributeOperation { name, append, .. } => format!("{} {append}", ast.text(name)),
        Expr::Call { kind, rvalue, .. } => format!("{kind:?} {rvalue}"),
        Expr::Unary { op, .. } => format!("{op:?}"),
        Expr::Binary { op, .. } => format!("{op:?}"),
        Expr::Epp { parameters_specified, .. } => parameters_specified.to_string(),
        Expr::Query { exported, .. } => exported.to_string(),
        Expr::Resource { form, .. }
        | Expr::ResourceDefaults { form, .. }
        | Expr::ResourceOverride { form, .. } => format!("{form:?}"),
        Expr::Named(named) => {
            let named = ast.named(named);
            let parent = named.parent_class.map(|parent| ast.text(parent));
            format!("{:?} {} {parent:?}", named.kind, ast.text(named.name))
        }
        Expr::TypeDefinition(definition) => {
            let definition = ast.type_definition(definition);
            let parent = definition.parent.map(|parent| ast.text(parent));
            format!("{} {parent:?}", ast.text(definition.name))
        }
        _ => String::new(),
    }
}
