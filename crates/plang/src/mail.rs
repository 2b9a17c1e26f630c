//! Mails: the envelope of a mail, its addresses, and replies of SMTP.

use std::borrow::Cow;

use crate::verdict::Verdict;

/// The longest address in bytes.
const LONGEST: usize = 512;

/// The envelope of a mail: what the client said before the mail itself.
#[derive(Clone, Copy, Debug)]
pub struct Mail<'a> {
    /// The command that the client is at.
    pub phase: Phase,
    /// The name by which the client greeted.
    pub helo: &'a [u8],
    /// The name by which the client authenticated.
    pub login: Option<&'a [u8]>,
    /// The sender in its [canonical form](canonical); empty: none, as in a report about a failed delivery.
    pub sender: &'a [u8],
    /// The size that the client declared.
    pub size: Option<u64>,
    /// The recipients so far in their [canonical form](canonical).
    pub recipients: &'a [&'a [u8]],
}

/// Command of SMTP that waits for a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// `MAIL`: the sender is known.
    #[default]
    Mail,
    /// `RCPT`: the last of the recipients is new.
    Rcpt,
    /// `DATA`: the whole mail has arrived.
    Data,
}

/// The envelope of a message that is no mail.
pub(crate) static NO_MAIL: Mail<'static> =
    Mail { phase: Phase::Mail, helo: b"", login: None, sender: b"", size: None, recipients: &[] };

impl Phase {
    /// Returns its name in programs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Rcpt => "rcpt",
            Self::Data => "data",
        }
    }
}

/// Returns the canonical form of an address: quotes only where they are needed, the domain in lower case.
///
/// An address has many spellings, such as `"alice"@Example.com`; a program must not see two of them as different.
/// `None`: it is no address.
pub fn canonical(address: &[u8]) -> Option<Vec<u8>> {
    if address.len() > LONGEST {
        return None;
    }
    // The one address that needs no domain.
    if address.eq_ignore_ascii_case(b"postmaster") {
        return Some(b"postmaster".to_vec());
    }
    let (local, rest) = local_part(address)?;
    let domain = rest.strip_prefix(b"@").filter(|domain| is_domain(domain))?;
    let mut out = Vec::with_capacity(address.len());
    if is_dotted(&local) {
        out.extend_from_slice(&local);
    } else {
        out.push(b'"');
        for byte in local.iter() {
            if matches!(byte, b'"' | b'\\') {
                out.push(b'\\');
            }
            out.push(*byte);
        }
        out.push(b'"');
    }
    out.push(b'@');
    out.extend(domain.iter().map(u8::to_ascii_lowercase));
    Some(out)
}

/// Returns the local part of an address without quotes: the part before `@`.
pub fn local(canonical: &[u8]) -> Cow<'_, [u8]> {
    local_part(canonical).map_or(Cow::Borrowed(canonical), |(local, _)| local)
}

/// Returns the domain of an address in its canonical form; empty: it has none.
pub fn domain(canonical: &[u8]) -> &[u8] {
    memchr::memrchr(b'@', canonical).map_or(&[], |at| &canonical[at + 1..])
}

/// Splits an address into its local part without quotes, and the rest.
fn local_part(address: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    if address.first() != Some(&b'"') {
        let at = memchr::memrchr(b'@', address)?;
        let (local, rest) = address.split_at(at);
        return is_dotted(local).then_some((Cow::Borrowed(local), rest));
    }
    let (mut local, mut at) = (Vec::new(), 1);
    loop {
        let byte = match *address.get(at)? {
            b'"' => return Some((Cow::Owned(local), &address[at + 1..])),
            b'\\' => {
                at += 1;
                *address.get(at)?
            }
            byte => byte,
        };
        if byte.is_ascii_control() {
            return None;
        }
        local.push(byte);
        at += 1;
    }
}

/// Whether it is a local part that needs no quotes.
fn is_dotted(local: &[u8]) -> bool {
    let is_atom = |byte: &u8| {
        byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(byte) || !byte.is_ascii()
    };
    local.split(|byte| *byte == b'.').all(|atom| !atom.is_empty() && atom.iter().all(is_atom))
}

/// Whether it is a domain, or an IP address in brackets.
fn is_domain(domain: &[u8]) -> bool {
    if let Some(literal) = domain.strip_prefix(b"[") {
        let literal = literal.strip_suffix(b"]").unwrap_or_default();
        return !literal.is_empty()
            && literal.iter().all(|byte| byte.is_ascii_alphanumeric() || b".:-".contains(byte));
    }
    let is_label = |label: &[u8]| {
        let is_inner = |byte: &u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || !byte.is_ascii()
        };
        !label.is_empty() && label.iter().all(is_inner)
    };
    domain.len() <= 255 && domain.split(|byte| *byte == b'.').all(is_label)
}

/// The reply to a client whose command is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status, 400 to 599.
    pub status: u16,
    /// The text, in one line.
    pub text: String,
}

impl Reply {
    /// Returns the reply that follows from a verdict; `None`: the command is not refused.
    ///
    /// A failure is the policy's fault and not the client's, so the mail is refused for now: the client keeps it.
    pub fn of(verdict: Verdict<'_>) -> Option<Self> {
        let reply = |status, text: &str| Some(Self { status, text: text.to_owned() });
        match verdict {
            Verdict::Allow | Verdict::Pass => None,
            Verdict::Respond(status, text) => match u16::try_from(status) {
                Ok(status @ 400..=599) => Some(Self { status, text: one_line(text) }),
                _ => reply(451, "4.3.0 try again later"),
            },
            Verdict::Deny(_) | Verdict::NoDecision => reply(550, "5.7.1 denied"),
            Verdict::Challenge(_) => reply(530, "5.7.0 authentication is needed"),
            Verdict::Answered | Verdict::Fail(_) => reply(451, "4.3.0 try again later"),
        }
    }

    /// Returns `reject` or `tempfail`.
    pub fn word(&self) -> &'static str {
        if self.status >= 500 { "reject" } else { "tempfail" }
    }
}

/// Returns a text as one line: a line break would be a second reply.
fn one_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}
