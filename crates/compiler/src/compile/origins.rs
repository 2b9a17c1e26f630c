//! Origins while a catalog is compiled.
//!
//! An expression needs no entry: its origin is a number that counts from a base, which its program gets when one of
//! its expressions sets something for the first time.

use ecow::EcoString;
use kukla_catalog::origins::{DataOrigin, DataPlace, Origin, OriginEntry, OriginId, OriginTable};
use kukla_lookup::FoundValue;
use kukla_syntax::ast::ExprId;
use rustc_hash::FxHashMap;

use super::resource::ResourceId;
use super::tags::Tag;
use crate::place::At;
use crate::{Place, Program};

/// The origins of one compilation.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) table: OriginTable,
    /// The bases of programs by their numbers; `None` if numbers ran out.
    bases: FxHashMap<u64, Option<u32>>,
    /// The program that was asked for last: mostly it is asked for again.
    last: (u64, Option<u32>),
    /// Tags that functions gave to resources.
    pub(super) tags: Vec<(ResourceId, Tag, OriginId)>,
    /// Calls that looked up data, with what they found.
    pub(super) lookups: Vec<(OriginId, OriginId)>,
    /// The bodies of the main program.
    pub(super) main: Vec<OriginId>,
}

/// The number that the expressions of a program count from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base(Option<u32>);

impl Base {
    /// Returns the origin of an expression of the program.
    #[inline]
    pub(crate) fn expression(self, id: ExprId) -> OriginId {
        // Numbers of nodes fit, or the program would have no base.
        #[expect(clippy::cast_possible_truncation, reason = "trees have fewer than 2^32 nodes")]
        let number = id.index() as u32;
        self.0.map_or(OriginId::COMPILER, |base| OriginTable::expression(base, number))
    }
}

impl Recorder {
    /// Returns the number that the expressions of a program count from.
    #[inline]
    pub(crate) fn base(&mut self, program: &Program) -> Base {
        if self.last.0 != program.number() {
            self.last = (program.number(), self.find_base(program));
        }
        Base(self.last.1)
    }

    fn find_base(&mut self, program: &Program) -> Option<u32> {
        let table = &mut self.table;
        let add = || table.add_code(program.shared()?);
        *self.bases.entry(program.number()).or_insert_with(add)
    }

    /// Returns the origin of an expression.
    #[inline]
    pub(crate) fn expression(&mut self, program: &Program, id: ExprId) -> OriginId {
        self.base(program).expression(id)
    }

    /// Returns the origin of what was looked up.
    pub(crate) fn data(&mut self, key: EcoString, found: &mut FoundValue) -> OriginId {
        let place = |origin: kukla_lookup::Origin| DataPlace {
            file: origin.file,
            line: origin.line,
            level: origin.level.as_ref().map(|level| level.name.clone()).unwrap_or_default(),
            number: origin.level.map_or(0, |level| level.number),
        };
        let places = std::mem::take(&mut found.origins).into_iter().map(place).collect();
        self.table.add(OriginEntry::Data(DataOrigin { key, places, is_secret: found.is_secret }))
    }

    /// Returns the origin of a value that takes the place of another.
    pub(crate) fn replaced(&mut self, by: OriginId, previous: OriginId) -> OriginId {
        self.table.add(OriginEntry::Replaced { by, previous })
    }

    /// Returns the origin of metaparameters of a container.
    pub(crate) fn inherited(&mut self, container: ResourceId) -> OriginId {
        self.table.add(OriginEntry::Inherited(container.0))
    }

    /// Returns the origin of what another node exports.
    pub(crate) fn exported(&mut self, node: &EcoString) -> OriginId {
        self.table.add(OriginEntry::Exported(node.clone()))
    }

    /// Returns the place that messages name: that of an attribute which code sets, and no other.
    pub(crate) fn at(&self, id: OriginId) -> At {
        if let Some(OriginEntry::Parts(parts)) = self.table.entry(id) {
            // An array is never named by another.
            return match self.table.entry(parts.named) {
                Some(OriginEntry::Parts(_)) => At::default(),
                _ => self.at(parts.named),
            };
        }
        match self.table.origin(id) {
            Origin::Code { role, place, .. } if role.is_attribute() => {
                At { file: Some(place.file.into()), line: Some(place.line) }
            }
            _ => At::default(),
        }
    }

    /// Returns the place of the code that is an origin.
    pub(super) fn code_place(&self, id: OriginId) -> Option<Place> {
        match self.table.origin(id) {
            Origin::Code { place, .. } => {
                Some(Place { file: place.file.into(), line: place.line, column: place.column })
            }
            _ => None,
        }
    }

    /// Takes the table, with catalog numbers in place of those of the compilation.
    pub(super) fn take_table(&mut self, numbers: &[Option<u32>]) -> OriginTable {
        let mut table = std::mem::take(&mut self.table);
        for entry in table.entries_mut() {
            if let OriginEntry::Inherited(container) = entry {
                let number = numbers.get(*container as usize).copied().flatten();
                *container = number.unwrap_or(u32::MAX);
            }
        }
        (self.bases, self.last) = (FxHashMap::default(), (0, None));
        table
    }
}
