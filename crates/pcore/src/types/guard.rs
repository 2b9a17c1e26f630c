//! Types that contain themselves, and how much work a question may take.

use std::cell::{Cell, RefCell};

/// Neither side was met before.
const NONE: u8 = 0;
const THIS: u8 = 1;
const THAT: u8 = 2;
/// Both sides were met before: what was true so far is true for all that follows.
pub(super) const BOTH: u8 = THIS | THAT;

/// Remembers which aliases are being looked into.
///
/// It follows Puppet's own guard to the letter, since answers about types that contain themselves depend on it.
#[derive(Debug, Default)]
pub(super) struct Guard {
    this: Vec<usize>,
    that: Vec<usize>,
    state: u8,
}

impl Guard {
    /// Runs `f` while an alias is on the left.
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

    /// Runs `f` while a value is on the right.
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

    /// An alias is on the right from now on.
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

    /// Whether `state` says that an alias on the left was met before.
    pub(super) const fn is_this(state: u8) -> bool {
        state & THIS != NONE
    }
}

/// What is left of the work that one question may take.
#[derive(Debug)]
pub(super) struct Budget {
    depth: Cell<u32>,
    steps: Cell<u32>,
    /// Pairs that are being compared, of which the right one contains itself.
    pairs: RefCell<Vec<(usize, usize)>>,
}

/// Puppet's own stack ends long before.
const MAX_DEPTH: u32 = 20_000;
const MAX_STEPS: u32 = 4_000_000;

impl Default for Budget {
    fn default() -> Self {
        Self { depth: Cell::new(0), steps: Cell::new(0), pairs: RefCell::default() }
    }
}

/// A question about types on its way through them.
#[derive(Debug)]
pub(super) struct Work<'a> {
    pub(super) guard: Option<&'a mut Guard>,
    budget: &'a Budget,
}

impl<'a> Work<'a> {
    /// A new question.
    pub(super) const fn new(budget: &'a Budget) -> Self {
        Self { guard: None, budget }
    }

    /// The same guard for the next part.
    pub(super) fn again(&mut self) -> Work<'_> {
        Work { guard: self.guard.as_deref_mut(), budget: self.budget }
    }

    /// Without a guard: Puppet drops it here and there.
    pub(super) const fn unguarded(&self) -> Work<'a> {
        Work { guard: None, budget: self.budget }
    }

    /// Goes one level down; what is too deep or takes too long is `false`.
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

    /// Compares a pair of which the right one contains itself.
    ///
    /// Where Puppet has dropped its guard it would go round until its stack ends; what was true so far is true.
    pub(super) fn pair(self, pair: (usize, usize), f: impl FnOnce(Self) -> bool) -> bool {
        let pairs = &self.budget.pairs;
        // Puppet's guard, where it is kept, has an answer the third time at the latest.
        if pairs.borrow().iter().filter(|&&other| other == pair).count() > 2 {
            return true;
        }
        pairs.borrow_mut().push(pair);
        let result = f(self);
        pairs.borrow_mut().pop();
        result
    }

    /// Runs `f` with a guard, a new one if there is none.
    pub(super) fn guarded<R>(self, f: impl FnOnce(&mut Guard, &'a Budget) -> R) -> R {
        match self.guard {
            Some(guard) => f(guard, self.budget),
            None => f(&mut Guard::default(), self.budget),
        }
    }

    /// A guard that is there.
    pub(super) const fn with(guard: &'a mut Guard, budget: &'a Budget) -> Self {
        Self { guard: Some(guard), budget }
    }
}
