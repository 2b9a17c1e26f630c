//! Rules of `data_access`, whose conditions are those of PDL.

use std::sync::Arc;

use kukla_base::Source;
use kukla_syntax::ast::ExprId;
use kukla_syntax::data::{self, Item};

use super::tree::Tree;
use super::{PdlError, without_errors};
use crate::access::{Rule, Subject};

/// The condition of a rule.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub(super) tree: Arc<Tree>,
    pub(super) id: ExprId,
}

/// Parses a file of rules.
pub(crate) fn parse_rules(text: &str) -> Result<Vec<Rule>, PdlError> {
    let data = without_errors(data::check_access(text))?;
    let (tree, source) = (Arc::new(Tree::new(data.ast)), Source::new("", text));
    let rules = data.statements.into_iter().filter_map(|statement| {
        // Validation refuses rules without a condition.
        let (Item::Rule { subject, pattern }, Some(id)) = (statement.item, statement.condition)
        else {
            return None;
        };
        let subject = match subject {
            data::Subject::Key => Subject::Key,
            data::Subject::File => Subject::File,
        };
        let pattern = tree.text(pattern).into();
        let line = source.line(statement.span.start);
        Some(Rule { subject, pattern, line, condition: Condition { tree: Arc::clone(&tree), id } })
    });
    Ok(rules.collect())
}
