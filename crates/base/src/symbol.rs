//! Names that are compared as numbers.

use std::collections::HashMap;
use std::fmt;
use std::sync::{LazyLock, PoisonError, RwLock};

/// A name written in source code. Equal names are equal numbers.
///
/// Never make one of data (facts, looked-up values): a symbol's text is never freed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);

#[derive(Default)]
struct Names {
    by_text: HashMap<&'static str, u32>,
    by_number: Vec<&'static str>,
}

static NAMES: LazyLock<RwLock<Names>> = LazyLock::new(RwLock::default);

impl Symbol {
    /// The symbol of a name.
    pub fn new(text: &str) -> Self {
        match Self::known(text) {
            Some(symbol) => symbol,
            None => NAMES.write().unwrap_or_else(PoisonError::into_inner).add(text),
        }
    }

    /// The symbol of a name, if anybody has asked for it before: for names that come from data.
    pub fn known(text: &str) -> Option<Self> {
        let names = NAMES.read().unwrap_or_else(PoisonError::into_inner);
        names.by_text.get(text).map(|&number| Self(number))
    }

    /// Its text.
    pub fn as_str(self) -> &'static str {
        NAMES.read().unwrap_or_else(PoisonError::into_inner).by_number[self.0 as usize]
    }

    /// Its number, for tables.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Names {
    /// Looks again, since another thread may have been faster.
    fn add(&mut self, text: &str) -> Symbol {
        if let Some(&known) = self.by_text.get(text) {
            return Symbol(known);
        }
        let number = u32::try_from(self.by_number.len()).expect("memory ends before numbers do");
        let text: &'static str = Box::leak(text.into());
        self.by_text.insert(text, number);
        self.by_number.push(text);
        Symbol(number)
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
