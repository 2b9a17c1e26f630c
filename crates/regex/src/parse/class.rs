//! Character classes: `[a-z&&[^aeiou]]`.

use super::parser::Parser;
use super::problem::{self, Problem};
use super::property;
use crate::resolve;

/// A set of characters as written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Class {
    pub(crate) is_negated: bool,
    /// The operands of `&&`; a character must be in all of these.
    pub(crate) parts: Vec<Vec<Item>>,
    pub(crate) ignores_case: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Item {
    Range(char, char),
    Property(Property),
    Class(Class),
}

/// `\p{name}`, `[:name:]`, `\w`
#[derive(Clone, Debug)]
pub(crate) struct Property {
    /// Lower case, without blanks.
    pub(crate) name: String,
    pub(crate) is_negated: bool,
    /// Only ASCII has the property.
    pub(crate) is_ascii: bool,
    /// Set if `k` matches the Kelvin sign, which is not ASCII, when case is ignored.
    pub(crate) folds_over_ascii: bool,
}

impl Class {
    /// Returns the class of one property.
    pub(crate) fn of(property: Property) -> Self {
        Self { parts: vec![vec![Item::Property(property)]], ..Self::default() }
    }

    /// Creates the class of word characters outside of brackets, beyond ASCII too.
    ///
    /// Ruby counts superscripts and fractions of Latin-1 among them, but not in brackets.
    pub(crate) fn words() -> Self {
        let is_ascii = false;
        let name = "word".to_owned();
        let word = Property { name, is_negated: false, is_ascii, folds_over_ascii: false };
        let others = [('²', '³'), ('¹', '¹'), ('¼', '¾')];
        let others = others.into_iter().map(|(first, last)| Item::Range(first, last));
        let part = std::iter::once(Item::Property(word)).chain(others).collect();
        Self { parts: vec![part], ..Self::default() }
    }

    /// Returns the only character, if it was written as one.
    fn single(&self) -> Option<char> {
        let [part] = &self.parts[..] else { return None };
        let &Item::Range(only, _) = part.first()? else { return None };
        let is_only = |item: &Item| matches!(item, Item::Range(a, b) if (*a, *b) == (only, only));
        (!self.is_negated && part.iter().all(is_only)).then_some(only)
    }
}

/// A parsed bracket.
pub(super) enum Bracket {
    Class(Class),
    /// Ruby treats a class of one character as that character.
    Character(char),
}

/// A token inside a class.
#[derive(Clone, Copy, Debug)]
enum ClassToken {
    End,
    /// `]`
    Close,
    /// `[`
    Open,
    /// `[:`, if a `:]` follows
    Posix,
    /// `-`
    Dash,
    /// `&&`
    And,
    Value(ClassCharacter),
    /// `\w`
    Kind(char),
    /// `\p{`
    Property {
        is_negated: bool,
    },
}

/// A character, and whether it was written as an escape.
#[derive(Clone, Copy, Debug)]
struct ClassCharacter {
    character: char,
    is_escaped: bool,
}

/// The progress of a range.
#[derive(Clone, Copy, Debug)]
enum RangeState {
    /// At the start, also behind `&&`.
    Start,
    /// Behind a character, which may begin a range; `None` is a set, which may not.
    Value(Option<char>),
    /// Behind a character and a dash.
    Range(char),
    /// Behind a whole range.
    Complete,
}

impl RangeState {
    /// Adds a character to `part` and returns the next state.
    fn with(self, character: char, part: &mut Vec<Item>) -> Result<Self, Problem> {
        let (first, after) = match self {
            Self::Range(from) if from > character => return Err(problem::EMPTY_RANGE),
            Self::Range(from) => (from, Self::Complete),
            Self::Start | Self::Value(_) | Self::Complete => {
                (character, Self::Value(Some(character)))
            }
        };
        part.push(Item::Range(first, character));
        Ok(after)
    }

    /// Adds a set such as `\w` to `part` and returns the next state.
    fn with_set(self, property: Property, part: &mut Vec<Item>) -> Result<Self, Problem> {
        match self {
            Self::Range(_) => Err(problem::CLASS_ENDS_RANGE),
            Self::Start | Self::Value(_) | Self::Complete => {
                part.push(Item::Property(property));
                Ok(Self::Value(None))
            }
        }
    }
}

impl Parser<'_> {
    /// Parses the class whose bracket was read, up to and with its last bracket.
    pub(super) fn bracket(&mut self) -> Result<Bracket, Problem> {
        let class = self.class()?;
        // The spelling matters only if case does.
        let only = class.single();
        let only = if class.ignores_case { only.or_else(|| resolve::single(&class)) } else { only };
        Ok(match only {
            Some(only) => Bracket::Character(only),
            None => Bracket::Class(class),
        })
    }

    fn class(&mut self) -> Result<Class, Problem> {
        self.deeper(|parser| {
            let (mut token, is_negated) = parser.first_class_token()?;
            let mut state = RangeState::Start;
            let mut parts = vec![Vec::new()];
            while !matches!(token, ClassToken::Close) {
                let mut next = None;
                let part = parts.last_mut().expect("there is always a part");
                state = match token {
                    ClassToken::End => return Err(problem::UNCLOSED_CLASS),
                    ClassToken::Close => unreachable!("the loop ends there"),
                    ClassToken::Open => {
                        part.push(Item::Class(parser.class()?));
                        state
                    }
                    ClassToken::Posix => parser.posix_bracket(state, part)?,
                    ClassToken::Dash => {
                        let (after, read) = parser.dash(state, part)?;
                        next = read;
                        after
                    }
                    ClassToken::And => {
                        parts.push(Vec::new());
                        RangeState::Start
                    }
                    ClassToken::Value(value) => state.with(value.character, part)?,
                    ClassToken::Kind(letter) => state.with_set(parser.kind(letter), part)?,
                    ClassToken::Property { is_negated } => {
                        let name = parser.property()?;
                        let folds_over_ascii = name != "ascii";
                        let property =
                            Property { name, is_negated, is_ascii: false, folds_over_ascii };
                        state.with_set(property, part)?
                    }
                };
                token = next.unwrap_or_else(|| parser.class_token());
            }
            Ok(Class { is_negated, parts, ignores_case: parser.flags.ignores_case })
        })
    }

    /// Returns the property of `\w` and similar escapes, by their letter.
    pub(super) fn kind(&self, letter: char) -> Property {
        let name = match letter.to_ascii_lowercase() {
            'w' => "word",
            'd' => "digit",
            's' => "space",
            _ => "xdigit",
        };
        Property {
            name: name.to_owned(),
            is_negated: letter.is_ascii_uppercase(),
            is_ascii: self.flags.is_ascii_range,
            folds_over_ascii: name != "word",
        }
    }

    /// Reads the first token behind `[` or `[^`, where a bracket may be literal.
    fn first_class_token(&mut self) -> Result<(ClassToken, bool), Problem> {
        let mut token = self.class_token();
        let is_negated = matches!(
            token,
            ClassToken::Value(ClassCharacter { character: '^', is_escaped: false })
        );
        if is_negated {
            token = self.class_token();
        }
        if !matches!(token, ClassToken::Close) {
            return Ok((token, is_negated));
        }
        // Ruby looks for another bracket anywhere in the pattern, even an escaped one.
        if memchr::memchr(b']', self.scanner.rest().as_bytes()).is_none() {
            return Err(problem::EMPTY_CLASS);
        }
        Ok((ClassToken::Value(ClassCharacter { character: ']', is_escaped: false }), is_negated))
    }

    fn class_token(&mut self) -> ClassToken {
        match self.scanner.next() {
            None => ClassToken::End,
            Some(']') => ClassToken::Close,
            Some('-') => ClassToken::Dash,
            Some('\\') => self.class_escape(),
            Some('[') if self.is_posix_bracket() => ClassToken::Posix,
            Some('[') => ClassToken::Open,
            Some('&') if self.scanner.take('&') => ClassToken::And,
            Some(character) => ClassToken::Value(ClassCharacter { character, is_escaped: false }),
        }
    }

    fn class_escape(&mut self) -> ClassToken {
        let escaped = self.scanner.next().expect("a pattern that ends in `\\` was refused before");
        let character = match escaped {
            'w' | 'W' | 'd' | 'D' | 's' | 'S' | 'h' | 'H' => return ClassToken::Kind(escaped),
            'p' | 'P' if self.scanner.take('{') => {
                let is_negated = self.scanner.take('^') != (escaped == 'P');
                return ClassToken::Property { is_negated };
            }
            'x' => self.code(0, 2, 16),
            '0'..='7' => self.code(1, 3, 8),
            'b' => '\x08',
            other => unescaped(other),
        };
        ClassToken::Value(ClassCharacter { character, is_escaped: true })
    }

    /// Returns the character whose number begins `back` digits before here.
    pub(super) fn code(&mut self, back: usize, max_digits: usize, base: u32) -> char {
        self.scanner.at -= back;
        let rest = self.scanner.rest().chars();
        let digits = rest.take(max_digits).map_while(|digit| digit.to_digit(base));
        let (code, n_digits) =
            digits.fold((0, 0), |(code, n_digits), digit| (code * base + digit, n_digits + 1));
        self.scanner.at += n_digits;
        char::from_u32(code).expect("such escapes are ASCII after preparation")
    }

    /// Handles a dash behind `state`: returns the next state, and the next token if it was read.
    fn dash(
        &mut self,
        state: RangeState,
        part: &mut Vec<Item>,
    ) -> Result<(RangeState, Option<ClassToken>), Problem> {
        if let RangeState::Range(_) = state {
            return Ok((state.with('-', part)?, None));
        }
        let next = self.class_token();
        let is_last = matches!(next, ClassToken::Close | ClassToken::And);
        let after = match state {
            RangeState::Value(None) if !is_last => return Err(problem::CLASS_STARTS_RANGE),
            RangeState::Value(Some(from)) if !is_last => {
                // The range counts when it is complete, which it may never be: `[a-[b]]`.
                let written = part.iter().rposition(|item| matches!(item, Item::Range(..)));
                part.remove(written.expect("the character was added"));
                RangeState::Range(from)
            }
            _ => state.with('-', part)?,
        };
        Ok((after, Some(next)))
    }

    /// Returns true if the bracket that was read and a colon begin a POSIX bracket.
    fn is_posix_bracket(&mut self) -> bool {
        if !self.scanner.rest().starts_with(':') || self.scanner.at < self.no_posix_bracket_before {
            return false;
        }
        let rest = &self.scanner.rest().as_bytes()[1..];
        let mut at = 0;
        while at < rest.len() {
            match rest[at] {
                b':' if rest.get(at + 1) == Some(&b']') => return true,
                b']' => return false,
                b'\\' => at += 1,
                _ => {}
            }
            at += 1;
        }
        // There is none up to the end, so the next searches can be skipped.
        self.no_posix_bracket_before = self.scanner.text.len();
        false
    }

    /// Parses the text after `[`, which has a colon next; a bracket without a name is just a character.
    fn posix_bracket(
        &mut self,
        state: RangeState,
        part: &mut Vec<Item>,
    ) -> Result<RangeState, Problem> {
        const NAMES: [&str; 14] = [
            "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
            "space", "upper", "xdigit", "ascii", "word",
        ];
        let start = self.scanner.at;
        self.scanner.next();
        let is_negated = self.scanner.take('^');
        let rest = self.scanner.rest();
        // The shortest name with its `:]` and one more character.
        if rest.chars().nth(6).is_some()
            && let Some(name) = NAMES.iter().find(|&&name| rest.starts_with(name))
        {
            if !rest[name.len()..].starts_with(":]") {
                return Err(problem::POSIX_BRACKET);
            }
            self.scanner.at += name.len() + 2;
            let is_ascii = self.flags.is_ascii_range && !self.flags.brackets_go_beyond;
            let folds_over_ascii = !is_ascii && !matches!(*name, "word" | "ascii");
            // Ruby's `\\p{Punct}` lacks the symbols of ASCII, `[:punct:]` has them.
            let name = if *name == "punct" { "xposixpunct" } else { name }.to_owned();
            let property = Property { name, is_negated, is_ascii, folds_over_ascii };
            return state.with_set(property, part);
        }
        let mut name_end =
            rest.char_indices().take(21).skip_while(|(_, c)| !matches!(c, ':' | ']'));
        if name_end.next().is_some_and(|(at, _)| rest[at..].starts_with(":]")) {
            return Err(problem::POSIX_BRACKET);
        }
        self.scanner.at = start;
        state.with('[', part)
    }

    /// Parses the name of a property behind `\p{` or `\p{^`, and its brace.
    pub(super) fn property(&mut self) -> Result<String, Problem> {
        // A property binds an expression to UTF-8.
        self.tree.is_ascii = false;
        let start = self.scanner.at;
        let mut end = start;
        while let Some(next) = self.scanner.peek() {
            end = self.scanner.at;
            self.scanner.next();
            match next {
                '}' => match property::normal_name(&self.scanner.text[start..end]) {
                    Some(name) => return Ok(name),
                    None => break,
                },
                '(' | ')' | '{' | '|' => break,
                _ => {}
            }
        }
        Err(Problem::property(&self.scanner.text[start..end]))
    }
}

/// Returns the character of an escape that is valid outside and inside of brackets.
pub(super) fn unescaped(letter: char) -> char {
    match letter {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'f' => '\x0C',
        'v' => '\x0B',
        'a' => '\x07',
        'e' => '\x1B',
        other => other,
    }
}
