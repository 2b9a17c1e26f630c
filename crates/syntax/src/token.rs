//! Tokens.

use kukla_base::Span;

use crate::ast::Text;

/// A token with its span.
///
/// The span is in the coordinates of the text that was lexed: inside a heredoc that is the heredoc's text without its
/// margin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
    /// The value: a name, a string without quotes and escapes, a variable without its dollar sign.
    pub(crate) text: Text,
}

/// The kind of a [`Token`]. Names are those of Puppet's grammar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum TokenKind {
    End,
    /// Text that is no token; `text.start` is the number of the diagnostic.
    Error,
    /// A character that has no meaning in the language.
    Other,
    LBrack,
    /// `[` after white space: never an access.
    ListStart,
    RBrack,
    LBrace,
    /// `{` after `?`.
    SelBrace,
    RBrace,
    LParen,
    /// `(` at the start of a line: never a call.
    WsLParen,
    RParen,
    Equals,
    Appends,
    Deletes,
    IsEqual,
    NotEqual,
    Match,
    NoMatch,
    GreaterEqual,
    GreaterThan,
    LessEqual,
    LessThan,
    FArrow,
    PArrow,
    LShift,
    LLCollect,
    LCollect,
    RShift,
    RRCollect,
    RCollect,
    Plus,
    Minus,
    Div,
    Times,
    Modulo,
    Not,
    Dot,
    Pipe,
    At,
    AtAt,
    Colon,
    Comma,
    Semic,
    QMark,
    Tilde,
    InEdge,
    InEdgeSub,
    OutEdge,
    OutEdgeSub,
    String,
    Word,
    DqPre,
    DqMid,
    DqPost,
    Number,
    Variable,
    Name,
    ClassRef,
    Regex,
    Heredoc,
    /// Starts the text of a heredoc; `text.start` is the number of its [`SubText`](crate::lexer::SubText).
    Sublocate,
    EppStart,
    EppEnd,
    EppEndTrim,
    RenderString,
    RenderExpr,
    /// The end of a statement of PDL, which is the end of its line.
    LineEnd,
    // Keywords.
    Case,
    Class,
    Default,
    Define,
    If,
    Elsif,
    Else,
    Inherits,
    Node,
    And,
    Or,
    Undef,
    Boolean,
    In,
    Unless,
    Function,
    Type,
    Attr,
    Private,
    Plan,
    Apply,
}

impl TokenKind {
    /// Returns the keyword, or a name.
    pub(crate) fn of_name(word: &[u8], tasks: bool) -> Self {
        match word {
            b"case" => Self::Case,
            b"class" => Self::Class,
            b"default" => Self::Default,
            b"define" => Self::Define,
            b"if" => Self::If,
            b"elsif" => Self::Elsif,
            b"else" => Self::Else,
            b"inherits" => Self::Inherits,
            b"node" => Self::Node,
            b"and" => Self::And,
            b"or" => Self::Or,
            b"undef" => Self::Undef,
            b"false" | b"true" => Self::Boolean,
            b"in" => Self::In,
            b"unless" => Self::Unless,
            b"function" => Self::Function,
            b"type" => Self::Type,
            b"attr" => Self::Attr,
            b"private" => Self::Private,
            b"plan" if tasks => Self::Plan,
            b"apply" if tasks => Self::Apply,
            _ => Self::Name,
        }
    }

    /// Returns the spelling of a sign; `None` for tokens with a text of their own.
    pub(crate) fn sign(self) -> Option<&'static str> {
        Some(match self {
            Self::LBrack => "[",
            Self::ListStart => "[",
            Self::RBrack => "]",
            Self::LBrace => "{",
            Self::SelBrace => "{",
            Self::RBrace => "}",
            Self::LParen => "(",
            Self::WsLParen => "(",
            Self::RParen => ")",
            Self::Equals => "=",
            Self::Appends => "+=",
            Self::Deletes => "-=",
            Self::IsEqual => "==",
            Self::NotEqual => "!=",
            Self::Match => "=~",
            Self::NoMatch => "!~",
            Self::GreaterEqual => ">=",
            Self::GreaterThan => ">",
            Self::LessEqual => "<=",
            Self::LessThan => "<",
            Self::FArrow => "=>",
            Self::PArrow => "+>",
            Self::LShift => "<<",
            Self::LLCollect => "<<|",
            Self::LCollect => "<|",
            Self::RShift => ">>",
            Self::RRCollect => "|>>",
            Self::RCollect => "|>",
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Div => "/",
            Self::Times => "*",
            Self::Modulo => "%",
            Self::Not => "!",
            Self::Dot => ".",
            Self::Pipe => "|",
            Self::At => "@",
            Self::AtAt => "@@",
            Self::Colon => ":",
            Self::Comma => ",",
            Self::Semic => ";",
            Self::QMark => "?",
            Self::Tilde => "~",
            Self::InEdge => "->",
            Self::InEdgeSub => "~>",
            Self::OutEdge => "<-",
            Self::OutEdgeSub => "<~",
            Self::EppEnd => "%>",
            Self::EppEndTrim => "-%>",
            _ => return None,
        })
    }

    /// Returns true if `${word}` and `${word.…}` refer to the variable of that name.
    ///
    /// `plan` and `apply` are missing, as they are in Puppet.
    pub(crate) fn names_a_variable(self) -> bool {
        matches!(self, Self::Number | Self::Name | Self::Word)
            || (self.is_keyword() && !matches!(self, Self::Plan | Self::Apply))
    }

    /// Returns true for a keyword.
    pub(crate) fn is_keyword(self) -> bool {
        self as u8 >= Self::Case as u8
    }

    /// Returns true for a keyword that can be the name of an attribute: all but `true` and `false`.
    pub(crate) fn is_attribute_keyword(self) -> bool {
        self.is_keyword() && self != Self::Boolean
    }

    /// Returns true if `/` after such a token starts a regular expression.
    pub(crate) fn regexp_may_follow(self) -> bool {
        !matches!(
            self,
            Self::RParen
                | Self::RBrack
                | Self::RRCollect
                | Self::RCollect
                | Self::Name
                | Self::ClassRef
                | Self::Number
                | Self::String
                | Self::Boolean
                | Self::DqPre
                | Self::DqMid
                | Self::DqPost
                | Self::Heredoc
                | Self::Regex
                | Self::Variable
                | Self::Word
        )
    }
}
