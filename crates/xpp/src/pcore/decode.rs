//! Decoder of the stream.

use kukla_base::Diagnostic;
use kukla_base::source::line_starts;

use super::items::{Item, Items, Type, UNEXPECTED, to_number};
use super::tree::Tree;
use super::{LOCATOR_INDEX, Read};
use crate::complaints::{Atom, from_atoms};
use crate::{Parts, SourceCheck, Trust, XppError, build};
use kukla_syntax::ast::{Ast, Text};

/// Reads a payload.
///
/// Without `source` the payload must hold it, as it does if it has a tree.
pub(super) fn payload(reader: impl Read, source: Option<&str>) -> Result<Parts, XppError> {
    let mut items = Items::new(reader);
    let program = match items.next()? {
        Item::Undef => None,
        Item::Object(Type::Program, n_attributes) => Some(Program::read(&mut items, n_attributes)?),
        _ => return Err(UNEXPECTED),
    };
    let complaints = match &program {
        Some(_) if items.reader.is_done() => None,
        _ => Some(complaints(&mut items)?),
    };
    items.reader.end()?;
    let Some(program) = program else {
        let Complaints { check, file, diagnostics } = complaints.ok_or(XppError::Truncated)?;
        source.map_or(Ok(()), |source| check.compare(source, Trust::Checksum))?;
        return Ok(Parts { check, ast: None, diagnostics, file: Some(file) });
    };
    let embedded = items.letters(program.source);
    let check = SourceCheck::of(embedded);
    if source.is_some_and(|source| source != embedded) {
        return Err(XppError::Stale);
    }
    if complaints.as_ref().is_some_and(|complaints| complaints.check != check) {
        return Err(XppError::Corrupt("it contradicts itself about the source"));
    }
    let diagnostics = complaints.map(|complaints| complaints.diagnostics).unwrap_or_default();
    let file = Some(items.letters(program.file).to_owned());
    Ok(Parts { check, ast: Some(program.build(items)?), diagnostics, file })
}

/// A tree in the numbers of `flat`.
struct Program {
    /// The number of the string that is the source.
    source: u32,
    /// The number of the string that is its name.
    file: u32,
    code: Vec<u32>,
}

impl Program {
    fn read(items: &mut Items<impl Read>, n_attributes: usize) -> Result<Self, XppError> {
        const WRONG: XppError = XppError::Corrupt("the definitions are not those of the tree");
        let mut n_outer = LOCATOR_INDEX + 1;
        let n_parts = match items.next()? {
            Item::Object(Type::Locator, n_parts @ 2..=3) => n_parts,
            _ => return Err(UNEXPECTED),
        };
        let (source, file) = (items.text()?, items.text()?);
        if n_parts == 3 {
            n_outer += 1;
            lines(items, source)?;
        }
        let mut tree = Tree::new(n_outer);
        match n_attributes {
            1 => (),
            2 | 3 => tree.read(items)?,
            _ => return Err(UNEXPECTED),
        }
        let n_definitions = if n_attributes == 3 { items.array()? } else { 0 };
        if n_definitions as usize != tree.definitions.len() {
            return Err(WRONG);
        }
        for &definition in &tree.definitions {
            if items.next()? != Item::Outer(definition) {
                return Err(WRONG);
            }
        }
        Ok(Self { source, file, code: tree.code })
    }

    fn build(self, items: Items<impl Read>) -> Result<Ast, XppError> {
        let Items { blob, mut texts, .. } = items;
        // The source is the first text of the tree, so it is not stored twice.
        let at = self.source as usize - 1;
        let Text { start, len } = texts[at];
        let source = &blob[start as usize..][..len as usize];
        let blob = [&blob[..start as usize], &blob[(start + len) as usize..]].concat();
        for text in &mut texts[..at] {
            text.start += len;
        }
        texts[at].start = 0;
        let too_large = XppError::Corrupt("there is too much text");
        let ast = Ast::with_texts(source, &blob, self.code.len() / 6).ok_or(too_large)?;
        build::build(ast, &texts, &self.code[..])
    }
}

/// Checks that the starts of lines are those of the source.
fn lines(items: &mut Items<impl Read>, source: u32) -> Result<(), XppError> {
    const WRONG: XppError = XppError::Corrupt("the lines are not those of the source");
    let lines = line_starts(items.letters(source));
    if items.array()? as usize != lines.len() {
        return Err(WRONG);
    }
    for line in lines {
        if items.number()? != line {
            return Err(WRONG);
        }
    }
    Ok(())
}

/// The array after the tree, which only Kukla reads.
struct Complaints {
    check: SourceCheck,
    file: String,
    diagnostics: Vec<Diagnostic>,
}

fn complaints(items: &mut Items<impl Read>) -> Result<Complaints, XppError> {
    if items.array()? != 4 {
        return Err(UNEXPECTED);
    }
    let check = SourceCheck { size: items.number()?, crc32: items.number()? };
    let file = items.text()?;
    let file = items.letters(file).to_owned();
    let mut diagnostics = Vec::new();
    for _ in 0..items.array()? {
        let mut atoms = Vec::new();
        for _ in 0..items.array()? {
            atoms.push(match items.next()? {
                Item::Undef => Atom::Undef,
                Item::Integer(number) => Atom::Number(to_number(number)?),
                Item::Text(number) => Atom::Text(items.letters(number).to_owned()),
                _ => return Err(UNEXPECTED),
            });
        }
        diagnostics.push(from_atoms(atoms)?);
    }
    Ok(Complaints { check, file, diagnostics })
}
