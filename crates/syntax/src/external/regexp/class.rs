//! Character classes: `[a-z&&[^aeiou]]`.

use super::parse::Parser;
use super::problem::{self, Problem};
use super::property;

/// A token inside a class.
#[derive(Clone, Copy, Debug)]
enum Token {
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
    Value(Value),
    /// `\w`
    Kind,
    /// `\p{`
    Property,
}

/// A character, and whether it was written as an escape.
#[derive(Clone, Copy, Debug)]
struct Value {
    character: char,
    is_escaped: bool,
}

/// How far a range may have got.
#[derive(Clone, Copy, Debug)]
enum State {
    /// At the start, also behind `&&`.
    Start,
    /// Behind a character, which may begin a range; `None` is a set, which may not.
    Value(Option<char>),
    /// Behind a character and a dash.
    Range(char),
    /// Behind a whole range.
    Complete,
}

impl State {
    /// The state behind one more character.
    fn with(self, character: char) -> Result<Self, Problem> {
        match self {
            Self::Range(from) if from > character => Err(problem::EMPTY_RANGE),
            Self::Range(_) => Ok(Self::Complete),
            Self::Start | Self::Value(_) | Self::Complete => Ok(Self::Value(Some(character))),
        }
    }

    /// The state behind a set such as `\w`.
    fn with_set(self) -> Result<Self, Problem> {
        match self {
            Self::Range(_) => Err(problem::CLASS_ENDS_RANGE),
            Self::Start | Self::Value(_) | Self::Complete => Ok(Self::Value(None)),
        }
    }
}

impl Parser<'_> {
    /// The class whose bracket was read, up to and with its last bracket.
    pub(super) fn class(&mut self) -> Result<(), Problem> {
        self.deeper(|parser| {
            let mut token = parser.first_class_token()?;
            let mut state = State::Start;
            while !matches!(token, Token::Close) {
                let mut next = None;
                state = match token {
                    Token::End => return Err(problem::UNCLOSED_CLASS),
                    Token::Close => unreachable!("the loop ends there"),
                    Token::Open => {
                        parser.class()?;
                        state
                    }
                    Token::Posix => parser.posix_bracket(state)?,
                    Token::Dash => {
                        let (after, read) = parser.dash(state)?;
                        next = read;
                        after
                    }
                    Token::And => State::Start,
                    Token::Value(value) => state.with(value.character)?,
                    Token::Kind => state.with_set()?,
                    Token::Property => {
                        parser.property()?;
                        state.with_set()?
                    }
                };
                token = next.unwrap_or_else(|| parser.class_token());
            }
            Ok(())
        })
    }

    /// The first token behind `[` or `[^`, where a bracket may stand for itself.
    fn first_class_token(&mut self) -> Result<Token, Problem> {
        let mut token = self.class_token();
        if let Token::Value(Value { character: '^', is_escaped: false }) = token {
            token = self.class_token();
        }
        if !matches!(token, Token::Close) {
            return Ok(token);
        }
        // Ruby looks for another bracket anywhere in the pattern, even an escaped one.
        if memchr::memchr(b']', self.scanner.rest().as_bytes()).is_none() {
            return Err(problem::EMPTY_CLASS);
        }
        Ok(Token::Value(Value { character: ']', is_escaped: false }))
    }

    fn class_token(&mut self) -> Token {
        match self.scanner.next() {
            None => Token::End,
            Some(']') => Token::Close,
            Some('-') => Token::Dash,
            Some('\\') => self.class_escape(),
            Some('[') if self.is_posix_bracket() => Token::Posix,
            Some('[') => Token::Open,
            Some('&') if self.scanner.take('&') => Token::And,
            Some(character) => Token::Value(Value { character, is_escaped: false }),
        }
    }

    fn class_escape(&mut self) -> Token {
        let escaped = self.scanner.next().expect("a pattern that ends in `\\` was refused before");
        let character = match escaped {
            'w' | 'W' | 'd' | 'D' | 's' | 'S' | 'h' | 'H' => return Token::Kind,
            'p' | 'P' if self.scanner.take('{') => {
                self.scanner.take('^');
                return Token::Property;
            }
            'x' => self.code(0, 2, 16),
            '0'..='7' => self.code(1, 3, 8),
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'f' => '\x0C',
            'v' => '\x0B',
            'a' => '\x07',
            'e' => '\x1B',
            'b' => '\x08',
            other => other,
        };
        Token::Value(Value { character, is_escaped: true })
    }

    /// The character whose number begins `back` digits before here.
    fn code(&mut self, back: usize, max_digits: usize, base: u32) -> char {
        self.scanner.at -= back;
        let rest = self.scanner.rest().chars();
        let digits = rest.take(max_digits).map_while(|digit| digit.to_digit(base));
        let (code, n_digits) =
            digits.fold((0, 0), |(code, n_digits), digit| (code * base + digit, n_digits + 1));
        self.scanner.at += n_digits;
        char::from_u32(code).expect("such escapes are ASCII after preparation")
    }

    /// A dash behind `state`: the state behind it, and the next token if it was read.
    fn dash(&mut self, state: State) -> Result<(State, Option<Token>), Problem> {
        if let State::Range(_) = state {
            return Ok((state.with('-')?, None));
        }
        let next = self.class_token();
        let is_last = matches!(next, Token::Close | Token::And);
        let after = match state {
            State::Value(None) if !is_last => return Err(problem::CLASS_STARTS_RANGE),
            State::Value(Some(from)) if !is_last => State::Range(from),
            _ => state.with('-')?,
        };
        Ok((after, Some(next)))
    }

    /// Whether the bracket that was read and a colon begin a POSIX bracket.
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
        // None up to the end: the next ones need not look again.
        self.no_posix_bracket_before = self.scanner.text.len();
        false
    }

    /// What follows `[`, which has a colon next; a bracket of no name is just a character.
    fn posix_bracket(&mut self, state: State) -> Result<State, Problem> {
        const NAMES: [&str; 14] = [
            "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
            "space", "upper", "xdigit", "ascii", "word",
        ];
        let start = self.scanner.at;
        self.scanner.next();
        self.scanner.take('^');
        let rest = self.scanner.rest();
        // The shortest name with its `:]` and one more character.
        if rest.chars().nth(6).is_some()
            && let Some(name) = NAMES.iter().find(|&&name| rest.starts_with(name))
        {
            if !rest[name.len()..].starts_with(":]") {
                return Err(problem::POSIX_BRACKET);
            }
            self.scanner.at += name.len() + 2;
            return state.with_set();
        }
        let mut name_end =
            rest.char_indices().take(21).skip_while(|(_, c)| !matches!(c, ':' | ']'));
        if name_end.next().is_some_and(|(at, _)| rest[at..].starts_with(":]")) {
            return Err(problem::POSIX_BRACKET);
        }
        self.scanner.at = start;
        state.with('[')
    }

    /// The name of a property behind `\p{` or `\p{^`, and its brace.
    pub(super) fn property(&mut self) -> Result<(), Problem> {
        let start = self.scanner.at;
        let mut end = start;
        while let Some(next) = self.scanner.peek() {
            end = self.scanner.at;
            self.scanner.next();
            match next {
                '}' if property::is_known(&self.scanner.text[start..end]) => return Ok(()),
                '}' | '(' | ')' | '{' | '|' => break,
                _ => {}
            }
        }
        Err(Problem::property(&self.scanner.text[start..end]))
    }
}
