//! JSON, as Ruby's parser takes it and complains of it.
//!
//! Puppet 7 reads JSON with the parser that comes with Ruby. It takes comments and any value at the
//! top; its complaints begin with a number (a line of its own source) and quote the rest of the text
//! from the innermost array element, or from the value at the top, in which something is wrong.

#[cfg(test)]
mod tests;

/// Whether Ruby reads `text` as JSON; the error is Ruby's message.
///
/// ```
/// # use kukla_syntax::external::json::check;
/// assert_eq!(check("[1, {\"a\": null}] // end\n"), Ok(()));
/// assert_eq!(check("[1,]").unwrap_err(), "451: unexpected token at ']'");
/// ```
pub fn check(text: &str) -> Result<(), String> {
    let mut reader = Reader { text: text.as_bytes(), at: 0 };
    reader.document().map_err(|complaint| match complaint {
        Complaint::Unexpected { line, at } => {
            format!("{line}: unexpected token at '{}'", quoted(text, at))
        }
        Complaint::HalfSurrogate { at } => {
            format!("521: incomplete surrogate pair at '{}'", quoted(text, at))
        }
        Complaint::HalfEscape { at } => {
            format!("508: incomplete unicode character escape sequence at '{}'", quoted(text, at))
        }
        Complaint::Nesting => format!("nesting of {} is too deep", MAX_NESTING + 1),
    })
}

const MAX_NESTING: usize = 100;

/// The rest of `text` as C sees it: up to a NUL. Behind a start that is cut off, nothing.
fn quoted(text: &str, at: usize) -> String {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    let length = memchr::memchr(0, rest).unwrap_or(rest.len());
    String::from_utf8_lossy(&rest[..length]).into_owned()
}

/// What ends the reading.
enum Complaint {
    Unexpected { line: u32, at: usize },
    HalfSurrogate { at: usize },
    HalfEscape { at: usize },
    Nesting,
}

// The lines of its source that Ruby's parser names.
const IN_DOCUMENT: u32 = 859;
const IN_ARRAY: u32 = 451;
const AT_NAN: u32 = 225;
const AT_INFINITY: u32 = 232;
const AT_MINUS_INFINITY: u32 = 249;

/// `false` is a value that is none: whoever holds it complains of its start.
type Outcome = Result<bool, Complaint>;

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<(), Complaint> {
        let is_read = self.ignored() && self.value(0)? && self.ignored();
        if is_read && self.at == self.text.len() {
            return Ok(());
        }
        Err(Complaint::Unexpected { line: IN_DOCUMENT, at: self.at })
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self, wanted: u8) -> bool {
        let is_next = self.peek() == Some(wanted);
        self.at += usize::from(is_next);
        is_next
    }

    /// Steps over blanks and comments; stops where a comment goes wrong.
    fn ignored(&mut self) -> bool {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b'/') => {
                    self.at += 1;
                    if !self.comment() {
                        return false;
                    }
                }
                _ => return true,
            }
        }
    }

    /// A comment whose slash was read.
    fn comment(&mut self) -> bool {
        let end: &[u8] = match self.peek() {
            Some(b'/') => b"\n",
            Some(b'*') => b"*/",
            _ => return false,
        };
        let found = memchr::memmem::find(&self.text[self.at + 1..], end);
        self.at = found.map_or(self.text.len(), |length| self.at + 1 + length + end.len());
        found.is_some()
    }

    /// A value, if one begins here. If it is none, the place stays.
    fn value(&mut self, nesting: usize) -> Outcome {
        let start = self.at;
        let is_value = match self.peek() {
            Some(b'"') => self.string()?,
            Some(b'[') => self.array(nesting + 1)?,
            Some(b'{') => self.object(nesting + 1)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b'n') => self.word(b"null"),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'N') if self.word(b"NaN") => {
                return Err(Complaint::Unexpected { line: AT_NAN, at: start });
            }
            Some(b'I') if self.word(b"Infinity") => {
                // Ruby quotes from one character too far left; before the text there is nothing.
                let at = start.checked_sub(1).unwrap_or(self.text.len());
                return Err(Complaint::Unexpected { line: AT_INFINITY, at });
            }
            _ => false,
        };
        if !is_value {
            self.at = start;
        }
        Ok(is_value)
    }

    fn word(&mut self, word: &[u8]) -> bool {
        let is_next = self.text[self.at..].starts_with(word);
        self.at += if is_next { word.len() } else { 0 };
        is_next
    }

    fn array(&mut self, nesting: usize) -> Outcome {
        if nesting > MAX_NESTING {
            return Err(Complaint::Nesting);
        }
        self.at += 1;
        if self.elements(nesting)? {
            return Ok(true);
        }
        Err(Complaint::Unexpected { line: IN_ARRAY, at: self.at })
    }

    fn elements(&mut self, nesting: usize) -> Outcome {
        if !self.ignored() {
            return Ok(false);
        }
        if self.take(b']') {
            return Ok(true);
        }
        loop {
            if !(self.ignored() && self.value(nesting)? && self.ignored()) {
                return Ok(false);
            }
            if !self.take(b',') {
                return Ok(self.take(b']'));
            }
        }
    }

    fn object(&mut self, nesting: usize) -> Outcome {
        if nesting > MAX_NESTING {
            return Err(Complaint::Nesting);
        }
        self.at += 1;
        if !self.ignored() {
            return Ok(false);
        }
        if self.take(b'}') {
            return Ok(true);
        }
        loop {
            if !(self.ignored() && self.peek() == Some(b'"') && self.string()?) {
                return Ok(false);
            }
            if !(self.ignored() && self.take(b':') && self.ignored()) {
                return Ok(false);
            }
            if !(self.value(nesting)? && self.ignored()) {
                return Ok(false);
            }
            if !self.take(b',') {
                return Ok(self.take(b'}'));
            }
        }
    }

    /// A number. What looks like the start of a fraction or exponent but is none ends it.
    fn number(&mut self) -> Outcome {
        let start = self.at;
        if self.text[start..].starts_with(b"-Infinity") {
            return Err(Complaint::Unexpected { line: AT_MINUS_INFINITY, at: start });
        }
        self.take(b'-');
        if !self.take(b'0') && self.digits() == 0 {
            return Ok(false);
        }
        let integer_end = self.at;
        if !self.fraction() {
            self.at = integer_end;
        }
        Ok(!self.peek().is_some_and(|next| next.is_ascii_digit()))
    }

    fn digits(&mut self) -> usize {
        let n_digits = self.text[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += n_digits;
        n_digits
    }

    /// What makes a number a float, and nothing behind it that spoils it.
    fn fraction(&mut self) -> bool {
        if self.take(b'.') && self.digits() == 0 {
            return false;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            if self.digits() == 0 {
                return false;
            }
        }
        !matches!(self.peek(), Some(b'0'..=b'9' | b'E' | b'e' | b'.' | b'-'))
    }

    /// The string whose quote is next.
    fn string(&mut self) -> Outcome {
        self.at += 1;
        let start = self.at;
        loop {
            match self.peek() {
                None | Some(0..=0x1F) => return Ok(false),
                Some(b'"') => break,
                Some(b'\\') => {
                    self.at += 1;
                    if !self.escape() {
                        return Ok(false);
                    }
                }
                Some(_) => self.at += 1,
            }
        }
        let end = self.at;
        self.at += 1;
        surrogates(self.text, start, end)?;
        Ok(true)
    }

    /// What follows a backslash.
    fn escape(&mut self) -> bool {
        match self.peek() {
            None | Some(0..=0x1F) => false,
            Some(b'u') => {
                let digits = self.text.get(self.at + 1..self.at + 5);
                self.at += 5;
                digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            }
            Some(_) => {
                self.at += 1;
                true
            }
        }
    }
}

/// Refuses half a surrogate pair at the end of the string between `start` and `end`.
///
/// Ruby only looks whether enough text follows for another escape. If that is not there, it skips a
/// character, whatever it is; if that was a backslash, the next may begin an escape that was none.
fn surrogates(text: &[u8], start: usize, end: usize) -> Result<(), Complaint> {
    let (mut run, mut at) = (start, start);
    while let Some(length) = memchr::memchr(b'\\', text.get(at..end).unwrap_or_default()) {
        at += length + 1;
        match text[at] {
            b'n' | b'r' | b't' | b'"' | b'\\' | b'b' | b'f' => {
                at += 1;
                run = at;
            }
            b'u' if at + 4 > end => return Err(Complaint::HalfEscape { at: run }),
            b'u' => {
                let is_high = is_high_surrogate(&text[at + 1..at + 5]);
                at += 5;
                if is_high {
                    if at + 6 > end {
                        return Err(Complaint::HalfSurrogate { at: run });
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
