//! Text to tokens.

use ecow::EcoString;

use super::PdlError;

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token {
    Variable(EcoString),
    Word(EcoString),
    Number(EcoString),
    /// In single quotes: as it is.
    Single(EcoString),
    /// In double quotes: with escapes and `${…}`.
    Double(EcoString),
    Regex(EcoString),
    Sign(&'static str),
    /// A line ends, outside of brackets.
    End,
}

const SIGNS: &[&str] = &[
    "=>", "==", "!=", "<=", ">=", "=~", "!~", "=", "<", ">", "!", "(", ")", "[", "]", "{", "}",
    ",", ":",
];

/// All tokens with their lines. A statement goes on to the next line inside of brackets.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, u32)>, PdlError> {
    let mut out: Vec<(Token, u32)> = Vec::new();
    let (mut rest, mut line, mut depth) = (text, 1_u32, 0_u32);
    while let Some(first) = rest.chars().next() {
        let fail = |message: &str| PdlError { line, message: message.to_owned() };
        let start = line;
        let length = match first {
            '\n' => {
                if depth == 0 && !matches!(out.last(), None | Some((Token::End, _))) {
                    out.push((Token::End, line));
                }
                line += 1;
                1
            }
            c if c.is_whitespace() => c.len_utf8(),
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '$' => {
                let name = word(&rest[1..]);
                if name.is_empty() {
                    return Err(fail("a name must follow `$`"));
                }
                out.push((Token::Variable(name.into()), line));
                name.len() + 1
            }
            '"' | '\'' => {
                let inner = &rest[1..];
                let end = closing(inner, first).ok_or_else(|| fail("the text is not closed"))?;
                let content = EcoString::from(&inner[..end]);
                line += u32::try_from(content.matches('\n').count()).unwrap_or(0);
                let token =
                    if first == '"' { Token::Double(content) } else { Token::Single(content) };
                out.push((token, start));
                end + 2
            }
            '/' => {
                let end =
                    closing(&rest[1..], '/').ok_or_else(|| fail("the pattern is not closed"))?;
                out.push((Token::Regex(rest[1..=end].into()), line));
                end + 2
            }
            c if c.is_ascii_digit()
                || (c == '-' && rest[1..].starts_with(|d: char| d.is_ascii_digit())) =>
            {
                let tail = rest[1..].find(|c: char| !c.is_ascii_alphanumeric() && c != '.');
                let end = tail.map_or(rest.len(), |tail| tail + 1);
                out.push((Token::Number(rest[..end].into()), line));
                end
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let name = word(rest);
                out.push((Token::Word(name.into()), line));
                name.len()
            }
            _ => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
                let sign = sign.ok_or_else(|| fail(&format!("`{first}` is not expected here")))?;
                match *sign {
                    "(" | "[" | "{" => depth += 1,
                    ")" | "]" | "}" => depth = depth.saturating_sub(1),
                    _ => (),
                }
                out.push((Token::Sign(sign), line));
                sign.len()
            }
        };
        rest = &rest[length..];
    }
    Ok(out)
}

/// A name with its qualifiers; a single colon is none of it.
fn word(text: &str) -> &str {
    let mut end = 0;
    loop {
        let rest = &text[end..];
        let length =
            rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        end += length;
        let behind = text[end..].strip_prefix("::");
        match behind.filter(|b| b.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')) {
            Some(_) => end += 2,
            None => return &text[..end],
        }
    }
}

fn closing(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (place, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return Some(place),
            _ => (),
        }
    }
    None
}
