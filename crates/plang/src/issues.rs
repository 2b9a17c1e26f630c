//! Diagnostics about programs: one constructor per diagnostic, so that all wording is in one place.

mod lints;
mod names;
mod values;

pub use lints::*;
pub use names::*;
pub use values::*;

use kukla_base::{Diagnostic, Severity, Span};

use crate::token::{Keyword, Token, TokenKind};

fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, span, message).severity(Severity::Warning)
}

/// Reports a file that is larger than allowed.
pub fn source_too_large(size: usize, limit: usize) -> Diagnostic {
    let message = format!("the program has {size} bytes; the limit is {limit}");
    Diagnostic::parse_error("source-too-large", Span::new(0, 0), message)
}

/// Reports a file that is not valid UTF-8.
pub fn not_utf8(offset: usize) -> Diagnostic {
    let at = Span::new(u32::try_from(offset).unwrap_or(u32::MAX), 0);
    Diagnostic::parse_error("not-utf8", at, "the program is not in UTF-8")
        .help("write other bytes as `\\xHH` in a string")
}

/// Reports more tokens than allowed.
pub fn too_many_tokens(span: Span, limit: usize) -> Diagnostic {
    let message = format!("the program has more than {limit} words and symbols");
    Diagnostic::parse_error("too-many-tokens", span, message)
}

/// Reports `0777`, `12ab`, `99999999999999999999`.
pub fn bad_number(span: Span, is_number: bool, has_leading_zero: bool) -> Diagnostic {
    let issue = |message: &str| Diagnostic::parse_error("bad-number", span, message);
    match (is_number, has_leading_zero) {
        (true, true) => {
            issue("a number does not start with 0").help("numbers are decimal; leave the zero out")
        }
        (true, false) => issue("the number does not fit in 64 bits")
            .help("the largest number is 9223372036854775807"),
        (false, _) => issue("this is neither a number nor a name")
            .help("a name starts with a letter; a string stands in double quotes"),
    }
}

/// Reports a string literal without its closing quote.
pub fn unclosed_string(span: Span) -> Diagnostic {
    Diagnostic::parse_error("unclosed-string", span, "the string has no end")
        .help("end it with `\"`; write a quote in it as `\\\"`")
}

/// Reports a very long string.
pub fn literal_too_large(span: Span, limit: usize) -> Diagnostic {
    let message = format!("the string is longer than {limit} bytes");
    Diagnostic::parse_error("literal-too-large", span, message)
}

/// Reports `"\q"`.
pub fn bad_escape(span: Span) -> Diagnostic {
    Diagnostic::parse_error("bad-escape", span, "there is no such escape")
        .help("known are `\\\"`, `\\\\`, `\\n`, `\\r`, `\\t`, `\\xHH` and `\\u{H…}`; a backslash is `\\\\`")
}

/// Reports `/* …`.
pub fn unclosed_comment(span: Span) -> Diagnostic {
    Diagnostic::parse_error("unclosed-comment", span, "the comment has no end")
        .help("end it with `*/`")
}

/// Reports `$`.
pub fn bad_character(span: Span, character: char) -> Diagnostic {
    let message = format!("`{}` has no meaning here", character.escape_debug());
    let issue = Diagnostic::parse_error("bad-character", span, message);
    match character {
        '=' => issue.help("a name is assigned with `:=`, values are compared with `==`"),
        '&' => issue.help("write `and`"),
        '|' => issue.help("write `or`"),
        '\'' | '`' | '‘' | '’' | '“' | '”' => {
            issue.help("strings stand in double quotes `\"`")
        }
        '#' => issue.help("a comment starts with `//` or stands between `/*` and `*/`"),
        '$' => issue.help("names have no `$`"),
        '[' | ']' => issue.help("there are no lists; a set is written `Core.set(\"a\", \"b\")`"),
        '?' | ':' => issue.help("choose with `if (…) {…} else {…}`"),
        '~' => issue.help("a pattern is tried with `matches`"),
        _ => issue,
    }
}

/// Reports a token that is not allowed at its position.
pub fn unexpected(token: Token, text: &str, wanted: &str) -> Diagnostic {
    let found = match token.kind {
        TokenKind::End => "the end of the program".to_owned(),
        _ => format!("`{}`", shortened(text)),
    };
    let message = format!("expected {wanted}, found {found}");
    let issue = Diagnostic::parse_error("syntax-error", token.span, message);
    match token.kind {
        TokenKind::Keyword(keyword) if wanted == "an expression" => issue.help(match keyword {
            Keyword::If => "`if` is a statement; it has no value".to_owned(),
            Keyword::Else | Keyword::Elsif => {
                "it must follow the `}` of an `if`, without a `;` between".to_owned()
            }
            _ => format!("`{}` is a reserved word", keyword.text()),
        }),
        TokenKind::Word => with_word_help(issue, text),
        _ => issue,
    }
}

/// Reports a missing semicolon.
pub fn missing_semicolon(token: Token, text: &str, statement: Span) -> Diagnostic {
    let end = Span::new(statement.end(), 0);
    let message = match token.kind {
        TokenKind::End => "expected `;`".to_owned(),
        _ => format!("expected `;`, found `{}`", shortened(text)),
    };
    let issue = Diagnostic::parse_error("syntax-error", token.span, message)
        .label_at(end, "the statement may end here");
    with_word_help(issue, text)
}

/// Adds help for keywords of other languages, with their equivalent in P.
fn with_word_help(issue: Diagnostic, word: &str) -> Diagnostic {
    let plain: String = word.chars().filter(char::is_ascii_alphanumeric).collect();
    let here = match plain.to_ascii_lowercase().as_str() {
        "equals" | "equal" | "eq" | "is" => "`equal`, or `==`",
        "equalsi" | "equali" => "`equal_i`",
        "contains" | "containss" | "includes" => "`contains`",
        "containsi" => "`contains_i`",
        "beginswith" | "startswith" | "beginswiths" | "hasprefix" => "`begins_with`",
        "beginswithi" => "`begins_with_i`",
        "endswith" | "endswiths" | "hassuffix" => "`ends_with`",
        "endswithi" => "`ends_with_i`",
        "match" | "matches" | "matchess" => "`matches`",
        "elseif" | "elif" => "`elsif`, or `else if`",
        "in" => "`Core.set(\"a\", \"b\").has(x)`",
        "catch" | "except" | "rescue" => "`otherwise`",
        "then" => "a block in braces",
        _ => return issue,
    };
    issue.help(format!("write {here}"))
}

/// Reports `}` without `{`.
pub fn stray_brace(span: Span) -> Diagnostic {
    Diagnostic::parse_error("syntax-error", span, "`}` closes nothing")
}

/// Reports `{` without `}`.
pub fn unclosed_block(span: Span) -> Diagnostic {
    Diagnostic::parse_error("unclosed-block", span, "the block has no end")
        .help("close it with `}`")
}

/// Reports `f() := 1`.
pub fn not_assignable(span: Span) -> Diagnostic {
    Diagnostic::parse_error("not-assignable", span, "only a name can be assigned")
        .help("values can't be changed; give the new value a name of its own")
}

/// Reports `a == not b`.
pub fn needs_parentheses(span: Span, word: &str) -> Diagnostic {
    let message = format!("`{word}` can't stand here without parentheses");
    Diagnostic::parse_error("syntax-error", span, message).help(format!(
        "write `({word} …)`; it takes in all that follows it up to a looser operator"
    ))
}

/// Reports `a.+(b, c)`.
pub fn operator_arity(span: Span, operator: &str, n_args: usize) -> Diagnostic {
    let message = format!("the operator `{operator}` does not take {n_args} arguments");
    Diagnostic::parse_error("arity", span, message)
}

/// Reports blocks nested too deeply.
pub fn too_deep(span: Span, limit: usize) -> Diagnostic {
    Diagnostic::parse_error("too-deep", span, format!("nested more than {limit} levels deep"))
}

/// Reports a sum of a thousand terms.
pub fn too_high(span: Span, limit: usize) -> Diagnostic {
    let message = format!("the expression has more than {limit} operators in a row");
    Diagnostic::parse_error("too-deep", span, message).help("give parts of it names")
}

fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}
