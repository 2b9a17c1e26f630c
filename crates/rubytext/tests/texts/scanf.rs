//! `String#scanf`.

use super::case::{Answer, text};
use kukla_rubytext::{Data, scanf};

pub(crate) fn answer(_operation: &str, args: &[Data]) -> Answer {
    Ok(Data::Array(scanf::scanf(text(args, 0), text(args, 1))?))
}
