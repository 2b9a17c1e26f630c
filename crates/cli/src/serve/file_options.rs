//! Options of files and of static catalogs.

use kukla_server::agents::files::Confinement;
use kukla_server::agents::versioned_code::VersionedCode;
use kukla_server::agents::{ConfD, FileOptions};

/// How the server treats files.
#[derive(Debug, clap::Args)]
pub(super) struct FileArgs {
    /// Refuse symbolic links that lead out of a module's `files` or out of a mount
    #[arg(long)]
    confine_links: bool,
    /// Make static catalogs of environments that are git repositories [default: with the commands of versioned-code.conf]
    #[arg(long)]
    static_from_git: bool,
}

impl FileArgs {
    /// Returns the options; Puppet Server's `versioned-code` counts unless git does.
    pub(super) fn options(&self, conf_d: &ConfD) -> anyhow::Result<FileOptions> {
        let confinement = if self.confine_links { Confinement::Beneath } else { Confinement::Open };
        let command = |name: &str| conf_d.text(&["versioned-code", name]);
        let versioned_code = match (command("code-id-command"), command("code-content-command")) {
            _ if self.static_from_git => VersionedCode::Git,
            (None, None) => VersionedCode::Absent,
            (Some(id), Some(content)) => {
                VersionedCode::Commands { id: id.into(), content: content.into() }
            }
            _ => anyhow::bail!(
                "Only one of \"versioned-code.code-id-command\" and \"versioned-code.code-content-command\" was set; both or neither must be"
            ),
        };
        Ok(FileOptions { confinement, versioned_code })
    }
}
