//! Prism's nodes to ours.

mod control;
mod definitions;
mod literals;
mod params;
mod writes;

use std::rc::Rc;

use ruby_prism::{
    ArgumentsNode, CallNode, ConstantId, Node as Prism, NodeList, ParseResult, StatementsNode,
};

use super::{Block, Call, Node, Tree, What};

/// The deepest nesting of expressions that is read.
const MAX_DEPTH: u32 = 200;

/// Parses a file; the error is a line and what is wrong with it.
pub(crate) fn parse(text: &str, path: &str) -> Result<Tree, (u32, String)> {
    // Prism descends recursively, up to a depth of its own.
    stacker::maybe_grow(8 << 20, 16 << 20, || {
        let result = ruby_prism::parse(text.as_bytes());
        if let Some(error) = result.errors().next() {
            let message = String::from_utf8_lossy(error.message()).into_owned();
            return Err((line(error.location().start_line()), format!("no Ruby: {message}")));
        }
        let root = Lower { depth: 0 }.root(&result);
        Ok(Tree { root, path: path.into() })
    })
}

fn line(line: i32) -> u32 {
    u32::try_from(line).unwrap_or(0)
}

struct Lower {
    depth: u32,
}

impl Lower {
    fn root(&mut self, result: &ParseResult<'_>) -> Node {
        match result.node().as_program_node() {
            Some(program) => self.statements(Some(program.statements())),
            None => nil(0),
        }
    }

    fn statements(&mut self, statements: Option<StatementsNode<'_>>) -> Node {
        let Some(statements) = statements else { return nil(0) };
        let at = line(statements.location().start_line());
        Node { what: What::Seq(self.list(&statements.body())), line: at }
    }

    fn list(&mut self, nodes: &NodeList<'_>) -> Vec<Node> {
        nodes.iter().map(|node| self.node(&node)).collect()
    }

    fn arguments(&mut self, arguments: Option<ArgumentsNode<'_>>) -> Vec<Node> {
        arguments.map(|arguments| self.list(&arguments.arguments())).unwrap_or_default()
    }

    fn body(&mut self, node: Option<Prism<'_>>) -> Node {
        node.map_or_else(|| nil(0), |node| self.node(&node))
    }

    fn boxed(&mut self, node: &Prism<'_>) -> Box<Node> {
        Box::new(self.node(node))
    }

    fn node(&mut self, node: &Prism<'_>) -> Node {
        let at = line(node.location().start_line());
        if self.depth > MAX_DEPTH {
            return Node { what: What::Other, line: at };
        }
        self.depth += 1;
        let what = self.what(node);
        self.depth -= 1;
        Node { what, line: at }
    }

    fn what(&mut self, node: &Prism<'_>) -> What {
        if let Some(what) = self.literal(node) {
            return what;
        }
        if let Some(what) = self.write(node) {
            return what;
        }
        if let Some(what) = self.definition(node) {
            return what;
        }
        self.expression(node)
    }

    fn expression(&mut self, node: &Prism<'_>) -> What {
        self.read(node)
            .or_else(|| self.condition(node))
            .or_else(|| self.jump(node))
            .unwrap_or(What::Other)
    }

    fn read(&mut self, node: &Prism<'_>) -> Option<What> {
        Some(match node {
            Prism::LocalVariableReadNode { .. } => {
                What::Local(name(&node.as_local_variable_read_node()?.name()))
            }
            Prism::ItLocalVariableReadNode { .. } => What::Local("it".into()),
            Prism::InstanceVariableReadNode { .. } => {
                What::InstanceVar(name(&node.as_instance_variable_read_node()?.name()))
            }
            Prism::ConstantReadNode { .. } => {
                What::Const(None, name(&node.as_constant_read_node()?.name()))
            }
            Prism::ConstantPathNode { .. } => {
                let path = node.as_constant_path_node()?;
                let scope = match path.parent() {
                    Some(parent) => self.node(&parent),
                    None => nil(0),
                };
                What::Const(Some(Box::new(scope)), name(&path.name()?))
            }
            Prism::CallNode { .. } => self.call(&node.as_call_node()?),
            Prism::SuperNode { .. } => {
                What::Super(Some(self.arguments(node.as_super_node()?.arguments())))
            }
            Prism::ForwardingSuperNode { .. } => What::Super(None),
            Prism::YieldNode { .. } => {
                What::Yield(self.arguments(node.as_yield_node()?.arguments()))
            }
            Prism::DefinedNode { .. } => {
                What::Defined(self.boxed(&node.as_defined_node()?.value()))
            }
            Prism::ParenthesesNode { .. } => self.body(node.as_parentheses_node()?.body()).what,
            Prism::StatementsNode { .. } => self.statements(node.as_statements_node()).what,
            Prism::EmbeddedStatementsNode { .. } => {
                self.statements(node.as_embedded_statements_node()?.statements()).what
            }
            Prism::ImplicitNode { .. } => self.node(&node.as_implicit_node()?.value()).what,
            _ => return None,
        })
    }

    fn call(&mut self, call: &CallNode<'_>) -> What {
        let receiver = call.receiver().map(|receiver| self.node(&receiver));
        let args = self.arguments(call.arguments());
        let mut block = None;
        let mut block_arg = None;
        if let Some(given) = call.block() {
            if let Some(given) = given.as_block_node() {
                let params = self.block_params(given.parameters());
                block = Some(Rc::new(Block { params, body: self.body(given.body()) }));
            } else if let Some(given) = given.as_block_argument_node() {
                block_arg = Some(self.body(given.expression()));
            }
        }
        What::Call(Box::new(Call { receiver, name: name(&call.name()), args, block, block_arg }))
    }
}

fn nil(line: u32) -> Node {
    Node { what: What::Nil, line }
}

fn text(bytes: &[u8]) -> Rc<str> {
    String::from_utf8_lossy(bytes).into()
}

fn name(id: &ConstantId<'_>) -> Rc<str> {
    text(id.as_slice())
}
