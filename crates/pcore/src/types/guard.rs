//! Recursive types, and limits of the work of a comparison.

use std::cell::{Cell, RefCell};

/// Neither side is recursive.
const NONE: u8 = 0;
const THIS: u8 = 1;
const THAT: u8 = 2;
/// Both sides are recursive: the result so far holds for the rest.
pub(super) const BOTH: u8 = THIS | THAT;

/// The aliases that are being compared.
///
/// It follows Puppet's own guard exactly, since results for recursive types depend on it.
#[derive(Debug, Default)]
pub(super) struct Guard {
    this: Vec<usize>,
    that: Vec<usize>,
    state: u8,
}

impl Guard {
    /// Runs `f` with an alias on the left.
    pub(super) fn with_this<R>(&mut self, id: usize, f: impl FnOnce(&mut Self, u8) -> R) -> R {
        if self.state & THIS != NONE {
            return f(self, self.state);
        }
        if self.this.contains(&id) {
            self.state |= THIS;
            return f(self, self.state);
        }
        self.this.push(id);
        let result = f(self, self.state);
        self.state &= !THIS;
        self.this.retain(|&other| other != id);
        result
    }

    /// Runs `f` with a value on the right.
    pub(super) fn with_that<R>(&mut self, id: usize, f: impl FnOnce(&mut Self) -> R) -> R {
        if self.state & THAT != NONE {
            return f(self);
        }
        if self.that.contains(&id) {
            self.state |= THAT;
            return f(self);
        }
        self.that.push(id);
        let result = f(self);
        self.state &= !THAT;
        self.that.retain(|&other| other != id);
        result
    }

    /// Adds an alias on the right.
    pub(super) fn add_that(&mut self, id: usize) -> u8 {
        if self.state & THAT == NONE {
            if self.that.contains(&id) {
                self.state |= THAT;
            } else {
                self.that.push(id);
            }
        }
        self.state
    }

    /// Returns true if `state` includes recursion on the left.
    pub(super) const fn is_this(state: u8) -> bool {
        state & THIS != NONE
    }
}

/// The remaining work of a comparison.
#[derive(Debug)]
pub(super) struct Budget {
    depth: Cell<u32>,
    steps: Cell<u32>,
    /// Pairs that are being compared, with a recursive type on the right.
    pairs: RefCell<Vec<(usize, usize)>>,
}

/// The maximum depth; Puppet's own stack ends long before.
const MAX_DEPTH: u32 = 20_000;
const MAX_STEPS: u32 = 4_000_000;

impl Default for Budget {
    fn default() -> Self {
        Self { depth: Cell::new(0), steps: Cell::new(0), pairs: RefCell::default() }
    }
}

/// The state of a comparison on its way through types.
#[derive(Debug)]
pub(super) struct Comparison<'a> {
    pub(super) guard: Option<&'a mut Guard>,
    budget: &'a Budget,
}

impl<'a> Comparison<'a> {
    /// Starts a comparison.
    pub(super) const fn new(budget: &'a Budget) -> Self {
        Self { guard: None, budget }
    }

    /// Reborrows the guard for the next part.
    pub(super) fn again(&mut self) -> Comparison<'_> {
        Comparison { guard: self.guard.as_deref_mut(), budget: self.budget }
    }

    /// Returns the state without a guard: Puppet drops it in some places.
    pub(super) const fn unguarded(&self) -> Comparison<'a> {
        Comparison { guard: None, budget: self.budget }
    }

    /// Descends one level; `false` if that is too deep or takes too long.
    pub(super) fn deeper(self, f: impl FnOnce(Self) -> bool) -> bool {
        let budget = self.budget;
        budget.steps.set(budget.steps.get() + 1);
        if budget.depth.get() >= MAX_DEPTH || budget.steps.get() >= MAX_STEPS {
            return false;
        }
        budget.depth.set(budget.depth.get() + 1);
        let result = f(self);
        budget.depth.set(budget.depth.get() - 1);
        result
    }

    /// Compares a pair with a recursive type on the right.
    ///
    /// Where Puppet has dropped its guard, it would recurse until its stack ends; here the result so far holds.
    pub(super) fn pair(self, pair: (usize, usize), f: impl FnOnce(Self) -> bool) -> bool {
        let pairs = &self.budget.pairs;
        // Puppet's guard, where it is kept, decides the third time at the latest.
        if pairs.borrow().iter().filter(|&&other| other == pair).count() > 2 {
            return true;
        }
        pairs.borrow_mut().push(pair);
        let result = f(self);
        pairs.borrow_mut().pop();
        result
    }

    /// Runs `f` with the guard, a new one if there is none.
    pub(super) fn guarded<R>(self, f: impl FnOnce(&mut Guard, &'a Budget) -> R) -> R {
        match self.guard {
            Some(guard) => f(guard, self.budget),
            None => f(&mut Guard::default(), self.budget),
        }
    }

    /// Runs `f` unless it is running for the same type on the left already; then the answer is false.
    pub(super) fn outside_of(self, id: usize, f: impl FnOnce(Comparison<'_>) -> bool) -> bool {
        self.guarded(|guard, budget| {
            if guard.this.contains(&id) {
                return false;
            }
            guard.this.push(id);
            let result = f(Comparison::with(guard, budget));
            guard.this.retain(|&other| other != id);
            result
        })
    }

    /// Creates a state with an existing guard.
    pub(super) const fn with(guard: &'a mut Guard, budget: &'a Budget) -> Self {
        Self { guard: Some(guard), budget }
    }
}
