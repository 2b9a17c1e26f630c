//! Flow analysis: the names that have a value at a point of the program.

/// Flow state at one point of the program.
#[derive(Clone, Debug)]
pub(super) struct FlowState {
    /// Names that have a value on all paths to here.
    pub(super) definite: Names,
    /// Names that have a value on some path to here, or that an earlier block may assign.
    pub(super) maybe: Names,
    /// Whether this point is unreachable.
    pub(super) ends: bool,
}

/// A set of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Names(Vec<u64>);

impl FlowState {
    /// Returns the state at the start of a program with `n_names` names.
    pub(super) fn new(n_names: usize) -> Self {
        let none = Names(vec![0; n_names.div_ceil(64)]);
        Self { definite: none.clone(), maybe: none, ends: false }
    }

    /// Returns the state where two paths meet.
    pub(super) fn join(self, other: Self) -> Self {
        match (self.ends, other.ends) {
            (true, _) => other,
            (false, true) => self,
            (false, false) => Self {
                definite: self.definite.zip(&other.definite, |one, other| one & other),
                maybe: self.maybe.zip(&other.maybe, |one, other| one | other),
                ends: false,
            },
        }
    }
}

impl Names {
    pub(super) fn has(&self, name: usize) -> bool {
        self.0.get(name / 64).is_some_and(|word| word & (1 << (name % 64)) != 0)
    }

    pub(super) fn add(&mut self, name: usize) {
        if let Some(word) = self.0.get_mut(name / 64) {
            *word |= 1 << (name % 64);
        }
    }

    pub(super) fn and(&self, other: &Self) -> Self {
        self.clone().zip(other, |one, other| one & other)
    }

    pub(super) fn or(&self, other: &Self) -> Self {
        self.clone().zip(other, |one, other| one | other)
    }

    fn zip(mut self, other: &Self, combine: impl Fn(u64, u64) -> u64) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(one, other)| *one = combine(*one, *other));
        self
    }
}
