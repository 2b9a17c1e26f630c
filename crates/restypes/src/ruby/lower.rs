//! Prism's nodes to ours.

mod params;
mod writes;

use std::rc::Rc;

use kukla_regex::Options;
use ruby_prism::{
    ArgumentsNode, CallNode, ConstantId, Node as Prism, NodeList, ParseResult, StatementsNode,
};

use super::{Block, Call, Node, Tree, What};

/// What is nested deeper is not read.
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

    fn literal(&mut self, node: &Prism<'_>) -> Option<What> {
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

    fn definition(&mut self, node: &Prism<'_>) -> Option<What> {
        Some(match node {
            Prism::DefNode { .. } => {
                let def = node.as_def_node()?;
                let params =
                    def.parameters().map(|params| self.params(&params)).unwrap_or_default();
                let method = Rc::new(Block { params, body: self.body(def.body()) });
                What::Def {
                    name: name(&def.name()),
                    is_singleton: def.receiver().is_some(),
                    method,
                }
            }
            Prism::ModuleNode { .. } => {
                let module = node.as_module_node()?;
                What::Module(self.boxed(&module.constant_path()), Rc::new(self.body(module.body())))
            }
            Prism::ClassNode { .. } => {
                let class = node.as_class_node()?;
                let parent = class.superclass().map(|parent| self.boxed(&parent));
                let path = self.boxed(&class.constant_path());
                What::Class(path, parent, Rc::new(self.body(class.body())))
            }
            Prism::SingletonClassNode { .. } => {
                let class = node.as_singleton_class_node()?;
                let of = self.boxed(&class.expression());
                What::Singleton(of, Rc::new(self.body(class.body())))
            }
            Prism::AliasMethodNode { .. } => {
                let alias = node.as_alias_method_node()?;
                let symbol = |node: &Prism<'_>| Some(text(node.as_symbol_node()?.unescaped()));
                What::Alias(symbol(&alias.new_name())?, symbol(&alias.old_name())?)
            }
            _ => return None,
        })
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

    fn condition(&mut self, node: &Prism<'_>) -> Option<What> {
        Some(match node {
            Prism::IfNode { .. } => {
                let node = node.as_if_node()?;
                let yes = self.statements(node.statements());
                let no = self.body(node.subsequent());
                What::If(self.boxed(&node.predicate()), Box::new(yes), Box::new(no))
            }
            Prism::UnlessNode { .. } => {
                let node = node.as_unless_node()?;
                let no = self.statements(node.statements());
                let yes = self.statements(node.else_clause().and_then(|node| node.statements()));
                What::If(self.boxed(&node.predicate()), Box::new(yes), Box::new(no))
            }
            Prism::ElseNode { .. } => self.statements(node.as_else_node()?.statements()).what,
            Prism::CaseNode { .. } => {
                let node = node.as_case_node()?;
                let subject = node.predicate().map(|subject| self.boxed(&subject));
                let mut whens = Vec::new();
                for when in node.conditions().iter().filter_map(|when| when.as_when_node()) {
                    whens.push((self.list(&when.conditions()), self.statements(when.statements())));
                }
                let no = self.statements(node.else_clause().and_then(|node| node.statements()));
                What::Case(subject, whens, Box::new(no))
            }
            Prism::AndNode { .. } => {
                let node = node.as_and_node()?;
                What::And(self.boxed(&node.left()), self.boxed(&node.right()))
            }
            Prism::OrNode { .. } => {
                let node = node.as_or_node()?;
                What::Or(self.boxed(&node.left()), self.boxed(&node.right()))
            }
            Prism::WhileNode { .. } => {
                What::Loop(Box::new(self.statements(node.as_while_node()?.statements())))
            }
            Prism::UntilNode { .. } => {
                What::Loop(Box::new(self.statements(node.as_until_node()?.statements())))
            }
            Prism::ForNode { .. } => {
                What::Loop(Box::new(self.statements(node.as_for_node()?.statements())))
            }
            _ => return None,
        })
    }

    fn jump(&mut self, node: &Prism<'_>) -> Option<What> {
        Some(match node {
            Prism::ReturnNode { .. } => {
                What::Return(self.value(node.as_return_node()?.arguments()))
            }
            Prism::NextNode { .. } => What::Next(self.value(node.as_next_node()?.arguments())),
            Prism::BreakNode { .. } => What::Break(self.value(node.as_break_node()?.arguments())),
            Prism::BeginNode { .. } => {
                let begin = node.as_begin_node()?;
                let mut body = vec![self.statements(begin.statements())];
                body.extend(begin.else_clause().map(|node| self.statements(node.statements())));
                body.extend(begin.ensure_clause().map(|node| self.statements(node.statements())));
                let rescue = begin.rescue_clause().map(|node| self.statements(node.statements()));
                // An `ensure` gives no value, but nobody uses that of such a body either.
                let line = body.first().map_or(0, |node| node.line);
                let body = Node { what: What::Seq(body), line };
                match rescue {
                    Some(rescue) => What::Rescue(Box::new(body), Box::new(rescue)),
                    None => body.what,
                }
            }
            Prism::RescueModifierNode { .. } => {
                let node = node.as_rescue_modifier_node()?;
                What::Rescue(self.boxed(&node.expression()), self.boxed(&node.rescue_expression()))
            }
            _ => return None,
        })
    }

    /// What `return`, `next` or `break` gives.
    fn value(&mut self, arguments: Option<ArgumentsNode<'_>>) -> Option<Box<Node>> {
        let mut args = self.arguments(arguments);
        match args.len() {
            0 => None,
            1 => args.pop().map(Box::new),
            _ => {
                let line = args[0].line;
                Some(Box::new(Node { what: What::Array(args), line }))
            }
        }
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

fn int(value: &ruby_prism::Integer<'_>) -> What {
    match value.to_u32_digits() {
        (is_negative, &[digit]) => {
            What::Int(if is_negative { -i64::from(digit) } else { i64::from(digit) })
        }
        (false, []) => What::Int(0),
        _ => What::Other,
    }
}
