//! Rules of `data_access`, which have conditions as data have.

use std::sync::Arc;

use kukla_base::Source;
use kukla_syntax::ast::ExprId;
use kukla_syntax::data::{self, Item};

use super::tree::Tree;
use super::{PdlError, without_errors};
use crate::access::{Rule, Subject};
use crate::{Fault, Host};

/// The condition of a rule.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    tree: Arc<Tree>,
    id: ExprId,
}

impl Condition {
    /// Returns whether it holds.
    pub(crate) fn holds(&self, host: &mut dyn Host) -> Result<bool, Fault> {
        self.tree.holds(self.id, host)
    }
}

/// Parses a file of rules.
pub(crate) fn parse_rules(text: &str) -> Result<Vec<Rule>, PdlError> {
    let data = without_errors(data::check_access(text))?;
    let (tree, source) = (Arc::new(Tree::new(data.ast)), Source::new("", text));
    let rules = data.statements.into_iter().filter_map(|statement| {
        let Item::Rule { subject, pattern } = statement.item else { return None };
        let subject = match subject {
            data::Subject::Key => Subject::Key,
            data::Subject::File => Subject::File,
        };
        let pattern = tree.text(pattern).into();
        let line = source.line(statement.span.start);
        let condition = statement.condition.map(|id| Condition { tree: Arc::clone(&tree), id });
        Some(Rule { subject, pattern, line, condition })
    });
    Ok(rules.collect())
}
