//! Decoder of `flat`.

use std::borrow::Cow;

use kukla_base::Diagnostic;

use super::{LENGTHS, MAGIC, MODEL, NATIVE, SOURCE};
use crate::build::{self, Code};
use crate::complaints::{Atom, from_atoms};
use crate::{Envelope, Parts, SourceCheck, Trust, XppError, native};
use kukla_syntax::ast::{Ast, Text};

/// Reads a payload.
///
/// Without `source` the payload must hold it. The tree comes from the section for Kukla if there is one, and then only
/// the parts that are used are compared with a checksum; otherwise the whole payload is.
pub(crate) fn payload(
    envelope: &Envelope,
    bytes: &[u8],
    source: Option<Cow<'_, str>>,
    trust: Trust,
) -> Result<Parts, XppError> {
    let sections = Sections::split(bytes)?;
    let source = match source {
        Some(source) => source,
        None if sections.flags & SOURCE == 0 => return Err(XppError::NoSource),
        None => str::from_utf8(sections.source)
            .map_err(|_| XppError::Corrupt("the source is not UTF-8"))?
            .into(),
    };
    let check = sections.check;
    if sections.diagnostics.is_empty() && native::is_known(sections.native) {
        check.compare(&source, Trust::Size)?;
        let ast = Some(native::tree(sections.native, check, source, trust)?);
        return Ok(Parts { check, ast, diagnostics: Vec::new(), file: None });
    }
    check.compare(&source, trust)?;
    envelope.check(bytes)?;
    let diagnostics = self::diagnostics(sections.diagnostics)?;
    let ast = if sections.code.is_empty() { None } else { Some(sections.tree(&source)?) };
    Ok(Parts { check, ast, diagnostics, file: None })
}

/// Returns the size and checksum of the source from the payload.
pub(crate) fn check(bytes: &[u8]) -> Result<SourceCheck, XppError> {
    Ok(Sections::split(bytes)?.check)
}

struct Sections<'b> {
    check: SourceCheck,
    is_wide: bool,
    flags: u8,
    code: &'b [u8],
    n_strings: usize,
    strings: &'b [u8],
    diagnostics: &'b [u8],
    source: &'b [u8],
    native: &'b [u8],
}

impl<'b> Sections<'b> {
    fn split(bytes: &'b [u8]) -> Result<Self, XppError> {
        let mut bytes = Bytes(bytes);
        if bytes.array::<4>()? != *MAGIC {
            return Err(XppError::Corrupt("the payload does not start with `XPF1`"));
        }
        let [width, flags] = bytes.array()?;
        if u16::from_le_bytes(bytes.array()?) != MODEL {
            return Err(XppError::Corrupt("the model of the tree is not known"));
        }
        let is_wide = match width {
            2 => false,
            4 => true,
            _ => return Err(XppError::Corrupt("numbers are neither 2 nor 4 bytes wide")),
        };
        if flags & !(LENGTHS | SOURCE | NATIVE) != 0 {
            return Err(XppError::Corrupt("there are unknown flags"));
        }
        let check = SourceCheck { size: bytes.number()?, crc32: bytes.number()? };
        let [n_code, n_lines] = [bytes.number()?, bytes.number()?];
        let [n_strings, n_blob, n_diagnostics] =
            [bytes.number()?, bytes.number()?, bytes.number()?];
        let code = bytes.items(n_code, usize::from(width))?;
        bytes.items(n_lines, 4)?;
        let strings = bytes.items(n_blob, 1)?;
        let diagnostics = bytes.items(n_diagnostics, 1)?;
        let source = bytes.items(if flags & SOURCE == 0 { 0 } else { check.size }, 1)?;
        let native = bytes.0;
        match flags & NATIVE == 0 {
            false if native.len() < native::MAGIC.len() => return Err(XppError::Truncated),
            true if !native.is_empty() => {
                return Err(XppError::Corrupt("there is more than one payload"));
            }
            _ => (),
        }
        let n_strings = n_strings as usize;
        Ok(Self { check, is_wide, flags, code, n_strings, strings, diagnostics, source, native })
    }

    /// Returns the tree from Puppet's part.
    fn tree(&self, source: &str) -> Result<Ast, XppError> {
        let has_lengths = self.flags & LENGTHS != 0;
        let (blob, texts) = texts(self.strings, self.n_strings, has_lengths, source.len())?;
        // Real manifests have about six numbers per node.
        let n_nodes = self.code.len() / if self.is_wide { 20 } else { 10 };
        let too_large = XppError::Corrupt("there is too much text");
        let ast = Ast::with_texts(source, blob, n_nodes).ok_or(too_large)?;
        match self.is_wide {
            true => build::build(ast, &texts, Wide(self.code)),
            false => build::build(ast, &texts, Narrow(self.code)),
        }
    }
}

/// Returns all strings joined, and the span of each once they follow the source.
fn texts(
    bytes: &[u8],
    n_strings: usize,
    has_lengths: bool,
    source_len: usize,
) -> Result<(&str, Vec<Text>), XppError> {
    const TOO_FEW: XppError = XppError::Corrupt("there are fewer strings than there should be");
    const NOT_UTF_8: XppError = XppError::Corrupt("a string is not UTF-8");
    let mut blob = Bytes(bytes);
    let lengths = if has_lengths {
        let n_strings = u32::try_from(n_strings).map_err(|_| TOO_FEW)?;
        blob.items(n_strings, 4)?
    } else {
        &[]
    };
    let blob = str::from_utf8(blob.0).map_err(|_| NOT_UTF_8)?;
    if !has_lengths && n_strings > blob.len() + 1 {
        return Err(TOO_FEW);
    }
    // The tree refuses more than fits into 32 bits.
    let to_u32 = |number: usize| u32::try_from(number).map_err(|_| TOO_FEW);
    let mut texts = Vec::with_capacity(n_strings);
    let mut start = to_u32(source_len)?;
    let end = to_u32(source_len.saturating_add(blob.len()))?;
    if has_lengths {
        for length in lengths.as_chunks::<4>().0 {
            let len = u32::from_le_bytes(*length);
            let next = start.checked_add(len).filter(|&next| next <= end).ok_or(TOO_FEW)?;
            if !blob.is_char_boundary(next as usize - source_len) {
                return Err(NOT_UTF_8);
            }
            texts.push(Text { start, len });
            start = next;
        }
        if start != end {
            return Err(TOO_FEW);
        }
    } else if n_strings > 0 {
        for at in memchr::memchr_iter(0, blob.as_bytes()) {
            let next = to_u32(source_len + at)?;
            texts.push(Text { start, len: next - start });
            start = next + 1;
        }
        texts.push(Text { start, len: end - start });
    }
    if texts.len() == n_strings { Ok((blob, texts)) } else { Err(TOO_FEW) }
}

fn diagnostics(bytes: &[u8]) -> Result<Vec<Diagnostic>, XppError> {
    let mut diagnostics = Vec::new();
    if bytes.is_empty() {
        return Ok(diagnostics);
    }
    let mut bytes = Bytes(bytes);
    for _ in 0..bytes.number()? {
        let mut atoms = Vec::new();
        for _ in 0..bytes.number()? {
            atoms.push(bytes.atom()?);
        }
        diagnostics.push(from_atoms(atoms)?);
    }
    if bytes.0.is_empty() {
        Ok(diagnostics)
    } else {
        Err(XppError::Corrupt("the diagnostics are longer than they say"))
    }
}

/// Bytes that are read from the front.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], XppError> {
        let (head, rest) = self.0.split_first_chunk().ok_or(XppError::Truncated)?;
        self.0 = rest;
        Ok(*head)
    }

    fn number(&mut self) -> Result<u32, XppError> {
        self.array().map(u32::from_le_bytes)
    }

    fn items(&mut self, count: u32, size: usize) -> Result<&'b [u8], XppError> {
        let len = (count as usize).checked_mul(size).ok_or(XppError::Truncated)?;
        let (head, rest) = self.0.split_at_checked(len).ok_or(XppError::Truncated)?;
        self.0 = rest;
        Ok(head)
    }

    fn atom(&mut self) -> Result<Atom, XppError> {
        match self.array()? {
            [0] => Ok(Atom::Undef),
            [1] => self.number().map(Atom::Number),
            [2] => {
                let len = self.number()?;
                let text = str::from_utf8(self.items(len, 1)?);
                let text = text.map_err(|_| XppError::Corrupt("a message is not UTF-8"))?;
                Ok(Atom::Text(text.to_owned()))
            }
            _ => Err(XppError::Corrupt("a diagnostic is not well formed")),
        }
    }
}

/// Numbers of two bytes.
struct Narrow<'b>(&'b [u8]);

impl Code for Narrow<'_> {
    #[inline]
    fn take<const N: usize>(&mut self) -> Option<[u32; N]> {
        let (head, rest) = self.0.split_at_checked(N * 2)?;
        self.0 = rest;
        let (numbers, _) = head.as_chunks::<2>();
        Some(std::array::from_fn(|at| u32::from(u16::from_le_bytes(numbers[at]))))
    }

    fn is_done(&self) -> bool {
        self.0.is_empty()
    }
}

/// Numbers of four bytes.
struct Wide<'b>(&'b [u8]);

impl Code for Wide<'_> {
    #[inline]
    fn take<const N: usize>(&mut self) -> Option<[u32; N]> {
        let (head, rest) = self.0.split_at_checked(N * 4)?;
        self.0 = rest;
        let (numbers, _) = head.as_chunks::<4>();
        Some(std::array::from_fn(|at| u32::from_le_bytes(numbers[at])))
    }

    fn is_done(&self) -> bool {
        self.0.is_empty()
    }
}
