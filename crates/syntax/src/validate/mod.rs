//! Checks a tree as Puppet does before it evaluates anything.
//!
//! Start at [`validate`]. Nodes are visited in Puppet's order, parents first, and each is checked by itself with the path of
//! enclosing nodes at hand; so diagnostics come in Puppet's order too. One file per subject: targets of assignments
//! ([`assignment`]), effects ([`effect`]), places of definitions ([`definitions`], [`place`]), queries, heredocs
//! ([`heredoc`]), plans ([`tasks`]).

mod assignment;
mod builtin;
pub(crate) mod data;
mod definitions;
mod effect;
mod expressions;
pub(crate) mod heredoc;
mod literal;
mod load;
mod names;
mod nodes;
mod place;
mod tasks;

pub(crate) use load::load;

use std::cell::OnceCell;
use std::collections::HashMap;

use kukla_base::{Diagnostic, Severity, Span};

use crate::ast::{Ast, Child, Expr, ExprId};
use crate::{Options, Strict, issues, label};

/// Validates `ast`, whose text is nested in `depth` heredocs.
pub(crate) fn validate(ast: &Ast, options: &Options, depth: usize) -> Vec<Diagnostic> {
    let mut validator = Validator {
        ast,
        options,
        depth,
        namespace: place::Namespace::of(options),
        path: Vec::new(),
        apply: None,
        glance: true,
        raised: None,
        diagnostics: Vec::new(),
        idem: OnceCell::new(),
        covers: OnceCell::new(),
        operand: None,
        contents: HashMap::new(),
    };
    if validator.is_flawless() {
        return Vec::new();
    }
    validator.glance = false;
    validator.diagnostics.clear();
    validator.raised = None;
    validator.program();
    validator.into_diagnostics()
}

struct Validator<'a> {
    ast: &'a Ast,
    options: &'a Options,
    /// The number of enclosing heredocs.
    depth: usize,
    namespace: place::Namespace,
    /// The ancestors of the current node, outermost first.
    path: Vec<ExprId>,
    /// The index of the outermost `apply` in the path.
    apply: Option<usize>,
    /// Set in a quick pass over the nodes, in no order and without a path. Checks that need the path then report an error
    /// rather than pass.
    glance: bool,
    /// The index of the diagnostic that Puppet raises, which makes it drop all others.
    raised: Option<usize>,
    diagnostics: Vec<Diagnostic>,
    /// The answers of [`Self::is_idem`] and the extents of all nodes, computed when that pays.
    idem: OnceCell<Vec<bool>>,
    covers: OnceCell<Vec<Span>>,
    /// Cache of [`Self::operand`]: an expression and its operand.
    operand: Option<(ExprId, ExprId)>,
    /// The errors in heredocs that hold Puppet code, each of which is checked only once.
    contents: HashMap<ExprId, Option<heredoc::HeredocFault>>,
}

impl Validator<'_> {
    /// Returns true if there are no diagnostics, as in most sources.
    ///
    /// It costs a third of visiting the nodes in order.
    fn is_flawless(&mut self) -> bool {
        self.top_constructs();
        self.diagnostics.is_empty()
            && !self.options.tasks
            && self.ast.ids().all(|id| {
                self.check(id);
                self.diagnostics.is_empty()
            })
    }

    fn program(&mut self) {
        self.top_constructs();
        let mut rest: Vec<(ExprId, usize)> =
            self.ast.body().map(|id| (id, 0)).into_iter().collect();
        let mut children = Vec::new();
        while let Some((id, depth)) = rest.pop() {
            self.path.truncate(depth);
            self.apply = self.apply.filter(|&apply| apply < depth);
            self.check(id);
            self.ast.push_children(id, &mut children);
            if !children.is_empty() {
                if let (Expr::ApplyBlock(_), None) = (self.ast[id], self.apply) {
                    self.apply = Some(depth);
                }
                self.path.push(id);
                let nodes = children.drain(..).rev().filter_map(Child::id);
                rest.extend(nodes.map(|child| (child, depth + 1)));
            }
        }
    }

    /// Returns the diagnostics in Puppet's order: the one that stops it first.
    fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        if let Some(at) = self.raised {
            let raised = self.diagnostics.remove(at);
            self.diagnostics.insert(0, raised);
        }
        self.diagnostics
    }

    fn check(&mut self, id: ExprId) {
        match self.ast[id] {
            Expr::Nop
            | Expr::Error
            | Expr::Access { .. }
            | Expr::NamedAccess { .. }
            | Expr::Regexp(_)
            | Expr::String(_)
            | Expr::Float(_)
            | Expr::Undef
            | Expr::Default
            | Expr::Boolean(_)
            | Expr::Concat(_)
            | Expr::QualifiedName(_)
            | Expr::QualifiedReference(_)
            | Expr::RenderString(_) => (),
            Expr::Unary { op: _, expr } | Expr::AttributesOperation(expr) => self.rvalue(expr),
            Expr::Binary { op, left, right } => self.binary(id, op, left, right),
            Expr::List(values) => self.rvalues(values),
            Expr::Hash(entries) => self.hash(entries),
            Expr::KeyedEntry { key, value } => {
                self.rvalue(key);
                self.rvalue(value);
            }
            Expr::Block(statements) | Expr::ApplyBlock(statements) => self.block(id, statements),
            Expr::Case { test, options } => self.case(id, test, options),
            Expr::CaseOption { values, then: _ } => self.rvalues(values),
            Expr::Query { exported: _, expr } => {
                if let Some(expr) = expr {
                    self.query(expr);
                }
            }
            Expr::Collect { type_, query, operations: _ } => self.collect(id, type_, query),
            Expr::AttributeOperation { name, append, value } => {
                self.attribute(id, name, append, value);
            }
            Expr::Parameter { name, value, type_: _, captures_rest: _ } => {
                self.parameter(id, name, value);
            }
            Expr::Named(named) => self.named(id, named),
            Expr::Node { matches, parent, body } => self.node(id, matches, parent, body),
            Expr::TypeAlias { name, type_ } => self.type_alias(id, name, type_),
            Expr::TypeMapping { type_, mapping } => self.type_mapping(id, type_, mapping),
            Expr::TypeDefinition(definition) => self.type_definition(id, definition),
            Expr::Heredoc { text, syntax } => self.heredoc(text, syntax),
            Expr::Lambda { parameters, body: _, return_type } => {
                self.lambda(id, parameters, return_type);
            }
            Expr::Apply { .. } => self.apply(id),
            Expr::If { test, .. } | Expr::Unless { test, .. } => self.rvalue(test),
            Expr::Call { kind, functor, .. } => self.call(id, kind, functor),
            Expr::Integer { digits, radix } => self.integer(id, digits, radix),
            Expr::ReservedWord(word) => {
                let issue = issues::reserved_word(self.ast.span(id), self.ast.text(word));
                self.report(issue);
            }
            Expr::Variable(name) => self.variable(id, name),
            Expr::Epp { .. } => self.epp(id),
            Expr::ResourceBody { title: _, operations } => self.resource_body(operations),
            Expr::Resource { type_name, form, bodies: _ } => self.resource(id, type_name, form),
            Expr::ResourceDefaults { form, .. } | Expr::ResourceOverride { form, .. } => {
                self.not_virtual(id, form);
            }
            Expr::Selector { left, selectors } => self.selector(id, left, selectors),
            Expr::SelectorEntry { matching, value: _ } => self.rvalue(matching),
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports a diagnostic as the setting `strict` demands.
    fn report_strictly(&mut self, diagnostic: Diagnostic) {
        match self.options.strict {
            Strict::Off => (),
            Strict::Warning => self.report(diagnostic.severity(Severity::Warning)),
            Strict::Error => self.report(diagnostic),
        }
    }

    /// Reports an error at which Puppet stops at once.
    fn raise(&mut self, diagnostic: Diagnostic) {
        self.raised.get_or_insert(self.diagnostics.len());
        self.report(diagnostic);
    }

    fn parent(&self) -> Option<Expr> {
        self.path.last().map(|&id| self.ast[id])
    }

    fn span(&self, id: ExprId) -> Span {
        self.ast.span(id)
    }

    /// Returns the extent of a node; see [`Ast::extent`].
    fn extent(&self, id: ExprId) -> Span {
        let cover = self.covers.get_or_init(|| self.ast.covers())[id.index()];
        let span = self.span(id);
        if cover.len > 0 { span.cover(cover) } else { span }
    }

    fn a_an(&self, id: ExprId) -> String {
        label::a_an(self.ast, id)
    }

    fn a_an_uc(&self, id: ExprId) -> String {
        label::a_an_uc(self.ast, id)
    }

    fn label(&self, id: ExprId) -> String {
        label::label(self.ast, id)
    }

    /// Checks that an expression has a value.
    fn rvalue(&mut self, id: ExprId) {
        let id = self.operand(id);
        match self.ast[id] {
            Expr::Collect { .. }
            | Expr::Named(_)
            | Expr::Node { .. }
            | Expr::TypeAlias { .. }
            | Expr::TypeMapping { .. }
            | Expr::TypeDefinition(_) => {
                let issue = issues::not_rvalue(self.span(id), &self.a_an_uc(id));
                self.report(issue);
            }
            _ => (),
        }
    }

    /// Returns the operand of all prefix operators and parentheses.
    fn operand(&mut self, id: ExprId) -> ExprId {
        let Expr::Unary { op: _, expr } = self.ast[id] else { return id };
        // The quick pass visits the operand by itself.
        if self.glance {
            return id;
        }
        let mut operand = expr;
        match self.operand {
            // The previous call was about the enclosing operator.
            Some((inner, cached)) if inner == id => operand = cached,
            _ => {
                while let Expr::Unary { op: _, expr } = self.ast[operand] {
                    operand = expr;
                }
            }
        }
        self.operand = Some((expr, operand));
        operand
    }

    fn rvalues(&mut self, list: crate::ast::ExprList) {
        for &id in self.ast.list(list) {
            self.rvalue(id);
        }
    }
}
