//! Cancellation of compilations.
//!
//! A [`Cancel`] is a flag that any thread may raise, with a reason. The thread that compiles enters it
//! ([`Cancel::enter`]), and the loops of all interpreters (Puppet, Ruby, regular expressions) ask [`requested`] every
//! thousand steps or so. No interpreter looks at the clock: a watchdog raises the flag at the deadline.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// The reason why a compilation is stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Its time is up.
    Deadline,
    /// The process uses more memory than it may.
    Memory,
    /// The caller no longer needs the result.
    Abandoned,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Deadline => "the compilation was stopped at its deadline",
            Self::Memory => {
                "the compilation was stopped because the process reached its memory limit"
            }
            Self::Abandoned => "the compilation was cancelled",
        })
    }
}

/// A flag that stops a compilation.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicU8>);

thread_local! {
    /// The flags of the compilations that this thread has entered, the innermost last.
    static ENTERED: RefCell<Vec<Cancel>> = const { RefCell::new(Vec::new()) };
}

impl Cancel {
    /// Creates a flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises the flag; the first reason stays.
    pub fn raise(&self, reason: Reason) {
        let code = match reason {
            Reason::Deadline => 1,
            Reason::Memory => 2,
            Reason::Abandoned => 3,
        };
        let _ = self.0.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Returns the reason, if the flag is raised.
    pub fn reason(&self) -> Option<Reason> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(Reason::Deadline),
            2 => Some(Reason::Memory),
            _ => Some(Reason::Abandoned),
        }
    }

    /// Runs something that this flag stops.
    pub fn enter<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Leaves the compilation, also on a panic.
        struct Left;
        impl Drop for Left {
            fn drop(&mut self) {
                ENTERED.with_borrow_mut(|entered| drop(entered.pop()));
            }
        }
        ENTERED.with_borrow_mut(|entered| entered.push(self.clone()));
        let _left = Left;
        work()
    }
}

/// Returns why the compilation that this thread works on is to stop; `None` if it may go on.
#[inline(never)]
pub fn requested() -> Option<Reason> {
    ENTERED.with_borrow(|entered| entered.last().and_then(Cancel::reason))
}

/// The number of steps between two calls of [`requested`] in an interpreter.
pub const STEPS_BETWEEN: u64 = 1024;

#[cfg(test)]
mod tests {
    use super::{Cancel, Reason, requested};

    #[test]
    fn a_flag_stops_only_what_has_entered_it() {
        let cancel = Cancel::new();
        cancel.raise(Reason::Deadline);
        cancel.raise(Reason::Memory);
        assert_eq!(requested(), None);
        cancel.enter(|| {
            assert_eq!(requested(), Some(Reason::Deadline));
            Cancel::new().enter(|| assert_eq!(requested(), None));
            assert_eq!(requested(), Some(Reason::Deadline));
        });
        assert_eq!(requested(), None);
    }

    #[test]
    fn a_panic_leaves_the_compilation() {
        let cancel = Cancel::new();
        cancel.raise(Reason::Abandoned);
        let result = std::panic::catch_unwind(|| cancel.enter(|| panic!("as the test wants")));
        assert!(result.is_err());
        assert_eq!(requested(), None);
    }
}
