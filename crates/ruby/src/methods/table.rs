//! Rows of Ruby's own methods, and the tables that they make.
//!
//! Each file of a class lists its methods as rows, a name with the function that runs; [`mod@super::registry`] puts the rows
//! together. A row is generic over its receiver, so that a method of `Array` gets a list and need not look for one.

use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::FixedState;

use crate::run::{Args, Eval, Run};
use crate::value::{Proc, RubyValue};

type Function<T> = fn(&mut Run<'_>, &T, Args<'_>) -> Eval;
type BlockFunction<T> = fn(&mut Run<'_>, &T, &Rc<Proc>, Args<'_>) -> Eval;

/// One method of one of Ruby's or Puppet's classes.
pub(crate) struct Builtin<T: 'static> {
    name: &'static str,
    /// The least and the greatest number of arguments; any other is an `ArgumentError`.
    arity: (usize, usize),
    /// The receivers and arguments that the row is for; all if `None`.
    accepts: Option<fn(&T, Args<'_>) -> bool>,
    body: Body<T>,
}

enum Body<T: 'static> {
    Plain(Function<T>),
    /// Needs a block; a call without one needs a real Ruby.
    WithBlock(BlockFunction<T>),
    /// Returns an `Enumerator` without a block.
    Iterator(BlockFunction<T>),
    /// Needs a real Ruby; the text names the method in the error.
    Refused(&'static str),
}

const fn row<T>(name: &'static str, body: Body<T>) -> Builtin<T> {
    Builtin { name, arity: (0, usize::MAX), accepts: None, body }
}

/// A row for a method that works without a block.
pub(crate) const fn method<T>(name: &'static str, run: Function<T>) -> Builtin<T> {
    row(name, Body::Plain(run))
}

/// A row for a method that is known without arguments only.
pub(crate) const fn plain<T>(name: &'static str, run: Function<T>) -> Builtin<T> {
    method(name, run).when(|_, a| a.is_empty())
}

/// A row for a method that needs a block.
pub(crate) const fn with_block<T>(name: &'static str, run: BlockFunction<T>) -> Builtin<T> {
    row(name, Body::WithBlock(run))
}

/// A row for a method that passes items to a block, and gives an `Enumerator` if there is none.
pub(crate) const fn iterator<T>(name: &'static str, run: BlockFunction<T>) -> Builtin<T> {
    row(name, Body::Iterator(run))
}

/// A row for a method that only a real Ruby can run: `what` names it in the error.
pub(crate) const fn refused<T>(name: &'static str, what: &'static str) -> Builtin<T> {
    row(name, Body::Refused(what))
}

impl<T> Builtin<T> {
    /// Makes any other number of arguments an error.
    pub(crate) const fn arity(self, least: usize, most: usize) -> Self {
        Self { arity: (least, most), ..self }
    }

    /// Restricts the row to some receivers and arguments; for all others there is no such method.
    pub(crate) const fn when(self, accepts: fn(&T, Args<'_>) -> bool) -> Self {
        Self { accepts: Some(accepts), ..self }
    }

    /// Calls the method; `None` if it is not known for this receiver and these arguments.
    fn call(
        &self,
        run: &mut Run<'_>,
        recv: &RubyValue,
        this: &T,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        if self.accepts.is_some_and(|accepts| !accepts(this, a)) {
            return Ok(None);
        }
        if a.len() < self.arity.0 || a.len() > self.arity.1 {
            return run.wrong_count(a.len(), self.arity);
        }
        let value = match (&self.body, a.block) {
            (Body::Plain(function), _) => function(run, this, a),
            (Body::WithBlock(function) | Body::Iterator(function), Some(block)) => {
                function(run, this, block, a)
            }
            (Body::Iterator(_), None) if !matches!(recv, RubyValue::Object(_)) => {
                Ok(run.enumerator(recv, self.name, a))
            }
            (Body::WithBlock(_) | Body::Iterator(_), None) => {
                run.unsupported(format!("{} without a block", self.name))
            }
            (Body::Refused(what), _) => run.unsupported(*what),
        };
        value.map(Some)
    }
}

/// The methods that values of one class have, by their names.
pub(crate) struct Table<T: 'static> {
    rows: HashMap<&'static str, Entry<T>, FixedState>,
}

enum Entry<T: 'static> {
    Own(&'static Builtin<T>),
    Inherited(&'static Builtin<RubyValue>),
}

impl<T> Table<T> {
    /// Puts the rows of a class before those of the classes and modules above it.
    pub(crate) fn new(
        own: &[&'static [Builtin<T>]],
        above: &[&'static [Builtin<RubyValue>]],
    ) -> Self {
        let mut rows = HashMap::default();
        for row in own.iter().copied().flatten() {
            let before = rows.insert(row.name, Entry::Own(row));
            debug_assert!(before.is_none(), "{} has two rows", row.name);
        }
        for row in above.iter().copied().flatten() {
            rows.entry(row.name).or_insert(Entry::Inherited(row));
        }
        Self { rows }
    }

    /// Calls a method of `recv`, whose contents are `this`; `None` if there is none of that name.
    #[inline]
    pub(crate) fn call(
        &self,
        run: &mut Run<'_>,
        recv: &RubyValue,
        this: &T,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        match self.rows.get(name) {
            Some(Entry::Own(method)) => method.call(run, recv, this, a),
            Some(Entry::Inherited(method)) => method.call(run, recv, recv, a),
            None => Ok(None),
        }
    }

    /// Returns whether there is a method of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.rows.contains_key(name)
    }

    /// Returns the names of all methods, in no particular order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.rows.keys().copied()
    }
}
