//! A prepared pattern to its tree.

use super::problem::{self, Problem};
use super::scan::Scanner;
use super::token::{Quantifier, Token};
use super::tree::{Backref, GroupKind, Name, Node, NodeId, Repeat, Tree};

/// How deep groups and classes may be nested: as deep as Ruby takes them.
const MAX_DEPTH: usize = 4096;

/// The tree of `pattern`.
pub(super) fn parse(pattern: &str) -> Result<Tree<'_>, Problem> {
    let mut parser = Parser {
        scanner: Scanner { text: pattern, at: 0 },
        tree: Tree { groups: vec![None], ..Tree::default() },
        token: Token::End,
        is_extended: false,
        depth: 0,
        no_posix_bracket_before: 0,
    };
    parser.advance()?;
    let mut root = parser.alternatives(false)?;
    if parser.tree.n_calls > 0 {
        let kind = GroupKind::Capture { number: 0, name: None };
        root = parser.tree.add(Node::Group { kind, body: root });
        parser.tree.groups[0] = Some(root);
    }
    parser.tree.root = root;
    Ok(parser.tree)
}

#[derive(Debug)]
pub(super) struct Parser<'p> {
    pub(super) scanner: Scanner<'p>,
    pub(super) tree: Tree<'p>,
    token: Token<'p>,
    /// Blanks and comments are skipped: `(?x)`.
    pub(super) is_extended: bool,
    depth: usize,
    /// Up to here no `[:` begins a POSIX bracket.
    pub(super) no_posix_bracket_before: usize,
}

/// What was in parentheses.
pub(super) enum Enclosed {
    /// A group with a node of its own.
    Group(NodeId),
    /// `(?:…)`, which leaves only its content.
    Content(NodeId),
    /// `(?x)`, which rules the rest of the group around it.
    Options { is_extended: bool },
}

impl<'p> Parser<'p> {
    pub(super) fn advance(&mut self) -> Result<(), Problem> {
        self.token = self.next_token()?;
        Ok(())
    }

    /// Runs `parse` one level deeper, on more stack if need be.
    pub(super) fn deeper<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(problem::DEPTH);
        }
        let parsed = stacker::maybe_grow(64 << 10, 1 << 20, || parse(self))?;
        self.depth -= 1;
        Ok(parsed)
    }

    /// `a|b|c`, up to the end or, in a group, up to its parenthesis.
    pub(super) fn alternatives(&mut self, is_in_group: bool) -> Result<NodeId, Problem> {
        self.deeper(|parser| {
            let first = parser.branch(is_in_group)?;
            let mut alternatives = vec![first];
            while matches!(parser.token, Token::Alternative) {
                parser.advance()?;
                alternatives.push(parser.branch(is_in_group)?);
            }
            if is_in_group && matches!(parser.token, Token::End) {
                return Err(problem::UNCLOSED_GROUP);
            }
            Ok(match alternatives.len() {
                1 => first,
                _ => parser.tree.add(Node::Alternatives(alternatives)),
            })
        })
    }

    fn branch(&mut self, is_in_group: bool) -> Result<NodeId, Problem> {
        let first = self.expression(is_in_group)?;
        let mut list = vec![first];
        while !self.is_at_branch_end(is_in_group) {
            list.push(self.expression(is_in_group)?);
        }
        Ok(if list.len() == 1 { first } else { self.tree.add(Node::List(list)) })
    }

    fn is_at_branch_end(&self, is_in_group: bool) -> bool {
        match self.token {
            Token::End | Token::Alternative => true,
            Token::Close => is_in_group,
            _ => false,
        }
    }

    /// One thing with its quantifiers; nothing at the end of a branch.
    fn expression(&mut self, is_in_group: bool) -> Result<NodeId, Problem> {
        if self.is_at_branch_end(is_in_group) {
            return Ok(self.text(0));
        }
        let mut is_content = false;
        let target = match self.token {
            Token::Open => match self.enclosed()? {
                Enclosed::Group(group) => group,
                Enclosed::Content(content) => {
                    is_content = true;
                    content
                }
                Enclosed::Options { is_extended } => {
                    return self.with_options(is_extended, is_in_group);
                }
            },
            Token::Text => return self.literal(),
            token => self.atom(token)?,
        };
        self.advance()?;
        let splits = !is_content;
        self.repeated(target, splits)
    }

    /// As many literal characters as there are, and the quantifiers of the last of them.
    fn literal(&mut self) -> Result<NodeId, Problem> {
        let mut n_characters = 0;
        while matches!(self.token, Token::Text) {
            n_characters += 1;
            self.advance()?;
        }
        let text = self.text(n_characters);
        self.repeated(text, true)
    }

    fn atom(&mut self, token: Token<'p>) -> Result<NodeId, Problem> {
        let node = match token {
            Token::Code => Node::Text { n_characters: 1 },
            Token::OneOf => Node::OneOf,
            Token::Property => {
                self.property()?;
                Node::OneOf
            }
            Token::Class => {
                self.class()?;
                Node::OneOf
            }
            Token::Atomic => {
                let body = self.tree.add(Node::OneOf);
                Node::Group { kind: GroupKind::Atomic, body }
            }
            Token::Backref(to) => Node::Backref { to, is_inside: self.is_inside(&to) },
            Token::Call(call) => {
                self.tree.n_calls += 1;
                Node::Call(call)
            }
            Token::Anchor(anchor) => Node::Anchor(anchor),
            Token::Repeat(_) => return Err(problem::NOTHING_TO_REPEAT),
            Token::Close => return Err(problem::UNOPENED_GROUP),
            Token::End | Token::Text | Token::Alternative | Token::Open => {
                unreachable!("the caller takes these")
            }
        };
        Ok(self.tree.add(node))
    }

    /// Whether a group that is referred to is still open.
    fn is_inside(&self, to: &Backref) -> bool {
        match *to {
            Backref::Number(number) => matches!(self.tree.groups.get(number), Some(None)),
            Backref::Name { index, .. } => self.tree.names[index].n_open > 0,
        }
    }

    /// `target` with the quantifiers that follow it; of a text that `splits`, only its last character.
    fn repeated(&mut self, target: NodeId, splits: bool) -> Result<NodeId, Problem> {
        let (mut target, mut before) = (target, None);
        while let Token::Repeat(quantifier) = self.token {
            self.advance()?;
            if quantifier.lower == 1 && quantifier.upper == Some(1) {
                continue;
            }
            if let (Node::Text { n_characters: n_characters @ 2.. }, true) =
                (&mut self.tree.nodes[target], splits)
            {
                *n_characters -= 1;
                before = Some(target);
                target = self.text(1);
            }
            target = self.repeat(target, quantifier);
        }
        Ok(match before {
            Some(before) => self.tree.add(Node::List(vec![before, target])),
            None => target,
        })
    }

    fn repeat(&mut self, target: NodeId, quantifier: Quantifier) -> NodeId {
        let Quantifier { lower, upper, is_possessive } = quantifier;
        let is_never = upper == Some(0);
        let mut repeat = Repeat { lower, is_fixed: upper == Some(lower), is_never, body: target };
        if let Node::Repeat(inner) = self.tree.nodes[target] {
            repeat.lower = lower.saturating_mul(inner.lower);
            repeat.is_fixed &= inner.is_fixed;
            repeat.body = inner.body;
        }
        let body = self.tree.add(Node::Repeat(repeat));
        if !is_possessive {
            return body;
        }
        self.tree.add(Node::Group { kind: GroupKind::Atomic, body })
    }

    /// The rest of the group around `(?x)`.
    fn with_options(&mut self, is_extended: bool, is_in_group: bool) -> Result<NodeId, Problem> {
        let outer = std::mem::replace(&mut self.is_extended, is_extended);
        self.advance()?;
        let body = self.alternatives(is_in_group)?;
        self.is_extended = outer;
        Ok(self.tree.add(Node::Group { kind: GroupKind::Options, body }))
    }

    fn text(&mut self, n_characters: usize) -> NodeId {
        self.tree.add(Node::Text { n_characters })
    }

    /// A new capture group.
    pub(super) fn open_group(&mut self, name: Option<&'p str>) -> Result<GroupKind, Problem> {
        const MAX_GROUPS: usize = 32767;
        let number = self.tree.groups.len();
        if number > MAX_GROUPS {
            return Err(problem::TOO_MANY_GROUPS);
        }
        self.tree.groups.push(None);
        let name = name.map(|text| self.name(text));
        if let Some(index) = name {
            self.tree.n_named += 1;
            self.tree.names[index].groups.push(number);
            self.tree.names[index].n_open += 1;
        }
        Ok(GroupKind::Capture { number, name })
    }

    /// The index of a name, which may be new.
    fn name(&mut self, text: &'p str) -> usize {
        let names = &mut self.tree.names;
        let index = *self.tree.name_indices.entry(text).or_insert(names.len());
        if index == names.len() {
            names.push(Name::default());
        }
        index
    }

    /// Ends [`Self::open_group`]: `group` is the node of the group.
    pub(super) fn close_group(&mut self, group: NodeId, number: usize, name: Option<usize>) {
        self.tree.groups[number] = Some(group);
        if let Some(index) = name {
            self.tree.names[index].n_open -= 1;
        }
    }
}
