//! The table of origins by number.

use std::sync::Arc;

use super::{ArrayParts, Code, CodePlace, DataOrigin, Origin, OriginEntry, OriginId};

/// The origins of one compilation by their numbers.
#[derive(Clone, Debug, Default)]
pub struct OriginTable {
    /// Code, with the number of its first expression; sorted.
    codes: Vec<(u32, Arc<dyn Code>)>,
    /// The number of the next code's first expression, less the first of all.
    n_expressions: u32,
    entries: Vec<OriginEntry>,
}

impl OriginTable {
    /// Adds code; returns the base of its expressions' numbers, or `None` if numbers ran out.
    pub fn add_code(&mut self, code: Arc<dyn Code>) -> Option<u32> {
        let base = OriginId::FIRST_EXPRESSION.checked_add(self.n_expressions)?;
        let end = base.checked_add(code.n_expressions()).filter(|&n| n < OriginId::FIRST_ENTRY)?;
        self.n_expressions = end - OriginId::FIRST_EXPRESSION;
        self.codes.push((base, code));
        Some(base)
    }

    /// Returns the origin of an expression of code with this base.
    #[inline]
    pub const fn expression(base: u32, expression: u32) -> OriginId {
        OriginId(base + expression)
    }

    /// Adds an entry.
    pub fn add(&mut self, entry: OriginEntry) -> OriginId {
        let number = u32::try_from(self.entries.len()).ok();
        let number = number.and_then(|number| OriginId::FIRST_ENTRY.checked_add(number));
        let Some(number) = number else { return OriginId::COMPILER };
        self.entries.push(entry);
        OriginId(number)
    }

    /// Adds `n` elements with the origin `by` to an array.
    ///
    /// `named` is the origin whose place messages name; by default it stays.
    pub fn append(
        &mut self,
        array: OriginId,
        by: OriginId,
        n: usize,
        named: Option<OriginId>,
    ) -> OriginId {
        let n = u32::try_from(n).unwrap_or(u32::MAX);
        if let Some(OriginEntry::Parts(parts)) = self.entry_mut(array) {
            parts.rest.push((by, n));
            parts.named = named.unwrap_or(parts.named);
            return array;
        }
        let named = named.unwrap_or(array);
        self.add(OriginEntry::Parts(ArrayParts { named, first: array, rest: vec![(by, n)] }))
    }

    /// Returns all entries for changing them, to renumber resources.
    pub fn entries_mut(&mut self) -> &mut [OriginEntry] {
        &mut self.entries
    }

    fn entry_mut(&mut self, id: OriginId) -> Option<&mut OriginEntry> {
        let number = id.0.checked_sub(OriginId::FIRST_ENTRY)?;
        self.entries.get_mut(number as usize)
    }

    /// Returns all data that values came from.
    pub fn data(&self) -> impl Iterator<Item = &DataOrigin> {
        self.entries.iter().filter_map(|entry| match entry {
            OriginEntry::Data(data) => Some(data),
            _ => None,
        })
    }

    /// Returns an entry, if the origin is one.
    pub fn entry(&self, id: OriginId) -> Option<&OriginEntry> {
        let number = id.0.checked_sub(OriginId::FIRST_ENTRY)?;
        self.entries.get(number as usize)
    }

    /// Returns the code of an expression, and the expression's number there.
    pub fn code(&self, id: OriginId) -> Option<(&dyn Code, u32)> {
        if !(OriginId::FIRST_EXPRESSION..OriginId::FIRST_ENTRY).contains(&id.0) {
            return None;
        }
        let n = self.codes.partition_point(|(base, _)| *base <= id.0);
        let (base, code) = self.codes.get(n.checked_sub(1)?)?;
        Some((&**code, id.0 - base))
    }

    /// Returns the base of the code of an expression.
    pub(super) fn base(&self, id: OriginId) -> Option<u32> {
        self.code(id).map(|(_, expression)| id.0 - expression)
    }

    /// Returns all code with its base.
    pub(super) fn codes(&self) -> impl Iterator<Item = (u32, &dyn Code)> {
        self.codes.iter().map(|(base, code)| (*base, &**code))
    }

    /// Resolves a number.
    pub fn origin(&self, id: OriginId) -> Origin<'_> {
        if let Some((code, expression)) = self.code(id) {
            let (line, column) = code.position(expression);
            let place = CodePlace { file: code.file(), line, column };
            return Origin::Code { role: code.role(expression), place, previous: None };
        }
        match self.entry(id) {
            Some(OriginEntry::Data(data)) => Origin::Data(data),
            Some(OriginEntry::Parts(parts)) => Origin::Parts(parts),
            Some(OriginEntry::Inherited(container)) => Origin::Inherited(*container),
            Some(OriginEntry::Exported(node)) => Origin::Exported(node),
            Some(OriginEntry::Replaced { by, previous }) => match self.origin(*by) {
                Origin::Code { role, place, .. } => {
                    Origin::Code { role, place, previous: Some(*previous) }
                }
                other => other,
            },
            None => match id {
                OriginId::CLASSIFIER => Origin::Classifier,
                OriginId::TITLE => Origin::Title,
                OriginId::TYPE => Origin::Type,
                _ => Origin::Compiler,
            },
        }
    }
}
