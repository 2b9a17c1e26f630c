//! Assignments.

use ruby_prism::Node as Prism;

use super::{Lower, name, nil};
use crate::ruby::{Node, Op, What};

impl Lower {
    pub(super) fn write(&mut self, node: &Prism<'_>) -> Option<What> {
        Some(match node {
            Prism::LocalVariableWriteNode { .. } => {
                let write = node.as_local_variable_write_node()?;
                What::SetLocal(name(&write.name()), self.boxed(&write.value()))
            }
            Prism::InstanceVariableWriteNode { .. } => {
                let write = node.as_instance_variable_write_node()?;
                What::SetInstanceVar(name(&write.name()), self.boxed(&write.value()))
            }
            Prism::ConstantWriteNode { .. } => {
                let write = node.as_constant_write_node()?;
                What::SetConst(name(&write.name()), self.boxed(&write.value()))
            }
            Prism::MultiWriteNode { .. } => {
                let write = node.as_multi_write_node()?;
                let target =
                    |node: Prism<'_>| Some(name(&node.as_local_variable_target_node()?.name()));
                let targets = write.lefts().iter().map(target).collect();
                What::SetMany(targets, self.boxed(&write.value()))
            }
            _ => return self.update(node),
        })
    }

    fn update(&mut self, node: &Prism<'_>) -> Option<What> {
        let (target, op, value) = match node {
            Prism::LocalVariableOrWriteNode { .. } => {
                let write = node.as_local_variable_or_write_node()?;
                (What::Local(name(&write.name())), Op::Or, write.value())
            }
            Prism::LocalVariableAndWriteNode { .. } => {
                let write = node.as_local_variable_and_write_node()?;
                (What::Local(name(&write.name())), Op::And, write.value())
            }
            Prism::LocalVariableOperatorWriteNode { .. } => {
                let write = node.as_local_variable_operator_write_node()?;
                let op = Op::Method(name(&write.binary_operator()));
                (What::Local(name(&write.name())), op, write.value())
            }
            Prism::InstanceVariableOrWriteNode { .. } => {
                let write = node.as_instance_variable_or_write_node()?;
                (What::InstanceVar(name(&write.name())), Op::Or, write.value())
            }
            Prism::InstanceVariableOperatorWriteNode { .. } => {
                let write = node.as_instance_variable_operator_write_node()?;
                let op = Op::Method(name(&write.binary_operator()));
                (What::InstanceVar(name(&write.name())), op, write.value())
            }
            Prism::ConstantOrWriteNode { .. } => {
                let write = node.as_constant_or_write_node()?;
                (What::Const(None, name(&write.name())), Op::Or, write.value())
            }
            _ => return None,
        };
        let line = nil(0).line;
        Some(What::Update(Box::new(Node { what: target, line }), op, self.boxed(&value)))
    }
}
