//! The recursive descent parser of a prepared pattern.

use super::class::{Bracket, Class, Property};
use super::problem::{self, Problem};
use super::reduce::{self, reduce};
use super::scan::Scanner;
use super::token::{Quantifier, Token};
use super::tree::{Backref, GroupKind, Name, Node, NodeId, Repeat, Tree};

/// The maximum nesting of groups and classes, which is Ruby's.
const MAX_DEPTH: usize = 4096;

/// The options in the form that the parser uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flags {
    /// Blanks and comments are skipped: `(?x)`.
    pub(crate) is_extended: bool,
    /// `(?i)`
    pub(crate) ignores_case: bool,
    /// `(?m)`
    pub(crate) dot_takes_newline: bool,
    /// `\w` and similar escapes are limited to ASCII.
    pub(crate) is_ascii_range: bool,
    /// But `[:alpha:]` and similar brackets are not.
    pub(crate) brackets_go_beyond: bool,
    /// Nor is `\b`.
    pub(crate) boundaries_go_beyond: bool,
}

impl Default for Flags {
    fn default() -> Self {
        Self {
            is_extended: false,
            ignores_case: false,
            dot_takes_newline: false,
            is_ascii_range: true,
            brackets_go_beyond: true,
            boundaries_go_beyond: true,
        }
    }
}

impl Flags {
    /// Applies `(?a)`, `(?d)` or `(?u)`.
    pub(super) fn set_range(&mut self, letter: char) {
        self.is_ascii_range = letter != 'u';
        self.brackets_go_beyond = letter == 'd';
        self.boundaries_go_beyond = letter == 'd';
    }
}

/// Parses `pattern`.
pub(super) fn parse(pattern: &str, flags: Flags) -> Result<Tree<'_>, Problem> {
    let mut parser = Parser {
        scanner: Scanner { text: pattern, at: 0 },
        tree: Tree { groups: vec![None], is_ascii: pattern.is_ascii(), ..Tree::default() },
        token: Token::End,
        flags,
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
    pub(super) flags: Flags,
    depth: usize,
    /// Up to here no `[:` begins a POSIX bracket.
    pub(super) no_posix_bracket_before: usize,
}

/// The result of parsing parentheses.
pub(super) enum Enclosed {
    /// A group with a node of its own.
    Group(NodeId),
    /// `(?:…)`, which leaves only its content.
    Content(NodeId),
    /// `(?x)`, which applies to the rest of the group around it.
    Options(Flags),
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

    /// Parses `a|b|c`, up to the end or, in a group, up to its parenthesis.
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

    /// Parses one atom with its quantifiers; nothing at the end of a branch.
    fn expression(&mut self, is_in_group: bool) -> Result<NodeId, Problem> {
        if self.is_at_branch_end(is_in_group) {
            return Ok(self.text(String::new()));
        }
        let mut is_content = false;
        let target = match std::mem::replace(&mut self.token, Token::End) {
            Token::Open => match self.enclosed()? {
                Enclosed::Group(group) => group,
                Enclosed::Content(content) => {
                    is_content = true;
                    content
                }
                Enclosed::Options(flags) => return self.with_options(flags, is_in_group),
            },
            Token::Text(first) => return self.literal(first),
            Token::Class => match self.bracket()? {
                Bracket::Character(only) => return self.literal(only),
                Bracket::Class(class) => self.tree.add(Node::Set(class)),
            },
            token => self.atom(token)?,
        };
        self.advance()?;
        let splits = !is_content;
        self.repeated(target, splits)
    }

    /// Parses as many literal characters as there are, and the quantifiers of the last of them.
    fn literal(&mut self, first: char) -> Result<NodeId, Problem> {
        let mut text = String::from(first);
        self.advance()?;
        while let Token::Text(next) = self.token {
            text.push(next);
            self.advance()?;
        }
        let text = self.text(text);
        self.repeated(text, true)
    }

    fn atom(&mut self, token: Token<'p>) -> Result<NodeId, Problem> {
        let node = match token {
            Token::Code(character) => return Ok(self.text(String::from(character))),
            Token::Any => Node::Any { takes_newline: self.flags.dot_takes_newline },
            Token::Kind(class) => Node::Set(class),
            Token::Property { is_negated } => self.property_class(is_negated)?,
            Token::LineBreak => Node::LineBreak,
            Token::Cluster => Node::Cluster,
            Token::Backref(reference) => Node::Backref(reference),
            Token::Call(call) => {
                self.tree.n_calls += 1;
                Node::Call(call)
            }
            Token::Anchor(anchor) => Node::Anchor(anchor),
            Token::Repeat(_) => return Err(problem::NOTHING_TO_REPEAT),
            Token::Close => return Err(problem::UNOPENED_GROUP),
            Token::End | Token::Text(_) | Token::Class | Token::Alternative | Token::Open => {
                unreachable!("the caller takes these")
            }
        };
        Ok(self.tree.add(node))
    }

    /// Parses `\p{…}`, from its name on.
    fn property_class(&mut self, is_negated: bool) -> Result<Node<'p>, Problem> {
        let name = self.property()?;
        let ignores_case = self.flags.ignores_case && name != "ascii";
        let property =
            Property { name, is_negated: false, is_ascii: false, folds_over_ascii: true };
        Ok(Node::Set(Class { is_negated, ignores_case, ..Class::of(property) }))
    }

    /// Returns true if a group that is referred to is still open.
    pub(super) fn is_inside(&self, to: &Backref) -> bool {
        match *to {
            Backref::Number(number) => matches!(self.tree.groups.get(number), Some(None)),
            Backref::Name { index, .. } => self.tree.names[index].n_open > 0,
        }
    }

    /// Applies the quantifiers that follow `target`; of a text that `splits`, only to its last character.
    fn repeated(&mut self, target: NodeId, splits: bool) -> Result<NodeId, Problem> {
        let (mut target, mut before) = (target, None);
        while let Token::Repeat(quantifier) = self.token {
            self.advance()?;
            if quantifier.lower == 1 && quantifier.upper == Some(1) {
                continue;
            }
            if splits && let Some(last) = self.split_last(target) {
                before = Some(target);
                target = last;
            }
            target = self.repeat(target, quantifier);
        }
        Ok(match before {
            Some(before) => self.tree.add(Node::List(vec![before, target])),
            None => target,
        })
    }

    /// Splits off the last character of a text of several.
    fn split_last(&mut self, target: NodeId) -> Option<NodeId> {
        let Node::Text { text, ignores_case } = &mut self.tree.nodes[target] else { return None };
        let ignores_case = *ignores_case;
        let (at, last) = text.char_indices().next_back().filter(|&(at, _)| at > 0)?;
        text.truncate(at);
        Some(self.tree.add(Node::Text { text: String::from(last), ignores_case }))
    }

    fn repeat(&mut self, target: NodeId, quantifier: Quantifier) -> NodeId {
        let Quantifier { lower, upper, is_greedy, is_possessive } = quantifier;
        let mut repeat = Repeat { lower, upper, is_greedy, body: target };
        if let Node::Repeat(inner) = self.tree.nodes[target] {
            let (outer, changed) = reduce(repeat, inner);
            self.tree.nodes[target] = Node::Repeat(changed);
            repeat = reduce::without_pointless_upper(outer, inner);
        }
        let body = self.tree.add(Node::Repeat(repeat));
        if !is_possessive {
            return body;
        }
        self.tree.add(Node::Group { kind: GroupKind::Atomic, body })
    }

    /// Parses the rest of the group around `(?x)`.
    fn with_options(&mut self, flags: Flags, is_in_group: bool) -> Result<NodeId, Problem> {
        let outer = std::mem::replace(&mut self.flags, flags);
        self.advance()?;
        let body = self.alternatives(is_in_group)?;
        self.flags = outer;
        Ok(self.tree.add(Node::Group { kind: GroupKind::Options, body }))
    }

    pub(super) fn text(&mut self, text: String) -> NodeId {
        let ignores_case = self.flags.ignores_case;
        self.tree.add(Node::Text { text, ignores_case })
    }

    /// Opens a new capture group.
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

    /// Returns the index of a name, which may be new.
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
