//! Editions of Puppet and of Ruby, and the table of behaviours that differ between them.
//!
//! A behaviour that an edition changed is a [`EditionChange`]; code asks [`Edition::has`] and branches nowhere else.
//! Start reading at the tables in [`changes`].

mod changes;
mod ruby;

pub use changes::{ChangeRow, EditionChange, Impact};
pub use ruby::{RubyChange, RubyEdition};

use std::cell::Cell;
use std::fmt;

/// An edition of Puppet: the setting `edition`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Edition {
    /// Puppet 7.23.
    Seven,
    /// Puppet 8 as OpenVox 8.28.1 has it.
    #[default]
    Eight,
    /// OpenVox 9.0.
    Nine,
}

impl Edition {
    /// All editions, in their order.
    pub const ALL: [Self; 3] = [Self::Seven, Self::Eight, Self::Nine];

    /// Returns the edition that a setting names.
    pub fn named(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|edition| edition.as_str() == text)
    }

    /// Returns its name in settings.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Seven => "7",
            Self::Eight => "8",
            Self::Nine => "9",
        }
    }

    /// Returns the version that manifests see in `$serverversion`.
    pub const fn version(self) -> &'static str {
        match self {
            Self::Seven => "7.23.0",
            Self::Eight => "8.28.1",
            Self::Nine => "9.0.0",
        }
    }

    /// Returns the address of the page on deprecated language, which is part of messages.
    pub const fn deprecated_language_url(self) -> &'static str {
        match self {
            Self::Seven => "https://puppet.com/docs/puppet/7.23/deprecated_language.html",
            Self::Eight => "https://puppet.com/docs/puppet/8.28/deprecated_language.html",
            Self::Nine => "https://docs.openvoxproject.org/openvox/latest/deprecated_language.html",
        }
    }

    /// Returns the Ruby that the servers of this edition run.
    pub const fn ruby(self) -> RubyEdition {
        match self {
            Self::Seven | Self::Eight => RubyEdition::Ruby31,
            Self::Nine => RubyEdition::Ruby40,
        }
    }

    /// Whether this edition has a change.
    pub fn has(self, change: EditionChange) -> bool {
        self >= change.row().since
    }

    /// Returns the changes between this edition and a later one, in the order of the table.
    pub fn changes_to(self, later: Self) -> impl Iterator<Item = &'static ChangeRow> {
        changes::ROWS.iter().filter(move |row| row.since > self && row.since <= later)
    }
}

impl fmt::Display for Edition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The editions of Puppet and Ruby that an evaluation follows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Editions {
    /// The edition of Puppet.
    pub puppet: Edition,
    /// The edition of Ruby.
    pub ruby: RubyEdition,
}

thread_local! {
    /// The editions of the evaluation that this thread runs.
    static CURRENT: Cell<Editions> = const { Cell::new(Editions::DEFAULT) };
}

impl Editions {
    /// Edition 8 with the Ruby of its servers.
    const DEFAULT: Self = Self { puppet: Edition::Eight, ruby: Edition::Eight.ruby() };

    /// Returns the editions of the evaluation that this thread runs; the default outside of evaluations.
    ///
    /// For text that Ruby prints, far away from any state of the evaluation.
    pub fn current() -> Self {
        CURRENT.get()
    }

    /// Runs an evaluation that follows these editions.
    pub fn enter<T>(self, work: impl FnOnce() -> T) -> T {
        /// Restores the editions of the outer evaluation, also on a panic.
        struct Restore(Editions);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.set(self.0);
            }
        }
        let _restore = Restore(CURRENT.replace(self));
        work()
    }
}

impl Default for Editions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl From<Edition> for Editions {
    /// Returns an edition with the Ruby of its servers.
    fn from(puppet: Edition) -> Self {
        Self { puppet, ruby: puppet.ruby() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_has_one_row() {
        for row in changes::ROWS {
            assert_eq!(row.change.row().code, row.code);
            assert_eq!(changes::ROWS.iter().filter(|other| other.code == row.code).count(), 1);
        }
    }

    #[test]
    fn an_edition_has_its_own_changes_and_those_before() {
        assert!(!Edition::Seven.has(EditionChange::SplitSensitive));
        assert!(Edition::Eight.has(EditionChange::SplitSensitive));
        assert!(Edition::Nine.has(EditionChange::SplitSensitive));
        assert!(!Edition::Eight.has(EditionChange::RegsubstEncodingRemoved));
        let codes: Vec<&str> =
            Edition::Eight.changes_to(Edition::Nine).map(|row| row.code).collect();
        assert!(codes.contains(&"regsubst-encoding-removed"));
        assert!(!codes.contains(&"split-sensitive"));
    }

    #[test]
    fn editions_are_entered_and_left() {
        let outer = Editions::current();
        let seven = Editions::from(Edition::Seven);
        assert_eq!(seven.enter(Editions::current), seven);
        assert_eq!(Editions::current(), outer);
    }
}
