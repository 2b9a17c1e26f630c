//! The host: the program that embeds the language and may add modules.

use std::fmt::Debug;

use bumpalo::Bump;

use crate::fail::FailCode;
use crate::module::Member;
use crate::value::Value;

/// Implementation of members with [`crate::module::Run::Host`].
///
/// A host adds a module by declaring its signatures ([`crate::check::Options::modules`]) and answering here.
/// Such members are pure: they only read, and their answer must not change while a program runs.
pub trait Host: Debug + Sync {
    /// Returns the value of a member of `receiver` (`Nothing` for the module itself).
    fn read<'a>(
        &'a self,
        member: &'static Member,
        receiver: Value<'a>,
        args: &[Value<'a>],
        arena: &'a Bump,
    ) -> Result<Value<'a>, FailCode>;
}
