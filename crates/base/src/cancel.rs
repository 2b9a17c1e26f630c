//! Cancellation of compilations.
//!
//! A [`Cancel`] is a flag that any thread may raise, with a reason. The thread that compiles enters it
//! ([`Cancel::enter`]), and the loops of all interpreters (Puppet, Ruby, regular expressions) ask [`requested`] every
//! thousand steps or so. No interpreter looks at the clock: a watchdog raises the flag at the deadline.
//!
//! Walks through values ([`visit`], [`walk`]) ask too, and count: a value that shares its parts is small in memory,
//! but a walk through it may be endless. A walk that can't fail ends early with any result, which never leaves the
//! compilation: a flag that is raised stays so, and the compilation fails.
//!
//! Code that builds large values asks for room ([`room`], [`append`]) before it takes it. Where little room is wanted,
//! that only counts; every few megabytes the memory of the process is measured, so that the limit holds although a
//! watchdog looks at it only now and then.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The most parts of values that a compilation may walk through, unless its flag says otherwise.
pub const MAX_VISITS: u64 = 100_000_000;

/// The most bytes that a text may have.
pub const MAX_TEXT: usize = 1 << 28;

/// The reason why a compilation is stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Its time is up.
    Deadline,
    /// The process uses more memory than this many bytes.
    Memory(u64),
    /// The caller no longer needs the result.
    Abandoned,
    /// It walked through more than this many parts of values.
    Visits(u64),
    /// It wrote a text of more than [`MAX_TEXT`] bytes.
    Text,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deadline => f.write_str("the compilation was stopped at its deadline"),
            Self::Memory(limit) => write!(
                f,
                "the compilation was stopped because the process reached its memory limit of {} MB",
                limit >> 20
            ),
            Self::Abandoned => f.write_str("the compilation was cancelled"),
            Self::Visits(limit) => write!(
                f,
                "the compilation was stopped because its values are too large: it walked through more than {limit} parts of values"
            ),
            Self::Text => write!(
                f,
                "the compilation was stopped because a text would have more than {} MB",
                MAX_TEXT >> 20
            ),
        }
    }
}

/// A flag that stops a compilation.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Flag>);

#[derive(Debug)]
struct Flag {
    code: AtomicU8,
    /// The limit of memory or visits that was reached.
    limit: AtomicU64,
    /// The most parts of values to walk through.
    max_visits: u64,
    /// The limit of memory in bytes, and how to measure what the process uses.
    meter: OnceLock<(u64, Meter)>,
}

/// Returns the memory in bytes that the process uses, if that is known.
pub type Meter = fn() -> Option<u64>;

impl Default for Flag {
    fn default() -> Self {
        Self {
            code: AtomicU8::new(0),
            limit: AtomicU64::new(0),
            max_visits: MAX_VISITS,
            meter: OnceLock::new(),
        }
    }
}

thread_local! {
    /// The flags of the compilations that this thread has entered, the innermost last.
    static ENTERED: RefCell<Vec<Cancel>> = const { RefCell::new(Vec::new()) };
    /// The parts of values that the outermost compilation may still walk through.
    static VISITS_LEFT: Cell<u64> = const { Cell::new(MAX_VISITS) };
    /// The bytes that were asked for since memory was measured.
    static ASKED_FOR: Cell<usize> = const { Cell::new(0) };
}

impl Cancel {
    /// Creates a flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a flag that is raised after walks through this many parts of values.
    pub fn after_visits(max_visits: u64) -> Self {
        Self(Arc::new(Flag { max_visits, ..Flag::default() }))
    }

    /// Sets the limit of memory that [`room`] checks; the first one stays.
    pub fn limit_memory(&self, bytes: u64, meter: Meter) {
        let _ = self.0.meter.set((bytes, meter));
    }

    /// Raises the flag; the first reason stays.
    pub fn raise(&self, reason: Reason) {
        let code = match reason {
            Reason::Deadline => 1,
            Reason::Memory(_) => 2,
            Reason::Abandoned => 3,
            Reason::Visits(_) => 4,
            Reason::Text => 5,
        };
        if let (Reason::Memory(limit) | Reason::Visits(limit), None) = (reason, self.reason()) {
            self.0.limit.store(limit, Ordering::Relaxed);
        }
        let _ = self.0.code.compare_exchange(0, code, Ordering::Release, Ordering::Relaxed);
    }

    /// Returns the reason, if the flag is raised.
    pub fn reason(&self) -> Option<Reason> {
        let limit = || self.0.limit.load(Ordering::Relaxed);
        match self.0.code.load(Ordering::Acquire) {
            0 => None,
            1 => Some(Reason::Deadline),
            2 => Some(Reason::Memory(limit())),
            4 => Some(Reason::Visits(limit())),
            5 => Some(Reason::Text),
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
        ENTERED.with_borrow_mut(|entered| {
            if entered.is_empty() {
                VISITS_LEFT.set(self.0.max_visits);
            }
            entered.push(self.clone());
        });
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

/// The number of parts of values between two calls of [`requested`]; each may be a long text.
const VISITS_BETWEEN: u64 = 64;

/// Counts a part of a value that a walk has come to; returns true if the walk has to end.
#[inline]
pub fn visit() -> bool {
    let left = VISITS_LEFT.get();
    VISITS_LEFT.set(left.wrapping_sub(1));
    left.is_multiple_of(VISITS_BETWEEN) && has_to_end(left)
}

/// Returns true if a text that is being written is too long, so that its writer has to end.
#[inline]
pub fn is_too_long(length: usize) -> bool {
    length > MAX_TEXT && raise_here(Reason::Text)
}

/// The bytes after which memory is measured.
const BYTES_BETWEEN: usize = 2 << 20;

/// Asks for memory that a value takes which is about to be built; returns false if its builder has to end.
#[inline]
pub fn room(bytes: usize) -> bool {
    let asked = ASKED_FOR.get().saturating_add(bytes);
    ASKED_FOR.set(asked);
    asked < BYTES_BETWEEN || measure(bytes)
}

/// Asks for room for one more element of a list, which may have to grow; returns false if its builder has to end.
#[inline]
pub fn room_in<T>(list: &Vec<T>) -> bool {
    let more = match list.len() < list.capacity() {
        true => 0,
        false => list.capacity().max(4).saturating_mul(2 * size_of::<T>()),
    };
    room(more)
}

/// Measures memory before this many bytes are taken.
#[cold]
fn measure(bytes: usize) -> bool {
    ASKED_FOR.set(0);
    let flag = ENTERED.with_borrow(|entered| entered.last().cloned());
    let Some(flag) = flag else { return true };
    if let Some((limit, meter)) = flag.0.meter.get() {
        let used = meter().unwrap_or_default();
        if used.saturating_add(bytes as u64) > *limit {
            flag.raise(Reason::Memory(*limit));
        }
    }
    let may_go_on = flag.reason().is_none();
    if !may_go_on {
        // Every further walk and request ends at once.
        VISITS_LEFT.set(0);
        ASKED_FOR.set(BYTES_BETWEEN);
    }
    may_go_on
}

/// Appends to a text if there is room; returns false if its writer has to end.
#[inline]
pub fn append(out: &mut String, text: &str) -> bool {
    let length = out.len() + text.len();
    if length > out.capacity() && length > BYTES_BETWEEN {
        return append_long(out, text);
    }
    out.push_str(text);
    true
}

/// Returns true if a text that is being written can't grow, so that its writer has to end; makes some room otherwise.
#[inline]
pub fn is_full(out: &mut String) -> bool {
    const FEW: usize = 4096;
    let is_long = out.len() > BYTES_BETWEEN && out.capacity() - out.len() < FEW;
    match is_long {
        true => is_too_long(out.len()) || !append_long(out, ""),
        false => is_too_long(out.len()),
    }
}

/// Appends to a long text. It grows by a quarter, not to twice its size.
#[cold]
fn append_long(out: &mut String, text: &str) -> bool {
    let more = text.len() + (out.len() / 4).max(BYTES_BETWEEN / 4);
    // Whether a text is too long is for its writer to say, who knows the words for it.
    if !room(out.len() + more) {
        return false;
    }
    out.reserve_exact(more);
    out.push_str(text);
    true
}

/// Raises the flag of the compilation that this thread works on; returns false if there is none.
#[cold]
fn raise_here(reason: Reason) -> bool {
    ENTERED.with_borrow(|entered| entered.last().map(|flag| flag.raise(reason))).is_some()
}

#[cold]
fn has_to_end(left: u64) -> bool {
    let is_endless = left == 0;
    if is_endless || requested().is_some() {
        // Every further part is asked about too, so that all walks on the way out end at once.
        VISITS_LEFT.set(0);
    }
    let flag = ENTERED.with_borrow(|entered| entered.last().cloned());
    let Some(flag) = flag else {
        // Outside of a compilation nothing is counted.
        VISITS_LEFT.set(MAX_VISITS);
        return false;
    };
    if is_endless {
        flag.raise(Reason::Visits(flag.0.max_visits));
    }
    flag.reason().is_some()
}

/// Walks one level down into a value, on a larger stack if needed; returns `stopped` if the walk has to end.
#[inline]
pub fn walk<T>(stopped: T, work: impl FnOnce() -> T) -> T {
    match visit() {
        true => stopped,
        false => stacker::maybe_grow(64 << 10, 1 << 20, work),
    }
}

#[cfg(test)]
mod tests {
    use super::{Cancel, Reason, requested, visit, walk};

    #[test]
    fn a_flag_stops_only_what_has_entered_it() {
        let cancel = Cancel::new();
        cancel.raise(Reason::Deadline);
        cancel.raise(Reason::Memory(1));
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

    #[test]
    fn a_walk_ends_soon_after_the_flag_is_raised_and_stays_ended() {
        let cancel = Cancel::new();
        cancel.enter(|| {
            assert!((0..5_000).all(|_| !visit()));
            cancel.raise(Reason::Memory(2 << 20));
            assert!((0..1_100).any(|_| visit()));
            assert!((0..5_000).all(|_| visit()));
            assert_eq!(walk(0, || 1), 0);
        });
        assert_eq!(walk(0, || 1), 1);
    }

    #[test]
    fn an_endless_walk_raises_the_flag_of_its_compilation() {
        let cancel = Cancel::after_visits(5_000);
        let visits = cancel.enter(|| (0..6_000).take_while(|_| !visit()).count());
        assert_eq!(visits, 5_000);
        assert_eq!(cancel.reason(), Some(Reason::Visits(5_000)));
    }

    #[test]
    fn nothing_is_counted_outside_of_compilations() {
        assert!((0..10_000).all(|_| !visit()));
    }
}
