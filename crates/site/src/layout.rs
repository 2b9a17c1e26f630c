//! Directories of Puppet's own packages and of Debian's: the defaults of every path.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use kukla_world::files;

/// The directories of one distribution.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) confdir: &'static str,
    pub(crate) codedir: &'static str,
    pub(crate) vardir: &'static str,
    pub(crate) logdir: &'static str,
    pub(crate) rundir: &'static str,
    pub(crate) publicdir: &'static str,
    /// Modules that packages install.
    modules: &'static str,
}

static PUPPET: Layout = Layout {
    confdir: "/etc/puppetlabs/puppet",
    codedir: "/etc/puppetlabs/code",
    vardir: "/opt/puppetlabs/server/data/puppetserver",
    logdir: "/var/log/puppetlabs/puppetserver",
    rundir: "/var/run/puppetlabs/puppetserver",
    publicdir: "/opt/puppetlabs/puppet/public",
    modules: "/opt/puppetlabs/puppet/modules",
};

static DEBIAN: Layout = Layout {
    confdir: "/etc/puppet",
    codedir: "/etc/puppet/code",
    vardir: "/var/lib/puppet",
    logdir: "/var/log/puppet",
    rundir: "/run/puppet",
    publicdir: "/var/lib/puppet/public",
    modules: "/usr/share/puppet/modules",
};

/// All layouts, in the order in which they are searched.
static ALL: [&Layout; 2] = [&PUPPET, &DEBIAN];

/// Returns the layout of this machine; Puppet's own if it has none.
static INSTALLED: LazyLock<&Layout> = LazyLock::new(|| {
    let is_debian = !files::is_directory(Path::new("/etc/puppetlabs"))
        && files::is_directory(Path::new(DEBIAN.confdir));
    if is_debian { &DEBIAN } else { &PUPPET }
});

impl Layout {
    /// Returns the layout whose `puppet.conf` is in `confdir`, or that of this machine.
    pub(crate) fn of(confdir: &str) -> &'static Self {
        let mut layouts = ALL.iter();
        layouts.find(|layout| layout.confdir == confdir).copied().unwrap_or(*INSTALLED)
    }

    /// Returns the default of the setting `basemodulepath`.
    pub(crate) fn basemodulepath(&self) -> String {
        format!("$codedir/modules:{}", self.modules)
    }
}

/// Returns the directories of modules that every environment sees unless `basemodulepath` is set: those of all layouts.
pub fn basemodulepath() -> Vec<PathBuf> {
    let entries =
        |layout: &&Layout| [Path::new(layout.codedir).join("modules"), layout.modules.into()];
    ALL.iter().flat_map(entries).collect()
}

/// Returns the paths at which `puppet.conf` is searched.
pub(crate) fn conf_files() -> impl Iterator<Item = PathBuf> {
    ALL.iter().map(|layout| Path::new(layout.confdir).join("puppet.conf"))
}

/// Returns the directories of modules that the environment `production` has by default.
pub(crate) fn production_modules() -> impl Iterator<Item = PathBuf> {
    ALL.iter().map(|layout| Path::new(layout.codedir).join("environments/production/modules"))
}
