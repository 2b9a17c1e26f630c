//! The edition of the Puppet that gives the answers.

use std::path::PathBuf;
use std::sync::OnceLock;

use kukla_base::Edition;
use kukla_compiler::Strictness;

/// Returns the directory of a Puppet or OpenVox from source that the variable `PUPPET` names.
pub fn puppet_sources() -> Option<PathBuf> {
    std::env::var_os("PUPPET").map(PathBuf::from)
}

/// Returns the edition of the sources that `PUPPET` names; without them, that of Debian's Puppet 7.23.
pub fn edition() -> Edition {
    static EDITION: OnceLock<Edition> = OnceLock::new();
    *EDITION.get_or_init(|| match puppet_sources() {
        None => Edition::Seven,
        Some(sources) => {
            let version = std::fs::read_to_string(sources.join("lib/puppet/version.rb"));
            let version = version.expect("`PUPPET` is a directory with `lib/puppet/version.rb`");
            let major = version.split("PUPPETVERSION = '").nth(1).and_then(|rest| rest.get(..1));
            major.and_then(Edition::named).expect("Puppet's version is 7, 8 or 9")
        }
    })
}

/// Returns the strict rules of an edition, as the oracles set them.
pub fn strict_rules() -> Strictness {
    Strictness { editions: edition().into(), ..Strictness::default() }
}
