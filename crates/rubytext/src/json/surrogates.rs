//! Incomplete escapes of UTF-16 surrogates, as Ruby's parser detects them.

/// An escape that ends too early, with the start of the text that Ruby quotes.
pub(super) enum Incomplete {
    /// `\u` without four digits.
    Escape { at: usize },
    /// A high surrogate too near to the end for a low one.
    Pair { at: usize },
}

/// Refuses an incomplete surrogate pair at the end of the string between `start` and `end`.
///
/// Ruby only checks whether enough text follows for another escape. If there is no escape, it skips one character; if that
/// was a backslash, the next character may begin an escape that was none.
pub(super) fn check(text: &[u8], start: usize, end: usize) -> Result<(), Incomplete> {
    let (mut run, mut at) = (start, start);
    while let Some(length) = memchr::memchr(b'\\', text.get(at..end).unwrap_or_default()) {
        at += length + 1;
        match text[at] {
            b'n' | b'r' | b't' | b'"' | b'\\' | b'b' | b'f' => {
                at += 1;
                run = at;
            }
            b'u' if at + 4 > end => return Err(Incomplete::Escape { at: run }),
            b'u' => {
                let is_high = is_high_surrogate(&text[at + 1..at + 5]);
                at += 5;
                if is_high {
                    if at + 6 > end {
                        return Err(Incomplete::Pair { at: run });
                    }
                    at += if text[at..].starts_with(b"\\u") { 6 } else { 1 };
                }
                run = at;
            }
            _ => run = at,
        }
    }
    Ok(())
}

fn is_high_surrogate(digits: &[u8]) -> bool {
    matches!(digits, [b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B', ..])
        && digits.iter().all(u8::is_ascii_hexdigit)
}
