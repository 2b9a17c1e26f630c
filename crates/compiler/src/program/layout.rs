//! Which variables a class or define has, as far as its code tells.

use std::sync::Arc;

use kukla_base::Symbol;
use kukla_syntax::ast::{BinaryOp, Child, Expr, ExprId, ExprList, NamedKind};

use super::{NodeInfo, Parsed};
use crate::interpreter::table::Layout;

/// The variables that classes and defines have besides their parameters, in the order in which they are set.
const OWN_VARIABLES: [&str; 4] = ["module_name", "caller_module_name", "title", "name"];

impl Parsed {
    /// Finds the variables of a class or define, and numbers them where they are used.
    ///
    /// The number only says where to look first, so it does no harm where a block has a variable of the same name.
    pub(super) fn lay_out(
        &mut self,
        definition: ExprId,
        parameters: ExprList,
        body: Option<ExprId>,
    ) -> Option<Arc<Layout>> {
        let Expr::Named(named) = self.ast[definition] else { return None };
        match self.ast.named(named).kind {
            NamedKind::Class | NamedKind::Define => (),
            NamedKind::Function | NamedKind::Plan => return None,
        }
        let mut layout = Layout::default();
        self.ast.list(parameters).iter().for_each(|&parameter| layout.add(self.name(parameter)));
        OWN_VARIABLES.iter().for_each(|name| layout.add(Symbol::new(name)));
        let (mut uses, mut children) = (Vec::new(), Vec::new());
        let mut open: Vec<ExprId> = body.into_iter().collect();
        while let Some(id) = open.pop() {
            match self.ast[id] {
                // It has variables of its own.
                Expr::Named(_) => continue,
                Expr::Variable(_) => uses.push(id),
                Expr::Binary { op: BinaryOp::Assign(_), left, .. } => {
                    self.add_targets(left, &mut layout);
                }
                _ => (),
            }
            self.ast.push_children(id, &mut children);
            open.extend(children.drain(..).filter_map(Child::id));
        }
        for id in uses {
            if let NodeInfo::Variable(variable) = &mut self.infos[id.index()] {
                *variable = layout.numbered(variable.name);
            }
        }
        Some(Arc::new(layout))
    }

    /// Adds the variables that an assignment sets.
    fn add_targets(&self, left: ExprId, layout: &mut Layout) {
        match (self.ast[left], self.node_info(left)) {
            (Expr::List(targets), _) => {
                self.ast.list(targets).iter().for_each(|&target| self.add_targets(target, layout));
            }
            (_, NodeInfo::Variable(variable)) => layout.add(variable.name),
            _ => (),
        }
    }
}
