//! Calls, their arguments and blocks.

use std::sync::Arc;

use ruby_prism::{ArgumentsNode, CallNode, ForwardingSuperNode, Node as P, SuperNode};

use super::lower::{Lower, Lowered, line, name};
use super::tree::{Block, BlockArg, Call, Kind, Name, Node};

impl Lower {
    pub(super) fn call(&mut self, node: &CallNode<'_>) -> Lowered<Kind> {
        let id = name(&node.name());
        let at = node.message_loc().map_or_else(|| line(&node.location()), |l| line(&l));
        let recv = node.receiver().map(|recv| self.node(&recv)).transpose()?;
        let args = self.arguments(node.arguments())?;
        let block = self.block_arg(node.block())?;
        self.note(recv.as_ref(), &id, &args, block.as_ref(), at);
        let plain = is_plain(&args);
        let appends_to = match (&recv, &args[..], &block) {
            (Some(Node { kind: Kind::Local(slot), .. }), [_], None) if plain && id == "<<" => {
                Some(*slot)
            }
            _ => None,
        };
        Ok(Kind::Call(Box::new(Call {
            appends_to,
            plain,
            recv,
            name: id,
            args,
            block,
            safe: node.is_safe_navigation(),
            bare: node.is_variable_call(),
            attribute: node.is_attribute_write(),
        })))
    }

    /// Remembers what is called, also by symbol.
    fn note(
        &mut self,
        recv: Option<&Node>,
        id: &Name,
        args: &[Node],
        block: Option<&BlockArg>,
        at: u32,
    ) {
        let is_struct =
            matches!(recv, Some(Node { kind: Kind::Const(class), .. }) if class == "Struct");
        match (recv.is_none(), id.as_str(), args.first().map(|arg| &arg.kind)) {
            (
                true,
                "require" | "require_relative" | "load" | "load_file",
                Some(Kind::Str { text, .. }),
            ) => {
                self.uses.requires.push((text.clone(), at));
            }
            // Attributes of a data type are methods of its objects.
            (true, "interface", Some(Kind::Str { text, .. })) => {
                let is_part = |c: char| !(c.is_alphanumeric() || c == '_');
                self.uses.defines.extend(text.split(is_part).map(Name::from));
            }
            (_, "send" | "public_send" | "__send__" | "method", Some(Kind::Sym(id))) => {
                self.uses.methods.push((id.clone(), at));
            }
            (
                true,
                "define_method" | "attr_reader" | "attr_accessor" | "attr_writer" | "newfunction",
                _,
            ) => self.note_defined(args),
            (false, "new", _) if is_struct => self.note_defined(args),
            _ => (),
        }
        if let Some(BlockArg::Pass(Node { kind: Kind::Sym(id), .. })) = block {
            self.uses.methods.push((id.clone(), at));
        }
        // `File.open` shares its name with a function that needs a real Ruby.
        let is_file =
            matches!(recv, Some(Node { kind: Kind::Const(class), .. }) if class == "File");
        if !(is_file && id == "open") {
            self.uses.methods.push((id.clone(), at));
        }
    }

    /// Remembers methods that a call defines, and those that set what they return.
    fn note_defined(&mut self, args: &[Node]) {
        for arg in args {
            if let Kind::Sym(id) = &arg.kind {
                self.uses.defines.push(id.clone());
                self.uses.defines.push(ecow::eco_format!("{id}="));
            }
        }
    }

    pub(super) fn arguments(&mut self, args: Option<ArgumentsNode<'_>>) -> Lowered<Vec<Node>> {
        args.map_or(Ok(Vec::new()), |args| self.nodes(&args.arguments()))
    }

    /// The value of `return a, b`.
    pub(super) fn values(&mut self, args: Option<ArgumentsNode<'_>>) -> Lowered<Option<Box<Node>>> {
        let mut values = self.arguments(args)?;
        let at = values.first().map_or(0, |node| node.line);
        let is_splat = matches!(values.first(), Some(Node { kind: Kind::Splat(_), .. }));
        Ok(match values.len() {
            0 => None,
            1 if !is_splat => values.pop().map(Box::new),
            _ => Some(Box::new(Node::new(at, Kind::Array(values)))),
        })
    }

    fn block_arg(&mut self, node: Option<P<'_>>) -> Lowered<Option<BlockArg>> {
        let Some(node) = node else { return Ok(None) };
        if let Some(block) = node.as_block_node() {
            self.enter(&block.locals())?;
            let params = self.block_params(block.parameters())?;
            let body = self.body_node(block.body())?;
            let n_locals = self.leave();
            let file = self.file.clone();
            return Ok(Some(BlockArg::Block(Arc::new(Block { params, n_locals, body, file }))));
        }
        match node.as_block_argument_node().and_then(|pass| pass.expression()) {
            Some(passed) => Ok(Some(BlockArg::Pass(self.node(&passed)?))),
            None => self.refuse("anonymous block", &node),
        }
    }

    pub(super) fn explicit_super(&mut self, node: &SuperNode<'_>) -> Lowered<Kind> {
        let args = self.arguments(node.arguments())?;
        let block = self.block_arg(node.block())?;
        Ok(Kind::Super(Box::new(super_call(args, block)), false))
    }

    pub(super) fn forwarding_super(&mut self, node: &ForwardingSuperNode<'_>) -> Lowered<Kind> {
        let block = self.block_arg(node.block().map(|block| block.as_node()))?;
        Ok(Kind::Super(Box::new(super_call(Vec::new(), block)), true))
    }
}

fn super_call(args: Vec<Node>, block: Option<BlockArg>) -> Call {
    let plain = is_plain(&args);
    let name = Name::new();
    Call {
        recv: None,
        name,
        args,
        block,
        safe: false,
        bare: false,
        plain,
        attribute: false,
        appends_to: None,
    }
}

fn is_plain(args: &[Node]) -> bool {
    !args.iter().any(|arg| matches!(arg.kind, Kind::Splat(_) | Kind::Hash { keywords: true, .. }))
}
