//! Names that are compared as addresses.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering as AtomicOrdering};
use std::sync::{LazyLock, PoisonError, RwLock};

use rustc_hash::FxHashMap;

/// A name written in source code. Equal names lie at the same place.
///
/// Never make one of data (facts, looked-up values, paths): a symbol's text is never freed. Names that come from data
/// are looked up with [`Symbol::known`]; where a symbol is needed all the same, a [`Symbol::stand_in`] takes its place.
#[derive(Clone, Copy)]
pub struct Symbol(&'static Name);

struct Name {
    text: Box<str>,
    /// In the order in which they were asked for.
    number: u32,
    is_word: bool,
    has_upper_case: bool,
}

thread_local! {
    /// Names that this thread has asked for before. Even a lock that is only read would go from core to core.
    static NEAR: RefCell<FxHashMap<&'static str, Symbol>> = RefCell::default();
}

/// All names. Reading the text of a symbol needs no lock, so threads don't wait for each other there.
static NAMES: LazyLock<RwLock<FxHashMap<&'static str, Symbol>>> = LazyLock::new(RwLock::default);

/// Symbols without a name of their own, which compilations use one after the other.
static STAND_INS: RwLock<Vec<Symbol>> = RwLock::new(Vec::new());

/// The number of the next symbol.
static NEXT: AtomicU32 = AtomicU32::new(0);

impl Symbol {
    /// The symbol of a name.
    pub fn new(text: &str) -> Self {
        Self::known(text).unwrap_or_else(|| Self::add(text))
    }

    /// Returns the symbol of a name that has one already: for names that come from data.
    pub fn known(text: &str) -> Option<Self> {
        let near = NEAR.with_borrow(|near| near.get(text).copied());
        near.or_else(|| {
            let known = NAMES.read().unwrap_or_else(PoisonError::into_inner).get(text).copied()?;
            NEAR.with_borrow_mut(|near| near.insert(known.as_str(), known));
            Some(known)
        })
    }

    /// Its text.
    #[inline]
    pub fn as_str(self) -> &'static str {
        &self.0.text
    }

    /// Whether it has only letters, digits, `_` and `:`, so that it can stand between quotes as it is.
    #[inline]
    pub fn is_word(self) -> bool {
        self.0.is_word
    }

    /// Whether it has an upper-case letter of ASCII.
    #[inline]
    pub fn has_upper_case(self) -> bool {
        self.0.has_upper_case
    }

    /// Its number, for tables.
    #[inline]
    pub fn index(self) -> usize {
        self.0.number as usize
    }

    /// Looks again, since another thread may have been faster.
    #[cold]
    fn add(text: &str) -> Self {
        let mut names = NAMES.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = names.get(text) {
            return known;
        }
        let symbol = Self::leak(text);
        names.insert(symbol.as_str(), symbol);
        symbol
    }

    fn leak(text: &str) -> Self {
        let number = NEXT.fetch_add(1, AtomicOrdering::Relaxed);
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':');
        let is_word = text.bytes().all(is_word);
        let has_upper_case = text.bytes().any(|byte| byte.is_ascii_uppercase());
        Self(Box::leak(Box::new(Name { text: text.into(), number, is_word, has_upper_case })))
    }

    /// Returns the symbol of a number that a compilation may use for a name which only data has.
    ///
    /// No text leads to it, and its own text says nothing: the compilation knows the name that it stands for. The next
    /// compilation uses the same ones for other names, so there are as many as one compilation has ever needed.
    pub fn stand_in(number: usize) -> Self {
        let made = STAND_INS.read().unwrap_or_else(PoisonError::into_inner).get(number).copied();
        made.unwrap_or_else(|| {
            let mut all = STAND_INS.write().unwrap_or_else(PoisonError::into_inner);
            while all.len() <= number {
                all.push(Self::leak("(a name of data)"));
            }
            all[number]
        })
    }

    /// Returns how many symbols there are, stand-ins included.
    pub fn count() -> usize {
        NEXT.load(AtomicOrdering::Relaxed) as usize
    }
}

impl PartialEq for Symbol {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Symbol {}

impl Hash for Symbol {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_usize(std::ptr::from_ref(self.0).addr());
    }
}

impl PartialOrd for Symbol {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Symbol {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.number.cmp(&other.0.number)
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Symbol;

    #[test]
    fn no_text_leads_to_a_stand_in() {
        let (first, second) = (Symbol::stand_in(0), Symbol::stand_in(1));
        assert_ne!(first, second);
        assert_eq!(first, Symbol::stand_in(0));
        assert_eq!(Symbol::known(first.as_str()), None);
        assert_ne!(Symbol::new(first.as_str()), first);
    }
}
