//! Tokens of P.

use kukla_base::Span;

/// A token and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is.
    pub span: Span,
}

/// What a token is.
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
    /// Something that is no token; it was complained about.
    Error,
    /// After the last token.
    End,
}

macro_rules! spelled {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the spelling stands beside each")]
        pub enum $name { $($variant,)+ }

        impl $name {
            /// All of them, each with its spelling.
            pub const ALL: &'static [(&'static str, Self)] = &[$(($text, Self::$variant),)+];

            /// How it is written.
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
    /// A symbol. Longer spellings stand before their beginnings, so that the first that fits is the longest.
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
