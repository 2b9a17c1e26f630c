//! The calls, lists and maps of each node.

use super::writer::Writer;
use crate::ast::{
    Ast, CallKind, Expr, ExprId, ExprList, Form, Named, NamedKind, Text, TypeDefinition, UnaryOp,
};
use crate::integer;
use kukla_regex as regexp;
use kukla_rubytext::float;

/// The stack that must be left before a node is written, and the size of the stack that is added otherwise.
const RED_ZONE: usize = 64 * 1024;
const MORE_STACK: usize = 1024 * 1024;

/// Writes the whole tree.
pub(super) fn program(ast: &Ast, writer: &mut Writer) {
    let mut transform = Transform { ast, writer };
    match ast.body() {
        Some(body) => transform.node(body),
        None => transform.nop(),
    }
}

struct Transform<'a> {
    ast: &'a Ast,
    writer: &'a mut Writer,
}

impl Transform<'_> {
    fn node(&mut self, id: ExprId) {
        stacker::maybe_grow(RED_ZONE, MORE_STACK, || self.write(id));
    }

    fn write(&mut self, id: ExprId) {
        match self.ast[id] {
            Expr::Nop => self.nop(),
            Expr::Error => self.empty_call("error"),
            Expr::Unary { op, expr } => self.unary(op, expr),
            Expr::Binary { op, left, right } => self.call(op.as_str(), &[left, right]),
            Expr::Access { left, keys } => self.access(left, keys),
            Expr::NamedAccess { left, name } => self.named_access(left, name),
            Expr::List(values) => self.list_call("array", values),
            Expr::Hash(entries) => self.list_call("hash", entries),
            Expr::Block(statements) => self.list_call("block", statements),
            Expr::ApplyBlock(statements) => self.list_call("block", statements),
            Expr::Concat(segments) => self.list_call("concat", segments),
            Expr::KeyedEntry { key, value } => self.call("=>", &[key, value]),
            Expr::SelectorEntry { matching, value } => self.call("=>", &[matching, value]),
            Expr::Case { test, options } => self.with_list("case", test, options),
            Expr::Selector { left, selectors } => self.with_list("?", left, selectors),
            Expr::CaseOption { values, then } => self.case_option(values, then),
            Expr::Query { exported: true, expr } => self.optional_call("exported-query", expr),
            Expr::Query { exported: false, expr } => self.optional_call("virtual-query", expr),
            Expr::Collect { type_, query, operations } => self.collect(type_, query, operations),
            Expr::AttributeOperation { name, append: true, value } => {
                self.text_and_node("+>", name, value);
            }
            Expr::AttributeOperation { name, append: false, value } => {
                self.text_and_node("=>", name, value);
            }
            Expr::AttributesOperation(expr) => self.call("splat-hash", &[expr]),
            Expr::Parameter { name, .. } => self.text(name),
            Expr::Named(named) => self.named(self.ast.named(named)),
            Expr::Node { matches, parent, body } => self.node_definition(matches, parent, body),
            Expr::TypeAlias { name, type_ } => self.text_and_node("type-alias", name, type_),
            Expr::TypeMapping { type_, mapping } => self.call("type-mapping", &[type_, mapping]),
            Expr::TypeDefinition(id) => self.type_definition(self.ast.type_definition(id)),
            Expr::Heredoc { text, syntax } => self.heredoc(text, syntax),
            Expr::Lambda { parameters, body, return_type } => {
                self.lambda(parameters, body, return_type);
            }
            Expr::Apply { arguments, body } => self.apply(arguments, body),
            Expr::If { test, then, otherwise } => self.conditional("if", test, then, otherwise),
            Expr::Unless { test, then, otherwise } => {
                self.conditional("unless", test, then, otherwise);
            }
            Expr::Call { kind, rvalue, functor, arguments, lambda } => {
                self.function_call(call_name(kind, rvalue), functor, arguments, lambda);
            }
            Expr::Regexp(source) => self.regexp(source),
            Expr::String(text) => self.text(text),
            Expr::Integer { digits, radix } => self.integer(digits, radix),
            Expr::Float(digits) => self.float(self.ast.float(digits)),
            Expr::Undef => self.writer.nil(),
            Expr::Default => self.empty_call("default"),
            Expr::Boolean(value) => self.writer.atom(if value { "true" } else { "false" }),
            Expr::QualifiedName(name) => self.text_call("qn", name),
            Expr::ReservedWord(word) => self.text_call("reserved", word),
            Expr::QualifiedReference(name) => self.text_call("qr", name),
            Expr::Variable(name) => self.variable(id, name),
            Expr::Epp { parameters_specified: _, body } => self.epp(body),
            Expr::RenderString(text) => self.text_call("render-s", text),
            Expr::ResourceBody { title, operations } => self.resource_body(title, operations),
            Expr::Resource { type_name, form, bodies } => {
                self.resource("resource", ("type", type_name), ("bodies", bodies), form);
            }
            Expr::ResourceDefaults { form, type_ref, operations } => {
                self.resource("resource-defaults", ("type", type_ref), ("ops", operations), form);
            }
            Expr::ResourceOverride { form, resources, operations } => {
                let left = ("resources", resources);
                self.resource("resource-override", left, ("ops", operations), form);
            }
        }
    }

    fn access(&mut self, left: ExprId, keys: ExprList) {
        self.writer.call("access");
        self.node(left);
        self.nodes(keys);
        self.writer.close();
    }

    fn named_access(&mut self, left: ExprId, name: Text) {
        self.writer.call(".");
        self.node(left);
        self.text_call("qn", name);
        self.writer.close();
    }

    fn case_option(&mut self, values: ExprList, then: Option<ExprId>) {
        self.writer.map();
        self.list_entry("when", values);
        self.block_entry("then", then);
        self.writer.close();
    }

    fn optional_call(&mut self, name: &str, expr: Option<ExprId>) {
        self.writer.call(name);
        if let Some(expr) = expr {
            self.node(expr);
        }
        self.writer.close();
    }

    fn text_and_node(&mut self, name: &str, text: Text, node: ExprId) {
        self.writer.call(name);
        self.text(text);
        self.node(node);
        self.writer.close();
    }

    fn type_definition(&mut self, definition: &TypeDefinition) {
        self.writer.call("type-definition");
        self.text(definition.name);
        match definition.parent {
            Some(parent) => self.text(parent),
            None => self.writer.nil(),
        }
        match definition.body {
            Some(body) => self.node(body),
            None => self.nop(),
        }
        self.writer.close();
    }

    fn heredoc(&mut self, text: ExprId, syntax: Text) {
        self.open_map("heredoc");
        if !syntax.is_empty() {
            self.writer.key("syntax");
            self.text(syntax);
        }
        self.entry("text", text);
        self.close_map();
    }

    fn lambda(&mut self, parameters: ExprList, body: Option<ExprId>, return_type: Option<ExprId>) {
        self.open_map("lambda");
        self.parameters(parameters);
        self.optional_entry("returns", return_type);
        self.body(body);
        self.close_map();
    }

    /// Writes `apply`. Puppet has no PN for it; it has the form of a call.
    fn apply(&mut self, arguments: ExprList, body: ExprId) {
        self.open_map("apply");
        self.list_entry("args", arguments);
        self.block_entry("body", Some(body));
        self.close_map();
    }

    fn function_call(
        &mut self,
        name: &str,
        functor: ExprId,
        arguments: ExprList,
        lambda: Option<ExprId>,
    ) {
        self.open_map(name);
        self.entry("functor", functor);
        self.list_entry("args", arguments);
        self.optional_entry("block", lambda);
        self.close_map();
    }

    fn regexp(&mut self, source: Text) {
        self.writer.call("regexp");
        self.writer.string(&regexp::with_options(self.ast.text(source)));
        self.writer.close();
    }

    fn float(&mut self, value: f64) {
        self.writer.atom(&float::to_s(value));
    }

    fn variable(&mut self, id: ExprId, name: Text) {
        self.writer.call("var");
        if self.ast.is_interpolated_boolean(id) {
            self.writer.atom(self.ast.text(name));
        } else {
            self.text(name);
        }
        self.writer.close();
    }

    fn epp(&mut self, body: Option<ExprId>) {
        self.writer.call("epp");
        self.statements(body);
        self.writer.close();
    }

    fn resource_body(&mut self, title: ExprId, operations: ExprList) {
        self.writer.map();
        self.entry("title", title);
        self.list_entry("ops", operations);
        self.writer.close();
    }

    fn unary(&mut self, op: UnaryOp, expr: ExprId) {
        let name = match op {
            UnaryOp::Paren => "paren",
            UnaryOp::Not => "!",
            UnaryOp::Minus => return self.minus(expr),
            UnaryOp::Unfold => "unfold",
            UnaryOp::Text => "str",
            UnaryOp::Render => "render",
        };
        self.call(name, &[expr]);
    }

    /// Writes a minus; a negative number is one literal.
    fn minus(&mut self, expr: ExprId) {
        match self.ast[expr] {
            Expr::Integer { digits, radix } => {
                let value = integer::to_decimal(self.ast.text(digits), radix);
                self.writer.atom(&if value == "0" { value } else { format!("-{value}") });
            }
            Expr::Float(digits) => {
                self.float(-self.ast.float(digits));
            }
            _ => self.call("-", &[expr]),
        }
    }

    fn integer(&mut self, digits: Text, radix: u32) {
        let value = integer::to_decimal(self.ast.text(digits), radix);
        if radix == 10 {
            return self.writer.atom(&value);
        }
        self.open_map("int");
        self.writer.key("radix");
        self.writer.atom(&radix.to_string());
        self.writer.key("value");
        self.writer.atom(&value);
        self.close_map();
    }

    fn named(&mut self, named: &Named) {
        self.open_map(match named.kind {
            NamedKind::Class => "class",
            NamedKind::Define => "define",
            NamedKind::Function => "function",
            NamedKind::Plan => "plan",
        });
        self.writer.key("name");
        self.text(named.name);
        if let Some(parent) = named.parent_class {
            self.writer.key("parent");
            self.text(parent);
        }
        self.parameters(named.parameters);
        self.body(named.body);
        self.optional_entry("returns", named.return_type);
        self.close_map();
    }

    fn node_definition(&mut self, matches: ExprList, parent: Option<ExprId>, body: Option<ExprId>) {
        self.open_map("node");
        self.list_entry("matches", matches);
        self.optional_entry("parent", parent);
        self.body(body);
        self.close_map();
    }

    fn parameters(&mut self, parameters: ExprList) {
        if parameters.is_empty() {
            return;
        }
        self.writer.key("params");
        self.writer.map();
        for &parameter in self.ast.list(parameters) {
            let Expr::Parameter { name, value, type_, captures_rest } = self.ast[parameter] else {
                continue;
            };
            self.writer.key(self.ast.text(name));
            self.writer.map();
            self.optional_entry("type", type_);
            if captures_rest {
                self.writer.key("splat");
                self.writer.atom("true");
            }
            self.optional_entry("value", value);
            self.writer.close();
        }
        self.writer.close();
    }

    fn collect(&mut self, type_: ExprId, query: ExprId, operations: ExprList) {
        self.open_map("collect");
        self.entry("type", type_);
        self.entry("query", query);
        if !operations.is_empty() {
            self.list_entry("ops", operations);
        }
        self.close_map();
    }

    fn conditional(
        &mut self,
        name: &str,
        test: ExprId,
        then: Option<ExprId>,
        otherwise: Option<ExprId>,
    ) {
        self.open_map(name);
        self.entry("test", test);
        if then.is_some() {
            self.block_entry("then", then);
        }
        if otherwise.is_some() {
            self.block_entry("else", otherwise);
        }
        self.close_map();
    }

    fn resource(
        &mut self,
        name: &str,
        (left_key, left): (&str, ExprId),
        (list_key, list): (&str, ExprList),
        form: Form,
    ) {
        self.open_map(name);
        self.entry(left_key, left);
        self.list_entry(list_key, list);
        if form != Form::Regular {
            self.writer.key("form");
            self.writer.string(form.as_str());
        }
        self.close_map();
    }

    fn body(&mut self, body: Option<ExprId>) {
        if body.is_some() {
            self.block_entry("body", body);
        }
    }

    /// Writes the statements of a block, or the single expression in its place.
    fn block_entry(&mut self, key: &str, block: Option<ExprId>) {
        self.writer.key(key);
        self.writer.list();
        match block {
            Some(_) => self.statements(block),
            None => self.nop(),
        }
        self.writer.close();
    }

    fn statements(&mut self, block: Option<ExprId>) {
        match block.map(|block| (block, self.ast[block])) {
            None => (),
            Some((_, Expr::Block(statements) | Expr::ApplyBlock(statements))) => {
                self.nodes(statements);
            }
            Some((single, _)) => self.node(single),
        }
    }

    fn nodes(&mut self, list: ExprList) {
        for &id in self.ast.list(list) {
            self.node(id);
        }
    }

    fn call(&mut self, name: &str, elements: &[ExprId]) {
        self.writer.call(name);
        for &element in elements {
            self.node(element);
        }
        self.writer.close();
    }

    fn list_call(&mut self, name: &str, list: ExprList) {
        self.writer.call(name);
        self.nodes(list);
        self.writer.close();
    }

    /// Writes a call with an expression and a list.
    fn with_list(&mut self, name: &str, first: ExprId, list: ExprList) {
        self.writer.call(name);
        self.node(first);
        self.writer.list();
        self.nodes(list);
        self.writer.close();
        self.writer.close();
    }

    fn text_call(&mut self, name: &str, text: Text) {
        self.writer.call(name);
        self.text(text);
        self.writer.close();
    }

    fn empty_call(&mut self, name: &str) {
        self.writer.call(name);
        self.writer.close();
    }

    fn nop(&mut self) {
        self.empty_call("nop");
    }

    fn text(&mut self, text: Text) {
        self.writer.string(self.ast.text(text));
    }

    /// Opens a call whose one element is a map.
    fn open_map(&mut self, name: &str) {
        self.writer.call(name);
        self.writer.map();
    }

    fn close_map(&mut self) {
        self.writer.close();
        self.writer.close();
    }

    fn entry(&mut self, key: &str, value: ExprId) {
        self.writer.key(key);
        self.node(value);
    }

    fn optional_entry(&mut self, key: &str, value: Option<ExprId>) {
        if let Some(value) = value {
            self.entry(key, value);
        }
    }

    fn list_entry(&mut self, key: &str, list: ExprList) {
        self.writer.key(key);
        self.writer.list();
        self.nodes(list);
        self.writer.close();
    }
}

fn call_name(kind: CallKind, rvalue: bool) -> &'static str {
    match (kind, rvalue) {
        (CallKind::Named, true) => "call",
        (CallKind::Named, false) => "invoke",
        (CallKind::Method, true) => "call-method",
        (CallKind::Method, false) => "invoke-method",
    }
}
