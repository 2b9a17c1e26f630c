//! Tokens of P.

use kukla_base::Span;

/// A token and its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The kind.
    pub kind: TokenKind,
    /// The span.
    pub span: Span,
}

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name, which may be the name of a member that looks like a keyword.
    Word,
    /// A reserved word.
    Keyword(Keyword),
    /// `42`
    Number,
    /// `"text"`
    Text,
    /// `:=`, `+`, `{`, …
    Symbol(Symbol),
    /// `/* … */` or `// …`; the parser does not see them.
    Comment,
    /// Invalid input that was reported.
    Error,
    /// The end of the source.
    End,
}

macro_rules! spelled {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the spelling stands beside each")]
        pub enum $name { $($variant,)+ }

        impl $name {
            /// All variants with their spellings.
            pub const ALL: &'static [(&'static str, Self)] = &[$(($text, Self::$variant),)+];

            /// Returns the spelling.
            pub fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }
    };
}

spelled! {
    /// A reserved word.
    Keyword {
        If = "if",
        Elsif = "elsif",
        Else = "else",
        True = "true",
        False = "false",
        And = "and",
        Or = "or",
        Xor = "xor",
        Not = "not",
        Try = "try",
        Otherwise = "otherwise",
        Import = "import",
        Equal = "equal",
        EqualI = "equal_i",
        Contains = "contains",
        ContainsI = "contains_i",
        BeginsWith = "begins_with",
        BeginsWithI = "begins_with_i",
        EndsWith = "ends_with",
        EndsWithI = "ends_with_i",
        Matches = "matches",
        MatchesI = "matches_i",
    }
}

spelled! {
    /// A symbol. Longer spellings precede their prefixes, so that the first match is the longest.
    Symbol {
        Assign = ":=",
        EqualEqual = "==",
        NotEqual = "!=",
        LessEqual = "<=",
        GreaterEqual = ">=",
        Less = "<",
        Greater = ">",
        Plus = "+",
        Minus = "-",
        Star = "*",
        Slash = "/",
        Percent = "%",
        Bang = "!",
        Dot = ".",
        Comma = ",",
        Semicolon = ";",
        ParenOpen = "(",
        ParenClose = ")",
        BraceOpen = "{",
        BraceClose = "}",
    }
}
