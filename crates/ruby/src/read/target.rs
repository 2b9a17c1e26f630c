//! Targets of assignments.

use ruby_prism::{Node as P, NodeList};

use super::lower::{Lower, Lowered, name};
use super::tree::{IVar, Multi, Target};

impl Lower {
    pub(super) fn target(&mut self, node: &P<'_>) -> Lowered<Target> {
        if let Some(n) = node.as_local_variable_target_node() {
            return Ok(Target::Local(self.slot(&n.name(), n.depth())));
        }
        if let Some(n) = node.as_required_parameter_node() {
            return Ok(Target::Local(self.slot(&n.name(), 0)));
        }
        if let Some(n) = node.as_instance_variable_target_node() {
            return Ok(Target::IVar(IVar::new(name(&n.name()))));
        }
        if let Some(n) = node.as_global_variable_target_node() {
            return Ok(Target::GVar(name(&n.name())));
        }
        if let Some(n) = node.as_class_variable_target_node() {
            return Ok(Target::CVar(name(&n.name())));
        }
        if let Some(n) = node.as_constant_target_node() {
            return Ok(Target::Const(None, name(&n.name())));
        }
        if let Some(n) = node.as_index_target_node() {
            return Ok(Target::Index(self.node(&n.receiver())?, self.arguments(n.arguments())?));
        }
        if let Some(n) = node.as_call_target_node() {
            let recv = self.node(&n.receiver())?;
            return Ok(Target::Attr { recv, name: name(&n.name()), safe: n.is_safe_navigation() });
        }
        if let Some(n) = node.as_multi_target_node() {
            let multi = self.multi(&n.lefts(), n.rest(), &n.rights())?;
            return Ok(Target::Multi(Box::new(multi)));
        }
        self.refuse("assignment", node)
    }

    pub(super) fn multi(
        &mut self,
        left: &NodeList<'_>,
        rest: Option<P<'_>>,
        right: &NodeList<'_>,
    ) -> Lowered<Multi> {
        let left = left.iter().map(|node| self.target(&node)).collect::<Lowered<_>>()?;
        let rest = match rest {
            None => None,
            Some(node) if node.as_implicit_rest_node().is_some() => Some(None),
            Some(node) => {
                let named = node.as_splat_node().and_then(|splat| splat.expression());
                Some(named.map(|node| self.target(&node)).transpose()?)
            }
        };
        let right = right.iter().map(|node| self.target(&node)).collect::<Lowered<_>>()?;
        Ok(Multi { left, rest, right })
    }
}
