//! The setting `xpp`: whether serialized manifests are loaded.

use kukla_loader::{Unusable, Xpp};

/// `--xpp` and `--no-xpp`, the last of which counts.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Setting {
    /// Load what `kukla xpp build` made of manifests that did not change since, instead of parsing them
    #[arg(long, overrides_with = "no_xpp")]
    xpp: bool,
    /// Parse all manifests, which is the default
    #[arg(long, overrides_with = "xpp")]
    no_xpp: bool,
}

impl Setting {
    /// Off unless it was switched on.
    pub(super) fn value(self) -> Xpp {
        if self.xpp && !self.no_xpp { Xpp::On } else { Xpp::Off }
    }
}

/// The words for a file that could not be used; the plugin for Puppet says the same.
pub(super) fn unusable_words(unusable: &Unusable) -> String {
    let Unusable { path, reason } = unusable;
    format!("XPP: cannot load {}: {reason}; the source is used", path.display())
}
