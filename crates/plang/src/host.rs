//! The host: whoever embeds the language, with modules of its own.

use std::fmt::Debug;

use bumpalo::Bump;

use crate::fail::FailCode;
use crate::module::Member;
use crate::value::Value;

/// Does what members with [`crate::module::Run::Host`] promise.
///
/// A host adds a module by declaring its signatures ([`crate::check::Options::modules`]) and answering here.
/// Such members are pure: they read, and the answer stays the same while a program runs.
pub trait Host: Debug + Sync {
    /// The value of a member of `receiver` (`Nothing` for the module itself).
    fn read<'a>(
        &'a self,
        member: &'static Member,
        receiver: Value<'a>,
        args: &[Value<'a>],
        arena: &'a Bump,
    ) -> Result<Value<'a>, FailCode>;
}
