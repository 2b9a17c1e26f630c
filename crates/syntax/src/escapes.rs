//! Escape sequences of strings.

/// The characters that may follow a backslash.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Escapes {
    /// `\\`
    pub(crate) backslash: bool,
    /// `\t`
    pub(crate) tab: bool,
    /// `\r`
    pub(crate) carriage_return: bool,
    /// `\n`
    pub(crate) newline: bool,
    /// `\s`
    pub(crate) space: bool,
    /// `\u1F600`, `\u{1F600}`
    pub(crate) unicode: bool,
    /// A backslash before the end of a line joins it with the next.
    pub(crate) line_end: bool,
    /// `\$`
    pub(crate) dollar: bool,
    /// `\"` and `\'`
    pub(crate) quotes: bool,
    /// Enables a warning for all remaining characters.
    pub(crate) warn: bool,
    /// Set if a backslash before any other character is dropped, as in PDL; otherwise it stays.
    pub(crate) is_dropped: bool,
}

impl Escapes {
    /// All, as in a double-quoted string.
    pub(crate) const DOUBLE_QUOTED: Self = Self {
        backslash: true,
        tab: true,
        carriage_return: true,
        newline: true,
        space: true,
        unicode: true,
        line_end: true,
        dollar: true,
        quotes: true,
        warn: true,
        is_dropped: false,
    };

    /// Those of a double-quoted string in PDL, which has neither `\u` nor joined lines.
    pub(crate) const DATA: Self =
        Self { unicode: false, line_end: false, is_dropped: true, ..Self::DOUBLE_QUOTED };
}

/// Text after its escapes were replaced.
pub(crate) struct Unescaped {
    pub(crate) text: String,
    pub(crate) unrecognized: Vec<Unrecognized>,
}

/// A backslash with a character that it does not escape.
pub(crate) struct Unrecognized {
    /// The offset in the raw text, if known.
    pub(crate) at: Option<usize>,
    pub(crate) char: char,
}

impl Unrecognized {
    /// Returns the number of bytes of the escape.
    pub(crate) fn length(&self) -> u32 {
        // A character has at most four bytes.
        1 + u32::try_from(self.char.len_utf8()).unwrap_or(4)
    }
}

/// An escape for a number that is no character.
pub(crate) struct IllegalUnicode;

/// The maximum number of passes over the text for escapes that are the result of escapes.
const MAX_PASSES: usize = 100;

/// Replaces the escapes of a single-quoted string: `\\` and `\'`.
pub(crate) fn single_quoted(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match rest.chars().next() {
            Some(char @ ('\\' | '\'')) => {
                text.push(char);
                rest = &rest[1..];
            }
            _ => text.push('\\'),
        }
    }
    text.push_str(rest);
    text
}

/// Replaces the escapes of `raw`, whose last `terminator` bytes are not part of the text.
///
/// Puppet first replaces `\u…`, repeatedly, and then the remaining escapes, with the terminator still in place. So `\u005cn`
/// is a line break, and `"\u005c"` is empty.
pub(crate) fn unescape(
    raw: &str,
    terminator: usize,
    escapes: Escapes,
) -> Result<Unescaped, IllegalUnicode> {
    let mut expanded: Option<String> = None;
    if escapes.unicode && raw.contains("\\u") {
        for _ in 0..MAX_PASSES {
            match expand_unicode(expanded.as_deref().unwrap_or(raw))? {
                Some(next) => expanded = Some(next),
                None => break,
            }
        }
    }
    let text = expanded.as_deref().unwrap_or(raw);
    let mut unescaped = replace(text, escapes, expanded.is_none());
    let mut end = unescaped.text.len().saturating_sub(terminator);
    while !unescaped.text.is_char_boundary(end) {
        end -= 1;
    }
    unescaped.text.truncate(end);
    Ok(unescaped)
}

/// Replaces `\uXXXX` and `\u{X…}` from left to right; `None` if there was nothing to replace.
///
/// Two adjacent ones can't both be replaced in one pass, since Puppet's pattern includes the character before the
/// backslash.
fn expand_unicode(text: &str) -> Result<Option<String>, IllegalUnicode> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let mut done = 0;
    // The character before an escape must not belong to the previous escape.
    let mut free_from = 0;
    let mut at = 0;
    while let Some(offset) = memchr::memchr(b'\\', &bytes[at..]) {
        let run = at + offset;
        let end = run + bytes[run..].iter().take_while(|&&byte| byte == b'\\').count();
        at = end;
        let preceded = run > free_from || run == 0 || bytes[run - 1] == b'\n';
        if (end - run).is_multiple_of(2) || !preceded {
            continue;
        }
        if let Some((digits, after)) = unicode_digits(text, end) {
            let code = u32::from_str_radix(digits, 16).map_err(|_| IllegalUnicode)?;
            let char = char::from_u32(code).ok_or(IllegalUnicode)?;
            out.push_str(&text[done..end - 1]);
            out.push(char);
            done = after;
            free_from = after;
            at = after;
        }
    }
    if done == 0 {
        return Ok(None);
    }
    out.push_str(&text[done..]);
    Ok(Some(out))
}

/// Returns the digits of `uXXXX` or `u{X…}` at `at`, and the position after them.
fn unicode_digits(text: &str, at: usize) -> Option<(&str, usize)> {
    let rest = text[at..].strip_prefix('u')?;
    let hex =
        |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some(digits) = rest.get(..4).filter(|digits| hex(digits)) {
        return Some((digits, at + 5));
    }
    let digits = rest.strip_prefix('{')?;
    let length = digits.bytes().take(7).position(|byte| byte == b'}')?;
    let digits = &digits[..length];
    hex(digits).then_some((digits, at + 3 + digits.len()))
}

/// Replaces all escapes but `\u`.
fn replace(raw: &str, escapes: Escapes, places_hold: bool) -> Unescaped {
    let mut text = String::with_capacity(raw.len());
    let mut unrecognized = Vec::new();
    let mut rest = raw;
    while let Some(offset) = rest.find('\\') {
        text.push_str(&rest[..offset]);
        let at = raw.len() - rest.len() + offset;
        rest = &rest[offset + 1..];
        let Some(char) = rest.chars().next() else {
            text.push('\\');
            break;
        };
        if let Some(length) = line_end(rest).filter(|_| !escapes.is_dropped) {
            if !escapes.line_end {
                text.push('\\');
                text.push_str(&rest[..length]);
            }
            rest = &rest[length..];
        } else if char == '\r' && !escapes.is_dropped {
            text.push('\\');
        } else {
            rest = &rest[char.len_utf8()..];
            match replacement(char, escapes) {
                Some(char) => text.push(char),
                None => {
                    if !escapes.is_dropped {
                        text.push('\\');
                    }
                    text.push(char);
                    if escapes.warn || (char == 'u' && escapes.unicode) {
                        unrecognized.push(Unrecognized { at: places_hold.then_some(at), char });
                    }
                }
            }
        }
    }
    text.push_str(rest);
    Unescaped { text, unrecognized }
}

/// Returns the length of the line break that `text` starts with.
fn line_end(text: &str) -> Option<usize> {
    if text.starts_with('\n') {
        Some(1)
    } else if text.starts_with("\r\n") {
        Some(2)
    } else {
        None
    }
}

fn replacement(char: char, escapes: Escapes) -> Option<char> {
    match char {
        '\\' if escapes.backslash => Some('\\'),
        't' if escapes.tab => Some('\t'),
        'r' if escapes.carriage_return => Some('\r'),
        'n' if escapes.newline => Some('\n'),
        's' if escapes.space => Some(' '),
        '$' if escapes.dollar => Some('$'),
        '"' | '\'' if escapes.quotes => Some(char),
        _ => None,
    }
}
