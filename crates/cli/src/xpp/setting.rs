//! The setting `xpp`: whether serialized manifests are loaded.

use kukla_site::{Unusable, Xpp};

/// `--xpp` and `--no-xpp`, the last of which counts.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Setting {
    /// Load what `kukla xpp build` made of manifests that did not change since, instead of parsing them
    #[arg(long, overrides_with = "no_xpp")]
    xpp: bool,
    /// Parse all manifests, which is the default unless `puppet.conf` has `xpp = true`
    #[arg(long, overrides_with = "xpp")]
    no_xpp: bool,
}

impl Setting {
    /// What was given, or else what is configured.
    pub(super) fn value(self, configured: Xpp) -> Xpp {
        match (self.xpp, self.no_xpp) {
            (true, _) => Xpp::On,
            (false, true) => Xpp::Off,
            (false, false) => configured,
        }
    }
}

/// The words for a file that could not be used; the plugin for Puppet says the same.
pub(super) fn unusable_words(unusable: &Unusable) -> String {
    let Unusable { path, reason } = unusable;
    format!("XPP: cannot load {}: {reason}; the source is used", path.display())
}
