//! The option `--edition` of commands without settings.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use kukla_base::Edition;

/// `--edition`
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct EditionArgs {
    /// Edition of Puppet whose rules hold
    #[arg(long, value_name = "EDITION", default_value = "8", value_parser = editions())]
    pub(crate) edition: Edition,
}

/// Returns a parser of the names of editions.
pub(crate) fn editions() -> impl TypedValueParser<Value = Edition> {
    PossibleValuesParser::new(Edition::ALL.map(Edition::as_str))
        .map(|name| Edition::named(&name).unwrap_or_default())
}
