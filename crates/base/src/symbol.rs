//! Names that are compared as addresses.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, PoisonError, RwLock};

use rustc_hash::FxHashMap;

/// A name written in source code. Equal names lie at the same place.
///
/// Never make one of data (facts, looked-up values): a symbol's text is never freed.
#[derive(Clone, Copy)]
pub struct Symbol(&'static Name);

struct Name {
    text: Box<str>,
    /// In the order in which they were asked for.
    number: u32,
    is_word: bool,
}

thread_local! {
    /// Names that this thread has asked for before. Even a lock that is only read would go from core to core.
    static NEAR: RefCell<FxHashMap<&'static str, Symbol>> = RefCell::default();
}

/// All names. Reading the text of a symbol needs no lock, so threads don't wait for each other there.
static NAMES: LazyLock<RwLock<FxHashMap<&'static str, Symbol>>> = LazyLock::new(RwLock::default);

impl Symbol {
    /// The symbol of a name.
    pub fn new(text: &str) -> Self {
        Self::known(text).unwrap_or_else(|| Self::add(text))
    }

    /// The symbol of a name, if anybody has asked for it before: for names that come from data.
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
        let number = u32::try_from(names.len()).expect("memory ends before numbers do");
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':');
        let is_word = text.bytes().all(is_word);
        let symbol = Self(Box::leak(Box::new(Name { text: text.into(), number, is_word })));
        names.insert(symbol.as_str(), symbol);
        symbol
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
