//! Literals.

use std::rc::Rc;

use kukla_regex::Options;
use ruby_prism::{Node as Prism, NodeList};

use super::{Lower, text};
use crate::ruby::{Block, Node, What};

impl Lower {
    pub(super) fn literal(&mut self, node: &Prism<'_>) -> Option<What> {
        Some(match node {
            Prism::NilNode { .. } => What::Nil,
            Prism::TrueNode { .. } => What::True,
            Prism::FalseNode { .. } => What::False,
            Prism::SelfNode { .. } => What::SelfRef,
            Prism::SourceFileNode { .. } => What::File,
            Prism::IntegerNode { .. } => int(&node.as_integer_node()?.value()),
            Prism::StringNode { .. } => What::Str(text(node.as_string_node()?.unescaped())),
            Prism::SymbolNode { .. } => What::Sym(text(node.as_symbol_node()?.unescaped())),
            Prism::RegularExpressionNode { .. } => {
                let regex = node.as_regular_expression_node()?;
                let options = Options {
                    ignore_case: regex.is_ignore_case(),
                    extended: regex.is_extended(),
                    multi_line: regex.is_multi_line(),
                };
                What::Regex(text(regex.unescaped()), options)
            }
            Prism::InterpolatedStringNode { .. } => {
                What::Text(self.list(&node.as_interpolated_string_node()?.parts()))
            }
            Prism::InterpolatedSymbolNode { .. } => {
                What::SymText(self.list(&node.as_interpolated_symbol_node()?.parts()))
            }
            Prism::InterpolatedRegularExpressionNode { .. } => {
                let regex = node.as_interpolated_regular_expression_node()?;
                let options = Options {
                    ignore_case: regex.is_ignore_case(),
                    extended: regex.is_extended(),
                    multi_line: regex.is_multi_line(),
                };
                What::RegexText(self.list(&regex.parts()), options)
            }
            Prism::ArrayNode { .. } => What::Array(self.list(&node.as_array_node()?.elements())),
            Prism::HashNode { .. } => What::Hash(self.pairs(&node.as_hash_node()?.elements())),
            Prism::KeywordHashNode { .. } => {
                What::Hash(self.pairs(&node.as_keyword_hash_node()?.elements()))
            }
            Prism::SplatNode { .. } => {
                What::Splat(Box::new(self.body(node.as_splat_node()?.expression())))
            }
            Prism::LambdaNode { .. } => {
                let lambda = node.as_lambda_node()?;
                let params = self.block_params(lambda.parameters());
                What::Lambda(Rc::new(Block { params, body: self.body(lambda.body()) }))
            }
            _ => return None,
        })
    }

    fn pairs(&mut self, elements: &NodeList<'_>) -> Vec<(Option<Node>, Node)> {
        let mut pairs = Vec::new();
        for element in elements {
            if let Some(pair) = element.as_assoc_node() {
                pairs.push((Some(self.node(&pair.key())), self.node(&pair.value())));
            } else if let Some(splat) = element.as_assoc_splat_node() {
                pairs.push((None, self.body(splat.value())));
            }
        }
        pairs
    }
}

fn int(value: &ruby_prism::Integer<'_>) -> What {
    match value.to_u32_digits() {
        (is_negative, &[digit]) => {
            What::Int(if is_negative { -i64::from(digit) } else { i64::from(digit) })
        }
        (false, []) => What::Int(0),
        _ => What::Other,
    }
}
