//! Why an evaluation stops before its end.

use kukla_base::Symbol;
use kukla_pcore::Value;

use crate::fault::{Fault, Located, Logged};
use crate::issues::{Code, Issue};
use crate::place::At;
use crate::place::Place;
use crate::source::Refusal;

/// A result, or why there is none.
pub type Eval<T> = Result<T, Box<Stop>>;

/// Why an evaluation stops: something is wrong, or a function told it to.
#[derive(Debug, Clone)]
pub enum Stop {
    /// Something is wrong. Boxed, so that `next()` in a loop moves few bytes.
    Fault(Box<Fault>),
    /// `break()`, on its way to the function that iterates.
    Break(Place),
    /// `next(value)`, on its way to the end of the block.
    Next(Value, Place),
    /// A parameter was read that has no value yet, on its way to the one whose default did it.
    UnsetParameter(Symbol),
    /// `$context.not_found`, on its way to the search for data.
    NotFound,
    /// `return(value)`, on its way to the end of the function, define or class.
    Return(Value, Place),
}

/// Stops with an issue; the innermost expression adds its name and place.
pub fn fault<T>(issue: Issue) -> Eval<T> {
    Err(Stop::fault(issue))
}

impl Stop {
    /// Returns a fault whose place is that of the innermost expression, which adds its name too.
    pub fn fault(issue: Issue) -> Box<Self> {
        Fault::new(issue, Located::ByInnermostExpression).into()
    }

    /// Returns a fault that is complete without a place.
    pub fn final_fault(issue: Issue) -> Box<Self> {
        Fault::new(issue, Located::Nowhere(Logged::Inside)).into()
    }

    /// Returns a fault with a file and a line, which no expression adds its name to.
    pub(crate) fn fault_at_line(issue: Issue, at: &At) -> Box<Self> {
        let located = match at.place() {
            Some(place) => Located::At(place, Logged::Inside),
            None => Located::ByInnermostExpression,
        };
        Fault::new(issue, located).into()
    }

    /// Returns a fault that is complete; Puppet logs its place beside it if there is one.
    pub fn issue(issue: Issue, place: Option<Place>) -> Box<Self> {
        let located = match place {
            Some(place) => Located::At(place, Logged::Beside),
            None => Located::Nowhere(Logged::Beside),
        };
        Fault::new(issue, located).into()
    }

    /// Returns the fault of a source that is no program.
    pub fn refused(refusal: Refusal) -> Box<Self> {
        // Puppet's parser does not know of these: they are faults of the expression that loads the file.
        let is_unplaced =
            matches!(refusal.issue.code(), Code::INVALID_REGEXP | Code::MISSING_DEFINITION);
        if is_unplaced && refusal.place.is_none() {
            return Self::fault(refusal.issue);
        }
        Fault::from(refusal).into()
    }

    /// Whether it is `break()`.
    pub const fn is_break(&self) -> bool {
        matches!(self, Self::Break(_))
    }
}

impl From<Fault> for Box<Stop> {
    fn from(fault: Fault) -> Self {
        Self::new(Stop::Fault(Box::new(fault)))
    }
}
