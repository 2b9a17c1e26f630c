//! Parentheses.

use super::parser::{Enclosed, Flags, Parser};
use super::problem::{self, Problem};
use super::tree::{GroupKind, LookKind, Node};

/// The construct that parentheses open.
enum Opening {
    Group(GroupKind),
    Look(LookKind),
    Content,
    /// `(?x:…)`
    Options(Flags),
    /// `(?x)`, which has no content.
    OptionsOnly(Flags),
}

impl<'p> Parser<'p> {
    /// Parses parentheses, the first of which was read, up to the last.
    pub(super) fn enclosed(&mut self) -> Result<Enclosed, Problem> {
        if self.scanner.is_at_end() {
            return Err(problem::UNCLOSED_GROUP);
        }
        let opening = if self.scanner.take('?') {
            self.opening()?
        } else {
            Opening::Group(self.open_group(None)?)
        };
        match opening {
            Opening::Group(kind) => self.group(kind),
            Opening::Look(kind) => {
                let body = self.content()?;
                Ok(Enclosed::Group(self.tree.add(Node::Look { kind, body })))
            }
            Opening::Content => Ok(Enclosed::Content(self.content()?)),
            Opening::Options(flags) => {
                let outer = std::mem::replace(&mut self.flags, flags);
                let body = self.content()?;
                self.flags = outer;
                let kind = GroupKind::Options;
                Ok(Enclosed::Group(self.tree.add(Node::Group { kind, body })))
            }
            Opening::OptionsOnly(flags) => Ok(Enclosed::Options(flags)),
        }
    }

    fn content(&mut self) -> Result<usize, Problem> {
        self.advance()?;
        self.alternatives(true)
    }

    fn group(&mut self, kind: GroupKind) -> Result<Enclosed, Problem> {
        let mut body = self.content()?;
        if matches!(kind, GroupKind::Condition { .. })
            && !matches!(self.tree.nodes[body], Node::Alternatives(_))
        {
            let otherwise = self.text(String::new());
            body = self.tree.add(Node::Alternatives(vec![body, otherwise]));
        }
        let group = self.tree.add(Node::Group { kind, body });
        if let GroupKind::Capture { number, name } = kind {
            self.close_group(group, number, name);
        }
        Ok(Enclosed::Group(group))
    }

    /// Parses the text after `(?`.
    fn opening(&mut self) -> Result<Opening, Problem> {
        let first = self.scanner.next().ok_or(problem::END_IN_GROUP)?;
        Ok(match first {
            ':' => Opening::Content,
            '=' => Opening::Look(LookKind::Ahead),
            '!' => Opening::Look(LookKind::NotAhead),
            '>' => Opening::Group(GroupKind::Atomic),
            '~' => Opening::Group(GroupKind::Absent),
            '\'' => self.named('\'')?,
            '<' => match self.scanner.peek().ok_or(problem::UNCLOSED_GROUP)? {
                '=' => self.look_behind(LookKind::Behind),
                '!' => self.look_behind(LookKind::NotBehind),
                _ => self.named('>')?,
            },
            '(' => self.condition()?,
            '-' | 'i' | 'm' | 'x' | 'a' | 'd' | 'u' => self.options(first)?,
            _ => return Err(problem::GROUP_OPTION),
        })
    }

    fn look_behind(&mut self, kind: LookKind) -> Opening {
        self.scanner.next();
        Opening::Look(kind)
    }

    fn named(&mut self, end: char) -> Result<Opening, Problem> {
        let name = self.scanner.new_name(end)?;
        Ok(Opening::Group(self.open_group(Some(name))?))
    }

    /// Parses `(?(1)…)` or `(?(<name>)…)`, from the number or name on.
    fn condition(&mut self) -> Result<Opening, Problem> {
        if self.scanner.is_at_end() {
            return Err(problem::GROUP_OPTION);
        }
        if self.is_digit_next() {
            let reference = self.scanner.reference(')')?;
            let number = reference.number.and_then(|number| usize::try_from(number).ok());
            let number = number.expect("it begins with a digit");
            return Ok(Opening::Group(GroupKind::Condition { number, by_name: false }));
        }
        let end = match self.scanner.next() {
            Some('<') => '>',
            Some('\'') => '\'',
            _ => return Err(problem::CONDITION),
        };
        let (backref, _) = self.backref(end)?;
        if !self.scanner.take(')') {
            return Err(problem::GROUP_OPTION);
        }
        let number = self.tree.referred(&backref)[0];
        Ok(Opening::Group(GroupKind::Condition { number, by_name: true }))
    }

    /// Parses `(?mi-x:` or `(?mi-x)`, from its first letter on.
    fn options(&mut self, first: char) -> Result<Opening, Problem> {
        let (mut letter, mut is_off, mut flags) = (first, false, self.flags);
        loop {
            match letter {
                ':' => return Ok(Opening::Options(flags)),
                ')' => return Ok(Opening::OptionsOnly(flags)),
                '-' => is_off = true,
                'x' => flags.is_extended = !is_off,
                'i' => flags.ignores_case = !is_off,
                'm' => flags.dot_takes_newline = !is_off,
                'a' | 'd' | 'u' if !is_off => flags.set_range(letter),
                _ => return Err(problem::GROUP_OPTION),
            }
            letter = self.scanner.next().ok_or(problem::END_IN_GROUP)?;
        }
    }
}
