//! `String#scanf`.

use super::case::{Answer, text};
use kukla_pcore::texts::{Data, scanf};

pub(crate) fn answer(_operation: &str, args: &[Data]) -> Answer {
    Ok(Data::Array(scanf::scanf(text(args, 0), text(args, 1))?))
}
