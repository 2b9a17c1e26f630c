//! `JSON.parse`. The choice and the location of its errors follow the state machines of Ruby's parser.

use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::surrogates::{self, Incomplete};
use crate::{BigInt, Data, RubyError, RubyInteger as _};

/// A builder of parsed values.
pub trait Build {
    /// The type of a built value.
    type Node;
    /// Builds `null`.
    fn nil(&mut self) -> Self::Node;
    /// Builds `true` or `false`.
    fn bool(&mut self, value: bool) -> Self::Node;
    /// Builds an integer of 64 bits.
    fn int(&mut self, number: i64) -> Self::Node;
    /// Builds an integer of more than 64 bits.
    fn big(&mut self, number: BigInt) -> Self::Node;
    /// Builds a number with a point or an exponent.
    fn float(&mut self, number: f64) -> Self::Node;
    /// Builds a text.
    fn str(&mut self, text: String) -> Self::Node;
    /// Builds a list.
    fn array(&mut self, items: Vec<Self::Node>) -> Self::Node;
    /// Builds a hash; keys are unique.
    fn hash(&mut self, entries: Vec<(String, Self::Node)>) -> Self::Node;
}

/// Builds a [`Data`].
#[derive(Debug, Default)]
pub struct DataBuilder;

impl Build for DataBuilder {
    type Node = Data;
    fn nil(&mut self) -> Data {
        Data::Nil
    }
    fn bool(&mut self, value: bool) -> Data {
        Data::Bool(value)
    }
    fn int(&mut self, number: i64) -> Data {
        Data::Int(number)
    }
    fn big(&mut self, number: BigInt) -> Data {
        Data::Big(number)
    }
    fn float(&mut self, number: f64) -> Data {
        Data::Float(number)
    }
    fn str(&mut self, text: String) -> Data {
        Data::Str(text)
    }
    fn array(&mut self, items: Vec<Data>) -> Data {
        Data::Array(items)
    }
    fn hash(&mut self, entries: Vec<(String, Data)>) -> Data {
        Data::Hash(entries.into_iter().map(|(key, value)| (Data::Str(key), value)).collect())
    }
}

/// Builds nothing, for texts that are only checked.
struct NullBuilder;

impl Build for NullBuilder {
    type Node = ();
    fn nil(&mut self) {}
    fn bool(&mut self, _: bool) {}
    fn int(&mut self, _: i64) {}
    fn big(&mut self, _: BigInt) {}
    fn float(&mut self, _: f64) {}
    fn str(&mut self, _: String) {}
    fn array(&mut self, _: Vec<()>) {}
    fn hash(&mut self, _: Vec<(String, ())>) {}
}

/// Checks whether Ruby reads a text as JSON; the error has Ruby's message.
///
/// ```
/// # use kukla_rubytext::json::check;
/// assert!(check("[1, {\"a\": null}] // end\n").is_ok());
/// assert_eq!(check("[1,]").unwrap_err().message, "451: unexpected token at ']'");
/// ```
pub fn check(text: &str) -> Result<(), RubyError> {
    parse_with(text, &mut NullBuilder)
}

/// Parses a document.
pub fn parse(text: &str) -> Result<Data, RubyError> {
    parse_with(text, &mut DataBuilder)
}

/// Parses a document with a builder.
pub fn parse_with<B: Build>(text: &str, builder: &mut B) -> Result<B::Node, RubyError> {
    let mut reader = Reader { text, at: 0, depth: 0, n_last: 0, builder };
    reader.ignore().map_err(|at| reader.unexpected(DOCUMENT, at))?;
    let start = reader.at;
    let Some(node) = reader.value()? else { return Err(reader.unexpected(DOCUMENT, start)) };
    reader.ignore().map_err(|at| reader.unexpected(DOCUMENT, at))?;
    if reader.at < text.len() {
        return Err(reader.unexpected(DOCUMENT, reader.at));
    }
    Ok(node)
}

/// Ruby's messages start with line numbers of the source of its parser; these are those lines.
const DOCUMENT: u32 = 859;
const ARRAY: u32 = 451;
const NAN: u32 = 225;
const INFINITY: u32 = 232;
const MINUS_INFINITY: u32 = 249;
const ESCAPE: u32 = 508;
const SURROGATE: u32 = 521;

const MAX_NESTING: usize = 100;
/// The most entries for which room is made before they are read.
const MOST_EXPECTED: usize = 32;

struct Reader<'a, B> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// The number of entries of the hash that ended last.
    n_last: usize,
    builder: &'a mut B,
}

impl<B: Build> Reader<'_, B> {
    fn rest(&self) -> &[u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    fn unexpected(&self, line: u32, at: usize) -> RubyError {
        self.error(&format!("{line}: unexpected token"), at)
    }

    /// Creates an error that quotes the text from `at` on as C prints it: up to a NUL.
    fn error(&self, problem: &str, at: usize) -> RubyError {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        let quoted = rest.split(|&byte| byte == 0).next().unwrap_or_default();
        let quoted = String::from_utf8_lossy(quoted);
        RubyError::new("JSON::ParserError", format!("{problem} at '{quoted}'"))
    }

    /// Skips space and comments; the error is the offset of an invalid comment.
    fn ignore(&mut self) -> Result<(), usize> {
        loop {
            match self.rest() {
                [b' ' | b'\t' | b'\r' | b'\n', ..] => self.at += 1,
                [b'/', b'*', ..] => match self.text[self.at + 2..].find("*/") {
                    Some(length) => self.at += length + 4,
                    None => return Err(self.text.len()),
                },
                [b'/', b'/', ..] => match self.text[self.at..].find('\n') {
                    Some(length) => self.at += length + 1,
                    None => return Err(self.text.len()),
                },
                [b'/', ..] => return Err(self.at + 1),
                _ => return Ok(()),
            }
        }
    }

    /// Parses the value that starts here, if there is one.
    fn value(&mut self) -> Result<Option<B::Node>, RubyError> {
        let start = self.at;
        Ok(match self.rest() {
            [b'"', ..] => self.string()?.map(|text| self.builder.str(text)),
            [b'[', ..] => Some(self.array()?),
            [b'{', ..] => self.hash()?,
            [b'n', b'u', b'l', b'l', ..] => self.word(4, Self::nil),
            [b't', b'r', b'u', b'e', ..] => self.word(4, |reader| reader.builder.bool(true)),
            [b'f', b'a', b'l', b's', b'e', ..] => self.word(5, |reader| reader.builder.bool(false)),
            [b'N', b'a', b'N', ..] => return Err(self.unexpected(NAN, start)),
            // Ruby quotes from one character before; before the first, that is nothing.
            rest if rest.starts_with(b"Infinity") => {
                let before = if start == 0 { self.text.len() } else { start - 1 };
                return Err(self.unexpected(INFINITY, before));
            }
            rest if rest.starts_with(b"-Infinity") => {
                return Err(self.unexpected(MINUS_INFINITY, start));
            }
            [b'-' | b'0'..=b'9', ..] => self.number(),
            _ => None,
        })
    }

    fn nil(&mut self) -> B::Node {
        self.builder.nil()
    }

    fn word(&mut self, length: usize, make: fn(&mut Self) -> B::Node) -> Option<B::Node> {
        self.at += length;
        Some(make(self))
    }

    fn number(&mut self) -> Option<B::Node> {
        let rest = &self.text[self.at..];
        let sign = usize::from(rest.starts_with('-'));
        let whole = sign + digits(&rest[sign..]);
        if whole == sign {
            return None;
        }
        // A leading zero is not followed by digits.
        if rest[sign..].starts_with('0') && whole > sign + 1 {
            return None;
        }
        if let Some(length) = float_length(rest, whole) {
            self.at += length;
            let number = rest[..length].parse().unwrap_or(f64::NAN);
            return Some(self.builder.float(number));
        }
        self.at += whole;
        Some(match rest[..whole].parse() {
            Ok(number) => self.builder.int(number),
            Err(_) => self.builder.big(BigInt::from_digits(sign == 1, &rest[..whole], 10)),
        })
    }

    fn enter(&mut self) -> Result<(), RubyError> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            let message = format!("nesting of {} is too deep", self.depth);
            return Err(RubyError::new("JSON::NestingError", message));
        }
        self.at += 1;
        Ok(())
    }

    fn array(&mut self) -> Result<B::Node, RubyError> {
        self.enter()?;
        let mut items = Vec::new();
        loop {
            self.ignore().map_err(|at| self.unexpected(ARRAY, at))?;
            if items.is_empty() && self.peek() == Some(b']') {
                break;
            }
            let start = self.at;
            match self.value()? {
                Some(item) => items.push(item),
                None => return Err(self.unexpected(ARRAY, start)),
            }
            self.ignore().map_err(|at| self.unexpected(ARRAY, at))?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err(self.unexpected(ARRAY, self.at)),
            }
        }
        self.at += 1;
        self.depth -= 1;
        Ok(self.builder.array(items))
    }

    /// Parses a hash; `None` if it is invalid, for which Ruby reports the start.
    fn hash(&mut self) -> Result<Option<B::Node>, RubyError> {
        let start = self.at;
        self.enter()?;
        let entries = self.entries()?;
        self.depth -= 1;
        if entries.is_none() {
            self.at = start;
        }
        Ok(entries.map(|entries| self.builder.hash(entries)))
    }

    fn entries(&mut self) -> Result<Option<EntryList<B::Node>>, RubyError> {
        // Hashes of one kind have the same keys, and mostly come one after the other.
        let mut entries = JsonEntries::with_capacity(self.n_last.min(MOST_EXPECTED));
        loop {
            if self.ignore().is_err() {
                return Ok(None);
            }
            if entries.list.is_empty() && self.peek() == Some(b'}') {
                break;
            }
            let Some(key) = self.string()? else { return Ok(None) };
            if self.ignore().is_err() || self.peek() != Some(b':') {
                return Ok(None);
            }
            self.at += 1;
            if self.ignore().is_err() {
                return Ok(None);
            }
            let Some(value) = self.value()? else { return Ok(None) };
            entries.insert(key, value);
            if self.ignore().is_err() {
                return Ok(None);
            }
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Ok(None),
            }
        }
        self.at += 1;
        self.n_last = entries.list.len();
        Ok(Some(entries.list))
    }

    fn string(&mut self) -> Result<Option<String>, RubyError> {
        if self.peek() != Some(b'"') {
            return Ok(None);
        }
        let start = self.at + 1;
        let Some(length) = string_length(&self.text.as_bytes()[start..]) else { return Ok(None) };
        surrogates::check(self.text.as_bytes(), start, start + length).map_err(|incomplete| {
            match incomplete {
                Incomplete::Pair { at } => {
                    self.error(&format!("{SURROGATE}: incomplete surrogate pair"), at)
                }
                Incomplete::Escape { at } => self
                    .error(&format!("{ESCAPE}: incomplete unicode character escape sequence"), at),
            }
        })?;
        let body = &self.text[start..start + length];
        let text = if body.contains('\\') { unescape(body) } else { body.to_owned() };
        self.at = start + length + 1;
        Ok(Some(text))
    }
}

type EntryList<N> = Vec<(String, N)>;

/// JsonEntries in the order of the first occurrence of their keys, with the values of the last.
struct JsonEntries<N> {
    list: Vec<(String, N)>,
    /// The places of the keys, if there are more than a few.
    places: Option<(HashTable<usize>, RandomState)>,
}

impl<N> JsonEntries<N> {
    /// The number of entries up to which they are searched one by one.
    const FEW: usize = 24;

    fn with_capacity(n_entries: usize) -> Self {
        Self { list: Vec::with_capacity(n_entries), places: None }
    }

    fn insert(&mut self, key: String, value: N) {
        let place = match &self.places {
            None => self.list.iter().position(|(other, _)| *other == key),
            Some((places, state)) => {
                places.find(state.hash_one(&key), |&place| self.list[place].0 == key).copied()
            }
        };
        if let Some(place) = place {
            self.list[place].1 = value;
            return;
        }
        self.list.push((key, value));
        match &mut self.places {
            None if self.list.len() <= Self::FEW => (),
            None => self.places = Some((HashTable::new(), RandomState::default())),
            Some(_) => return self.add_place(self.list.len() - 1),
        }
        if self.places.is_some() {
            (0..self.list.len()).for_each(|place| self.add_place(place));
        }
    }

    fn add_place(&mut self, place: usize) {
        let Self { list, places: Some((places, state)) } = self else { return };
        let hash = |&place: &usize| state.hash_one(&list[place].0);
        places.insert_unique(hash(&place), place, hash);
    }
}

fn hex(text: &str) -> u32 {
    text.get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0)
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Returns the length of a number with a point or an exponent; `None` if it has neither.
fn float_length(text: &str, whole: usize) -> Option<usize> {
    let mut at = whole;
    if text[at..].starts_with('.') {
        let fraction = digits(&text[at + 1..]);
        if fraction == 0 {
            return None;
        }
        at += 1 + fraction;
    }
    if text[at..].starts_with(['e', 'E']) {
        let sign = usize::from(text[at + 1..].starts_with(['+', '-']));
        let exponent = digits(&text[at + 1 + sign..]);
        if exponent == 0 {
            return None;
        }
        at += 1 + sign + exponent;
    }
    (at > whole && !text[at..].starts_with(['e', 'E', '.', '-'])).then_some(at)
}

/// Returns the length of a text up to its closing quote.
fn string_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match bytes[at..] {
            [b'"', ..] => return Some(at),
            [b'\\', b'u', ..] => {
                let hex = bytes.get(at + 2..at + 6)?;
                if !hex.iter().all(u8::is_ascii_hexdigit) {
                    return None;
                }
                at += 6;
            }
            [b'\\', 0x20..=0xff, ..] => at += 2,
            [b'\\', ..] | [0..=0x1f, ..] | [] => return None,
            _ => at += 1,
        }
    }
}

/// Resolves the escapes of a string, which must be complete.
fn unescape(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut at = 0;
    while let Some(step) = body[at..].find('\\') {
        out.push_str(&body[at..at + step]);
        at += step;
        let c = body[at + 1..].chars().next().unwrap_or('\\');
        at += 1 + c.len_utf8();
        match c {
            'b' => out.push('\x08'),
            'f' => out.push('\x0c'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'u' => {
                let code = hex(&body[at..]);
                at += 4;
                if code & 0xfc00 == 0xd800 {
                    let after = &body[at..];
                    match after.strip_prefix("\\u") {
                        Some(low) => {
                            out.extend(char::from_u32(
                                0x10000 + ((code & 0x3ff) << 10) + (hex(low) & 0x3ff),
                            ));
                            at += 6;
                        }
                        // Ruby loses the character behind it too.
                        None => {
                            out.push('?');
                            at += after.chars().next().map_or(0, char::len_utf8);
                        }
                    }
                } else {
                    // Ruby makes invalid UTF-8 of an unpaired surrogate; here it is U+FFFD.
                    out.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                }
            }
            other => out.push(other),
        }
    }
    out.push_str(&body[at..]);
    out
}
