//! Parameters of methods and blocks.

use ruby_prism::{Node as P, ParametersNode};

use super::lower::{Lower, Lowered, name};
use super::tree::{Keyword, Params, Slot, Target};

impl Lower {
    pub(super) fn block_params(&mut self, node: Option<P<'_>>) -> Lowered<Params> {
        let Some(node) = node else { return Ok(Params::default()) };
        if let Some(block) = node.as_block_parameters_node() {
            return self.params(block.parameters());
        }
        if let Some(numbered) = node.as_numbered_parameters_node() {
            let n = u32::from(numbered.maximum());
            let target = |index| Target::Local(Slot { depth: 0, index });
            return Ok(Params { required: (0..n).map(target).collect(), ..Params::default() });
        }
        self.refuse("parameters", &node)
    }

    pub(super) fn params(&mut self, node: Option<ParametersNode<'_>>) -> Lowered<Params> {
        let Some(node) = node else { return Ok(Params::default()) };
        let mut params = Params::default();
        for required in &node.requireds() {
            params.required.push(self.param_target(&required)?);
        }
        for optional in &node.optionals() {
            let Some(optional) = optional.as_optional_parameter_node() else {
                return self.refuse("parameter", &optional);
            };
            let slot = self.slot(&optional.name(), 0);
            params.optional.push((slot, self.node(&optional.value())?));
        }
        self.rest(node.rest(), &mut params)?;
        for post in &node.posts() {
            params.post.push(self.param_target(&post)?);
        }
        for keyword in &node.keywords() {
            let keyword = self.keyword(&keyword)?;
            params.keywords.push(keyword);
        }
        if let Some(rest) = node.keyword_rest() {
            let Some(rest) = rest.as_keyword_rest_parameter_node() else {
                return self.refuse("parameter", &rest);
            };
            params.keyword_rest = Some(rest.name().map(|id| self.slot(&id, 0)));
        }
        if let Some(block) = node.block() {
            let named = block.as_block_parameter_node().and_then(|block| block.name());
            let Some(id) = named else { return self.refuse("anonymous block", &block) };
            params.block = Some(self.slot(&id, 0));
        }
        Ok(params)
    }

    fn rest(&mut self, node: Option<P<'_>>, params: &mut Params) -> Lowered<()> {
        let Some(rest) = node else { return Ok(()) };
        if rest.as_implicit_rest_node().is_some() {
            params.trailing_comma = true;
        } else if let Some(rest) = rest.as_rest_parameter_node() {
            params.rest = Some(rest.name().map(|id| self.slot(&id, 0)));
        } else {
            return self.refuse("parameter", &rest);
        }
        Ok(())
    }

    fn param_target(&mut self, node: &P<'_>) -> Lowered<Target> {
        match node.as_required_parameter_node() {
            Some(required) => Ok(Target::Local(self.slot(&required.name(), 0))),
            None => self.target(node),
        }
    }

    fn keyword(&mut self, node: &P<'_>) -> Lowered<Keyword> {
        if let Some(required) = node.as_required_keyword_parameter_node() {
            let slot = self.slot(&required.name(), 0);
            return Ok(Keyword { name: name(&required.name()), slot, default: None });
        }
        if let Some(optional) = node.as_optional_keyword_parameter_node() {
            let slot = self.slot(&optional.name(), 0);
            let default = Some(self.node(&optional.value())?);
            return Ok(Keyword { name: name(&optional.name()), slot, default });
        }
        self.refuse("parameter", node)
    }
}
