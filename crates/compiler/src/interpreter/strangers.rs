//! Names that only data has.
//!
//! A symbol is never freed, so none is made of a fact's name, a key of `create_resources` or a class parameter of a
//! classifier, unless code has that name too. Other names get stand-ins, which all compilations use again and again.

use ecow::EcoString;
use kukla_base::Symbol;
use rustc_hash::FxHashMap;

/// Names of one compilation that only data has.
#[derive(Debug, Default)]
pub(crate) struct Strangers {
    stand_ins: FxHashMap<EcoString, Symbol>,
    names: FxHashMap<Symbol, EcoString>,
}

impl Strangers {
    /// Returns the symbol of a name, or the one that stands for it.
    pub(crate) fn symbol(&mut self, name: &str) -> Symbol {
        let known = Symbol::known(name).or_else(|| self.stand_in(name));
        known.unwrap_or_else(|| {
            let stand_in = Symbol::stand_in(self.names.len());
            self.stand_ins.insert(name.into(), stand_in);
            self.names.insert(stand_in, name.into());
            stand_in
        })
    }

    /// Returns the symbol that stands for a name, if one does.
    ///
    /// Code that was read since may have made a symbol of the name; what was set before still has the stand-in.
    #[inline]
    pub(crate) fn stand_in(&self, name: &str) -> Option<Symbol> {
        if self.is_empty() { None } else { self.stand_ins.get(name).copied() }
    }

    /// Returns the name that a symbol stands for, if it is a stand-in.
    #[inline]
    pub(crate) fn name(&self, symbol: Symbol) -> Option<&EcoString> {
        if self.is_empty() { None } else { self.names.get(&symbol) }
    }

    /// Returns the text of a symbol, or the name that it stands for.
    pub(crate) fn text(&self, symbol: Symbol) -> &str {
        self.name(symbol).map_or(symbol.as_str(), EcoString::as_str)
    }

    /// Returns whether there are no such names.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}
