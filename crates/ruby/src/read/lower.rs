//! Prism's nodes to ours.

use ecow::EcoString;
use kukla_regex::{Options, Regex};
use kukla_rubytext::RubyInteger as _;
use ruby_prism::{ConstantId, ConstantList, Location, Node as P, NodeList, StatementsNode};

use super::tree::{
    Begin, Block, Case, Def, IVar, Kind, Module, ModuleKind, Name, Node, Program, Rescue, Slot,
    Uses, While,
};
use kukla_foreign::Unsupported;
use std::sync::Arc;

pub(super) type Lowered<T> = Result<T, Unsupported>;

/// Text nested deeper than this is refused.
const MAX_DEPTH: usize = 2_000;

pub(super) struct Lower {
    pub(super) file: Name,
    /// The variables of each scope, the innermost last.
    pub(super) scopes: Vec<Vec<Name>>,
    pub(super) uses: Uses,
    depth: usize,
}

pub(super) fn lower(file: &str, node: &P<'_>) -> Lowered<Program> {
    let mut lower =
        Lower { file: file.into(), scopes: Vec::new(), uses: Uses::default(), depth: 0 };
    let Some(program) = node.as_program_node() else {
        return Err(Unsupported::new("no program", 1));
    };
    lower.enter(&program.locals())?;
    let body = lower.statements(&program.statements())?;
    let n_locals = lower.leave();
    Ok(Program { file: file.into(), n_locals, body, uses: lower.uses })
}

/// The text of a name.
pub(super) fn name(id: &ConstantId<'_>) -> Name {
    String::from_utf8_lossy(id.as_slice()).as_ref().into()
}

pub(super) fn line(location: &Location<'_>) -> u32 {
    u32::try_from(location.start_line()).unwrap_or(0)
}

/// Turns each kind of node that is listed into a value.
macro_rules! cases {
    ($node:expr, $($method:ident => |$n:ident| $body:expr,)*) => {
        $(if let Some($n) = $node.$method() { return $body; })*
    };
}

impl Lower {
    pub(super) fn refuse<T>(&self, what: impl Into<String>, node: &P<'_>) -> Lowered<T> {
        Err(Unsupported::new(what, line(&node.location())))
    }

    pub(super) fn enter(&mut self, locals: &ConstantList<'_>) -> Lowered<()> {
        self.scopes.push(locals.iter().map(|id| name(&id)).collect());
        Ok(())
    }

    pub(super) fn leave(&mut self) -> usize {
        self.scopes.pop().map_or(0, |scope| scope.len())
    }

    /// The place of a variable; prism says how far out it is.
    pub(super) fn slot(&mut self, id: &ConstantId<'_>, depth: u32) -> Slot {
        let id = name(id);
        let innermost = self.scopes.len().saturating_sub(1);
        let at = innermost.saturating_sub(depth as usize);
        let scope = &mut self.scopes[at];
        let index = scope.iter().position(|known| *known == id).unwrap_or_else(|| {
            scope.push(id);
            scope.len() - 1
        });
        Slot { depth, index: u32::try_from(index).unwrap_or(u32::MAX) }
    }

    pub(super) fn boxed(&mut self, node: &P<'_>) -> Lowered<Box<Node>> {
        self.node(node).map(Box::new)
    }

    pub(super) fn optional(&mut self, node: Option<P<'_>>) -> Lowered<Option<Box<Node>>> {
        node.map(|node| self.boxed(&node)).transpose()
    }

    pub(super) fn nodes(&mut self, list: &NodeList<'_>) -> Lowered<Vec<Node>> {
        list.iter().map(|node| self.node(&node)).collect()
    }

    pub(super) fn statements(&mut self, statements: &StatementsNode<'_>) -> Lowered<Node> {
        let at = line(&statements.location());
        let mut nodes = self.nodes(&statements.body())?;
        if nodes.len() == 1 {
            return nodes.pop().ok_or_else(|| Unsupported::new("nothing", at));
        }
        Ok(Node::new(at, if nodes.is_empty() { Kind::Nil } else { Kind::Seq(nodes) }))
    }

    pub(super) fn body(&mut self, statements: Option<StatementsNode<'_>>) -> Lowered<Node> {
        statements.map_or(Ok(Node::new(0, Kind::Nil)), |s| self.statements(&s))
    }

    pub(super) fn body_node(&mut self, node: Option<P<'_>>) -> Lowered<Node> {
        node.map_or(Ok(Node::new(0, Kind::Nil)), |node| self.node(&node))
    }

    /// Any node. A node deep within others may need another piece of stack.
    pub(super) fn node(&mut self, node: &P<'_>) -> Lowered<Node> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.refuse("code nested too deeply", node);
        }
        let lowered = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.kind(node));
        self.depth -= 1;
        Ok(Node::new(self.line_of(node), lowered?))
    }

    /// Ruby counts a call as being where its name is.
    fn line_of(&self, node: &P<'_>) -> u32 {
        let message = node.as_call_node().and_then(|call| call.message_loc());
        message.map_or_else(|| line(&node.location()), |location| line(&location))
    }

    fn kind(&mut self, node: &P<'_>) -> Lowered<Kind> {
        cases! { node,
            as_call_node => |n| self.call(&n),
            as_string_node => |n| Ok(Kind::Str { text: self.text(n.unescaped(), node)?, frozen: n.is_frozen() }),
            as_instance_variable_read_node => |n| Ok(Kind::IVar(IVar::new(name(&n.name())))),
            as_local_variable_read_node => |n| Ok(Kind::Local(self.slot(&n.name(), n.depth()))),
            as_parentheses_node => |n| Ok(self.body_node(n.body())?.kind),
            as_statements_node => |n| Ok(self.statements(&n)?.kind),
            as_nil_node => |_n| Ok(Kind::Nil),
            as_true_node => |_n| Ok(Kind::True),
            as_false_node => |_n| Ok(Kind::False),
            as_self_node => |_n| Ok(Kind::SelfRef),
            as_integer_node => |n| {
                let text = String::from_utf8_lossy(n.location().as_slice()).into_owned();
                integer(&text).map_or_else(|| self.refuse("integer that is too big", node), Ok)
            },
            as_float_node => |n| Ok(Kind::Float(n.value())),
            as_symbol_node => |n| Ok(Kind::Sym(self.text(n.unescaped(), node)?)),
            as_interpolated_string_node => |n| Ok(Kind::DStr(self.parts(&n.parts())?)),
            as_interpolated_symbol_node => |n| Ok(Kind::DSym(self.parts(&n.parts())?)),
            as_regular_expression_node => |n| {
                let options = options(n.is_ignore_case(), n.is_extended(), n.is_multi_line());
                let source = String::from_utf8_lossy(n.unescaped()).into_owned();
                match Regex::with_options(&source, options) {
                    Ok(regex) => Ok(Kind::Regex(regex)),
                    Err(error) => self.refuse(format!("regular expression: {error}"), node),
                }
            },
            as_interpolated_regular_expression_node => |n| {
                let options = options(n.is_ignore_case(), n.is_extended(), n.is_multi_line());
                Ok(Kind::DRegex(self.parts(&n.parts())?, options))
            },
            as_embedded_statements_node => |n| Ok(self.body(n.statements())?.kind),
            as_embedded_variable_node => |n| Ok(self.node(&n.variable())?.kind),
            as_array_node => |n| Ok(Kind::Array(self.nodes(&n.elements())?)),
            as_hash_node => |n| self.hash(&n.elements(), false),
            as_keyword_hash_node => |n| self.hash(&n.elements(), true),
            as_implicit_node => |n| Ok(self.node(&n.value())?.kind),
            as_splat_node => |n| match n.expression() {
                Some(inner) => Ok(Kind::Splat(self.boxed(&inner)?)),
                None => self.refuse("anonymous splat", node),
            },
            as_range_node => |n| Ok(Kind::Range {
                from: self.optional(n.left())?,
                to: self.optional(n.right())?,
                excludes_end: n.is_exclude_end(),
            }),
            as_constant_read_node => |n| {
                let id = name(&n.name());
                self.uses.constants.push((id.clone(), line(&n.location())));
                Ok(Kind::Const(id))
            },
            as_constant_path_node => |_n| self.constant_path(node),
            as_and_node => |n| Ok(Kind::And(Box::new((self.node(&n.left())?, self.node(&n.right())?)))),
            as_or_node => |n| Ok(Kind::Or(Box::new((self.node(&n.left())?, self.node(&n.right())?)))),
            as_global_variable_read_node => |n| Ok(Kind::GVar(name(&n.name()))),
            as_class_variable_read_node => |n| Ok(Kind::CVar(name(&n.name()))),
            as_numbered_reference_read_node => |n| Ok(Kind::NthRef(n.number() as usize)),
            as_back_reference_read_node => |n| Ok(Kind::BackRef(name(&n.name()).chars().last().unwrap_or('&'))),
            as_lambda_node => |n| {
                self.enter(&n.locals())?;
                let params = self.block_params(n.parameters())?;
                let body = self.body_node(n.body())?;
                let n_locals = self.leave();
                let file = self.file.clone();
                Ok(Kind::Lambda(Arc::new(Block { params, n_locals, body, file })))
            },
            as_source_file_node => |_n| Ok(Kind::File),
            as_source_line_node => |n| Ok(Kind::Int(i64::from(line(&n.location())))),
            as_yield_node => |n| Ok(Kind::Yield(self.arguments(n.arguments())?)),
            as_super_node => |n| self.explicit_super(&n),
            as_forwarding_super_node => |n| self.forwarding_super(&n),
            as_retry_node => |_n| Ok(Kind::Retry),
        }
        self.flow(node)
    }

    /// Conditions, loops, definitions.
    #[expect(clippy::too_many_lines, reason = "a table of names")]
    fn flow(&mut self, node: &P<'_>) -> Lowered<Kind> {
        cases! { node,
            as_if_node => |n| {
                let condition = self.node(&n.predicate())?;
                let then = self.body(n.statements())?;
                let otherwise = self.body_node(n.subsequent())?;
                Ok(Kind::If(Box::new((condition, then, otherwise))))
            },
            as_unless_node => |n| {
                let condition = self.node(&n.predicate())?;
                let then = self.body(n.statements())?;
                let otherwise = self.body_node(n.else_clause().map(|n| n.as_node()))?;
                Ok(Kind::If(Box::new((condition, otherwise, then))))
            },
            as_else_node => |n| Ok(self.body(n.statements())?.kind),
            as_while_node => |n| {
                let condition = self.node(&n.predicate())?;
                let body = self.body(n.statements())?;
                let body_first = n.is_begin_modifier();
                Ok(Kind::While(Box::new(While { condition, negated: false, body_first, body })))
            },
            as_until_node => |n| {
                let condition = self.node(&n.predicate())?;
                let body = self.body(n.statements())?;
                let body_first = n.is_begin_modifier();
                Ok(Kind::While(Box::new(While { condition, negated: true, body_first, body })))
            },
            as_for_node => |n| {
                let target = self.target(&n.index())?;
                let collection = self.node(&n.collection())?;
                let body = self.body(n.statements())?;
                Ok(Kind::For(Box::new((target, collection, body))))
            },
            as_case_node => |n| {
                let subject = n.predicate().map(|node| self.node(&node)).transpose()?;
                let mut whens = Vec::new();
                for when in &n.conditions() {
                    let Some(when) = when.as_when_node() else { return self.refuse("case", &when) };
                    whens.push((self.nodes(&when.conditions())?, self.body(when.statements())?));
                }
                let otherwise = self.body_node(n.else_clause().map(|n| n.as_node()))?;
                Ok(Kind::Case(Box::new(Case { subject, whens, otherwise })))
            },
            as_begin_node => |n| {
                let body = self.body(n.statements())?;
                let mut rescues = Vec::new();
                let mut next = n.rescue_clause();
                while let Some(rescue) = next {
                    rescues.push(Rescue {
                        classes: self.nodes(&rescue.exceptions())?,
                        target: rescue.reference().map(|node| self.target(&node)).transpose()?,
                        body: self.body(rescue.statements())?,
                    });
                    next = rescue.subsequent();
                }
                let otherwise = n.else_clause().map(|n| self.body(n.statements())).transpose()?;
                let ensure = n.ensure_clause().map(|n| self.body(n.statements())).transpose()?;
                if rescues.is_empty() && otherwise.is_none() && ensure.is_none() {
                    return Ok(body.kind);
                }
                Ok(Kind::Begin(Box::new(Begin { body, rescues, otherwise, ensure })))
            },
            as_rescue_modifier_node => |n| {
                let body = self.node(&n.expression())?;
                let rescue = Rescue { classes: Vec::new(), target: None, body: self.node(&n.rescue_expression())? };
                Ok(Kind::Begin(Box::new(Begin { body, rescues: vec![rescue], otherwise: None, ensure: None })))
            },
            as_return_node => |n| Ok(Kind::Return(self.values(n.arguments())?)),
            as_break_node => |n| Ok(Kind::Break(self.values(n.arguments())?)),
            as_next_node => |n| Ok(Kind::Next(self.values(n.arguments())?)),
            as_defined_node => |n| Ok(Kind::Defined(self.unjudged(&n.value())?)),
            as_def_node => |n| {
                self.uses.defines.push(name(&n.name()));
                let receiver = n.receiver().map(|node| self.boxed(&node)).transpose()?;
                self.enter(&n.locals())?;
                let params = self.params(n.parameters())?;
                let body = self.body_node(n.body())?;
                let n_locals = self.leave();
                let def = Def { name: name(&n.name()), params, n_locals, body, file: self.file.clone() };
                Ok(Kind::Def(Arc::new(def), receiver))
            },
            as_class_node => |n| {
                let superclass = n.superclass().map(|node| self.node(&node)).transpose()?;
                self.module(&n.constant_path(), ModuleKind::Class(superclass), &n.locals(), n.body())
            },
            as_module_node => |n| self.module(&n.constant_path(), ModuleKind::Module, &n.locals(), n.body()),
            as_singleton_class_node => |n| {
                let of = self.node(&n.expression())?;
                self.enter(&n.locals())?;
                let body = self.body_node(n.body())?;
                let n_locals = self.leave();
                Ok(Kind::Module(Box::new(Module {
                    what: ModuleKind::Singleton(of), parent: None, top: false, name: Name::new(), n_locals, body,
                })))
            },
            as_alias_method_node => |n| {
                let (new, old) = (self.symbol(&n.new_name())?, self.symbol(&n.old_name())?);
                self.uses.defines.push(new.clone());
                Ok(Kind::Alias(new, old))
            },
            as_match_write_node => |n| {
                let call = self.boxed(&n.call().as_node())?;
                let mut targets = Vec::new();
                for target in &n.targets() {
                    let Some(local) = target.as_local_variable_target_node() else { return self.refuse("capture", &target) };
                    targets.push((name(&local.name()), self.target(&target)?));
                }
                Ok(Kind::MatchWrite(call, targets))
            },
        }
        self.assignment(node)
    }

    /// Names within `defined?` need not be known.
    fn unjudged(&mut self, node: &P<'_>) -> Lowered<Box<Node>> {
        let (methods, constants) = (self.uses.methods.len(), self.uses.constants.len());
        let lowered = self.boxed(node);
        self.uses.methods.truncate(methods);
        self.uses.constants.truncate(constants);
        lowered
    }

    fn module(
        &mut self,
        path: &P<'_>,
        what: ModuleKind,
        locals: &ConstantList<'_>,
        body: Option<P<'_>>,
    ) -> Lowered<Kind> {
        let (parent, top, id) = if let Some(read) = path.as_constant_read_node() {
            (None, false, name(&read.name()))
        } else if let Some(path) = path.as_constant_path_node() {
            let Some(id) = path.name() else { return self.refuse("constant", &path.as_node()) };
            let parent = path.parent().map(|node| self.node(&node)).transpose()?;
            (parent, path.parent().is_none(), name(&id))
        } else {
            return self.refuse("constant", path);
        };
        self.uses.defines_constants.push(id.clone());
        self.enter(locals)?;
        let body = self.body_node(body)?;
        let n_locals = self.leave();
        Ok(Kind::Module(Box::new(Module { what, parent, top, name: id, n_locals, body })))
    }

    fn constant_path(&mut self, node: &P<'_>) -> Lowered<Kind> {
        let Some(path) = node.as_constant_path_node() else { return self.refuse("constant", node) };
        let Some(id) = path.name() else { return self.refuse("constant", node) };
        let id = name(&id);
        let mark = self.uses.constants.len();
        let kind = match path.parent() {
            Some(parent) => Kind::ConstIn(self.boxed(&parent)?, id),
            None => Kind::TopConst(id),
        };
        // The whole path is judged, not its beginning.
        self.uses.constants.truncate(mark);
        let text = String::from_utf8_lossy(node.location().as_slice()).into_owned();
        self.uses.constants.push((text.trim_start_matches("::").into(), line(&node.location())));
        Ok(kind)
    }

    fn hash(&mut self, elements: &NodeList<'_>, keywords: bool) -> Lowered<Kind> {
        let mut entries = Vec::with_capacity(elements.len());
        for element in elements {
            if let Some(assoc) = element.as_assoc_node() {
                let key = self.node(&assoc.key())?;
                entries.push((Some(key), self.node(&assoc.value())?));
            } else if let Some(value) = element.as_assoc_splat_node().and_then(|n| n.value()) {
                entries.push((None, self.node(&value)?));
            } else {
                return self.refuse("hash", &element);
            }
        }
        Ok(Kind::Hash { entries, keywords })
    }

    fn parts(&mut self, parts: &NodeList<'_>) -> Lowered<Vec<Node>> {
        self.nodes(parts)
    }

    pub(super) fn text(&self, bytes: &[u8], node: &P<'_>) -> Lowered<EcoString> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.into()),
            Err(_) => self.refuse("text that is not UTF-8", node),
        }
    }

    pub(super) fn symbol(&self, node: &P<'_>) -> Lowered<Name> {
        match node.as_symbol_node() {
            Some(symbol) => self.text(symbol.unescaped(), node),
            None => self.refuse("symbol", node),
        }
    }
}

fn options(ignore_case: bool, extended: bool, multi_line: bool) -> Options {
    Options { ignore_case, extended, multi_line }
}

/// The number that a literal stands for.
/// Longer numbers are left to a real Ruby.
const MAX_DIGITS: usize = 10_000;

fn integer(text: &str) -> Option<Kind> {
    if text.len() > MAX_DIGITS {
        return None;
    }
    let number = kukla_rubytext::integer::parse(text, 0).ok()?;
    Some(number.to_i64().map_or_else(|| Kind::Big(Box::new(number)), Kind::Int))
}
