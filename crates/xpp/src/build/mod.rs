//! Construction of a tree from the numbers and strings of `flat`.
//!
//! The other encodings are converted to such numbers too, so this is the only code that builds trees.
//! No input is trusted: whatever the numbers, the tree is one that Puppet's model allows.

mod parts;

use kukla_base::Span;
use parts::{
    NodeKind, arithmetic, assignment, comparison, flag, kind, matching, relationship, take,
};

use super::XppError;
use super::model::class;
use kukla_syntax::ast::{
    Ast, BinaryOp, CallKind, Expr, ExprId, Named, NamedKind, Text, TypeDefinition, UnaryOp,
};

/// A source of numbers, in the order of reading.
pub(super) trait Code {
    /// Returns the next `N` numbers; `None` if there are fewer.
    fn take<const N: usize>(&mut self) -> Option<[u32; N]>;
    /// Returns whether there are no more.
    fn is_done(&self) -> bool;
}

impl Code for &[u32] {
    fn take<const N: usize>(&mut self) -> Option<[u32; N]> {
        let (head, rest) = self.split_first_chunk::<N>()?;
        *self = rest;
        Some(*head)
    }

    fn is_done(&self) -> bool {
        self.is_empty()
    }
}

/// Builds the tree of `code` into an empty tree.
///
/// `texts` are the strings that the code refers to, which the tree holds already.
pub(super) fn build(ast: Ast, texts: &[Text], mut code: impl Code) -> Result<Ast, XppError> {
    let limit = u32::try_from(ast.source().len()).unwrap_or(u32::MAX);
    let stack = Vec::with_capacity(64);
    let mut build = Build { ast, texts, limit, stack, n_parts: 0, n_placed: 0 };
    while let Some([class, start, len]) = code.take() {
        let end = start.checked_add(len).filter(|&end| end <= limit);
        end.ok_or(Flaw::Outside)?;
        build.node(class, Span::new(start, len), &mut code)?;
    }
    if !code.is_done() {
        return Err(XppError::Truncated);
    }
    if build.n_parts != build.n_placed {
        return Err(Flaw::WrongChild.into());
    }
    match build.stack[..] {
        [] => (),
        [body] => build.ast.set_body(body),
        _ => return Err(XppError::Corrupt("there are nodes that belong to no other")),
    }
    Ok(build.ast)
}

struct Build<'t> {
    ast: Ast,
    texts: &'t [Text],
    /// The size of the source.
    limit: u32,
    /// Nodes that have no parent yet.
    stack: Vec<ExprId>,
    /// The number of nodes that are not expressions, such as the entries of a hash.
    n_parts: u32,
    /// The number of these that were placed in a list of their kind. At the end all of them must be, which implies that
    /// all other children are expressions; this avoids a check per child.
    n_placed: u32,
}

/// The reason why there is no tree. A byte, since every step of building may fail.
#[derive(Clone, Copy)]
enum Flaw {
    Truncated,
    NoClass,
    NoChild,
    WrongChild,
    NoOperator,
    NoForm,
    NoText,
    BadFlag,
    BadNumber,
    Outside,
    OddName,
}

type Built<T> = Result<T, Flaw>;

impl From<Flaw> for XppError {
    #[cold]
    fn from(flaw: Flaw) -> Self {
        Self::Corrupt(match flaw {
            Flaw::Truncated => return Self::Truncated,
            Flaw::NoClass => "there is no such class of nodes",
            Flaw::NoChild => "a node has too few children",
            Flaw::WrongChild => "a node has a child of the wrong kind",
            Flaw::NoOperator => "there is no such operator",
            Flaw::NoForm => "there is no such form of a resource",
            Flaw::NoText => "there is no such string",
            Flaw::BadFlag => "a truth value is neither true nor false",
            Flaw::BadNumber => "a literal number is none",
            Flaw::Outside => "a node lies outside of the source",
            Flaw::OddName => "the name of a method is at an odd place",
        })
    }
}

impl Build<'_> {
    /// Reads the attributes of a node and adds it.
    ///
    /// The last children lie on top of the stack, so they are taken from the last attribute to the first.
    #[expect(clippy::too_many_lines, reason = "a list of all classes, an arm each")]
    #[inline]
    fn node(&mut self, class: u32, span: Span, code: &mut impl Code) -> Built<()> {
        let expr = match class {
            class::NAMED_VARIABLE => {
                let [start, len, name] = take(code)?;
                let expr = Expr::Variable(self.text(name)?);
                self.name_span(span, Span::new(start, len))?;
                expr
            }
            class::LITERAL_STRING => {
                let [value] = take(code)?;
                Expr::String(self.text(value)?)
            }
            class::QUALIFIED_NAME => {
                let [value] = take(code)?;
                Expr::QualifiedName(self.text(value)?)
            }
            class::QUALIFIED_REFERENCE => {
                let [value] = take(code)?;
                Expr::QualifiedReference(self.text(value)?)
            }
            class::RENDER_STRING_EXPRESSION => {
                let [value] = take(code)?;
                Expr::RenderString(self.text(value)?)
            }
            class::RESERVED_WORD => {
                let [word, future] = take(code)?;
                flag(future)?;
                Expr::ReservedWord(self.text(word)?)
            }
            class::NOP => Expr::Nop,
            class::LITERAL_UNDEF => Expr::Undef,
            class::LITERAL_DEFAULT => Expr::Default,
            class::LITERAL_BOOLEAN => {
                let [value] = take(code)?;
                Expr::Boolean(flag(value)?)
            }
            class::LITERAL_INTEGER => {
                let [value, radix] = take(code)?;
                self.integer(self.text(value)?, self.text(radix)?, span)?
            }
            class::LITERAL_FLOAT => {
                let [value] = take(code)?;
                self.float(self.text(value)?, span)?
            }
            class::LITERAL_REGULAR_EXPRESSION => {
                let [value, pattern] = take(code)?;
                self.text(pattern)?;
                Expr::Regexp(self.text(value)?)
            }
            class::VARIABLE_EXPRESSION => {
                let [name] = take(code)?;
                let (name, place) = self.name(name)?;
                self.name_span(span, place)?;
                Expr::Variable(name)
            }
            class::NAMED_ACCESS_EXPRESSION => {
                let [left, right] = take(code)?;
                let (name, place) = self.name(right)?;
                if place != Span::new(span.start, 0) {
                    return Err(Flaw::OddName);
                }
                Expr::NamedAccess { left: self.required(left)?, name }
            }
            class::PARENTHESIZED_EXPRESSION => self.unary(UnaryOp::Paren, code)?,
            class::NOT_EXPRESSION => self.unary(UnaryOp::Not, code)?,
            class::UNARY_MINUS_EXPRESSION => self.unary(UnaryOp::Minus, code)?,
            class::UNFOLD_EXPRESSION => self.unary(UnaryOp::Unfold, code)?,
            class::TEXT_EXPRESSION => self.unary(UnaryOp::Text, code)?,
            class::RENDER_EXPRESSION => self.unary(UnaryOp::Render, code)?,
            class::ASSIGNMENT_EXPRESSION => self.operator(code, assignment)?,
            class::ARITHMETIC_EXPRESSION => self.operator(code, arithmetic)?,
            class::RELATIONSHIP_EXPRESSION => self.operator(code, relationship)?,
            class::COMPARISON_EXPRESSION => self.operator(code, comparison)?,
            class::MATCH_EXPRESSION => self.operator(code, matching)?,
            class::IN_EXPRESSION => self.binary(BinaryOp::In, code)?,
            class::AND_EXPRESSION => self.binary(BinaryOp::And, code)?,
            class::OR_EXPRESSION => self.binary(BinaryOp::Or, code)?,
            class::ACCESS_EXPRESSION => {
                let [left, keys] = take(code)?;
                let keys = self.expressions(keys)?;
                Expr::Access { left: self.required(left)?, keys }
            }
            class::LITERAL_LIST => Expr::List(self.only_expressions(code)?),
            class::BLOCK_EXPRESSION => Expr::Block(self.only_expressions(code)?),
            class::APPLY_BLOCK_EXPRESSION => Expr::ApplyBlock(self.only_expressions(code)?),
            class::CONCATENATED_STRING => Expr::Concat(self.only_expressions(code)?),
            class::LITERAL_HASH => {
                let [entries] = take(code)?;
                Expr::Hash(self.parts(entries, |expr| matches!(expr, Expr::KeyedEntry { .. }))?)
            }
            class::KEYED_ENTRY => {
                let [key, value] = take(code)?;
                let value = self.required(value)?;
                Expr::KeyedEntry { key: self.required(key)?, value }
            }
            class::CASE_EXPRESSION => {
                let [test, options] = take(code)?;
                let options =
                    self.nodes(options, |expr| matches!(expr, Expr::CaseOption { .. }))?;
                Expr::Case { test: self.required(test)?, options }
            }
            class::CASE_OPTION => {
                let [values, then] = take(code)?;
                let then = self.optional(then)?;
                Expr::CaseOption { values: self.expressions(values)?, then }
            }
            class::EXPORTED_QUERY | class::VIRTUAL_QUERY => {
                let [expr] = take(code)?;
                let exported = class == class::EXPORTED_QUERY;
                Expr::Query { exported, expr: self.optional(expr)? }
            }
            class::COLLECT_EXPRESSION => {
                let [type_, query, operations] = take(code)?;
                let operations = self.operations(operations)?;
                let query = self.child(query, |expr| matches!(expr, Expr::Query { .. }))?;
                Expr::Collect { type_: self.required(type_)?, query, operations }
            }
            class::ATTRIBUTE_OPERATION => {
                let [name, operator, value] = take(code)?;
                let append = match self.letters(operator)? {
                    b"=>" => false,
                    b"+>" => true,
                    _ => return Err(Flaw::NoOperator),
                };
                let value = self.required(value)?;
                Expr::AttributeOperation { name: self.text(name)?, append, value }
            }
            class::ATTRIBUTES_OPERATION => {
                let [expr] = take(code)?;
                Expr::AttributesOperation(self.required(expr)?)
            }
            class::PARAMETER => {
                let [name, value, type_, captures_rest] = take(code)?;
                let type_ = self.optional(type_)?;
                let value = self.optional(value)?;
                let captures_rest = flag(captures_rest)?;
                Expr::Parameter { name: self.text(name)?, value, type_, captures_rest }
            }
            class::HOST_CLASS_DEFINITION => {
                let [name, parameters, body, parent] = take(code)?;
                let named = self.named(NamedKind::Class, name, (parameters, body))?;
                self.add_named(Named { parent_class: self.optional_text(parent)?, ..named })
            }
            class::RESOURCE_TYPE_DEFINITION => {
                let [name, parameters, body] = take(code)?;
                let named = self.named(NamedKind::Define, name, (parameters, body))?;
                self.add_named(named)
            }
            class::FUNCTION_DEFINITION | class::PLAN_DEFINITION => {
                let [name, parameters, body, return_type] = take(code)?;
                let return_type = self.optional(return_type)?;
                let is_plan = class == class::PLAN_DEFINITION;
                let kind = if is_plan { NamedKind::Plan } else { NamedKind::Function };
                let named = self.named(kind, name, (parameters, body))?;
                self.add_named(Named { return_type, ..named })
            }
            class::NODE_DEFINITION => {
                let [matches, parent, body] = take(code)?;
                let body = self.optional(body)?;
                let parent = self.optional(parent)?;
                Expr::Node { matches: self.expressions(matches)?, parent, body }
            }
            class::TYPE_ALIAS => {
                let [name, type_] = take(code)?;
                Expr::TypeAlias { name: self.text(name)?, type_: self.required(type_)? }
            }
            class::TYPE_MAPPING => {
                let [type_, mapping] = take(code)?;
                let mapping = self.required(mapping)?;
                Expr::TypeMapping { type_: self.required(type_)?, mapping }
            }
            class::TYPE_DEFINITION => {
                let [name, parent, body] = take(code)?;
                let (name, parent) = (self.text(name)?, self.optional_text(parent)?);
                let body = self.optional(body)?;
                let definition = TypeDefinition { name, parent, body };
                Expr::TypeDefinition(self.ast.add_type_definition(definition))
            }
            class::HEREDOC_EXPRESSION => {
                let [text, syntax] = take(code)?;
                let syntax = self.optional_text(syntax)?.unwrap_or_default();
                Expr::Heredoc { text: self.required(text)?, syntax }
            }
            class::LAMBDA_EXPRESSION => {
                let [parameters, body, return_type] = take(code)?;
                let return_type = self.optional(return_type)?;
                let body = self.optional(body)?;
                Expr::Lambda { parameters: self.parameters(parameters)?, body, return_type }
            }
            class::APPLY_EXPRESSION => {
                let [arguments, body] = take(code)?;
                let body = self.required(body)?;
                Expr::Apply { arguments: self.expressions(arguments)?, body }
            }
            class::IF_EXPRESSION => {
                let (test, then, otherwise) = self.conditional(code)?;
                Expr::If { test, then, otherwise }
            }
            class::UNLESS_EXPRESSION => {
                let (test, then, otherwise) = self.conditional(code)?;
                Expr::Unless { test, then, otherwise }
            }
            class::CALL_NAMED_FUNCTION_EXPRESSION => self.call(CallKind::Named, code)?,
            class::CALL_METHOD_EXPRESSION => self.call(CallKind::Method, code)?,
            class::EPP_EXPRESSION => {
                let [parameters_specified, body] = take(code)?;
                let parameters_specified = flag(parameters_specified)?;
                Expr::Epp { parameters_specified, body: self.optional(body)? }
            }
            class::RESOURCE_BODY => {
                let [title, operations] = take(code)?;
                let operations = self.operations(operations)?;
                Expr::ResourceBody { title: self.required(title)?, operations }
            }
            class::RESOURCE_EXPRESSION => {
                let [type_name, form, bodies] = take(code)?;
                let bodies =
                    self.parts(bodies, |expr| matches!(expr, Expr::ResourceBody { .. }))?;
                let form = self.form(form)?;
                Expr::Resource { type_name: self.required(type_name)?, form, bodies }
            }
            class::RESOURCE_DEFAULTS_EXPRESSION => {
                let [form, type_ref, operations] = take(code)?;
                let operations = self.operations(operations)?;
                let form = self.form(form)?;
                Expr::ResourceDefaults { form, type_ref: self.required(type_ref)?, operations }
            }
            class::RESOURCE_OVERRIDE_EXPRESSION => {
                let [resources, form, operations] = take(code)?;
                let operations = self.operations(operations)?;
                let form = self.form(form)?;
                Expr::ResourceOverride { form, resources: self.required(resources)?, operations }
            }
            class::SELECTOR_EXPRESSION => {
                let [left, selectors] = take(code)?;
                let selectors =
                    self.parts(selectors, |expr| matches!(expr, Expr::SelectorEntry { .. }))?;
                Expr::Selector { left: self.required(left)?, selectors }
            }
            class::SELECTOR_ENTRY => {
                let [matching, value] = take(code)?;
                let value = self.required(value)?;
                Expr::SelectorEntry { matching: self.required(matching)?, value }
            }
            _ => return Err(Flaw::NoClass),
        };
        let id = self.ast.add(expr, span);
        match kind(&expr) {
            NodeKind::Plain => (),
            NodeKind::Part => self.n_parts += 1,
            NodeKind::Definition => self.ast.add_definition(id),
        }
        self.stack.push(id);
        Ok(())
    }
}
