//! HOCON.

use super::case::{Answer, text};
use kukla_rubytext::{Data, hocon};

pub(crate) fn answer(_operation: &str, args: &[Data]) -> Answer {
    hocon::parse(text(args, 0), &|_| None)
}
