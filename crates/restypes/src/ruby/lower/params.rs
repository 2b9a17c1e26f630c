//! Parameters of blocks and methods.

use std::rc::Rc;

use ruby_prism::{Node as Prism, ParametersNode};

use super::{Lower, name};
use crate::ruby::Params;

impl Lower {
    pub(super) fn block_params(&mut self, node: Option<Prism<'_>>) -> Params {
        let Some(node) = node else { return Params::default() };
        if let Some(params) = node.as_block_parameters_node().and_then(|node| node.parameters()) {
            return self.params(&params);
        }
        let required = match node.as_numbered_parameters_node() {
            Some(numbered) => {
                (1..=numbered.maximum()).map(|n| vec![format!("_{n}").into()]).collect()
            }
            None if node.as_it_parameters_node().is_some() => vec![vec!["it".into()]],
            None => Vec::new(),
        };
        Params { required, ..Params::default() }
    }

    pub(super) fn params(&mut self, node: &ParametersNode<'_>) -> Params {
        let optional = node.optionals().iter().filter_map(|node| node.as_optional_parameter_node());
        let optional =
            optional.map(|node| (name(&node.name()), self.node(&node.value()))).collect();
        let rest = node.rest().and_then(|node| node.as_rest_parameter_node()?.name());
        let keyword_rest = node.keyword_rest();
        let keyword_rest = keyword_rest.and_then(|n| n.as_keyword_rest_parameter_node()?.name());
        Params {
            required: node.requireds().iter().map(|node| required(&node)).collect(),
            optional,
            rest: rest.map(|id| name(&id)),
            last: node.posts().iter().flat_map(|node| required(&node)).collect(),
            keywords: self.keywords(node),
            keyword_rest: keyword_rest.map(|id| name(&id)),
            block: node
                .block()
                .and_then(|n| n.as_block_parameter_node()?.name())
                .map(|id| name(&id)),
        }
    }

    fn keywords(&mut self, node: &ParametersNode<'_>) -> Vec<(Rc<str>, Option<crate::ruby::Node>)> {
        let mut keywords = Vec::new();
        for keyword in &node.keywords() {
            if let Some(keyword) = keyword.as_required_keyword_parameter_node() {
                keywords.push((name(&keyword.name()), None));
            } else if let Some(keyword) = keyword.as_optional_keyword_parameter_node() {
                keywords.push((name(&keyword.name()), Some(self.node(&keyword.value()))));
            }
        }
        keywords
    }
}

/// One name, or those of `(a, b)`.
fn required(node: &Prism<'_>) -> Vec<Rc<str>> {
    if let Some(target) = node.as_multi_target_node() {
        return target.lefts().iter().flat_map(|node| required(&node)).collect();
    }
    node.as_required_parameter_node().map(|node| name(&node.name())).into_iter().collect()
}
