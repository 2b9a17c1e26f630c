//! TOML.

use super::case::Answer;
use kukla_pcore::texts::{Data, toml};

pub(crate) fn answer(_operation: &str, args: &[Data]) -> Answer {
    Ok(Data::Str(toml::write(&args[0])?))
}
