//! Members and calls.

use kukla_base::Span;

use super::build::Checker;
use super::scope::Reference;
use crate::ast::{BinaryOp, ExprId, LogicOp, Word};
use crate::issues;
use crate::module::{Member, PhaseRule, Returns, Run, Touches};
use crate::parser::text_op;
use crate::program::{Access, Node, NodeId};
use crate::token::Keyword;
use crate::types::{Plain, Type};
use kukla_base::nearest::likely;

impl Checker<'_> {
    /// Checks a name or member that is not called.
    pub(super) fn reference_value(&mut self, id: ExprId) -> NodeId {
        let span = self.ast.span(id);
        match self.reference(id) {
            Reference::Value(node) => node,
            Reference::Member { member, receiver } => match member.params {
                None => self.access(member, receiver, Vec::new(), span),
                Some(_) => self.add(Node::Nothing, span, Type::Function),
            },
            Reference::Parameter { .. } | Reference::Operator { .. } => {
                self.add(Node::Nothing, span, Type::Function)
            }
        }
    }

    /// `callee(args)`
    pub(super) fn call(&mut self, callee: ExprId, args: &[ExprId], span: Span) -> NodeId {
        match self.reference(callee) {
            Reference::Member { member, receiver } => {
                self.call_member(member, receiver, args, span)
            }
            Reference::Parameter { service, name } => {
                self.set_parameter(service, &name, args, span)
            }
            Reference::Operator { left, word } => self.call_operator(left, &word, args, span),
            Reference::Value(node) => {
                let is_unknown = self.type_of(node) == Type::Unknown;
                if !args.is_empty() && !is_unknown {
                    let source = &self.text[self.ast.span(callee).range()];
                    self.diagnostics.push(issues::not_callable(span, source));
                }
                for arg in args {
                    self.expression(*arg);
                }
                // A call without arguments on a value is the value.
                node
            }
        }
    }

    fn call_member(
        &mut self,
        member: &'static Member,
        receiver: Option<NodeId>,
        args: &[ExprId],
        span: Span,
    ) -> NodeId {
        let nodes: Vec<NodeId> = args.iter().map(|arg| self.expression(*arg)).collect();
        let (least, most) = member.arity();
        if nodes.len() < least || nodes.len() > most {
            let issue = issues::arity(span, &member.signature(), nodes.len());
            self.diagnostics.push(issue);
            return self.unknown(span);
        }
        let all_fit = nodes.iter().enumerate().fold(true, |all_fit, (index, node)| {
            let fits = self.check_argument(member, index, *node);
            all_fit && fits
        });
        if !all_fit {
            return self.unknown(span);
        }
        self.access(member, receiver, nodes, span)
    }

    fn check_argument(&mut self, member: &'static Member, index: usize, node: NodeId) -> bool {
        let Some(param) = member.param(index) else { return true };
        let type_ = self.type_of(node);
        let fits = param.types.iter().any(|wanted| match (wanted, type_) {
            (_, Type::Unknown) => true,
            (Returns::Module, Type::Plain(Plain::Module(_) | Plain::File(_))) => true,
            (wanted, Type::Plain(plain)) => wanted.plain() == Some(plain),
            (_, Type::Code(_) | Type::Function) => false,
        });
        if !fits {
            let words = param.types.iter().map(|type_| match type_.plain() {
                Some(plain) => plain.to_string(),
                None => "module".to_owned(),
            });
            let wanted = words.collect::<Vec<_>>().join(" or ");
            let context = format!("`{}` of `{}`", param.name, member.name);
            let span = self.span_of(node);
            self.diagnostics.push(issues::wrong_type(span, &wanted, type_, &context));
            return false;
        }
        type_ != Type::Unknown && self.check_form(param, node)
    }

    /// Adds the node of a member whose arguments were checked.
    pub(super) fn access(
        &mut self,
        member: &'static Member,
        receiver: Option<NodeId>,
        args: Vec<NodeId>,
        span: Span,
    ) -> NodeId {
        if member.phase == PhaseRule::Response && self.options.point == super::Point::Request {
            self.diagnostics.push(issues::wrong_phase(span, member.name));
        }
        if let Run::Special(special) = member.run {
            return self.special(special, member, &args, span);
        }
        let type_ = member.returns.plain().map_or(Type::Unknown, Type::Plain);
        let n_sizes: u64 =
            args.iter().map(|arg| self.facts(*arg).size).fold(0, u64::saturating_add);
        self.lint_preview(member, &args);
        self.lint_set(receiver, &args);
        let access = Access { member, receiver, args: args.into() };
        let node = match member.is_effect() {
            true => self.add(Node::Act(access), span, type_),
            false => self.add(Node::Read(access), span, type_),
        };
        let field = self.options.limits.field;
        if member.makes {
            let memory = n_sizes.max(field);
            self.facts_mut(node).cost.memory = self.facts(node).cost.memory.saturating_add(memory);
        }
        self.facts_mut(node).size = field;
        let traits = self.traits_mut(node);
        traits.acts |= member.is_effect();
        traits.reads |= member.touches == Touches::Reads;
        let is_certain =
            member.phase == PhaseRule::Response && self.options.point == super::Point::Response;
        if let (Some(when), false) = (member.fails, is_certain) {
            self.may_fail(node, when);
        }
        node
    }

    /// `service.toDialect("southern")`
    fn set_parameter(
        &mut self,
        service: NodeId,
        name: &Word,
        args: &[ExprId],
        span: Span,
    ) -> NodeId {
        let nodes: Vec<NodeId> = args.iter().map(|arg| self.expression(*arg)).collect();
        let [value] = nodes.as_slice() else {
            let issue = issues::arity(span, &format!("{}(value)", name.text), nodes.len());
            self.diagnostics.push(issue);
            return self.unknown(span);
        };
        if !self.check_parameter(service, name, *value) {
            return self.unknown(span);
        }
        let node = Node::SetParameter { service, name: name.text.clone(), value: *value };
        let node = self.add(node, span, Type::NOTHING);
        self.traits_mut(node).acts = true;
        let is_known =
            matches!(self.constant(service), Some(super::constant::Constant::Service(_)));
        if !is_known {
            self.may_fail(node, "the service does not take this parameter");
        }
        node
    }

    fn check_parameter(&mut self, service: NodeId, name: &Word, value: NodeId) -> bool {
        let value_type = self.type_of(value);
        let Type::Plain(plain) = value_type else {
            let context = format!("the value of `{}`", name.text);
            let span = self.span_of(value);
            if value_type != Type::Unknown {
                self.diagnostics.push(issues::wrong_type(span, "value", value_type, &context));
            }
            return false;
        };
        let Some(registry) = &self.options.registry else { return true };
        let services = match self.constant(service) {
            Some(super::constant::Constant::Service(index)) => {
                vec![&registry.services[usize::from(*index)]]
            }
            _ => registry.services.iter().collect(),
        };
        let types: Vec<Plain> = services
            .iter()
            .filter_map(|service| Some(service.parameter(&name.text)?.plain()))
            .collect();
        if types.contains(&plain) {
            return true;
        }
        let issue = match types.first() {
            Some(wanted) => {
                let context = format!("the parameter `{}`", name.text);
                issues::wrong_type(self.span_of(value), &wanted.to_string(), value_type, &context)
            }
            None => {
                let of = match services.as_slice() {
                    [service] => format!("the service `{}`", service.uri),
                    _ => "no service of the registry".to_owned(),
                };
                let names = services.iter().flat_map(|service| &service.parameters);
                let near = likely(&name.text, names.map(|(name, _)| name.as_str()));
                issues::unknown_parameter(name.span, &name.text, &of, near)
            }
        };
        self.diagnostics.push(issue);
        false
    }

    /// `a.contains(b)`, `a.and(b)`
    fn call_operator(&mut self, left: NodeId, word: &Word, args: &[ExprId], span: Span) -> NodeId {
        let [right] = args else {
            self.diagnostics.push(issues::operator_arity(word.span, &word.text, args.len()));
            return self.unknown(span);
        };
        let keyword = Keyword::ALL.iter().find(|(text, _)| **text == *word.text);
        if let Some(op) = keyword.and_then(|(_, keyword)| text_op(*keyword)) {
            let right = self.expression(*right);
            return self.operator(BinaryOp::Text(op), left, right, span);
        }
        let op = match &*word.text {
            "and" => LogicOp::And,
            "or" => LogicOp::Or,
            _ => LogicOp::Xor,
        };
        let was_strict = std::mem::replace(&mut self.is_strict, false);
        let right = self.boolean_operand(*right, &format!("an operand of `{}`", op.text()));
        self.is_strict = was_strict;
        if self.type_of(left) != Type::BOOLEAN {
            let issue = issues::bad_operands(span, op.text(), self.type_of(left), Type::BOOLEAN);
            self.diagnostics.push(issue);
            return self.unknown(span);
        }
        self.add(Node::Logic { op, operands: Box::new([left, right]) }, span, Type::BOOLEAN)
    }
}
