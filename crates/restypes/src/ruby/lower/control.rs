//! Lowers control flow: conditions, loops, jumps, `begin`.

use ruby_prism::{ArgumentsNode, Node as Prism};

use super::Lower;
use crate::ruby::{Node, What};

impl Lower {
    pub(super) fn condition(&mut self, node: &Prism<'_>) -> Option<What> {
        Some(match node {
            Prism::IfNode { .. } => {
                let node = node.as_if_node()?;
                let yes = self.statements(node.statements());
                let no = self.body(node.subsequent());
                What::If(self.boxed(&node.predicate()), Box::new(yes), Box::new(no))
            }
            Prism::UnlessNode { .. } => {
                let node = node.as_unless_node()?;
                let no = self.statements(node.statements());
                let yes = self.statements(node.else_clause().and_then(|node| node.statements()));
                What::If(self.boxed(&node.predicate()), Box::new(yes), Box::new(no))
            }
            Prism::ElseNode { .. } => self.statements(node.as_else_node()?.statements()).what,
            Prism::CaseNode { .. } => {
                let node = node.as_case_node()?;
                let subject = node.predicate().map(|subject| self.boxed(&subject));
                let mut whens = Vec::new();
                for when in node.conditions().iter().filter_map(|when| when.as_when_node()) {
                    whens.push((self.list(&when.conditions()), self.statements(when.statements())));
                }
                let no = self.statements(node.else_clause().and_then(|node| node.statements()));
                What::Case(subject, whens, Box::new(no))
            }
            Prism::AndNode { .. } => {
                let node = node.as_and_node()?;
                What::And(self.boxed(&node.left()), self.boxed(&node.right()))
            }
            Prism::OrNode { .. } => {
                let node = node.as_or_node()?;
                What::Or(self.boxed(&node.left()), self.boxed(&node.right()))
            }
            Prism::WhileNode { .. } => {
                What::Loop(Box::new(self.statements(node.as_while_node()?.statements())))
            }
            Prism::UntilNode { .. } => {
                What::Loop(Box::new(self.statements(node.as_until_node()?.statements())))
            }
            Prism::ForNode { .. } => {
                What::Loop(Box::new(self.statements(node.as_for_node()?.statements())))
            }
            _ => return None,
        })
    }

    pub(super) fn jump(&mut self, node: &Prism<'_>) -> Option<What> {
        Some(match node {
            Prism::ReturnNode { .. } => {
                What::Return(self.value(node.as_return_node()?.arguments()))
            }
            Prism::NextNode { .. } => What::Next(self.value(node.as_next_node()?.arguments())),
            Prism::BreakNode { .. } => What::Break(self.value(node.as_break_node()?.arguments())),
            Prism::BeginNode { .. } => {
                let begin = node.as_begin_node()?;
                let mut body = vec![self.statements(begin.statements())];
                body.extend(begin.else_clause().map(|node| self.statements(node.statements())));
                body.extend(begin.ensure_clause().map(|node| self.statements(node.statements())));
                let rescue = begin.rescue_clause().map(|node| self.statements(node.statements()));
                // An `ensure` is not the value of its body in Ruby; types never use the value of such a body.
                let line = body.first().map_or(0, |node| node.line);
                let body = Node { what: What::Seq(body), line };
                match rescue {
                    Some(rescue) => What::Rescue(Box::new(body), Box::new(rescue)),
                    None => body.what,
                }
            }
            Prism::RescueModifierNode { .. } => {
                let node = node.as_rescue_modifier_node()?;
                What::Rescue(self.boxed(&node.expression()), self.boxed(&node.rescue_expression()))
            }
            _ => return None,
        })
    }

    /// Returns the value of `return`, `next` or `break`: several arguments are an array.
    fn value(&mut self, arguments: Option<ArgumentsNode<'_>>) -> Option<Box<Node>> {
        let mut args = self.arguments(arguments);
        match args.len() {
            0 => None,
            1 => args.pop().map(Box::new),
            _ => {
                let line = args[0].line;
                Some(Box::new(Node { what: What::Array(args), line }))
            }
        }
    }
}
