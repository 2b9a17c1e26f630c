//! Editions of Ruby, whose `inspect` and messages end up in catalogs and errors.

use std::fmt;

/// An edition of Ruby: the setting `ruby_edition`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RubyEdition {
    /// Ruby 3.1, and JRuby 9.4.
    Ruby31,
    /// Ruby 3.3.
    Ruby33,
    /// Ruby 3.4.
    Ruby34,
    /// Ruby 4.0, and JRuby 10.1.
    Ruby40,
}

/// A text of Ruby that changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RubyChange {
    /// Messages about missing methods name the class of the receiver instead of showing it.
    ReceiverIsClass,
    /// `{"a" => 1, b: nil}` instead of `{"a"=>1, :b=>nil}`.
    SpacedHash,
    /// Messages quote names as `'name'` instead of `` `name' ``.
    StraightQuotes,
    /// `Set[1]` instead of `#<Set: {1}>`.
    SetInspect,
}

impl RubyEdition {
    /// All editions, in their order.
    pub const ALL: [Self; 4] = [Self::Ruby31, Self::Ruby33, Self::Ruby34, Self::Ruby40];

    /// Returns the edition that a setting names.
    pub fn named(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|edition| edition.as_str() == text)
    }

    /// Returns its name in settings.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ruby31 => "3.1",
            Self::Ruby33 => "3.3",
            Self::Ruby34 => "3.4",
            Self::Ruby40 => "4.0",
        }
    }

    /// Whether this edition has a change.
    pub const fn has(self, change: RubyChange) -> bool {
        let since = match change {
            RubyChange::ReceiverIsClass => Self::Ruby33,
            RubyChange::SpacedHash | RubyChange::StraightQuotes => Self::Ruby34,
            RubyChange::SetInspect => Self::Ruby40,
        };
        self as u8 >= since as u8
    }

    /// Returns a name in the quotes of messages.
    pub fn quoted(self, name: &str) -> String {
        match self.has(RubyChange::StraightQuotes) {
            true => format!("'{name}'"),
            false => format!("`{name}'"),
        }
    }

    /// Returns a symbol that needs no quotes, with what separates it from its value in `Hash#inspect`.
    pub fn symbol_entry(self, name: &str) -> String {
        match self.has(RubyChange::SpacedHash) {
            true => format!("{name}: "),
            false => format!(":{name}=>"),
        }
    }

    /// Returns the text between a key and a value of `Hash#inspect`.
    pub const fn arrow(self) -> &'static str {
        if self.has(RubyChange::SpacedHash) { " => " } else { "=>" }
    }
}

impl fmt::Display for RubyEdition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
