//! Assignments: `a = b`, `a ||= b`, `a += b`, `a, b = c`.

use ruby_prism::{ConstantId, ConstantPathNode, Node as P};

use super::lower::{Lower, Lowered, name};
use super::tree::{IVar, Kind, Name, Op, OpAssign, Target};

impl Lower {
    fn assign(&mut self, target: Target, value: &P<'_>) -> Lowered<Kind> {
        Ok(Kind::Assign(Box::new(target), self.boxed(value)?))
    }

    fn op(&mut self, target: Target, op: Op, value: &P<'_>) -> Lowered<Kind> {
        if let Op::Call(id) = &op {
            self.uses.methods.push((id.clone(), 0));
        }
        let value = self.node(value)?;
        Ok(Kind::OpAssign(Box::new(OpAssign { target, op, value })))
    }

    fn local(&mut self, id: &ConstantId<'_>, depth: u32) -> Target {
        Target::Local(self.slot(id, depth))
    }

    fn constant(&mut self, id: Name) -> Target {
        self.uses.defines_constants.push(id.clone());
        Target::Const(None, id)
    }

    fn path(&mut self, path: &ConstantPathNode<'_>) -> Lowered<Target> {
        let Some(id) = path.name() else { return self.refuse("constant", &path.as_node()) };
        let parent = path.parent().map(|node| self.node(&node)).transpose()?;
        self.uses.defines_constants.push(name(&id));
        Ok(Target::Const(parent, name(&id)))
    }

    pub(super) fn assignment(&mut self, node: &P<'_>) -> Lowered<Kind> {
        macro_rules! writes {
            ($($write:ident $or:ident $and:ident $op:ident |$n:ident| $target:expr;)*) => {$(
                if let Some($n) = node.$write() { let t = $target; return self.assign(t, &$n.value()); }
                if let Some($n) = node.$or() { let t = $target; return self.op(t, Op::Or, &$n.value()); }
                if let Some($n) = node.$and() { let t = $target; return self.op(t, Op::And, &$n.value()); }
                if let Some($n) = node.$op() {
                    let t = $target;
                    let op = Op::Call(name(&$n.binary_operator()));
                    return self.op(t, op, &$n.value());
                }
            )*};
        }
        writes! {
            as_local_variable_write_node as_local_variable_or_write_node as_local_variable_and_write_node
                as_local_variable_operator_write_node |n| self.local(&n.name(), n.depth());
            as_instance_variable_write_node as_instance_variable_or_write_node as_instance_variable_and_write_node
                as_instance_variable_operator_write_node |n| Target::IVar(IVar::new(name(&n.name())));
            as_global_variable_write_node as_global_variable_or_write_node as_global_variable_and_write_node
                as_global_variable_operator_write_node |n| Target::GVar(name(&n.name()));
            as_class_variable_write_node as_class_variable_or_write_node as_class_variable_and_write_node
                as_class_variable_operator_write_node |n| Target::CVar(name(&n.name()));
            as_constant_write_node as_constant_or_write_node as_constant_and_write_node
                as_constant_operator_write_node |n| self.constant(name(&n.name()));
            as_constant_path_write_node as_constant_path_or_write_node as_constant_path_and_write_node
                as_constant_path_operator_write_node |n| self.path(&n.target())?;
        }
        self.index_or_attribute(node)
    }

    fn index_or_attribute(&mut self, node: &P<'_>) -> Lowered<Kind> {
        macro_rules! index {
            ($method:ident, |$n:ident| $op:expr) => {
                if let Some($n) = node.$method() {
                    let Some(recv) = $n.receiver() else {
                        return self.refuse("index of self", node);
                    };
                    let target = Target::Index(self.node(&recv)?, self.arguments($n.arguments())?);
                    return self.op(target, $op, &$n.value());
                }
            };
        }
        index!(as_index_or_write_node, |n| Op::Or);
        index!(as_index_and_write_node, |n| Op::And);
        index!(as_index_operator_write_node, |n| Op::Call(name(&n.binary_operator())));
        macro_rules! attribute {
            ($method:ident, |$n:ident| $op:expr) => {
                if let Some($n) = node.$method() {
                    let Some(recv) = $n.receiver() else {
                        return self.refuse("attribute of self", node);
                    };
                    let recv = self.node(&recv)?;
                    let target = Target::Attr {
                        recv,
                        name: name(&$n.write_name()),
                        safe: $n.is_safe_navigation(),
                    };
                    return self.op(target, $op, &$n.value());
                }
            };
        }
        attribute!(as_call_or_write_node, |n| Op::Or);
        attribute!(as_call_and_write_node, |n| Op::And);
        attribute!(as_call_operator_write_node, |n| Op::Call(name(&n.binary_operator())));
        if let Some(n) = node.as_multi_write_node() {
            let multi = self.multi(&n.lefts(), n.rest(), &n.rights())?;
            return Ok(Kind::MultiAssign(Box::new(multi), self.boxed(&n.value())?));
        }
        let text = String::from_utf8_lossy(node.location().as_slice()).into_owned();
        let start: String = text.chars().take(30).collect();
        self.refuse(format!("expression {start:?}"), node)
    }
}
