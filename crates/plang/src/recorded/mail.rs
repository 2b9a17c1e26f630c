//! Recorded mails: the commands of a client of SMTP, as batch SMTP (RFC 2442) writes them down.
//!
//! ```text
//! EHLO client.example.org
//! MAIL FROM:<alice@example.org> SIZE=500
//! RCPT TO:<bob@example.com>
//! DATA
//! Subject: Hello
//!
//! Hello, Bob!
//! .
//! ```
//!
//! The record ends at the command that waits for a decision: without `DATA` it is the last `RCPT`, or `MAIL`.

use bumpalo::Bump;

use super::{Fields, Metadata, Read, Recorded, RecordedError, line};
use crate::mail::{Mail, Phase, canonical};

/// The largest number of recipients.
const RECIPIENTS: usize = 10_000;

/// The envelope of a recorded mail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedMail {
    /// The command that waits for a decision.
    pub phase: Phase,
    /// The name of `EHLO`, `HELO` or `LHLO`.
    pub helo: Vec<u8>,
    /// The sender in its [canonical form](canonical); empty: none.
    pub sender: Vec<u8>,
    /// The size that the client declared.
    pub size: Option<u64>,
    /// The recipients in their [canonical form](canonical).
    pub recipients: Vec<Vec<u8>>,
}

impl RecordedMail {
    /// Returns the envelope as a program sees it.
    pub(super) fn envelope<'a>(&'a self, metadata: &'a Metadata, arena: &'a Bump) -> Mail<'a> {
        let recipients = self.recipients.iter().map(Vec::as_slice);
        Mail {
            phase: self.phase,
            helo: &self.helo,
            login: metadata.login.as_ref().map(String::as_bytes),
            sender: &self.sender,
            size: self.size,
            recipients: arena.alloc_slice_fill_iter(recipients),
        }
    }

    /// Reads a command other than `DATA`.
    fn read(&mut self, is_first: bool, command: &[u8]) -> Read<()> {
        let bad = |words: &str| {
            let command = String::from_utf8_lossy(command);
            RecordedError::new(format!("`{command}`: {words}"))
        };
        if let Some(name) = GREETINGS.iter().find_map(|word| argument(command, word)) {
            if !is_first {
                return Err(bad("a greeting comes first"));
            }
            self.helo = name.to_vec();
        } else if let Some(path) = argument(command, b"MAIL FROM:") {
            let (address, parameters) =
                path_of(path).ok_or_else(|| bad("it has no `<address>`"))?;
            if !address.is_empty() {
                self.sender = canonical(address).ok_or_else(|| bad("it is no address of mail"))?;
            }
            self.size = declared_size(parameters).map_err(|()| bad("a parameter is malformed"))?;
        } else if let Some(path) = argument(command, b"RCPT TO:") {
            let (address, parameters) =
                path_of(path).ok_or_else(|| bad("it has no `<address>`"))?;
            let address = canonical(address).ok_or_else(|| bad("it is no address of mail"))?;
            declared_size(parameters).map_err(|()| bad("a parameter is malformed"))?;
            if self.recipients.len() >= RECIPIENTS {
                return Err(bad("there are too many recipients"));
            }
            self.recipients.push(address);
            self.phase = Phase::Rcpt;
        } else {
            return Err(bad("only EHLO, MAIL, RCPT and DATA are known, in this order"));
        }
        Ok(())
    }
}

const GREETINGS: [&[u8]; 3] = [b"EHLO ", b"HELO ", b"LHLO "];

/// Whether a recorded text is a mail.
pub(super) fn is_mail(text: &[u8]) -> bool {
    let starts = |word: &&[u8]| argument(text, word).is_some();
    GREETINGS.iter().chain(&[&b"MAIL FROM:"[..]]).any(starts)
}

/// Parses a mail.
pub(super) fn parse(text: &[u8]) -> Read<Recorded> {
    let mut mail = RecordedMail::default();
    let (mut rest, mut is_first, mut has_sender) = (text, true, false);
    let mut recorded = Recorded::default();
    while !rest.is_empty() {
        let (command, behind) = line(rest);
        rest = behind;
        if command.eq_ignore_ascii_case(b"DATA") {
            if mail.recipients.is_empty() {
                return Err(RecordedError::new("the mail has no `RCPT TO:`"));
            }
            mail.phase = Phase::Data;
            (recorded.headers, recorded.body) = content(rest)?;
            rest = &[];
            continue;
        }
        let is_sender = argument(command, b"MAIL FROM:").is_some();
        let is_recipient = argument(command, b"RCPT TO:").is_some();
        if (is_sender && has_sender) || (is_recipient && !has_sender) {
            return Err(RecordedError::new("a mail has one `MAIL FROM:`, before its recipients"));
        }
        has_sender |= is_sender;
        mail.read(is_first, command)?;
        is_first = false;
    }
    if !has_sender {
        return Err(RecordedError::new("the mail has no `MAIL FROM:`"));
    }
    recorded.mail = Some(mail);
    Ok(recorded)
}

/// Returns what follows a word, whatever its case.
fn argument<'t>(text: &'t [u8], word: &[u8]) -> Option<&'t [u8]> {
    let start = text.get(..word.len())?;
    start.eq_ignore_ascii_case(word).then(|| text[word.len()..].trim_ascii_start())
}

/// Splits `<address> PARAMETERS`; a source route before the address, which is obsolete, is left out.
fn path_of(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.strip_prefix(b"<")?;
    let mut is_quoted = false;
    let mut bytes = text.iter().enumerate();
    let end = loop {
        match bytes.next()? {
            (_, b'\\') if is_quoted => drop(bytes.next()),
            (_, b'"') => is_quoted = !is_quoted,
            (at, b'>') if !is_quoted => break at,
            _ => (),
        }
    };
    let (path, parameters) = (&text[..end], &text[end + 1..]);
    if !parameters.is_empty() && !parameters.starts_with(b" ") {
        return None;
    }
    let address = match path.strip_prefix(b"@") {
        Some(route) => &route[memchr::memchr(b':', route)? + 1..],
        None => path,
    };
    Some((address, parameters))
}

/// Returns the number of `SIZE=`; fails if a parameter is malformed.
fn declared_size(parameters: &[u8]) -> Result<Option<u64>, ()> {
    let mut size = None;
    for parameter in parameters.split(|byte| *byte == b' ').filter(|word| !word.is_empty()) {
        let end = memchr::memchr(b'=', parameter).unwrap_or(parameter.len());
        let name = &parameter[..end];
        let is_name = !name.is_empty()
            && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
        if !is_name || parameter.iter().any(u8::is_ascii_control) {
            return Err(());
        }
        if name.eq_ignore_ascii_case(b"SIZE") {
            let number = parameter.get(end + 1..).unwrap_or_default();
            let is_number = !number.is_empty() && number.iter().all(u8::is_ascii_digit);
            let number = std::str::from_utf8(number).ok().filter(|_| is_number);
            let number = number.and_then(|number| number.parse().ok()).ok_or(())?;
            if size.replace(number).is_some() {
                return Err(());
            }
        }
    }
    Ok(size)
}

/// Reads header fields and body up to the line with a single dot, or the end of the record.
fn content(text: &[u8]) -> Read<(Fields, Vec<u8>)> {
    let (mut fields, mut body) = (Fields::new(), Vec::new());
    let (mut rest, mut is_body) = (text, false);
    while !rest.is_empty() {
        let start = rest;
        let (text, behind) = line(rest);
        rest = behind;
        if text == b"." {
            return match rest.trim_ascii() {
                b"" => Ok((fields, body)),
                quit if quit.eq_ignore_ascii_case(b"QUIT") => Ok((fields, body)),
                _ => Err(RecordedError::new("behind the mail's last line, `.`, there is more")),
            };
        }
        // A client doubles the dot at the start of a line.
        let n_dots = usize::from(text.starts_with(b"."));
        if is_body {
            body.extend_from_slice(&start[n_dots..start.len() - rest.len()]);
        } else if text.is_empty() {
            is_body = true;
        } else {
            header(&mut fields, &text[n_dots..])?;
        }
    }
    Ok((fields, body))
}

/// Reads a line of the header: a field, or more of the field before it.
fn header(fields: &mut Fields, text: &[u8]) -> Read<()> {
    let bad = || {
        let text = String::from_utf8_lossy(text);
        RecordedError::new(format!("`{text}` is no header field"))
    };
    if text.starts_with(b" ") || text.starts_with(b"\t") {
        let (_, value) = fields.last_mut().ok_or_else(bad)?;
        value.extend_from_slice(text.trim_ascii_end());
        return Ok(());
    }
    let colon = memchr::memchr(b':', text).ok_or_else(bad)?;
    // Blanks before the colon are obsolete, but mail servers accept them.
    let name = text[..colon].trim_ascii_end();
    if name.is_empty() || !name.iter().all(u8::is_ascii_graphic) {
        return Err(bad());
    }
    fields.push((name.to_vec(), text[colon + 1..].trim_ascii().to_vec()));
    Ok(())
}
