//! TOML.

use super::case::Answer;
use kukla_rubytext::{Data, toml};

pub(crate) fn answer(_operation: &str, args: &[Data]) -> Answer {
    Ok(Data::Str(toml::write(&args[0])?))
}
