//! Records: the questions that a compilation asked of the outside, with digests of the answers.
//!
//! If no answer of a record has changed, the catalog can't have changed. So absences are answers too, and a cache that
//! absorbs a read replays it: the computation of a cached value notes its questions in a record of its own, keeps them
//! beside the value as [`Reads`], and every user of the value replays them ([`Record::replay`]).

mod atom;

pub use atom::{Answer, Atom, Kind};

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

/// The questions behind a cached value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    atoms: Vec<Atom>,
    nested: Box<[Arc<Reads>]>,
    /// Whether a frozen site answers all of them.
    is_of_site: bool,
}

impl Reads {
    fn collect_into<'r>(&'r self, atoms: &mut Vec<&'r Atom>, seen: &mut FxHashSet<*const Self>) {
        if seen.insert(std::ptr::from_ref(self)) {
            atoms.extend(&self.atoms);
            self.nested.iter().for_each(|reads| reads.collect_into(atoms, seen));
        }
    }
}

/// Makes an atom when the record is read, so that a compilation pays for no digest.
type Later = Box<dyn FnOnce() -> Atom>;

/// A list of notes, or none at all: a record that is off costs one branch per question.
#[derive(Default)]
pub struct Record(Option<RefCell<Notes>>);

#[derive(Default)]
struct Notes {
    /// Whether questions that a frozen site answers are left out.
    is_of_request: bool,
    later: Vec<Later>,
    atoms: Vec<Atom>,
    replayed: FxHashMap<*const Reads, Arc<Reads>>,
}

impl Record {
    /// A record that notes nothing.
    pub const fn off() -> Self {
        Self(None)
    }

    /// A record that notes everything from now on.
    pub fn on() -> Self {
        Self(Some(RefCell::default()))
    }

    /// A record that leaves out all questions that a frozen site answers: enough for a reader who has that very site.
    pub fn of_request() -> Self {
        Self(Some(RefCell::new(Notes { is_of_request: true, ..Notes::default() })))
    }

    /// Returns whether questions are noted that a frozen site answers.
    #[inline]
    pub fn has_site(&self) -> bool {
        self.0.as_ref().is_some_and(|notes| !notes.borrow().is_of_request)
    }

    /// Returns whether anything is noted.
    #[inline]
    pub const fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Notes a question that a frozen site answers; `make` is called only if such questions are noted, and only when the
    /// record is read.
    #[inline]
    pub fn note_site(&self, make: impl FnOnce() -> Atom + 'static) {
        if let Some(notes) = &self.0 {
            let mut notes = notes.borrow_mut();
            if !notes.is_of_request {
                notes.later.push(Box::new(make));
            }
        }
    }

    /// Notes a question that a frozen site answers, and whose answer is at hand.
    #[inline]
    pub fn note_site_now(&self, make: impl FnOnce() -> Atom) {
        if self.has_site() {
            self.note_now(make);
        }
    }

    /// Notes a question whose answer is at hand.
    #[inline]
    pub fn note_now(&self, make: impl FnOnce() -> Atom) {
        if let Some(notes) = &self.0 {
            let atom = make();
            notes.borrow_mut().atoms.push(atom);
        }
    }

    /// Notes the questions behind a cached value.
    #[inline]
    pub fn replay(&self, reads: &Arc<Reads>) {
        if let Some(notes) = &self.0 {
            let mut notes = notes.borrow_mut();
            if notes.is_of_request && reads.is_of_site {
                return;
            }
            notes.replayed.entry(Arc::as_ptr(reads)).or_insert_with(|| Arc::clone(reads));
        }
    }

    /// Runs something whose value is to be cached, and returns the value with its questions, which are noted here too.
    pub fn gather<T>(&self, work: impl FnOnce(&Self) -> T) -> (T, Arc<Reads>) {
        let inner = Self::on();
        let value = work(&inner);
        let reads = Arc::new(inner.into_reads());
        self.replay(&reads);
        (value, reads)
    }

    /// Ends the record and adds its notes to another one.
    pub fn move_to(self, other: &Self) {
        other.replay(&Arc::new(self.into_reads()));
    }

    /// Ends the record and returns its notes for a cache, which keeps them for long: each once.
    fn into_reads(self) -> Reads {
        let Recorded(mut reads) = self.finish();
        reads.atoms.sort_unstable();
        reads.atoms.dedup();
        reads.atoms.shrink_to_fit();
        reads.is_of_site = reads.atoms.iter().all(|atom| atom.kind.is_of_site())
            && reads.nested.iter().all(|nested| nested.is_of_site);
        reads
    }

    /// Ends the record: makes the digests that are left to make.
    pub fn finish(self) -> Recorded {
        let Some(notes) = self.0 else { return Recorded::default() };
        let Notes { later, mut atoms, replayed, .. } = notes.into_inner();
        atoms.extend(later.into_iter().map(|make| make()));
        // The order of pointers says nothing, but records are sorted when they are read.
        let nested = replayed.into_values().collect();
        Recorded(Reads { atoms, nested, is_of_site: false })
    }
}

/// The notes of a record that has ended.
///
/// Most of them belong to caches, which share them with all compilations. They are put in order when a reader wants
/// them ([`Recorded::atoms`]): that takes as long as a compilation does, and a record that only waits for the next
/// change of the site needs no order.
#[derive(Clone, Debug, Default)]
pub struct Recorded(Reads);

impl Recorded {
    /// Returns all notes, sorted, each once.
    pub fn atoms(&self) -> Vec<Atom> {
        self.chosen(|_| true)
    }

    /// Returns the notes that a frozen site does not answer, sorted, each once.
    pub fn of_request(&self) -> Vec<Atom> {
        self.chosen(|kind| !kind.is_of_site())
    }

    fn chosen(&self, is_chosen: impl Fn(Kind) -> bool) -> Vec<Atom> {
        let mut atoms = Vec::new();
        self.0.collect_into(&mut atoms, &mut FxHashSet::default());
        atoms.retain(|atom| is_chosen(atom.kind));
        // Many cached values have the same questions: only what is left of them is copied.
        atoms.sort_unstable();
        atoms.dedup();
        atoms.into_iter().cloned().collect()
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_on() { "Record(on)" } else { "Record(off)" })
    }
}
